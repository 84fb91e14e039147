"""Built packages on disk, by their hashes.

A folder in the cache is written completely or not at all, and is read-only from then on. What
another user could have changed is not used. With limits, what was used longest ago is removed
first, and built again when it is needed.
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
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.sandbox import Usage
from tournaments.model import Manifest, RuntimesSettings
from tournaments.submissions.archive import DEFAULT_LIMITS, PackageError, package_hash, unpack
from tournaments.submissions.build import BUILD_LIMITS, BUILD_SECONDS, BUILT, build
from tournaments.submissions.package import read_manifest
from tournaments.submissions.runtimes import AS_INSTALLED, find_runtime

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_UNFINISHED: Final = "unfinished-"
"""How folders of builds begin that are not in the cache yet."""
_LEFT_BEHIND: Final = 4 * BUILD_SECONDS
"""Seconds after which such a folder belongs to a program that was killed."""
_WRITABLE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


GIBIBYTE: Final = 2**30


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """How much a cache may take of the disk."""

    size: int
    """Bytes of all built packages before one more is built."""
    free: int = DEFAULT_LIMITS.unpacked + 2 * BUILT.unpacked
    """Bytes that must be free on the disk before one more is built, which needs them at most."""


class PackageCache:
    """A folder of built packages that only this user can change."""

    def __init__(
        self,
        folder: Path,
        runtimes: RuntimesSettings = AS_INSTALLED,
        limits: CacheLimits | None = None,
    ) -> None:
        """Make the folder, and remove what killed programs have left; raises PackageError.

        With limits, no other program may use the folder.
        """
        self.runtimes = runtimes
        self._limits = limits
        self._users: list[Callable[[], Iterable[str]]] = []
        self._unpacked: Counter[str] = Counter()
        self._sizes: dict[str, int] = {}
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

        One that another user could have changed is an error. It counts as used now.
        """
        path = self.path(package)
        if not path.exists():
            return None
        self._check_owner(path)
        _touch(path)
        return path

    def add_user(self, in_use: Callable[[], Iterable[str]]) -> None:
        """Keep the packages that a function returns whenever it is called on the event loop."""
        self._users.append(in_use)

    @contextlib.asynccontextmanager
    async def unpacked(self, packed: bytes) -> AsyncIterator[UnpackedPackage]:
        """Unpack a package for as long as the context lasts; raises PackageError.

        Other packages are removed first if they exceed the limits. If that is not enough, because
        the others are in use or the disk is full, PackageError is raised.
        """
        package = package_hash(packed)
        self._unpacked[package] += 1
        folder: Path | None = None
        try:
            in_use = {*self._unpacked, *(each for user in self._users for each in user())}
            await asyncio.to_thread(self._make_room, package, in_use)
            folder = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self._folder))
            await asyncio.to_thread(unpack, packed, folder / "package")
            manifest = read_manifest(folder / "package")
            yield UnpackedPackage(self, package, manifest, folder)
        finally:
            self._unpacked -= Counter([package])
            if folder is not None:
                await asyncio.to_thread(_remove, folder)

    def _make_room(self, package: str, in_use: set[str]) -> None:
        """Remove packages that are not in use until one more can be built, the oldest first."""
        limits = self._limits
        if limits is None or self.path(package).exists():
            return
        kept = {path.name: path for path in self._folder.iterdir() if _HASH.fullmatch(path.name)}
        for each in in_use & kept.keys():
            _touch(kept.pop(each))
        removable = sorted(kept.values(), key=lambda path: path.stat().st_mtime)
        size = sum(map(self._size, [*in_use, *kept]))
        while size >= limits.size or self._free() < limits.free:
            if not removable:
                raise PackageError(self._full(size, limits))
            oldest = removable.pop(0)
            size -= self._size(oldest.name)
            self._forget(oldest)

    def _full(self, size: int, limits: CacheLimits) -> str:
        if size >= limits.size:
            return (
                f"the built packages of bots that play here take {_gibibytes(size)}, and this "
                f"server keeps {_gibibytes(limits.size)}: ask the organiser, and submit it again "
                "later."
            )
        return (
            f"the disk of this server has {_gibibytes(self._free())} free, and a build needs "
            f"{_gibibytes(limits.free)}: ask the organiser, and submit it again later."
        )

    def _free(self) -> int:
        return shutil.disk_usage(self._folder).free

    def _size(self, package: str) -> int:
        """Return the bytes that a built package takes on the disk, 0 if it is not here."""
        if package not in self._sizes and self.path(package).exists():
            self._sizes[package] = _size_of(self.path(package))
        return self._sizes.get(package, 0)

    def _forget(self, path: Path) -> None:
        """Remove a built package; what looks for it meanwhile finds all of it or nothing."""
        removed = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self._folder))
        path.rename(removed)  # within the same folder, so that it need not be writable
        self._sizes.pop(path.name, None)
        _remove(removed)

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

    @property
    def build_memory(self) -> int:
        """How many bytes of memory the build may use; 0 if no command has to run."""
        runs = self.manifest.build and not self.built.exists()
        return BUILD_LIMITS.memory_bytes if runs else 0

    async def build(self, log: Path, *, keep: bool = True) -> Usage | None:
        """Build the package into the cache, and return what that used; raises PackageError.

        The output of the build is appended to the log. A package that is in the cache is not built
        again. Without ``keep`` it is not in the cache before ``keep`` is called.
        """
        if self._cache.find(self.hash) is not None:
            return None
        name, runtimes = self.manifest.runtime, self._cache.runtimes
        runtime = await asyncio.to_thread(find_runtime, name, runtimes)
        source, target = self._folder / "package", self._folder / "built"
        usage = await build(source, self.manifest.build, runtime, target, log)
        await asyncio.to_thread(_set_writable, target, on=False)
        if keep:
            await asyncio.to_thread(self.keep)
        return usage

    def keep(self) -> None:
        """Move a built package into the cache, unless it is there."""
        built, kept = self._folder / "built", self._cache.path(self.hash)
        if not built.exists():
            return
        built.chmod(0o700)  # so that it can be moved
        try:
            built.rename(kept)
            kept.chmod(0o555)
            _touch(kept)
        except OSError:
            if self._cache.find(self.hash) is None:
                raise

    @property
    def built(self) -> Path:
        """The folder of the built package."""
        unkept = self._folder / "built"
        return unkept if unkept.exists() else self._cache.path(self.hash)


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


def _touch(folder: Path) -> None:
    """Note that a folder is used now."""
    with contextlib.suppress(OSError):
        os.utime(folder)


def _size_of(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk."""
    found = (Path(parent) / name for parent, _, files in os.walk(folder) for name in [*files, "."])
    return sum(path.lstat().st_blocks * 512 for path in found)


def _gibibytes(size: int) -> str:
    return f"{size / GIBIBYTE:.2f} GiB"


def _remove(folder: Path) -> None:
    _set_writable(folder, on=True)
    shutil.rmtree(folder, ignore_errors=True)
