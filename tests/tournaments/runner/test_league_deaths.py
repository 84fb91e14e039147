"""Failures of a cluster's workers in a league: which entrant they are charged to, if any."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations, count, product
from pathlib import Path

import pytest

from engine import seed_from_text
from tests.tournaments.leagues import LEAGUE, Hours, begin
from tournaments.model import Death, DeathKind, Job, Role, ScheduledMatch, SeatResult
from tournaments.runner.bench import LAST_DEATHS, after_failure
from tournaments.runner.dispatch import DeathScope, ProcessDeath
from tournaments.runner.league_deaths import FEWEST, LeagueDeaths
from tournaments.runner.league_matches import MOST_LOST
from tournaments.store import Store


def scheduled(id_: str, *names: str, league: str = LEAGUE) -> ScheduledMatch:
    seats = tuple(SeatResult(name, "1") for name in names)
    return ScheduledMatch(f"{id_}-1", id_, "glastonbury", "plain", seats, league)


def lost(worker: str, *matches: ScheduledMatch) -> ProcessDeath:
    jobs = [Job(match, 1, SEED, b"", duplicate=False) for match in matches]
    return ProcessDeath(f"{worker} was lost", jobs, [], scope=DeathScope.HOST)


SEED = seed_from_text("0")
WORKERS = 4
LEAGUES = 10
FAILURES = 60
PAIRS = list(combinations(map(str, range(8)), 2))
Rate = Callable[[int, set[str]], float]
"""How often in a second a worker dies on average, from its number and the entrants there."""


class Clock:
    """Seconds that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def busy_league() -> tuple[LeagueDeaths, Clock]:
    """Return a league with enough matches: those of ann take three times as long as the others."""
    clock = Clock()
    deaths = LeagueDeaths(clock)
    for number in range(FEWEST):
        names, seconds = (("ann", "bob"), 3.0) if number % 2 else (("cid", "dan"), 1.0)
        match = scheduled(f"first-{number}", *names)
        deaths.note_started(match)
        clock.now += seconds
        deaths.note_ended(match.id)
    return deaths, clock


def test_a_lost_worker_is_one_failure_however_many_matches_it_played() -> None:
    deaths, _ = busy_league()
    matches = [
        scheduled("s", "ann", "bob"),
        scheduled("t", "cid", "eve"),
        scheduled("u", "fay", "gil", league="winter"),
    ]
    for match in matches:
        deaths.note_started(match)
    found = deaths.charged(lost("w0", *matches))
    assert {league: death.entrants for league, death in found.items()} == {
        LEAGUE: ("ann", "bob", "cid", "eve")
    }, "too little is known of the other league"


def test_a_set_that_is_lost_again_is_no_further_evidence() -> None:
    deaths, _ = busy_league()
    match = scheduled("s", "ann", "bob")
    deaths.note_started(match)
    assert deaths.charged(lost("w0", match))
    assert not deaths.charged(lost("w0", match))
    assert not deaths.charged(lost("w1", match))


def test_a_bot_is_expected_at_a_table_for_as_long_as_its_matches_take() -> None:
    """At one table ann sits for 3 of 4 seconds; one of two has her with 1 - (1/4)**2."""
    deaths, _ = busy_league()
    one, two, three = (scheduled(id_, "cid", "dan") for id_ in "stu")
    expected = [
        death.expected
        for matches in ((one,), (two, three))
        for death in deaths.charged(lost("w0", *matches)).values()
    ]
    assert expected == [
        pytest.approx({"ann": 0.75, "bob": 0.75, "cid": 0.25, "dan": 0.25}),
        pytest.approx({"ann": 15 / 16, "bob": 15 / 16, "cid": 7 / 16, "dan": 7 / 16}),
    ]


def test_a_process_that_died_is_charged_to_its_entrant_alone() -> None:
    deaths, _ = busy_league()
    (death,) = deaths.charged(lost("w0", scheduled("s", "ann", "bob")), ["bob"]).values()
    assert death.entrants == ("bob",)


# Whole leagues ------------------------------------------------------------------------------------


STEP = 0.25
"""How many seconds pass at once."""


@dataclass
class Simulation:
    """A league of pairs on workers with two tables each, until enough of these have died.

    Bot 0 takes four times as long as the others for its matches. What is lost is played again as
    soon as a table is free, which is nearly always one of the worker that was lost; but not if it
    was lost too often.
    """

    chance: random.Random
    rate: Rate
    clock: Clock = field(default_factory=Clock)
    deaths: list[Death] = field(default_factory=list)
    tables: dict[tuple[int, int], tuple[ScheduledMatch, float]] = field(default_factory=dict)
    """The match at each table of each worker, and when it ends."""
    waiting: list[ScheduledMatch] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    """How often each match was lost."""

    def __post_init__(self) -> None:
        self.known = LeagueDeaths(self.clock)
        self._sets = count()

    def run(self, most: int) -> str | None:
        """Return the entrant that is benched, if one is within that number of failures."""
        failures = 0
        while failures < most:
            self._fill_tables()
            self.clock.now += STEP
            for worker in range(WORKERS):
                its = [match for (at, _), (match, _) in self.tables.items() if at == worker]
                there = {name for match in its for name in match.entrants}
                if self.chance.random() < STEP * self.rate(worker, there):
                    failures += 1
                    self.deaths += self.known.charged(lost(f"w{worker}", *its)).values()
                    self.lost.update(match.id for match in its)
                    self.waiting += [match for match in its if self.lost[match.id] < MOST_LOST]
                    self._end(its)
                    if found := after_failure(self.deaths[-LAST_DEATHS:]):
                        return found[0]
            self._end([match for match, end in self.tables.values() if end <= self.clock.now])
        return None

    def _fill_tables(self) -> None:
        for table in product(range(WORKERS), range(2)):
            if table not in self.tables:
                match = self.waiting.pop() if self.waiting else self._next()
                self.known.note_started(match)
                seconds = self.chance.uniform(1, 2) * (4 if "0" in match.entrants else 1)
                self.tables[table] = match, self.clock.now + seconds

    def _next(self) -> ScheduledMatch:
        return scheduled(str(next(self._sets)), *self.chance.choice(PAIRS))

    def _end(self, matches: list[ScheduledMatch]) -> None:
        for match in matches:
            self.known.note_ended(match.id)
        ended = {match.id for match in matches}
        self.tables = {at: has for at, has in self.tables.items() if has[0].id not in ended}


def simulations(rate: Rate) -> Counter[str | None]:
    """Return the entrants that were benched in leagues in which many workers died."""
    chance = random.Random(19)  # noqa: S311  no secret depends on it
    return Counter(Simulation(chance, rate).run(FAILURES) for _ in range(LEAGUES))


def test_innocent_bots_are_not_benched_when_machines_are_lost_by_chance() -> None:
    found = simulations(lambda _worker, _there: 0.05)
    assert found[None] >= LEAGUES - 1, found


def test_innocent_bots_are_not_benched_because_of_a_bad_worker() -> None:
    found = simulations(lambda worker, _there: 0.5 if worker == 0 else 0.0)
    assert found[None] >= LEAGUES - 1, found


def test_a_bot_that_kills_its_workers_is_benched_and_no_other() -> None:
    found = simulations(lambda _worker, there: 0.5 if "3" in there else 0.01)
    assert found["3"] >= LEAGUES - 1, found
    assert set(found) <= {"3", None}


# The store ----------------------------------------------------------------------------------------


def failure(*names: str) -> Death:
    return Death(DeathKind.WORKER, names, dict.fromkeys(names, 0.2), "w0 was lost")


def test_failures_are_explained_by_a_benched_entrant_and_forgiven_with_it(tmp_path: Path) -> None:
    clock = Hours()
    with Store.open(f"sqlite:///{tmp_path / 'league.db'}", now=clock) as store:
        begin(store, "ann", "bob", "cid")
        first, second = failure("ann", "bob"), failure("bob", "cid")
        assert store.note_death(LEAGUE, first, 10) == [first]
        clock.pass_by(1)
        assert store.note_death(LEAGUE, second, 10) == [first, second]
        assert store.note_death(LEAGUE, second, 1) == [second], "the newest"
        store.bench(LEAGUE, "ann", "it was there")
        clock.pass_by(1)
        assert store.note_death(LEAGUE, second, 10) == [second] * 3
        store.unbench(LEAGUE, "ann", Role.ORGANISER)
        clock.pass_by(1)
        assert store.note_death(LEAGUE, first, 10) == [second, second, second, first]
