"""A tournament in either database: played, killed, resumed, verified; one program at a time."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.tournaments.conftest import postgres, url
from tests.tournaments.leagues import FRESH
from tests.tournaments.runner.torture import command, kill
from tests.tournaments.store.test_tournament_store import SCHEMA_1, SET, add, by_match, finished
from tests.tournaments.tournament_files import SMALL, TWO
from tests.waiting import PATIENCE, wait_until
from tournaments.model import Benched, Death, DeathKind, FaultNote, PlayedMatch, VoidAttempt
from tournaments.runner.tournament_folder import ADDRESS, BusyError, begun, opened
from tournaments.store import TOURNAMENT, Store, StoreError
from tournaments.store.migrations import old_tournament

__all__ = ["postgres", "url"]

GAME = SET.game
FIRST, SECOND = (match.id for match in SET.matches)


def forfeited(number: int, fault: str, seconds: float) -> PlayedMatch:
    """Return a match that bob forfeited, in whichever seat."""
    match = SET.matches[number]
    seat = match.entrants.index("bob")
    played = finished(number)
    note = FaultNote(match.id, "bob", fault, "bot", "a detail", datetime.now(UTC))
    result = type(played.result)(
        match.id, SET.id, GAME, "plain", match.entrants, (1, 2), (0, 0), (seat,), (0.0, 0.0), 3
    )
    return PlayedMatch(result, 1, seconds, b"record", "stopped", (note,))


def test_everything_is_read_again_from_either_database(url: str, tmp_path: Path) -> None:
    death = Death(DeathKind.PROCESS, ("bob",), {"bob": 0.5}, "it ended")
    with closing(Store.of_tournament(tmp_path, url=url)) as store:
        add(store, SET)
        store.put(name="Cup")
        store.begin({FIRST: 1, SECOND: 1})
        benched = [Benched("bob", GAME, FIRST, "why"), Benched("bob", "", FIRST, "all")]
        store.commit(
            None, [finished(0)], [VoidAttempt(SECOND, 1, "machine", "x")], benched, [death]
        )
        with pytest.raises(StoreError, match="has that already"):
            store.commit(None, [finished(1), finished(0)])
        store.keep_tokens(TOURNAMENT, {"ann": "a token"})
        store.keep_tokens(TOURNAMENT, {"ann": "a token"})
    with closing(Store.of_tournament(tmp_path, writable=False, url=url)) as store:
        assert by_match(store) == {FIRST: finished(0).result}
        assert store.record(FIRST, released=False) == b"record"
        assert store.released_records([FIRST]) == {}, "its set is not complete"
        assert store.attempts() == {FIRST: 1, SECOND: 1}
        assert store.voids() == [VoidAttempt(SECOND, 1, "machine", "x")]
        assert set(store.benched()) == {("bob", GAME), ("bob", "")}
        assert store.deaths() == [death]
        assert store.setting("name") == "Cup"
        assert [each for each, _ in store.sets().values()] == [SET]
        assert store.seconds() == pytest.approx(0.5)
        assert store.identify("a token").entrant == "ann"


def test_forfeits_in_a_row_are_counted_after_a_resume(url: str, tmp_path: Path) -> None:
    """Two matches in play when the connection was cut are one incident; two crashes are two."""
    with closing(Store.of_tournament(tmp_path, url=url)) as store:
        add(store, SET)
        store.commit(None, [forfeited(0, "disconnect", 60.0), forfeited(1, "disconnect", 60.0)])
    with closing(Store.of_tournament(tmp_path, url=url)) as store:
        assert store.forfeits_in_a_row(TOURNAMENT, "bob") == 1
        assert store.forfeits_in_a_row(TOURNAMENT, "ann") == 0
        assert store.forfeit_streaks(TOURNAMENT) == {("bob", GAME): 1, ("ann", GAME): 0}


def test_crashes_in_a_row_are_counted_one_by_one(url: str, tmp_path: Path) -> None:
    with closing(Store.of_tournament(tmp_path, url=url)) as store:
        add(store, SET)
        store.commit(None, [forfeited(0, "crash", 60.0), forfeited(1, "crash", 60.0)])
        assert store.forfeits_in_a_row(TOURNAMENT, "bob") == 2
        assert store.forfeit_streaks(TOURNAMENT)["bob", GAME] == 2


def test_a_tournament_and_leagues_do_not_share_a_database(url: str, tmp_path: Path) -> None:
    with Store.open(url) as store:
        store.first_organiser()
    with (
        closing(Store.of_tournament(tmp_path, url=url)) as cup,
        pytest.raises(StoreError, match="own"),
    ):
        cup.create_league("autumn", FRESH)


def test_a_tournament_does_not_begin_where_leagues_are(url: str, tmp_path: Path) -> None:
    with Store.open(url) as store:
        store.create_league("autumn", FRESH)
    with pytest.raises(StoreError, match="holds leagues"):
        Store.of_tournament(tmp_path, url=url)


def test_one_program_at_a_time_plays_a_tournament(url: str, tmp_path: Path) -> None:
    """Also from another folder, with another lock."""
    file = tmp_path / "cup.toml"
    file.write_text(f'name = "x"\n{TWO}')
    with begun(tmp_path / "one", file, url):
        if url.startswith("postgresql"):
            with (
                pytest.raises(BusyError, match="another program"),
                begun(tmp_path / "two", file, url),
            ):
                pass
        with pytest.raises(BusyError), begun(tmp_path / "one", file, url):
            pass
    with begun(tmp_path / "two", file, url) as folder:
        assert folder.progress().matches > 0
    assert (tmp_path / "two" / ADDRESS).stat().st_mode & 0o077 == 0, "it may hold a password"
    with opened(tmp_path / "two") as folder:
        assert folder.progress().played == 0


@pytest.mark.slow
def test_a_tournament_in_postgresql_is_killed_resumed_and_verified(
    url: str, tmp_path: Path
) -> None:
    if not url.startswith("postgresql"):
        pytest.skip("tests/tournaments/runner/torture.py kills those in SQLite")
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    file.write_text(SMALL)
    engine = sa.create_engine(url, poolclass=sa.NullPool)

    def played() -> int:
        with engine.connect() as connection:
            if not sa.inspect(connection).has_table("competitions"):
                return 0
            query = "SELECT count(*) FROM matches WHERE state = 'played'"
            return int(connection.exec_driver_sql(query).scalar_one())

    run = command("tournament", "run", file, "--out", out, "--database", url)
    first = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: played() > 0 or first.poll() is not None)
    kill(first.pid)
    first.wait(PATIENCE)
    for subcommand in ("resume", "verify", "standings"):
        done = subprocess.run(
            command("tournament", subcommand, out),
            capture_output=True,
            text=True,
            check=False,
            timeout=5 * PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert not (out / "tournament.db").exists()
    with opened(out) as folder:
        assert folder.progress().complete
        assert len(list(folder.records.iterdir())) == folder.progress().matches


class KilledError(BaseException):
    """In place of a kill."""


def test_a_migration_that_is_killed_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tournament.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SCHEMA_1)
        row = (SET.id, 1, SET.game, SET.variant, '["ann", "bob"]', 1, "rotations")
        database.execute("insert into sets values (?, ?, ?, ?, ?, ?, ?)", row)
        database.commit()
        before = list(database.iterdump())
    for function in ("_seats", "_add_notes"):

        def die(*_: object) -> None:
            raise KilledError

        with monkeypatch.context() as patched:
            patched.setattr(old_tournament._Copy, function, die)
            with pytest.raises(KilledError):
                Store.of_tournament(tmp_path)
        with closing(sqlite3.connect(path)) as database:
            assert list(database.iterdump()) == before
    with closing(Store.of_tournament(tmp_path)) as store:
        assert [each for each, _ in store.sets().values()] == [SET]
