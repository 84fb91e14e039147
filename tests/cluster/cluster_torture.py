"""Kill parts of a cluster while a tournament is played on it."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cluster.dask_processes import DaskProcesses
from tests.tournaments.runner.torture import GLASTONBURY, MARK, kill, played, store_of, write_league
from tests.waiting import PATIENCE, wait_until

VICTIMS = ("runner", "scheduler", "worker", "worker process")
"""A worker is that of Dask; its worker process is the one that plays."""


def write_file(path: Path, sets: int) -> None:
    """Write a tournament of bots that always play the same, which can be played on a cluster."""
    write_league(path, sets=sets, games=GLASTONBURY)
    with path.open("a", encoding="utf-8") as file:
        file.write("[cluster]\nshared_filesystem = true\n")


@dataclass
class Story:
    """What happened."""

    kills: Counter[str] = field(default_factory=Counter)
    runs: int = 0


def torture(
    dask: DaskProcesses, file: Path, out: Path, kills: int, seed: int, log: Path
) -> tuple[Story, int | None]:
    """Play a tournament to its end in spite of some kills; return its last exit code too."""
    chance, story = random.Random(seed), Story()  # noqa: S311  no secret depends on it
    victims: list[str] = []
    while True:
        with log.open("ab") as stream:
            runner = subprocess.Popen(dask.run_command(file, out), stdout=stream, stderr=stream)
        story.runs += 1
        try:
            while story.kills.total() < kills and _progressed(runner, out, chance):
                victims = victims or chance.sample(VICTIMS, len(VICTIMS))
                victim = victims.pop()
                story.kills[victim] += _hit(dask, runner, victim, chance)
                if victim == "runner":
                    break
            if story.kills.total() >= kills and runner.poll() is None:
                runner.wait(10 * PATIENCE)
        finally:
            runner.kill()
            runner.wait()
        if runner.returncode >= 0:
            return story, runner.returncode


def _hit(
    dask: DaskProcesses, runner: subprocess.Popen[Any], victim: str, chance: random.Random
) -> bool:
    if victim == "runner":
        return kill(runner.pid)
    if victim == "scheduler":
        return kill(dask.scheduler.process.pid)
    if victim == "worker":
        return kill(chance.choice(dask.workers).process.pid)
    found = worker_processes(dask)
    return bool(found) and kill(chance.choice(found))


def _progressed(runner: subprocess.Popen[Any], out: Path, chance: random.Random) -> bool:
    """Wait for a match more and a moment longer; return whether the run goes on."""
    before, deadline = len(played(out)), time.monotonic() + PATIENCE
    while len(played(out)) == before and runner.poll() is None:
        assert time.monotonic() < deadline, "no match in two minutes"
        time.sleep(0.05)
    time.sleep(chance.random() * 0.5)
    return runner.poll() is None


def worker_processes(dask: DaskProcesses) -> list[int]:
    """Return the processes that the workers of a cluster have started to play matches."""
    parents = {part.process.pid for part in dask.workers}
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            if (
                parent in parents
                and b"tournaments.worker" in path.with_name("cmdline").read_bytes()
            ):
                found.append(int(path.parent.name))
    return found


def marks_of(out: Path) -> list[bytes]:
    """Return the mark of the processes of the last run."""
    with store_of(out) as database:
        row = database.execute("select json_extract(settings, '$.run') from competitions")
        return [MARK + run.encode() for (run,) in row if run]


def processes_of(out: Path) -> list[int]:
    """Return the processes that the last run started on workers, and that are still there."""
    marks = marks_of(out)
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            variables = path.read_bytes().split(b"\0")
            if any(each.startswith(mark) for each in variables for mark in marks):
                found.append(int(path.parent.name))
    return found


def no_process_is_left(out: Path) -> None:
    """Check that all processes of the last run have ended."""
    wait_until(lambda: not processes_of(out))


def stop_for(pid: int, seconds: float) -> None:
    """Stop a process for some time."""
    os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(pid, signal.SIGCONT)
