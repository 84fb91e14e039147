"""One shape for all benchmarks: take turns, compare round by round, print a table, keep it.

These machines are noisy, and what is measured first is not what is measured last. So contestants
take turns (A B A B ...), and a ratio is the median of the ratios of each round: both sides of it
were measured within seconds of each other.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import engine

T = TypeVar("T")

Sample = Mapping[str, float]
"""One measurement: figures by what they are, such as "decisions/s"."""
Contestant = Callable[[], Sample]

LIBRARIES = (
    "grpcio",
    "numpy",
    "orjson",
    "protobuf",
    "sqlalchemy",
    "trueskill",
    "uvloop",
    "zstandard",
)


class NotMeasuredError(Exception):
    """Something cannot be measured here; says why in one line."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked for."""

    full: bool = False
    rounds: int | None = None
    peers: bool = True
    fastchess: Path | None = None
    tiny: bool = False
    """Whether only to see that everything runs."""

    def choose(self, quick: int, full: int) -> int:
        """Return the size for this run; the smallest there is if nobody will read the figures."""
        return 1 if self.tiny else full if self.full else quick

    def how_often(self, quick: int, full: int) -> int:
        """Return the number of rounds."""
        return self.rounds or self.choose(quick, full)

    def seconds(self, quick: float, full: float) -> float:
        """Return how long a measurement lasts."""
        return 0.05 if self.tiny else full if self.full else quick


@dataclass(frozen=True, slots=True)
class Figure:
    """What several measurements of one thing gave."""

    median: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Figure:
        """Sum up some values."""
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Ratio:
    """How one thing compares with another in the same rounds."""

    of: str
    to: str
    what: str
    ratio: Figure


@dataclass(frozen=True, slots=True)
class Goal:
    """What was aimed at, and what came out."""

    text: str
    wanted: float
    measured: float
    unit: str
    at_least: bool
    """Whether more is better."""

    @property
    def met(self) -> bool:
        """Whether it was reached."""
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted

    @property
    def verdict(self) -> str:
        """Whether it was reached and, if not, by how much it was missed."""
        if self.met:
            return "met"
        more, less = sorted((self.wanted, self.measured), reverse=True)
        factor = f"{more / less:.2f}" if less > 0 else "infinity"
        return f"missed by a factor of {factor}"


@dataclass
class Chapter:
    """One part of the suite, measured."""

    name: str
    title: str
    about: str
    """What a row means, in a sentence or two."""
    rows: dict[str, dict[str, Figure]] = field(default_factory=dict)
    ratios: list[Ratio] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    not_measured: dict[str, str] = field(default_factory=dict)
    rounds: int = 1
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    def take_turns(self, contestants: Mapping[str, Contestant], rounds: int) -> None:
        """Measure everybody once, then everybody once more; and keep the figures."""
        self.rounds = rounds
        left = dict(contestants)
        for number in range(1, rounds + 1):
            for name, measure in list(left.items()):
                progress(f"{self.name}, round {number} of {rounds}: {name}")
                try:
                    self.samples.setdefault(name, []).append(measure())
                except NotMeasuredError as error:
                    self.not_measured[name] = str(error)
                    self.samples.pop(name, None)
                    del left[name]
        for name in left:
            found = self.samples[name]
            self.rows[name] = {what: Figure.of([s[what] for s in found]) for what in found[0]}

    def median(self, name: str, what: str) -> float | None:
        """Return a figure of a row, if it was measured."""
        row = self.rows.get(name, {})
        return row[what].median if what in row else None

    def compare(self, of: str, to: str, what: str) -> float | None:
        """Note how the first compares with the second, round by round, and return the median."""
        if of not in self.rows or to not in self.rows:
            return None
        for known in self.ratios:
            if (known.of, known.to, known.what) == (of, to, what):
                return known.ratio.median
        pairs = zip(self.samples[of], self.samples[to], strict=False)
        ratio = Figure.of([one[what] / other[what] for one, other in pairs])
        self.ratios.append(Ratio(of, to, what, ratio))
        return ratio.median

    def want(
        self, text: str, measured: float | None, *, least: float | None = None,
        most: float | None = None, unit: str = "x",
    ) -> None:  # fmt: skip
        """Note a goal; one for which nothing was measured is left out."""
        wanted = least if least is not None else most
        if measured is not None and wanted is not None:
            self.goals.append(Goal(text, wanted, measured, unit, least is not None))


def progress(line: str) -> None:
    """Say what is going on."""
    print(line, file=sys.stderr, flush=True)


def apart(work: Callable[..., T], *arguments: object) -> T:
    """Do something in a process of its own: what was measured before must not slow it down."""
    try:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            return pool.submit(work, *arguments).result()
    except BrokenProcessPool:
        raise NotMeasuredError("the process that measured it died") from None


def timed(work: Callable[[], object]) -> float:
    """Return how many seconds something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def positive(text: str) -> int:
    """Read a number of things from the command line: one or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of things: give 1 or more")
    return int(text)


def program(text: str) -> Path:
    """Read the path of a program from the command line."""
    if not os.access(text, os.X_OK) or Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no program {text}")
    return Path(text)


# For a person ------------------------------------------------------------------------------------


def number(value: float) -> str:
    """Write a figure with about three digits that mean something."""
    size = abs(value)
    if size >= 100 or value == int(value):
        return f"{value:,.0f}"
    digits = 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:.{digits}f}"


def spread(figure: Figure) -> str:
    """Write a figure with the range that it was found in."""
    if figure.lowest == figure.highest:
        return number(figure.median)
    return f"{number(figure.median)} ({number(figure.lowest)} to {number(figure.highest)})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out columns; the first one to the left, the others to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if n else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def columns(rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what was measured, in the order in which it appears."""
    return list(dict.fromkeys(what for row in rows.values() for what in row))


def show(chapter: Chapter) -> str:
    """Write a chapter for a terminal."""
    heads = columns(chapter.rows)
    cells = [
        [name, *(spread(row[what]) if what in row else "" for what in heads)]
        for name, row in chapter.rows.items()
    ]
    parts = [f"\n{chapter.title} ({chapter.rounds} rounds: median, lowest and highest)"]
    if cells:
        parts.append(table(["", *heads], cells))
    parts += [f"{r.of} / {r.to}, {r.what}: {spread(r.ratio)}" for r in chapter.ratios]
    parts += [f"goal: {g.text}: {number(g.measured)} {g.unit}, {g.verdict}" for g in chapter.goals]
    parts += [f"not measured: {name}: {why}" for name, why in chapter.not_measured.items()]
    return "\n".join(parts)


# For a program -----------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """Describe what this ran on."""
    names = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo", "model name")]
    memory = [int(line.split()[1]) for line in _lines("/proc/meminfo", "MemTotal")]
    return {
        "cpu": names[0] if names else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory[0] / 2**20) if memory else None,
        "system": f"{platform.system()} {platform.release()}",
        "load_average": round(os.getloadavg()[0], 2),
    }


def _lines(path: str, beginning: str) -> list[str]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.startswith(beginning)]


def versions() -> dict[str, str]:
    """Return what this was measured with."""
    found = {"highstreet": engine.__version__, "python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def document(chapter: Chapter, asked: Asked, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chapter as it is kept in a file."""
    return {
        "chapter": chapter.name,
        "title": chapter.title,
        "about": chapter.about,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "full": asked.full,
        "rounds": chapter.rounds,
        "machine": before,
        "versions": versions(),
        "rows": {
            name: {what: asdict(figure) for what, figure in row.items()}
            for name, row in chapter.rows.items()
        },
        "ratios": [asdict(ratio) for ratio in chapter.ratios],
        "goals": [asdict(goal) | {"verdict": goal.verdict} for goal in chapter.goals],
        "not_measured": chapter.not_measured,
    }


def keep(written: Mapping[str, Any], folder: Path) -> Path:
    """Write the figures of a chapter into its file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{written['chapter']}.json"
    path.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    return path
