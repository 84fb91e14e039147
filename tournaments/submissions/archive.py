"""A package as a file: a folder as a deterministic ``.tar.gz``, and back, with every check."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import stat
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import IO, Final

from engine import UsageError

MANIFEST: Final = "bot.toml"
LEFT_OUT: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
)
"""Names of files and folders that ``pack`` leaves out."""
_PIECE: Final = 64 * 1024
_LONGEST_NAME: Final = 255
"""Bytes of one part of a path: what file systems allow."""


class PackageError(UsageError):
    """A package that is refused, with the reason."""


@dataclass(frozen=True, slots=True)
class PackageLimits:
    """What a package may have at most."""

    packed: int = 32 * 2**20
    """Bytes of the ``.tar.gz``."""
    unpacked: int = 256 * 2**20
    """Bytes after decompression, headers included."""
    entries: int = 5000
    """Files, folders and links."""
    path: int = 200
    """Bytes of a path."""


DEFAULT_LIMITS: Final = PackageLimits()


def package_hash(packed: bytes) -> str:
    """Return the identity of a package: SHA-256 of its file."""
    return hashlib.sha256(packed).hexdigest()


# Packing ------------------------------------------------------------------------------------------


def pack(folder: Path, limits: PackageLimits = DEFAULT_LIMITS) -> bytes:
    """Return a folder as a package; the same files give the same bytes.

    Raises PackageError for a folder that ``unpack`` would refuse.
    """
    if not (folder / MANIFEST).is_file():
        raise PackageError(f"{folder} has no {MANIFEST}: a package needs one.")
    target, check = io.BytesIO(), _Check(limits)
    with (
        gzip.GzipFile(fileobj=target, mode="wb", mtime=0, filename="") as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in _files(folder):
            entry = archive.gettarinfo(path, path.relative_to(folder).as_posix())
            if entry.islnk():  # a second name of a file: pack its content once more
                entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", path.stat().st_size
            _normalise(entry)
            check.entry(entry)
            if entry.isreg():
                with path.open("rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)
    if target.tell() > limits.packed:
        raise PackageError(f"the package has more than {_megabytes(limits.packed)}.")
    return target.getvalue()


def _files(folder: Path) -> Iterator[Path]:
    """Yield everything in a folder, parents first, in the order of the names."""
    for path in sorted(folder.iterdir()):
        if path.name in LEFT_OUT:
            continue
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)


def _normalise(entry: tarfile.TarInfo) -> None:
    """Remove what differs between two copies of the same folder."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.pax_headers = {}
    special = entry.mode & (stat.S_ISUID | stat.S_ISGID) if entry.isreg() else 0
    entry.mode = special | (0o755 if entry.isdir() or entry.mode & stat.S_IXUSR else 0o644)


# Unpacking ----------------------------------------------------------------------------------------


def unpack(packed: bytes, folder: Path, limits: PackageLimits = DEFAULT_LIMITS) -> None:
    """Write the files of a package into a new folder, with all checks while it is read.

    Raises PackageError, and removes the folder, for a package that is refused. Of the modes only
    the execute permission is kept; owners and times are not.
    """
    if len(packed) > limits.packed:
        raise PackageError(f"the package has more than {_megabytes(limits.packed)}.")
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as decompressed:
        unpack_tar(decompressed, folder, limits)


def unpack_tar(file: IO[bytes] | gzip.GzipFile, folder: Path, limits: PackageLimits) -> None:
    """Write the files of an archive that is not compressed into a new folder, as ``unpack``."""
    _make_folder(folder, new=True)
    try:
        _unpack(_Bounded(file, limits.unpacked), folder, _Check(limits))
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        shutil.rmtree(folder)
        raise PackageError(f"the package is no .tar.gz that can be read: {error}.") from None
    except BaseException:
        shutil.rmtree(folder)
        raise


def _unpack(file: _Bounded, folder: Path, check: _Check) -> None:
    with tarfile.open(fileobj=file, mode="r|", errors="strict") as archive:  # type: ignore[call-overload]
        for entry in archive:
            if entry.name in {".", "./"} and entry.isdir():
                continue  # as "tar -C folder -cz ." begins
            target = folder / check.entry(entry)
            for missing in reversed([each for each in target.parents if not each.exists()]):
                _make_folder(missing)
            if entry.isdir():
                _make_folder(target)
            elif entry.issym():
                target.symlink_to(entry.linkname)
            else:
                content = archive.extractfile(entry)
                if content is None:  # pragma: no cover  every regular file has a content
                    raise PackageError(f'"{_shown(entry.name)}" has no content.')
                _write(content, target, 0o755 if entry.mode & stat.S_IXUSR else 0o644)
    if not (folder / MANIFEST).is_file() or (folder / MANIFEST).is_symlink():
        raise PackageError(f"the package has no file {MANIFEST} at its top.")


def _make_folder(path: Path, *, new: bool = False) -> None:
    """Make a folder that every user may read, whatever the umask is."""
    path.mkdir(exist_ok=not new)
    path.chmod(0o755)


def _write(content: IO[bytes], target: Path, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(target, flags), "wb") as file:
        os.fchmod(file.fileno(), mode)
        shutil.copyfileobj(content, file, _PIECE)


class _Bounded:
    """A file of which only a number of bytes may be read; all that the reader of archives needs."""

    def __init__(self, file: IO[bytes] | gzip.GzipFile, limit: int) -> None:
        self._file, self._limit, self._read = file, limit, 0

    def read(self, size: int) -> bytes:
        """Read the next bytes; raises PackageError beyond the limit."""
        data = self._file.read(size)
        self._read += len(data)
        if self._read > self._limit:
            raise PackageError(f"the package has more than {_megabytes(self._limit)} unpacked.")
        return data


class _Check:
    """Refuses entries of a package, one after the other."""

    def __init__(self, limits: PackageLimits) -> None:
        self.limits = limits
        self._folders: dict[PurePosixPath, bool] = {}
        """The entries so far, with the folders that only paths name: whether each is a folder."""

    def entry(self, entry: tarfile.TarInfo) -> PurePosixPath:
        """Return the path of an entry inside the package; raises PackageError if it is refused."""
        path = self._path(entry.name)
        name = f'"{_shown(entry.name)}"'
        if not (entry.isreg() or entry.isdir() or entry.issym()) or entry.issparse():
            raise PackageError(f"{name} is {_kind(entry)}: only files, folders and links may be.")
        if not entry.issym() and entry.mode & (stat.S_ISUID | stat.S_ISGID):
            raise PackageError(f"{name} has the setuid or setgid bit.")
        if entry.issym():
            self._link(path, entry.linkname)
        self._add(path, is_folder=entry.isdir())
        return path

    def _path(self, name: str) -> PurePosixPath:
        shown = f'"{_shown(name)}"'
        if not name.isprintable() or "\\" in name:
            raise PackageError(f"the path {shown} has characters that cannot be printed, or a \\.")
        path = PurePosixPath(name)
        if path.is_absolute():
            raise PackageError(f"the path {shown} is absolute.")
        if ".." in path.parts:
            raise PackageError(f'the path {shown} has ".." in it.')
        if not path.parts:
            raise PackageError("a path is empty.")
        if len(str(path).encode()) > self.limits.path:
            raise PackageError(f"the path {shown} has more than {self.limits.path} bytes.")
        if any(len(part.encode()) > _LONGEST_NAME for part in path.parts):
            raise PackageError(f"a name in the path {shown} has more than {_LONGEST_NAME} bytes.")
        return path

    def _link(self, path: PurePosixPath, to: str) -> None:
        """Refuse a link that leaves the package.

        ".." may only begin a target: behind the name of another link it would lead out of what that
        link leads to, which no comparison of names can follow.
        """
        target = PurePosixPath(to)
        up = list(takewhile("..".__eq__, target.parts))
        outside = target.is_absolute() or not target.parts or len(up) > len(path.parts) - 1
        if outside or ".." in target.parts[len(up) :] or not to.isprintable():
            raise PackageError(f'the link "{path}" leaves the package: it leads to "{_shown(to)}".')

    def _add(self, path: PurePosixPath, *, is_folder: bool) -> None:
        for parent in reversed(path.parents[:-1]):
            if not self._folders.setdefault(parent, True):
                raise PackageError(f'"{path}" is inside "{parent}", which is no folder.')
        if path in self._folders and not (is_folder and self._folders[path]):
            raise PackageError(f'two entries are called "{path}".')
        self._folders[path] = is_folder
        if len(self._folders) > self.limits.entries:
            raise PackageError(f"the package has more than {self.limits.entries:,} entries.")


def _kind(entry: tarfile.TarInfo) -> str:
    if entry.islnk():
        return "a hard link"
    if entry.issparse():
        return "a sparse file"
    return "a device or a pipe"


def _shown(name: str) -> str:
    """Return a name for a message: short, and printable."""
    return ascii(name[:80])[1:-1] + ("…" if len(name) > 80 else "")


def _megabytes(size: int) -> str:
    return f"{size / 2**20:g} MiB"
