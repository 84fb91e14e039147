"""Count false time-outs with the CPU clock and with the wall clock, on a quiet and a busy machine.

    python -m benchmarks.cpu_clock [--decisions 20000] [--per-move 0.01] [--tables 4]

The bots use 60 % of their time for each decision, so every time-out is a false one. The exit code
is 1 if the CPU clock has one, or if the busy machine charges less than 0.9 or more than 1.1 times
what the quiet one does.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

from benchmarks.measuring import positive
from benchmarks.questions import plan as planned
from benchmarks.sandbox import command
from referee.match import LagMeter, Match
from referee.model import ClockKind, Policy, SandboxKind, TimeControl
from referee.runtime import run_async, tuned_process
from referee.transports import PipeBot, PipePlayer

SHARE = 0.6
ALLOWED_CHANGE = (0.9, 1.1)
"""What the CPU clock of a busy machine may charge, as a multiple of what a quiet one charges."""
PATIENT = Policy(strikes=1_000_000)
"""A time-out is counted, and the match goes on."""


@dataclass
class Count:
    """What has been seen so far."""

    wanted: int
    charged: list[float] = field(default_factory=list)
    """The charged milliseconds of each decision that began no match."""
    late: int = 0

    def add(self, record: bytes) -> None:
        """Count the decisions of a match; the first of a seat has the start-up time."""
        seen = set()
        for line in record.splitlines():
            found = json.loads(line)
            if found["kind"] == "decision" and found["legal"] > 1:
                self.late += "verdicts" in found
                if found["seat"] in seen:
                    self.charged.append(found.get("cpu_ms", found["ms"]))
                seen.add(found["seat"])


async def _table(control: TimeControl, table: int, count: Count) -> None:
    milliseconds = str(SHARE * control.per_move.total_seconds() * 1000)
    kind = SandboxKind.BUBBLEWRAP
    bots = [await PipeBot.start(command(kind, milliseconds)) for _ in range(2)]
    lag, number = LagMeter(), 1000 * table
    try:
        while len(count.charged) < count.wanted:
            number += 1
            plan = replace(planned(number), time_control=control, policy=PATIENT)
            count.add((await Match(plan, [PipePlayer(bot) for bot in bots], lag).play()).record)
    finally:
        lag.stop()
        await asyncio.gather(*(bot.close(grace=0.05) for bot in bots))


async def _measure(control: TimeControl, tables: int, count: Count) -> None:
    await asyncio.gather(*(_table(control, table, count) for table in range(tables)))


@contextlib.contextmanager
def _busy(processes: int) -> Iterator[None]:
    """Keep cores busy with other work."""
    work = [sys.executable, "-c", "while True: pass"]
    started = [subprocess.Popen(work) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def main() -> int:
    """Read the arguments and measure the four cases."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--decisions", type=positive, default=20_000)
    parser.add_argument("--per-move", type=float, default=0.01, help="seconds")
    parser.add_argument("--tables", type=positive, default=4)
    asked = parser.parse_args()
    false_time_outs, means = 0, {}
    for kind in ClockKind:
        for processes in (0, os.cpu_count() or 1):
            count = Count(asked.decisions)
            control = TimeControl(
                per_move=timedelta(seconds=asked.per_move), latency=timedelta(0), clock=kind
            )
            with _busy(processes), tuned_process():
                run_async(_measure(control, asked.tables, count))
            mean = means[kind, processes > 0] = statistics.fmean(count.charged)
            false_time_outs += count.late if kind is ClockKind.CPU else 0
            print(
                f"{kind} clock, {processes} busy processes: {len(count.charged):,} decisions, "
                f"{count.late} false time-outs, {mean:.2f} ms charged on average, at most "
                f"{max(count.charged):.2f} ms of {asked.per_move * 1000:g} ms",
                flush=True,
            )
    change = means[ClockKind.CPU, True] / means[ClockKind.CPU, False]
    print(f"CPU clock: the busy machine charges {change:.3f} times what the quiet one does")
    return exit_code(false_time_outs, change)


def exit_code(false_time_outs: int, change: float) -> int:
    """Return 1 for a false time-out with the CPU clock, or times that a busy machine changes."""
    least, most = ALLOWED_CHANGE
    return 1 if false_time_outs or not least <= change <= most else 0


if __name__ == "__main__":
    raise SystemExit(main())
