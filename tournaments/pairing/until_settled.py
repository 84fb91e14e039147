"""Schedules that grow until a question is settled, or a limit is reached.

A schedule has levels: how many sets each table has, or how many sets a comparison has. When all
matches of a level are played, and its results do not settle the question, the next level adds sets.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine import UsageError
from tournaments.model import (
    Claims,
    DuplicateSet,
    Format,
    Request,
    Result,
    TournamentSettings,
    check_request,
)
from tournaments.pairing.comparison import FIRST_SETS, comparison_sets, round_sets
from tournaments.pairing.round_robin import Schedule, count_matches, schedule
from tournaments.ratings import FEWEST_SETS, Verdict, compare, stop_state

GROWTH: Final = 8
"""Each level adds this part of the sets that the tables have, but at least one set to each."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many matches a tournament has that stops by itself."""

    fewest: int
    """Before it can stop, however clear the results are."""
    most: int


def limits(request: Request) -> Limits:
    """Return how many matches a tournament has at least and at most; raises UsageError."""
    levels = _Levels(request)
    level, following = levels.first, levels.after(levels.first)
    while following is not None and not levels.can_settle(level):
        level, following = following, levels.after(following)
    fewest = levels.count(level)
    while following is not None:
        level, following = following, levels.after(following)
    return Limits(fewest, levels.count(level))


def growing_rounds(request: Request) -> list[tuple[int, int]]:
    """Return the sets of a table and the matches in all after each round, up to the limit."""
    levels = _Levels(request)
    found, level = [], levels.first
    while True:
        found.append((level, levels.count(level)))
        following = levels.after(level)
        if following is None:
            return found
        level = following


def until_settled(
    tournament: TournamentSettings, keep: Sequence[DuplicateSet], results: Sequence[Result]
) -> Schedule:
    """Return the schedule up to the level that the results have not settled; ``keep`` is in it."""
    levels = _Levels(tournament.request())
    level = levels.of(keep)
    while True:
        sets = levels.sets(level, keep)
        played = _in_order(sets, results)
        following = levels.after(level)
        if played is None or following is None or _is_settled(tournament, played):
            return Schedule(levels.request, sets)
        level = following


def growth_problems(
    tournament: TournamentSettings, sets: Sequence[DuplicateSet], results: Sequence[Result]
) -> Iterator[str]:
    """Say which levels were added although the question was settled; ``sets`` as they were added.

    What was known when a level was added are the results of all sets before its first one.
    """
    levels = _Levels(tournament.request())
    level = levels.first
    for position, each in enumerate(sets):
        if levels.of([each]) <= level:
            continue
        before = sorted(sets[:position], key=lambda known: (known.number, known.id))
        played = _in_order(before, results)
        if played is not None and _is_settled(tournament, played):
            yield f"set {each.number} of the tables was added when the question was settled."
            return
        level = levels.after(level) or levels.of([each])


def _is_settled(tournament: TournamentSettings, results: Sequence[Result]) -> bool:
    state = stop_state(tournament, results)
    return state is not None and state.settled


def _in_order(sets: Sequence[DuplicateSet], results: Sequence[Result]) -> list[Result] | None:
    """Return the results of the sets in their order; None if a match is missing."""
    found: defaultdict[str, list[Result]] = defaultdict(list)
    for result in results:
        found[result.set_id].append(result)
    ordered: list[Result] = []
    for each in sets:
        if len(found[each.id]) < each.count:
            return None
        ordered += sorted(found[each.id], key=lambda result: int(result.match.rpartition("-")[2]))
    return ordered


class _Levels:
    """The levels of a schedule: by the number of sets of those tables that have most."""

    def __init__(self, request: Request) -> None:
        check_request(request)
        assert request.stop is not None  # noqa: S101  only such a schedule has levels
        self.request = request
        self._limit = request.stop.max_sets
        self._is_comparison = request.format is Format.COMPARISON
        self._begin = {asked.game: asked.sets_per_table for asked in request.games}
        self.first = max(self._begin.values())
        if self._is_comparison:
            self.first = min(FIRST_SETS, self._limit)
        elif request.max_matches is not None and self.count(self.first) > request.max_matches:
            raise UsageError(
                f"max_matches is {request.max_matches}, but the tournament begins with "
                f"{self.count(self.first)} matches: give a larger limit, or a smaller "
                "sets_per_table."
            )

    def of(self, sets: Sequence[DuplicateSet]) -> int:
        """Return the level that has these sets, but at least the first."""
        if self._is_comparison:
            return max([self.first, *(each.number for each in sets)])
        added = (each.number - self._begin[each.game] for each in sets if each.game in self._begin)
        return max(self._begin.values()) + max([0, *added])

    def after(self, level: int) -> int | None:
        """Return the next level, or None at the limit."""
        step = round_sets(level) if self._is_comparison else max(1, level // GROWTH)
        following = min(level + step, self._limit)
        most = self.request.max_matches
        while most is not None and following > level and self.count(following) > most:
            following -= 1
        return following if following > level else None

    def count(self, level: int) -> int:
        """Return how many matches a level has in all."""
        if self._is_comparison:
            return level * comparison_sets(self.request, 1, 1)[0].count
        return count_matches(self._asked(level))

    def can_settle(self, level: int) -> bool:
        """Return whether the clearest results of a level would settle the question."""
        if self._is_comparison:
            assert self.request.stop is not None  # noqa: S101  as in __init__
            found = compare([1.0] * level, self.request.stop.confidence)
            return found.verdict is Verdict.BETTER
        played = Counter(name for each in self.sets(level, ()) for name in each.order)
        return min(played.values()) >= FEWEST_SETS[Claims.ANYTIME]

    def sets(self, level: int, keep: Sequence[DuplicateSet]) -> tuple[DuplicateSet, ...]:
        """Return all sets of a level; raises UsageError if ``keep`` is no part of it."""
        if not self._is_comparison:
            return schedule(self._asked(level), keep).sets
        sets = comparison_sets(self.request, 1, level)
        strange = {each.id for each in keep} - {each.id for each in sets}
        if strange:
            raise UsageError(
                f"the set {min(strange)} is part of the tournament already, but this comparison "
                "does not have it: put the tournament file back as it was."
            )
        return tuple(sets)

    def _asked(self, level: int) -> Request:
        """Return the request with the sets of a level, and without the limit on matches."""
        more = level - max(self._begin.values())
        games = tuple(
            replace(asked, sets_per_table=asked.sets_per_table + more)
            for asked in self.request.games
        )
        return replace(self.request, games=games, max_matches=None)
