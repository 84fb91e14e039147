"""The fast TrueSkill, against the package that it stands for."""

from __future__ import annotations

from collections.abc import Sequence

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
        with pytest.raises(FloatingPointError):
            rated(table, places, draw_margin(draws))
        return
    found = rated(table, places, draw_margin(draws))
    assert found == [pytest.approx(pair, abs=1e-6) for pair in expected]


def test_a_win_that_has_no_number_is_refused_as_the_package_refuses_it() -> None:
    """Somebody sure to be far below wins."""
    table, places = [(0.0, 0.1), (1000.0, 0.1)], [1, 2]
    with pytest.raises(FloatingPointError):
        by_the_package(table, places, 0.1)
    with pytest.raises(FloatingPointError):
        rated(table, places, draw_margin(0.1))


def test_a_draw_that_has_no_number_is_refused_as_the_package_refuses_it() -> None:
    table, places = [(0.0, 0.1), (1000.0, 0.1)], [1, 1]
    with pytest.raises(FloatingPointError):
        by_the_package(table, places, 0.1)
    with pytest.raises(FloatingPointError):
        rated(table, places, draw_margin(0.1))


def test_seats_keep_their_order_whatever_their_places() -> None:
    table = [(20.0, 5.0), (25.0, 6.0), (30.0, 7.0)]
    turned = [table[2], table[0], table[1]]
    first = rated(table, [3, 1, 2], draw_margin(0.1))
    second = rated(turned, [2, 3, 1], draw_margin(0.1))
    assert second == [first[2], first[0], first[1]]
