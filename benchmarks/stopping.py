"""How often rules that stop a tournament are wrong, and how many sets they use, by simulation.

``python -m benchmarks.stopping`` prints the tables of docs/reference/standings.md, in about five
minutes of two quiet cores; with ``--quick`` in one. The models are those of
``benchmarks.coverage``. Identical bots are simulated more often, because errors are rare. The exit
code is 1 if a rule is wrong more often than its confidence allows, by more than two standard errors
of the simulation.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from math import ceil, log, sqrt
from statistics import fmean, pstdev
from typing import Final, NamedTuple

import numpy as np

from benchmarks.coverage import REPLICATES, Cell, _chance, as_results, places, tables
from tournaments.model import Claims
from tournaments.ratings import Verdict
from tournaments.ratings.claims import Pair, told_apart
from tournaments.ratings.fit import fit
from tournaments.ratings.sequential_test import Array, _capital, _verdict

LEVELS: Final = (8, 10, 13, 17, 22, 28, 36, 46, 59, 76, 100)
"""Sets of each entrant after which it is asked whether the leader is known."""
ALPHA: Final = 0.05
"""What the confidence of 95 % leaves."""
POWER: Final = 0.8
MOST_SETS: Final = 1000
"""Of a comparison."""
LEADERS: Final = (
    Cell("thurstone", 2, 2, 100, "identical"),
    Cell("thurstone", 4, 4, 100, "identical"),
    Cell("plackett-luce", 8, 2, 100, "identical"),
    Cell("thurstone", 2, 2, 100, "spread"),
    Cell("thurstone", 4, 4, 100, "spread"),
    Cell("plackett-luce", 8, 2, 100, "spread"),
)
COMPARISONS: Final = tuple(
    Cell(model, seats, seats, MOST_SETS, field)
    for model, seats in (("thurstone", 2), ("plackett-luce", 4))
    for field in ("identical", "near-equal", "spread")
)


class Stopped(NamedTuple):
    """What came of tournaments that stop when the leader is known."""

    wrong: float
    """The share with a leader that is not the best one."""
    settled: float
    sets: float
    """Per entrant, where it was settled."""
    fixed: float
    """The smallest number of sets that would have been enough in ``POWER`` of them, if it had been
    chosen before, with one look at the end; not a number if none was."""


def leaders(cell: Cell, rounds: int) -> Stopped:
    """Simulate tournaments that stop when the leader is known."""
    chance = _chance((cell, "leader"))
    ends, wrong, fixed = [], 0, np.zeros(len(LEVELS))
    for _ in range(rounds):
        seated = tables(chance, cell)
        results = as_results(cell, seated, places(chance, cell, seated))
        end = None
        for n, level in enumerate(LEVELS):
            found = fit(results[: cell.entrants * level // cell.seats * cell.seats], REPLICATES)
            is_known = leader(told_apart(found), cell.entrants) is not None
            fixed[n] += is_known
            if end is not None or not is_known:
                continue  # the bound at any time is wider than the fixed one
            first = leader(told_apart(found, claims=Claims.ANYTIME), cell.entrants)
            if first is not None:
                end = level
                wrong += cell.field == "identical" or first != cell.names[0]
        ends += [end] if end is not None else []
    enough = [level for level, n in zip(LEVELS, fixed.tolist(), strict=True) if n >= POWER * rounds]
    sets = fmean(ends) if ends else float("nan")
    return Stopped(wrong / rounds, len(ends) / rounds, sets, min(enough, default=float("nan")))


def leader(claimed: Iterable[Pair], entrants: int) -> str | None:
    """Return the entrant that is claimed to be better than all others."""
    better = [one for one, _ in claimed]
    return next((name for name in set(better) if better.count(name) == entrants - 1), None)


class Compared(NamedTuple):
    """What came of comparisons of the best entrant with the last one, at the same table."""

    difference: float
    better: float
    worse: float
    sets: float
    """Where it was decided."""
    fixed: float
    """The sets that a test of fixed size needs for ``POWER`` at a level of 2.5 % on each side."""


def comparisons(cell: Cell, rounds: int) -> Compared:
    """Simulate comparisons until they are decided."""
    chance = _chance((cell, "compare"))
    verdicts, ends, seen = [], [], list[float]()
    for _ in range(rounds):
        order = np.tile(np.arange(cell.entrants), (MOST_SETS, 1))
        seated = chance.permuted(order, axis=1)
        placed = places(chance, cell, seated)
        earned = ((cell.seats - placed) / (cell.seats - 1)).mean(axis=1)  # no places are shared
        new, old = (earned[seated == n] for n in (0, cell.entrants - 1))
        differences = new - old
        seen += differences.tolist()
        verdict, sets = decided(differences)
        verdicts.append(verdict)
        ends += [sets] if sets is not None else []
    mean, deviation = fmean(seen), pstdev(seen)
    fixed = ceil(((1.96 + 0.84) * deviation / mean) ** 2) if cell.field != "identical" else np.nan
    return Compared(
        mean,
        verdicts.count(Verdict.BETTER) / rounds,
        verdicts.count(Verdict.WORSE) / rounds,
        fmean(ends) if ends else float("nan"),
        fixed,
    )


def decided(differences: Array) -> tuple[Verdict, int | None]:
    """Return the verdict of a comparison that is looked at after every set, and after how many.

    ``compare`` also computes the interval, which takes most of its time.
    """
    up, down = _capital(differences, 0.0), _capital(-differences, 0.0)
    needed = log(2 / ALPHA)
    verdict = _verdict(up, down, needed, (-1.0, 1.0), None)
    reached = np.flatnonzero(np.maximum(up, down) >= needed)
    return verdict, int(reached[0]) + 1 if reached.size else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate and print both tables; return 1 if a rule is wrong too often."""
    parser = argparse.ArgumentParser("python -m benchmarks.stopping", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer tournaments")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    given = parser.parse_args(arguments)
    share = 10 if given.quick else 1
    missed = 0
    with ProcessPoolExecutor(given.workers, initializer=os.nice, initargs=(5,)) as pool:
        of_compared = [rounds_of(cell, 4000, 400) // share for cell in COMPARISONS]
        of_leaders = [rounds_of(cell, 400, 100) // share for cell in LEADERS]
        compared = pool.map(comparisons, COMPARISONS, of_compared)
        stopped = pool.map(leaders, LEADERS, of_leaders)
        print("highstreet compare:\n")
        _row("model", "seats", "field", "comparisons", "difference", "better", "worse",
             "sets used", "fixed size")  # fmt: skip
        for cell, rounds, seen in zip(COMPARISONS, of_compared, compared, strict=True):
            wrong = seen.worse + (seen.better if cell.field == "identical" else 0)
            missed += is_missed(wrong, rounds)
            _row(cell.model, cell.seats, cell.field, rounds, f"{seen.difference:.3f}",
                 _percent(seen.better), _percent(seen.worse), f"{seen.sets:.0f}",
                 f"{seen.fixed:.0f}")  # fmt: skip
        print('\nstop_when = "leader":\n')
        _row("model", "entrants", "seats", "field", "tournaments", "wrong", "settled",
             "sets used", "fixed size")  # fmt: skip
        for cell, rounds, found in zip(LEADERS, of_leaders, stopped, strict=True):
            missed += is_missed(found.wrong, rounds)
            _row(*cell[:3], cell.field, rounds, _percent(found.wrong), _percent(found.settled),
                 f"{found.sets:.0f}", f"{found.fixed:.0f}")  # fmt: skip
    print(f"\ngoals missed: {missed}")
    return int(missed > 0)


def rounds_of(cell: Cell, identical: int, other: int) -> int:
    """Return how often a kind of tournament is simulated."""
    return identical if cell.field == "identical" else other


def is_missed(wrong: float, rounds: int) -> bool:
    """Return whether a share of errors is beyond alpha by more than chance."""
    return wrong > ALPHA + 2 * sqrt(ALPHA * (1 - ALPHA) / rounds)


def _row(*cells: object) -> None:
    print("|", " | ".join(map(str, cells)).replace("nan", "\N{EN DASH}"), "|", flush=True)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


if __name__ == "__main__":
    sys.exit(main())
