"""Built packages on disk, by their hash: a package is built once and then only read."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from referee.sandbox import Usage
from tournaments.model import Manifest
from tournaments.submissions.archive import MANIFEST, package_hash, unpack
from tournaments.submissions.build import build
from tournaments.submissions.manifest import read_manifest
from tournaments.submissions.runtimes import find_runtime

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_UNFINISHED: Final = "unfinished-"
"""How folders of builds begin that are not in the cache yet."""


class PackageCache:
    """A folder of built packages that only this user can enter."""

    def __init__(self, folder: Path) -> None:
        """Make the folder, and remove what a program that was killed has left."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        self.folder = folder
        for left in folder.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(left, ignore_errors=True)

    def find(self, package: str) -> Path | None:
        """Return the folder of a built package, if it is here."""
        path = self.folder / package
        return path if _HASH.fullmatch(package) and (path / MANIFEST).is_file() else None

    @contextlib.asynccontextmanager
    async def unpacked(self, packed: bytes) -> AsyncIterator[UnpackedPackage]:
        """Unpack a package for as long as the context lasts; raises PackageError."""
        folder = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.folder))
        try:
            await asyncio.to_thread(unpack, packed, folder / "package")
            manifest = read_manifest(folder / "package")
            yield UnpackedPackage(self, package_hash(packed), manifest, folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def remove(self, package: str) -> None:
        """Remove a built package; it is built again when it is needed."""
        if (path := self.find(package)) is not None:
            shutil.rmtree(path, ignore_errors=True)


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
        runtime = find_runtime(self.manifest.runtime)
        source, target = self._folder / "package", self._folder / "built"
        usage = await build(source, self.manifest.build, runtime, target, log)
        with contextlib.suppress(OSError):  # another program was faster
            target.rename(self._cache.folder / self.hash)
        return usage

    @property
    def built(self) -> Path:
        """The folder of the built package."""
        found = self._cache.find(self.hash)
        assert found is not None  # noqa: S101  build() comes first
        return found
