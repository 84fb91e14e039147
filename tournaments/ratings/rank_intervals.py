"""Intervals of skills and ranks, from the replicates of a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tournaments.ratings.fit import Fit
from tournaments.ratings.standings import Group, Skill

TAIL = 0.025
"""What is left out on either side of a 95 % interval."""
SEPARATE = 1 - TAIL
"""Two entrants are separable when one is better in this share of the replicates: that is when
the 95 % interval of the difference of their skills does not hold 0."""

SAME = 9
"""Numbers that agree to this many decimal places count as equal."""


def ranks(values: Sequence[float]) -> list[int]:
    """Return the competition ranks of values, the largest first; equal values share a rank."""
    rounded = [round(value, SAME) for value in values]
    return [1 + sum(other > value for other in rounded) for value in rounded]


def skills(fit: Fit) -> dict[str, Skill]:
    """Return the skill and the rank of each entrant that has played, with their 95 % intervals."""
    if not fit.entrants:
        return {}
    lows, highs = np.quantile(fit.replicates, [TAIL, 1 - TAIL], axis=0)
    order = np.argsort(-fit.replicates, axis=1, kind="stable")
    places = 1 + np.argsort(order, axis=1, kind="stable")
    bests, worsts = np.quantile(places, [TAIL, 1 - TAIL], axis=0, method="inverted_cdf")
    return {
        name: Skill(
            skill=float(fit.skills[n]),
            low=float(lows[n]),
            high=float(highs[n]),
            rank=rank,
            rank_low=int(bests[n]),
            rank_high=int(worsts[n]),
        )
        for n, (name, rank) in enumerate(zip(fit.entrants, ranks(fit.skills.tolist()), strict=True))
    }


def above(fit: Fit) -> dict[str, dict[str, float]]:
    """Return the share of the replicates in which the first is better than the second."""
    found = {}
    for n, name in enumerate(fit.entrants):
        ahead = fit.replicates[:, n : n + 1] - fit.replicates
        shares = ((ahead > 0).mean(axis=0) + (ahead == 0).mean(axis=0) / 2).tolist()
        found[name] = dict(zip(fit.entrants, shares, strict=True))
        del found[name][name]
    return found


def groups(fit: Fit, shares: Mapping[str, Mapping[str, float]]) -> tuple[Group, ...]:
    """Return the longest runs in the order of skill in which no two are separable yet.

    An entrant may be in several. Two who share a group are not separable; two who share none
    are, or an entrant between them is separable from one of them.
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
            1 - SEPARATE < shares[name][order[end]] < SEPARATE for name in order[start:end]
        ):
            end += 1
        if end > before:
            runs.append(order[start:end])
    return tuple(Group(letter(n), tuple(run)) for n, run in enumerate(runs))


def letter(number: int) -> str:
    """Name the groups: a … z, then aa, ab, and so on."""
    more, rest = divmod(number, 26)
    return (letter(more - 1) if more else "") + chr(ord("a") + rest)
