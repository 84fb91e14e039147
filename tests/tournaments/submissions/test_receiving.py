"""Uploads that arrive in parts, and packages that are refused before they are stored."""

from __future__ import annotations

import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine import UsageError
from tournaments.submissions import PackageError, Uploads
from tournaments.submissions.archive import DEFAULT_LIMITS

CONTENT = b"0123456789"
HASH = hashlib.sha256(CONTENT).hexdigest()


def other(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def test_an_upload_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    assert uploads.offset("spring", "ann", HASH) == 0
    assert uploads.append("spring", "ann", HASH, 0, CONTENT[:4]) == 4
    again = Uploads(tmp_path)  # the server was started again
    assert again.offset("spring", "ann", HASH) == 4
    assert again.append("spring", "ann", HASH, 4, CONTENT[4:]) == 10
    assert again.finish("spring", "ann", HASH) == CONTENT
    assert again.offset("spring", "ann", HASH) == 0
    assert list(tmp_path.iterdir()) == []


def test_bytes_that_do_not_follow_are_refused_and_what_arrived_stays(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    uploads.append("spring", "ann", HASH, 0, CONTENT[:4])
    for offset in (0, 3, 5):
        with pytest.raises(PackageError, match="4 bytes of the package have arrived"):
            uploads.append("spring", "ann", HASH, offset, CONTENT)
    assert uploads.offset("spring", "ann", HASH) == 4


def test_authors_and_leagues_do_not_share_uploads(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    uploads.append("spring", "ann", HASH, 0, CONTENT)
    assert uploads.offset("spring", "bob", HASH) == 0
    assert uploads.offset("autumn", "ann", HASH) == 0
    with pytest.raises(PackageError, match="nothing of the package"):
        uploads.finish("spring", "bob", HASH)


def test_another_content_than_the_hash_says_is_refused_and_removed(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    uploads.append("spring", "ann", HASH, 0, CONTENT[:4])
    with pytest.raises(PackageError, match="another SHA-256"):
        uploads.finish("spring", "ann", HASH)
    assert uploads.offset("spring", "ann", HASH) == 0


def test_more_than_a_package_may_have_is_refused_and_removed(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    uploads.append("spring", "ann", HASH, 0, bytes(DEFAULT_LIMITS.packed))
    with pytest.raises(PackageError, match="more than 32 MiB"):
        uploads.append("spring", "ann", HASH, DEFAULT_LIMITS.packed, b"x")
    assert list(tmp_path.iterdir()) == []


def test_unfinished_uploads_are_limited_and_old_ones_removed(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    for number in range(4):
        uploads.append("spring", "ann", other(number), 0, b"x")
    with pytest.raises(PackageError, match="too many uploads are unfinished"):
        uploads.append("spring", "ann", HASH, 0, b"x")
    uploads.append("spring", "bob", HASH, 0, b"x")
    day_before = time.time() - 25 * 3600
    for path in tmp_path.iterdir():
        os.utime(path, (day_before, day_before))
    uploads.append("spring", "ann", HASH, 0, b"x")
    assert uploads.offset("spring", "ann", other(0)) == 0


@pytest.mark.parametrize("name", ["", "../../etc/passwd", HASH.upper(), HASH[1:], HASH + "\n"])
def test_what_is_no_hash_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="64 hexadecimal digits"):
        Uploads(tmp_path).append("spring", "ann", name, 0, b"x")


def test_uploads_of_several_authors_finish_at_the_same_time(tmp_path: Path) -> None:
    """Each looks for room among the parts of the others, which vanish while it looks."""
    uploads = Uploads(tmp_path)

    def upload(author: str) -> None:
        for number in range(300):
            content = f"{author} {number}".encode()
            package = hashlib.sha256(content).hexdigest()
            uploads.append("league", author, package, 0, content)
            assert uploads.finish("league", author, package) == content

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(upload, "abcde"))
    assert list(tmp_path.iterdir()) == []
