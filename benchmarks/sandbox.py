"""What the sandbox costs: the start of a bot, and decisions of bots that are frozen meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import islice

from benchmarks.measuring import Asked, Chapter, Contestant, NotMeasuredError, Sample, apart
from benchmarks.questions import questions
from benchmarks.referee import PIPES, play_on
from engine import Seat, UsageError
from referee.model import BotCommand, SandboxKind
from referee.record import commitment
from referee.runtime import run_async, tuned_process
from referee.sandbox import SANDBOXES, sandboxed, start_bot
from referee.transports import PipeBot, PipePlayer
from referee.wire import stdio

SECONDS = "seconds"
DECISIONS = "decisions/s"
START = "start and first answer: {}"
PLAY = "decisions: {}"


def measure(asked: Asked) -> Chapter:
    """Measure plain bots and bots in the sandbox in turn."""
    try:
        SANDBOXES[SandboxKind.BUBBLEWRAP].check()
    except UsageError as error:
        raise NotMeasuredError(str(error)) from None
    chapter = Chapter(
        "sandbox",
        "The sandbox: what it costs",
        "The shortest bot over pipes, plain and in bubblewrap, where it is frozen whenever it has "
        "no decision to make: from its start to its first answer, and one table of two.",
    )
    contestants: dict[str, Contestant] = {}
    for kind in SandboxKind:
        contestants[START.format(kind)] = partial(apart, _run, _first_answer, kind, 0.0)
        seconds = asked.seconds(1.0, 5.0)
        contestants[PLAY.format(kind)] = partial(apart, _run, _decisions, kind, seconds)
    chapter.take_turns(contestants, asked.how_often(7, 15))
    plain, boxed = SandboxKind.NONE, SandboxKind.BUBBLEWRAP
    starts = [chapter.median(START.format(kind), SECONDS) for kind in (plain, boxed)]
    more = None if None in starts else (starts[1] or 0) - (starts[0] or 0)
    chapter.want("a start takes at most 0.05 s more", more, most=0.05, unit="s")
    ratio = chapter.compare(PLAY.format(boxed), PLAY.format(plain), DECISIONS)
    chapter.want("at least 0.9 of the decisions per second", ratio, least=0.9)
    return chapter


def _run(
    work: Callable[[SandboxKind, float], Awaitable[Sample]], kind: SandboxKind, seconds: float
) -> Sample:
    async def main() -> Sample:
        return await work(kind, seconds)

    with tuned_process():
        return run_async(main())


def command(kind: SandboxKind, *more: str) -> BotCommand:
    """Return the command of the shortest bot."""
    plain = BotCommand((*PIPES, "bot", *more))
    return plain if kind is SandboxKind.NONE else sandboxed(plain, kind)


class _Answer:
    """Waits for the first line of a bot."""

    def __init__(self) -> None:
        self.line = asyncio.get_running_loop().create_future()

    def on_output(self, data: bytes) -> None:
        """Take the first output."""
        if not self.line.done():
            self.line.set_result(data)

    def on_output_closed(self) -> None:
        """Take the end as an answer."""
        self.on_output(b"")


async def _first_answer(kind: SandboxKind, _seconds: float) -> Sample:
    (question,) = islice(questions(), 1)
    plan = question.plan
    first = stdio.started_line(plan, Seat(question.seat), commitment(plan.seed, plan.salt))
    warm = await start_bot(command(kind), _Answer(), None)  # what is done once in a process
    await warm.end(0)
    answer, start = _Answer(), time.perf_counter()
    bot = await start_bot(command(kind), answer, None)
    bot.write(first + stdio.decision_line(question), 1 << 20)
    line = await answer.line
    seconds = time.perf_counter() - start
    bot.end_input()
    await bot.end(0.5)
    if b"submit_move" not in line:
        raise NotMeasuredError(f"the bot said {line!r}")
    return {SECONDS: seconds}


async def _decisions(kind: SandboxKind, seconds: float) -> Sample:
    bots = [await PipeBot.start(command(kind)) for _ in range(2)]
    try:
        return await play_on([lambda: [PipePlayer(bot) for bot in bots]], seconds)
    finally:
        await asyncio.gather(*(bot.close(grace=0.05) for bot in bots))
