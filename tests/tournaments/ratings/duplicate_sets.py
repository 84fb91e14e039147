"""Duplicate sets played by a model with known luck, seats and neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tournaments.model import Result, TableKind

GAME = "glastonbury"


@dataclass(frozen=True)
class Model:
    """Plackett-Luce: in a match the strength of an entrant plus Gumbel noise decides its place."""

    skills: Sequence[float]
    cards: float = 0.0
    """How likely the noise of a match is that of the deal, which stays with the seats. Among equals
    the deal then explains the square of this share of the variance of the points."""
    seats: Sequence[float] = (0.0,) * 5
    """What each seat adds to the strength."""
    neighbour: float = 0.0
    """What the strength loses for each unit of skill of the player directly before."""

    def play(
        self,
        chance: np.random.Generator,
        tables: Iterable[Sequence[int]],
        variant: str = "plain",
    ) -> list[Result]:
        """Play a set at each table, in every rotation, in the order given."""
        results = []
        for number, table in enumerate(tables):
            size = len(table)
            dealt = chance.gumbel(size=size)
            for turn in range(size):
                order = [*table[turn:], *table[:turn]]
                skills = np.array([self.skills[n] for n in order])
                noise = chance.gumbel(size=size)
                noise = dealt if chance.random() < self.cards else noise
                strength = skills + noise + np.array(self.seats[:size])
                strength -= self.neighbour * np.roll(skills, 1)
                places = 1 + np.argsort(np.argsort(-strength))
                results.append(
                    Result(
                        match=f"{size}{variant}{number}-{turn + 1}",
                        set_id=f"{size}{variant}{number}",
                        game=GAME,
                        variant=variant,
                        entrants=tuple(f"bot{n}" for n in order),
                        places=tuple(places.tolist()),
                        scores=(0,) * size,
                        forfeits=(),
                        used=(1.0,) * size,
                        decisions=80,
                        duplicate=True,
                    )
                )
        return results


def both_ways(entrants: int, size: int, sets: int) -> list[tuple[int, ...]]:
    """Return all tables of that size, that many times, round the table in both directions."""
    return [
        table if number % 2 else table[::-1]
        for table in combinations(range(entrants), size)
        for number in range(sets)
    ]


def kind(seats: int, variant: str = "plain") -> TableKind:
    return TableKind(GAME, seats, variant)
