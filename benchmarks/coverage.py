"""Simulate tournaments of known skills, and measure how often the standings are right.

    python -m benchmarks.coverage            some designs, few tournaments: under two minutes
    python -m benchmarks.coverage --full     all designs: the tables of docs/reference/standings.md,
                                             in 12 minutes on two cores

No game is played: results are drawn from two models, and the fit, the intervals and the claims are
the real ones. In both models each deal is played in every rotation, the cards belong to the seats,
and earlier seats are better. ``plackett-luce``: in half of the matches the cards decide, in the
others independent luck. ``thurstone``: normal luck, of which 40 % of the variance are the cards of
the seat and 15 % how the deal suits the entrant, wherever it sits.

Sets are counted per entrant: with 5 sets each, 12 entrants at tables of 2 play 30 sets. The true
skill is what the fit tends to with ever more sets. Goals that are missed are marked, and make the
exit code 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tournaments.model import Claims, Result
from tournaments.ratings.claims import Pair, told_apart
from tournaments.ratings.fit import Fit, fit
from tournaments.ratings.likelihood import Observed, Pairs, highest
from tournaments.ratings.rank_intervals import above, skills

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.intp]

MODELS: Final = ("plackett-luce", "thurstone")
DESIGNS: Final = ((4, 2), (4, 4), (8, 3), (12, 2), (12, 4))
"""Entrants, and seats at each table."""
SETS: Final = (5, 20, 100)
"""Per entrant."""
FEW_DESIGNS: Final = ((3, 3), (4, 4))
FEW_SETS: Final = (6, 7, 8, 10)
"""Of one match each, where everybody plays every match: few results are possible, and each pair is
often one-sided by chance."""
FIELDS: Final = {"spread": 1.5, "near-equal": 0.15, "identical": 0.0}
"""Skills lie evenly between this number and its negative."""
REPLICATES: Final = 250
"""As many as the tables of a league have at least."""
ALONE: Final = 0.975
"""From this share of the replicates on, a pair that is looked at alone would be told apart."""
LIMIT_SETS: Final = 40_000
SEAT_EFFECT: Final = 0.25
"""How much better the first seat is than the middle of the table."""
COVERED: Final = 0.94
WRONG: Final = 0.06


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


# Once, at the end -------------------------------------------------------------------------------


class Seen(NamedTuple):
    """What came of one tournament, as numbers whose means the table shows."""

    skill: float
    """The share of the entrants whose interval holds the true skill."""
    ranks: float
    """Whether all intervals of ranks hold the true ranks."""
    wrong: float
    """Whether any pair is claimed that is not so."""
    wrong_alone: float
    """The same where each pair is looked at alone."""
    power: float
    """The share of the pairs of different skill that are told apart, as they are."""
    power_alone: float
    power_anytime: float
    """Measured in the spread field only."""


def alone(found: Fit) -> frozenset[Pair]:
    """Return the pairs that would be told apart if each was the only one."""
    shares = above(found)
    return frozenset((a, b) for a, row in shares.items() for b in row if row[b] >= ALONE)


def judge(cell: Cell, results: Sequence[Result]) -> Seen:
    """Compare the intervals and claims of one tournament with the truth."""
    found = fit(results, REPLICATES)
    truth = dict(zip(cell.names, limit(cell).tolist(), strict=True))
    true = frozenset((a, b) for a in truth for b in truth if truth[a] > truth[b])
    claimed, by_pairs = told_apart(found), alone(found)
    seen = skills(found, claimed)
    better = {name: sum(b == name for _, b in true) for name in truth}
    worse = {name: sum(a == name for a, _ in true) for name in truth}
    ranked = all(
        seen[name].rank_low <= 1 + better[name] and seen[name].rank_high >= len(truth) - worse[name]
        for name in seen
    )
    held = [seen[name].low <= truth[name] <= seen[name].high for name in seen]
    anytime = told_apart(found, claims=Claims.ANYTIME) if cell.field == "spread" else frozenset()
    power = [len(pairs & true) / max(1, len(true)) for pairs in (claimed, by_pairs, anytime)]
    return Seen(sum(held) / len(held), ranked, bool(claimed - true), bool(by_pairs - true), *power)


def once(cell: Cell, rounds: int) -> Seen:
    """Return the means over that many tournaments."""
    chance = _chance(cell)
    seen = []
    for _ in range(rounds):
        seated = tables(chance, cell)
        seen.append(judge(cell, as_results(cell, seated, places(chance, cell, seated))))
    return Seen(*np.mean(np.array(seen, float), axis=0).tolist())


# At every look ----------------------------------------------------------------------------------


class Looked(NamedTuple):
    """In what share of the tournaments of identical bots any look told a pair apart."""

    anytime: float
    fixed: float
    alone: float


def looked(cell: Cell, rounds: int, looks: int) -> Looked:
    """Look at growing tournaments that many times, evenly."""
    chance = _chance((cell, looks))
    seen = []
    for _ in range(rounds):
        seated = tables(chance, cell)
        results = as_results(cell, seated, places(chance, cell, seated))
        any_claim = np.zeros(3, bool)
        for look in range(1, looks + 1):
            sets = len(seated) * look // looks
            found = fit(results[: sets * cell.seats], REPLICATES)
            fixed = told_apart(found)
            # The bound at any time is wider: without a fixed claim there is none.
            anytime = fixed and told_apart(found, claims=Claims.ANYTIME)
            any_claim |= [bool(anytime), bool(fixed), bool(alone(found))]
        seen.append(any_claim)
    return Looked(*np.mean(np.array(seen), axis=0).tolist())


def _chance(what: object) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(zlib.crc32(repr(what).encode())))


# Tables -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Size:
    """How much is simulated."""

    models: Sequence[str]
    designs: Sequence[tuple[int, int]]
    sets: Sequence[int]
    rounds: int
    identical_rounds: int
    """More, because few of these tournaments have a false claim; a quarter with 5 sets, where
    claims are rare."""
    few_rounds: int
    looked_rounds: int
    hundred_rounds: int


QUICK: Final = Size(MODELS[1:], ((4, 4), (8, 3)), (5, 20), 40, 100, 100, 20, 0)
FULL: Final = Size(MODELS, DESIGNS, SETS, 300, 2000, 1000, 100, 60)

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


def at_the_end(size: Size, run: Run, report: Report) -> None:
    """Print coverage, errors and power of complete tournaments; the worst field counts."""
    kinds = list(product(size.models, size.designs, size.sets))
    cells = [Cell(model, *design, sets, field) for model, design, sets in kinds for field in FIELDS]
    asked = [(cell, _rounds(cell, size)) for cell in cells]
    found = run(once, asked)
    report.head(
        f"Complete tournaments, {size.rounds} of spread and of near-equal bots, "
        f"{size.identical_rounds} of identical ones ({size.identical_rounds // 4} with 5 sets):",
        ("model", "entrants", "seats", "sets each", "skill held", "all ranks held",
         "false claim, identical", "unadjusted", "power, spread", "anytime", "unadjusted",
         "power, near-equal", "unadjusted"),
    )  # fmt: skip
    for model, design, sets in kinds:
        spread, near, same = (Seen(*next(found)) for _ in FIELDS)
        fields = (spread, near, same)
        report.line(
            (
                model, *design, sets,
                report.goal(min(each.skill for each in fields), least=COVERED),
                report.goal(min(each.ranks for each in fields), least=COVERED),
                report.goal(same.wrong, most=WRONG), percent(same.wrong_alone),
                percent(spread.power), percent(spread.power_anytime), percent(spread.power_alone),
                percent(near.power), percent(near.power_alone),
            )
        )  # fmt: skip


def _rounds(cell: Cell, size: Size) -> int:
    if cell.field != "identical":
        return size.rounds
    return size.identical_rounds // (4 if cell.sets == min(SETS) else 1)


def with_few_sets(size: Size, run: Run, report: Report) -> None:
    """Print how often identical bots are told apart by few sets of one match."""
    cells = [
        Cell(model, *design, sets, "identical", rotated=False)
        for model, design, sets in product(size.models, FEW_DESIGNS, FEW_SETS)
    ]
    found = run(once, [(cell, size.few_rounds) for cell in cells])
    report.head(
        f"Any false claim, identical bots, few sets of one match each, {size.few_rounds} "
        "tournaments:",
        ("model", "entrants", "seats", "sets each", "false claim", "unadjusted"),
    )
    for cell, shares in zip(cells, found, strict=True):
        seen = Seen(*shares)
        wrong = report.goal(seen.wrong, most=WRONG)
        report.line((*cell[:4], wrong, percent(seen.wrong_alone)))


def at_every_look(size: Size, run: Run, report: Report) -> None:
    """Print how often identical bots are told apart at any look at a growing tournament."""
    cells = [
        Cell(model, *design, max(size.sets), "identical")
        for model, design in product(size.models, size.designs)
    ]
    asked = [(cell, size.looked_rounds, 20) for cell in cells]
    if size.hundred_rounds:
        asked += [(cell, size.hundred_rounds, 100) for cell in cells if cell[1:3] == (4, 2)]
    found = run(looked, asked)
    report.head(
        "Any false claim at any look, identical bots:",
        ("model", "entrants", "seats", "sets each", "looks", "tournaments", "anytime", "fixed",
         "unadjusted"),
    )  # fmt: skip
    for (cell, rounds, looks), shares in zip(asked, found, strict=True):
        seen = Looked(*shares)
        wrong = report.goal(seen.anytime, most=WRONG)
        report.line((*cell[:4], looks, rounds, wrong, percent(seen.fixed), percent(seen.alone)))


PARTS: Final[Sequence[Callable[[Size, Run, Report], None]]] = (
    at_the_end,
    with_few_sets,
    at_every_look,
)
"""What is measured, in this order. Rules that stop a tournament are further parts."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, print the tables, and return 1 if a goal was missed."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks.coverage",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--full", action="store_true", help="all designs, more tournaments")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    given = parser.parse_args(arguments)
    start, report = time.perf_counter(), Report()
    with ProcessPoolExecutor(given.workers, initializer=os.nice, initargs=(5,)) as pool:

        def run(work: Work, asked: Sequence[tuple[object, ...]]) -> Iterator[tuple[float, ...]]:
            started = [pool.submit(work, *each) for each in asked]
            for number, future in enumerate(started, 1):
                yield future.result()
                seconds = time.perf_counter() - start
                print(f"{number} of {len(asked)}, {seconds:.0f} s", end="\r", file=sys.stderr)

        for part in PARTS:
            part(FULL if given.full else QUICK, run, report)
    print(f"\n{time.perf_counter() - start:.0f} s; goals missed: {report.missed}")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
