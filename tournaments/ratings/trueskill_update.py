"""The update of TrueSkill for tables at which each player is a team of one.

The package trueskill builds a graph of objects for every match, because a team may have any number
of members. With one player for each team the graph is a chain in the order of the places, and the
messages along it are pairs of numbers. They are computed here in the same order, by the same
arithmetic and until the same change is small enough, so the ratings are those of the package, in a
fifth of the time. A test compares the two. A result so improbable that the package refuses it is
rated by its asymptotic value.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

import numpy as np
import trueskill
from trueskill.backends import cdf, pdf

from tournaments.ratings import truncation
from tournaments.ratings.likelihood import Floats

MOST_SWEEPS = 10
ENOUGH: float = trueskill.DELTA
"""The iteration ends when no message changes by more than this."""
FAR = 30.0
"""This many standard deviations from the mean, the quotients of the package lose their digits."""


class Gaussian(NamedTuple):
    """A message: a normal distribution by its precision and its precision times its mean."""

    pi: float = 0.0
    tau: float = 0.0


def draw_margin(probability: float, beta: float = trueskill.BETA) -> float:
    """Return the largest difference of two performances that is a draw."""
    system = trueskill.TrueSkill(draw_probability=probability, beta=beta)
    return float(trueskill.calc_draw_margin(probability, 2, system))


def rated(
    table: Sequence[tuple[float, float]],
    places: Sequence[int],
    margin: float,
    beta: float = trueskill.BETA,
) -> list[tuple[float, float]]:
    """Return mu and sigma of each player after a match."""
    noise = beta**2
    order = sorted(range(len(table)), key=places.__getitem__)
    priors = [Gaussian(table[n][1] ** -2, table[n][1] ** -2 * table[n][0]) for n in order]
    level = [places[one] == places[other] for one, other in pairwise(order)]
    chain = _Chain([_through_noise(prior, noise) for prior in priors], level, margin)
    chain.settle()
    after = {}
    for n, prior, message in zip(order, priors, chain.messages(), strict=True):
        pi, tau = _product(prior, _through_noise(message, noise))
        after[n] = tau / pi, sqrt(1 / pi)
    return [after[n] for n in range(len(table))]


class _Chain:
    """Performances from the first place to the last, and the messages between neighbours."""

    def __init__(self, own: list[Gaussian], level: list[bool], margin: float) -> None:
        self._own = own
        self._level = level
        """For each two neighbours, whether they share a place."""
        self._margin = margin
        size = len(own)
        self._from_better = [Gaussian()] * size
        self._from_worse = [Gaussian()] * size
        self._outcomes = [Gaussian()] * (size - 1)
        """The message of the result about the difference of each two neighbours."""

    def settle(self) -> None:
        """Pass messages down and up the chain until no change is large, then to both ends."""
        last = len(self._outcomes) - 1
        for _ in range(MOST_SWEEPS):
            change = 0.0 if last else self._compare(0)
            for n in range(last):
                change = max(change, self._compare(n))
                self._pass_down(n)
            for n in range(last, 0, -1):
                change = max(change, self._compare(n))
                self._pass_up(n)
            if change <= ENOUGH:
                break
        self._pass_up(0)
        self._pass_down(last)

    def messages(self) -> list[Gaussian]:
        """Return the message of the result about each performance."""
        return list(map(_product, self._from_better, self._from_worse))

    def _better(self, n: int) -> Gaussian:
        """Return the better of two neighbours without the message of the other."""
        return _product(self._own[n], self._from_better[n])

    def _worse(self, n: int) -> Gaussian:
        return _product(self._own[n + 1], self._from_worse[n + 1])

    def _compare(self, n: int) -> float:
        """Compare two neighbours with their result; return by how much the outcome changed."""
        pi, tau = _sum(self._better(n), self._worse(n), -1)
        root = sqrt(pi)
        correction = _draw if self._level[n] else _win
        shift, left = correction(tau / root, self._margin * root)
        before = self._outcomes[n]
        new_pi, new_tau = pi / left, (tau + root * shift) / left
        self._outcomes[n] = Gaussian(new_pi - pi, new_tau - tau)
        return max(abs(tau + before.tau - new_tau), sqrt(abs(pi + before.pi - new_pi)))

    def _pass_down(self, n: int) -> None:
        self._from_better[n + 1] = _sum(self._better(n), self._outcomes[n], -1)

    def _pass_up(self, n: int) -> None:
        self._from_worse[n] = _sum(self._worse(n), self._outcomes[n], 1)


def _through_noise(message: Gaussian, variance: float) -> Gaussian:
    """Pass a message between a skill and a performance, which varies about it."""
    share = 1 / (1 + variance * message.pi)
    return Gaussian(share * message.pi, share * message.tau)


def _product(one: Gaussian, other: Gaussian) -> Gaussian:
    """Return the product of two densities."""
    return Gaussian(one.pi + other.pi, one.tau + other.tau)


def _sum(one: Gaussian, other: Gaussian, sign: int) -> Gaussian:
    """Return the sum of two independent quantities, or their difference."""
    if not one.pi or not other.pi:
        return Gaussian()
    pi = 1 / (1 / one.pi + 1 / other.pi)
    return Gaussian(pi, pi * (one.tau / one.pi + sign * other.tau / other.pi))


def _win(difference: float, margin: float) -> tuple[float, float]:
    """Return how far a win moves the mean of a difference, and the share of the variance left."""
    x = difference - margin
    if x < -FAR:
        return _scalars(truncation.win(np.array([x]), np.zeros(1)))
    v = pdf(x) / cdf(x)
    return v, 1 - v * (v + x)


def _draw(difference: float, margin: float) -> tuple[float, float]:
    """Return how far a draw moves the mean of a difference, and the share of the variance left."""
    a, b = margin - abs(difference), -margin - abs(difference)
    if a < -FAR:
        return _scalars(truncation.draw(np.array([difference]), np.array([margin])))
    between = cdf(a) - cdf(b)
    at_a, at_b = pdf(a), pdf(b)
    v = (at_b - at_a) / between
    w = v**2 + (a * at_a - b * at_b) / between
    return (-v if difference < 0 else v), 1 - w


def _scalars(found: tuple[Floats, Floats]) -> tuple[float, float]:
    shift, left = found
    return float(shift[0]), float(left[0])
