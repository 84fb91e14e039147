"""Choose tables so that people and pairs of people play as evenly as can be found.

Where people are interchangeable, a choice is made once for all such cases: from nothing, or from a
block design where every pair can meet equally often; then the people are given their parts so that
other tables even out too. No clock and no dice: equal arguments give equal tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

from engine import Chance
from tournaments.schedule.choice import MOST_CHANGES, Choice
from tournaments.schedule.designs import design
from tournaments.schedule.tables import NO_SEED, Pool, Table, Tally

MOST_PARTS = 100
"""With more people than this, other tables decide only who plays once more than others."""


def choose(pool: Pool, count: int, before: Tally, overall: Tally) -> list[Table]:
    """Return so many tables of the pool that even out what was played before.

    ``before`` is what they must be even together with; ``overall`` decides where that leaves a
    choice.
    """
    if 2 * count > len(pool):
        return _all_but(pool, len(pool) - count, before, overall)
    if pool.is_open and before.is_level():
        return _renamed(_even_tables(pool.people, pool.seats, count), overall)
    choice = Choice(pool, before)
    _complete(choice, count, overall.plays)
    return choice.tables()


def _complete(choice: Choice, count: int, overall: Sequence[int]) -> int:
    choice.fill(count, overall)
    choice.level(overall)
    unevenness = choice.improve()
    choice.link()
    return unevenness


def _all_but(pool: Pool, count: int, before: Tally, overall: Tally) -> list[Table]:
    """Choose which tables to leave out, which is the smaller choice."""
    after, after_all = before.copy(), overall.copy()
    for table in pool:
        after.add(table)
        after_all.add(table)
    left_out = set(choose(pool, count, after.opposite(), after_all.opposite())) if count else set()
    return [table for table in pool if table not in left_out]


@lru_cache(maxsize=64)
def _even_tables(people: int, seats: int, count: int) -> list[Table]:
    """Return so many different tables, as even as can be found."""
    found = []
    for start in _starts(people, seats, count):
        choice = Choice(Pool(seats, tuple(range(people))), Tally(people))
        for table in start():
            choice.add(table)
        unevenness = _complete(choice, count, [0] * people)
        found.append((unevenness, choice.tables()))
        if unevenness == 0:
            break
    return min(found)[1]


def _starts(people: int, seats: int, count: int) -> Iterator[Callable[[], Iterable[Table]]]:
    """Return ways to begin: with nothing, and with a design that has about as many tables.

    A design for one person more, without the tables of the last, is a good beginning too.
    """
    yield list
    meetings = round(count * comb(seats, 2) / comb(people, 2)) if seats > 2 else 0
    if meetings:
        yield lambda: _thinned(design(people, seats, meetings) or (), people, count)
    if meetings == 1:
        yield lambda: _thinned(
            [table for table in design(people + 1, seats, 1) or () if table[-1] < people],
            people,
            count,
        )


def _thinned(tables: Sequence[Table], people: int, count: int) -> list[Table]:
    """Leave tables out, if there are more than that, so that everybody plays equally often."""
    kept, out = list(tables[:count]), list(tables[count:])
    tally = Tally(people)
    for table in kept:
        tally.add(table)
    plays, chance = tally.plays, Chance(NO_SEED, "thin")
    for _ in range(MOST_CHANGES if out else 0):
        if max(plays) - min(plays) <= 1:
            break
        i, j = chance.below(len(kept)), chance.below(len(out))
        leaves, comes = set(kept[i]) - set(out[j]), set(out[j]) - set(kept[i])
        if sum(plays[x] for x in comes) + len(comes) <= sum(plays[x] for x in leaves):
            for x in leaves:
                plays[x] -= 1
            for x in comes:
                plays[x] += 1
            kept[i], out[j] = out[j], kept[i]
    return kept


def _renamed(tables: Sequence[Table], overall: Tally) -> list[Table]:
    """Give the people their parts in these tables.

    Whoever plays least elsewhere gets the part that plays most; among equal parts, those who meet
    elsewhere meet here as little as an exchange of two parts can achieve.
    """
    people = len(overall.plays)
    parts = Tally(people)
    for table in tables:
        parts.add(table)
    by_plays = sorted(range(people), key=lambda x: (overall.plays[x], x))
    person = [0] * people
    for part, x in zip(
        sorted(range(people), key=lambda p: (-parts.plays[p], p)), by_plays, strict=True
    ):
        person[part] = x
    if people <= MOST_PARTS and not overall.is_level():
        while _exchange(person, parts, overall):
            pass
    return sorted(tuple(sorted(person[part] for part in table)) for table in tables)


def _exchange(person: list[int], parts: Tally, overall: Tally) -> bool:
    """Exchange every two equal parts where that helps; tell whether any did."""
    helped = False
    for p, q in combinations(range(len(person)), 2):
        x, y = person[p], person[q]
        if parts.plays[p] == parts.plays[q] or overall.plays[x] == overall.plays[y]:
            met = zip(parts.pairs[p], parts.pairs[q], person, strict=True)
            of_x, of_y = overall.pairs[x], overall.pairs[y]
            gain = sum((a - b) * (of_x[z] - of_y[z]) for a, b, z in met if z not in (x, y))
            if gain > 0:
                person[p], person[q] = y, x
                helped = True
    return helped
