"""The sets of a comparison: two entrants at the same tables, on the same deals.

The opponents of a set and their order round the table are drawn by a hash of its number, and not
dealt out in turn: so the differences between the two have the same mean in every set, which is what
their test assumes, although they may depend on the opponents.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from tournaments.model import DuplicateSet, Request, Seatings

FIRST_SETS: Final = 4
"""How many sets the first rounds have."""
GROWTH: Final = 8
"""Later rounds have this part of the sets so far: few, and large enough for many tables."""


def round_sets(played: int) -> int:
    """Return how many sets come after that many, before the question is asked again."""
    return max(FIRST_SETS, played // GROWTH)


def comparison_sets(request: Request, first: int, last: int) -> list[DuplicateSet]:
    """Return the sets with the numbers from ``first`` to ``last``."""
    return [_set(request, number) for number in range(first, last + 1)]


def _set(request: Request, number: int) -> DuplicateSet:
    (asked,) = request.games
    (seats,) = asked.table_sizes
    (variant,) = asked.variants
    two = (request.challenger or "", request.baseline or "")
    opponents = sorted(entry.name for entry in request.entries if entry.name not in two)
    hashed = json.dumps([*two, *opponents, number], separators=(",", ":"))
    if not request.same_table:
        drawn = _drawn(opponents, seats - 1, hashed)
        order = (*two, *drawn)
        return DuplicateSet(asked.game, variant, order, number, Seatings.SUBSTITUTION)
    first, *others = sorted([*two, *_drawn(opponents, seats - 2, hashed)])
    order = (first, *_drawn(others, len(others), f"order{hashed}"))
    return DuplicateSet(asked.game, variant, order, number)


def _drawn(names: Sequence[str], count: int, text: str) -> list[str]:
    """Draw names by the hash of a text; every ordered selection is as probable as any other."""
    left, drawn = list(names), []
    number = int(sha256(text.encode()).hexdigest(), 16)
    for _ in range(count):
        number, place = divmod(number, len(left))
        drawn.append(left.pop(place))
    return drawn
