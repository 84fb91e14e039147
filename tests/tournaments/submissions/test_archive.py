"""Packages: the same folder gives the same bytes, and no archive writes outside its folder."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tournaments.submissions import PackageError, PackageLimits, pack, package_hash, unpack

Change = Callable[[tarfile.TarInfo], None]


def folder_of(where: Path) -> Path:
    """Return a small package as a folder."""
    (where / "src").mkdir(parents=True)
    (where / "bot.toml").write_text('[bot]\nname = "x"\n')
    (where / "src" / "main.py").write_text("print()\n")
    (where / "run").write_text("#!/bin/sh\n")
    (where / "run").chmod(0o750)
    (where / "latest").symlink_to("src/main.py")
    return where


def content(path: Path) -> str:
    if path.is_symlink():
        return str(path.readlink())
    return "" if path.is_dir() else path.read_text()


def tree(folder: Path) -> dict[str, tuple[str, str]]:
    """Return every path in a folder with its mode and content."""
    return {
        str(path.relative_to(folder)): (
            stat.filemode(path.lstat().st_mode),
            content(path),
        )
        for path in folder.rglob("*")
    }


def archive(*entries: tuple[str, bytes | None, Change | None]) -> bytes:
    """Return a .tar.gz with a manifest and entries: name, content (None for none), a change."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as file:
        for name, content, change in [("bot.toml", b"", None), *entries]:
            entry = tarfile.TarInfo(name)
            entry.size = len(content or b"")
            if change is not None:
                change(entry)
            file.addfile(entry, io.BytesIO(content) if content is not None else None)
    return target.getvalue()


def kind(of: bytes, to: str = "", mode: int = 0o644) -> Change:
    def change(entry: tarfile.TarInfo) -> None:
        entry.type, entry.linkname, entry.mode = of, to, mode

    return change


def test_a_package_has_the_files_of_its_folder(tmp_path: Path) -> None:
    packed = pack(folder_of(tmp_path / "a"))
    unpack(packed, tmp_path / "b")
    assert tree(tmp_path / "b") == {
        "bot.toml": ("-rw-r--r--", '[bot]\nname = "x"\n'),
        "src": ("drwxr-xr-x", ""),
        "src/main.py": ("-rw-r--r--", "print()\n"),
        "run": ("-rwxr-xr-x", "#!/bin/sh\n"),
        "latest": ("lrwxrwxrwx", "src/main.py"),
    }


def test_a_copy_of_the_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    """Times, owners, permissions of groups and caches do not count."""
    one, other = folder_of(tmp_path / "a"), folder_of(tmp_path / "b")
    os.utime(other / "bot.toml", (1, 1))
    (other / "src" / "main.py").chmod(0o666)
    (other / "src" / "__pycache__").mkdir()
    (other / "src" / "__pycache__" / "main.pyc").write_text("x")
    (other / ".git").mkdir()
    assert pack(one) == pack(other)
    assert package_hash(pack(one)) == package_hash(pack(other))
    (other / "src" / "main.py").write_text("print(1)\n")
    assert pack(one) != pack(other)


def test_what_was_unpacked_can_be_packed_to_the_same_bytes(tmp_path: Path) -> None:
    packed = pack(folder_of(tmp_path / "a"))
    unpack(packed, tmp_path / "b")
    assert pack(tmp_path / "b") == packed


def test_tar_on_the_command_line_makes_a_package_too(tmp_path: Path) -> None:
    """``tar -C folder -cz .`` names its entries ./bot.toml and so on."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as file:
        file.add(folder_of(tmp_path / "a"), ".")
    unpack(target.getvalue(), tmp_path / "b")
    assert tree(tmp_path / "a").keys() == tree(tmp_path / "b").keys()


REFUSED = {
    "absolute path": (("/etc/x", b"", None), "is absolute"),
    "parent": (("a/../../x", b"", None), '".." in it'),
    "parent inside": (("a/../x", b"", None), '".." in it'),
    "backslash": (("a\\x", b"", None), "cannot be printed"),
    "line feed": (("a\nx", b"", None), "cannot be printed"),
    "long path": (("a/" * 100 + "x", b"", None), "more than 200 bytes"),
    "link to the root": (("x", None, kind(tarfile.SYMTYPE, "/etc")), "leaves the package"),
    "link to a parent": (("x", None, kind(tarfile.SYMTYPE, "..")), "leaves the package"),
    "link far up": (("a/b", None, kind(tarfile.SYMTYPE, "../../x")), "leaves the package"),
    "link up later": (("x", None, kind(tarfile.SYMTYPE, "a/../b")), "leaves the package"),
    "link to nothing": (("x", None, kind(tarfile.SYMTYPE, "")), "leaves the package"),
    "hard link": (("x", None, kind(tarfile.LNKTYPE, "bot.toml")), "is a hard link"),
    "device": (("x", None, kind(tarfile.CHRTYPE)), "is a device or a pipe"),
    "block device": (("x", None, kind(tarfile.BLKTYPE)), "is a device or a pipe"),
    "named pipe": (("x", None, kind(tarfile.FIFOTYPE)), "is a device or a pipe"),
    "setuid": (("x", b"", kind(tarfile.REGTYPE, mode=0o4755)), "setuid"),
    "setgid": (("x", b"", kind(tarfile.REGTYPE, mode=0o2755)), "setuid"),
    "setgid folder": (("x", None, kind(tarfile.DIRTYPE, mode=0o2755)), "setuid"),
    "second file": (("bot.toml", b"x", None), 'two entries are called "bot.toml"'),
    "same path, written otherwise": (("./bot.toml", b"x", None), "two entries"),
    "folder in place of a file": (("bot.toml", None, kind(tarfile.DIRTYPE)), "two entries"),
    "inside a file": (("bot.toml/x", b"", None), 'inside "bot.toml", which is no folder'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_archive_is_refused_with_the_reason_and_leaves_nothing(
    name: str, tmp_path: Path
) -> None:
    entry, reason = REFUSED[name]
    with pytest.raises(PackageError, match=reason):
        unpack(archive(entry), tmp_path / "target")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    through = archive(
        ("inside", None, kind(tarfile.SYMTYPE, "elsewhere")), ("inside/file", b"x", None)
    )
    with pytest.raises(PackageError, match='inside "inside", which is no folder'):
        unpack(through, tmp_path / "target")


def test_two_links_together_do_not_leave_the_package(tmp_path: Path) -> None:
    """By its name d/up/../x is d/x; followed, it is outside."""
    links = archive(
        ("d", None, kind(tarfile.DIRTYPE, mode=0o755)),
        ("d/up", None, kind(tarfile.SYMTYPE, "..")),
        ("x", None, kind(tarfile.SYMTYPE, "d/up/../x")),
    )
    with pytest.raises(PackageError, match="leaves the package"):
        unpack(links, tmp_path / "target")


def test_a_bomb_ends_at_the_limit(tmp_path: Path) -> None:
    """64 MiB of zeros are 64 KiB packed."""
    bomb = archive(("zeros", bytes(64 * 2**20), None))
    assert len(bomb) < 2**17
    with pytest.raises(PackageError, match="more than 1 MiB unpacked"):
        unpack(bomb, tmp_path / "target", PackageLimits(unpacked=2**20))


def test_a_bomb_in_a_header_ends_at_the_limit(tmp_path: Path) -> None:
    """The reader keeps headers in memory before anything of the entry is seen."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz", format=tarfile.PAX_FORMAT) as file:
        entry = tarfile.TarInfo("x")
        entry.pax_headers = {"comment": "y" * (32 * 2**20)}
        file.addfile(entry)
    with pytest.raises(PackageError, match="unpacked"):
        unpack(target.getvalue(), tmp_path / "target", PackageLimits(unpacked=2**20))


def test_sizes_and_numbers_have_limits(tmp_path: Path) -> None:
    many = archive(*((f"{number}", b"", None) for number in range(10)))
    with pytest.raises(PackageError, match="more than 10 entries"):
        unpack(many, tmp_path / "target", PackageLimits(entries=10))
    unpack(many, tmp_path / "target", PackageLimits(entries=11))
    with pytest.raises(PackageError, match="the package has more than"):
        unpack(many, tmp_path / "other", PackageLimits(packed=len(many) - 1))


def test_folders_that_only_a_path_names_count(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="more than 5 entries"):
        unpack(archive(("a/b/c/d/e", b"", None)), tmp_path / "x", PackageLimits(entries=5))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no archive",
        gzip.compress(b"no archive" * 100),
        archive()[:-20],
        archive(("x", os.urandom(5000), None))[:3000],
    ],
    ids=["nothing", "text", "compressed text", "cut at the end", "cut in the middle"],
)
def test_what_is_no_archive_is_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(PackageError):
        unpack(data, tmp_path / "target")
    assert list(tmp_path.iterdir()) == []


def test_a_package_needs_a_manifest(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"has no bot\.toml"):
        pack(tmp_path)
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as file:
        file.addfile(tarfile.TarInfo("bot/bot.toml"))
    with pytest.raises(PackageError, match=r"no file bot\.toml at its top"):
        unpack(target.getvalue(), tmp_path / "target")


def test_what_would_be_refused_is_not_packed(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "a")
    (folder / "passwd").symlink_to("/etc/passwd")
    with pytest.raises(PackageError, match="leaves the package"):
        pack(folder)
    (folder / "passwd").unlink()
    with pytest.raises(PackageError, match="the package has more than"):
        pack(folder, PackageLimits(packed=100))
    os.mkfifo(folder / "pipe")
    with pytest.raises(PackageError, match="a device or a pipe"):
        pack(folder)
