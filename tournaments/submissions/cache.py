"""The packages that were built on this machine, by their hashes.

``$XDG_CACHE_HOME/highstreet/packages``, or else ``~/.cache/highstreet/packages``, has a folder for
each of them. It is written completely or not at all, and is read-only from then on. What another
user could have changed is not used.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from tournaments.submissions.archive import PackageError

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """Return the folder of the built packages; it may not exist."""
    named = Path(os.environ.get("XDG_CACHE_HOME") or "")
    base = named if named.is_absolute() else Path.home() / ".cache"
    return base / "highstreet" / "packages"


def is_cached(own: str) -> bool:
    """Return whether a package is built; raises PackageError if others could have changed it."""
    entry = cache_folder() / own
    if not entry.exists():
        return False
    _check_owner(entry)
    return True


def add_to_cache(own: str, make: Callable[[Path], object]) -> None:
    """Let ``make`` build a package into a new folder, and keep that folder.

    Raises PackageError if others could change the cache. If another process has been faster, its
    folder is kept.
    """
    folder = cache_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise PackageError(
            f"cannot make the folder {folder} for built packages: {error.strerror}. The "
            "environment variable XDG_CACHE_HOME names another place."
        ) from None
    _check_owner(folder)
    part = folder / f".{own}.{secrets.token_hex(8)}"
    try:
        make(part)
        _set_writable(part, on=False)
        part.rename(folder / own)
    except OSError:
        if not is_cached(own):
            raise
    finally:
        if part.exists():
            _set_writable(part, on=True)
            shutil.rmtree(part)


def _check_owner(path: Path) -> None:
    """Raise PackageError if another user than root could change a folder, or replace it."""
    path = Path(os.path.realpath(path.parent)) / path.name
    for folder in (path, *path.parents):
        found = folder.lstat()
        mode = found.st_mode
        if stat.S_ISLNK(mode):
            problem = "is a link"
        elif found.st_uid not in (0, os.geteuid()):
            problem = "belongs to another user"
        elif mode & (stat.S_IWGRP | stat.S_IWOTH) and not mode & stat.S_ISVTX:
            problem = "can be written to by other users"
        else:
            continue
        raise PackageError(
            f"built packages are kept in {cache_folder()}, but {folder} {problem}: put that right, "
            "or name another folder in the environment variable XDG_CACHE_HOME."
        )


def _set_writable(folder: Path, *, on: bool) -> None:
    """Let the owner write to a folder and all in it, or nobody."""
    for parent, _, files in os.walk(folder, topdown=on):
        for path in (*(Path(parent) / name for name in files), Path(parent)):
            if not path.is_symlink():
                mode = stat.S_IMODE(path.stat().st_mode)
                path.chmod(mode | stat.S_IWUSR if on else mode & ~_WRITABLE)
