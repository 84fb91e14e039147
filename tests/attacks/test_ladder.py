"""An accomplice on the ladder gains its friend nothing that honest matches would not.

The leagues are simulated with the real match-making and the real ratings, and bots whose skills are
known (``benchmarks/ladder_attacks.py``). What the friend has at the end is compared with what it
has in the same league without the accomplice; the tolerance is three standard errors of the mean
difference, from the spread over the seeds. Attacks that do gain something show that this is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from statistics import fmean, stdev

import pytest

from benchmarks import ladder_attacks as attacks
from benchmarks.ladder_attacks import Found
from tournaments.pairing.league_stats import MOST_ALONE, MOST_USED

SEEDS = 8


@cache
def found(attack: attacks.Attack) -> list[Found]:
    """Return what the friend has at the end of each league."""
    return [attacks.simulate(attack, seed) for seed in range(SEEDS)]


def gain(attack: attacks.Attack, value: Callable[[Found], float]) -> tuple[float, float]:
    """Return by how much the friend is better than without an attack, and the tolerance."""
    without = found(attacks.no_attack)
    gains = [value(one) - value(other) for one, other in zip(found(attack), without, strict=True)]
    return fmean(gains), 3 * stdev(gains) / SEEDS**0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    "attack",
    [
        attacks.honest_guest,
        attacks.fresh_versions,
        attacks.fresh_for_friend,
        attacks.win_then_throw,
        attacks.over_the_board,
        attacks.alone_at_night,
        attacks.medium_at_night,
    ],
)
def test_an_accomplice_gains_its_friend_nothing(
    attack: attacks.Attack, record_property: Callable[[str, object], None]
) -> None:
    """Neither in the rating, which the rank goes by, nor in mu and skill."""
    for name in ("rating", "mu", "skill"):
        gained, tolerance = gain(attack, lambda each: getattr(each, name))  # noqa: B023  called at once
        record_property(f"{attack.__name__} {name}", f"{gained:+.2f}, tolerance {tolerance:.2f}")
        assert gained < tolerance, name


@pytest.mark.slow
@pytest.mark.parametrize(("attack", "stated"), [(attacks.ring, 21.1), (attacks.new_entrants, 24.6)])
def test_several_accomplices_gain_what_the_guide_states(
    attack: attacks.Attack, stated: float, record_property: Callable[[str, object], None]
) -> None:
    """The figures of docs/guides/trust.md, for twice as many leagues."""
    gained, tolerance = gain(attack, lambda each: each.mu)
    mu = fmean(each.mu for each in found(attack))
    record_property(attack.__name__, f"mu {mu:.2f}, {gained:+.2f}, tolerance {tolerance:.2f}")
    assert gained > tolerance
    assert mu == pytest.approx(stated, abs=tolerance)


@pytest.mark.slow
def test_the_friend_that_is_farmed_stays_below_the_medium(
    record_property: Callable[[str, object], None],
) -> None:
    """Its skill is 18, that of the others 25 on average: it stays nearer to its own."""
    for attack in (attacks.fresh_versions, attacks.fresh_for_friend, attacks.ring):
        mu = fmean(each.mu for each in found(attack))
        record_property(attack.__name__, f"mu {mu:.2f}")
        assert mu < (18 + 25) / 2, attack.__name__


def test_a_pair_that_is_alone_has_a_cap(record_property: Callable[[str, object], None]) -> None:
    """Whichever others are away, the two meet at most three times the mean and a few times more."""
    for seed, each in enumerate(found(attacks.alone_at_night)):
        record_property(f"seed {seed}", f"{each.meetings} of {each.matches}, mu {each.mu:.1f}")
        mean = each.matches / (attacks.HONEST + 1)
        assert each.meetings <= MOST_USED * mean + MOST_ALONE + 1


# Who has the tables -----------------------------------------------------------------------------

CROWDED_SEEDS = 3


@cache
def shares(attack: attacks.Attack) -> list[attacks.Shares]:
    """Return who has the tables in each league of two tables."""
    return [attacks.crowded(attack, seed, time=450.0) for seed in range(CROWDED_SEEDS)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "attack", [attacks.version_churn, attacks.alternative_accounts, attacks.hidden_accounts]
)
def test_no_entrant_has_more_than_twice_its_fair_share_of_tables(attack: attacks.Attack) -> None:
    for each in shares(attack):
        assert each.largest <= 2, f"{each.whose} has {each.largest:.2f} times its fair share"


@pytest.mark.slow
@pytest.mark.parametrize("attack", [attacks.version_churn, attacks.alternative_accounts])
def test_the_rank_of_the_friend_moves_by_no_more_than_its_interval(attack: attacks.Attack) -> None:
    for before, after in zip(shares(attacks.no_attack), shares(attack), strict=True):
        assert abs(after.rank - before.rank) <= before.rank_high - before.rank_low
