"""Knock-outs: the bracket, its series, and which sets come next.

The bracket is a function of the number of entrants. A series is best of n duplicate sets at a table
of two. The set goes to the entrant with more points in its matches, at equal points to the one with
the higher total score, else to neither. The series goes to the entrant that leads by more sets than
are left. A level series goes on by one set at a time up to a limit; then the better seed wins it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from tournaments.model import DuplicateSet, Format, Request, Result, kinds_of, round_the_table
from tournaments.pairing.swiss import SetResults
from tournaments.ratings import half_points

BYE: Final = ""
"""In place of a name: no opponent, so that the other entrant goes on without a match."""


class Part(StrEnum):
    """The part of a bracket to which a series belongs."""

    MAIN = "main"
    LOSERS = "losers"
    """Of a double knock-out: among those that have lost one series."""
    FINAL = "final"
    """Of a double knock-out: the winners of both parts."""
    SECOND_FINAL = "second_final"
    """Played if the final was the first series that the winner of the main part lost."""
    THIRD_PLACE = "third_place"


class Slot(NamedTuple):
    """Where an entrant of a series comes from: it is seeded there, or from an earlier series."""

    seed: int = 0
    """From 1, or 0 for none; one beyond the number of entrants is a bye."""
    series: int = 0
    """The number of the series in the bracket, from 0, if there is no seed."""
    loser: bool = False
    """Whether the loser of that series gets here, and not the winner."""


class Fixture(NamedTuple):
    """A place for a series in a bracket."""

    part: Part
    round: int
    """From 1, within its part."""
    slots: tuple[Slot, Slot]


_Add = Callable[[Part, int, Sequence[Slot]], list[int]]
"""Adds the fixtures of a round, and returns their numbers."""


@dataclass(frozen=True, slots=True)
class Series:
    """A fixture with what is known of it."""

    fixture: Fixture
    entrants: tuple[str | None, str | None]
    """None where it is not known yet; BYE where there is none."""
    sets: tuple[DuplicateSet, ...] = ()
    """Those that are scheduled, in their order."""
    outcomes: tuple[int, ...] = ()
    """Of each set that is decided: 1 if the first entrant won it, -1 if the second did, or 0."""
    winner: str | None = None
    by_seed: bool = False
    """Whether it stayed level, so that the better seed won it."""
    skipped: bool = False
    """Whether it is not played: a second final that is not needed."""

    @property
    def loser(self) -> str | None:
        """The other one of a series that is decided."""
        first, second = self.entrants
        return None if self.winner is None else second if self.winner == first else first

    @property
    def won(self) -> tuple[int, int]:
        """How many sets each has won."""
        return self.outcomes.count(1), self.outcomes.count(-1)


def bracket(entrants: int, *, double: bool = False, third_place: bool = False) -> list[Fixture]:
    """Return the fixtures for a number of entrants, each after those that it depends on.

    The best seeds meet last, and have the byes if the number is no power of two.
    """
    fixtures: list[Fixture] = []

    def add(part: Part, number: int, slots: Sequence[Slot]) -> list[int]:
        pairs = zip(slots[::2], slots[1::2], strict=True)
        fixtures.extend(Fixture(part, number, pair) for pair in pairs)
        return list(range(len(fixtures) - len(slots) // 2, len(fixtures)))

    series = add(Part.MAIN, 1, [Slot(seed) for seed in seed_order(entrants)])
    main = [series]
    while len(series) > 1:
        series = add(Part.MAIN, len(main) + 1, [Slot(series=each) for each in series])
        main.append(series)
    if third_place and len(main) > 1:
        add(Part.THIRD_PLACE, 1, [Slot(series=each, loser=True) for each in main[-2]])
    if double:
        _add_losers(add, main)
    return fixtures


def _add_losers(add: _Add, main: Sequence[Sequence[int]]) -> None:
    """Add the losers' part and the finals.

    The losers of a later round enter in reverse order, so that they meet again as late as possible.
    """
    left = [Slot(series=each, loser=True) for each in main[0]]
    number = 0
    for entering in main[1:]:
        number += 1
        left = [Slot(series=each) for each in add(Part.LOSERS, number, left)]
        number += 1
        losers = [Slot(series=each, loser=True) for each in reversed(entering)]
        mixed = [slot for pair in zip(left, losers, strict=True) for slot in pair]
        left = [Slot(series=each) for each in add(Part.LOSERS, number, mixed)]
    slots = [Slot(series=main[-1][0]), *left]
    add(Part.FINAL, 1, slots)
    add(Part.SECOND_FINAL, 1, slots)


def seed_order(entrants: int) -> list[int]:
    """Return the seeds from the top of the first round to its bottom, with those of the byes."""
    order = [1]
    while len(order) < max(2, entrants):
        last = 2 * len(order) + 1
        order = [seed for upper in order for seed in (upper, last - upper)]
    return order


def series_of(request: Request, results: SetResults) -> list[Series]:
    """Return every series of a knock-out, as far as the results decide them."""
    double = request.format is Format.DOUBLE_KNOCK_OUT
    fixtures = bracket(len(request.entries), double=double, third_place=request.third_place)
    names = [entry.name for entry in request.entries]
    tables = _Tables(request)
    found: list[Series] = []
    for fixture in fixtures:
        first, second = (_entrant(slot, names, found) for slot in fixture.slots)
        if fixture.part is Part.SECOND_FINAL and found[-1].winner in (first, None):
            found.append(Series(fixture, (None, None), skipped=found[-1].winner is not None))
        elif first is None or second is None:
            found.append(Series(fixture, (first, second)))
        elif BYE in (first, second):
            found.append(Series(fixture, (first, second), winner=first or second))
        else:
            better = min(first, second, key=names.index)
            played = _play(request, tables, (first, second), results, better)
            found.append(Series(fixture, (first, second), *played))
    return found


def _entrant(slot: Slot, names: Sequence[str], found: Sequence[Series]) -> str | None:
    """Return who is at a slot, as far as it is known."""
    if slot.seed:
        return names[slot.seed - 1] if slot.seed <= len(names) else BYE
    series = found[slot.series]
    return series.loser if slot.loser else series.winner


class _Tables:
    """Numbers the sets of each pair: it may meet in several series, and each set is another one."""

    def __init__(self, request: Request) -> None:
        self._seatings = request.seatings
        self._kinds = sorted(kinds_of(request.games))
        self._sets: Counter[tuple[str, ...]] = Counter()

    def sets(self, pair: tuple[str, str]) -> Iterator[DuplicateSet]:
        """Return one set after the other: of each game and variant in turn."""
        table = tuple(sorted(pair))
        while True:
            turn, place = divmod(self._sets[table], len(self._kinds))
            self._sets[table] += 1
            kind = self._kinds[place]
            order = round_the_table(kind.game, kind.variant, table, turn + 1)
            yield DuplicateSet(kind.game, kind.variant, order, turn + 1, self._seatings)


def _play(
    request: Request, tables: _Tables, pair: tuple[str, str], results: SetResults, better: str
) -> tuple[tuple[DuplicateSet, ...], tuple[int, ...], str | None, bool]:
    """Return the sets of a series, their outcomes, the winner, and whether the seeds decided.

    Sets are scheduled as many at a time as the leader needs to win the series with them.
    """
    more = tables.sets(pair)
    sets: list[DuplicateSet] = []
    outcomes: list[int] = []
    while True:
        lead, left = abs(sum(outcomes)), request.best_of - len(outcomes)
        if lead > max(left, 0):
            winner = pair[0] if sum(outcomes) > 0 else pair[1]
            return tuple(sets), tuple(outcomes), winner, False
        if -left >= request.extra_sets:
            return tuple(sets), tuple(outcomes), better, True
        due = [next(more) for _ in range((max(left, 0) - lead) // 2 + 1)]
        sets += due
        if any(each.id not in results for each in due):
            return tuple(sets), tuple(outcomes), None, False
        outcomes += [_outcome(pair[0], results[each.id]) for each in due]


def _outcome(first: str, results: Sequence[Result]) -> int:
    """Return 1 if the first of two entrants won a set, -1 if the other did, 0 if neither."""
    points = scores = 0
    for result in results:
        sign = 1 if result.entrants[0] == first else -1
        mine, others = half_points(result.places)
        points += sign * (mine - others)
        scores += sign * (result.scores[0] - result.scores[1])
    return _sign(points) or _sign(scores)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
