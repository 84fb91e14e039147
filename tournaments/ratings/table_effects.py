"""What a seat is worth, and what it is worth to sit after a weak player, at one kind of table.

**Seats.** The mean of the points of a seat, less what the fit expects of the entrants that had it,
plus a half. Where each entrant has each seat equally often that is the plain mean.

**Neighbours.** The points beyond the expectation are compared with how much weaker the player
directly before an entrant is than its opponents are on average. Part of such an effect is in the
fitted skills if an entrant sits after weak players more often than others do; so the comparison
takes only what no change of the skills can explain. The slope is multiplied by the mean difference
between the weakest and the strongest opponent.

**Intervals** are over sets, because the matches of a set share their luck, by Student's t. Where
the claims of the table hold at any time, each of them does too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from tournaments.model import Claims, Result, TableKind
from tournaments.ratings.claims import reach
from tournaments.ratings.duplicate_gain import SetVariances, set_variances
from tournaments.ratings.fit import Fit, expected_slopes
from tournaments.ratings.likelihood import Floats
from tournaments.ratings.residuals import Residuals
from tournaments.ratings.standings import Estimate, TableEffects

FEWEST_SETS: Final = 10
FEWEST_SEATS: Final = 3
"""At a table of two the player before an entrant is its only opponent."""
SMALLEST_SHARE: Final = 0.01
"""How much of the differences between neighbours no change of the skills explains, at least."""


class KindFindings(NamedTuple):
    """What is measured at one kind of table, and does not depend on which part it is in."""

    variances: SetVariances | None
    effects: TableEffects | None


def kind_findings(
    kind: TableKind, results: Sequence[Result], fit: Fit, claims: Claims
) -> KindFindings:
    """Measure on the results of one kind of table, and the fit of these results."""
    residuals = Residuals.of(kind, results, fit)
    return KindFindings(set_variances(residuals), table_effects(residuals, claims))


def table_effects(residuals: Residuals, claims: Claims) -> TableEffects | None:
    """Measure what seats and neighbours are worth; None with fewer than ten sets."""
    sets = residuals.count
    if sets < FEWEST_SETS:
        return None
    matches = len(residuals.sets)
    means = residuals.seat_effects
    errors = _errors(residuals.by_set(residuals.beyond - means), sets - 1) / matches
    width = reach(claims, sets, sets - 1)
    seats = tuple(
        _estimate(0.5 + mean, width * error)
        for mean, error in zip(means.tolist(), errors.tolist(), strict=True)
    )
    return TableEffects(residuals.kind, sets, seats, _neighbour_effect(residuals, claims))


def _neighbour_effect(residuals: Residuals, claims: Claims) -> Estimate | None:
    skills, seats = residuals.skills, residuals.kind.seats
    freedom = residuals.count - len(np.unique(residuals.entrants))
    if seats < FEWEST_SEATS or freedom < FEWEST_SETS // 2:
        return None
    before = np.roll(skills, 1, axis=1)
    weaker = (skills.sum(axis=1, keepdims=True) - skills) / (seats - 1) - before
    beyond_skills = _beyond_skills(residuals, weaker)
    scale = float((beyond_skills * weaker).sum())
    if scale <= SMALLEST_SHARE * float((weaker**2).sum()):
        return None
    beyond = residuals.beyond - residuals.seat_effects
    slope = float((beyond_skills * beyond).sum()) / scale
    by_set = residuals.by_set((beyond_skills * (beyond - slope * weaker)).sum(axis=1))
    gap = _mean_gap(skills)
    error = float(_errors(by_set, freedom)) / scale
    return _estimate(slope * gap, reach(claims, residuals.count, freedom) * error * gap)


def _beyond_skills(residuals: Residuals, values: Floats) -> Floats:
    """Return what is left of the values of each seat when the skills explain what they can."""
    entrants = residuals.entrants
    slopes = expected_slopes(residuals.skills, residuals.nu)
    size = int(entrants.max()) + 1
    matrix, vector = np.zeros((size, size)), np.zeros(size)
    np.add.at(matrix, (entrants[:, :, None], entrants[:, None, :]), slopes)
    np.add.at(vector, entrants, np.einsum("mij,mj->mi", slopes, values))
    matrix[np.diag_indices(size)] += 1e-9 * max(1.0, float(matrix.max()))
    found = np.linalg.solve(matrix, vector)[entrants]
    left: Floats = values - (found - found.mean(axis=1, keepdims=True))
    return left


def _mean_gap(skills: Floats) -> float:
    """Return how far the strongest and the weakest opponent of a seat are apart, on average."""
    gaps = [np.ptp(np.delete(skills, seat, axis=1), axis=1) for seat in range(skills.shape[1])]
    return float(np.mean(gaps))


def _errors(by_set: Floats, freedom: int) -> Floats:
    """Return the standard error of a sum over independent sets."""
    errors: Floats = np.sqrt((by_set**2).sum(axis=0) * len(by_set) / freedom)
    return errors


def _estimate(value: float, width: float) -> Estimate:
    return Estimate(value, value - width, value + width)
