"""Knock-outs: brackets by hand, series, seeds, and schedules that grow the same way every time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.tournaments.pairing.schedules import bots
from tournaments.model import DuplicateSet, Format, GameRequest, Request, Result
from tournaments.pairing.knock_out import BYE, Part, Series, seed_order, series_of

Decide = Callable[[str, str, int], int]
"""Returns 1 if the first one wins that set of the two, -1 if the other does, 0 if neither."""


def request(entrants: int, format_: Format = Format.KNOCK_OUT, **more: Any) -> Request:
    """Return a knock-out of bot00, bot01 and so on, the best seed first."""
    game = GameRequest("glastonbury", (2,), ("plain",))
    return Request(bots(entrants), (game,), format=format_, **more)


def results_of(each: DuplicateSet, winner: str | None) -> list[Result]:
    """Return the results of a set: one wins both matches, or all is level."""
    found = []
    for match in each.matches:
        places = (1, 1) if winner is None else tuple(1 + (n != winner) for n in match.entrants)
        scores = tuple(10 * (2 - place) for place in places) if winner else (5, 5)
        found.append(
            Result(match.id, each.id, each.game, each.variant, match.entrants, places, scores, (),
                   (0.0, 0.0), 9)
        )  # fmt: skip
    return found


def better_seed(first: str, second: str, _number: int) -> int:
    """Let the better seed win every set."""
    return 1 if first < second else -1


def play(asked: Request, decide: Decide = better_seed) -> tuple[list[Series], list[int]]:
    """Play a knock-out to its end; return its series, and how many sets each step added."""
    results: dict[str, Sequence[Result]] = {}
    steps: list[int] = []
    while True:
        series = series_of(asked, results)
        new = [each for one in series for each in one.sets if each.id not in results]
        if not new:
            return series, steps
        steps.append(len(new))
        for each in new:
            first, second = sorted(each.order)
            sign = decide(first, second, each.number)
            winner = None if sign == 0 else first if sign > 0 else second
            results[each.id] = results_of(each, winner)


def pairs(series: Sequence[Series], part: Part, number: int) -> list[tuple[int, ...]]:
    """Return the seeds that meet in a round, from the top of the bracket; 0 for a bye."""
    return [
        tuple(0 if name == BYE else int(str(name)[3:]) + 1 for name in one.entrants)
        for one in series
        if (one.fixture.part, one.fixture.round) == (part, number)
    ]


def champion(series: Sequence[Series]) -> str | None:
    """Return the winner of the last series that was played."""
    last = [one for one in series if not one.skipped and one.fixture.part is not Part.THIRD_PLACE]
    return last[-1].winner


def test_the_seeds_stand_as_in_every_bracket() -> None:
    assert seed_order(2) == [1, 2]
    assert seed_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert seed_order(11) == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]


def test_a_bracket_of_eight_by_hand() -> None:
    series, steps = play(request(8, third_place=True))
    assert pairs(series, Part.MAIN, 1) == [(1, 8), (4, 5), (2, 7), (3, 6)]
    assert pairs(series, Part.MAIN, 2) == [(1, 4), (2, 3)]
    assert pairs(series, Part.MAIN, 3) == [(1, 2)]
    assert pairs(series, Part.THIRD_PLACE, 1) == [(4, 3)]
    assert steps == [4, 2, 2]
    assert champion(series) == "bot00"


def test_a_bracket_of_eleven_gives_the_five_best_seeds_a_bye() -> None:
    series, steps = play(request(11))
    first = [(1, 0), (8, 9), (4, 0), (5, 0), (2, 0), (7, 10), (3, 0), (6, 11)]
    assert pairs(series, Part.MAIN, 1) == first
    assert pairs(series, Part.MAIN, 2) == [(1, 8), (4, 5), (2, 7), (3, 6)]
    # The second round does not wait for the first where both entrants had a bye.
    assert steps == [3 + 1, 3, 2, 1]
    assert sum(steps) == 10


def test_a_bracket_of_five_by_hand_with_an_upset() -> None:
    def last_seed_wins(first: str, second: str, _number: int) -> int:
        return -1 if second == "bot04" else 1 if first < second else -1

    series, _ = play(request(5), last_seed_wins)
    assert pairs(series, Part.MAIN, 1) == [(1, 0), (4, 5), (2, 0), (3, 0)]
    assert pairs(series, Part.MAIN, 2) == [(1, 5), (2, 3)]
    assert pairs(series, Part.MAIN, 3) == [(5, 2)]
    assert champion(series) == "bot04"


@pytest.mark.parametrize("entrants", range(2, 18))
def test_a_double_knock_out_is_over_for_each_after_two_lost_series(entrants: int) -> None:
    def by_hash(first: str, second: str, number: int) -> int:
        return 1 if hash((int(first[3:]), int(second[3:]), number)) % 2 else -1

    series, _ = play(request(entrants, Format.DOUBLE_KNOCK_OUT), by_hash)
    met = [one for one in series if one.sets]
    lost = [one.loser for one in met]
    names = [entry.name for entry in bots(entrants)]
    assert champion(series) is not None
    assert {name: lost.count(name) for name in names if name != champion(series)} == dict.fromkeys(
        (name for name in names if name != champion(series)), 2
    )
    assert lost.count(champion(series)) <= 1
    assert len(met) in (2 * entrants - 2, 2 * entrants - 1)


def test_a_double_knock_out_of_four_by_hand() -> None:
    def upset(first: str, second: str, number: int) -> int:
        """Let bot01 win everything but its first set against bot00."""
        if (first, second) == ("bot00", "bot01"):
            return 1 if number == 1 else -1
        return 1 if first < second else -1

    series, _ = play(request(4, Format.DOUBLE_KNOCK_OUT), upset)
    assert pairs(series, Part.MAIN, 1) == [(1, 4), (2, 3)]
    assert pairs(series, Part.MAIN, 2) == [(1, 2)]
    assert pairs(series, Part.LOSERS, 1) == [(4, 3)]
    assert pairs(series, Part.LOSERS, 2) == [(3, 2)]
    assert pairs(series, Part.FINAL, 1) == [(1, 2)]
    assert pairs(series, Part.SECOND_FINAL, 1) == [(1, 2)]
    assert champion(series) == "bot01"
    numbers = [each.number for one in series for each in one.sets if len(set(each.order)) == 2
               and set(each.order) == {"bot00", "bot01"}]  # fmt: skip
    assert numbers == [1, 2, 3], "each meeting of the two has sets of its own"


@pytest.mark.parametrize(
    ("best_of", "outcomes", "scheduled", "winner"),
    [
        (1, [1], [1], "bot00"),
        (3, [1, 1], [2], "bot00"),
        (3, [1, -1, -1], [2, 1], "bot01"),
        (5, [-1, -1, -1], [3], "bot01"),
        (5, [1, -1, 1, 1], [3, 1], "bot00"),
        (3, [1, 0, 0], [2, 1], "bot00"),
        (2, [1, -1, 0, -1], [2, 1, 1], "bot01"),
        (1, [0, 0, 0], [1, 1, 1], "bot00"),
        (3, [0, 0, 0, 0, 0], [2, 1, 1, 1], "bot00"),
    ],
)
def test_a_series_ends_as_soon_as_it_is_decided(
    best_of: int, outcomes: list[int], scheduled: list[int], winner: str
) -> None:
    """The last ones stay level after two extra sets, so that the better seed wins."""
    (series,), steps = play(
        request(2, best_of=best_of), lambda _first, _second, number: outcomes[number - 1]
    )
    assert steps == scheduled
    assert series.winner == winner
    assert series.by_seed is (outcomes.count(0) == len(outcomes))
    assert len(series.outcomes) == len(outcomes)


def test_at_equal_points_the_higher_total_score_wins_a_set() -> None:
    asked = request(2)
    (series,) = series_of(asked, {})
    (each,) = series.sets
    one, two = results_of(each, "bot00")
    two = results_of(each, "bot01")[1]
    first = Result(one.match, one.set_id, one.game, one.variant, one.entrants, one.places,
                   tuple(2 * score for score in one.scores), (), (0.0, 0.0), 9)  # fmt: skip
    (decided,) = series_of(asked, {each.id: [first, two]})
    assert decided.winner == "bot00"
    assert not decided.by_seed


def test_the_schedule_does_not_depend_on_which_match_ends_first() -> None:
    asked = request(8, best_of=3)
    whole, _ = play(asked)
    everything = [each for one in whole for each in one.sets]
    results: dict[str, Sequence[Result]] = {}
    for each in everything:
        found = [one for series in series_of(asked, results) for one in series.sets]
        assert found == [one for one in everything if one in found], "a part of the whole"
        results[each.id] = results_of(each, min(each.order))
