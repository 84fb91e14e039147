"""Intervals of skills and ranks, from the replicates of a fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from statistics import NormalDist

import numpy as np

from tournaments.ratings.claims import Pair, correction, freedom, student
from tournaments.ratings.fit import Fit
from tournaments.ratings.likelihood import Floats
from tournaments.ratings.standings import Group, Skill

TAIL = 0.025
"""What is left out on either side of a 95 % interval."""
SAME = 9
"""Numbers that agree to this many decimal places count as equal."""


def ranks(values: Sequence[float]) -> list[int]:
    """Return the competition ranks of values, the largest first; equal values share a rank."""
    rounded = [round(value, SAME) for value in values]
    return [1 + sum(other > value for other in rounded) for value in rounded]


def skills(fit: Fit, claimed: Collection[Pair]) -> dict[str, Skill]:
    """Return the skill and the rank of each entrant that has played, with their 95 % intervals.

    The intervals of the ranks follow from the claims (Mogstad, Romano, Shaikh, Wilhelm 2023): an
    entrant is below all that are claimed to be better, and above all that are claimed to be worse.
    They hold together with the confidence of the claims.
    """
    if not fit.entrants:
        return {}
    lows, highs = _intervals(fit)
    better = Counter(worse for _, worse in claimed)
    worse = Counter(better for better, _ in claimed)
    return {
        name: Skill(
            skill=float(fit.skills[n]),
            low=float(lows[n]),
            high=float(highs[n]),
            rank=rank,
            rank_low=1 + better[name],
            rank_high=len(fit.entrants) - worse[name],
        )
        for n, (name, rank) in enumerate(zip(fit.entrants, ranks(fit.skills.tolist()), strict=True))
    }


def _intervals(fit: Fit) -> tuple[Floats, Floats]:
    """Return both ends of the 95 % interval of each skill, each entrant looked at alone.

    Quantiles of the replicates are too narrow with few sets, Student's t is too short on the far
    side of an entrant that wins or loses nearly everything: each end is the outer one of the two.
    """
    lows, highs = np.quantile(fit.replicates, [TAIL, 1 - TAIL], axis=0)
    normal = -NormalDist().inv_cdf(TAIL)
    rows = len(fit.replicates)
    wide = np.array([student(normal, freedom(n, rows)) for n in fit.sets.tolist()])
    reach = wide * correction(fit.sets) * fit.replicates.std(axis=0)
    return np.minimum(lows, fit.skills - reach), np.maximum(highs, fit.skills + reach)


def above(fit: Fit) -> dict[str, dict[str, float]]:
    """Return the share of the replicates in which the first is better than the second.

    Each pair is looked at alone: the shares are not adjusted for how many pairs there are.
    """
    found = {}
    for n, name in enumerate(fit.entrants):
        ahead = fit.replicates[:, n : n + 1] - fit.replicates
        shares = ((ahead > 0).mean(axis=0) + (ahead == 0).mean(axis=0) / 2).tolist()
        found[name] = dict(zip(fit.entrants, shares, strict=True))
        del found[name][name]
    return found


def groups(fit: Fit, claimed: Collection[Pair]) -> tuple[Group, ...]:
    """Return the longest runs in the order of skill in which no two are told apart.

    An entrant may be in several. Two who share a group are not told apart; two who share none
    are, or an entrant between them is told apart from one of them.
    """
    rounded = [round(skill, SAME) for skill in fit.skills.tolist()]
    skill_of = dict(zip(fit.entrants, rounded, strict=True))
    order = sorted(fit.entrants, key=lambda name: (-skill_of[name], name))
    runs: list[Sequence[str]] = []
    end = 0
    for start in range(len(order)):
        before = end
        end = max(end, start + 1)
        while end < len(order) and all(
            (name, order[end]) not in claimed for name in order[start:end]
        ):
            end += 1
        if end > before:
            runs.append(order[start:end])
    return tuple(Group(letter(n), tuple(run)) for n, run in enumerate(runs))


def letter(number: int) -> str:
    """Name the groups: a … z, then aa, ab, and so on."""
    more, rest = divmod(number, 26)
    return (letter(more - 1) if more else "") + chr(ord("a") + rest)
