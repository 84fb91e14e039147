"""What a result says about the difference of two performances: moments of truncated normals.

A difference is standard normal about ``x``; a win says that it is above the margin, a draw that it
is within the margin of 0. The functions return by how much the mean moves, and which share of the
variance is left. They hold for arrays, and for results of any improbability: far from the mean the
continued fraction of Mills' ratio replaces quotients of numbers that vanish.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from tournaments.ratings.likelihood import Floats

NEAR: Final = 5.0
"""Up to this many standard deviations the quotient of density and probability is exact."""
TERMS: Final = 60
"""Of the continued fraction, enough for all digits from there on."""
FAR: Final = 1e3
"""From here on the leading terms of the asymptotic series are exact."""
LEAST: Final = 1e-12
"""The smallest share of the variance that is left: none can be left over by rounding."""

_erfc = np.frompyfunc(math.erfc, 1, 1)


def win(x: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Return the shift of the mean and the share of the variance that is left after a win."""
    return _above(x - margin)


def draw(x: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Return the shift of the mean and the share of the variance that is left after a draw."""
    apart = np.abs(x)
    high, low = margin - apart, -margin - apart
    ratio = np.exp(-2 * margin * apart)
    between = 1 / _above(high)[0] - ratio / _above(low)[0]
    shift = np.expm1(-2 * margin * apart) / between
    left = 1 - shift**2 - (high - low * ratio) / between
    far = apart > FAR
    if far.any():
        excess, spread = tail(-high[far], 2 * margin[far])
        shift[far], left[far] = high[far] - excess, spread
    return np.where(x < 0, -shift, shift), np.clip(left, LEAST, 1)


def tail(rate: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of an exponential variable, given that it is below ``width``.

    So far from the mean, a normal density within an interval is exponential.
    """
    decay = np.exp(-rate * width)
    missing = -np.expm1(-rate * width)
    mean = 1 / rate - width * decay / missing
    return mean, np.maximum(1 / rate**2 - width**2 * decay / missing**2, LEAST)


def _above(x: Floats) -> tuple[Floats, Floats]:
    """Return the shift of the mean and the variance left, if the variable is above ``-x``."""
    near = np.maximum(x, -NEAR)
    probability = np.asarray(_erfc(-near / math.sqrt(2)), np.float64) / 2
    shift = np.exp(-(near**2) / 2) / math.sqrt(2 * math.pi) / probability
    left = 1 - shift * (shift + near)
    far = x < -NEAR
    if far.any():
        shift[far], left[far] = _far_above(-x[far])
    return shift, np.clip(left, LEAST, 1)


def _far_above(distance: Floats) -> tuple[Floats, Floats]:
    excess = np.zeros_like(distance)
    for term in range(TERMS, 0, -1):
        excess = term / (distance + excess)
    shift = distance + excess
    asymptotic = (1 - 6 / distance**2) / distance**2
    return shift, np.where(distance > FAR, asymptotic, 1 - shift * excess)
