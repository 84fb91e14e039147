"""What a plan expects of a tournament that stops by itself, compared with simulated ones."""

from __future__ import annotations

from itertools import combinations
from math import comb, log

import numpy as np
import pytest

from tests.tournaments.ratings.duplicate_sets import Model
from tournaments.model import Claims, StopRule
from tournaments.ratings.claims import told_apart
from tournaments.ratings.expected_sets import settled_share
from tournaments.ratings.fit import fit

LEADER = StopRule("leader")


@pytest.mark.parametrize(
    ("rule", "skills", "seats", "times", "sets"),
    [
        (LEADER, (1, 0), 2, 4, 20),
        (LEADER, (1, 0, 0, 0, 0, 0), 4, 4, 2),
        (StopRule("top 2"), (1, 1, 0, 0, 0), 3, 2, 12),
        (StopRule("all"), (2, 1, 0), 2, 2, 60),
    ],
)
def test_as_many_tournaments_are_settled_as_expected(
    rule: StopRule, skills: tuple[int, ...], seats: int, times: float, sets: int
) -> None:
    """Of 30; the standard error of the share is at most 9 %."""
    entrants, gap = len(skills), log(times)
    chance = np.random.Generator(np.random.PCG64(1))
    model = Model([gap * skill for skill in skills])
    tables = [each for each in combinations(range(entrants), seats) for _ in range(sets)]
    apart = {
        (f"bot{one}", f"bot{other}")
        for one, other in combinations(range(entrants), 2)
        if skills[one] > skills[other]
    }
    settled = sum(
        apart <= told_apart(fit(model.play(chance, tables), 250), claims=Claims.ANYTIME)
        for _ in range(30)
    )
    meetings = sets * comb(entrants - 2, seats - 2) * seats * 3 / (seats + 1)
    each = sets * comb(entrants - 1, seats - 1)
    expected = settled_share(rule, entrants, gap, meetings, each)
    assert 0.2 < expected < 0.8
    assert settled / 30 == pytest.approx(expected, abs=0.27)


def test_a_larger_gap_and_more_sets_settle_more_and_equals_are_not_settled() -> None:
    shares = [settled_share(LEADER, 4, 0.7, 2.0 * sets, 3 * sets) for sets in (10, 40, 160)]
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert shares[-1] > 0.9
    assert settled_share(LEADER, 4, 1.4, 40, 60) > settled_share(LEADER, 4, 0.7, 40, 60)
    assert settled_share(LEADER, 4, 0.0, 200, 300) < 0.05
    assert settled_share(LEADER, 2, 9.0, 7, 7) == 0, "nothing is claimed before 8 sets"
