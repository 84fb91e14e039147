"""The limits of a server's built packages, and what of a package that fails stays there."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from referee.model import Policy, TimeControl
from tournaments.model import Manifest
from tournaments.submissions import (
    CacheLimits,
    PackageCache,
    PackageError,
    PackageTrial,
    StageError,
    TrialPlan,
    pack,
    package_hash,
)

MEBIBYTE = 2**20
SIZE = 3 * MEBIBYTE
"""What each built package takes, but for the manifest and the folder."""


def package(folder: Path, name: str, run: str = '["sh"]') -> bytes:
    """Return a package of one large file, which needs no build."""
    own = folder / name
    own.mkdir()
    (own / "data").write_bytes(os.urandom(SIZE))
    (own / "bot.toml").write_text(
        f'[bot]\nname = "{name}"\ngames = ["glastonbury"]\n'
        f'[run]\ncommand = {run}\nruntime = "executable"\n'
    )
    return pack(own)


async def built(cache: PackageCache, packed: bytes, log: Path) -> str:
    """Build a package into a cache, and return its hash."""
    async with cache.unpacked(packed) as unpacked:
        await unpacked.build(log)
    return package_hash(packed)


def age(folder: Path, package: str, hours: float) -> None:
    """Let a package have been used some hours ago."""
    os.utime(folder / package, (time.time() - hours * 3600,) * 2)


def test_what_was_used_longest_ago_is_removed_first(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    cache = PackageCache(folder, limits=CacheLimits(8 * MEBIBYTE, free=0))
    playing: list[str] = []
    cache.add_user(lambda: playing)

    async def story() -> None:
        packages = [package(tmp_path, name) for name in ("a", "b", "c", "d", "e")]
        a, b, c = [await built(cache, packed, tmp_path / "log") for packed in packages[:3]]
        assert {path.name for path in folder.iterdir()} == {a, b, c}  # 9 MiB: no more fit
        for each, hours in ((a, 3), (b, 2), (c, 1)):
            age(folder, each, hours)
        playing.append(a)  # so b is the oldest that does not play
        d = await built(cache, packages[3], tmp_path / "log")
        assert {path.name for path in folder.iterdir()} == {a, c, d}
        age(folder, c, 1)
        cache.find(c)
        age(folder, d, 0.5)  # c was used after it
        e = await built(cache, packages[4], tmp_path / "log")
        assert {path.name for path in folder.iterdir()} == {a, c, e}
        assert await built(cache, packages[1], tmp_path / "log") == b  # and is there again
        assert (folder / b / "data").stat().st_size == SIZE

    asyncio.run(story())


def test_where_only_packages_that_play_are_left_no_more_are_built(tmp_path: Path) -> None:
    cache = PackageCache(tmp_path / "cache", limits=CacheLimits(2 * MEBIBYTE, free=0))
    playing: list[str] = []
    cache.add_user(lambda: playing)

    async def story() -> None:
        playing.append(await built(cache, package(tmp_path, "a"), tmp_path / "log"))
        with pytest.raises(PackageError, match=r"bots that play here take 0.00 GiB, and this"):
            await built(cache, package(tmp_path, "b"), tmp_path / "log")
        assert [path.name for path in (tmp_path / "cache").iterdir()] == playing

    asyncio.run(story())


def test_a_full_disk_is_said_so_before_the_build(tmp_path: Path) -> None:
    cache = PackageCache(tmp_path / "cache", limits=CacheLimits(8 * MEBIBYTE, free=2**62))
    with pytest.raises(PackageError, match=r"the disk of this server has .* GiB free, and a build"):
        asyncio.run(built(cache, package(tmp_path, "a"), tmp_path / "log"))
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_package_that_is_being_checked_is_not_removed(tmp_path: Path) -> None:
    cache = PackageCache(tmp_path / "cache", limits=CacheLimits(2 * MEBIBYTE, free=0))
    first = package(tmp_path, "a")

    async def story() -> None:
        await built(cache, first, tmp_path / "log")
        async with cache.unpacked(first) as unpacked:
            with pytest.raises(PackageError, match=r"take 0.00 GiB"):
                await built(cache, package(tmp_path, "b"), tmp_path / "log")
            assert unpacked.built.exists()

    asyncio.run(story())


def test_nothing_of_a_package_that_fails_its_check_stays_built(tmp_path: Path) -> None:
    """Its run command is a program that does not exist."""
    cache = PackageCache(tmp_path / "cache")
    packed = package(tmp_path, "a", '["./missing"]')

    def plan(manifest: Manifest) -> TrialPlan:
        return TrialPlan.of_games(manifest.games, TimeControl(), Policy())

    with pytest.raises(StageError):
        asyncio.run(PackageTrial(cache).run(packed, plan))
    assert list((tmp_path / "cache").iterdir()) == []
