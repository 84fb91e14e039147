"""The sequential test of a comparison, against exact capitals, enumerated paths and simulations."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log, prod

import numpy as np
import pytest

from tournaments.model import Result
from tournaments.ratings import Verdict, compare, set_differences

NEEDED = 40
"""The capital that decides at 95 %: one divided by half of the error."""


def capital(differences: list[Fraction], most: Fraction = Fraction(0)) -> Fraction:
    """Return the mean of 31 exact capitals, each of which bets a fixed fraction."""
    total = Fraction(0)
    for f in range(1, 32):
        bet = Fraction(1)
        for x in differences:
            bet *= 1 + Fraction(f, 32) * (x - most) / (1 + most)
        total += bet
    return total / 31


def decided_after(differences: list[Fraction]) -> int | None:
    """Return after how many sets the exact capital decides."""
    for sets in range(1, len(differences) + 1):
        if capital(differences[:sets]) >= NEEDED:
            return sets
    return None


def test_nothing_is_known_without_a_set() -> None:
    found = compare([])
    assert (found.sets, found.low, found.high) == (0, -1, 1)
    assert (found.verdict, found.evidence, found.sets_left) == (Verdict.UNDECIDED, 0, None)


@pytest.mark.parametrize("size", [Fraction(1), Fraction(1, 2), Fraction(1, 4)])
def test_a_constant_difference_is_decided_after_the_exact_number_of_sets(size: Fraction) -> None:
    needed = decided_after([size] * 40)
    assert needed is not None
    for sign, verdict in ((1, Verdict.BETTER), (-1, Verdict.WORSE)):
        x = float(sign * size)
        assert compare([x] * (needed - 1)).verdict is Verdict.UNDECIDED
        assert compare([x] * needed).verdict is verdict


def test_the_first_decision_stays() -> None:
    won = decided_after([Fraction(1)] * 20)
    assert won is not None
    assert compare([1.0] * won + [-1.0] * 200).verdict is Verdict.BETTER


def test_the_mean_of_the_capital_is_one_when_there_is_no_difference() -> None:
    """All 3^6 sequences of -1, 0, 1 with probabilities 1/4, 1/2, 1/4: what makes the test valid."""
    chance = {
        Fraction(-1): Fraction(1, 4),
        Fraction(0): Fraction(1, 2),
        Fraction(1): Fraction(1, 4),
    }
    paths = product(chance, repeat=6)
    assert sum(prod(map(chance.__getitem__, path)) * capital(list(path)) for path in paths) == 1


def test_the_ends_of_the_interval_are_where_the_exact_capital_decides() -> None:
    seen = [Fraction(each, 4) for each in (2, -1, 3, 0, 1, 2, -2, 4, 1, 0, 2, 3, -1, 2)]
    found = compare(list(map(float, seen)))
    step = Fraction(1, 2**22)

    def ever(differences: list[Fraction], most: Fraction) -> bool:
        return any(capital(differences[:n], most) >= NEEDED for n in range(1, len(seen) + 1))

    low, high = Fraction(found.low), Fraction(found.high)
    assert ever(seen, low - step)
    assert not ever(seen, low + step)
    mirrored = [-x for x in seen]
    assert ever(mirrored, -high - step)
    assert not ever(mirrored, -high + step)
    assert found.low < found.difference < found.high


def test_the_margin_ends_a_comparison_without_a_difference() -> None:
    even = [0.5, -0.5] * 200
    found = compare(even, margin=0.1)
    assert found.verdict is Verdict.NO_DIFFERENCE
    assert found.largest <= 0.1
    assert compare(even).verdict is Verdict.UNDECIDED
    assert compare(even[:20], margin=0.1).verdict is Verdict.UNDECIDED


def _simulated(mean: float, comparisons: int, sets: int) -> list[list[float]]:
    """Return differences as of sets at tables of two: five values, tilted to the mean."""
    rng = np.random.default_rng(20230311)
    values = np.array([-1, -0.5, 0, 0.5, 1])
    chance = (
        np.array([0.08, 0.2, 0.44, 0.2, 0.08]) + mean / 1.25 * np.array([-1, -1, 0, 1, 1]) / 2.4
    )
    assert chance @ values == pytest.approx(mean)
    drawn: list[list[float]] = rng.choice(values, (comparisons, sets), p=chance).tolist()
    return drawn


def test_looking_after_every_set_is_wrong_in_no_more_than_the_stated_share() -> None:
    """400 comparisons of equal bots over 200 sets; the test remembers what it ever decided."""
    found = [compare(each).verdict for each in _simulated(0, 400, 200)]
    assert found.count(Verdict.BETTER) <= 10
    assert found.count(Verdict.WORSE) <= 10


def test_a_real_difference_is_found() -> None:
    found = [compare(each) for each in _simulated(0.15, 100, 300)]
    assert sum(each.verdict is Verdict.BETTER for each in found) >= 95
    assert sum(each.low <= 0.15 <= each.high for each in found) >= 95


def test_the_sets_that_are_left_follow_from_the_evidence() -> None:
    found = compare([0.5] * 4)
    assert found.evidence == pytest.approx(log(capital([Fraction(1, 2)] * 4)) / log(NEEDED))
    assert found.sets_left == round(4 / found.evidence - 4)


def test_differences_are_taken_set_by_set() -> None:
    def result(match: str, entrants: str, *places: int) -> Result:
        seats = len(places)
        return Result(
            f"{match}-1", match, "glastonbury", "plain", tuple(entrants), places, (0,) * seats, (),
            (0.0,) * seats, 1,
        )  # fmt: skip

    played = [
        result("s1", "nxy", 1, 2, 3),  # n earns 1
        result("s1", "xyn", 1, 1, 3),  # 0
        result("s1", "ynx", 1, 2, 3),  # 1/2
        result("s1", "oxy", 2, 1, 2),  # o earns 1/4
        result("s1", "xyo", 3, 2, 1),  # 1
        result("s1", "yox", 1, 1, 1),  # 1/2
        result("s2", "no", 1, 1),
        result("s2", "on", 2, 1),
    ]
    assert set_differences(played, "n", "o") == pytest.approx([1.5 / 3 - 1.75 / 3, 0.75 - 0.25])
    assert set_differences(played[1:], "n", "o") == [0.5], "of complete sets alone"
