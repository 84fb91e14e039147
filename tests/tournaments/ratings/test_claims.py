"""Claims: against tables of quantiles, by hand, and in simulated tournaments of identical bots."""

from __future__ import annotations

from itertools import combinations
from math import comb, exp, inf, sqrt

import numpy as np
import pytest

from benchmarks.coverage import alone
from benchmarks.simulated_tournaments import Cell, as_results, places, tables
from benchmarks.stopping import answer
from tournaments.model import Claims, Result, StopRule
from tournaments.ratings.claims import (
    FEWEST_OF_TWO,
    FEWEST_SETS,
    _critical,
    _spread,
    anytime,
    correction,
    freedom,
    student,
    told_apart,
)
from tournaments.ratings.fit import Fit, fit
from tournaments.ratings.rank_intervals import skills

MANY = 1001


def two(difference: float, sets: int, replicates: int = MANY) -> Fit:
    """Make a fit in which a and b differ by this, with a standard deviation of about 1."""
    chance = np.random.Generator(np.random.PCG64(1))
    spread = chance.normal(size=replicates)
    spread = difference + (spread - spread.mean()) / spread.std(ddof=1)
    rows = np.stack([spread / 2, -spread / 2], axis=1)
    ends = np.array([difference / 2, -difference / 2])
    return Fit(("a", "b"), ends, 0.1, rows, np.array([sets, sets]), np.array([sets, sets]))


@pytest.mark.parametrize(
    ("degrees", "quantile"), [(4, 2.776), (9, 2.262), (20, 2.086), (30, 2.042), (1000, 1.962)]
)
def test_quantiles_of_student_are_those_of_tables(degrees: int, quantile: float) -> None:
    assert student(1.959964, degrees) == pytest.approx(quantile, rel=0.006)


@pytest.mark.parametrize(
    ("entrants", "quantile"), [(2, 2.772), (3, 3.314), (4, 3.633), (10, 4.474), (20, 5.012)]
)
def test_the_critical_value_of_equals_is_that_of_tukey(entrants: int, quantile: float) -> None:
    """The studentised range with infinite degrees of freedom at 5 %, divided by the root of 2."""
    covariance = np.eye(entrants) + np.ones((entrants, entrants))
    covariance[0] = covariance[:, 0] = 0
    found = _critical(covariance, _spread(covariance), 0.95)
    assert found == pytest.approx(quantile / sqrt(2), rel=0.015)


def test_the_spread_becomes_a_standard_error() -> None:
    """Weights of shape (n - 4) / n, at least 1/3: n a + 1 is 17 of 20 sets, and 8/3 of 5."""
    assert correction(np.array([20, 5])) == pytest.approx([sqrt(17 / 19), sqrt(8 / 3 / 4)])


def test_few_replicates_make_a_standard_error_uncertain_too() -> None:
    assert freedom(21, 1001) == pytest.approx(1 / (1 / 20 + 1 / 1000))
    assert freedom(1, 250) < 1


@pytest.mark.parametrize(("difference", "claimed"), [(1.90, False), (2.05, True)])
def test_a_pair_of_21_sets_by_hand(difference: float, claimed: bool) -> None:
    """T with 19.6 degrees of freedom is 2.089; times the root of 18 / 20 that is 1.98."""
    expected = {("a", "b")} if claimed else set()
    assert told_apart(two(difference, 21)) == expected
    assert told_apart(two(-difference, 21)) == {(worse, better) for better, worse in expected}


@pytest.mark.parametrize("kind", Claims)
def test_nothing_is_claimed_before_there_are_enough_sets(kind: Claims) -> None:
    enough = max(FEWEST_SETS[kind], FEWEST_OF_TWO)
    assert told_apart(two(1e6, enough), claims=kind) == {("a", "b")}
    assert told_apart(two(1e6, enough - 1), claims=kind) == frozenset()


def test_more_confidence_and_any_time_need_larger_differences() -> None:
    def smallest(confidence: float, kind: Claims) -> float:
        steps: list[float] = np.arange(1.5, 6, 0.02).tolist()
        return next(d for d in steps if told_apart(two(d, 60), confidence, kind))

    bounds = [
        smallest(0.9, Claims.FIXED),
        smallest(0.95, Claims.FIXED),
        smallest(0.99, Claims.FIXED),
    ]
    assert bounds == sorted(set(bounds))
    assert smallest(0.95, Claims.ANYTIME) > bounds[1] + 0.5


def test_the_bound_of_any_time_is_where_the_mixture_reaches_one_in_alpha() -> None:
    """The likelihood ratio averaged over normal effects, integrated numerically."""
    level, sets, confidence = 0.01, 40, 0.95
    wide = -2 * np.log(1 - confidence)
    deviation = sqrt((wide + np.log(wide + 1)) / 30)
    total = anytime(level, sets, confidence) * sqrt(sets)
    effects = np.linspace(-8 * deviation, 8 * deviation, 20_001)
    density = np.exp(-((effects / deviation) ** 2) / 2) / (deviation * sqrt(2 * np.pi))
    ratio = np.exp(effects * total - effects**2 * sets / 2)
    mixture = float((density * ratio).sum() * (effects[1] - effects[0]))
    assert mixture == pytest.approx(1 / level, rel=1e-6)


def test_sums_of_normal_numbers_hardly_ever_leave_the_bound_of_any_time() -> None:
    """2000 walks of 1000 steps, each looked at after every step; a fixed bound is left by many."""
    chance = np.random.Generator(np.random.PCG64(2))
    steps = np.arange(1, 1001)
    scaled = np.abs(chance.normal(size=(2000, 1000)).cumsum(axis=1)) / np.sqrt(steps)
    bounds = np.array([anytime(0.05, int(n), 0.95) for n in steps])
    assert 0.01 < (scaled > bounds).any(axis=1).mean() < 0.05
    assert (scaled > 1.96).any(axis=1).mean() > 0.4


def in_order(entrants: str, sets: int) -> list[Result]:
    """Return sets of one match that all end in the same order."""
    places = tuple(range(1, len(entrants) + 1))
    none = (0,) * len(entrants)
    return [
        Result(
            f"{n}",
            f"{n}",
            "ring",
            "plain",
            tuple(entrants),
            places,
            none,
            (),
            (0.0,) * len(none),
            1,
        )
        for n in range(sets)
    ]


@pytest.mark.parametrize(("entrants", "enough"), [("ab", 6), ("abc", 7), ("abcd", 8), ("abcde", 9)])
def test_nothing_is_claimed_where_equals_are_too_often_one_sided(
    entrants: str, enough: int
) -> None:
    """Of p pairs of equals, one wins each of m matches in up to p / 2^(m - 1) of all cases."""
    pairs = comb(len(entrants), 2)
    assert pairs / 2 ** (enough - 1) <= 0.05 < pairs / 2 ** (enough - 2)
    assert told_apart(fit(in_order(entrants, enough - 1), 250)) == frozenset()
    assert ("a", entrants[-1]) in told_apart(fit(in_order(entrants, enough), 250))


def test_a_question_is_answered_by_the_pairs_that_it_asks_for() -> None:
    names = ["a", "b", "c", "d"]
    top = [(one, other) for one in "ab" for other in "cd"]
    assert sorted(answer(StopRule("top 2"), names, top)) == top
    assert not answer(StopRule("top 2"), names, top[1:])
    assert not answer(StopRule("leader"), names, top)
    assert len(answer(StopRule("leader"), names, [*top, ("a", "b")])) == 3
    assert not answer(StopRule("all"), names, [*top, ("a", "b")])
    assert answer(StopRule("all"), names, list(combinations(names, 2)))
    assert not answer(StopRule("leader"), names, [])


def won(sets: int, wins: int) -> list[Result]:
    """Return sets of one match between a and b, of which a wins the first ones."""
    return [
        Result(f"{n}", f"{n}", "ring", "plain", ("a", "b"), (1, 2) if n < wins else (2, 1),
               (0, 0), (), (0.0, 0.0), 1)
        for n in range(sets)
    ]  # fmt: skip


@pytest.mark.parametrize("sets", [5, 6, 7, 8, 10, 12, 16, 20, 30])
def test_two_equals_are_told_apart_with_a_probability_of_at_most_5_percent(sets: int) -> None:
    """Exactly: the numbers of wins with which a claim is made, by the binomial distribution."""
    claimed = [wins for wins in range(sets + 1) if told_apart(fit(won(sets, wins), 250))]
    assert sum(comb(sets, wins) for wins in claimed) <= 0.05 * 2**sets
    assert claimed == [] if sets < 6 else claimed[0] == sets - claimed[-1] == 0


def test_who_beats_each_of_three_others_in_four_sets_is_told_apart_from_them() -> None:
    """How far it is above them remains open: with the spread of that there would be no claim."""
    results = [
        Result(f"{n}-{one}{other}", f"{n}-{one}{other}", "ring", "plain", (one, other),
               (1, 2) if one == "a" or n % 2 else (2, 1), (0, 0), (), (0.0, 0.0), 1)
        for n in range(4)
        for one, other in combinations("abcd", 2)
    ]  # fmt: skip
    found = fit(results, 1000)
    assert told_apart(found) == {("a", other) for other in "bcd"}
    spread = (found.replicates[:, 0] - found.replicates[:, 1]).std()
    assert found.skills[0] - found.skills[1] < 2.57 * spread  # Tukey's quantile of four


def test_identical_bots_are_told_apart_in_few_tournaments() -> None:
    """Of 100, at most 8: at 5 % more are unlikely (6 %). Each pair alone errs far more often."""
    cell = Cell("thurstone", 6, 3, 20, "identical")
    chance = np.random.Generator(np.random.PCG64(3))
    wrong = wrong_alone = 0
    for _ in range(100):
        seated = tables(chance, cell)
        found = fit(as_results(cell, seated, places(chance, cell, seated)), 250)
        wrong += bool(told_apart(found))
        wrong_alone += bool(alone(found))
    assert wrong <= 8
    assert wrong_alone > 25


def test_identical_bots_are_told_apart_at_any_look_in_few_tournaments() -> None:
    cell = Cell("plackett-luce", 3, 3, 60, "identical")
    chance = np.random.Generator(np.random.PCG64(4))
    wrong = dict.fromkeys(Claims, 0)
    for _ in range(40):
        seated = tables(chance, cell)
        results = as_results(cell, seated, places(chance, cell, seated))
        fits = [fit(results[: 3 * sets], 100) for sets in range(6, 61, 6)]
        for kind in Claims:
            wrong[kind] += any(told_apart(each, claims=kind) for each in fits)
    assert wrong[Claims.ANYTIME] <= 3
    assert wrong[Claims.FIXED] > wrong[Claims.ANYTIME]


def test_a_hopeless_bot_does_not_widen_the_intervals_of_the_others() -> None:
    """Skills are measured from the median: the mean would move with the one that always loses."""
    chance = np.random.Generator(np.random.PCG64(5))
    cell = Cell("plackett-luce", 5, 2, 60, "near-equal")
    seated = tables(chance, cell)
    results = as_results(cell, seated, places(chance, cell, seated))
    lost = [
        each.__class__(
            f"lost{n}", f"lost{n}", "ring", "plain", (cell.names[n % 5], "hopeless"), (1, 2),
            (0, 0), (), (0.0, 0.0), 1,
        )
        for n, each in enumerate(results[:60])
    ]  # fmt: skip
    with_it, without = skills(fit(results + lost, 500), ()), skills(fit(results, 500), ())
    for name in cell.names:
        now, before = (seen[name].high - seen[name].low for seen in (with_it, without))
        assert now < 1.35 * before
        assert with_it["hopeless"].high - with_it["hopeless"].low > 2 * now


def test_no_bound_is_infinite_or_smaller_than_that_of_one_pair() -> None:
    for sets in (8, 30, 1000, 100_000):
        assert 1.96 < anytime(0.05, sets, 0.95) < inf
    assert anytime(0.05, 30, 0.95) < min(anytime(0.05, n, 0.95) for n in (8, 3000))
    assert exp(-anytime(1e-300, 8, 0.95)) >= 0
