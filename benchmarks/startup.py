"""How long one waits: for the command line to say something, and for the first answer of a bot.

A bot is started, told that it is seated, and asked; the clock runs from its start to its answer.
Beside it, the shortest program in the same language.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks.measuring import Asked, Chapter, Contestant, NotMeasuredError, Sample
from benchmarks.questions import questions
from benchmarks.referee import PIPES
from engine import Seat
from referee.record import commitment
from referee.wire import stdio

SECONDS = "seconds"
CPU = "CPU seconds"
BOTS = Path(__file__).parent.parent / "sample_bots" / "python"
HIGHSTREET = (sys.executable, "-c", "from tournaments.cli import main; main()")
COMMANDS = {
    "python, nothing at all": (sys.executable, "-c", "pass"),
    "highstreet --help": (*HIGHSTREET, "--help"),
    "highstreet --version": (*HIGHSTREET, "--version"),
    "highstreet play --help": (*HIGHSTREET, "play", "--help"),
    "highstreet tournament --help": (*HIGHSTREET, "tournament", "--help"),
    "highstreet games": (*HIGHSTREET, "games"),
}
PLAYERS = {
    "first answer: shortest bot there is": (*PIPES, "bot"),
    "first answer: tiny": (sys.executable, str(BOTS / "tiny_bot.py")),
    "first answer: random": (sys.executable, str(BOTS / "random_bot.py")),
    "first answer: greedy": (sys.executable, str(BOTS / "greedy_bot.py")),
}


def measure(asked: Asked) -> Chapter:
    """Measure commands and bots in turn."""
    chapter = Chapter(
        "startup",
        "Start-up: seconds until there is something",
        "From the start of a process to its end, or to a bot's first answer over its pipe. CPU is "
        "that of the process until its end, and the wait on a machine with nothing else to do.",
    )
    contestants: dict[str, Contestant] = {
        name: partial(_command, command) for name, command in COMMANDS.items()
    }
    contestants |= {name: partial(_first_answer, bot) for name, bot in PLAYERS.items()}
    chapter.take_turns(contestants, asked.how_often(7, 15))
    chapter.want(
        "`highstreet --help` in under 0.3 s",
        chapter.median("highstreet --help", SECONDS),
        most=0.3,
        unit="s",
    )
    for name in ("tiny", "random", "greedy"):
        chapter.want(
            f"the pipe bot `{name}` answers its first decision within 0.1 s",
            chapter.median(f"first answer: {name}", SECONDS),
            most=0.1,
            unit="s",
        )
    return chapter


def _command(command: Sequence[str]) -> Sample:
    start, cpu = time.perf_counter(), _cpu_of_children()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return {SECONDS: time.perf_counter() - start, CPU: _cpu_of_children() - cpu}


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _first_answer(command: Sequence[str]) -> Sample:
    (question,) = islice(questions(), 1)
    plan = question.plan
    started = stdio.started_line(plan, Seat(question.seat), commitment(plan.seed, plan.salt))
    start, cpu = time.perf_counter(), _cpu_of_children()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdin is not None  # noqa: S101  both were asked for
        assert bot.stdout is not None  # noqa: S101
        bot.stdin.write(started + stdio.decision_line(question))
        bot.stdin.flush()
        answer = bot.stdout.readline()
        seconds = time.perf_counter() - start
        bot.stdin.close()
    if b"submit_move" not in answer:
        raise NotMeasuredError(f"the bot said {answer!r}")
    return {SECONDS: seconds, CPU: _cpu_of_children() - cpu}
