"""Kill a tournament again and again: the runner, a worker, a bot, or all of them at once."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from tests.waiting import DYING, PATIENCE, wait_until

BOT = Path(__file__).parents[1] / "bots" / "steady.py"
MARK = b"HIGHSTREET_RUN="
VICTIMS = ("runner", "worker", "bot", "all")

GLASTONBURY = """\
[[games]]
game = "glastonbury"
table_sizes = [2, 3, 4]
sets_per_table = {sets}
variants = {{ recipes = "both" }}
"""
GREEDY = '[[entrants]]\nname = "greedy"\nbot = "greedy"\ntransport = "grpc"\n'
"""A bot that dials in, and always plays the same too."""


def write_league(
    path: Path,
    *,
    sets: int,
    secret: str = "5ec2e7" * 8,
    games: str = GLASTONBURY,
    steady: int = 3,
    others: str = GREEDY,
) -> None:
    """Write a tournament of bots that always play the same, over pipes and gRPC.

    ``games`` is what the file has under [[games]], with {sets} for the number of sets; ``steady``
    is how many bots there are that play any game, and ``others`` are further entrants.
    """
    entrants = "".join(
        f'[[entrants]]\nname = "steady-{n}"\ncommand = ["{sys.executable}", "{BOT}", "{n}"]\n'
        for n in range(steady)
    )
    path.write_text(
        f'name = "Torture"\nsecret = "{secret}"\n{games.format(sets=sets)}'
        "[run]\ntables = 4\nworkers = 2\n"
        f"[time_control]\nper_move = {PATIENCE}\n{entrants}{others}",
        encoding="utf-8",
    )


def command(*arguments: str | Path) -> list[str]:
    """Return how to start the command line."""
    start = "from tournaments.cli import main; main()"
    return [sys.executable, "-c", start, *map(str, arguments)]


def run_to_end(file: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Play a tournament, or what is left of it."""
    arguments = command("tournament", "run", file, "--out", out)
    patience = 10 * PATIENCE
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=patience)


def store_of(out: Path) -> contextlib.closing[sqlite3.Connection]:
    """Open the store of a tournament as another program does; one that is not there is not made."""
    path = f"{(out / 'tournament.db').absolute().as_uri()}?mode=rw"
    return contextlib.closing(sqlite3.connect(path, uri=True, timeout=PATIENCE))


BENCHED = (
    "select name, game, benchings.reason from benchings join entrants on id = entrant order by name"
)
"""The query for who is benched, in which game and why."""


class PlayedRow(NamedTuple):
    """A match that counts, as another program reads it."""

    id: str
    entrants: list[str]
    places: list[int]
    forfeits: list[int]
    used: list[float]
    seconds: float
    """How long it took."""


def played_rows(out: Path) -> list[PlayedRow]:
    """Return the matches that count with their seats."""
    query = (
        "select match, name, place, forfeit, used, started_at, ended_at from match_seats "
        "join matches on matches.id = match join entrants on entrants.id = entrant "
        "where matches.state = 'played' order by match, seat"
    )
    with store_of(out) as database:
        rows = database.execute(query).fetchall()
    found = []
    for match, group in groupby(rows, itemgetter(0)):
        _, names, places, forfeits, used, starts, ends = zip(*group, strict=True)
        took = datetime.fromisoformat(ends[0]) - datetime.fromisoformat(starts[0])
        seats = [seat for seat, forfeit in enumerate(forfeits) if forfeit]
        row = PlayedRow(match, [*names], [*places], seats, [*used], took.total_seconds())
        found.append(row)
    return found


def played(out: Path) -> list[str]:
    """Return the ids of the matches that are committed, as another program reads them."""
    query = "select id from matches where state = 'played' order by ended_at"
    try:
        with store_of(out) as database:
            return [row[0] for row in database.execute(query)]
    except sqlite3.Error:
        return []


def wait_for_matches(runner: subprocess.Popen[Any], out: Path, number: int) -> None:
    """Wait until a number of matches are committed, by a run that goes on meanwhile."""

    def enough() -> bool:
        assert runner.poll() is None, f"the run ended with {runner.returncode}"
        return len(played(out)) >= number

    wait_until(enough)


def standings(out: Path) -> dict[str, Any]:
    """Return the standings but for their time stamp."""
    found: dict[str, Any] = json.loads((out / "standings.json").read_text(encoding="utf-8"))
    del found["generated_at"]
    return found


def children(pid: int) -> list[int]:
    """Return the worker processes of a runner."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            line = (path.parent / "cmdline").read_bytes()
            if int(fields[1]) == pid and b"spawn_main" in line:
                found.append(int(path.parent.name))
    return found


def bots(mark: bytes = MARK) -> list[int]:
    """Return every process that a tournament has started as a bot."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            marked = any(each.startswith(mark) for each in path.read_bytes().split(b"\0"))
            if marked and b"spawn_main" not in (path.parent / "cmdline").read_bytes():
                found.append(int(path.parent.name))
    return found


def no_bot_is_left(out: Path) -> None:
    """Check that every bot of the last run has ended."""
    wait_until(lambda: not bots(mark_of(out)), DYING)


def mark_of(out: Path) -> bytes:
    """Return the mark of the processes of the last run."""
    with store_of(out) as database:
        row = database.execute("select settings from competitions").fetchone()
    run = json.loads(row[0]).get("run") if row else None
    return MARK + run.encode() if run else b"\xff"


def kill(pid: int) -> bool:
    """Send SIGKILL; return whether there was anybody."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


@dataclass
class Story:
    """What happened."""

    kills: Counter[str] = field(default_factory=Counter)
    runs: int = 0


def torture(file: Path, out: Path, kills: int, seed: int) -> Story:
    """Play a tournament to its end in spite of a number of kills."""
    chance, story = random.Random(seed), Story()  # noqa: S311  no secret depends on it
    while story.kills.total() < kills:
        runner = subprocess.Popen(
            command("tournament", "run", file, "--out", out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        story.runs += 1
        try:
            _harass(runner, out, chance, story, kills)
        finally:
            runner.kill()
            runner.wait()
        if runner.returncode == 0:
            return story  # it was faster than we
    return story


def _harass(
    runner: subprocess.Popen[bytes], out: Path, chance: random.Random, story: Story, kills: int
) -> None:
    """Kill parts of a run until the runner itself is dead, or has finished."""
    while story.kills.total() < kills:
        _wait_for_progress(runner, out, chance)
        if runner.poll() is not None:
            return
        victim = chance.choice(VICTIMS)
        if victim == "runner":
            hit = kill(runner.pid)
        elif victim == "all":
            everybody = [runner.pid, *children(runner.pid), *bots(mark_of(out))]
            hit = sum(map(kill, everybody)) > 0
        else:
            targets = children(runner.pid) if victim == "worker" else bots(mark_of(out))
            hit = bool(targets) and kill(chance.choice(targets))
        story.kills[victim] += hit
        if victim in ("runner", "all"):
            runner.wait(timeout=PATIENCE)
            return


def _wait_for_progress(runner: subprocess.Popen[bytes], out: Path, chance: random.Random) -> None:
    """Wait until a match more is committed, and then a moment longer."""
    before, deadline = len(played(out)), time.monotonic() + PATIENCE
    while len(played(out)) == before and runner.poll() is None:
        if time.monotonic() > deadline:
            raise TimeoutError("no match in two minutes")
        time.sleep(0.02)
    time.sleep(chance.random() * 0.5)
