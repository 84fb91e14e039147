"""The packages of a tournament's entrants: built once, before the first match."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from engine import UsageError
from referee.runtime import run_async
from tournaments.config import entrant_error
from tournaments.model import Package, TournamentSettings
from tournaments.submissions.archive import PackageError, package_hash, unpack
from tournaments.submissions.build import BuildError, build
from tournaments.submissions.cache import add_to_cache, is_cached
from tournaments.submissions.package import packed_bytes
from tournaments.submissions.runtimes import find_runtime

SHOWN_LINES: Final = 20
"""The last lines of the log of a build that failed."""


def build_entrants(
    tournament: TournamentSettings,
    text: str,
    file: Path,
    logs: Path,
    report: Callable[[str], None] = lambda _sentence: None,
) -> None:
    """Build the packages that are not built yet; raises SettingsFileError where one cannot be.

    ``text`` is the content of the tournament file, and ``report`` is called before each build.
    """
    for number, entrant in enumerate(tournament.entrants):
        if entrant.package is None:
            continue
        log = logs / f"{entrant.name}.build.log"
        try:
            if not is_cached(entrant.package.hash):
                report(f"building the package of {entrant.name}")
                _build(entrant.package, file.resolve().parent, log)
        except UsageError as error:
            last = last_lines(log) if isinstance(error, BuildError) else []
            sentence = "\n    ".join([f'package "{entrant.package.path}": {error}', *last])
            raise entrant_error(text, str(file), number, sentence) from None


def _build(package: Package, base: Path, log: Path) -> None:
    packed = packed_bytes(base / package.path)
    if package_hash(packed) != package.hash:
        raise PackageError("it has changed since it was read: run the command again.")
    log.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="highstreet-") as name:
        unpacked = Path(name) / "package"
        unpack(packed, unpacked)

        def make(target: Path) -> None:
            runtime = find_runtime(package.manifest.runtime)
            run_async(build(unpacked, package.manifest.build, runtime, target, log))

        add_to_cache(package.hash, make)


def last_lines(log: Path) -> list[str]:
    """Return the last lines of a log, each at most twice as wide as the terminal."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return [line[: shutil.get_terminal_size().columns * 2] for line in lines[-SHOWN_LINES:]]
