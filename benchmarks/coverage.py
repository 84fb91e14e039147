"""Simulate tournaments of known skills, and measure how often the standings are right.

    python -m benchmarks.coverage            some designs, few tournaments: under two minutes
    python -m benchmarks.coverage --full     all designs: the tables of docs/reference/standings.md,
                                             in under 20 minutes on two cores

No game is played: results are drawn from two models (``simulated_tournaments``), and the fit, the
intervals, the claims and the rules that stop a tournament (``stopping``) are the real ones.

Sets are counted per entrant: with 5 sets each, 12 entrants at tables of 2 play 30 sets. Goals that
are missed are marked, and make the exit code 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from benchmarks.simulated_tournaments import (
    FIELDS,
    REPLICATES,
    Cell,
    Floats,
    Report,
    Run,
    Whole,
    Work,
    as_results,
    chance_for,
    limit,
    percent,
    places,
    tables,
)
from benchmarks.stopping import comparisons, rules_that_stop
from tournaments.model import Claims, Result
from tournaments.ratings.claims import Pair, told_apart
from tournaments.ratings.fit import Fit, fit
from tournaments.ratings.rank_intervals import above, skills

MODELS: Final = ("plackett-luce", "thurstone")
DESIGNS: Final = ((4, 2), (4, 4), (8, 3), (12, 2), (12, 4))
"""Entrants, and seats at each table."""
SETS: Final = (5, 20, 100)
"""Per entrant."""
FEW_DESIGNS: Final = ((3, 3), (4, 4))
FEW_SETS: Final = (6, 7, 8, 10)
"""Of one match each, where everybody plays every match: few results are possible, and each pair is
often one-sided by chance."""
LEAGUES: Final = ((6, 2), (9, 3))
CHOSEN_BY_LUCK: Final = 0.3
"""The standard deviation of what is added to skills where those meet that look alike."""
ALONE: Final = 0.975
"""From this share of the replicates on, a pair that is looked at alone would be told apart."""
COVERED: Final = 0.94
WRONG: Final = 0.06


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
    chance = chance_for(cell)
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


def any_claims(found: Fit) -> list[bool]:
    """Return whether any pair is told apart at any time, at one look, and alone."""
    fixed = told_apart(found)
    # The bound at any time is wider: without a fixed claim there is none.
    anytime = fixed and told_apart(found, claims=Claims.ANYTIME)
    return [bool(anytime), bool(fixed), bool(alone(found))]


def looked_at_league(cell: Cell, rounds: int, looks: int) -> Looked:
    """Look at leagues in which those meet that look alike, and a third joins halfway."""
    chance = chance_for((cell, looks, "league"))
    each = cell.entrants * cell.sets // cell.seats // looks
    seen = []
    for _ in range(rounds):
        skill = np.zeros(cell.entrants)
        seated = np.zeros((0, cell.seats), np.intp)
        placed = np.zeros((0, 1, cell.seats), np.intp)
        any_claim = np.zeros(3, bool)
        for look in range(looks):
            here = cell.entrants if 2 * look >= looks else cell.entrants * 2 // 3
            rows = np.array([_alike(chance, skill[:here], cell.seats) for _ in range(each)])
            seated = np.concatenate([seated, rows])
            placed = np.concatenate([placed, places(chance, cell, rows)])
            found = fit(as_results(cell, seated, placed), REPLICATES)
            any_claim |= any_claims(found)
            skill[[cell.names.index(name) for name in found.entrants]] = found.skills
        seen.append(any_claim)
    return Looked(*np.mean(np.array(seen), axis=0).tolist())


def _alike(chance: np.random.Generator, skill: Floats, seats: int) -> Whole:
    """Return a table: one entrant, and those nearest to it by skill and some luck."""
    seen = skill + chance.normal(scale=CHOSEN_BY_LUCK, size=len(skill))
    nearest = np.abs(seen - seen[chance.integers(len(skill))]).argsort()[:seats]
    return chance.permutation(nearest)


def looked(cell: Cell, rounds: int, looks: int) -> Looked:
    """Look at growing tournaments that many times, evenly."""
    chance = chance_for((cell, looks))
    seen = []
    for _ in range(rounds):
        seated = tables(chance, cell)
        results = as_results(cell, seated, places(chance, cell, seated))
        any_claim = np.zeros(3, bool)
        for look in range(1, looks + 1):
            sets = len(seated) * look // looks
            any_claim |= any_claims(fit(results[: sets * cell.seats], REPLICATES))
        seen.append(any_claim)
    return Looked(*np.mean(np.array(seen), axis=0).tolist())


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
    stopped_share: int = 1
    """Of the tournaments with rules that stop them, one in this number is simulated."""


QUICK: Final = Size(MODELS[1:], ((4, 4), (8, 3)), (5, 20), 40, 100, 100, 20, 0, 20)
FULL: Final = Size(MODELS, DESIGNS, SETS, 300, 2000, 1000, 100, 60)


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
    _print_looks(asked, found, report)


def at_every_look_at_a_league(size: Size, run: Run, report: Report) -> None:
    """Print the same of leagues with sets of one match."""
    cells = [
        Cell(model, *design, max(size.sets), "identical", rotated=False)
        for model, design in product(size.models, LEAGUES)
    ]
    asked = [(cell, size.looked_rounds, 20) for cell in cells]
    found = run(looked_at_league, asked)
    report.head(
        "Any false claim at any look at a league of identical bots, sets of one match:",
        ("model", "entrants", "seats", "sets each", "looks", "leagues", "anytime", "fixed",
         "unadjusted"),
    )  # fmt: skip
    _print_looks(asked, found, report)


def _print_looks(
    asked: Sequence[tuple[Cell, int, int]], found: Iterator[tuple[float, ...]], report: Report
) -> None:
    for (cell, rounds, looks), shares in zip(asked, found, strict=True):
        seen = Looked(*shares)
        wrong = report.goal(seen.anytime, most=WRONG)
        report.line((*cell[:4], looks, rounds, wrong, percent(seen.fixed), percent(seen.alone)))


def where_it_stops(size: Size, run: Run, report: Report) -> None:
    """Print errors of rules that stop a tournament or a comparison, and the sets that they use."""
    rules_that_stop(size.stopped_share, run, report)
    comparisons(size.stopped_share, run, report)


PARTS: Final[Sequence[Callable[[Size, Run, Report], None]]] = (
    at_the_end,
    with_few_sets,
    at_every_look,
    at_every_look_at_a_league,
    where_it_stops,
)
"""What is measured, in this order."""


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
