"""Where one number does not fit: parts, seats, neighbours and cycles, with known truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, groupby
from typing import NamedTuple

import numpy as np
import pytest

from tests.tournaments.ratings.duplicate_sets import GAME, Model, both_ways, kind
from tests.tournaments.synthetic import standings
from tournaments.model import Claims, Result
from tournaments.ratings.claims import Pair, told_apart
from tournaments.ratings.cycles import cycles
from tournaments.ratings.fit import Fit, expected_points, expected_slopes, fit
from tournaments.ratings.heterogeneity import heterogeneities, hold_in_each, tail
from tournaments.ratings.residuals import Residuals
from tournaments.ratings.standings import Heterogeneity, TableEffects
from tournaments.ratings.table_effects import table_effects

SPREAD = (1.0, 0.3, -0.3, -1.0)
SETS = {2: 4, 3: 5, 4: 10}
ZERO = (0.0, 0.0)


class Fitted(NamedTuple):
    """The fit of a part, and its claims."""

    fit: Fit
    claimed: frozenset[Pair]


def fitted(results: Sequence[Result], replicates: int = 250) -> Fitted:
    found = fit(results, replicates)
    return Fitted(found, told_apart(found))


def over_sizes(chance: np.random.Generator, models: Mapping[int, Model]) -> Heterogeneity:
    """Play each size by its model, and compare the sizes."""
    parts = {
        str(size): fitted(model.play(chance, both_ways(4, size, SETS[size])))
        for size, model in models.items()
    }
    (found,) = heterogeneities({"seats": parts}, Claims.FIXED)
    return found


# Parts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "most"),
    [
        (Model((0.0,) * 4), 0.06),
        (Model(SPREAD, cards=0.6), 0.06),
        (Model((2.0, 1.5, 1.0, -6.0)), 0.06),
    ],
    ids=["equal", "spread", "hopeless"],
)
def test_skills_that_agree_are_seldom_said_to_differ(model: Model, most: float) -> None:
    """100 tournaments of 24, 20 and 10 sets at three sizes of table."""
    chance = np.random.Generator(np.random.PCG64(21))
    alarms = sum(over_sizes(chance, dict.fromkeys((2, 3, 4), model)).is_found for _ in range(100))
    assert alarms <= most * 100


@pytest.mark.parametrize(("degrees", "q", "p"), [(3, 16.27, 0.001), (6, 22.46, 0.001)])
def test_a_small_p_value_is_that_of_the_chi_square_distribution(
    degrees: int, q: float, p: float
) -> None:
    """The quantiles are those of tables; 250 values alone say no less than 0.004."""
    by_chance = np.random.Generator(np.random.PCG64(5)).chisquare(degrees, 250)
    assert p / 3 < tail(by_chance, q) < 3 * p
    assert tail(by_chance, float(np.median(by_chance))) == pytest.approx(0.5, abs=0.01)


@pytest.mark.slow
def test_skills_that_agree_are_seldom_said_to_differ_at_any_of_ten_looks() -> None:
    """60 leagues of 90 and 60 sets at two sizes of table; with the level of one look many err."""
    chance = np.random.Generator(np.random.PCG64(23))
    model = Model((0.0,) * 3)
    alarms = dict.fromkeys(Claims, 0)
    for _ in range(60):
        sizes = {}
        for size, sets in ((2, 30), (3, 60)):
            played = model.play(chance, both_ways(3, size, sets))
            whole = [list(one) for _, one in groupby(played, lambda result: result.set_id)]
            chance.shuffle(whole)
            sizes[str(size)] = whole
        seen = [
            {
                size: Fitted(fit([*chain(*sets[: len(sets) * look // 10])], 250), frozenset())
                for size, sets in sizes.items()
            }
            for look in range(1, 11)
        ]
        for claims in Claims:
            alarms[claims] += any(
                each.is_found
                for parts in seen
                for each in heterogeneities({"seats": parts}, claims)
            )
    assert alarms[Claims.ANYTIME] <= 6, "at an error of 5 % there are more with 3 %"
    assert alarms[Claims.FIXED] > 6


def test_skills_that_turn_round_are_found_and_named() -> None:
    """Two bots that differ by -3.0, -0.7 and +0.3 at tables of 2, 3 and 4."""
    chance = np.random.Generator(np.random.PCG64(22))
    apart = {2: -3.0, 3: -0.7, 4: 0.3}
    models = {size: Model((d / 2, -d / 2, 0.0, 0.2)) for size, d in apart.items()}
    seen = [over_sizes(chance, models) for _ in range(40)]
    found = [each for each in seen if each.is_found]
    assert len(found) >= 28
    assert sum(set(each.pair) == {"bot0", "bot1"} for each in found) >= len(found) * 0.7


def test_cochrans_q_of_two_parts_by_hand() -> None:
    """Two entrants, skills 1 and -1 here, 0 and 0 there, with variance 0.25: Q is 2 for each."""
    steps = np.array([[0.5, -0.5], [-0.5, 0.5]] * 50)
    scale = np.sqrt(99 / 100)  # the variance of the replicates divides by one less
    names, sets = ("a", "b"), np.array([10_000, 10_000])
    here = Fit(names, np.array([1.0, -1.0]), 0.1, np.array([1.0, -1.0]) + scale * steps, sets, sets)
    there = Fit(names, np.array([0.0, 0.0]), 0.1, scale * steps, sets, sets)
    parts = {"2": Fitted(here, frozenset()), "3": Fitted(there, frozenset())}
    (found,) = heterogeneities({"seats": parts}, Claims.FIXED)
    assert found.q == pytest.approx(4)
    assert found.pair in {("a", "b"), ("b", "a")}
    sign = 1 if found.pair == ("a", "b") else -1
    assert [sign * each.value for each in found.differences.values()] == pytest.approx([2, 0])
    # Shifted by an odd number of rows, the replicates are one step apart in every row: their Q is
    # 4 times 99 / 100, less than that of the estimates.
    assert found.p == pytest.approx(1 / 101)
    assert not found.is_reversed


def test_claims_over_all_matches_hold_in_each_part() -> None:
    sets = np.array([9, 9, 9])
    both = Fit(tuple("abc"), np.zeros(3), 0.1, np.zeros((60, 3)), sets, sets)
    without_c = Fit(("a", "b"), np.zeros(2), 0.1, np.zeros((60, 2)), sets[:2], sets[:2])
    parts = [
        Fitted(both, frozenset({("a", "b"), ("a", "c"), ("b", "c")})),
        Fitted(without_c, frozenset({("b", "a")})),
    ]
    claimed = frozenset({("a", "b"), ("a", "c"), ("b", "c")})
    assert hold_in_each(claimed, parts) == {("a", "c"), ("b", "c")}
    assert hold_in_each(claimed, []) == claimed


def test_a_table_claims_nothing_that_one_of_its_parts_denies() -> None:
    chance = np.random.Generator(np.random.PCG64(23))
    results = Model((-1.5, 1.5, 0.0)).play(chance, both_ways(3, 2, 40))
    results += Model((1.0, -1.0, 0.0)).play(chance, both_ways(3, 3, 20))
    seen = standings(results, replicates=250)
    two, three = seen.by_seats().values()
    assert two.is_ahead("bot1", "bot0")
    assert three.is_ahead("bot0", "bot1")
    (found,) = seen.overall.heterogeneity
    assert (found.over, found.is_found, found.is_reversed) == ("seats", True, True)
    assert set(found.pair) == {"bot0", "bot1"}
    for better, worse in seen.overall.told_apart:
        assert two.is_ahead(better, worse)
        assert three.is_ahead(better, worse)
    assert not seen.overall.is_ahead("bot1", "bot0")
    first = seen.overall.groups[0].entrants
    assert {"bot0", "bot1"} <= {name for group in seen.overall.groups for name in group.entrants}
    assert len(first) > 1


def test_where_parts_agree_every_claim_stays() -> None:
    chance = np.random.Generator(np.random.PCG64(24))
    results = Model((1.0, 0.0, -1.0)).play(chance, both_ways(3, 2, 20))
    results += Model((1.0, 0.0, -1.0)).play(chance, both_ways(3, 3, 20))
    seen = standings(results, replicates=250).overall
    assert [each.is_found for each in seen.heterogeneity] == [False]
    alone = told_apart(fit(results, 250))
    assert seen.told_apart == alone
    assert len(alone) == 3


# Seats and neighbours ---------------------------------------------------------------------------


def effects(results: Sequence[Result]) -> TableEffects:
    found = table_effects(Residuals.of(results[0].kind, results, fit(results, 0)), Claims.FIXED)
    assert found
    return found


def test_slopes_of_expected_points_are_their_derivatives() -> None:
    skills, step = np.array([[0.3, -0.2, 1.0, 0.5]]), 1e-6
    slopes = expected_slopes(skills, 0.2)[0]
    for n in range(4):
        moved = step * np.eye(4)[n]
        up, down = (expected_points(skills + way * moved, 0.2)[0] for way in (1, -1))
        assert slopes[:, n] == pytest.approx((up - down) / (2 * step), abs=1e-8)


def test_the_points_of_a_seat_are_their_mean() -> None:
    """Whole sets: each entrant has each seat equally often, and nothing is to be adjusted."""
    chance = np.random.Generator(np.random.PCG64(31))
    results = Model(SPREAD, seats=(1.0, 0.0, -0.5)).play(chance, both_ways(4, 3, 10))
    found = effects(results)
    assert (found.kind, found.sets) == (kind(3), 40)
    for seat, estimate in enumerate(found.seats):
        plain = np.mean([(3 - result.places[seat]) / 2 for result in results])
        assert estimate.value == pytest.approx(plain)
    assert found.seats[0].low > 0.5 > found.seats[2].high
    assert sum(estimate.value for estimate in found.seats) == pytest.approx(1.5)


def test_a_weak_player_before_one_is_measured_whatever_the_skills_absorb() -> None:
    """The truth: after the weakest against after the strongest, over all orders of a table."""
    model = Model(SPREAD, neighbour=0.4)
    chance = np.random.Generator(np.random.PCG64(32))
    many = model.play(chance, both_ways(4, 3, 1000))
    after: dict[bool, list[float]] = {True: [], False: []}
    for result in many:
        for seat, place in enumerate(result.places):
            before, other = result.entrants[seat - 1], result.entrants[(seat + 1) % 3]
            after[before > other].append((3 - place) / 2)  # bot3 is the weakest
    truth = np.mean(after[True]) - np.mean(after[False])
    assert truth == pytest.approx(0.125, abs=0.02)
    held = 0
    for _ in range(100):
        found = effects(model.play(chance, both_ways(4, 3, 10))).neighbour
        assert found
        held += found.holds(float(truth))
    assert held >= 90


def test_without_an_effect_the_interval_of_the_neighbour_holds_0() -> None:
    chance = np.random.Generator(np.random.PCG64(33))
    model = Model(SPREAD, cards=0.5, seats=(1.0, 0.3, 0.0, -0.5))
    seen = [effects(model.play(chance, both_ways(4, 3, 6))).neighbour for _ in range(200)]
    assert sum(not each.holds(0) for each in seen if each) <= 0.08 * 200


def test_neighbours_need_three_seats_and_sets_that_show_them() -> None:
    chance = np.random.Generator(np.random.PCG64(34))
    assert effects(Model(SPREAD).play(chance, both_ways(4, 2, 4))).neighbour is None
    one_way = [(0, 1, 2)] * 20
    assert effects(Model(SPREAD).play(chance, one_way)).neighbour is None
    few = Model(SPREAD).play(chance, both_ways(3, 3, 9))
    assert table_effects(Residuals.of(kind(3), few, fit(few, 0)), Claims.FIXED) is None


def test_intervals_of_a_league_hold_at_any_of_twenty_looks() -> None:
    """80 leagues of three equals that grow to 200 sets: the first seat is worth a half."""
    chance = np.random.Generator(np.random.PCG64(35))
    alarms = dict.fromkeys(Claims, 0)
    looks = [30 * look for look in range(1, 21)]
    for _ in range(80):
        results = Model((0.0,) * 3).play(chance, both_ways(3, 3, 200))
        whole = Residuals.of(kind(3), results, fit(results, 0))
        seen = [first(whole, matches) for matches in looks]
        for claims in Claims:
            found = [table_effects(each, claims) for each in seen]
            alarms[claims] += any(each and not each.seats[0].holds(0.5) for each in found)
    assert alarms[Claims.ANYTIME] <= 0.05 * 80 + 2 * 2.0, "two standard deviations above the goal"
    assert alarms[Claims.FIXED] > 0.15 * 80, "intervals for one look do not hold at all of them"


def first(residuals: Residuals, matches: int) -> Residuals:
    """Return the first matches alone."""
    columns = ("entrants", "skills", "points", "expected", "sets", "is_duplicate")
    return replace(residuals, **{name: getattr(residuals, name)[:matches] for name in columns})


# Cycles -----------------------------------------------------------------------------------------


def duels(chance: np.random.Generator, wins: Mapping[str, float], sets: int = 30) -> list[Result]:
    """Play sets of two, of which the first of a pair wins each match with a probability."""
    return [
        Result(
            f"{pair}{n}-{turn}", f"{pair}{n}", GAME, "plain", names, places, (0, 0), (), (0, 0), 9
        )
        for pair, win in wins.items()
        for n in range(sets)
        for turn, names in enumerate([(pair[0], pair[1]), (pair[1], pair[0])], 1)
        for places in [(1, 2) if (chance.random() < win) == (turn == 1) else (2, 1)]
    ]


def test_a_cycle_is_named_if_every_pair_is_decided() -> None:
    chance = np.random.Generator(np.random.PCG64(41))
    strong = duels(chance, {"ab": 0.8, "bc": 0.8, "ca": 0.8})
    assert cycles(strong, 0.95, Claims.FIXED) == (("a", "b", "c"),)
    assert standings(strong, replicates=50).overall.cycles == (("a", "b", "c"),)
    other_way = duels(chance, {"ab": 0.2, "bc": 0.2, "ca": 0.2})
    assert cycles(other_way, 0.95, Claims.FIXED) == (("a", "c", "b"),)
    open_end = duels(chance, {"ab": 0.8, "bc": 0.8, "ca": 0.5})
    assert cycles(open_end, 0.95, Claims.FIXED) == ()
    in_order = duels(chance, {"ab": 0.8, "bc": 0.8, "ac": 0.9})
    assert cycles(in_order, 0.95, Claims.FIXED) == ()


def test_pairs_that_always_end_alike_need_enough_sets() -> None:
    chance = np.random.Generator(np.random.PCG64(42))
    always = {"ab": 1.0, "bc": 1.0, "ca": 1.0}
    assert cycles(duels(chance, always, 4), 0.95, Claims.FIXED) == ()
    assert cycles(duels(chance, always, 12), 0.95, Claims.FIXED) == (("a", "b", "c"),)
    assert cycles(duels(chance, always, 7), 0.95, Claims.ANYTIME) == ()


def test_equals_make_no_cycle() -> None:
    """200 tournaments of six equals with 15 pairs: any decided pair in at most 6 %, no cycle."""
    chance = np.random.Generator(np.random.PCG64(43))
    pairs = {f"{one}{other}": 0.5 for one, other in combinations("abcdef", 2)}
    assert not any(cycles(duels(chance, pairs, 10), 0.95, Claims.FIXED) for _ in range(200))
