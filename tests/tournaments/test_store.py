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

from tournaments.deals import commitment_to_secret, match_salt, match_seed, set_seed
from tournaments.results import Result
from tournaments.schedule import DuplicateSet
from tournaments.store import Benched, Finished, Store, StoreError, Void

SET = DuplicateSet("glastonbury", "plain", ("ann", "bob"), 1)


def finished(number: int, record: bytes = b"record") -> Finished:
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
    )
    return Finished(result, attempt=1, seconds=0.5, record=record)


def test_what_was_committed_is_read_again(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.add_sets([SET], None)
        store.put(name="Cup", identity={"game": "glastonbury"})
        store.commit(
            [finished(0)],
            [Void(SET.matches[1].id, 1, "machine", "no memory")],
            [Benched("bob", SET.matches[0].id, "5 forfeits in a row")],
        )
    with closing(Store(tmp_path, writable=False)) as store:
        assert store.results() == {SET.matches[0].id: finished(0).result}
        assert store.played() == {SET.matches[0].id}
        assert store.record(SET.matches[0].id) == b"record"
        assert store.record(SET.matches[1].id) is None
        assert store.voids() == [Void(SET.matches[1].id, 1, "machine", "no memory")]
        assert store.benched()["bob"].reason == "5 forfeits in a row"
        assert store.setting("identity") == {"game": "glastonbury"}
        assert store.setting("nothing") is None
        assert [each for each, _ in store.sets().values()] == [SET]
        assert store.seconds() == 0.5


def test_a_result_has_the_game_of_its_set(tmp_path: Path) -> None:
    """A store of an earlier program has no game with its matches, but with its sets."""
    other = DuplicateSet("gargon", "plain", ("ann", "bob"), 1)
    first = finished(0)
    match = other.matches[1].id
    second = replace(first.result, match=match, set_id=other.id, game="gargon")
    with closing(Store(tmp_path)) as store:
        store.add_sets([SET, other], None)
        store.commit([first, replace(first, result=second)])
        assert store.results() == {first.result.match: first.result, match: second}
    with closing(sqlite3.connect(tmp_path / "tournament.db")) as database:
        columns = [row[1] for row in database.execute("pragma table_info(matches)")]
    assert "game" not in columns


def test_an_attempt_that_began_is_known_whatever_became_of_it(tmp_path: Path) -> None:
    first, second = (match.id for match in SET.matches)
    with closing(Store(tmp_path)) as store:
        store.add_sets([SET], None)
        assert store.attempts() == {}
        store.begin(first, 1)
        store.begin(first, 2)
        store.commit([], [Void(first, 1, "machine", "x"), Void(second, 4, "machine", "x")])
        assert store.attempts() == {first: 2, second: 4}


def test_a_match_cannot_be_counted_twice(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.add_sets([SET], None)
        store.commit([finished(0)])
        with pytest.raises(StoreError, match="has that already"):
            store.commit([finished(1), finished(0, b"another")])
        assert store.played() == {SET.matches[0].id}, "all of it or nothing"
        assert store.record(SET.matches[0].id) == b"record"


def test_a_match_of_a_set_that_is_not_scheduled_is_refused(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store, pytest.raises(StoreError):
        store.commit([finished(0)])


def test_sets_are_dealt_from_one_secret_until_it_is_published(tmp_path: Path) -> None:
    others = [DuplicateSet("glastonbury", "plain", ("ann", "bob"), n) for n in (2, 3)]
    with closing(Store(tmp_path)) as store:
        store.add_sets([SET], b"given by the organiser")
        store.add_sets(others[:1], b"given by the organiser")
        store.publish_secrets()
        store.add_sets(others[1:], b"given by the organiser")
        first, second = store.secrets()
        numbers = [secret.number for _, secret in store.sets().values()]
    assert sorted(numbers) == [1, 1, 2]
    assert (first.secret, first.published) == (b"given by the organiser", True)
    assert len(second.secret) == 32
    assert not second.published


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    Store(tmp_path).close()
    assert stat.S_IMODE((tmp_path / "tournament.db").stat().st_mode) == 0o600


def test_a_commit_is_on_the_disk_when_it_returns(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store, store._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2, "FULL"


def test_a_store_of_another_schema_is_refused(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "tournament.db")) as database:
        database.execute("update settings set value = '99' where name = 'schema'")
        database.commit()
    with pytest.raises(StoreError, match="schema 99"):
        Store(tmp_path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tournament.db").write_text("These are not the bytes you are looking for.")
    with pytest.raises(StoreError, match=r"tournament\.db"):
        Store(tmp_path)


def test_there_must_be_something_to_read(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no tournament"):
        Store(tmp_path, writable=False)


def test_deals_follow_from_the_secret_as_documented() -> None:
    secret = bytes(range(32))
    assert commitment_to_secret(secret) == hashlib.sha256(secret).hexdigest()
    assert set_seed(secret, "0a1b") == hmac.digest(secret, b"0a1b", "sha256")
    assert match_seed(secret, "0a1b-2", 1) == hmac.digest(secret, b"0a1b-2/1", "sha256")
    assert match_seed(secret, "0a1b-2", 1) != match_seed(secret, "0a1b-2", 2)
    assert match_salt(secret, "0a1b-2", 1) == hmac.digest(secret, b"salt/0a1b-2/1", "sha256")[:16]
