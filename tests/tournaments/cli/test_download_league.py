"""``highstreet records download`` from a league server: one league, in few calls, configured."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.tournaments.serving import HIGHSTREET, PATIENCE, league_server, run
from tournaments.model import GameSettings, LeagueSettings, PlannedSet, Version
from tournaments.store import Store, schema

MATCHES = 450
TABLE = (Version("ann", "1"), Version("bob", "1"))


class Counted(Store):
    """A store that counts how often records are asked for."""

    single = together = 0

    def record(self, match_id: str, *, released: bool = True) -> bytes | None:
        """Count a record that is asked for by itself."""
        Counted.single += 1
        return super().record(match_id, released=released)

    def released_records(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Count some that are asked for together."""
        Counted.together += 1
        return super().released_records(ids)


def fill(store: Store, league: str, number: int) -> dict[str, bytes]:
    """Make a league with matches that were played; return their records."""
    store.create_league(league, LeagueSettings(league, (GameSettings("glastonbury", (2,)),)))
    for name, version in TABLE:
        store.enter(league, name, "")
        store.see_version(league, name, version)
    planned = [PlannedSet("glastonbury", "plain", TABLE, "they are here")] * number
    ids = [match.id for added in store.add_sets(league, planned) for match in added]
    records = {match: os.urandom(3000) for match in ids}
    table = schema.matches
    with store._database.write() as connection:
        played = sa.update(table).where(table.c.competition == league)
        connection.execute(played.values(state="played", ending="line_emptied"))
        rows = [{"match": match, "record": record} for match, record in records.items()]
        connection.execute(sa.insert(schema.records), rows)
    store.close_league(league)
    return records


async def highstreet(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of an author with a configuration file."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(home)}
    environment.pop("HIGHSTREET_SERVER", None)
    return await asyncio.to_thread(
        subprocess.run,
        [*HIGHSTREET, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env=environment,
    )


def files(folder: Path) -> dict[str, bytes]:
    """Return the records in a folder."""
    return {path.name: path.read_bytes() for path in folder.glob("*.jsonl*")}


@pytest.mark.slow
def test_records_of_one_league_are_fetched_in_few_calls(tmp_path: Path) -> None:
    """In one of 20 calls or so where there was one for each record, and nothing else is there."""
    out, config = tmp_path / "out", tmp_path / "home" / "highstreet" / "config.toml"
    config.parent.mkdir(parents=True)

    async def test() -> None:
        url = f"sqlite:///{tmp_path / 'league.db'}"
        async with league_server(url, opened=Counted) as running:
            autumn = fill(running.store, "autumn", MATCHES)
            spring = fill(running.store, "spring", 3)
            annulled = next(iter(autumn))
            running.store.annul(annulled, "it was a test")
            config.write_text(f'server = "{running.address}"\n', encoding="utf-8")
            asked = ("records", "download", "--league", "autumn", "--out", str(out))
            done = await highstreet(tmp_path / "home", *asked)
            assert done.returncode == 0, done.stderr
            assert (
                done.stdout == f"{MATCHES} records: {MATCHES} fetched, 0 there already, 0 failed\n"
            )
            assert files(out) == {f"{name}.jsonl.zst": data for name, data in autumn.items()}
            assert Counted.single == 0
            assert Counted.together <= MATCHES // 10
            about = json.loads((out / "league.json").read_text(encoding="utf-8"))
            assert about["commitment"] == hashlib.sha256(bytes.fromhex(about["secret"])).hexdigest()
            assert about["annulled"] == {annulled: "it was a test"}
            damaged = next(iter(autumn))
            (out / f"{damaged}.jsonl.zst").write_bytes(b"damaged")
            done = await highstreet(tmp_path / "home", *asked)
            assert done.stdout.startswith(f"{MATCHES} records: 1 fetched, {MATCHES - 1} there")
            assert files(out) == {f"{name}.jsonl.zst": data for name, data in autumn.items()}
            everything = ("records", "download", "--out", str(tmp_path / "all"))
            done = await highstreet(tmp_path / "home", *everything)
            assert done.returncode == 0, done.stderr
            both = {**autumn, **spring}
            assert files(tmp_path / "all") == {f"{name}.jsonl.zst": both[name] for name in both}
            done = await highstreet(tmp_path / "home", *asked[:2], "--league", "winter")
            assert done.returncode == 2
            assert 'no matches of a league "winter"' in done.stderr

    run(test)


def test_without_a_server_the_ways_to_name_one_are_named(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    environment.pop("HIGHSTREET_SERVER", None)
    done = subprocess.run(
        [sys.executable, *HIGHSTREET[1:], "records", "download", "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 2
    for way in ("--server", "HIGHSTREET_SERVER", "config.toml"):
        assert way in done.stderr
