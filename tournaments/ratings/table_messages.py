"""The messages of TrueSkill at all tables of one size at once.

Every table is a chain in the order of its places, as in ``trueskill_update``. Arrays have the
precision and the precision times the mean, then the place, then the table.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tournaments.ratings import truncation
from tournaments.ratings.likelihood import Floats


class TableMessages:
    """The messages along tables of one size; they stay from one round to the next."""

    def __init__(self, level: npt.NDArray[np.bool_], margin: Floats, beta: float) -> None:
        """Begin without messages; ``level`` says which neighbours share a place."""
        neighbours, tables = level.shape
        self._level = level
        self._margin = margin
        self._variance = beta**2
        self._own = np.zeros((2, neighbours + 1, tables))
        self._from_better = np.zeros_like(self._own)
        self._from_worse = np.zeros_like(self._own)
        self._outcomes = np.zeros((2, neighbours, tables))

    def send(self, skills: Floats, sweeps: int) -> Floats:
        """Return the messages of the results to the skills, given what else is known of these."""
        self._own = self._through_noise(skills)
        last = len(self._level) - 1
        for _ in range(sweeps if last else 1):
            for n in range(last):
                self._compare(n)
                self._pass_down(n)
            for n in range(last, 0 if last else -1, -1):
                self._compare(n)
                self._pass_up(n)
        self._pass_up(0)
        self._pass_down(last)
        return self._through_noise(self._from_better + self._from_worse)

    def precisions(self) -> Floats:
        """Return the precision that each result gives to the skills together: a square each."""
        places = len(self._level) + 1
        own = np.zeros((self._margin.size, places, places))
        for n, precision in enumerate(self._variance * self._outcomes[0]):
            own[:, n, n] += precision
            own[:, n + 1, n + 1] += precision
            own[:, n, n + 1] -= precision
            own[:, n + 1, n] -= precision
        unit = np.eye(places)
        return (unit - np.linalg.inv(unit + own)) / self._variance

    def _compare(self, n: int) -> None:
        """Compare the neighbours in places n and n + 1 with their result."""
        better = self._own[:, n] + self._from_better[:, n]
        worse = self._own[:, n + 1] + self._from_worse[:, n + 1]
        pi, tau = _sum(better, worse, -1)
        root = np.sqrt(pi)
        shift, left = truncation.win(tau / root, self._margin * root)
        level = self._level[n]
        if level.any():
            apart = tau[level] / root[level]
            shift[level], left[level] = truncation.draw(apart, self._margin[level] * root[level])
        self._outcomes[0, n] = pi * (1 - left) / left
        self._outcomes[1, n] = (tau * (1 - left) + root * shift) / left

    def _pass_down(self, n: int) -> None:
        better = self._own[:, n] + self._from_better[:, n]
        self._from_better[:, n + 1] = _sum(better, self._outcomes[:, n], -1)

    def _pass_up(self, n: int) -> None:
        worse = self._own[:, n + 1] + self._from_worse[:, n + 1]
        self._from_worse[:, n] = _sum(worse, self._outcomes[:, n], 1)

    def _through_noise(self, messages: Floats) -> Floats:
        """Pass messages between skills and performances, which vary about them."""
        passed: Floats = messages / (1 + self._variance * messages[0])
        return passed


def _sum(one: Floats, other: Floats, sign: int) -> Floats:
    """Return the sums of independent quantities, or their differences; none of them is certain."""
    both = one[0] + other[0]
    tau = one[1] * other[0] + sign * other[1] * one[0]
    return np.stack([one[0] * other[0] / both, tau / both])
