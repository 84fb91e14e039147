"""What duplicate deals bring: against ratios that follow from the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.tournaments.ratings.duplicate_sets import Model, both_ways, kind
from tests.tournaments.synthetic import standings
from tournaments.model import Result
from tournaments.ratings.duplicate_gain import duplicate_gain, set_variances
from tournaments.ratings.fit import fit
from tournaments.ratings.residuals import Residuals
from tournaments.ratings.standings import DuplicateGain

EQUAL = (0.0,) * 4
APART = (1.0, 0.3, -0.3, -1.0)
WIDE = (1.8, 0.6, -0.6, -1.8)
SEATS = (1.5, 0.5, 0.0, -0.5)


def gain(results: Sequence[Result]) -> DuplicateGain | None:
    """Measure results of one kind of table."""
    variances = set_variances(Residuals.of(results[0].kind, results, fit(results, 0)))
    return duplicate_gain([variances] if variances else [])


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.8])
def test_the_ratio_is_one_less_the_share_of_the_deal(seats: int, share: float) -> None:
    """The luck of a deal is once in each seat, and is gone from the mean of a set."""
    chance = np.random.Generator(np.random.PCG64(9))
    sets = {2: 100, 3: 150, 4: 600}[seats]
    found = gain(Model(EQUAL, cards=share).play(chance, both_ways(4, seats, sets)))
    assert found
    assert found.sets == len(both_ways(4, seats, sets))
    assert found.ratio == pytest.approx(1 - share**2, abs=0.09)
    assert found.low <= 1 - share**2 <= found.high
    assert (found.high < 1) == (share > 0)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_if_only_the_deal_decides_nothing_is_left(seats: int) -> None:
    chance = np.random.Generator(np.random.PCG64(9))
    found = gain(Model(EQUAL, cards=1.0).play(chance, both_ways(4, seats, 60)))
    assert found
    assert found.ratio < 0.02


@pytest.mark.parametrize("skills", [EQUAL, WIDE], ids=["equal", "wide"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_rotation_of_the_seats_is_not_credited_to_the_deals(
    seats: int, skills: tuple[float, ...]
) -> None:
    """A strong first seat without luck of the cards, in the mean of twelve tournaments.

    The ratio of one of them has a standard deviation of about 0.08.
    """
    chance = np.random.Generator(np.random.PCG64(10))
    sets = {2: 24, 3: 36, 4: 100}[seats]
    model = Model(skills, seats=(2.5, 0.5, 0.0, -0.5))
    seen = [gain(model.play(chance, both_ways(4, seats, sets))) for _ in range(12)]
    assert np.mean([found.ratio for found in seen if found]) == pytest.approx(1, abs=0.07)
    assert sum(found.high < 1 for found in seen if found) <= 1


def test_a_gain_is_seldom_claimed_where_there_is_none() -> None:
    """200 tournaments of 24 sets."""
    chance = np.random.Generator(np.random.PCG64(11))
    model = Model(APART, seats=SEATS)
    seen = [gain(model.play(chance, both_ways(4, 3, 6))) for _ in range(200)]
    ratios = [found.ratio for found in seen if found]
    assert len(ratios) > 190
    assert np.mean(ratios) == pytest.approx(1, abs=0.05)
    assert sum(found.high < 1 for found in seen if found) <= 0.06 * 200


def test_sizes_are_measured_apart() -> None:
    """Skills that turn round with the size would look like luck of the sets in a common fit."""
    chance = np.random.Generator(np.random.PCG64(12))
    results = Model((1.5, 0.5, -0.5, -1.5)).play(chance, both_ways(4, 2, 20))
    results += Model((-1.5, -0.5, 0.5, 1.5)).play(chance, both_ways(4, 3, 30))
    found = standings(results, replicates=20)
    together = found.overall.duplicates
    assert together
    assert together.ratio == pytest.approx(1, abs=0.15)
    parts = [table.duplicates for table in found.by_seats().values()]
    assert together.sets == sum(part.sets for part in parts if part)


def test_fresh_deals_say_nothing() -> None:
    chance = np.random.Generator(np.random.PCG64(13))
    results = Model(EQUAL).play(chance, both_ways(4, 3, 10))
    assert gain(results)
    one_anew = [replace(result, duplicate=not result.match.endswith("-2")) for result in results]
    assert gain(one_anew) is None, "a set counts only if all of its matches share the deal"
    assert (
        standings([replace(each, duplicate=False) for each in results]).overall.duplicates is None
    )


def test_where_one_wins_everything_there_is_no_luck_to_measure() -> None:
    chance = np.random.Generator(np.random.PCG64(14))
    found = gain(Model((9.0, 0.0, 0.0)).play(chance, both_ways(3, 2, 20)))
    assert found
    assert found.sets == 20, "only those of the two who are a match for each other"


def test_whole_sets_and_enough_of_them_are_needed() -> None:
    chance = np.random.Generator(np.random.PCG64(15))
    results = Model((0.0,) * 3).play(chance, both_ways(3, 3, 10))
    assert gain(results)
    assert gain(results[1:]) is None
    assert gain(results[:27]) is None
    alone = [replace(result, set_id=result.match) for result in results]
    assert gain(alone) is None
    assert duplicate_gain([]) is None
    assert kind(3) == results[0].kind
