"""The maxima of many log-likelihoods at once, over pairs of entrants.

The model is in ``fit.py``. Entrants and pairs are rows, replicates are columns, so that the values
of a pair are contiguous. Only pairs that have met are stored. No library for linear algebra is
called: these are made for few large problems, and lose more time to their threads than these many
small ones take.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

LONGEST_STEP = 2.0
PRECISION = 1e-9
MOST_STEPS = 100
ENOUGH = 1e-4
"""Which share of a step may be missing: the next one brings it."""


class Sums(NamedTuple):
    """How to add up for each entrant what stands in rows of pairs."""

    order: Indices
    """The rows, so that those of an entrant stand together."""
    starts: Indices
    entrants: Indices
    """The entrants that have any."""

    @classmethod
    def over(cls, entrants: Indices) -> Sums:
        """Add up by the entrant that each row names."""
        order = np.argsort(entrants, kind="stable")
        found, starts = np.unique(entrants[order], return_index=True)
        return cls(order, starts, found)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs of entrants that have met."""

    size: int
    """How many entrants there are."""
    first: Indices
    second: Indices
    of_first: Sums
    of_second: Sums

    @classmethod
    def of(cls, size: int, first: Indices, second: Indices) -> Pairs:
        """Return the pairs of ``size`` entrants, given by their numbers."""
        return cls(size, first, second, Sums.over(first), Sums.over(second))

    def differences(self, skills: Floats) -> Floats:
        """Return by how much the first of each pair exceeds the second."""
        return skills[self.first] - skills[self.second]

    def sums(self, values: Floats, sign: int) -> Floats:
        """Add up for each entrant the values of its pairs; with that sign where it is second."""
        total = np.zeros((self.size, values.shape[1]))
        for (order, starts, entrants), times in ((self.of_first, 1), (self.of_second, sign)):
            total[entrants] += times * np.add.reduceat(values[order], starts, axis=0)
        return total


class Observed(NamedTuple):
    """The weights of the observed outcomes, a row for each pair or entrant."""

    above: Floats
    level: Floats
    below: Floats
    wins: Floats
    """Against an opponent of skill 0."""
    losses: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """The second derivatives of log-likelihoods, with the sign changed; the last row is nu's."""

    pairs: Pairs
    bend: Floats
    """Of each pair, along the difference of its skills."""
    cross: Floats
    """Of each pair, between that difference and the logarithm of nu."""
    diagonal: Floats
    rest: Floats
    """Of each entrant against skill 0."""

    def times(self, vector: Floats) -> Floats:
        """Return the product with a vector for each replicate."""
        difference = self.pairs.differences(vector)
        product = np.empty_like(vector)
        pulls = self.bend * difference + self.cross * vector[-1]
        product[:-1] = self.pairs.sums(pulls, -1) + self.rest * vector[:-1]
        product[-1] = (self.cross * difference).sum(axis=0) + self.diagonal[-1] * vector[-1]
        return product


def highest(pairs: Pairs, observed: Observed, start: Floats) -> Floats:
    """Find skills and, in the last row, the logarithm of nu where each likelihood is highest.

    It is concave, so that Newton's method finds the only maximum; steps are cut to a length that
    cannot overshoot where the likelihood is nearly flat. After a short step its square is missing,
    or the share of it that was not computed.
    """
    found = np.repeat(start, observed.above.shape[1], axis=1)
    for _ in range(MOST_STEPS):
        step = solved(*_slopes(pairs, observed, found))
        length = np.abs(step).max(axis=0)
        found += step * np.minimum(1, LONGEST_STEP / np.maximum(length, PRECISION))
        longest = float(length.max())
        if longest * max(longest, ENOUGH) <= PRECISION:
            break
    return found


def _slopes(pairs: Pairs, observed: Observed, found: Floats) -> tuple[Curvature, Floats]:
    """Return the curvature and the gradient of each log-likelihood."""
    above, level, below, wins, losses = observed
    skills, nu = found[:-1], np.exp(found[-1])
    up = np.exp(pairs.differences(skills) / 2)
    total = up + 1 / up + nu
    win, tie, loss = up / total, nu / total, 1 / up / total
    met = above + level + below
    edge = win - loss
    at_rest = 1 / (1 + np.exp(-skills))
    rest_tie = nu / (2 + nu)
    bend = met * (win + loss - edge**2) / 4
    rest = (wins + losses) * at_rest * (1 - at_rest)

    gradient, diagonal = np.empty_like(found), np.empty_like(found)
    gradient[:-1] = pairs.sums((above - below - met * edge) / 2, -1)
    gradient[:-1] += wins - (wins + losses) * at_rest
    gradient[-1] = (level - met * tie).sum(axis=0) + 0.5 - rest_tie
    diagonal[:-1] = pairs.sums(bend, 1) + rest
    diagonal[-1] = (met * tie * (1 - tie)).sum(axis=0) + rest_tie * (1 - rest_tie)
    return Curvature(pairs, bend, met * edge * tie / -2, diagonal, rest), gradient


class Symmetric(Protocol):
    """A symmetric matrix for each replicate, none of whose eigenvalues is negative."""

    @property
    def diagonal(self) -> Floats:
        """The values on its diagonal."""

    def times(self, vector: Floats) -> Floats:
        """Return the product with a vector for each replicate."""


def solved(curvature: Symmetric, gradient: Floats) -> Floats:
    """Divide the gradient by the curvature, nearly: by conjugate gradients, scaled by its diagonal.

    Each column has a problem of its own, and all go on until the last one is solved.
    """
    step, missing = np.zeros_like(gradient), gradient.copy()
    scaled = missing / curvature.diagonal
    direction = scaled
    size = (missing * scaled).sum(axis=0)
    enough = size * ENOUGH**2
    for _ in range(2 * len(gradient)):
        product = curvature.times(direction)
        along = _ratio(size, (direction * product).sum(axis=0))
        step += along * direction
        missing -= along * product
        scaled = missing / curvature.diagonal
        before, size = size, (missing * scaled).sum(axis=0)
        if (size <= enough).all():
            break
        direction = scaled + _ratio(size, before) * direction
    return step


def _ratio(numbers: Floats, to: Floats) -> Floats:
    """Divide, where there is something to divide by; a column that is solved stays as it is."""
    return np.divide(numbers, to, out=np.zeros_like(numbers), where=to > 0)
