"""How far duplicate deals reduced the variance of the results, measured on these results.

The points of an entrant in a match vary around what the fit expects at that table and what its seat
is worth. A one-way analysis of variance with the sets as classes splits this in two: how far the
means of sets lie from the expectation (the mean square B), and how far the M matches of a set lie
from their mean (W). A single match then has the variance (B + (M - 1) W) / M; the mean of M
independent ones would have that divided by M, and the mean of a set has B / M. The ratio is the
second divided by the first.

**Per kind of table.** Everything is estimated for each game, size and variant alone: skills, seats,
B and W. Sums over sets of several kinds are then compared. The seats are taken out because every
entrant has every seat equally often in a set, whatever is dealt: that is the work of the rotation,
not of the deals.

**Degrees of freedom.** The skills were fitted to the same results, which costs B one for each
entrant but one; the seats cost W one for each seat but one. What the fit gets wrong
about a table makes B, and the ratio, too large rather than too small.

**What counts.** Whole sets of several matches with one deal, in which each entrant had each seat
equally often, and none is expected to win or to lose nearly everything: where there is hardly any
luck, only the errors of the fit would be measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from tournaments.model import Claims
from tournaments.ratings.claims import reach
from tournaments.ratings.fit import expected_points, expected_slopes
from tournaments.ratings.likelihood import Floats, Indices
from tournaments.ratings.residuals import Residuals
from tournaments.ratings.standings import DuplicateGain

FEWEST_SETS = 10
ONE_SIDED = 0.05
"""A table is left out if the fit expects less than this share of the points for an entrant."""
NEWTON_STEPS = 8
LONGEST_STEP = 2.0
RIDGE = 1e-6


class SetVariances(NamedTuple):
    """For each set: its share in the variance of sets, and in that of independent matches."""

    of_sets: Floats
    of_matches: Floats


def duplicate_gain(
    kinds: Sequence[SetVariances], claims: Claims = Claims.FIXED
) -> DuplicateGain | None:
    """Compare the variances of sets of some kinds; None with fewer than ten sets.

    The interval is that of a ratio of two sums over independent sets: its lower end on a linear
    scale, its upper end on a logarithmic one, which are the wider ones.
    """
    of_sets = np.concatenate([np.zeros(0), *(kind.of_sets for kind in kinds)])
    of_matches = np.concatenate([np.zeros(0), *(kind.of_matches for kind in kinds)])
    sets, total = len(of_sets), float(of_matches.sum())
    if sets < FEWEST_SETS or total <= 0:
        return None
    ratio = float(of_sets.sum()) / total
    if ratio == 0:
        return DuplicateGain(0.0, 0.0, 0.0, sets)
    influence = of_sets / (ratio * total) - of_matches / total
    error = sqrt(float((influence**2).sum()) * sets / (sets - 1))
    width = reach(claims, sets, sets - 1) * error
    return DuplicateGain(ratio, ratio * max(0.0, 1 - width), ratio * exp(width), sets)


def set_variances(residuals: Residuals) -> SetVariances | None:
    """Return the variances of the sets of one kind of table; None if too few of them count."""
    for_sets = _counting(residuals)
    if not for_sets:
        return None
    seats, length = residuals.kind.seats, len(for_sets[0])
    matches = np.concatenate(for_sets)
    # For each set a table with a row for each match and a column for each entrant.
    order = np.argsort(residuals.entrants[matches], axis=1)
    beyond = np.take_along_axis(_beyond_seats(residuals, matches), order, axis=1)
    by_entrant = beyond.reshape(len(for_sets), length, seats)
    means = by_entrant.mean(axis=1)
    between = length * (means**2).sum(axis=1)
    within = ((by_entrant - means[:, None, :]) ** 2).sum(axis=(1, 2))
    sets, skills = len(for_sets), len(np.unique(residuals.entrants[matches])) - 1
    freedom = (sets * (seats - 1) - skills, (sets * (length - 1) - 1) * (seats - 1))
    if freedom[0] < skills:
        return None
    of_sets = between * sets / freedom[0] / length
    return SetVariances(
        of_sets, (of_sets + (length - 1) * within * sets / freedom[1] / length) / length
    )


def _beyond_seats(residuals: Residuals, matches: Indices) -> Floats:
    """Return the points less what skills and seats, fitted together, explain.

    A seat adds to the skill: so it is worth fewer points to an entrant that wins or loses anyway.
    """
    _, entrants = np.unique(residuals.entrants[matches], return_inverse=True)
    seats = residuals.kind.seats
    size = int(entrants.max()) + 1
    # A row of the model has two numbers for each seat of a match: the entrant, and the seat.
    numbers = (entrants, np.broadcast_to(size + np.arange(seats), entrants.shape))
    found = np.zeros(size + seats)
    found[entrants] = residuals.skills[matches]
    for _ in range(NEWTON_STEPS):
        strength = found[numbers[0]] + found[numbers[1]]
        beyond = residuals.points[matches] - expected_points(strength, residuals.nu)
        slopes = expected_slopes(strength, residuals.nu)
        gradient, matrix = np.zeros(len(found)), RIDGE * np.eye(len(found))
        for one in numbers:
            np.add.at(gradient, one, beyond)
            for other in numbers:
                np.add.at(matrix, (one[:, :, None], other[:, None, :]), slopes)
        found += np.clip(np.linalg.solve(matrix, gradient), -LONGEST_STEP, LONGEST_STEP)
    strength = found[numbers[0]] + found[numbers[1]]
    return residuals.points[matches] - expected_points(strength, residuals.nu)


def _counting(residuals: Residuals) -> list[Indices]:
    """Return the matches of each set that counts; all have as many."""
    balanced = (
        (residuals.expected.min(axis=1) >= ONE_SIDED)
        & (residuals.expected.max(axis=1) <= 1 - ONE_SIDED)
        & residuals.is_duplicate
    )
    order = np.argsort(residuals.sets, kind="stable")
    starts = np.flatnonzero(np.diff(residuals.sets[order])) + 1
    found = [
        matches
        for matches in np.split(order, starts)
        if balanced[matches].all() and _is_whole(residuals.entrants[matches])
    ]
    most = max(map(len, found), default=0)
    return [matches for matches in found if len(matches) == most]


def _is_whole(entrants: Indices) -> bool:
    """Return whether each entrant of the first match had each seat equally often."""
    matches, seats = entrants.shape
    each, rest = divmod(matches, seats)
    return (
        not rest
        and each > 0
        and all((np.count_nonzero(entrants == name, axis=0) == each).all() for name in entrants[0])
    )
