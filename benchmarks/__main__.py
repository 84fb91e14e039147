"""Measure engine, codec, referee, tournaments, ratings, store, start-up and memory, in one run.

    python -m benchmarks                          everything, in less than five minutes
    python -m benchmarks --full                   more rounds and larger sizes: half an hour
    python -m benchmarks --only engine,ratings    some of it
    python -m benchmarks --list                   what there is

Each part prints a table, with ratios and goals, and writes it as JSON to build/bench/.
``python -m benchmarks.page`` makes the tables of docs/performance.md from that.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.measuring import (
    Asked,
    Chapter,
    NotMeasuredError,
    document,
    keep,
    machine,
    positive,
    program,
    progress,
    show,
)

CHAPTERS = {
    "engine": "random play on one core, beside OpenSpiel, RLCard and PettingZoo",
    "codec": "making and reading the messages of a decision",
    "referee": "refereed decisions per transport, beside bare echoes, fastchess and Kaggle",
    "breakdown": "where the time of one decision goes",
    "tournament": "what a tournament costs beyond its matches",
    "ratings": "TrueSkill and the order-free fit",
    "store": "commits and reads of the tournament's database, beside bare SQLite",
    "startup": "the command line and the first answer of a pipe bot",
    "sandbox": "start and decisions of pipe bots in the sandbox, beside those without",
    "memory": "a referee with 64 tables over many matches",
}
ON_DEMAND = {"languages": "a round trip with the sample bot of each language that is built"}
FOLDER = Path("build/bench")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, measure, print and keep."""
    given = _parser().parse_args(arguments)
    if given.list:
        for name, about in (CHAPTERS | ON_DEMAND).items():
            print(f"{name:<12}{about}")
        return 0
    asked = Asked(given.full, given.rounds, not given.no_peers, given.fastchess, given.tiny)
    start = time.perf_counter()
    try:
        for name in given.only:
            _run(name, asked, given.json)
    except KeyboardInterrupt:
        progress("interrupted")
        return 130
    progress(f"{time.perf_counter() - start:.0f} s; figures in {given.json}/")
    return 0


def _run(name: str, asked: Asked, folder: Path) -> None:
    before = machine()
    try:
        chapter: Chapter = import_module(f"benchmarks.{name}").measure(asked)
    except NotMeasuredError as error:
        progress(f"{name} cannot be measured: {error}")
        return
    print(show(chapter), flush=True)
    keep(document(chapter, asked, before), folder)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only", type=_chapters, default=list(CHAPTERS), metavar="NAMES", help="e.g. engine,store"
    )
    parser.add_argument("--full", action="store_true", help="more rounds, larger sizes")
    parser.add_argument("--rounds", type=positive, help="how often each is measured")
    parser.add_argument("--no-peers", action="store_true", help="measure nobody else's programs")
    parser.add_argument(
        "--fastchess", type=program, metavar="PATH", help="its binary, if there is one"
    )
    parser.add_argument("--json", type=Path, default=FOLDER, metavar="DIR", help="for the figures")
    parser.add_argument("--list", action="store_true", help="say what there is, and stop")
    parser.add_argument("--tiny", action="store_true", help="only see that everything runs")
    return parser


def _chapters(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in CHAPTERS | ON_DEMAND:
            known = ", ".join(CHAPTERS | ON_DEMAND)
            raise argparse.ArgumentTypeError(f'nothing is called "{name}"; there are {known}')
    return names


if __name__ == "__main__":
    sys.exit(main())
