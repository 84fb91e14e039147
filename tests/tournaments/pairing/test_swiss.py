"""Swiss rounds: against the best pairing by brute force, and what every round must keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from tests.tournaments.pairing.schedules import bots
from tournaments.model import DuplicateSet, Format, GameRequest, Request, Result
from tournaments.pairing.swiss import SwissRound, rounds_of, swiss_places, swiss_tables

Tables = list[tuple[str, ...]]


def request(entrants: int, sizes: tuple[int, ...] = (2,), rounds: int | None = None) -> Request:
    """Return a Swiss tournament of bot00, bot01 and so on."""
    game = GameRequest("glastonbury", sizes, ("plain",))
    return Request(bots(entrants), (game,), format=Format.SWISS, rounds=rounds)


def results_of(each: DuplicateSet, chance: Random) -> list[Result]:
    """Return results of a set by chance; some places are shared."""
    found = []
    for match in each.matches:
        scores = tuple(chance.randrange(4) for _ in match.entrants)
        places = tuple(1 + sum(other > score for other in scores) for score in scores)
        used = (0.0,) * len(scores)
        found.append(
            Result(match.id, each.id, each.game, each.variant, match.entrants, places, scores, (),
                   used, 9)
        )  # fmt: skip
    return found


def play(asked: Request, seed: int) -> list[SwissRound]:
    """Play all rounds."""
    results: dict[str, Sequence[Result]] = {}
    chance = Random(seed)  # noqa: S311  the same in every run
    while True:
        rounds = rounds_of(asked, results)
        new = [each for one in rounds for each in one.sets if each.id not in results]
        if not new:
            return rounds
        results |= {each.id: results_of(each, chance) for each in new}


def scores_before(rounds: Sequence[SwissRound], number: int) -> dict[str, Fraction]:
    """Add up the points of each entrant before a round, naively."""
    total: Counter[str] = Counter()
    for each in rounds[:number]:
        assert each.points is not None
        for name, points in each.points.items():
            total[name] += points  # type: ignore[assignment]
    return total  # type: ignore[return-value]


def met_before(rounds: Sequence[SwissRound], number: int) -> Counter[frozenset[str]]:
    """Count how often each pair has met before a round."""
    return Counter(
        frozenset(pair)
        for each in rounds[:number]
        for table in each.tables
        for pair in combinations(table, 2)
    )


def partitions(names: Sequence[str], sizes: Sequence[int]) -> Iterator[Tables]:
    """Return every way to put entrants at tables; equal tables come in any order."""
    if not sizes:
        yield []
        return
    size, *others = sizes
    for table in combinations(names, size):
        rest = [name for name in names if name not in table]
        for more in partitions(rest, others):
            yield [table, *more]


def quality(
    tables: Sequence[Sequence[str]],
    met: Counter[frozenset[str]],
    score: dict[str, Fraction],
) -> tuple[int, Fraction]:
    """Return the meetings that there were before, and the squared differences of scores."""
    pairs = [pair for table in tables for pair in combinations(table, 2)]
    repeated = sum(met[frozenset(pair)] for pair in pairs)
    return repeated, sum(((score[a] - score[b]) ** 2 for a, b in pairs), Fraction())


@pytest.mark.parametrize("entrants", [4, 5, 6, 7, 8])
@pytest.mark.parametrize("seed", range(4))
def test_at_tables_of_two_every_round_is_the_best_of_all_possible_ones(
    entrants: int, seed: int
) -> None:
    rounds = play(request(entrants, rounds=entrants), seed)
    assert len(rounds) == entrants
    for number in range(1, entrants):
        each = rounds[number]
        score, met = scores_before(rounds, number), met_before(rounds, number)
        seated = [name for table in each.tables for name in table]
        best = min(
            quality(tables, met, score)
            for tables in partitions(sorted(seated), [2] * len(each.tables))
        )
        assert quality(each.tables, met, score) == best


@pytest.mark.parametrize("sizes", [(3,), (2, 3), (3, 4)])
@pytest.mark.parametrize("entrants", [7, 8, 9])
def test_larger_tables_have_nearly_as_few_repeated_meetings_as_possible(
    entrants: int, sizes: tuple[int, ...]
) -> None:
    rounds = play(request(entrants, sizes, rounds=3), 1)
    for number in range(1, 3):
        each = rounds[number]
        score, met = scores_before(rounds, number), met_before(rounds, number)
        seated = [name for table in each.tables for name in table]
        layout = [len(table) for table in each.tables]
        best = min(quality(tables, met, score) for tables in partitions(sorted(seated), layout))
        assert quality(each.tables, met, score)[0] <= best[0] + 1


@pytest.mark.parametrize("entrants", [5, 8, 11, 16, 33])
def test_nobody_meets_again_while_that_is_possible_and_byes_go_round(entrants: int) -> None:
    rounds = play(request(entrants), 7)
    assert len(rounds) == {5: 3, 8: 3, 11: 4, 16: 4, 33: 6}[entrants]
    assert max(met_before(rounds, len(rounds)).values()) == 1
    byes = Counter(name for each in rounds for name in each.byes)
    assert sum(byes.values()) == len(rounds) * (entrants % 2)
    assert max(byes.values(), default=1) == 1
    for each in rounds:
        names = sorted([*each.byes, *(name for table in each.tables for name in table)])
        assert names == [entry.name for entry in bots(entrants)], "everyone once"


def test_the_first_round_is_the_upper_half_against_the_lower_half() -> None:
    (first,) = rounds_of(request(8), {})
    assert first.tables == (
        ("bot00", "bot04"), ("bot01", "bot05"), ("bot02", "bot06"), ("bot03", "bot07"),
    )  # fmt: skip
    (first,) = rounds_of(request(5), {})
    assert first.tables == (("bot00", "bot02"), ("bot01", "bot03"))
    assert first.byes == ("bot04",)


@pytest.mark.parametrize(
    ("entrants", "sizes", "expected"),
    [
        (8, (2,), [2, 2, 2, 2]),
        (11, (2,), [2, 2, 2, 2, 2]),
        (11, (4,), [4, 4]),
        (11, (3, 4), [4, 4, 3]),
        (5, (3, 4), [4]),
        (9, (2, 3, 4), [3, 3, 3]),
        (5, (2, 3), [3, 2]),
        (3, (2,), [2]),
    ],
)
def test_tables_leave_out_as_few_as_possible(
    entrants: int, sizes: tuple[int, ...], expected: list[int]
) -> None:
    assert swiss_tables(entrants, sizes) == expected


def test_the_table_by_hand() -> None:
    """Four entrants, two rounds: the better seed wins both matches of every set."""
    asked = request(4, rounds=2)
    results: dict[str, Sequence[Result]] = {}
    while new := [each for one in rounds_of(asked, results) for each in one.sets
                  if each.id not in results]:  # fmt: skip
        for each in new:
            results[each.id] = [
                Result(m.id, each.id, each.game, each.variant, m.entrants,
                       (1, 2) if m.entrants[0] < m.entrants[1] else (2, 1), (0, 0), (),
                       (0.0, 0.0), 9)
                for m in each.matches
            ]  # fmt: skip
    rounds = rounds_of(asked, results)
    # bot00 beats bot02 and bot01 beats bot03; then the winners meet, and so do the losers.
    assert list(map(set, rounds[1].tables)) == [{"bot00", "bot01"}, {"bot02", "bot03"}]
    places = swiss_places(asked, rounds)
    # Each has met opponents with a mean score of 1, so bot01 and bot02 share the second place.
    found = [(each.rank, each.name, int(each.score), int(each.opponents)) for each in places]
    assert found == [
        (1, "bot00", 2, 1),
        (2, "bot01", 1, 1),
        (2, "bot02", 1, 1),
        (4, "bot03", 0, 1),
    ]


def test_a_round_waits_for_the_last_match_of_the_one_before() -> None:
    asked = request(4, rounds=2)
    (first,) = rounds_of(asked, {})
    chance = Random(1)  # noqa: S311  the same in every run
    results = {each.id: results_of(each, chance) for each in first.sets[:1]}
    assert len(rounds_of(asked, results)) == 1
    results |= {each.id: results_of(each, chance) for each in first.sets[1:]}
    assert len(rounds_of(asked, results)) == 2
