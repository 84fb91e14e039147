"""The rating of the whole history: no order, no names, and a sigma that covers what it says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import exp, hypot, pi, sqrt

import numpy as np
import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.synthetic import synthetic_results
from tournaments.model import Result, TrueSkillSettings
from tournaments.ratings import Rating
from tournaments.ratings.trueskill_update import draw_margin
from tournaments.ratings.truncation import draw, win
from tournaments.ratings.whole_history import message_sigmas, rate_history

GAME = "glastonbury"
DRAWS = {GAME: 0.02}
DEFAULTS = TrueSkillSettings()
BETA = DEFAULTS.beta


def match(names: Sequence[str], places: Sequence[int], set_id: str = "1") -> Result:
    none = (0,) * len(names)
    return Result("m", set_id, GAME, "plain", tuple(names), tuple(places), none, (), none, 9)


def rated(results: Sequence[Result]) -> dict[str, Rating]:
    return rate_history(results, DRAWS, DEFAULTS)


def renamed(result: Result, names: dict[str, str]) -> Result:
    return replace(result, entrants=tuple(names[name] for name in result.entrants))


@st.composite
def histories(draw: st.DrawFn) -> list[Result]:
    """Draw matches of 2 to 4 of five entrants, with level places among them."""
    results = []
    for n in range(draw(st.integers(1, 12))):
        seats = draw(st.integers(2, 4))
        names = draw(st.permutations("abcde"))[:seats]
        points = [draw(st.integers(0, 3)) for _ in names]
        places = [1 + sum(other > mine for other in points) for mine in points]
        results.append(match(names, places, f"{n // 2}"))
    return results


@settings(max_examples=60, deadline=None)
@given(histories(), st.permutations("abcde"), st.randoms(use_true_random=False))
def test_neither_order_nor_names_nor_seats_make_a_difference(
    results: list[Result], others: Sequence[str], dice: random.Random
) -> None:
    names = dict(zip("abcde", others, strict=True))
    changed = []
    for result in dice.sample(results, len(results)):
        seats = dice.sample(range(result.seats), result.seats)
        table = match(
            [result.entrants[n] for n in seats], [result.places[n] for n in seats], result.set_id
        )
        changed.append(renamed(table, names))
    found = rated(changed)
    for name, rating in rated(results).items():
        other = found[names[name]]
        assert (other.mu, other.sigma) == pytest.approx((rating.mu, rating.sigma), abs=1.5e-6)


def test_a_tournament_with_shuffled_matches_and_other_names_has_the_same_numbers() -> None:
    entrants = [f"bot{n}" for n in range(8)]
    results = synthetic_results(entrants, 60)
    expected = rated(results)
    for seed in range(5):
        dice = random.Random(seed)  # noqa: S311  no secret
        names = dict(zip(entrants, dice.sample(entrants, len(entrants)), strict=True))
        shuffled = [renamed(each, names) for each in dice.sample(results, len(results))]
        found = rated(shuffled)
        assert {name: found[names[name]] for name in entrants} == expected


@pytest.mark.parametrize("places", [(1, 2), (1, 1), (1, 2, 3), (2, 1, 3, 4)])
def test_one_match_is_rated_as_the_package_rates_it(places: tuple[int, ...]) -> None:
    """The package approximates the error function: six digits agree."""
    names = "abcd"[: len(places)]
    system = trueskill.TrueSkill(draw_probability=0.02, tau=0)
    expected = system.rate([(system.create_rating(),) for _ in names], places)
    found = rated([match(names, places)])
    sigmas = message_sigmas([match(names, places)], DRAWS, DEFAULTS)
    for name, (rating,) in zip(names, expected, strict=True):
        assert found[name].mu == pytest.approx(rating.mu, abs=2e-5)
        assert found[name].sigma == pytest.approx(rating.sigma, abs=2e-5)
        assert sigmas[name] == pytest.approx(rating.sigma, abs=2e-5)


@pytest.mark.parametrize("places", [(1, 2), (1, 1)])
def test_one_match_of_two_is_what_integration_gives(places: tuple[int, int]) -> None:
    margin = draw_margin(0.02)
    skills = np.linspace(-35, 85, 1201)
    one, other = np.meshgrid(skills, skills, indexing="ij")
    prior = np.exp(-((one - 25) ** 2 + (other - 25) ** 2) / (2 * (25 / 3) ** 2))
    noise = hypot(BETA, BETA)
    differences = np.linspace(-margin, margin, 41) if places == (1, 1) else None
    if differences is None:
        x = (one - other - margin) / noise
        likelihood = np.vectorize(trueskill.backends.cdf)(x)
    else:
        likelihood = sum(np.exp(-((d - (one - other)) ** 2) / (2 * noise**2)) for d in differences)
    weight = prior * likelihood
    mean = (one * weight).sum() / weight.sum()
    deviation = sqrt(((one - mean) ** 2 * weight).sum() / weight.sum())
    found = rated([match("ab", places)])["a"]
    assert (found.mu, found.sigma) == pytest.approx((mean, deviation), abs=2e-3)


def test_a_further_win_never_lowers_mu() -> None:
    results = synthetic_results("abcd", 10)
    before = rated(results)
    for winner, loser in product("abcd", repeat=2):
        if winner != loser:
            after = rated([*results, match(winner + loser, (1, 2), "more")])
            assert after[winner].mu > before[winner].mu
            assert after[loser].mu < before[loser].mu


@pytest.mark.parametrize("wins", [1, 10, 100, 10_000])
def test_any_number_of_wins_in_a_row_has_ratings(wins: int) -> None:
    results = [match("ab", (1, 2), f"{n}") for n in range(wins)]
    found = rated(results)
    assert found["a"].mu + found["b"].mu == pytest.approx(50, abs=1e-5)
    assert found["a"].mu > 29
    assert 0 < found["a"].sigma < 25 / 3
    surprise = rated([*results, match("ab", (2, 1), "last")])
    assert found["b"].mu < surprise["b"].mu < 25.000001


@pytest.mark.parametrize("places", [(1, 1), (1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1, 1, 1)])
def test_who_is_always_level_has_the_same_rating(places: tuple[int, ...]) -> None:
    names = "abcdef"[: len(places)]
    found = rated([match(names, places, f"{n}") for n in range(3)])
    assert len(set(found.values())) == 1
    assert found["a"].mu == 25


def test_sigma_grows_when_the_matches_of_a_set_agree_more_than_chance() -> None:
    """Either of two equals wins all four matches of a set; or each match is decided by itself."""
    together = [match("ab", (1, 2) if n % 2 else (2, 1), f"{n}") for n in range(20) for _ in "1234"]
    alone = [replace(each, set_id=f"{n}") for n, each in enumerate(together)]
    # Four matches that agree are worth one: twice the sigma.
    ratio = rated(together)["a"].sigma / rated(alone)["a"].sigma
    assert 1.7 < ratio < 2.1


def test_the_scale_can_be_set() -> None:
    """Twice the scale and another zero give twice the numbers, shifted."""
    results = synthetic_results("abcd", 12)
    doubled = rate_history(results, DRAWS, TrueSkillSettings(0.0, 50 / 3, 25 / 3))
    for name, rating in rated(results).items():
        assert doubled[name].mu == pytest.approx(2 * (rating.mu - 25), abs=1e-5)
        assert doubled[name].sigma == pytest.approx(2 * rating.sigma, abs=1e-5)


def test_a_version_on_probation_changes_no_other_rating() -> None:
    before = [match(("ann@1", "bob@1", "cy@1"), (1, 2, 3), f"{n}") for n in range(5)]
    trial = [match(("ann@2", "bob@1"), (2, 1), f"t{n}") for n in range(10)]
    expected, found = rated(before), rated([*before, *trial])
    assert {name: found[name] for name in expected} == expected
    assert found["ann@2"].mu < expected["ann@1"].mu
    settled = rated([*before, *trial, match(("ann@2", "bob@1"), (2, 1), "u")])
    assert settled["bob@1"].mu > expected["bob@1"].mu


def test_matches_on_probation_do_not_move_the_field() -> None:
    """All entrants change their version at once, and play on with the same strength."""
    entrants = [f"bot{n}" for n in range(6)]
    results = [
        renamed(each, {name: f"{name}@{1 + (n >= 90)}" for name in entrants})
        for n, each in enumerate(synthetic_results(entrants, 60))
    ]
    found = rated(results)
    levels = [np.mean([found[f"{name}@{n}"].mu for name in entrants]) for n in (1, 2)]
    assert levels[0] == pytest.approx(25, abs=1e-5)
    assert levels[1] == pytest.approx(25, abs=1)


def density(x: float) -> float:
    return exp(-(x**2) / 2) / sqrt(2 * pi)


@pytest.mark.parametrize("x", [-3.0, -5.001, -4.999, -8.0, -30.0, -900.0, -1100.0, -1e6])
def test_the_moments_of_a_win_hold_for_every_improbability(x: float) -> None:
    """Compare with a sum over the density beyond the margin, scaled by its value there."""
    t = -x
    steps = np.linspace(0, 40 / t, 200_001)
    weight = np.exp(-steps * t - steps**2 / 2)
    mean = (steps * weight).sum() / weight.sum()
    variance = ((steps - mean) ** 2 * weight).sum() / weight.sum()
    shift, left = win(np.array([x]), np.zeros(1))
    assert shift[0] == pytest.approx(t + mean, rel=1e-4)
    assert left[0] == pytest.approx(variance, rel=2e-3, abs=1e-12)


@pytest.mark.parametrize("x", [0.0, 0.5, -3.0, 8.0, -30.0, 999.0, 1001.0])
@pytest.mark.parametrize("margin", [0.006, 0.5])
def test_the_moments_of_a_draw_hold_for_every_improbability(x: float, margin: float) -> None:
    steps = np.linspace(-margin, margin, 200_001)
    exponent = -((steps - x) ** 2) / 2
    weight = np.exp(exponent - exponent.max())
    mean = (steps * weight).sum() / weight.sum()
    variance = ((steps - mean) ** 2 * weight).sum() / weight.sum()
    shift, left = draw(np.array([x]), np.array([margin]))
    assert shift[0] == pytest.approx(mean - x, rel=1e-4, abs=1e-9)
    assert left[0] == pytest.approx(variance, rel=5e-3)
