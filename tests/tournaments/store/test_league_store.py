"""The store of leagues: entrants, tokens, requests, results, records, pages."""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from referee.transports.tokens import hashed, new_token
from tests.tournaments.leagues import (
    BEGINNING,
    DUPLICATE,
    FRESH,
    LEAGUE,
    Hours,
    add_set,
    begin,
    commit,
    finished,
    play,
    seat,
    take,
)
from tournaments.model import (
    ANONYMOUS,
    SHOWN_VERSIONS,
    ConflictError,
    FullError,
    Identity,
    InvalidError,
    LeagueError,
    LeagueSettings,
    NotFoundError,
    PlannedSet,
    Result,
    Role,
    Version,
)
from tournaments.store import Store, StoreError, schema
from tournaments.store.entrants import MOST_VERSIONS
from tournaments.store.incomplete_sets import INCOMPLETE
from tournaments.store.tokens import START

# Leagues ----------------------------------------------------------------------------------------


def test_a_league_is_read_as_it_was_made(store: Store) -> None:
    made = store.create_league("autumn", DUPLICATE)
    assert made == store.league("autumn")
    assert (made.settings, made.state, made.created_at) == (DUPLICATE, "open", BEGINNING)
    with store._database.read() as connection:
        secret = connection.execute(sa.select(schema.secrets.c.secret)).scalar_one()
    assert len(secret) == 32
    assert made.commitment == hashlib.sha256(secret).hexdigest()


@pytest.mark.parametrize("wrong", ["", "Autumn", "-a", "a" * 41, "a/b", "a b", "ä", "a\n"])
def test_the_id_of_a_league_is_a_slug(store: Store, wrong: str) -> None:
    with pytest.raises(InvalidError, match="the id of a league"):
        store.create_league(wrong, FRESH)


def test_what_is_not_there_is_said_so(store: Store) -> None:
    begin(store, "ann")
    questions: list[Callable[[], object]] = [
        lambda: store.league("spring"),
        lambda: store.entrants("spring"),
        lambda: store.entrant(LEAGUE, "bob"),
        lambda: store.entrant("spring", "ann"),
        lambda: store.enter("spring", "ann", ""),
        lambda: store.matches("spring"),
        lambda: store.matches(LEAGUE, entrant="bob"),
        lambda: store.match("x-1"),
        lambda: store.record("x-1"),
        lambda: store.results("spring"),
        lambda: store.annul("x-1", "a reason"),
        lambda: store.disqualify(LEAGUE, "bob", "a reason"),
        lambda: store.see_version(LEAGUE, "bob", "1"),
        lambda: store.claimable("spring"),
        lambda: store.counts("spring"),
        lambda: list(store.records("spring")),
    ]
    for question in questions:
        with pytest.raises(NotFoundError, match="there is no"):
            question()
    assert store.claim("one", "x-1", 60) is None


@pytest.mark.parametrize("odd", ["\x00", "a\x00b", "\ud800", "x" * 5000])
def test_what_no_database_can_hold_is_not_there_either(store: Store, odd: str) -> None:
    begin(store, "ann")
    questions: list[Callable[[], object]] = [
        lambda: store.league(odd),
        lambda: store.entrant(LEAGUE, odd),
        lambda: store.match(odd),
        lambda: store.matches(LEAGUE, entrant=odd),
    ]
    for question in questions:
        with pytest.raises(NotFoundError):
            question()
    assert store.matches(LEAGUE, game=odd).items == ()
    assert store.matches(LEAGUE, variant=odd).items == ()
    assert store.matches(LEAGUE, seats=10**12).items == ()
    assert list(store.records(LEAGUE, [odd])) == []
    assert store.claim("one", odd, 60) is None
    assert store.drop([odd]) == frozenset()
    assert store.identify(odd) == ANONYMOUS
    with pytest.raises(InvalidError):
        store.create_league("x", FRESH, request_id=odd)


def test_a_closed_league_finishes_what_is_running_and_begins_nothing(store: Store) -> None:
    begin(store, "ann", "bob")
    running, waiting, unlucky = (seat(store, "ann", "bob")[0] for _ in range(3))
    take(store, running)
    take(store, unlucky)
    assert store.league(LEAGUE).secret == ""
    assert store.close_league(LEAGUE).state == "closed"
    assert store.close_league(LEAGUE).state == "closed", "once more changes nothing"
    assert store.match(waiting.id).state == "dropped"
    for forbidden in (
        lambda: seat(store, "ann", "bob"),
        lambda: store.enter(LEAGUE, "cy", ""),
    ):
        with pytest.raises(ConflictError, match="is closed"):
            forbidden()
    assert commit(store, "one", running.id, 1, finished(2), b"record")
    assert store.league(LEAGUE).secret == "", "a match is still being played"
    assert store.void("one", unlucky.id, 1, "referee", "stopped")
    assert store.match(unlucky.id).state == "dropped"
    found = store.league(LEAGUE)
    assert hashlib.sha256(bytes.fromhex(found.secret)).hexdigest() == found.commitment
    assert store.leagues().items == (found,)
    with pytest.raises(ConflictError, match="already"):
        store.create_league(LEAGUE, FRESH)  # nothing is ever dealt from that secret again
    assert len(store.results(LEAGUE)) == 1
    assert [entry.kind for entry in store.journal(LEAGUE)] == [
        "closed",
        "entered",
        "entered",
        "created",
    ]


def test_the_journal_has_the_newest_first(store: Store, hours: Hours) -> None:
    begin(store)
    hours.pass_by(60)
    store.enter(LEAGUE, "ann", "")
    newest, first = store.journal(LEAGUE)
    assert (newest.kind, newest.text, newest.at) == ("entered", "ann entered.", hours.time)
    assert (first.kind, first.text) == ("created", "The league Autumn league began.")
    assert store.journal(LEAGUE, 1) == (newest,)


def test_moments_are_written_alike_one_by_one_and_many_at_once(store: Store) -> None:
    """The database compares them, and SQLite compares text; the clock shows a whole second."""
    begin(store, "ann", "bob")
    seat(store, "ann", "bob")
    with store._database.read() as connection:
        created = connection.exec_driver_sql("SELECT CAST(created_at AS TEXT) FROM competitions")
        scheduled = connection.exec_driver_sql("SELECT CAST(scheduled_at AS TEXT) FROM matches")
        assert created.scalar_one() == scheduled.scalar_one()


def test_older_standings_do_not_replace_newer_ones(store: Store) -> None:
    begin(store)
    assert store.load_standings(LEAGUE, "a") is None
    assert store.standings_revision(LEAGUE) == 0
    assert store.save_standings(LEAGUE, 5, {"a": '{"a": "ü"}', "b": "{}"}) == 1
    assert store.save_standings(LEAGUE, 4, {}) == 0
    assert store.load_standings(LEAGUE, "a") == '{"a": "ü"}'
    assert store.save_standings(LEAGUE, 5, {"a": "{}"}) == 2
    assert store.load_standings(LEAGUE, "a") == "{}"
    assert store.load_standings(LEAGUE, "b") is None
    assert store.standings_revision(LEAGUE) == 2


# Requests ---------------------------------------------------------------------------------------


def test_the_same_request_makes_a_league_once(store: Store) -> None:
    made = store.create_league("autumn", FRESH, request_id="r1")
    assert store.create_league("autumn", FRESH, request_id="r1") == made
    assert len(store.leagues().items) == 1
    with pytest.raises(ConflictError, match="used for something else"):
        store.create_league("winter", FRESH, request_id="r1")
    with pytest.raises(ConflictError, match="used for something else"):
        store.create_league("autumn", DUPLICATE, request_id="r1")
    with pytest.raises(ConflictError, match="there is a league"):
        store.create_league("autumn", FRESH, request_id="r2")
    with pytest.raises(ConflictError, match="there is a league"):
        store.create_league("autumn", FRESH)


def test_the_same_request_enters_a_bot_once_and_tells_the_token_once(store: Store) -> None:
    begin(store)
    store.create_league("winter", FRESH)
    entrant, token = store.enter(LEAGUE, "ann", "Ann", request_id="r1")
    assert store.enter(LEAGUE, "ann", "Ann", request_id="r1") == (entrant, "")
    assert store.identify(token) == Identity("entrant", LEAGUE, "ann")
    with pytest.raises(ConflictError, match="used for something else"):
        store.enter(LEAGUE, "bob", "Ann", request_id="r1")
    other, another = store.enter("winter", "ann", "Ann", request_id="r1")
    assert other.competition == "winter", "each league has its own request ids"
    assert store.identify(another) == Identity("entrant", "winter", "ann")
    store.close_league(LEAGUE)
    assert store.enter(LEAGUE, "ann", "Ann", request_id="r1") == (
        store.entrant(LEAGUE, "ann"),
        "",
    ), "what was done stays done"


# Tokens -----------------------------------------------------------------------------------------


def test_the_first_organiser_is_made_once(store: Store) -> None:
    token = store.first_organiser()
    assert token is not None
    assert store.first_organiser() is None
    assert store.identify(token) == Identity("organiser")
    second = store.issue_organiser("Bob")
    assert store.identify(second) == Identity("organiser")
    assert store.revoke(hashed(token))
    assert not store.revoke(hashed(token))
    assert store.identify(token) == ANONYMOUS
    assert store.identify(second) == Identity("organiser")
    store.revoke(hashed(second))
    assert store.first_organiser() is not None, "nobody is locked out"


def test_only_hashes_of_tokens_are_kept(store: Store, tmp_path: Path) -> None:
    begin(store)
    tokens = [store.first_organiser(), store.enter(LEAGUE, "ann", "")[1]]
    store.backup(tmp_path / "all.zip")
    with store._database.read() as connection:
        everything = [
            value
            for table in schema.metadata.sorted_tables
            for row in connection.execute(sa.select(table))
            for value in row
        ]
    assert all(isinstance(token, str) and len(token) >= 43 for token in tokens)
    for token in tokens:
        assert token is not None
        assert hashed(token) in everything
        assert not any(token in value for value in everything if isinstance(value, str))
        assert not any(token.encode() in value for value in everything if isinstance(value, bytes))


@pytest.mark.parametrize("wrong", ["", "x", "é", "\x00", "a" * 43, "a" * 100_000])
def test_a_wrong_token_is_anyones(store: Store, wrong: str) -> None:
    store.first_organiser()
    assert store.identify(wrong) == ANONYMOUS


def test_the_beginning_of_a_hash_identifies_nobody(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are found by a part of the hash, but all of it is compared, in constant time."""
    token = store.first_organiser()
    assert token is not None
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr("referee.transports.tokens.hmac.compare_digest", compare)
    near = hashed(token)[:START] + bytes(32 - START)
    row = {"hash": near, "start": near[:START], "role": "organiser", "issued_at": BEGINNING}
    with store._database.write() as connection:
        connection.execute(sa.insert(schema.tokens).values(row))
    assert store.identify(token) == Identity("organiser")
    assert len(compared) == 2, "all tokens that might be meant are compared, whichever comes first"
    store.revoke(hashed(token))
    assert store.identify(token) == ANONYMOUS


def test_an_entrant_can_have_several_tokens(store: Store) -> None:
    begin(store)
    _, first = store.enter(LEAGUE, "ann", "")
    second = new_token()
    store.keep_tokens(LEAGUE, {"ann": second})
    ann = Identity("entrant", LEAGUE, "ann")
    assert store.holders() == {hashed(first): ann, hashed(second): ann}
    store.revoke(hashed(first))
    assert store.identify(first) == ANONYMOUS
    assert store.identify(second) == ann


# Entrants ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong", ["", " a", "a ", "a@b", "a/b", "a\\b", "a\nb", ".a", "a" * 61, "\u202ea"]
)
def test_a_name_must_be_one(store: Store, wrong: str) -> None:
    begin(store)
    with pytest.raises(InvalidError, match="the name of an entrant"):
        store.enter(LEAGUE, wrong, "")


@pytest.mark.parametrize("odd", ["<script>", "a'; DROP TABLE leagues; --", "日本", "100 %", "a b"])
def test_an_odd_name_is_a_name(store: Store, odd: str) -> None:
    begin(store)
    store.enter(LEAGUE, odd, odd)
    assert store.entrant(LEAGUE, odd).author == odd
    store.see_version(LEAGUE, odd, odd)
    assert store.entrant(LEAGUE, odd).versions == (odd,)


@pytest.mark.parametrize("alike", ["ann", "ANN", "\uff21nn"])
def test_names_that_look_alike_are_refused(store: Store, alike: str) -> None:
    begin(store, "ann")
    with pytest.raises(ConflictError, match='taken by the entrant "ann"'):
        store.enter(LEAGUE, alike, "")
    store.create_league("winter", FRESH)
    store.enter("winter", alike, "")


def test_versions_stand_in_the_order_in_which_they_were_seen(store: Store) -> None:
    begin(store)
    store.enter(LEAGUE, "ann", "")
    assert store.entrant(LEAGUE, "ann").versions == ()
    for version in ("2", "", "1", "2"):
        store.see_version(LEAGUE, "ann", version)
    ann = store.entrant(LEAGUE, "ann")
    assert ann.versions == ("2", "", "1")
    assert ann.version_count == 3
    for wrong in ("a\nb", "v" * 61):
        with pytest.raises(InvalidError, match="version"):
            store.see_version(LEAGUE, "ann", wrong)


@pytest.mark.slow
def test_versions_have_a_limit_in_a_day_and_in_all(store: Store, hours: Hours) -> None:
    begin(store, "ann")
    for number in range(2, MOST_VERSIONS + 1):
        if number % FRESH.versions_per_day == 1:
            with pytest.raises(InvalidError, match="in 24 hours"):
                store.see_version(LEAGUE, "ann", f"{number}")
            hours.pass_by(24 * 3600)
        store.see_version(LEAGUE, "ann", f"{number}")
    hours.pass_by(24 * 3600)
    with pytest.raises(InvalidError, match=f"has had {MOST_VERSIONS} versions"):
        store.see_version(LEAGUE, "ann", "one more")
    store.see_version(LEAGUE, "ann", "7")
    ann = store.entrant(LEAGUE, "ann")
    assert ann.version_count == MOST_VERSIONS
    newest = range(MOST_VERSIONS - SHOWN_VERSIONS + 1, MOST_VERSIONS + 1)
    assert ann.versions == tuple(map(str, newest))
    assert store.entrants(LEAGUE).items == (ann,)


def test_a_new_version_reads_no_table_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    """However many entrants and versions there are, each statement finds its rows by an index."""
    with Store.open(f"sqlite:///{tmp_path / 'league.db'}") as store:
        begin(store, "ann", "bob")
        asked: list[tuple[str, Any]] = []
        engine = store._database.engine
        sa.event.listen(
            engine, "before_cursor_execute", lambda *given: asked.append((given[2], given[3]))
        )
        store.see_version(LEAGUE, "ann", "2")
        found = [each for each in asked if each[0].startswith(("SELECT", "UPDATE"))]
        assert any("FROM versions" in statement for statement, _ in found)
        with engine.connect() as connection:
            for statement, values in found:
                plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
                for *_, detail in plan:
                    assert re.fullmatch(r"SEARCH \w+ USING .*INDEX \w+ \(.+=\?.*\)", detail)


def test_who_withdraws_keeps_what_was_played_and_plays_no_more(store: Store) -> None:
    begin(store, "ann", "bob", "cy")
    played, waiting, running, others = (
        seat(store, *names)[0]
        for names in (("ann", "bob"), ("ann", "bob"), ("bob", "ann"), ("bob", "cy"))
    )
    play(store, played)
    take(store, running)
    gone = store.withdraw(LEAGUE, "ann", "rewriting it")
    assert (gone.state, gone.reason) == ("withdrawn", "rewriting it")
    assert store.match(waiting.id).state == "dropped"
    assert store.match(others.id).state == "scheduled"
    with pytest.raises(ConflictError, match="ann is withdrawn"):
        seat(store, "ann", "bob")
    store.give_back("one")
    assert store.match(running.id).state == "dropped", "nobody would come to play it"
    assert [result.match for result in store.results(LEAGUE)] == [played.id]
    assert store.journal(LEAGUE)[0].text == "ann was withdrawn by an organiser: rewriting it"
    with pytest.raises(ConflictError, match="cannot be benched"):
        store.bench(LEAGUE, "ann", "faults")


def test_who_enters_and_withdraws_keeps_its_place_for_a_day(store: Store, hours: Hours) -> None:
    store.create_league(LEAGUE, replace(FRESH, max_entrants=2))
    for name in ("ann", "bob"):
        store.enter(LEAGUE, name, "")
        store.withdraw(LEAGUE, name, by=Role.ENTRANT)
    with pytest.raises(FullError, match="has 2 entrants"):
        store.enter(LEAGUE, "cy", "")
    hours.pass_by(24 * 3600)
    store.enter(LEAGUE, "cy", "")
    store.enter(LEAGUE, "dan", "")
    store.withdraw(LEAGUE, "dan", by=Role.ORGANISER)
    store.enter(LEAGUE, "eve", "")


@pytest.mark.parametrize("leaves", ["withdraws", "withdraws in a match", "is away", "closes"])
def test_a_duplicate_set_that_is_not_complete_does_not_count(store: Store, leaves: str) -> None:
    """Ann does not keep what she won with the first seating; a league that closes changes nothing.

    The other set is complete, and counts.
    """
    begin(store, "ann", "bob", settings=DUPLICATE)
    complete, (first, second) = seat(store, "ann", "bob"), seat(store, "ann", "bob")
    for match in complete:
        play(store, match)
    claim = take(store, first)
    if leaves == "withdraws in a match":
        store.withdraw(LEAGUE, "ann")
    assert commit(store, "one", first.id, claim.attempt, finished(2), b"record")
    if leaves == "withdraws":
        store.withdraw(LEAGUE, "ann")
    elif leaves == "is away":
        assert store.drop([second.id]) == {second.id}
    elif leaves == "closes":
        store.close_league(LEAGUE)
    assert store.match(second.id).state == "dropped"
    counted = [match.id for match in complete]
    if leaves == "closes":
        assert store.match(first.id).state == "played"
        counted.append(first.id)
    else:
        found = store.match(first.id)
        assert (found.state, found.annulled) == ("annulled", INCOMPLETE)
        assert found.released, "the deal is not played again"
    assert [result.match for result in store.results(LEAGUE)] == counted


def test_a_match_is_dropped_whose_entrant_has_left_and_its_set_does_not_count(
    store: Store,
) -> None:
    begin(store, "ann", "bob", settings=DUPLICATE)
    first, second = seat(store, "ann", "bob")
    play(store, first)
    claim = take(store, second)
    store.withdraw(LEAGUE, "ann")
    assert store.match(first.id).state == "played", "the second may come to its end"
    assert store.void("one", second.id, claim.attempt, "referee", "it failed")
    assert [store.match(each.id).state for each in (first, second)] == ["annulled", "dropped"]


def test_nothing_counts_that_a_disqualified_entrant_played(store: Store) -> None:
    begin(store, "ann", "bob", "cy")
    first, second, third = (
        seat(store, *names)[0] for names in (("ann", "bob"), ("bob", "cy"), ("cy", "ann"))
    )
    for match in (first, second):
        play(store, match)
    assert [result.match for result in store.results(LEAGUE)] == [first.id, second.id]
    store.disqualify(LEAGUE, "ann", "played by hand")
    assert [result.match for result in store.results(LEAGUE)] == [second.id]
    assert store.match(third.id).state == "dropped"
    assert store.match(first.id).state == "played", "it stays to be seen"
    assert store.entrant(LEAGUE, "ann").reason == "played by hand"
    assert store.journal(LEAGUE)[0].text == "ann was disqualified: played by hand"
    before = store.journal(LEAGUE)
    store.disqualify(LEAGUE, "ann", "again")
    assert store.journal(LEAGUE) == before
    with pytest.raises(ConflictError):
        store.withdraw(LEAGUE, "ann", "")
    with pytest.raises(InvalidError, match="a reason"):
        store.disqualify(LEAGUE, "bob", "")


def test_who_is_benched_waits_and_comes_back(store: Store) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    store.bench(LEAGUE, "ann", "3 forfeits in a row")
    assert store.claimable(LEAGUE) == ()
    assert store.claim("one", match.id, 60) is None
    with pytest.raises(ConflictError, match="ann is benched"):
        seat(store, "ann", "bob")
    assert store.match(match.id).state == "scheduled"
    back = store.unbench(LEAGUE, "ann")
    assert (back.state, back.reason) == ("active", "")
    assert [each.id for each in store.claimable(LEAGUE)] == [match.id]
    play(store, match)
    kinds = [entry.kind for entry in store.journal(LEAGUE, 2)]
    assert kinds == ["unbenched", "benched"]


def test_forfeits_in_a_row_are_counted_since_the_bench(store: Store, hours: Hours) -> None:
    begin(store, "ann", "bob")

    def another(*forfeits: int) -> tuple[int, int]:
        hours.pass_by(60)
        play(store, seat(store, "ann", "bob")[0], forfeits)
        return store.forfeits_in_a_row(LEAGUE, "ann"), store.forfeits_in_a_row(LEAGUE, "bob")

    assert store.forfeits_in_a_row(LEAGUE, "ann") == 0
    assert [another(0), another(), another(0, 1), another(0)] == [(1, 0), (0, 0), (1, 1), (2, 0)]
    store.bench(LEAGUE, "ann", "2 forfeits in a row")
    hours.pass_by(60)
    store.unbench(LEAGUE, "ann")
    assert store.forfeits_in_a_row(LEAGUE, "ann") == 0
    assert another(0) == (1, 0)


# Tables -----------------------------------------------------------------------------------------


def test_a_set_that_the_league_does_not_play_is_refused(store: Store) -> None:
    begin(store, "ann", "bob", "cy", "dan")
    ann, bob, cy, dan = ((name, "1") for name in ("ann", "bob", "cy", "dan"))
    wrong: list[tuple[str, str, list[tuple[str, str]], str]] = [
        ("chess", "plain", [ann, bob], "is not played"),
        ("glastonbury", "fog", [ann, bob], "no tables of 2"),
        ("glastonbury", "plain", [ann, bob, cy, dan], "no tables of 4"),
        ("glastonbury", "plain", [ann, ("ann", "2")], "twice"),
        ("glastonbury", "plain", [ann, ("bob", "2")], "no version"),
        ("glastonbury", "plain", [ann, ("eve", "1")], "no entrant"),
    ]
    store.see_version(LEAGUE, "ann", "2")
    for game, variant, table, message in wrong:
        with pytest.raises(LeagueError, match=message):
            add_set(store, LEAGUE, game, variant, table, why="x")
    assert store.matches(LEAGUE).items == ()


def test_a_round_is_planned_completely_or_not_at_all(store: Store) -> None:
    begin(store, "ann", "bob", settings=DUPLICATE)
    good = PlannedSet(
        "glastonbury", "plain", (Version("ann", "1"), Version("bob", "1")), "round 1", 1
    )
    with pytest.raises(NotFoundError):
        store.add_round(LEAGUE, [good, replace(good, table=(good.table[0], Version("eve", "1")))])
    assert store.matches(LEAGUE).items == ()
    for wrong in ([], [good, replace(good, round=2)], [replace(good, round=None)]):
        with pytest.raises(InvalidError, match="a round has sets"):
            store.add_round(LEAGUE, wrong)
    added = store.add_round(LEAGUE, [good, replace(good, variant="recipes")])
    assert [match.position for match in added] == [1, 2, 3, 4]
    assert [match.variant for match in added] == ["plain", "plain", "recipes", "recipes"]
    assert {match.round for match in added} == {1}
    assert store.claimable(LEAGUE) == added
    others = [match.id for match in added[1:]]
    assert store.drop(others) == set(others)
    assert store.drop(others) == set()
    assert store.counts(LEAGUE) == {
        "scheduled": 1,
        "running": 0,
        "played": 0,
        "annulled": 0,
        "dropped": 3,
    }


def test_a_match_says_all_about_itself(store: Store, hours: Hours) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "bob", "ann", why="both are new")
    assert [(each.entrant, each.place, each.score) for each in match.seats] == [
        ("bob", None, None),
        ("ann", None, None),
    ]
    assert (match.state, match.why, match.scheduled_at) == ("scheduled", "both are new", BEGINNING)
    hours.pass_by(10)
    take(store, match)
    hours.pass_by(5)
    commit(store, "one", match.id, 1, finished(2, forfeits=(1,)), b"record")
    played = store.match(match.id)
    bob, ann = played.seats
    assert (bob.entrant, bob.version, bob.place, bob.score) == ("bob", "1", 1, 20)
    assert (bob.forfeit, bob.used) == (False, 0.25)
    assert (ann.entrant, ann.place, ann.score, ann.forfeit, ann.used) == ("ann", 2, 10, True, 0.5)
    assert (played.state, played.ending, played.decisions) == ("played", "line_emptied", 71)
    assert played.started_at is not None
    assert played.ended_at is not None
    assert (played.started_at - BEGINNING).total_seconds() == 10
    assert (played.ended_at - played.started_at).total_seconds() == 5
    assert played.released


# Results and records ----------------------------------------------------------------------------


def test_results_are_in_the_order_of_the_schedule(store: Store) -> None:
    begin(store, "ann", "bob", "cy")
    first, second = seat(store, "ann", "bob")[0], seat(store, "cy", "bob", "ann")[0]
    for match in (second, first):
        play(store, match, forfeits=(1,))
    assert store.results(LEAGUE) == [
        Result(
            *(first.id, first.set_id, "glastonbury", "plain", ("ann@1", "bob@1")),
            *((1, 2), (20, 10), (1,), (0.25, 0.5), 71),
        ),
        Result(
            *(second.id, second.set_id, "glastonbury", "plain", ("cy@1", "bob@1", "ann@1")),
            *((1, 2, 3), (30, 20, 10), (1,), (0.25, 0.5, 0.75), 71),
        ),
    ]


def test_an_annulled_match_does_not_count(store: Store) -> None:
    begin(store, "ann", "bob")
    first, second = (seat(store, "ann", "bob")[0] for _ in range(2))
    with pytest.raises(ConflictError, match="is scheduled"):
        store.annul(first.id, "too early")
    for match in (first, second):
        play(store, match)
    with pytest.raises(InvalidError, match="a reason"):
        store.annul(first.id, " ")
    annulled = store.annul(first.id, "the network was down")
    assert (annulled.state, annulled.annulled) == ("annulled", "the network was down")
    assert [result.match for result in store.results(LEAGUE)] == [second.id]
    assert store.record(first.id) == first.id.encode(), "everybody can see what was annulled"
    assert store.journal(LEAGUE)[0].text == (
        f"The match {first.id} was annulled: the network was down"
    )
    with pytest.raises(ConflictError, match="is annulled"):
        store.annul(first.id, "again")


def test_a_record_is_released_when_its_set_is_complete(store: Store) -> None:
    begin(store, "ann", "bob", "cy", settings=DUPLICATE)
    first, second, third = seat(store, "ann", "bob", "cy")
    play(store, first)
    play(store, third)
    take(store, second)
    for match in (first, second, third):
        assert store.record(match.id) is None
        assert not store.match(match.id).released
    assert list(store.records(LEAGUE)) == []
    assert list(store.records(LEAGUE, [first.id])) == []
    store.annul(first.id, "a reason")
    assert store.record(first.id) is None, "its deal is still being played"
    commit(store, "one", second.id, 1, finished(3), b"the last one")
    assert store.record(first.id) == first.id.encode()
    assert store.record(second.id) == b"the last one"
    ids = [first.id, second.id, third.id]
    assert [match for match, _ in store.records(LEAGUE)] == ids
    assert dict(store.records(LEAGUE, [third.id, "x-1"])) == {third.id: third.id.encode()}


def test_a_set_that_will_not_be_finished_is_released(store: Store) -> None:
    begin(store, "ann", "bob", settings=DUPLICATE)
    first, second = seat(store, "ann", "bob")
    play(store, first)
    store.withdraw(LEAGUE, "bob", "")
    assert store.record(first.id) == first.id.encode()
    assert store.record(second.id) is None
    assert not store.match(second.id).released, "there is nothing to release"


def test_records_come_in_parts_and_all_of_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.store.queries.RECORDS_AT_ONCE", 2)
    begin(store, "ann", "bob")
    ids = []
    for _ in range(5):
        (match,) = seat(store, "ann", "bob")
        play(store, match)
        ids.append(match.id)
    assert list(store.records(LEAGUE)) == [(match, match.encode()) for match in ids]


# Pages ------------------------------------------------------------------------------------------


def test_pages_are_stable_while_matches_are_added(store: Store) -> None:
    begin(store, "ann", "bob")
    old = [seat(store, "ann", "bob")[0].id for _ in range(5)]
    page = store.matches(LEAGUE, page_size=2)
    seen = [match.id for match in page.items]
    while page.next:
        seat(store, "ann", "bob")
        page = store.matches(LEAGUE, page_size=2, page_token=page.next)
        seen += [match.id for match in page.items]
    assert seen == old[::-1]


def test_pages_are_stable_while_entrants_and_leagues_are_added(store: Store) -> None:
    begin(store, "zoe", "ann", "mia")
    page = store.entrants(LEAGUE, page_size=2)
    assert [entrant.name for entrant in page.items] == ["zoe", "ann"]
    store.enter(LEAGUE, "bob", "")
    page = store.entrants(LEAGUE, page_size=2, page_token=page.next)
    assert [entrant.name for entrant in page.items] == ["mia", "bob"]
    assert page.next == ""
    store.create_league("spring", FRESH)
    leagues = store.leagues(1)
    assert [league.id for league in leagues.items] == ["autumn"]
    store.create_league("april", FRESH)
    leagues = store.leagues(1, leagues.next)
    assert [league.id for league in leagues.items] == ["spring"]
    assert leagues.next == ""


def test_matches_are_found_by_what_they_are(store: Store) -> None:
    begin(store, "ann", "bob", "cy")
    pair = seat(store, "ann", "bob")[0]
    three = seat(store, "ann", "bob", "cy")[0]
    table = [("bob", "1"), ("cy", "1")]
    recipes = add_set(store, LEAGUE, "glastonbury", "recipes", table, why="x")[0]
    play(store, pair)

    def found(**wanted: object) -> list[str]:
        return [match.id for match in store.matches(LEAGUE, **wanted).items]  # type: ignore[arg-type]

    assert found() == [recipes.id, three.id, pair.id]
    assert found(entrant="ann") == [three.id, pair.id]
    assert found(seats=2) == [recipes.id, pair.id]
    assert found(variant="recipes") == [recipes.id]
    assert found(game="glastonbury", state="played") == [pair.id]
    assert found(game="chess") == []
    assert found(entrant="cy", seats=3, state="scheduled") == [three.id]
    with pytest.raises(InvalidError, match="one of scheduled"):
        found(state="lost")


@pytest.mark.parametrize(
    "wrong", ["x", "%%%", "bWF0Y2hlczo", "bWF0Y2hlczp4", "ZW50cmFudHM6MQ", "é", "A" * 5000]
)
def test_a_page_token_of_somebody_else_is_refused(store: Store, wrong: str) -> None:
    begin(store)
    with pytest.raises(InvalidError, match="page token"):
        store.matches(LEAGUE, page_token=wrong)


@pytest.mark.parametrize("wrong", [0, -1, 1001])
def test_a_page_has_a_size(store: Store, wrong: int) -> None:
    begin(store)
    for ask in (store.leagues, lambda size: store.entrants(LEAGUE, size)):
        with pytest.raises(InvalidError, match="1 to 1000"):
            ask(wrong)


# The database -----------------------------------------------------------------------------------


def test_a_file_is_for_its_owner_only_and_safe_when_a_commit_returns(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    with Store.open(f"sqlite:///{path}") as store, store._database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2, "FULL"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "wrong", ["", "league.db", "mysql://host/x", "sqlite://", "sqlite:///:memory:", "oracle://"]
)
def test_an_address_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(StoreError, match="sqlite:///"):
        Store.open(wrong)


def test_a_password_is_never_said() -> None:
    with pytest.raises(StoreError) as error:
        Store.open("postgresql://ann:geheim@localhost:1/x")
    assert "geheim" not in str(error.value)
    assert "localhost" in str(error.value)


def test_settings_survive_the_store(store: Store) -> None:
    settings = LeagueSettings.from_json(
        '{"title": "Ü", "games": [{"game": "glastonbury", "table_sizes": [4]}],'
        ' "time_control": {"per_move": 0.5}, "policy": {"time_out": "forfeit"},'
        ' "scheduler": "rounds", "max_tables": 2, "bench_after": 0, "rating": "openskill"}'
    )
    assert store.create_league("x", settings).settings == settings
    assert store.league("x").settings.time_control.per_move.total_seconds() == 0.5
