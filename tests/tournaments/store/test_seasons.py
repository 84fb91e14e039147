"""Seasons in the store: what starts, ends and is archived, on both databases, and under kill -9."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.tournaments.leagues import FRESH, LEAGUE, Hours, begin, play, seat, take
from tournaments.model import ConflictError, InvalidError, NotFoundError, Role, Season
from tournaments.store import Store

TWO_DIVISIONS = replace(FRESH, division_sizes=(3,), promote=1, relegate=1)
SIX = ("ann", "bob", "cy", "dee", "eve", "fay")


def divisions(season: Season) -> list[list[str]]:
    """Return the names in each division, in their order."""
    return [
        [each.name for each in season.entrants if each.division == number]
        for number in range(1, season.divisions + 1)
    ]


def test_a_league_without_seasons_has_none(store: Store) -> None:
    begin(store, "ann", "bob")
    assert seat(store, "ann", "bob")[0].season is None
    assert store.league(LEAGUE).season == 0
    assert store.seasons(LEAGUE) == ()
    with pytest.raises(NotFoundError, match="no season"):
        store.season(LEAGUE)
    with pytest.raises(ConflictError, match="no season of autumn is open"):
        store.end_season(LEAGUE, another=False)


def test_the_first_divisions_follow_the_given_order_and_then_the_entries(store: Store) -> None:
    begin(store, *SIX, settings=TWO_DIVISIONS)
    season = store.start_season(LEAGUE, ["fay", "cy", "stranger"])
    assert divisions(season) == [["ann", "cy", "fay"], ["bob", "dee", "eve"]]  # as they entered
    assert season.number == store.league(LEAGUE).season == 1
    assert (season.state, season.ends_at) == ("open", None)
    with pytest.raises(ConflictError, match="season 1 of autumn is open: end it first"):
        store.start_season(LEAGUE)


def test_a_table_has_entrants_of_one_division_and_newcomers_are_in_the_lowest(store: Store) -> None:
    begin(store, *SIX, settings=TWO_DIVISIONS)
    store.start_season(LEAGUE)
    store.enter(LEAGUE, "gus", "")
    store.see_version(LEAGUE, "gus", "1")
    assert seat(store, "dee", "gus")[0].season == 1
    with pytest.raises(ConflictError, match="ann and gus are not in the same division"):
        seat(store, "ann", "gus")


def test_what_has_begun_is_finished_and_the_rest_is_dropped(store: Store) -> None:
    begin(store, *SIX, settings=replace(TWO_DIVISIONS, deals="duplicate"))
    store.start_season(LEAGUE)
    (begun, sibling), (waits, _) = seat(store, "ann", "bob"), seat(store, "dee", "eve")
    take(store, begun)
    assert store.end_season(LEAGUE, another=False).state == "final"
    assert store.match(sibling.id).state == "scheduled", "its set has begun"
    assert store.match(waits.id).state == "dropped"
    with pytest.raises(ConflictError, match="season 1 of autumn is over"):
        seat(store, "ann", "bob")
    with pytest.raises(ConflictError, match="still played"):
        store.archive_season(LEAGUE, 0, SIX, {})


def final(store: Store, *, another: bool) -> None:
    """Begin a league of two divisions, play two matches, and end its season."""
    begin(store, *SIX, settings=TWO_DIVISIONS)
    store.start_season(LEAGUE)
    play(store, seat(store, "ann", "bob")[0])
    play(store, seat(store, "dee", "eve")[0])
    store.end_season(LEAGUE, another=another)


ORDER = ("eve", "bob", "ann", "cy", "fay", "dee")
"""So that cy is relegated and eve is promoted."""


def test_the_end_promotes_relegates_keeps_the_standings_and_starts_the_next(store: Store) -> None:
    final(store, another=True)
    with pytest.raises(ConflictError, match="results of season 1 have changed"):
        store.archive_season(LEAGUE, 3, ORDER, {})
    season = store.archive_season(LEAGUE, 2, ORDER, {"head": "{}"})
    assert (season.number, season.state) == (1, "archived")
    assert divisions(season) == [["bob", "ann", "cy"], ["eve", "fay", "dee"]]
    assert {each.name: each.move for each in season.entrants if each.move} == {
        "cy": "relegated",
        "eve": "promoted",
    }
    assert [each.rank for each in season.entrants] == [1, 2, 3, 1, 2, 3]
    assert store.season_section(LEAGUE, 1, "head") == "{}"
    following = store.season(LEAGUE)
    assert (following.number, following.state) == (2, "open")
    assert list(map(set, divisions(following))) == [{"bob", "ann", "eve"}, {"cy", "fay", "dee"}]
    assert [entry.text for entry in store.journal(LEAGUE) if entry.kind == "season"] == [
        "Season 2 starts, with 2 divisions.",
        "Season 1 is over; bob is first; promoted: eve; relegated: cy.",
        "Season 1 ends: what has begun is played to its end.",
        "Season 1 starts, with 2 divisions.",
    ]


def test_only_the_results_of_a_season_are_its_own_and_they_stay(store: Store) -> None:
    final(store, another=True)
    (first,) = [match.id for match in store.matches(LEAGUE, entrant="ann").items]
    store.archive_season(LEAGUE, 2, ORDER, {})
    play(store, seat(store, "bob", "eve")[0])
    assert [result.entrants for result in store.results(LEAGUE, 2)] == [("bob@1", "eve@1")]
    assert len(store.results(LEAGUE, 1)) == 2
    assert len(store.results(LEAGUE)) == 3
    assert len(store.matches(LEAGUE, season=1).items) == 2
    with pytest.raises(ConflictError, match="a season that is archived"):
        store.annul(first, "too late")


def test_who_left_is_not_in_the_next_season_and_the_best_below_moves_up(store: Store) -> None:
    final(store, another=False)
    store.archive_season(LEAGUE, 2, ORDER, {})
    store.withdraw(LEAGUE, "bob", "", Role.ENTRANT)
    store.enter(LEAGUE, "gus", "")
    season = store.start_season(LEAGUE)
    # ann and eve were in division 1 of the next season; cy, relegated, is the first below.
    assert list(map(set, divisions(season))) == [{"ann", "eve", "cy"}, {"fay", "dee", "gus"}]


def test_a_season_has_an_end_by_date(store: Store, hours: Hours) -> None:
    begin(store, "ann", "bob", settings=replace(FRESH, season_days=30))
    with pytest.raises(InvalidError, match="give a later date"):
        store.start_season(LEAGUE, (), hours.time)
    season = store.start_season(LEAGUE)
    assert season.ends_at == hours.time + timedelta(days=30)
    assert season.another


KILLED = """
import os, signal, sys, json
import sqlalchemy as sa
from tournaments.store import Store
url, league, order = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
def archive(last):
    count = 0
    store = Store.open(url, migrate=False)
    @sa.event.listens_for(sa.engine.Engine, "after_cursor_execute")
    def kill(connection, cursor, statement, *_):
        nonlocal count
        count += 1
        if count == last:
            os.kill(os.getpid(), signal.SIGKILL)
    store.archive_season(league, 2, order, {"head": "{}"})
for line in sys.stdin:
    child = os.fork()
    if not child:
        archive(int(line))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""For each number on a line, archives a season in a process that is killed after that number of
statements, and prints how it ended. The modules are loaded once."""


@contextmanager
def killing(url: str) -> Iterator[Callable[[int], int]]:
    """Return a function that archives the season until a statement, and returns the exit code."""
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, url, LEAGUE, json.dumps(ORDER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None

        def archive_until(statements: int) -> int:
            print(statements, file=running.stdin, flush=True)
            return int(running.stdout.readline())  # type: ignore[union-attr]

        yield archive_until


@pytest.mark.slow
def test_a_promotion_that_is_killed_has_happened_completely_or_not_at_all(
    store: Store, url: str
) -> None:
    final(store, another=True)
    before = store.season(LEAGUE), store.journal(LEAGUE)
    with killing(url) as archive_until:
        statements = 1
        while (ended := archive_until(statements)) == -signal.SIGKILL:
            assert (store.season(LEAGUE), store.journal(LEAGUE)) == before, statements
            assert store.season_section(LEAGUE, 1, "head") is None
            statements += 1
    assert ended == 0
    assert statements > 10, "the transaction has as many statements, and was killed after each"
    assert store.season(LEAGUE).number == 2
    assert store.season(LEAGUE, 1).state == "archived"
    assert list(map(set, divisions(store.season(LEAGUE)))) == [
        {"bob", "ann", "eve"},
        {"cy", "fay", "dee"},
    ]
