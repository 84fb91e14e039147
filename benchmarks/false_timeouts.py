"""Count false time-outs while other processes keep every core busy.

    python -m benchmarks.false_timeouts [--decisions 100000] [--per-move 2] [--tables 4]

The bots answer at once, so every time-out is a false one: caused by the machine or by us. Half of
the tables have gRPC bots, half have bots over pipes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from benchmarks.measuring import positive
from benchmarks.questions import plan as planned
from benchmarks.referee import PIPES, client
from referee.match import LagMeter, Match, Player
from referee.model import BotCommand, TimeControl
from referee.runtime import run_async, tuned_process
from referee.transports import GrpcPlayer, PipeBot, PipePlayer, RefereeServer


@dataclass
class Count:
    """What has been seen so far."""

    wanted: int
    decisions: int = 0
    faults: list[str] = field(default_factory=list)
    slowest_ms: float = 0.0

    def add(self, record: bytes) -> None:
        """Count the decisions of a match."""
        for line in record.splitlines():
            found = json.loads(line)
            if found["kind"] == "decision" and found["legal"] > 1:
                self.decisions += 1
                self.slowest_ms = max(self.slowest_ms, found["ms"])
                self.faults += [verdict["fault"] for verdict in found.get("verdicts", ())]


async def table(kind: Any, bots: Sequence[Any], control: TimeControl, count: Count) -> None:
    """Play match after match until there are enough decisions."""
    lag = LagMeter()
    number = 0
    while count.decisions < count.wanted:
        players: list[Player] = [kind(bot) for bot in bots]
        number += 1
        plan = replace(planned(number), time_control=control)
        count.add((await Match(plan, players, lag).play()).record)
    lag.stop()


async def measure(tables: int, control: TimeControl, count: Count) -> None:
    """Play at all tables at once."""
    server = RefereeServer()
    await server.start()
    names = [(f"a{i}", f"b{i}") for i in range(tables - tables // 2)]
    tokens = [server.tokens.issue(name) for pair in names for name in pair]
    command = BotCommand((*PIPES, "bot"))
    pipes = [[await PipeBot.start(command) for _ in range(2)] for _ in range(tables // 2)]
    async with client("bots", server.address, *tokens):
        sessions = [[await server.wait_for_bot(name) for name in pair] for pair in names]
        await asyncio.gather(
            *(table(GrpcPlayer, pair, control, count) for pair in sessions),
            *(table(PipePlayer, pair, control, count) for pair in pipes),
        )
    await asyncio.gather(*(bot.close() for pair in pipes for bot in pair))
    await server.stop(grace=0)


def main() -> int:
    """Read the arguments, keep the cores busy, count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--decisions", type=positive, default=100_000)
    parser.add_argument("--per-move", type=float, default=2.0, help="seconds")
    parser.add_argument("--tables", type=positive, default=4)
    asked = parser.parse_args()
    control = TimeControl(per_move=timedelta(seconds=asked.per_move))
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(os.cpu_count() or 1)
    ]
    count = Count(asked.decisions)
    start = time.perf_counter()
    try:
        with tuned_process():
            run_async(measure(asked.tables, control, count))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    finally:
        for process in busy:
            process.kill()
    seconds = time.perf_counter() - start
    print(
        f"{count.decisions:,} decisions in {seconds:.0f} s with {len(busy)} busy processes: "
        f"{len(count.faults)} false time-outs or other faults {sorted(set(count.faults))}; "
        f"the slowest decision took {count.slowest_ms:.0f} ms of {asked.per_move * 1000:.0f} ms"
    )
    return 1 if count.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
