"""The manifest of an unpacked package, and the command of its bot."""

from __future__ import annotations

from pathlib import Path

from referee.model import BotCommand, Mount, SandboxKind, SandboxSettings
from tournaments.config import parse_manifest
from tournaments.model import Manifest
from tournaments.submissions.archive import MANIFEST, PackageError
from tournaments.submissions.build import PACKAGE
from tournaments.submissions.runtimes import find_runtime


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a package; raises SettingsFileError."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PackageError(f"cannot read {MANIFEST}: {error}.") from None
    return parse_manifest(text, MANIFEST)


def bot_command(manifest: Manifest, built: Path, package: str = "") -> BotCommand:
    """Return the command of a bot in the sandbox; it sees its own folder and its runtime.

    The hash of the package, if it is given, is in the records of its matches.
    """
    settings = SandboxSettings(
        SandboxKind.BUBBLEWRAP,
        find_runtime(manifest.runtime),
        (Mount(built, PACKAGE),),
        package=package,
    )
    return BotCommand(manifest.run, PACKAGE, sandbox=settings)
