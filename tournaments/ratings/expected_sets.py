"""How likely a question is settled after some matches, if the gap in strength is known.

Skills are normal about the true ones, with the covariance that the fit has after independent
matches, and are compared by the bounds of claims that hold at any time. A pair that meets in r
matches at tables of k gives the information 3 / (k + 1) r p (1 - p) about its difference, where p
is the share of matches without a tie in which the first is above the second.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tournaments.model import Claims, StopRule
from tournaments.ratings.claims import FEWEST_SETS, errors_and_bound
from tournaments.ratings.fit import PSEUDO
from tournaments.ratings.likelihood import Floats
from tournaments.ratings.residuals import Bools

DRAWS: Final = 400
SEED: Final = 20_261_119
"""Fixed, so that a plan is the same each time; any other number would do."""


def settled_share(rule: StopRule, entrants: int, gap: float, meetings: float, sets: int) -> float:
    """Return in what share of tournaments the question is settled.

    Those who are to be told apart differ by ``gap``: the first N from all others, or each two
    neighbours. Each two entrants have met in ``meetings`` matches, where one at a table of k counts
    as 3 / (k + 1), and each has played that many sets.
    """
    if sets < FEWEST_SETS[Claims.ANYTIME]:
        return 0.0
    skills, asked = _question(rule, entrants, gap)
    covariance = _covariance(skills, meetings)
    errors, bound = errors_and_bound(covariance, sets, rule.confidence)
    numbers = np.random.Generator(np.random.PCG64(SEED)).standard_normal((entrants, DRAWS))
    drawn = skills[:, None] + np.linalg.cholesky(covariance) @ numbers
    better, worse = np.nonzero(asked)
    beyond = drawn[better] - drawn[worse] > bound * errors[better, worse, None]
    return float(beyond.all(axis=0).mean())


def _question(rule: StopRule, entrants: int, gap: float) -> tuple[Floats, Bools]:
    """Return skills, the best first, and for each pair whether the first must be told apart."""
    number = np.arange(entrants)
    skills: Floats = np.linspace(gap * (entrants - 1), 0, entrants)
    if rule.top is None:
        return skills, number[:, None] < number[None, :]
    first = number < rule.top
    return gap * first.astype(np.float64), first[:, None] & ~first[None, :]


def _covariance(skills: Floats, meetings: float) -> Floats:
    better = 1 / (1 + np.exp(skills[None, :] - skills[:, None]))
    information = meetings * better * (1 - better)
    np.fill_diagonal(information, 0.0)
    alone = 2 * PSEUDO / 4  # half a win and half a loss against an equal
    precision = np.diag(information.sum(axis=1) + alone) - information
    return np.linalg.inv(precision).astype(np.float64, copy=False)
