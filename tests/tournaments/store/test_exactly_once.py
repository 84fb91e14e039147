"""Every match counts once, whichever server claims it, dies, comes late or comes twice."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.tournaments.leagues import (
    BEGINNING,
    DUPLICATE,
    LEAGUE,
    LEASE,
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
    ConflictError,
    FaultNote,
    InvalidError,
    PlannedSet,
    ScheduledMatch,
    Version,
    match_salt,
    match_seed,
    set_seed,
)
from tournaments.store import Store, StoreError, schema

TABLE = (Version("ann", "1"), Version("bob", "1"))


def fault(match: ScheduledMatch, entrant: str = "ann") -> FaultNote:
    return FaultNote(match.id, entrant, "time_out", "bot", "no answer in 2 s", BEGINNING)


def secret_of(store: Store) -> bytes:
    with store._database.read() as connection:
        return bytes(connection.execute(sa.select(schema.secrets.c.secret)).scalar_one())


def rows(store: Store, table: sa.Table) -> int:
    with store._database.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def test_a_void_attempt_is_dated_by_the_clock_of_the_database(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    claim = take(store, match)
    monkeypatch.setattr(store, "_now", lambda: BEGINNING + timedelta(hours=1))  # of this server
    assert store.void("one", match.id, claim.attempt, "referee", "it failed")
    with store._database.read() as connection:
        at = connection.execute(sa.select(schema.voids.c.at)).scalar_one()
    assert at == BEGINNING


# Many at once -----------------------------------------------------------------------------------


def run_together(number: int, work: Callable[[int], None]) -> None:
    start = threading.Barrier(number)

    def wait_and_work(each: int) -> None:
        start.wait()
        work(each)

    with ThreadPoolExecutor(number) as pool:
        for done in [pool.submit(wait_and_work, each) for each in range(number)]:
            done.result()


def test_many_threads_play_every_match_once(store: Store, url: str) -> None:
    begin(store, "ann", "bob")
    scheduled = [match for _ in range(20) for match in seat(store, "ann", "bob")]
    claimed, refused = Counter[str](), list[str]()

    def play_everything(number: int) -> None:
        server = f"server-{number}"
        with Store.open(url, migrate=False) as own:
            for match in scheduled:
                claim = own.claim(server, match.id, LEASE)
                if claim is None:
                    refused.append(match.id)
                    continue
                claimed[match.id] += 1
                record = server.encode()
                assert commit(own, server, match.id, 1, finished(2), record, [fault(match)])
                assert not commit(own, server, match.id, 1, finished(2), record, [fault(match)])

    run_together(4, play_everything)
    assert claimed == {match.id: 1 for match in scheduled}
    assert len(refused) == 3 * 20
    assert [result.match for result in store.results(LEAGUE)] == [each.id for each in scheduled]
    assert rows(store, schema.records) == rows(store, schema.faults) == 20


def _play_as_a_process(url: str, server: str, answers: multiprocessing.SimpleQueue[int]) -> None:
    """Job and commit until nothing is left; say how many matches that were."""
    played = 0
    with Store.open(url) as store:
        while waiting := store.claimable(LEAGUE):
            for match in waiting:
                claim = store.claim(server, match.id, LEASE)
                if claim is not None:
                    played += commit(store, server, match.id, 1, finished(2), server.encode())
    answers.put(played)


def test_two_processes_share_a_schedule(store: Store, url: str) -> None:
    begin(store, "ann", "bob")
    scheduled = [match.id for _ in range(40) for match in seat(store, "ann", "bob")]
    context = multiprocessing.get_context("spawn")
    answers = context.SimpleQueue()
    processes = [
        context.Process(target=_play_as_a_process, args=(url, f"server-{number}", answers))
        for number in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    played = [answers.get() for _ in processes]
    answers.close()
    assert sum(played) == 40
    assert [result.match for result in store.results(LEAGUE)] == scheduled
    assert rows(store, schema.records) == 40


def test_schedulers_at_the_same_time_number_their_sets_without_gaps(store: Store, url: str) -> None:
    begin(store, "ann", "bob", settings=DUPLICATE)

    def schedule(_number: int) -> None:
        with Store.open(url, migrate=False) as own:
            for _ in range(5):
                seat(own, "ann", "bob")

    run_together(4, schedule)
    found = store.matches(LEAGUE).items
    assert [match.position for match in found] == list(range(40, 0, -1))
    assert len({match.set_id for match in found}) == 20


def test_a_round_is_planned_once_however_many_plan_it(store: Store, url: str) -> None:
    """Everybody tries to plan the same rounds; of each, one succeeds."""
    begin(store, "ann", "bob")
    planned, refused = Counter[int](), list[str]()

    def plan(_number: int) -> None:
        with Store.open(url, migrate=False) as own:
            for number in range(1, 6):
                table = PlannedSet("glastonbury", "plain", TABLE, "x", number)
                try:
                    own.add_round(LEAGUE, [table])
                    planned[number] += 1
                except ConflictError as error:
                    refused.append(str(error))

    run_together(4, plan)
    assert planned == dict.fromkeys(range(1, 6), 1)
    assert len(refused) == 3 * 5
    assert all("has been planned" in said for said in refused)
    found = store.matches(LEAGUE).items
    assert sorted(match.round or 0 for match in found) == sorted(planned)
    assert store.last_round(LEAGUE) == 5


def test_leases_are_renewed_and_released_at_the_same_time(store: Store, url: str) -> None:
    """No two transactions wait for each other for ever."""
    begin(store, "ann", "bob")
    playing = [take(store, seat(store, "ann", "bob")[0]).match.id for _ in range(10)]

    def busy(number: int) -> None:
        with Store.open(url, migrate=False) as own:
            for _ in range(10):
                if number % 2:
                    own.renew("one", playing, LEASE)
                else:
                    own.release_expired(BEGINNING)

    run_together(4, busy)
    assert len(store.running()) == 10


# Leases -----------------------------------------------------------------------------------------


def test_an_expired_lease_is_taken_over_and_the_late_commit_writes_nothing(
    store: Store, hours: Hours
) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    first = take(store, match, "one")
    assert store.claim("two", match.id, LEASE) is None
    assert store.release_expired() == 0
    hours.pass_by(LEASE + 1)
    assert store.release_expired() == 1
    second = take(store, match, "two")
    assert (first.attempt, second.attempt) == (1, 2)
    late = commit(store, "one", match.id, first.attempt, finished(2), b"late", [fault(match)])
    assert not late
    assert not store.void("one", match.id, first.attempt, "referee", "late too")
    assert store.match(match.id).state == "running"
    assert rows(store, schema.records) == rows(store, schema.faults) == 0
    assert rows(store, schema.voids) == 0
    assert commit(store, "two", match.id, second.attempt, finished(2), b"good")
    assert store.record(match.id) == b"good"
    assert store.match(match.id).attempt == 2


def test_a_server_cannot_speak_for_another_one(store: Store) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    take(store, match, "one")
    assert not commit(store, "two", match.id, 1, finished(2), b"not theirs")
    assert not store.void("two", match.id, 1, "referee", "not theirs")
    assert store.match(match.id).state == "running"
    assert commit(store, "one", match.id, 1, finished(2), b"ours")


def test_the_same_server_cannot_commit_an_attempt_that_it_lost(store: Store, hours: Hours) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    take(store, match)
    hours.pass_by(LEASE + 1)
    store.release_expired()
    take(store, match)
    assert not commit(store, "one", match.id, 1, finished(2), b"of the first attempt")
    assert commit(store, "one", match.id, 2, finished(2), b"of the second attempt")


def test_a_lease_that_is_renewed_does_not_expire(store: Store, hours: Hours) -> None:
    begin(store, "ann", "bob")
    matches = [seat(store, "ann", "bob")[0] for _ in range(3)]
    take(store, matches[0], "one")
    take(store, matches[1], "one")
    take(store, matches[2], "two")
    hours.pass_by(LEASE - 1)
    assert store.renew("one", [match.id for match in matches], LEASE) == 2
    hours.pass_by(2)
    assert store.release_expired() == 1
    assert [match.id for match in store.claimable(LEAGUE)] == [matches[2].id]


def test_what_a_server_does_not_play_any_more_is_not_held(store: Store, hours: Hours) -> None:
    """A table may have broken: its match must not run for ever because the server goes on."""
    begin(store, "ann", "bob")
    broken, played = (take(store, seat(store, "ann", "bob")[0]).match for _ in range(2))
    hours.pass_by(LEASE - 1)
    assert store.renew("one", [played.id], LEASE) == 1
    hours.pass_by(2)
    assert store.release_expired() == 1
    assert store.match(broken.id).state == "scheduled"
    assert store.match(played.id).state == "running"


def test_what_waits_has_a_keeper_and_when_that_is_gone_another_one(
    store: Store, hours: Hours
) -> None:
    begin(store, "ann", "bob", settings=DUPLICATE)
    first, second = add_set(
        store, LEAGUE, "glastonbury", "plain", TABLE, why="x", claim_for="one", lease_seconds=LEASE
    )
    (alone, _) = seat(store, "ann", "bob")

    def keepers() -> list[str | None]:
        return [store.match(match.id).server for match in (first, second, alone)]

    assert keepers() == ["one", "one", None]
    assert store.adopt("two", LEASE) == 2, "both seatings of the set that has no keeper"
    assert keepers() == ["one", "one", "two"]
    assert store.drop([second.id, alone.id], "three") == set(), "not its own to give up"
    hours.pass_by(LEASE - 1)
    assert store.renew("one", [first.id], LEASE) == 1
    hours.pass_by(2)
    assert store.adopt("three", LEASE) == 2, "of the second server nothing was heard"
    assert keepers() == ["one", "one", "three"]
    assert store.void("one", first.id, 1, "machine", "no memory")
    assert keepers() == ["one", "one", "three"], "who voids a match keeps it"
    assert store.give_back("one") == 0
    assert keepers() == [None, None, "three"], "who stops keeps nothing"
    assert take(store, second, "four").match.server == "four"
    assert store.drop([first.id], "three") == set()
    assert store.drop([alone.id], "three") == {alone.id}


def test_a_commit_after_the_lease_counts_if_nobody_took_over(store: Store, hours: Hours) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    take(store, match)
    hours.pass_by(10 * LEASE)
    assert commit(store, "one", match.id, 1, finished(2), b"slow, but the only one")


def test_a_server_gives_back_what_it_left_running(store: Store) -> None:
    begin(store, "ann", "bob")
    ours, theirs = (seat(store, "ann", "bob")[0] for _ in range(2))
    take(store, ours, "one")
    take(store, theirs, "two")
    assert store.give_back("one") == 1
    assert store.match(ours.id).state == "scheduled"
    assert store.match(ours.id).attempt == 2
    assert store.match(ours.id).started_at is None
    assert [match.id for match in store.running(LEAGUE)] == [theirs.id]


def test_a_void_attempt_is_noted_and_made_again(store: Store) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    take(store, match)
    assert store.void("one", match.id, 1, "machine", "no memory")
    assert not store.void("one", match.id, 1, "machine", "no memory")
    assert rows(store, schema.voids) == 1
    assert take(store, match).attempt == 2


def test_a_match_can_be_claimed_as_it_is_scheduled(store: Store) -> None:
    begin(store, "ann", "bob", settings=DUPLICATE)
    table = [("ann", "1"), ("bob", "1")]
    first, second = add_set(
        store, LEAGUE, "glastonbury", "plain", table, why="x", claim_for="one", lease_seconds=LEASE
    )
    assert (first.state, second.state) == ("running", "scheduled")
    assert store.claim("two", first.id, LEASE) is None
    claim = store.held("one", first.id)
    assert claim is not None
    assert claim.attempt == 1
    assert store.held("two", first.id) is None
    assert store.held("one", second.id) is None
    assert commit(store, "one", first.id, claim.attempt, finished(2), b"record")
    assert store.held("one", first.id) is None


# What is committed ------------------------------------------------------------------------------


def test_several_sets_are_claimed_as_they_are_scheduled_all_or_none(store: Store) -> None:
    begin(store, "ann", "bob", "cid", settings=DUPLICATE)
    tables = [("ann", "bob"), ("cid", "ann")]
    planned = [
        PlannedSet("glastonbury", "plain", tuple(Version(name, "1") for name in table), "why")
        for table in tables
    ]
    added = store.add_sets(LEAGUE, planned, claim_for="one", lease_seconds=LEASE)
    for table, (first, second) in zip(tables, added, strict=True):
        assert tuple(seat.entrant for seat in first.seats) == table
        assert (first.set_id, second.set_id) == (first.id[:-2], first.id[:-2])
        assert (first.state, second.state) == ("running", "scheduled")
        assert store.held("one", first.id) is not None
        assert store.held("two", first.id) is None
    store.bench(LEAGUE, "cid", "it sleeps")
    with pytest.raises(ConflictError):
        store.add_sets(LEAGUE, planned, claim_for="one", lease_seconds=LEASE)
    assert len(store.matches(LEAGUE).items) == 4
    assert store.add_sets(LEAGUE, []) == []


def test_a_commit_is_whole_or_not_at_all(store: Store) -> None:
    """The fault of an entrant that is not there is refused, and the result with it."""
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    take(store, match)
    with pytest.raises(Exception, match="no entrant"):
        commit(store, "one", match.id, 1, finished(2), b"record", [fault(match, "nobody")])
    assert store.match(match.id).state == "running"
    assert rows(store, schema.records) == 0
    assert commit(store, "one", match.id, 1, finished(2), b"record", [fault(match)])
    assert store.faults(LEAGUE, "ann") == (fault(match),)
    assert store.faults(LEAGUE, "bob") == ()


def test_whatever_a_bot_said_can_be_kept(store: Store) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    take(store, match)
    said = "nul \x00, half a pair \ud800, a line\nand " + "much " * 10_000
    assert store.void("one", match.id, 1, "machine", said)
    take(store, match)
    odd = fault(match)._replace(detail=said)
    assert commit(store, "one", match.id, 2, finished(2), b"record", [odd])
    (kept,) = store.faults(LEAGUE, "ann")
    assert kept.detail.startswith("nul \\u0000, half a pair \\ud800, a line\\u000aand much")
    assert len(kept.detail) < 1100


@pytest.mark.parametrize(("seats", "forfeits"), [(3, ()), (1, ()), (2, (2,))])
def test_a_result_of_another_table_is_refused(
    store: Store, seats: int, forfeits: tuple[int, ...]
) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    take(store, match)
    with pytest.raises(InvalidError):
        commit(store, "one", match.id, 1, finished(seats, forfeits=forfeits), b"record")
    assert store.match(match.id).state == "running"


def test_the_record_of_a_match_cannot_be_written_again(store: Store) -> None:
    """Even past the claim, the table itself keeps results once."""
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    play(store, match)
    with pytest.raises(StoreError), store._database.write() as connection:
        connection.execute(sa.insert(schema.records).values(match=match.id, record=b"x"))
    assert store.record(match.id) == match.id.encode()


# Deals ------------------------------------------------------------------------------------------


def test_a_fresh_deal_is_another_one_in_another_attempt(store: Store) -> None:
    begin(store, "ann", "bob")
    (match,) = seat(store, "ann", "bob")
    secret = secret_of(store)
    for attempt in (1, 2):
        claim = take(store, match)
        assert claim.seed == match_seed(secret, match.id, attempt)
        assert claim.salt == match_salt(secret, match.id, attempt)
        assert not claim.duplicate
        store.give_back("one")


def test_all_matches_of_a_duplicate_set_have_one_deal(store: Store) -> None:
    begin(store, "ann", "bob", "cy", settings=DUPLICATE)
    matches = seat(store, "ann", "bob", "cy")
    claims = [take(store, match) for match in matches]
    assert {claim.seed for claim in claims} == {set_seed(secret_of(store), matches[0].set_id)}
    assert len({claim.salt for claim in claims}) == 3
    assert all(claim.duplicate for claim in claims)
    seatings = [[each.entrant for each in match.seats] for match in matches]
    assert seatings == [["ann", "bob", "cy"], ["bob", "cy", "ann"], ["cy", "ann", "bob"]]
    assert [match.id for match in matches] == [f"{matches[0].set_id}-{n}" for n in (1, 2, 3)]


def test_a_void_match_of_a_duplicate_set_gets_another_deal(store: Store) -> None:
    """Its bots have seen the deal of the set, and may remember it."""
    begin(store, "ann", "bob", settings=DUPLICATE)
    first, second = seat(store, "ann", "bob")
    shared = take(store, first).seed
    store.void("one", first.id, 1, "referee", "a stall")
    again = take(store, first)
    assert again.attempt == 2
    assert again.seed == match_seed(secret_of(store), first.id, 2) != shared
    assert again.duplicate
    other = take(store, second)
    assert other.seed == shared
    for claim in (again, other):
        assert commit(store, "one", claim.match.id, claim.attempt, finished(2), b"record")
    assert [result.duplicate for result in store.results(LEAGUE)] == [False, True]
