"""Packages as they arrive: parts of an upload on disk, and the check before one is stored."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engine import UsageError
from tournaments.model import Submission
from tournaments.store import Store
from tournaments.submissions.archive import DEFAULT_LIMITS, PackageError, package_hash
from tournaments.submissions.package import manifest_of

OLDEST_PART: Final = 24 * 3600.0
"""Seconds after which an upload that was not finished is removed."""
MOST_PARTS: Final = 64
"""How many uploads may be unfinished on a server."""
MOST_OWN_PARTS: Final = 4
"""How many of them may be of one author."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def receive_package(store: Store, league: str, author: str, packed: bytes) -> Submission:
    """Check the archive and the manifest of a package, and store it; raises UsageError."""
    store.check_upload(league, author, len(packed))
    return store.submit(league, author, manifest_of(packed), packed)


class Uploads:
    """Uploads that are not finished, as files; what arrived stays if a connection is cut."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder

    def offset(self, league: str, author: str, package: str) -> int:
        """Return how many bytes of a package have arrived."""
        try:
            return self._path(league, author, package).stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, league: str, author: str, package: str, offset: int, data: bytes) -> int:
        """Add the next bytes of a package, and return how many have arrived.

        Raises PackageError if they do not follow on what has arrived, or are too many.
        """
        path = self._path(league, author, package)
        if not path.exists():
            self._make_room(path)
        with path.open("ab") as file:
            arrived = file.tell()
            if offset != arrived:
                raise PackageError(
                    f"{arrived} bytes of the package have arrived, so it does not go on at "
                    f"{offset}: ask how many have arrived, and go on there."
                )
            if arrived + len(data) > DEFAULT_LIMITS.packed:
                file.close()
                path.unlink()
                raise PackageError(
                    f"the package has more than {DEFAULT_LIMITS.packed / 2**20:g} MiB."
                )
            file.write(data)
            return arrived + len(data)

    def finish(self, league: str, author: str, package: str) -> bytes:
        """Return a package that has arrived completely, and forget its upload.

        Raises PackageError if its hash is another one; then it has to be uploaded again.
        """
        path = self._path(league, author, package)
        try:
            content = path.read_bytes()
            path.unlink()
        except FileNotFoundError:  # also if another upload of the same package finishes now
            raise PackageError("nothing of the package has arrived.") from None
        if package_hash(content) != package:
            raise PackageError(
                "the package that arrived has another SHA-256 than was said: upload it again."
            )
        return content

    def _path(self, league: str, author: str, package: str) -> Path:
        if not _HASH.fullmatch(package):
            raise UsageError("the hash of a package has 64 hexadecimal digits, in small letters.")
        return self._folder / f"{_owner(league, author)}-{package}"

    def _make_room(self, path: Path) -> None:
        """Remove old uploads; raises PackageError if there are too many others."""
        now, prefix = time.time(), path.name[: -len("-") - 64]
        parts = dict(self._parts())
        for part, changed in list(parts.items()):
            if now - changed > OLDEST_PART:
                part.unlink(missing_ok=True)
                del parts[part]
        own = sum(part.name.startswith(prefix) for part in parts)
        if own >= MOST_OWN_PARTS or len(parts) >= MOST_PARTS:
            raise PackageError(
                "too many uploads are unfinished: finish one of them, or try again later."
            )

    def _parts(self) -> Iterator[tuple[Path, float]]:
        with os.scandir(self._folder) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):  # another upload finishes now
                    yield Path(entry.path), entry.stat().st_mtime


def _owner(league: str, author: str) -> str:
    """Return a name for the files of an author."""
    return hashlib.sha256(f"{league}/{author}".encode()).hexdigest()[:32]
