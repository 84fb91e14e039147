"""The fast TrueSkill, against the package that it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from random import Random

import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.ratings.trueskill_update import draw_margin, rated

Pair = tuple[float, float]


def by_the_package(table: Sequence[Pair], places: Sequence[int], draws: float) -> list[Pair]:
    system = trueskill.TrueSkill(tau=0, draw_probability=draws)
    before = [(system.create_rating(mu, sigma),) for mu, sigma in table]
    return [(seat.mu, seat.sigma) for (seat,) in system.rate(before, places)]


@st.composite
def matches(draw: st.DrawFn) -> tuple[list[Pair], list[int]]:
    """Draw a table of 2 to 6 with ratings and places of all kinds, level ones among them."""
    seats = draw(st.integers(2, 6))
    table = [(draw(st.floats(0, 50)), draw(st.floats(0.3, 9))) for _ in range(seats)]
    points = [draw(st.integers(0, 3)) for _ in range(seats)]
    return table, [1 + sum(other > mine for other in points) for mine in points]


@settings(max_examples=300, deadline=None)
@given(matches(), st.sampled_from([0.01, 0.1, 0.5, 0.99]))
def test_the_ratings_are_those_of_the_package(
    match: tuple[list[Pair], list[int]], draws: float
) -> None:
    table, places = match
    try:
        expected = by_the_package(table, places, draws)
    except FloatingPointError:
        found = rated(table, places, draw_margin(draws))
        assert all(isfinite(mu) and 0 < sigma <= 9 for mu, sigma in found)
        return
    found = rated(table, places, draw_margin(draws))
    assert found == [pytest.approx(pair, abs=1e-6) for pair in expected]


@pytest.mark.parametrize("gap", [200.0, 235.0, 1000.0, 1e6])
@pytest.mark.parametrize("places", [(1, 2), (1, 1)])
def test_a_result_that_the_package_refuses_moves_the_ratings_halfway(
    gap: float, places: tuple[int, int]
) -> None:
    """So improbable a result says that the performances were level at the margin.

    By Bayes' rule the mean difference becomes the margin, or a little less for a draw, times the
    share of the variance that is the skills'.
    """
    table = [(0.0, 0.1), (gap, 0.1)]
    margin = draw_margin(0.1)
    if gap > 235:
        with pytest.raises(FloatingPointError):
            by_the_package(table, places, 0.1)
    (low, one), (high, other) = rated(table, places, margin)
    share = 2 * 0.1**2 / (2 * 0.1**2 + 2 * (25 / 6) ** 2)
    moved = share * (gap + (margin if places == (1, 2) else -margin))
    assert (gap - (high - low)) == pytest.approx(moved, rel=2e-3)
    assert 0 < one <= 0.1
    assert 0 < other <= 0.1


def test_seats_keep_their_order_whatever_their_places() -> None:
    table = [(20.0, 5.0), (25.0, 6.0), (30.0, 7.0)]
    turned = [table[2], table[0], table[1]]
    first = rated(table, [3, 1, 2], draw_margin(0.1))
    second = rated(turned, [2, 3, 1], draw_margin(0.1))
    assert second == [first[2], first[0], first[1]]


def test_a_league_agrees_with_the_package_to_ten_digits() -> None:
    """Each update starts from the one before, so that differences could add up."""
    dice = Random(1)  # noqa: S311  the same in every run
    ours = [(25.0, 25 / 3)] * 12
    theirs = list(ours)
    for _ in range(500):
        table = dice.sample(range(len(ours)), 4)
        scores = [round(dice.gauss(skill, 6) / 2) for skill in table]
        places = [1 + sum(other > mine for other in scores) for mine in scores]
        after = rated([ours[n] for n in table], places, draw_margin(0.1))
        expected = by_the_package([theirs[n] for n in table], places, 0.1)
        for n, one, other in zip(table, after, expected, strict=True):
            ours[n], theirs[n] = one, other
    assert ours == [pytest.approx(pair, rel=1e-10) for pair in theirs]
