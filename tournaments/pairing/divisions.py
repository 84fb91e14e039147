"""Divisions of a league: who is in which one, at the beginning and after a season."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice


def divided(order: Iterable[str], sizes: Sequence[int]) -> list[list[str]]:
    """Return the divisions for entrants from the best to the last one.

    ``sizes`` are those of all divisions but the lowest, which has everyone else.
    """
    left = iter(order)
    upper = [list(islice(left, size)) for size in sizes]
    return [*upper, list(left)]


def next_divisions(
    ranked: Sequence[Sequence[str]], sizes: Sequence[int], promote: int, relegate: int
) -> list[list[str]]:
    """Return the divisions of the next season.

    ``ranked`` are the entrants of each division that go on, the best one first. The first
    ``promote`` of a division go up by one, and the last ``relegate`` of the others go down by one.
    Then the sizes are restored: a division that has too many gives its last entrants to the next
    one, and one that has too few takes the first of the next one. In this order stand first those
    that come from above, then those that stay, then those that come from below.
    """
    new: list[tuple[list[str], list[str], list[str]]] = [([], [], []) for _ in ranked]
    lowest = len(ranked) - 1
    for number, division in enumerate(ranked):
        up = min(promote, len(division)) if number > 0 else 0
        down = min(relegate, len(division) - up) if number < lowest else 0
        stay = len(division) - down
        new[number][1].extend(division[up:stay])
        if up:
            new[number - 1][2].extend(division[:up])
        if down:
            new[number + 1][0].extend(division[stay:])
    return divided((name for parts in new for part in parts for name in part), sizes)
