"""The packages of a tournament's entrants: built once, before the first match."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from engine import UsageError
from referee.runtime import run_async
from tournaments.config import entrant_error
from tournaments.model import Package, RuntimesSettings, TournamentSettings
from tournaments.submissions.archive import PackageError, package_hash
from tournaments.submissions.build import BuildError
from tournaments.submissions.cache import PackageCache
from tournaments.submissions.package import cache_folder, packed_bytes
from tournaments.submissions.runtimes import AS_INSTALLED

SHOWN_LINES: Final = 20
"""The last lines of the log of a build that failed."""


def build_entrants(
    tournament: TournamentSettings,
    text: str,
    file: Path,
    logs: Path,
    report: Callable[[str], None] = lambda _sentence: None,
    runtimes: RuntimesSettings = AS_INSTALLED,
) -> None:
    """Build the packages that are not built yet; raises SettingsFileError where one cannot be.

    ``text`` is the content of the tournament file, and ``report`` is called before each build.
    """
    for number, entrant in enumerate(tournament.entrants):
        if entrant.package is None:
            continue
        log = logs / f"{entrant.name}.build.log"
        try:
            cache = PackageCache(cache_folder(), runtimes)
            if cache.find(entrant.package.hash) is None:
                report(f"building the package of {entrant.name}")
                log.unlink(missing_ok=True)
                run_async(_build(cache, entrant.package, file.resolve().parent, log))
        except UsageError as error:
            last = _last_lines(log) if isinstance(error, BuildError) else []
            sentence = "\n    ".join([f'package "{entrant.package.path}": {error}', *last])
            raise entrant_error(text, str(file), number, sentence) from None


async def _build(cache: PackageCache, package: Package, base: Path, log: Path) -> None:
    packed = packed_bytes(base / package.path)
    if package_hash(packed) != package.hash:
        raise PackageError("it has changed since it was read: run the command again.")
    async with cache.unpacked(packed) as unpacked:
        await unpacked.build(log)


def _last_lines(log: Path) -> list[str]:
    """Return the last lines of a log, each at most twice as wide as the terminal."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return [line[: shutil.get_terminal_size().columns * 2] for line in lines[-SHOWN_LINES:]]
