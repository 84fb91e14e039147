"""Load a league server with many bots and readers for minutes, and see that it keeps its promises.

    python -m benchmarks.league --bots 200 --tables 50 --minutes 10

Starts a real `highstreet serve`, with SQLite in a temporary folder unless --database names another
database, makes a league and enters the bots. All of them stay connected from a few processes of
their own and answer at once, so every time-out is a false one. Meanwhile readers ask for pages, an
onlooker follows the live tables, and the memory of the server is looked at. What must hold is in
``goals``; the exit code is 1 if something does not. A short look while developing:

    python -m benchmarks.league --bots 40 --tables 10 --minutes 1
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import linear_regression, median, quantiles
from typing import Any, Final

import zstandard

from benchmarks.league_load import Answer, bots, onlooker, readers
from benchmarks.measuring import positive
from tournaments.model import UNLIMITED, GameSettings, LeagueSettings
from tournaments.server import LeagueClient
from tournaments.store import Store

HIGHSTREET: Final = [sys.executable, "-c", "from tournaments.cli import main; main()"]
LEAGUE: Final = "load"
BOT_PROCESSES: Final = 4
EVERY: Final = 5.0
"""Seconds between two looks at the server."""
UNTIL_ALL_ARE_THERE: Final = 120.0
SPARE: Final = 10
"""The number of tables for which the league may have one more: where a table has ended, the next
one is being set up, and is not in play yet."""
PAGE_GOAL: Final = 0.2
"""The median of a page, in seconds."""
GROWTH_GOAL: Final = 2.0
"""How fast the memory of the server may grow in the second half, in MiB a minute."""
LONG_ENOUGH: Final = 5.0
"""In a run of fewer minutes the server is still filling its caches, and growth says nothing."""
MIB: Final = 1024 * 1024

_FIGURE: Final = re.compile(r'^(highstreet_\w+)(?:\{\w+="(\w+)"\})? ([0-9.e+-]+)$', re.MULTILINE)
_DECISION: Final = re.compile(rb'"ms":([0-9.]+),"legal":([0-9]+)')


@dataclass(frozen=True, slots=True)
class Look:
    """The server at one moment."""

    minute: float
    connected: int
    tables: int
    matches: int
    decisions: int
    lag: float
    """How late the event loop has been in all, in seconds."""
    server: float
    """The memory of the server, in MiB."""
    workers: float
    """The memory of the processes that work for it, in MiB."""


@dataclass
class Verdicts:
    """What the records say about the bots, all of which answer at once."""

    faults: Counter[str] = field(default_factory=Counter)
    """Every late, unreadable or illegal answer, by kind, whether it led to a forfeit or not."""
    strikes: int = 0
    forfeits: int = 0
    milliseconds: list[float] = field(default_factory=list)
    """Of every decision that was asked for, as the clocks saw it."""


@dataclass
class Report:
    """Everything that was measured."""

    asked: Mapping[str, Any]
    looks: list[Look]
    answers: list[Answer]
    figures: Mapping[str, float]
    """As /metrics had them at the end."""
    verdicts: Verdicts
    cpu: Mapping[str, float]
    """The seconds that processes used while it was measured."""
    load: tuple[float, float, float]
    """The load averages of the machine at the end."""


# The server -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Server:
    """A running league server."""

    pid: int
    address: str
    pages: str
    organiser: str
    url: str

    def figures(self) -> dict[str, float]:
        """Ask for the figures; those with a label are called name/label."""
        with urllib.request.urlopen(f"http://{self.pages}/metrics", timeout=60) as answer:
            text = answer.read().decode()
        return {
            f"{name}/{label}" if label else name: float(value)
            for name, label, value in _FIGURE.findall(text)
        }

    def look(self, began: float) -> Look:
        """Look at the figures and at the memory."""
        figures = self.figures()
        return Look(
            minute=(time.monotonic() - began) / 60,
            connected=int(figures["highstreet_connections"]),
            tables=int(figures["highstreet_tables"]),
            matches=int(figures["highstreet_matches_total"]),
            decisions=int(figures["highstreet_decisions_total"]),
            lag=figures["highstreet_loop_lag_seconds_total"],
            server=_memory(self.pid),
            workers=sum(map(_memory, _children(self.pid))),
        )

    def stop(self) -> None:
        """Let what is being played come to its end, and wait until the server is gone."""
        os.kill(self.pid, signal.SIGTERM)
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)

    def enter(self, names: Sequence[str], tables: int, scheduler: str) -> list[str]:
        """Make the league, and enter everybody; return their tokens."""
        rules = GameSettings("glastonbury", (2, 3, 4), ("plain", "recipes"))
        most = tables + math.ceil(tables / SPARE)
        settings = LeagueSettings(
            "Load", (rules,), scheduler=scheduler, max_tables=most, pace=UNLIMITED
        )
        with LeagueClient(self.address, self.organiser) as client:
            client.create(LEAGUE, settings)
            return [client.enter(LEAGUE, name, f"author of {name}")[1] for name in names]


@contextlib.contextmanager
def served(folder: Path, database: str | None) -> Iterator[Server]:
    """Run a server with a new database; it is ended if nobody has stopped it."""
    where = ["--data", str(folder)] + (["--database", database] if database else [])
    made = subprocess.run(
        [*HIGHSTREET, "serve", *where, "--init"], check=True, capture_output=True, text=True
    )
    command = [*HIGHSTREET, "serve", *where, "--port", "0", "--web-port", "0", "--grace", "30"]
    with (folder / "log").open("w") as errors:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        address = _said(running, "listening on ")
        pages = _said(running, "pages on http://")
        url = database or f"sqlite:///{folder / 'league.db'}"
        yield Server(running.pid, address, pages, made.stdout.splitlines()[-1], url)
    finally:
        running.terminate()
        running.wait()


def _said(running: subprocess.Popen[str], start: str) -> str:
    line = running.stdout.readline() if running.stdout is not None else ""
    if not line.startswith(start):
        raise SystemExit(f"the server did not start: it said {line!r}")
    return line.removeprefix(start).strip()


@contextlib.contextmanager
def beside(*tasks: tuple[Any, ...]) -> Iterator[list[int]]:
    """Run functions in processes of their own, and end them; yields the ids of the processes."""
    spawn = multiprocessing.get_context("spawn")
    running = [spawn.Process(target=task, args=arguments) for task, *arguments in tasks]
    for process in running:
        process.start()
    try:
        yield [process.pid or 0 for process in running]
    finally:
        for process in running:
            process.kill()
            process.join()


# Looking at processes ---------------------------------------------------------------------------


def _memory(pid: int) -> float:
    """Return what a process has in memory, in MiB; 0 once it is gone."""
    with contextlib.suppress(OSError):
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / MIB
    return 0.0


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        return [int(child) for child in text.split()]
    return []


def _cpu(*pids: int) -> float:
    """Return how many seconds processes have used so far."""
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
            ticks += sum(map(int, stat.rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


# Measuring --------------------------------------------------------------------------------------


def measure(asked: argparse.Namespace, folder: Path) -> Report:
    """Load a server for as long as was asked for, and return what was seen."""
    names = [f"bot{n:03}" for n in range(asked.bots)]
    with served(folder, asked.database) as server:
        tokens = server.enter(names, asked.tables, asked.scheduler)
        shares = [tokens[n::BOT_PROCESSES] for n in range(BOT_PROCESSES)]
        with beside(*((bots, server.address, share) for share in shares)) as players:
            _wait_for_all(server, asked.bots, asked.tables)
            answers: Any = multiprocessing.get_context("spawn").SimpleQueue()
            asking = (readers, server.pages, LEAGUE, names, asked.pages_per_second, answers)
            looking = (onlooker, server.pages, LEAGUE)
            with beside(asking, *[looking] * asked.onlookers) as public:
                before = _used(server, players, public)
                looks, heard = list[Look](), list[Answer]()
                for look in _looks(server, asked.minutes):
                    looks.append(look)
                    heard += _emptied(answers)  # a pipe that is full would keep the readers waiting
                cpu = {
                    who: seconds - before[who]
                    for who, seconds in _used(server, players, public).items()
                }
                figures, load = server.figures(), os.getloadavg()
            server.stop()  # while the bots are there: nobody is to forfeit at the end
    return Report(vars(asked), looks, heard, figures, verdicts_of(server.url), cpu, load)


def _wait_for_all(server: Server, bots: int, tables: int) -> None:
    """Wait until everybody is connected and the tables are full."""
    end = time.monotonic() + UNTIL_ALL_ARE_THERE
    while (look := server.look(0.0)).connected < bots or look.tables < tables:
        if time.monotonic() > end:
            raise SystemExit(f"only {look.connected} bots and {look.tables} tables came about")
        time.sleep(1.0)


def _used(server: Server, players: Sequence[int], public: Sequence[int]) -> dict[str, float]:
    workers = _children(server.pid)
    return {
        "server": _cpu(server.pid),
        "workers": _cpu(*workers),
        "bots": _cpu(*players),
        "readers": _cpu(*public),
    }


def _looks(server: Server, minutes: float) -> Iterator[Look]:
    """Look at the server at regular moments, and say every minute how it goes."""
    began = time.monotonic()
    for number in range(int(60 * minutes / EVERY) + 1):
        time.sleep(max(0.0, began + number * EVERY - time.monotonic()))
        look = server.look(began)
        if number % int(60 / EVERY) == 0:
            print(
                f"minute {look.minute:.0f}: {look.connected} bots, {look.tables} tables, "
                f"{look.matches} matches, {look.server:.0f} + {look.workers:.0f} MiB",
                file=sys.stderr,
            )
        yield look


def _emptied(answers: Any) -> Iterator[Answer]:
    while not answers.empty():
        yield answers.get()


def verdicts_of(url: str) -> Verdicts:
    """Read every record for what was held against a bot, and for how long decisions took."""
    found = Verdicts()
    unpack = zstandard.ZstdDecompressor().decompress
    with Store.open(url, migrate=False) as store:
        for _, packed in store.records(LEAGUE):
            record = unpack(packed)
            found.milliseconds += [
                float(ms) for ms, legal in _DECISION.findall(record) if int(legal) > 1
            ]
            for line in record.splitlines():
                if b'"verdicts"' in line or b'"kind":"end"' in line:
                    _add_verdicts(found, json.loads(line))
    return found


def _add_verdicts(found: Verdicts, line: Mapping[str, Any]) -> None:
    found.forfeits += len(line.get("forfeits", ()))
    for verdict in line.get("verdicts", ()):
        found.faults[verdict["fault"]] += 1
        found.strikes += verdict["reaction"] == "strike"


# What comes of it -------------------------------------------------------------------------------


def growth(looks: Sequence[Look]) -> float:
    """Return how fast the memory of the server grew in the second half, in MiB a minute."""
    half = [look for look in looks if look.minute >= looks[-1].minute / 2]
    if len(half) < 2:
        return 0.0
    return linear_regression([look.minute for look in half], [look.server for look in half]).slope


def by_page(answers: Sequence[Answer]) -> dict[str, list[float]]:
    """Return how long the answers of each page took, in order."""
    found: dict[str, list[float]] = {}
    for answer in answers:
        found.setdefault(answer.page, []).append(answer.seconds)
    return {page: sorted(seconds) for page, seconds in sorted(found.items())}


def goals(report: Report) -> dict[str, bool]:
    """Return what must hold, and whether it does."""
    asked, looks, verdicts = report.asked, report.looks, report.verdicts
    medians = {page: median(seconds) for page, seconds in by_page(report.answers).items()}
    refused = [answer for answer in report.answers if answer.status != 200]
    return {
        "all bots stay connected": min(look.connected for look in looks) >= asked["bots"],
        "the tables are full": median(look.tables for look in looks) >= asked["tables"],
        "no false time-out": not verdicts.faults["time_out"],
        "no other fault, strike or forfeit": not (
            verdicts.faults.total() or verdicts.strikes or verdicts.forfeits
        ),
        "no void match": not report.figures["highstreet_void_matches_total"],
        "memory is bounded": growth(looks) <= GROWTH_GOAL or asked["minutes"] < LONG_ENOUGH,
        "every page answers": bool(report.answers) and not refused,
        "half of the answers of each page are quick": max(medians.values()) < PAGE_GOAL,
    }


def print_report(report: Report) -> None:
    """Print the table."""
    looks, verdicts, figures = report.looks, report.verdicts, report.figures
    first, last = looks[0], looks[-1]
    seconds = 60 * (last.minute - first.minute)
    print(f"{'bots connected, fewest':<34}{min(look.connected for look in looks):>12}")
    print(f"{'tables in play, median':<34}{median(look.tables for look in looks):>12.0f}")
    print(f"{'matches':<34}{last.matches - first.matches:>12,}")
    print(f"{'decisions/s':<34}{(last.decisions - first.decisions) / seconds:>12,.0f}")
    for name, values in (
        ("time-outs, all of them false", verdicts.faults["time_out"]),
        ("strikes", verdicts.strikes),
        ("forfeits", verdicts.forfeits),
        ("other faults", verdicts.faults.total() - verdicts.faults["time_out"]),
        ("void matches", figures["highstreet_void_matches_total"]),
    ):
        print(f"{name:<34}{values:>12.0f}")
    _print_decisions(sorted(verdicts.milliseconds))
    lag = 100 * (last.lag - first.lag) / seconds
    print(f"{'lag of the event loop':<34}{lag:>10.1f} %")
    for who, used in report.cpu.items():
        print(f"{f'CPU of the {who}':<34}{100 * used / seconds:>10.0f} %")
    print(f"{'load averages at the end':<34}{'  '.join(f'{x:.1f}' for x in report.load):>12}")
    _print_memory(looks)
    _print_pages(report.answers)
    print()
    for goal, holds in goals(report).items():
        print(f"{goal:<46}{'yes' if holds else 'NO'}")


def _print_decisions(milliseconds: Sequence[float]) -> None:
    if len(milliseconds) > 1:
        cuts = quantiles(milliseconds, n=100)
        shown = f"{cuts[49]:.0f} / {cuts[98]:.0f} / {milliseconds[-1]:.0f} ms"
        print(f"{'decisions, median / p99 / max':<34}{shown:>16}")


def _print_memory(looks: Sequence[Look]) -> None:
    print(f"\n{'minute':<10}{'server':>12}{'its workers':>14}")
    for minute in range(int(looks[-1].minute) + 1):
        look = min(looks, key=lambda each: abs(each.minute - minute))
        print(f"{minute:<10}{look.server:>8.0f} MiB{look.workers:>10.0f} MiB")
    print(f"the server grew by {growth(looks):.2f} MiB a minute in the second half")


def _print_pages(answers: Sequence[Answer]) -> None:
    sizes = {answer.page: answer.size for answer in answers}
    print(f"\n{'page':<18}{'asked':>7}{'median':>12}{'p95':>12}{'max':>12}{'size':>12}")
    for page, seconds in by_page(answers).items():
        late = seconds[int(0.95 * (len(seconds) - 1))]
        cells = "".join(f"{1000 * each:>9.0f} ms" for each in (median(seconds), late, seconds[-1]))
        print(f"{page:<18}{len(seconds):>7}{cells}{sizes[page] / 1024:>8.0f} KiB")


def as_json(report: Report) -> dict[str, Any]:
    """Return everything, but of the decisions only how many took how long at most."""
    ordered = sorted(report.verdicts.milliseconds)
    verdicts = asdict(report.verdicts) | {
        "milliseconds": {
            f"p{n}": ordered[int(n / 100 * (len(ordered) - 1))] for n in (50, 95, 99, 100)
        }
        if ordered
        else {}
    }
    return {
        **asdict(report),
        "verdicts": verdicts,
        "answers": [answer._asdict() for answer in report.answers],
        "growth": growth(report.looks),
        "goals": goals(report),
    }


def main() -> int:
    """Read the arguments, measure, and say whether all goals were met."""
    lines = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.league",
        description=lines[0],
        epilog=f"example: {lines[2].strip()} --json build/league.json",
    )
    parser.add_argument("--bots", type=positive, default=200, help="connected at once (200)")
    parser.add_argument("--tables", type=positive, default=50, help="in play at once (50)")
    parser.add_argument("--minutes", type=float, default=10.0, help="to measure for (10)")
    parser.add_argument("--pages-per-second", type=float, default=4.0, help="asked for (4)")
    parser.add_argument("--onlookers", type=int, default=1, help="of the live tables (1)")
    parser.add_argument("--scheduler", choices=["ladder", "rounds"], default="ladder")
    parser.add_argument("--database", metavar="URL", help="an empty one; default: SQLite")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there too")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep log and database there")
    asked = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = asked.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        report = measure(asked, folder)
    print_report(report)
    if asked.json is not None:
        asked.json.write_text(json.dumps(as_json(report), indent=1, default=str), encoding="utf-8")
    return 0 if all(goals(report).values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
