"""TrueSkill for tables at which everybody plays alone: a chain of neighbours in the ranking.

The package trueskill builds a graph of objects for every match, because a team may have any number
of members. Where each team is one player the graph is a chain, and the messages along it are a few
numbers. They are sent here in the same order, by the same arithmetic and until the same change is
small enough, so that the ratings are those of the package; it takes a fifth of the time. A test
compares the two.

A message is a normal distribution by its precision and its precision times its mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

import trueskill
from trueskill.backends import cdf, pdf

MOST_SWEEPS = 10
ENOUGH: float = trueskill.DELTA
"""Messages that change by no more than this have settled."""
VARIANCE: float = trueskill.BETA**2
"""Of a performance about the skill."""


class Bell(NamedTuple):
    """A message: nothing at all, unless told otherwise."""

    pi: float = 0.0
    tau: float = 0.0


def draw_margin(probability: float) -> float:
    """Return how near two performances must be for a draw."""
    system = trueskill.TrueSkill(draw_probability=probability)
    return float(trueskill.calc_draw_margin(probability, 2, system))


def rated(
    table: Sequence[tuple[float, float]], places: Sequence[int], margin: float
) -> list[tuple[float, float]]:
    """Return mu and sigma of everybody after a match; raises FloatingPointError.

    That is where somebody won against whom the arithmetic has no number small enough.
    """
    order = sorted(range(len(table)), key=places.__getitem__)
    priors = [Bell(table[n][1] ** -2, table[n][1] ** -2 * table[n][0]) for n in order]
    chain = _Chain(
        [_through_noise(prior) for prior in priors],
        [places[one] == places[other] for one, other in pairwise(order)],
        margin,
    )
    chain.settle()
    said = map(_through_noise, chain.verdicts())
    after = dict(zip(order, map(_learnt, priors, said), strict=True))
    return [after[n] for n in range(len(table))]


def _through_noise(bell: Bell) -> Bell:
    """Pass a message between a skill and a performance, which varies about it."""
    share = 1 / (1 + VARIANCE * bell.pi)
    return Bell(share * bell.pi, share * bell.tau)


def _learnt(prior: Bell, said: Bell) -> tuple[float, float]:
    pi = prior.pi + said.pi
    return (prior.tau + said.tau) / pi, sqrt(1 / pi)


class _Chain:
    """Performances from the first place to the last, and what neighbours say of each other."""

    def __init__(self, own: list[Bell], level: list[bool], margin: float) -> None:
        self._own = own
        self._level = level
        """For each two neighbours, whether they share a place."""
        self._margin = margin
        size = len(own)
        self._from_better = [Bell()] * size
        self._from_worse = [Bell()] * size
        self._judged = [Bell()] * (size - 1)
        """What the result says of each difference between neighbours."""

    def settle(self) -> None:
        """Sweep down and up the chain until nothing changes much, then tell both ends."""
        last = len(self._judged) - 1
        for _ in range(MOST_SWEEPS):
            change = 0.0 if last else self._judge(0)
            for n in range(last):
                change = max(change, self._judge(n))
                self._tell_worse(n)
            for n in range(last, 0, -1):
                change = max(change, self._judge(n))
                self._tell_better(n)
            if change <= ENOUGH:
                break
        self._tell_better(0)
        self._tell_worse(last)

    def verdicts(self) -> list[Bell]:
        """Return what the result says of each performance."""
        return [
            Bell(better.pi + worse.pi, better.tau + worse.tau)
            for better, worse in zip(self._from_better, self._from_worse, strict=True)
        ]

    def _better(self, n: int) -> Bell:
        """Return what is known of the better of two neighbours without the other."""
        own, said = self._own[n], self._from_better[n]
        return Bell(own.pi + said.pi, own.tau + said.tau)

    def _worse(self, n: int) -> Bell:
        own, said = self._own[n + 1], self._from_worse[n + 1]
        return Bell(own.pi + said.pi, own.tau + said.tau)

    def _judge(self, n: int) -> float:
        """Compare two neighbours with their result; return by how much the verdict changed."""
        pi, tau = _sum(self._better(n), self._worse(n), -1)
        root = sqrt(pi)
        judge = _level if self._level[n] else _apart
        v, w = judge(tau / root, self._margin * root)
        before = self._judged[n]
        new_pi, new_tau = pi / (1 - w), (tau + root * v) / (1 - w)
        self._judged[n] = Bell(new_pi - pi, new_tau - tau)
        return max(abs(tau + before.tau - new_tau), sqrt(abs(pi + before.pi - new_pi)))

    def _tell_worse(self, n: int) -> None:
        self._from_better[n + 1] = _sum(self._better(n), self._judged[n], -1)

    def _tell_better(self, n: int) -> None:
        self._from_worse[n] = _sum(self._worse(n), self._judged[n], 1)


def _sum(one: Bell, other: Bell, sign: int) -> Bell:
    """Return the sum of two independent quantities, or their difference."""
    if not one.pi or not other.pi:
        return Bell()
    pi = 1 / (1 / one.pi + 1 / other.pi)
    return Bell(pi, pi * (one.tau / one.pi + sign * other.tau / other.pi))


def _apart(difference: float, margin: float) -> tuple[float, float]:
    """Return how mean and variance of a difference change for a win."""
    x = difference - margin
    below = cdf(x)
    v = pdf(x) / below if below else -x
    w = v * (v + x)
    if not 0 < w < 1:
        raise FloatingPointError("this win was too unlikely for the arithmetic of TrueSkill")
    return v, w


def _level(difference: float, margin: float) -> tuple[float, float]:
    """Return how mean and variance of a difference change for a draw."""
    a, b = margin - abs(difference), -margin - abs(difference)
    between = cdf(a) - cdf(b)
    if not between:
        raise FloatingPointError("this draw was too unlikely for the arithmetic of TrueSkill")
    at_a, at_b = pdf(a), pdf(b)
    v = (at_b - at_a) / between
    w = v**2 + (a * at_a - b * at_b) / between
    return (-v if difference < 0 else v), w
