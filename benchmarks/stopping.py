"""How often rules that stop a tournament are wrong, and how many sets they use, by simulation.

These are parts of ``benchmarks.coverage``. Identical bots are simulated more often, because errors
are rare. A rule misses its goal if it is wrong more often than its confidence allows, by more than
two standard errors of the simulation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from math import ceil, log, sqrt
from statistics import fmean, pstdev
from typing import Final, NamedTuple

import numpy as np

from benchmarks.simulated_tournaments import (
    REPLICATES,
    Cell,
    Report,
    Run,
    as_results,
    chance_for,
    percent,
    places,
    tables,
)
from tournaments.model import Claims, StopRule
from tournaments.ratings import Verdict
from tournaments.ratings.claims import Pair, told_apart
from tournaments.ratings.fit import fit
from tournaments.ratings.sequential_test import Array, _capital, _verdict

LEVELS: Final = (8, 10, 13, 17, 22, 28, 36, 46, 59, 76, 100)
"""Sets of each entrant after which it is asked whether the question is settled."""
ALPHA: Final = 0.05
"""What the confidence of 95 % leaves."""
POWER: Final = 0.8
MOST_SETS: Final = 1000
"""Of a comparison."""
RULES: Final = tuple(
    (question, Cell(model, entrants, seats, LEVELS[-1], field))
    for question, model, entrants, seats in (
        ("leader", "thurstone", 2, 2),
        ("leader", "thurstone", 4, 4),
        ("leader", "plackett-luce", 8, 2),
        ("top 3", "plackett-luce", 6, 3),
        ("all", "thurstone", 4, 4),
    )
    for field in ("identical", "near-equal", "spread")
)
COMPARISONS: Final = tuple(
    Cell(model, seats, seats, MOST_SETS, field)
    for model, seats in (("thurstone", 2), ("plackett-luce", 4))
    for field in ("identical", "near-equal", "spread")
)


class Stopped(NamedTuple):
    """What came of tournaments that stop when their question is settled."""

    wrong: float
    """The share with an answer that is not true; identical bots have no true one."""
    settled: float
    sets: float
    """Per entrant, where it was settled."""
    fixed: float
    """The smallest number of sets that would have been enough in ``POWER`` of them, if it had been
    chosen before, with one look at the end; not a number if none was."""


def stopped(question: str, cell: Cell, rounds: int) -> Stopped:
    """Simulate tournaments that stop when their question is settled."""
    chance = chance_for((cell, question))
    rule, names = StopRule(question), cell.names
    ends, wrong, fixed = [], 0, np.zeros(len(LEVELS))
    for _ in range(rounds):
        seated = tables(chance, cell)
        results = as_results(cell, seated, places(chance, cell, seated))
        end = None
        for n, level in enumerate(LEVELS):
            found = fit(results[: cell.entrants * level // cell.seats * cell.seats], REPLICATES)
            is_known = bool(answer(rule, names, told_apart(found)))
            fixed[n] += is_known
            if end is not None or not is_known:
                continue  # the bound at any time is wider than the fixed one
            needed = answer(rule, names, told_apart(found, claims=Claims.ANYTIME))
            if needed:
                end = level
                wrong += cell.field == "identical" or any(one > other for one, other in needed)
        ends += [end] if end is not None else []
    enough = [level for level, n in zip(LEVELS, fixed.tolist(), strict=True) if n >= POWER * rounds]
    sets = fmean(ends) if ends else float("nan")
    return Stopped(wrong / rounds, len(ends) / rounds, sets, min(enough, default=float("nan")))


def answer(rule: StopRule, names: Sequence[str], claimed: Collection[Pair]) -> Collection[Pair]:
    """Return the pairs that answer a question, the better one first; none if it is open.

    The names are in the order of the skills, so that an answer is true if its pairs are in order.
    """
    better = Counter(one for one, _ in claimed)
    if rule.top is None:
        return claimed if len(claimed) == len(list(combinations(names, 2))) else ()
    first = [name for name, _ in better.most_common(rule.top)]
    pairs = [(one, other) for one in first for other in names if other not in first]
    is_settled = len(first) == rule.top and all(pair in claimed for pair in pairs)
    return pairs if is_settled else ()


def rules_that_stop(share: int, run: Run, report: Report) -> None:
    """Print errors of the rules, and the sets that they use."""
    asked = [(question, cell, rounds_of(cell, 400, 100) // share) for question, cell in RULES]
    found = run(stopped, asked)
    report.head(
        "Tournaments that stop by themselves:",
        ("stop_when", "model", "entrants", "seats", "field", "tournaments", "wrong", "settled",
         "sets used", "fixed size"),
    )  # fmt: skip
    for (question, cell, rounds), numbers in zip(asked, found, strict=True):
        seen = Stopped(*numbers)
        report.line(
            (
                question, *cell[:3], cell.field, rounds,
                report.goal(seen.wrong, most=most_wrong(rounds)), percent(seen.settled),
                _number(seen.sets), _number(seen.fixed),
            )
        )  # fmt: skip


class Compared(NamedTuple):
    """What came of comparisons of the best entrant with the last one, at the same table."""

    difference: float
    better: float
    worse: float
    sets: float
    """Where it was decided."""
    fixed: float
    """The sets that a test of fixed size needs for ``POWER`` at a level of 2.5 % on each side."""


def compared(cell: Cell, rounds: int) -> Compared:
    """Simulate comparisons until they are decided."""
    chance = chance_for((cell, "compare"))
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


def comparisons(share: int, run: Run, report: Report) -> None:
    """Print errors of ``highstreet compare``, and the sets that it uses."""
    asked = [(cell, rounds_of(cell, 4000, 400) // share) for cell in COMPARISONS]
    found = run(compared, asked)
    report.head(
        "Comparisons:",
        ("model", "seats", "field", "comparisons", "difference", "better", "worse", "sets used",
         "fixed size"),
    )  # fmt: skip
    for (cell, rounds), numbers in zip(asked, found, strict=True):
        seen = Compared(*numbers)
        wrong = seen.worse + (seen.better if cell.field == "identical" else 0)
        report.goal(wrong, most=most_wrong(rounds))
        report.line(
            (
                cell.model, cell.seats, cell.field, rounds, f"{seen.difference:.3f}",
                percent(seen.better), percent(seen.worse), _number(seen.sets), _number(seen.fixed),
            )
        )  # fmt: skip


def rounds_of(cell: Cell, identical: int, other: int) -> int:
    """Return how often a kind of tournament is simulated."""
    return identical if cell.field == "identical" else other


def most_wrong(rounds: int) -> float:
    """Return which share of errors is not beyond alpha by more than chance."""
    return ALPHA + 2 * sqrt(ALPHA * (1 - ALPHA) / rounds)


def _number(value: float) -> str:
    return "\N{EN DASH}" if np.isnan(value) else f"{value:.0f}"
