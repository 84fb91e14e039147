"""Records that a rule thins out: which go, what stays of them, and what a crash leaves."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest

from referee.record import compressed, final_hash
from tests.tournaments.leagues import (
    BEGINNING,
    DUPLICATE,
    FRESH,
    LEAGUE,
    Hours,
    begin,
    commit,
    finished,
    seat,
    take,
)
from tournaments.model import LeagueSettings, NotFoundError, Retention, Thinning
from tournaments.store import Store, retention

DAY = 24 * 3600.0
LAST = "ab" * 32


def record(match: str) -> bytes:
    """Return a compressed record whose last line has a hash."""
    return compressed(f'{{"match":"{match}"}}\n{{"kind":"end","hash":"{LAST}"}}\n'.encode())


def play_days(store: Store, hours: Hours, days: int, settings: LeagueSettings = FRESH) -> list[str]:
    """Play a set on each day; return the ids of all matches."""
    begin(store, "ann", "bob", settings=settings)
    played = []
    for _ in range(days):
        for match in seat(store, "ann", "bob"):
            claim = take(store, match)
            assert commit(store, "one", match.id, claim.attempt, finished(2), record(match.id))
            played.append(match.id)
        hours.pass_by(DAY)
    return played


def last(steps: list[Thinning]) -> Thinning:
    return steps[-1] if steps else Thinning()


def test_all_of_the_last_days_and_every_nth_set_before_are_kept(store: Store, hours: Hours) -> None:
    """Ten sets, a day apart: two are younger than three days; of the eight others 3 and 6 stay."""
    played = play_days(store, hours, 10)
    hours.pass_by(DAY / 2)
    rule = Retention(keep_days=3, keep_every=3)
    results = store.results(LEAGUE)
    planned = store.planned_thinning(LEAGUE, rule)
    sizes = {match: len(record(match)) for match in played}
    gone = [played[n] for n in (0, 1, 3, 4, 6, 7)]
    removed = sum(sizes[match] for match in gone)
    assert planned == Thinning(6, removed, 4, sum(sizes.values()) - removed, 0)
    assert len(dict(store.records(LEAGUE))) == 10, "planning removes nothing"

    done = last(list(store.thin_records(LEAGUE, rule)))
    assert (done.removed, done.removed_bytes) == (planned.removed, planned.removed_bytes)
    assert set(dict(store.records(LEAGUE))) == set(played) - set(gone)
    assert store.results(LEAGUE) == results
    for match in gone:
        thinned = store.thinned_record(match)
        assert thinned is not None
        assert thinned.hash == LAST
        assert thinned.sha256 == hashlib.sha256(record(match)).hexdigest()
        assert (thinned.size, thinned.thinned_at) == (sizes[match], hours.time)
        found = store.match(match)
        assert (found.released, found.has_record, found.record_hash) == (True, False, LAST)
        assert store.record(match) is None
    assert store.thinned_record(played[2]) is None
    assert list(store.thin_records(LEAGUE, rule)) == []
    assert store.planned_thinning(LEAGUE, rule).thinned_before == 6


def test_marked_annulled_and_unreleased_records_stay(store: Store, hours: Hours) -> None:
    """The matches of a set go together, except one that is marked or annulled."""
    played = play_days(store, hours, 3, DUPLICATE)
    first, _ = seat(store, "ann", "bob")
    claim = take(store, first)
    assert commit(store, "one", first.id, claim.attempt, finished(2), record(first.id))
    hours.pass_by(40 * DAY)
    store.keep_record(played[0])
    store.annul(played[2], "evidence")
    done = last(list(store.thin_records(LEAGUE, Retention(1, 0))))
    assert done.removed == 4
    left = {match for match in (*played, first.id) if store.record(match, released=False)}
    assert left == {played[0], played[2], first.id}
    with pytest.raises(NotFoundError):
        store.keep_record("none")


def test_nothing_goes_without_a_rule(store: Store, hours: Hours) -> None:
    play_days(store, hours, 2)
    hours.pass_by(1000 * DAY)
    assert list(store.thin_records(LEAGUE, Retention())) == []
    assert store.planned_thinning(LEAGUE, Retention()).kept == 2


def test_what_is_interrupted_is_whole_and_goes_on(
    store: Store, hours: Hours, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction that fails in the middle changes nothing; those before it stay."""
    played = play_days(store, hours, 6)
    hours.pass_by(10 * DAY)
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    rule = Retention(1, 0)
    steps = store.thin_records(LEAGUE, rule)
    assert next(steps).removed == 2
    calls = iter(range(100))

    def dies(data: bytes) -> str:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return final_hash(data)

    monkeypatch.setattr(retention, "final_hash", dies)
    with pytest.raises(KeyboardInterrupt):
        next(steps)
    for match in played:
        has_hash = store.thinned_record(match) is not None
        assert (store.record(match) is None) is has_hash
    assert sum(store.record(match) is None for match in played) == 2
    monkeypatch.setattr(retention, "final_hash", final_hash)
    assert last(list(store.thin_records(LEAGUE, rule))).removed == 4


def test_budgets_are_counted_from_the_matches(store: Store, hours: Hours) -> None:
    begin(store, "ann", "bob", "cid")
    for names in (("ann", "bob"), ("ann", "cid")):
        for match in seat(store, *names):
            take(store, match)
        hours.pass_by(1800)
    found = store.begun_within(LEAGUE, timedelta(hours=1, seconds=1))
    assert (found.matches, found.of_entrants, found.first) == (
        2,
        {"ann": 2, "bob": 1, "cid": 1},
        BEGINNING,
    )
    assert store.seated_within(LEAGUE, timedelta(hours=2)) == {"ann", "bob", "cid"}
    hours.pass_by(2)
    found = store.begun_within(LEAGUE, timedelta(hours=1))
    assert (found.matches, found.of_entrants["ann"]) == (1, 1)
    assert store.seated_within(LEAGUE, timedelta(hours=1)) == {"ann", "cid"}
    hours.pass_by(7200)
    assert store.begun_within(LEAGUE, timedelta(hours=1)).matches == 0
    assert store.seated_within(LEAGUE, timedelta(hours=1)) == frozenset()
