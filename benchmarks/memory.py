"""What a referee with many tables keeps in memory, and whether that grows with the matches.

A referee in a process of its own plays match after match at 64 tables of two with gRPC bots, whose
streams end in another process. Its resident memory is noted ten times on the way.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import linear_regression

from benchmarks.measuring import Asked, Chapter, Figure, NotMeasuredError, progress
from benchmarks.questions import plan
from benchmarks.referee import ROOT, client
from referee.match import LagMeter, Match
from referee.runtime import run_async, tuned_process
from referee.transports import GrpcPlayer, RefereeServer

TABLES = 64
LOOKS = 10
MIB = "MiB"
PATIENCE = 1800.0


def measure(asked: Asked) -> Chapter:
    """Play in another process and note its memory."""
    matches = LOOKS * (4 if asked.tiny else asked.choose(100, 1000))
    chapter = Chapter(
        "memory",
        "Memory: a referee with 64 tables",
        f"Resident memory of a referee that plays {matches:,} matches with gRPC bots: 64 tables at "
        "once, two seats each.",
    )
    progress(f"memory: {matches:,} matches")
    looks = _looks(matches)
    for played, memory in looks:
        chapter.rows[f"after {played:,} matches"] = {MIB: Figure.of([memory])}
    chapter.want(
        "a referee with 64 tables stays under 200 MB",
        max(memory for _, memory in looks) * 2**20 / 1e6,
        most=200,
        unit="MB",
    )
    later = looks[LOOKS // 2 :]
    slope = linear_regression([n for n, _ in later], [memory for _, memory in later]).slope
    chapter.want(
        "memory is flat: it grows by less than 1 MiB in 1,000 matches, second half",
        max(0.0, slope * 1000),
        most=1.0,
        unit="MiB",
    )
    return chapter


def _looks(matches: int) -> list[tuple[int, float]]:
    command = [sys.executable, "-m", "benchmarks.memory", str(matches)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if done.returncode:
        raise NotMeasuredError(f"the referee failed: {done.stderr[-300:]}")
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


async def play(matches: int, look: Callable[[int], None]) -> None:
    """Play matches at all tables together, and look ten times."""
    server = RefereeServer()
    await server.start()
    names = [(f"a{i}", f"b{i}") for i in range(TABLES)]
    tokens = [server.tokens.issue(name) for pair in names for name in pair]
    lag, begun, done = LagMeter(), 0, 0

    async def table(number: int) -> None:
        nonlocal begun, done
        sessions = [await server.wait_for_bot(name) for name in names[number]]
        while begun < matches:
            begun += 1
            await Match(plan(begun), [GrpcPlayer(each) for each in sessions], lag).play()
            done += 1
            if done % (matches // LOOKS) == 0:
                look(done)

    async with client("bots", server.address, *tokens):
        await asyncio.gather(*map(table, range(TABLES)))
    lag.stop()
    await server.stop(grace=0)


def _look(played: int) -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    print(json.dumps([played, pages * 4096 / 2**20]), flush=True)


if __name__ == "__main__":
    with tuned_process():
        run_async(play(int(sys.argv[1]), _look))
