"""Residuals of pairs: figures by hand, honest fields, and a bot that throws its matches."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log

import numpy as np
import pytest

from tournaments.model import Result
from tournaments.ratings.fit import Fit, fit
from tournaments.ratings.pair_residuals import FEWEST_SETS, pair_residuals
from tournaments.ratings.standings import STRIKING, PairResidual

LEAGUES = 200
"""How many honest leagues are simulated."""


def result(number: int, table: tuple[str, ...], places: tuple[int, ...]) -> Result:
    zeros = (0,) * len(table)
    used = (0.0,) * len(table)
    return Result(f"{number}-1", f"{number}", "ring", "plain", table, places, zeros, (), used, 1)


def test_points_expectation_and_bound_are_those_of_the_model_by_hand() -> None:
    """Skills that differ by ln 3, no ties: the better one wins three of four matches.

    It loses eight of eight: the bound for one direction is (1/4)^8, for both twice that.
    """
    skills, sets = np.array([log(3) / 2, -log(3) / 2]), np.full(2, 8)
    known = Fit(("a@1", "b@1"), skills, 0.0, np.zeros((1, 2)), sets, sets)
    lost = [result(n, ("a@1", "b@1"), (2, 1)) for n in range(8)]
    (pair,) = pair_residuals(lost, known)
    assert (pair.entrant, pair.opponent, pair.sets) == ("b", "a", 8)
    assert (pair.observed, pair.expected) == pytest.approx((8, 2))
    assert pair.z == pytest.approx((8 - 2) / (8 * 0.25 * 0.75) ** 0.5)
    assert pair.p_value == pytest.approx(2 * 0.25**8)
    assert pair.is_striking
    assert pair_residuals(lost[: FEWEST_SETS - 1], known) == ()


def test_matches_of_a_set_count_as_one_and_versions_of_an_entrant_together() -> None:
    known = Fit(
        ("a@1", "a@2", "b@1"), np.zeros(3), 0.0, np.zeros((1, 3)), np.full(3, 5), np.full(3, 10)
    )
    played = [result(n // 2, (f"a@{n % 2 + 1}", "b@1"), (1, 2)) for n in range(10)]
    (pair,) = pair_residuals(played, known)
    assert (pair.sets, pair.observed, pair.expected) == (5, 5.0, 2.5)
    assert pair.p_value == pytest.approx(2 * exp(-5 * log(2)))


def test_the_correction_is_that_of_holm() -> None:
    """Three pairs: the smallest p-value times three, the next times two, never descending."""
    known = Fit(tuple("abcd"), np.zeros(4), 0.0, np.zeros((1, 4)), np.full(4, 9), np.full(4, 9))
    played = [result(n, ("a", "b"), (1, 2)) for n in range(10)]
    played += [result(100 + n, ("a", "c"), (1, 2)) for n in range(9)]
    played += [result(200 + n, ("a", "d"), (1 + n % 2, 2 - n % 2)) for n in range(8)]
    found = [pair.p_value for pair in pair_residuals(played, known)]
    assert found == pytest.approx([3 * 2 * 0.5**10, 2 * 2 * 0.5**9, 1.0])


# Simulated leagues ------------------------------------------------------------------------------


@dataclass
class Field:
    """Eight bots with skills on the scale of the fit, at tables of two to four."""

    seed: int
    spread: float
    known: tuple[float, ...] = ()
    """The skills of the first ones; those of the others have the spread."""

    def results(self, sets: int, throws: Callable[[str, str], bool]) -> list[Result]:
        """Play sets of a few matches that share a part of their luck."""
        dice = random.Random(self.seed)  # noqa: S311  no secret
        skills = (*self.known, *(dice.gauss(0, self.spread) for _ in range(8)))[:8]
        skill = {f"bot{n}@1": each for n, each in enumerate(skills)}
        found = []
        for number in range(sets):
            table = tuple(dice.sample(sorted(skill), dice.choice((2, 2, 3, 4))))
            luck = {name: _gumbel(dice) for name in table}
            for _ in table:
                # A sum of Gumbel and a half of another one: correlated within the set.
                shown = {name: skill[name] + luck[name] for name in table}
                if dice.random() < 0.5:
                    shown = {name: skill[name] + _gumbel(dice) for name in table}
                for one in table:
                    for other in table:
                        if throws(one, other):
                            shown[one] = min(shown[one], shown[other] - 1)
                places = tuple(1 + sum(shown[x] > shown[name] for x in table) for name in table)
                found.append(result(number, table, places))
        return found


def _gumbel(dice: random.Random) -> float:
    return -log(-log(dice.random()))


def striking(field: Field, sets: int, throws: Callable[[str, str], bool]) -> list[PairResidual]:
    played = field.results(sets, throws)
    return [pair for pair in pair_residuals(played, fit(played, 1)) if pair.is_striking]


@pytest.mark.parametrize("spread", [0.0, 1.0, 2.5])
def test_honest_leagues_have_a_striking_pair_in_one_of_twenty_at_most(spread: float) -> None:
    alarms = sum(
        bool(striking(Field(seed, spread), 150, lambda _one, _other: False))
        for seed in range(LEAGUES)
    )
    assert alarms / LEAGUES <= STRIKING


def test_a_bot_that_throws_its_matches_to_a_friend_stands_out() -> None:
    """In every one of twenty leagues of 400 sets, and no other pair does.

    The accomplice is a little better than its friend; one that loses anyway throws nothing.
    """

    def throws(one: str, other: str) -> bool:
        return (one, other) == ("bot0@1", "bot1@1")

    for seed in range(20):
        found = striking(Field(seed, 1.0, (0.3, -0.3)), 400, throws)
        assert found, f"the accomplice is not seen with seed {seed}"
        assert (found[0].entrant, found[0].opponent) == ("bot1", "bot0")
        assert len(found) == 1
