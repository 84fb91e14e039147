"""Backup and restore: everything comes back, on either database."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.tournaments.leagues import (
    BEGINNING,
    DUPLICATE,
    LEAGUE,
    begin,
    commit,
    finished,
    play,
    seat,
    take,
)
from tests.tournaments.postgres import PostgresServer
from tournaments.model import FaultNote, Identity, Manifest, Role, Stage, StageReport
from tournaments.store import Store, StoreError, schema


@pytest.fixture(params=["sqlite", "postgresql"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of another empty database of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'other.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    made = server.new_database()
    yield made
    server.drop_database(made)


def everything(store: Store) -> dict[str, list[tuple[object, ...]]]:
    with store._database.read() as connection:
        return {
            table.name: [
                tuple(row)
                for row in connection.execute(sa.select(table).order_by(*table.primary_key))
            ]
            for table in schema.metadata.sorted_tables
        }


def fill(store: Store) -> str:
    """Put something into every table; return the token of an entrant."""
    begin(store, "ann", "bob <ü>", settings=DUPLICATE)
    store.first_organiser()
    store.start_season(LEAGUE)
    store.end_season(LEAGUE, another=True)
    store.archive_season(LEAGUE, 0, ("ann", "bob <ü>"), {"head": "{}"})
    _, token = store.enter(LEAGUE, "cy", "Cy", request_id="r1")
    first, second = seat(store, "ann", "bob <ü>")
    claim = take(store, first)
    fault = FaultNote(first.id, "ann", "crash", "bot", "exit 1", BEGINNING)
    every_byte = bytes(range(256))
    commit(store, "one", first.id, claim.attempt, finished(2), every_byte, [fault])
    take(store, second)
    store.void("one", second.id, 1, "machine", "no memory")
    take(store, second)
    store.save_standings(LEAGUE, 1, {"head": "{}"})
    store.sign_up(LEAGUE, "Dee", by=Role.ORGANISER)
    manifest = Manifest("crow", ("glastonbury",), ("./bot",), "go")
    made = store.submit(LEAGUE, "Dee", manifest, every_byte)
    store.claim_submission("one", 60.0)
    store.report_stage("one", made.id, StageReport(Stage.UNPACKED, True, "", "", 0.0, 0.0, 0))
    store.keep_match_log(first.id, LEAGUE, "ann", "error")
    store.keep_record(first.id)
    store.publish_final(LEAGUE, "ab", "{}", [("1-1", every_byte)], text="published")
    with store._database.write() as connection:
        benching = {"entrant": 1, "game": "", "match": first.id, "reason": "why", "at": BEGINNING}
        connection.execute(sa.insert(schema.benchings).values(benching))
        death = {"competition": LEAGUE, "kind": "worker", "entrants": "[]", "expected": "{}"}
        thinned = {"match": second.id, "hash": "", "sha256": "0", "size": 1, "at": BEGINNING}
        connection.execute(sa.insert(schema.thinned_records).values(thinned))
        connection.execute(sa.insert(schema.deaths).values(**death, detail="", at=BEGINNING))
    return token


def test_everything_comes_back_on_either_database(store: Store, other: str, tmp_path: Path) -> None:
    token = fill(store)
    before = everything(store)
    assert all(before.values()), "no table is left out of the test"
    file = tmp_path / "all.zip"
    store.backup(file)
    Store.restore(file, other)
    with Store.open(other, now=lambda: BEGINNING) as restored:
        assert everything(restored) == before
        assert restored.identify(token) == Identity("entrant", LEAGUE, "cy")
        assert restored.enter(LEAGUE, "cy", "Cy", request_id="r1")[1] == ""
        # The league goes on: new rows get new numbers, and what was running is played again.
        assert restored.give_back("one") == 1
        restored.enter(LEAGUE, "dan", "")
        restored.see_version(LEAGUE, "dan", "1")
        play(restored, restored.claimable(LEAGUE)[0])
        play(restored, seat(restored, "dan", "ann")[0])
        assert [match.position for match in restored.matches(LEAGUE).items] == [4, 3, 2, 1]
        assert len(restored.results(LEAGUE)) == 3
        again = tmp_path / "again.zip"
        restored.backup(again)
    assert zipfile.is_zipfile(again)


def test_a_backup_is_one_file_for_its_owner_only(store: Store, tmp_path: Path) -> None:
    fill(store)
    file = tmp_path / "backups" / "all.zip"
    with pytest.raises(StoreError, match=r"cannot write the backup .*No such file or directory"):
        store.backup(file)
    file.parent.mkdir()
    store.backup(file)
    store.backup(file)
    assert [path.name for path in file.parent.iterdir()] == ["all.zip"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_database_that_is_not_empty_is_left_alone(store: Store, url: str, tmp_path: Path) -> None:
    fill(store)
    store.backup(tmp_path / "all.zip")
    before = everything(store)
    with pytest.raises(StoreError, match="is not empty"):
        Store.restore(tmp_path / "all.zip", url)
    assert everything(store) == before


def rewritten(file: Path, change: dict[str, bytes | None]) -> Path:
    """Copy a backup with other contents for some of its files, or without them."""
    copy = file.with_name("changed.zip")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            content = change.get(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return copy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"records.jsonl": b""}, "not whole: rows of records"),
        ({"records.jsonl": None}, "no backup, or it is damaged"),
        ({"records.jsonl": b'{"match": "x-1"'}, "no backup, or it is damaged"),
        ({"records.jsonl": b'{"match": "x-1", "record": {"base64": "%"}}'}, "damaged"),
        ({"about.json": None}, "no backup, or it is damaged"),
        (
            {"about.json": json.dumps({"format": 1, "schema": "r9999", "rows": {}}).encode()},
            "written with the schema r9999",
        ),
    ],
)
def test_a_damaged_backup_restores_nothing(
    store: Store, other: str, tmp_path: Path, change: dict[str, bytes | None], message: str
) -> None:
    fill(store)
    store.backup(tmp_path / "all.zip")
    with pytest.raises(StoreError, match=message):
        Store.restore(rewritten(tmp_path / "all.zip", change), other)
    with Store.open(other) as untouched:
        assert not any(everything(untouched).values())


def test_what_is_no_backup_is_said_so(other: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No such file"):
        Store.restore(tmp_path / "none.zip", other)
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(StoreError, match="no backup"):
        Store.restore(tmp_path / "text.zip", other)


def test_a_backup_is_of_one_moment(store: Store, url: str, tmp_path: Path) -> None:
    """What is committed while the backup is being written is not half in it."""
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    with Store.open(url) as playing:
        database, busy = store._database, [True]

        def play_meanwhile(
            _connection: object, _cursor: object, statement: str, *_: object
        ) -> None:
            if busy and "FROM matches" in statement:
                busy.clear()
                play(playing, match)

        sa.event.listen(database.engine, "before_cursor_execute", play_meanwhile)
        store.backup(tmp_path / "all.zip")
        sa.event.remove(database.engine, "before_cursor_execute", play_meanwhile)
        assert not busy
        assert playing.match(match.id).state == "played"
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        (kept,) = archive.read("matches.jsonl").splitlines()
        assert json.loads(kept)["state"] == "scheduled"
        assert archive.read("records.jsonl") == b""
