"""The store: what is committed is there, once and completely, or not at all."""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tournaments.model import (
    Benched,
    Deals,
    Death,
    DeathKind,
    PlayedMatch,
    Result,
    VoidAttempt,
    commitment_to_secret,
    match_salt,
    match_seed,
    set_seed,
)
from tournaments.model.match import DuplicateSet, Seatings
from tournaments.store import TOURNAMENT, Store, StoreError

SET = DuplicateSet("glastonbury", "plain", ("ann", "bob"), 1)


def finished(number: int, record: bytes = b"record") -> PlayedMatch:
    match = SET.matches[number]
    result = Result(
        match.id,
        SET.id,
        SET.game,
        "plain",
        match.entrants,
        (1, 2),
        (30, -4),
        (1,),
        (0.25, 1.5),
        71,
        duplicate=True,
    )
    return PlayedMatch(result, attempt=1, seconds=0.5, record=record)


def add(store: Store, *sets: DuplicateSet, secret: bytes | None = None) -> None:
    """Enter the entrants of sets, and schedule these."""
    store.enter_all(dict.fromkeys(("ann", "bob"), ""))
    store.add_schedule(sets, secret)


def by_match(store: Store) -> dict[str, Result]:
    """Return the results of the tournament by match."""
    return {result.match: result for result in store.results(TOURNAMENT)}


def test_two_entrants_that_share_a_place_are_read_again(tmp_path: Path) -> None:
    """Also at a table of more than nine, and beside a set in which all meet."""
    order = ("new", "old", *(f"bot{n}" for n in range(9)))
    sets = [
        DuplicateSet("glastonbury", "plain", order[:4], 1, Seatings.SUBSTITUTION),
        DuplicateSet("glastonbury", "plain", order, 2, Seatings.SUBSTITUTION),
        DuplicateSet("glastonbury", "plain", order[:4], 3),
    ]
    with closing(Store.of_tournament(tmp_path)) as store:
        store.enter_all(dict.fromkeys(order, ""))
        store.add_schedule(sets, None)
        assert [each for each, _ in store.sets().values()] == sets


def test_what_was_committed_is_read_again(tmp_path: Path) -> None:
    with closing(Store.of_tournament(tmp_path)) as store:
        add(store, SET)
        store.put(name="Cup", identity={"game": "glastonbury"})
        store.commit(
            None,
            [finished(0)],
            [VoidAttempt(SET.matches[1].id, 1, "machine", "no memory")],
            [Benched("bob", "glastonbury", SET.matches[0].id, "5 forfeits in a row")],
            [Death(DeathKind.WORKER, ("ann", "bob"), {"ann": 0.5, "bob": 1.0}, "it ended")],
        )
    with closing(Store.of_tournament(tmp_path, writable=False)) as store:
        assert by_match(store) == {SET.matches[0].id: finished(0).result}
        assert store.played() == {SET.matches[0].id}
        assert store.record(SET.matches[0].id, released=False) == b"record"
        assert store.record(SET.matches[1].id, released=False) is None
        assert store.voids() == [VoidAttempt(SET.matches[1].id, 1, "machine", "no memory")]
        assert store.benched()["bob", "glastonbury"].reason == "5 forfeits in a row"
        assert [death.entrants for death in store.deaths()] == [("ann", "bob")]
        assert store.deaths()[0].expected == {"ann": 0.5, "bob": 1.0}
        assert store.setting("identity") == {"game": "glastonbury"}
        assert store.setting("nothing") is None
        assert [each for each, _ in store.sets().values()] == [SET]
        assert store.seconds() == 0.5


def test_a_result_has_the_game_of_its_set(tmp_path: Path) -> None:
    other = DuplicateSet("gargon", "plain", ("ann", "bob"), 1)
    first = finished(0)
    match = other.matches[1].id
    names = other.matches[1].entrants
    second = replace(first.result, match=match, set_id=other.id, game="gargon", entrants=names)
    with closing(Store.of_tournament(tmp_path)) as store:
        add(store, SET, other)
        store.commit(None, [first, first._replace(result=second)])
        assert by_match(store) == {first.result.match: first.result, match: second}


def test_a_result_says_whether_its_set_shares_a_deal(tmp_path: Path) -> None:
    with closing(Store.of_tournament(tmp_path)) as store:
        store.enter_all(dict.fromkeys(("ann", "bob"), ""))
        store.add_schedule([SET], None, lambda _: Deals.FRESH)
        store.commit(None, [finished(0)])
        assert [result.duplicate for result in store.results(TOURNAMENT)] == [False]


def test_an_attempt_that_began_is_known_whatever_became_of_it(tmp_path: Path) -> None:
    first, second = (match.id for match in SET.matches)
    with closing(Store.of_tournament(tmp_path)) as store:
        add(store, SET)
        assert store.attempts() == {}
        store.begin({first: 1})
        store.begin({first: 2})
        store.commit(
            None,
            [],
            [VoidAttempt(first, 1, "machine", "x"), VoidAttempt(second, 4, "machine", "x")],
        )
        assert store.attempts() == {first: 2, second: 4}


def test_a_match_cannot_be_counted_twice(tmp_path: Path) -> None:
    with closing(Store.of_tournament(tmp_path)) as store:
        add(store, SET)
        store.commit(None, [finished(0)])
        with pytest.raises(StoreError, match="has that already"):
            store.commit(None, [finished(1), finished(0, b"another")])
        assert store.played() == {SET.matches[0].id}, "all of it or nothing"
        assert store.record(SET.matches[0].id, released=False) == b"record"


def test_a_match_of_a_set_that_is_not_scheduled_is_refused(tmp_path: Path) -> None:
    with closing(Store.of_tournament(tmp_path)) as store, pytest.raises(StoreError):
        store.commit(None, [finished(0)])


def test_sets_are_dealt_from_one_secret_until_it_is_published(tmp_path: Path) -> None:
    others = [DuplicateSet("glastonbury", "plain", ("ann", "bob"), n) for n in (2, 3)]
    with closing(Store.of_tournament(tmp_path)) as store:
        add(store, SET, secret=b"given by the organiser")
        add(store, others[0], secret=b"given by the organiser")
        store.publish_secrets()
        add(store, others[1], secret=b"given by the organiser")
        first, second = store.secrets()
        numbers = [secret.number for _, secret in store.sets().values()]
    assert sorted(numbers) == [1, 1, 2]
    assert (first.secret, first.published) == (b"given by the organiser", True)
    assert len(second.secret) == 32
    assert not second.published


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    Store.of_tournament(tmp_path).close()
    assert stat.S_IMODE((tmp_path / "tournament.db").stat().st_mode) == 0o600


def test_a_commit_is_on_the_disk_when_it_returns(tmp_path: Path) -> None:
    with closing(Store.of_tournament(tmp_path)) as store, store._database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2, "FULL"


def test_a_store_of_another_schema_is_refused(tmp_path: Path) -> None:
    Store.of_tournament(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "tournament.db")) as database:
        database.execute("update alembic_version set version_num = 'r9999'")
        database.commit()
    for writable in (True, False):
        with pytest.raises(StoreError, match="schema r9999"):
            Store.of_tournament(tmp_path, writable=writable)


def test_a_tournament_of_an_unknown_old_schema_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "tournament.db")) as database:
        database.executescript(SCHEMA_1.replace("('schema', '1')", "('schema', '99')"))
    for writable in (True, False):
        with pytest.raises(StoreError, match="schema 99"):
            Store.of_tournament(tmp_path, writable=writable)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tournament.db").write_text("These are not the bytes you are looking for.")
    with pytest.raises(StoreError, match=r"tournament\.db"):
        Store.of_tournament(tmp_path)


def test_there_must_be_something_to_read(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no tournament"):
        Store.of_tournament(tmp_path, writable=False)


def test_deals_follow_from_the_secret_as_documented() -> None:
    secret = bytes(range(32))
    assert commitment_to_secret(secret) == hashlib.sha256(secret).hexdigest()
    assert set_seed(secret, "0a1b") == hmac.digest(secret, b"0a1b", "sha256")
    assert match_seed(secret, "0a1b-2", 1) == hmac.digest(secret, b"0a1b-2/1", "sha256")
    assert match_seed(secret, "0a1b-2", 1) != match_seed(secret, "0a1b-2", 2)
    assert match_salt(secret, "0a1b-2", 1) == hmac.digest(secret, b"salt/0a1b-2/1", "sha256")[:16]


def test_a_damaged_file_is_not_called_safe(tmp_path: Path) -> None:
    with closing(Store.of_tournament(tmp_path)) as store:
        add(store, SET)
        store.commit(None, [finished(0)])
    path = tmp_path / "tournament.db"
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))
    with (
        pytest.raises(StoreError, match="damaged, and what was committed may be lost") as raised,
        closing(Store.of_tournament(tmp_path)) as store,
    ):
        store.results(TOURNAMENT)
    assert "is safe" not in str(raised.value)


def test_streaks_of_forfeits_are_counted_as_matches_were_committed(tmp_path: Path) -> None:
    """The second match was committed first: bob then forfeited once, and ann not at all."""
    game = "glastonbury"
    with closing(Store.of_tournament(tmp_path)) as store:
        add(store, SET)
        assert SET.matches[1].entrants == ("bob", "ann")
        other = finished(1)
        store.commit(None, [other._replace(result=replace(other.result, forfeits=(1,)))])
        assert store.forfeit_streaks(TOURNAMENT) == {("bob", game): 0, ("ann", game): 1}
        store.commit(None, [finished(0)])  # in which seat 1 forfeited, and that is bob
        assert store.forfeit_streaks(TOURNAMENT) == {("bob", game): 1, ("ann", game): 0}


SCHEMA_1 = """
CREATE TABLE settings (name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name));
CREATE TABLE secrets (
  number INTEGER NOT NULL, secret BLOB NOT NULL, published BOOLEAN NOT NULL, PRIMARY KEY (number));
CREATE TABLE sets (
  id TEXT NOT NULL, secret INTEGER NOT NULL, game TEXT NOT NULL, variant TEXT NOT NULL,
  entrants TEXT NOT NULL, number INTEGER NOT NULL, seatings TEXT NOT NULL, PRIMARY KEY (id),
  FOREIGN KEY(secret) REFERENCES secrets (number));
CREATE TABLE voids (
  "match" TEXT NOT NULL, attempt INTEGER NOT NULL, cause TEXT NOT NULL, detail TEXT NOT NULL,
  PRIMARY KEY ("match", attempt));
CREATE TABLE begun ("match" TEXT NOT NULL, attempt INTEGER NOT NULL, PRIMARY KEY ("match"));
CREATE TABLE benched (
  entrant TEXT NOT NULL, "match" TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (entrant));
CREATE TABLE matches (
  id TEXT NOT NULL, set_id TEXT NOT NULL, variant TEXT NOT NULL, entrants TEXT NOT NULL,
  places TEXT NOT NULL, scores TEXT NOT NULL, forfeits TEXT NOT NULL, used TEXT NOT NULL,
  decisions INTEGER NOT NULL, attempt INTEGER NOT NULL, seconds FLOAT NOT NULL,
  record BLOB NOT NULL, PRIMARY KEY (id), FOREIGN KEY(set_id) REFERENCES sets (id));
CREATE INDEX ix_matches_set_id ON matches (set_id);
INSERT INTO settings VALUES ('schema', '1'), ('name', '"Cup"');
INSERT INTO secrets VALUES (1, x'00', 0);
"""
"""What the first version of the program wrote."""


def test_a_store_of_the_first_version_is_read_and_goes_on(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "tournament.db")) as database:
        database.executescript(SCHEMA_1)
        row = (SET.id, 1, SET.game, SET.variant, '["ann", "bob"]', 1, "rotations")
        database.execute("insert into sets values (?, ?, ?, ?, ?, ?, ?)", row)
        benched = ("bob", SET.matches[1].id, "5 forfeits in a row")
        database.execute("insert into benched values (?, ?, ?)", benched)
        database.commit()
    expected = {("bob", "glastonbury"): Benched("bob", "glastonbury", *benched[1:])}
    before = (tmp_path / "tournament.db").read_bytes()
    with closing(Store.of_tournament(tmp_path, writable=False)) as store:
        assert store.benched() == expected
        assert store.deaths() == []
        assert [each for each, _ in store.sets().values()] == [SET]
    assert (tmp_path / "tournament.db").read_bytes() == before, "who only reads changes nothing"
    death = Death(DeathKind.PROCESS, ("bob",), {}, "match 1")
    with closing(Store.of_tournament(tmp_path)) as store:
        assert store.benched() == expected
        store.commit(None, [finished(0)], benched=[Benched("bob", "", "m", "why")], deaths=[death])
    with closing(Store.of_tournament(tmp_path)) as store:
        assert store.setting("name") == "Cup"
        assert store.deaths() == [death]
        assert set(store.benched()) == {("bob", "glastonbury"), ("bob", "")}
        assert list(by_match(store)) == [SET.matches[0].id]
