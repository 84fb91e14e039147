"""The fit that does not depend on order: against naive sums, known skills and answers by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import exp, log
from random import Random
from time import perf_counter

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.synthetic import standings
from tournaments.model import Result
from tournaments.ratings.claims import told_apart
from tournaments.ratings.fit import Fit, expected_points, fit
from tournaments.ratings.likelihood import Curvature, Pairs, solved
from tournaments.ratings.rank_intervals import above, groups, letter, skills
from tournaments.ratings.standings import Skill

Floats = npt.NDArray[np.float64]


def match(
    entrants: Sequence[str], places: Sequence[int], set_id: str, n: int = 1, variant: str = "plain"
) -> Result:
    seats = len(entrants)
    return Result(
        match=f"{set_id}-{n}",
        set_id=set_id,
        game="glastonbury",
        variant=variant,
        entrants=tuple(entrants),
        places=tuple(places),
        scores=(0,) * seats,
        forfeits=(),
        used=(1.0,) * seats,
        decisions=80,
    )


@st.composite
def tournaments(draw: st.DrawFn) -> list[Result]:
    """Draw sets of some matches each, with places of all kinds, ties among them."""
    results = []
    for number in range(draw(st.integers(1, 6))):
        names = draw(st.lists(st.sampled_from("abcde"), min_size=2, max_size=4, unique=True))
        for n in range(draw(st.integers(1, 3))):
            points = [draw(st.integers(0, 3)) for _ in names]
            places = [1 + sum(other > mine for other in points) for mine in points]
            results.append(match(names, places, f"set{number}", n + 1))
    return results


def naive_slope(results: Sequence[Result], skill: dict[str, float], nu: float) -> dict[str, float]:
    """Add up, match by match, how much more each entrant did than the model expects of it."""
    slope = {name: 0.5 - 1 / (1 + exp(-mine)) for name, mine in skill.items()}
    slope["nu"] = 0.5 - nu / (2 + nu)
    for result in results:
        weight = 3 / (result.seats + 1)
        seats = list(zip(result.entrants, result.places, strict=True))
        for (one, place), (other, its_place) in combinations(seats, 2):
            odds = (exp((skill[one] - skill[other]) / 2), nu, exp((skill[other] - skill[one]) / 2))
            win, tie, loss = (odd / sum(odds) for odd in odds)
            more = ((place < its_place) - (place > its_place) - (win - loss)) / 2
            slope[one] += weight * more
            slope[other] -= weight * more
            slope["nu"] += weight * ((place == its_place) - tie)
    return slope


def uncentred(fitted: Fit) -> dict[str, float]:
    """Undo the centring: the half wins and half losses against skill 0 must balance."""
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        excess = sum(0.5 - 1 / (1 + exp(-skill - middle)) for skill in fitted.skills)
        low, high = (middle, high) if excess > 0 else (low, middle)
    return {name: skill + low for name, skill in zip(fitted.entrants, fitted.skills, strict=True)}


@settings(max_examples=100, deadline=None)
@given(tournaments())
def test_the_fit_is_where_the_likelihood_is_highest(results: list[Result]) -> None:
    """It is concave: where the slope is nothing, there is the only maximum."""
    fitted = fit(results, 0)
    slope = naive_slope(results, uncentred(fitted), fitted.nu)
    assert max(map(abs, slope.values())) < 1e-7
    assert np.median(fitted.skills) == pytest.approx(0, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(tournaments(), st.randoms(use_true_random=False))
def test_shuffled_matches_change_not_a_single_bit(results: list[Result], chance: Random) -> None:
    other = list(results)
    chance.shuffle(other)
    one, two = fit(results, 20), fit(other, 20)
    assert one.entrants == two.entrants
    assert one.skills.tobytes() == two.skills.tobytes()
    assert one.replicates.tobytes() == two.replicates.tobytes()
    assert one.nu == two.nu


@settings(max_examples=40, deadline=None)
@given(tournaments())
def test_every_replicate_is_finite_and_centred(results: list[Result]) -> None:
    replicates = fit(results, 50).replicates
    assert np.isfinite(replicates).all()
    assert np.abs(np.median(replicates, axis=1)).max() < 1e-9
    assert np.abs(replicates).max() < 60


def test_a_step_is_the_gradient_divided_by_the_curvature() -> None:
    """Conjugate gradients against the whole square of entrants, written out and solved."""
    dice = np.random.Generator(np.random.PCG64(3))
    size, columns = 12, 4
    found = sorted({tuple(sorted(dice.choice(size, 2, replace=False).tolist())) for _ in range(40)})
    first, second = (np.array([pair[n] for pair in found]) for n in (0, 1))
    bend, rest = dice.random((len(found), columns)) + 0.1, dice.random((size, columns)) + 0.1
    cross, gradient = dice.normal(0, 0.1, bend.shape), dice.normal(0, 1, (size + 1, columns))
    pairs = Pairs.of(size, first, second)
    diagonal = np.concatenate([pairs.sums(bend, 1) + rest, np.full((1, columns), 20.0)])
    curvature = Curvature(pairs, bend, cross, diagonal, rest)
    for column in range(columns):
        square = np.diag(diagonal[:, column])
        for n, (one, other) in enumerate(found):
            square[one, other] = square[other, one] = -bend[n, column]
            square[one, -1] += cross[n, column]
            square[other, -1] -= cross[n, column]
        square[-1, :-1] = square[:-1, -1]
        vector = gradient[:, column]
        assert curvature.times(gradient)[:, column] == pytest.approx(square @ vector)
        expected = np.linalg.solve(square, vector)
        assert solved(curvature, gradient)[:, column] == pytest.approx(expected, abs=1e-3)


def series(wins: int, ties: int, losses: int) -> list[Result]:
    """Make matches of a against b, each a set of its own."""
    places = [(1, 2)] * wins + [(1, 1)] * ties + [(2, 1)] * losses
    return [match("ab", pair, f"{n:04}") for n, pair in enumerate(places)]


@pytest.mark.parametrize(
    ("wins", "ties", "losses", "odds"), [(300, 0, 100, 3), (200, 500, 100, 2), (90, 30, 90, 1)]
)
def test_skills_say_how_often_one_is_above_for_once_below(
    wins: int, ties: int, losses: int, odds: float
) -> None:
    fitted = fit(series(wins, ties, losses), 0)
    assert fitted.skills[0] - fitted.skills[1] == pytest.approx(log(odds), abs=0.01)
    a, b = expected_points(fitted.skills[None, :], fitted.nu)[0]
    assert a == pytest.approx((wins + ties / 2) / (wins + ties + losses), abs=0.003)
    assert a + b == pytest.approx(1)


def test_intervals_are_those_of_a_sum_of_independent_matches() -> None:
    """The standard error of a logarithm of odds is the root of 1/wins + 1/losses."""
    fitted = fit(series(300, 0, 200), 2000)
    difference = fitted.replicates[:, 0] - fitted.replicates[:, 1]
    assert difference.std() == pytest.approx((1 / 300 + 1 / 200) ** 0.5, rel=0.06)


def test_a_set_that_repeats_one_deal_is_one_observation() -> None:
    """Ten matches of each set end alike, so that the interval is that of a tenth of them."""
    single = series(60, 0, 40)
    tenfold = [match("ab", r.places, r.set_id, n) for r in single for n in range(10)]
    spread = [fit(results, 1000).replicates[:, 0].std() for results in (single, tenfold)]
    assert spread[1] == pytest.approx(spread[0], rel=0.1)


def test_who_wins_everything_has_a_finite_skill_and_an_honest_interval() -> None:
    results = [
        match(names, (1, 2, 3), f"{n:02}", turn)
        for n in range(20)
        for turn, names in enumerate(("abc", "acb"))
    ]
    fitted = fit(results)
    best = skills(fitted, told_apart(fitted))["a"]
    assert best.low < best.skill < best.high
    assert 1 < best.skill < 8
    assert best.high - best.low > 2
    assert (best.rank, best.rank_low, best.rank_high) == (1, 1, 1)


def test_equal_results_make_equal_skills_whatever_the_names() -> None:
    results = [
        match("abc", (1, 2, 3), "s"),
        match("bca", (1, 2, 3), "t"),
        match("cab", (1, 2, 3), "u"),
    ]
    assert fit(results, 0).skills == pytest.approx([0, 0, 0], abs=1e-9)
    names = str.maketrans("abc", "zyx")
    turned = [
        match([n.translate(names) for n in r.entrants], r.places, r.set_id) for r in results[:2]
    ]
    one, two = fit(results[:2], 0), fit(turned, 0)
    assert one.skills == pytest.approx(two.skills[::-1], abs=1e-9)


def made(order: dict[str, int], names: str = "abc") -> Fit:
    """Make a fit with a number of replicates that have the entrants in each order, best first."""
    rows = [
        [-float(row.index(name)) for name in names]
        for row, times in order.items()
        for _ in range(times)
    ]
    sets = np.full(len(names), 50)
    return Fit(tuple(names), -np.arange(len(names), dtype=float), 0.1, np.array(rows), sets, sets)


def test_shares_by_hand() -> None:
    fitted = made({"abc": 90, "bac": 7, "acb": 3})
    shares = above(fitted)
    assert shares["a"] == {"b": 0.93, "c": 1.0}
    assert shares["b"]["a"] == pytest.approx(0.07)
    assert shares["c"]["b"] == pytest.approx(0.03)


def test_ranks_follow_from_the_claims() -> None:
    """One more than those claimed to be better, and not below those claimed to be worse."""
    fitted = made({"abc": 10})
    seen = skills(fitted, {("a", "c"), ("b", "c")})
    assert [(seen[n].rank_low, seen[n].rank_high) for n in "abc"] == [(1, 2), (1, 2), (3, 3)]
    seen = skills(fitted, set())
    assert [(seen[n].rank_low, seen[n].rank_high) for n in "abc"] == [(1, 3)] * 3


@pytest.mark.parametrize(
    ("claimed", "expected"),
    [
        (["ab", "bc", "ac"], ["a", "b", "c"]),
        (["ac", "bc"], ["ab", "c"]),
        (["ab", "ac"], ["a", "bc"]),
        (["ac"], ["ab", "bc"]),
        ([], ["abc"]),
        # a and c are not told apart, but b, between them, is told apart from both.
        (["ab", "bc"], ["a", "b", "c"]),
    ],
)
def test_groups_are_runs_in_which_no_two_are_told_apart(
    claimed: list[str], expected: list[str]
) -> None:
    seen = groups(made({"abc": 10}), {(pair[0], pair[1]) for pair in claimed})
    assert ["".join(group.entrants) for group in seen] == expected
    assert [group.letter for group in seen] == list("abc")[: len(expected)]


def test_groups_have_letters_without_end() -> None:
    assert [letter(n) for n in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "a", "z", "aa", "ab", "az", "ba", "zz", "aaa",
    ]  # fmt: skip


Luck = Callable[[np.random.Generator, int], Floats]
"""For a set of k seats: the noise of each match (row) for each entrant of the table (column)."""


def seat_luck(chance: np.random.Generator, seats: int) -> Floats:
    """Deal luck to the seats: in half of the matches the cards decide, in the others new noise."""
    cards = chance.gumbel(size=seats)
    noise = chance.gumbel(size=(seats, seats))
    for turn in np.flatnonzero(chance.random(seats) < 0.5):
        noise[turn] = np.roll(cards, turn)
    return noise


def table_luck(chance: np.random.Generator, seats: int) -> Floats:
    """Give a deal that suits some entrants, wherever they sit, in half of the matches."""
    cards = chance.gumbel(size=seats)
    noise = chance.gumbel(size=(seats, seats))
    noise[chance.random(seats) < 0.5] = cards
    return noise


def own_luck(chance: np.random.Generator, seats: int) -> Floats:
    """Draw new noise for each match."""
    return chance.gumbel(size=(seats, seats))


def simulated(
    chance: np.random.Generator,
    skill: Sequence[float],
    tables: Sequence[tuple[int, ...]],
    luck: Luck,
) -> list[Result]:
    """Play sets by the Plackett-Luce model: the highest skill plus noise is above.

    Each match alone is exactly of that model, since its noise is independent with Gumbel's
    distribution; the matches of a set are not independent of each other.
    """
    results = []
    for number, entrants in enumerate(tables):
        seats = len(entrants)
        strength = np.array([skill[i] for i in entrants])
        for turn, noise in enumerate(luck(chance, seats)):
            places = 1 + np.argsort(np.argsort(-(strength + noise)))
            order = [(seat + turn) % seats for seat in range(seats)]
            results.append(
                match(
                    [f"bot{entrants[i]}" for i in order],
                    [int(places[i]) for i in order],
                    f"{number:05}",
                    turn,
                )
            )
    return results


def round_robin(entrants: int, sizes: Sequence[int], sets: int) -> list[tuple[int, ...]]:
    return [t for size in sizes for t in combinations(range(entrants), size) for _ in range(sets)]


def held_by(seen: Mapping[str, Skill], skill: Sequence[float]) -> int:
    """Count the intervals that hold the true skill, measured from the median entrant."""
    true = np.array(skill) - np.median(skill)
    return sum(seen[f"bot{i}"].low <= each <= seen[f"bot{i}"].high for i, each in enumerate(true))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("skill", "sizes", "sets", "luck"),
    [
        ((0.9, 0.4, -0.3, -1.0), (2, 3, 4), 3, seat_luck),
        ((0.9, 0.4, -0.3, -1.0), (2, 3, 4), 3, table_luck),
        ((2.0, 0.7, 0.3, -0.5, -2.5), (2,), 5, own_luck),
        ((0.5, 0.0, -0.5), (3,), 8, seat_luck),
        ((3.0, 2.5, -5.5), (2, 3), 8, seat_luck),
    ],
    ids=["seat-luck", "table-luck", "wide", "few-sets", "hopeless"],
)
def test_the_intervals_hold_the_true_skill_in_90_to_99_of_100(
    skill: tuple[float, ...], sizes: tuple[int, ...], sets: int, luck: Luck
) -> None:
    """200 tournaments of known skills, of which each entrant's interval is checked."""
    chance = np.random.Generator(np.random.PCG64(7))
    tables = round_robin(len(skill), sizes, sets)
    rounds = 200
    held = 0
    for _ in range(rounds):
        seen = skills(fit(simulated(chance, skill, tables, luck), 250), ())
        held += held_by(seen, skill)
    assert 0.9 <= held / (rounds * len(skill)) <= 0.99


@pytest.mark.slow
def test_the_intervals_hold_the_true_skill_where_ties_are_common() -> None:
    """Matches of two by Davidson's model, with a third of them level; sets of two that repeat."""
    chance = np.random.Generator(np.random.PCG64(8))
    skill, nu, rounds = (1.0, 0.0, -1.0), 1.2, 200
    held = 0
    for _ in range(rounds):
        results = []
        for number, (one, other) in enumerate(round_robin(3, (2,), 12)):
            odds = np.array(
                [exp((skill[one] - skill[other]) / 2), nu, exp((skill[other] - skill[one]) / 2)]
            )
            ends = chance.choice(3, size=2, p=odds / odds.sum())
            ends[1] = ends[0] if chance.random() < 0.3 else ends[1]
            for n, end in enumerate(ends):
                places = ((1, 2), (1, 1), (2, 1))[end]
                results.append(match((f"bot{one}", f"bot{other}"), places, f"{number:03}", n))
        held += held_by(skills(fit(results, 250), ()), skill)
    assert 0.9 <= held / (rounds * 3) <= 0.99


@pytest.mark.slow
def test_ten_thousand_matches_of_thirty_are_rated_within_a_minute() -> None:
    chance = np.random.Generator(np.random.PCG64(12))
    skill = np.linspace(1.5, -1.5, 30).tolist()
    tables = [tuple(chance.permutation(30)[: 2 + n % 3].tolist()) for n in range(3334)]
    results = simulated(chance, skill, tables, seat_luck)
    assert len(results) > 10_000
    begin = perf_counter()
    seen = standings(results).overall
    assert perf_counter() - begin < 60
    true = {f"bot{i}": value for i, value in enumerate(skill)}  # their median is 0
    held = sum(
        line.skill.low <= true[line.entrant] <= line.skill.high
        for line in seen.standings
        if line.skill
    )
    assert held >= 26
    assert seen.standings[0].entrant in {"bot0", "bot1", "bot2"}
