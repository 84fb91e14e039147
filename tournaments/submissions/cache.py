"""Built packages on disk, by their hashes.

A folder in the cache is written completely or not at all, and is read-only from then on. What
another user could have changed is not used.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from referee.sandbox import Usage
from tournaments.model import Manifest, RuntimesSettings
from tournaments.submissions.archive import PackageError, package_hash, unpack
from tournaments.submissions.build import BUILD_SECONDS, build
from tournaments.submissions.package import read_manifest
from tournaments.submissions.runtimes import AS_INSTALLED, find_runtime

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_UNFINISHED: Final = "unfinished-"
"""How folders of builds begin that are not in the cache yet."""
_LEFT_BEHIND: Final = 4 * BUILD_SECONDS
"""Seconds after which such a folder belongs to a program that was killed."""
_WRITABLE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class PackageCache:
    """A folder of built packages that only this user can change."""

    def __init__(self, folder: Path, runtimes: RuntimesSettings = AS_INSTALLED) -> None:
        """Make the folder, and remove what killed programs have left; raises PackageError."""
        self.runtimes = runtimes
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise PackageError(
                f"cannot make the folder {folder} for built packages: {error.strerror}."
            ) from None
        self._folder = folder.resolve()  # a sandbox has no current folder of ours
        self._check_owner(folder)
        for left in folder.glob(f"{_UNFINISHED}*"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > _LEFT_BEHIND:
                    _remove(left)

    def path(self, package: str) -> Path:
        """Return where a package is once it is built."""
        assert _HASH.fullmatch(package)  # noqa: S101  it was computed here
        return self._folder / package

    def find(self, package: str) -> Path | None:
        """Return the folder of a built package, if it is here; raises PackageError.

        One that another user could have changed is an error.
        """
        path = self.path(package)
        if not path.exists():
            return None
        self._check_owner(path)
        return path

    @contextlib.asynccontextmanager
    async def unpacked(self, packed: bytes) -> AsyncIterator[UnpackedPackage]:
        """Unpack a package for as long as the context lasts; raises PackageError."""
        folder = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self._folder))
        try:
            await asyncio.to_thread(unpack, packed, folder / "package")
            manifest = read_manifest(folder / "package")
            yield UnpackedPackage(self, package_hash(packed), manifest, folder)
        finally:
            await asyncio.to_thread(_remove, folder)

    def _check_owner(self, path: Path) -> None:
        """Raise PackageError if another user than root could change a folder, or replace it."""
        path = Path(os.path.realpath(path.parent)) / path.name
        for folder in (path, *path.parents):
            if problem := _problem(folder):
                raise PackageError(
                    f"built packages are kept in {self._folder}, but {folder} {problem}: put that "
                    "right, or choose another place. The cache of a user is in XDG_CACHE_HOME."
                )


class UnpackedPackage:
    """A package whose files have been checked, and which can be built."""

    def __init__(self, cache: PackageCache, package: str, manifest: Manifest, folder: Path) -> None:
        self._cache = cache
        self._folder = folder
        self.hash = package
        self.manifest = manifest

    async def build(self, log: Path) -> Usage | None:
        """Build the package into the cache, and return what that used; raises PackageError.

        The output of the build is appended to the log. A package that is in the cache is not built
        again.
        """
        if self._cache.find(self.hash) is not None:
            return None
        name, runtimes = self.manifest.runtime, self._cache.runtimes
        runtime = await asyncio.to_thread(find_runtime, name, runtimes)
        source, target = self._folder / "package", self._folder / "built"
        usage = await build(source, self.manifest.build, runtime, target, log)
        await asyncio.to_thread(self._keep, target)
        return usage

    def _keep(self, built: Path) -> None:
        """Move a built package into the cache, unless another program was faster."""
        _set_writable(built, on=False)
        built.chmod(0o700)  # so that it can be moved
        try:
            built.rename(self.built)
            self.built.chmod(0o555)
        except OSError:
            if self._cache.find(self.hash) is None:
                raise

    @property
    def built(self) -> Path:
        """The folder of the built package."""
        return self._cache.path(self.hash)


def _problem(folder: Path) -> str | None:
    """Return why another user than root could change a folder; None if none could."""
    found = folder.lstat()
    if stat.S_ISLNK(found.st_mode):
        return "is a link"
    if found.st_uid not in (0, os.geteuid()):
        return "belongs to another user"
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if others and not found.st_mode & stat.S_ISVTX:
        return "can be written to by other users"
    return None


def _set_writable(folder: Path, *, on: bool) -> None:
    """Let the owner write to a folder and all in it, or no user."""
    for parent, _, files in os.walk(folder, topdown=on):
        for path in (*(Path(parent) / name for name in files), Path(parent)):
            if not path.is_symlink():
                mode = stat.S_IMODE(path.stat().st_mode)
                path.chmod(mode | stat.S_IWUSR if on else mode & ~_WRITABLE)


def _remove(folder: Path) -> None:
    _set_writable(folder, on=True)
    shutil.rmtree(folder, ignore_errors=True)
