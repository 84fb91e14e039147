"""Tournaments of known skills, drawn from two models, and tables of what was found in them.

No game is played. In both models each deal is played in every rotation, the cards belong to the
seats, and earlier seats are better. ``plackett-luce``: in half of the matches the cards decide, in
the others independent luck. ``thurstone``: normal luck, of which 40 % of the variance are the cards
of the seat and 15 % how the deal suits the entrant, wherever it sits. The true skill is what the
fit tends to with ever more sets.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tournaments.model import Result
from tournaments.ratings.likelihood import Observed, Pairs, highest

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.intp]

REPLICATES: Final = 250
"""As many as the tables of a league have at least."""
FIELDS: Final = {"spread": 1.5, "near-equal": 0.15, "identical": 0.0}
"""Skills lie evenly between this number and its negative."""
LIMIT_SETS: Final = 40_000
SEAT_EFFECT: Final = 0.25
"""How much better the first seat is than the middle of the table."""


class Cell(NamedTuple):
    """A kind of tournament."""

    model: str
    entrants: int
    seats: int
    sets: int
    field: str
    rotated: bool = True
    """Whether each deal is played in every rotation, or once."""

    @property
    def skills(self) -> Floats:
        """What the entrants have before the luck of the model."""
        return np.linspace(1, -1, self.entrants) * FIELDS[self.field]

    @property
    def names(self) -> list[str]:
        """The entrants by name, in the order of their skills."""
        return [f"bot{n:02}" for n in range(self.entrants)]


# Simulation -------------------------------------------------------------------------------------


def tables(chance: np.random.Generator, cell: Cell, sets: int | None = None) -> Whole:
    """Seat those who have played least, in random order; a row for each set."""
    sets = sets or round(cell.entrants * cell.sets / cell.seats)
    played = np.zeros(cell.entrants)
    rows = []
    for _ in range(sets):
        row = np.lexsort((chance.random(cell.entrants), played))[: cell.seats]
        played[row] += 1
        rows.append(chance.permutation(row))
    return np.array(rows)


def places(chance: np.random.Generator, cell: Cell, seated: Whole) -> Whole:
    """Play each set: the place by set, match and column of ``seated``."""
    seats = cell.seats
    turns = np.arange(seats if cell.rotated else 1)
    seat_of = (turns[:, None] + np.arange(seats)) % seats
    worth = cell.skills[seated][:, None, :] + _luck(chance, cell.model, len(seated), seat_of)
    worth += np.linspace(SEAT_EFFECT, -SEAT_EFFECT, seats)[seat_of]
    ahead = worth[:, :, None, :] > worth[:, :, :, None]
    found: Whole = 1 + ahead.sum(axis=-1)
    return found


def _luck(chance: np.random.Generator, model: str, sets: int, seat_of: Whole) -> Floats:
    turns, seats = seat_of.shape
    shape = (sets, turns, seats)
    if model == "plackett-luce":
        cards = chance.gumbel(size=(sets, seats))[:, seat_of]
        decides = chance.random((sets, turns, 1)) < 0.5
        return np.where(decides, cards, chance.gumbel(size=shape))
    cards = chance.normal(size=(sets, seats))[:, seat_of]
    suits = chance.normal(size=(sets, 1, seats))
    mixed: Floats = sqrt(0.4) * cards + sqrt(0.15) * suits + sqrt(0.45) * chance.normal(size=shape)
    return mixed


def as_results(cell: Cell, seated: Whole, placed: Whole) -> list[Result]:
    """Return the matches as results; seats are as in the first match of the set."""
    names, none, unused = cell.names, (0,) * cell.seats, (0.0,) * cell.seats
    results = []
    for number, (row, matches) in enumerate(zip(seated.tolist(), placed.tolist(), strict=True)):
        entrants, set_id = tuple(names[n] for n in row), f"{number:05}"
        results += [
            Result(
                f"{set_id}-{turn}", set_id, "ring", "plain", entrants, tuple(match), none, (),
                unused, 1,
            )
            for turn, match in enumerate(matches)
        ]  # fmt: skip
    return results


@cache
def limit(cell: Cell) -> Floats:
    """Return the skills that the fit tends to: by the pairs of very many sets."""
    chance = np.random.Generator(np.random.PCG64(1))
    order = chance.random((LIMIT_SETS, cell.entrants)).argsort(axis=1)
    seated = order[:, : cell.seats]
    placed = places(chance, cell, seated)
    wins = np.zeros((cell.entrants, cell.entrants))
    for one, other in product(range(cell.seats), repeat=2):
        won = (placed[:, :, one] < placed[:, :, other]).sum(axis=1)
        np.add.at(wins, (seated[:, one], seated[:, other]), won)
    first, second = np.triu_indices(cell.entrants, 1)
    column = np.ones((cell.entrants, 1)) / 2
    observed = Observed(
        wins[first, second][:, None],
        np.zeros((len(first), 1)),
        wins[second, first][:, None],
        column,
        column,
    )
    pairs = Pairs.of(cell.entrants, first, second)
    found = highest(pairs, observed, np.zeros((cell.entrants + 1, 1)))[:-1, 0]
    centred: Floats = found - np.median(found)
    return centred if FIELDS[cell.field] else np.zeros(cell.entrants)


def chance_for(what: object) -> np.random.Generator:
    """Return random numbers that depend on what they are for, and on nothing else.

    The default of a cell is left out, so that documented figures come out again.
    """
    text = repr(what).replace(", rotated=True", "")
    return np.random.Generator(np.random.PCG64(zlib.crc32(text.encode())))


# Tables -----------------------------------------------------------------------------------------

Work = Callable[..., tuple[float, ...]]
Run = Callable[[Work, Sequence[tuple[object, ...]]], Iterator[tuple[float, ...]]]
"""Calls a function with each of several lists of arguments, in all processes; yields in order."""


@dataclass(slots=True)
class Report:
    """Lines of Markdown, and how many goals were missed."""

    missed: int = 0

    def line(self, cells: Iterable[object]) -> None:
        """Print a row of a table."""
        print("|", " | ".join(map(str, cells)), "|", flush=True)

    def head(self, title: str, columns: Sequence[str]) -> None:
        """Print a title and the head of a table."""
        print(f"\n{title}\n")
        self.line(columns)
        print("|" + "---|" * len(columns))

    def goal(self, value: float, *, least: float = 0, most: float = 1) -> str:
        """Write a share in percent; marked, and counted, if it misses its goal."""
        missed = not least <= value <= most
        self.missed += missed
        return percent(value) + (" **missed**" if missed else "")


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{100 * share:.1f} %"
