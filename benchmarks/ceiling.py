"""What a large league would take on machines like the one that was measured.

    python -m benchmarks.ceiling
    python -m benchmarks.ceiling --bots 1000 --matches 10000000 --cores 16 --bot-ms 5

Takes the figures that ``python -m benchmarks`` left in build/bench/ and nothing else; every other
number is an assumption that can be given. The parts add up because matches share nothing but the
store: CPU is divided by the cores, and the store and the ratings go on beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

from benchmarks.measuring import NotMeasuredError, positive, table

HOUR = 3600.0
CHAPTERS = ("tournament", "startup", "store", "ratings")


@dataclass(frozen=True, slots=True)
class League:
    """What is assumed."""

    bots: int = 1000
    matches: int = 10_000_000
    seats: int = 4
    decisions: int = 80
    """How many a match has, of all seats together."""
    bot_ms: float = 1.0
    """What a bot spends on a decision."""
    cores: int = 2
    kept: int = 64
    """How many bot processes are kept for their next match."""
    fits: int = 10
    """How often the order-free fit is made anew."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the benchmarks found."""

    cpu_ms: float
    """Of runner and worker for a match."""
    start_seconds: float
    bytes_per_match: float
    commits_per_second: float
    rating_micros: float
    fit_seconds: float
    """Of 10,000 matches of 1,000 entrants, with 200 bootstrap samples."""


def read(folder: Path, transport: str) -> Measured:
    """Take the figures from the files of the benchmarks; raises NotMeasuredError."""
    found = {name: _rows(folder, name) for name in CHAPTERS}

    def figure(chapter: str, row: str, what: str) -> float:
        try:
            return float(found[chapter][row][what]["median"])
        except KeyError:
            raise NotMeasuredError(f'{chapter}.json has no "{what}" of "{row}"') from None

    return Measured(
        figure("tournament", f"{transport}, 2 workers", "CPU ms a match"),
        figure("startup", "first answer: random", "CPU seconds"),
        figure("store", "commit of 8", "bytes a match"),
        figure("store", "commit of 8", "matches/s"),
        figure("ratings", "trueskill", "µs a match"),
        figure("ratings", "fit, 1000 entrants", "seconds"),
    )


def _rows(folder: Path, name: str) -> dict[str, Any]:
    try:
        rows: dict[str, Any] = json.loads((folder / f"{name}.json").read_text("utf-8"))["rows"]
    except OSError:
        raise NotMeasuredError(
            f"there is no {name}.json in {folder}: say python -m benchmarks --only {name}"
        ) from None
    return rows


def calculate(league: League, measured: Measured) -> dict[str, str]:
    """Return what the league takes, each with its unit."""
    referee = league.matches * measured.cpu_ms / 1000 / HOUR
    thinking = league.matches * league.decisions * league.bot_ms / 1000 / HOUR
    fresh = max(0.0, 1 - league.kept / league.bots)
    starts = league.matches * league.seats * fresh
    starting = starts * measured.start_seconds / HOUR
    total = referee + thinking + starting
    rating = league.matches * measured.rating_micros / 1e6 / HOUR
    fit = league.fits * measured.fit_seconds * league.matches / 10_000 / HOUR
    return {
        "CPU of the referee": _hours(referee),
        "CPU of the bots, thinking": _hours(thinking),
        "bot processes started": f"{starts:,.0f}",
        "CPU of starting them": _hours(starting),
        f"time on {league.cores} cores": f"{total / league.cores / 24:,.1f} days",
        "storage": f"{league.matches * measured.bytes_per_match / 1e9:,.0f} GB",
        "commits alone, by one writer": _hours(league.matches / measured.commits_per_second / HOUR),
        "TrueSkill, once over everything": _hours(rating),
        f"order-free fit, {league.fits} times, at most": _hours(fit),
        f"tables of {league.seats} in a full round robin": f"{comb(league.bots, league.seats):,}",
        "matches of each bot": f"{league.matches * league.seats / league.bots:,.0f}",
    }


def _hours(hours: float) -> str:
    return f"{hours:,.1f} h"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments and print what comes out."""
    standard = League()
    parser = argparse.ArgumentParser(
        "python -m benchmarks.ceiling",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--bots", type=positive, default=standard.bots)
    parser.add_argument("--matches", type=positive, default=standard.matches)
    parser.add_argument("--decisions", type=positive, default=standard.decisions, help="in a match")
    parser.add_argument("--bot-ms", type=float, default=standard.bot_ms, help="for a decision")
    parser.add_argument("--cores", type=positive, default=standard.cores)
    parser.add_argument("--kept", type=int, default=standard.kept, help="bot processes at rest")
    parser.add_argument("--figures", type=Path, default=Path("build/bench"), metavar="DIR")
    given = parser.parse_args(arguments)
    league = League(
        given.bots, given.matches, standard.seats, given.decisions, given.bot_ms, given.cores,
        given.kept,
    )  # fmt: skip
    try:
        print(show(league, given.figures))
    except NotMeasuredError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def both(league: League, folder: Path) -> list[list[str]]:
    """Return a row for each figure, with pipe bots and with gRPC bots."""
    pipe, grpc = (calculate(league, read(folder, way)) for way in ("pipe", "grpc"))
    return [[name, pipe[name], grpc[name]] for name in pipe]


def show(league: League, folder: Path) -> str:
    """Write the calculation for a terminal."""
    head = f"{league.bots:,} bots, {league.matches:,} matches of {league.seats}"
    return table([head, "pipe bots", "gRPC bots"], both(league, folder))


if __name__ == "__main__":
    sys.exit(main())
