"""Measures what an attack costs the honest tables of a real referee.

A referee runs as a process of its own, with honest tables and one more that the attacker gets from
time to time. What counts is how many decisions of the honest tables one second of the referee's CPU
makes: other load on the machine changes that little, and a phase with the attack is compared with
the phases without it before and after.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from tests.waiting import wait_until

ROOT: Final = Path(__file__).parents[2]
ROUNDS: Final = 3
MOST_ROUNDS: Final = 11
"""On a crowded machine single rounds differ by a tenth: rounds are added while the median of the
first ones is close to what a test asserts."""
CLEAR: Final = 0.93
CPU_SECONDS: Final = 0.4
"""How much CPU time of the referee each phase takes."""
ATTACKED: Final = 4
"""Decisions at the attacker's table in each phase; seats alternate, so some are its own."""


@dataclass
class Cost:
    """What an attack cost."""

    without: list[float] = field(default_factory=list)
    """Decisions of the honest tables for each second of CPU, phase by phase."""
    with_it: list[float] = field(default_factory=list)
    grown_mb: float = 0.0
    """How much the referee's memory grew at its peak."""
    last: dict[str, Any] = field(default_factory=dict)
    """The last report of the referee."""

    @property
    def kept(self) -> float:
        """The share of their decisions that the honest tables keep: the median of all rounds."""
        around = [sum(pair) / 2 for pair in pairwise(self.without)]
        return statistics.median(a / b for a, b in zip(self.with_it, around, strict=True))

    @property
    def is_unclear(self) -> bool:
        """Whether another round is needed for a clear answer."""
        rounds = len(self.with_it)
        return rounds < ROUNDS or (rounds < MOST_ROUNDS and self.kept < CLEAR)

    def __str__(self) -> str:
        return (
            f"honest tables keep {self.kept:.0%} "
            f"({statistics.median(self.without):,.0f} decisions a CPU second without, "
            f"{statistics.median(self.with_it):,.0f} with the attack), memory +{self.grown_mb:.0f} "
            f"MB, faults {self.last['verdicts']} in {self.last['matches']} matches"
        )


class _Referee:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def say(self, word: str) -> dict[str, Any]:
        """Say a word, and return the report that comes back."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        report: dict[str, Any] = json.loads(self._process.stdout.readline())
        return report

    def rate(self, attacked: int = 0) -> float:
        """Return the decisions of a second of CPU from now on.

        The measurement includes at least ``attacked`` decisions at the table of the attacker.
        """
        before = self.say("report")
        after = before

        def enough() -> bool:
            nonlocal after
            after = self.say("report")
            used = after["cpu"] - before["cpu"] > CPU_SECONDS
            return bool(used and after["attacked"] - before["attacked"] >= attacked)

        wait_until(enough)
        return float((after["decisions"] - before["decisions"]) / (after["cpu"] - before["cpu"]))


@contextmanager
def _started(transport: str, attack: str) -> Iterator[_Referee]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.attacks.referee_process", transport, attack],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield _Referee(process)
            assert process.stdin is not None
            process.stdin.close()
            process.wait()
        finally:
            process.kill()


def cost_of(transport: str, attack: str) -> Cost:
    """Attack a referee, and return what that cost."""
    cost = Cost()
    with _started(transport, attack) as referee:
        referee.rate()  # warm up
        peak = referee.say("report")["peak_mb"]
        cost.without.append(referee.rate())
        while cost.is_unclear:
            referee.say("attack")
            cost.with_it.append(referee.rate(attacked=ATTACKED))
            referee.say("honest")
            cost.without.append(referee.rate())
        cost.last = referee.say("report")
        cost.grown_mb = cost.last["peak_mb"] - peak
    return cost
