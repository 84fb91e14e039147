"""A package as a tournament file names it: a folder or a file, read with every check."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from referee.model import BotCommand, Mount, SandboxKind, SandboxSettings
from tournaments.config import parse_manifest
from tournaments.model import Manifest, Package, RuntimesSettings
from tournaments.submissions.archive import (
    DEFAULT_LIMITS,
    MANIFEST,
    PackageError,
    pack,
    package_hash,
    unpack,
)
from tournaments.submissions.build import PACKAGE
from tournaments.submissions.runtimes import AS_INSTALLED, find_runtime


def cache_folder() -> Path:
    """Return the folder of this user's built packages, which may not exist.

    It is ``highstreet/packages`` in ``$XDG_CACHE_HOME``, or else in ``~/.cache``.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME") or "")
    base = named if named.is_absolute() else Path.home() / ".cache"
    return base / "highstreet" / "packages"


def read_package(
    written: str, base: Path | None, runtimes: RuntimesSettings = AS_INSTALLED
) -> Package:
    """Return the package at a path that is relative to ``base``, without building it.

    Its command starts what the cache has after the build. Raises UsageError for a package that is
    refused, and for a runtime that this machine does not have.
    """
    packed = packed_bytes((base or Path()) / written)
    manifest = manifest_of(packed)
    own = package_hash(packed)
    return Package(written, own, manifest, bot_command(manifest, cache_folder() / own, runtimes))


def packed_bytes(path: Path) -> bytes:
    """Return a folder or a .tar.gz as a package; raises PackageError."""
    try:
        if path.is_dir():
            return pack(path)
        if path.stat().st_size > DEFAULT_LIMITS.packed:
            raise PackageError(f"{path} has more than {DEFAULT_LIMITS.packed >> 20} MiB.")
        return path.read_bytes()
    except (OSError, ValueError):
        raise PackageError(
            f"{path} cannot be read: name a folder with {MANIFEST}, or a .tar.gz of one."
        ) from None


def manifest_of(packed: bytes) -> Manifest:
    """Return the manifest of a package, all of which is checked; raises UsageError."""
    with tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
        unpack(packed, Path(folder) / "package")
        return read_manifest(Path(folder) / "package")


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of an unpacked package; raises SettingsFileError."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PackageError(f"cannot read {MANIFEST}: {error}.") from None
    return parse_manifest(text, MANIFEST)


def bot_command(
    manifest: Manifest, built: Path, runtimes: RuntimesSettings = AS_INSTALLED
) -> BotCommand:
    """Return the command of a bot in the sandbox; it sees its own folder and its runtime."""
    runtime = find_runtime(manifest.runtime, runtimes)
    settings = SandboxSettings(SandboxKind.BUBBLEWRAP, runtime, (Mount(built, PACKAGE),))
    return BotCommand(manifest.run, PACKAGE, sandbox=settings)
