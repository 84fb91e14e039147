"""Bots that the referee starts and speaks with in lines of JSON."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from engine import Seat
from referee.player import Answer, Gone, Inbox, MatchPlan, Question, Rejection, Result, Unreadable
from referee.policy import Fault
from referee.processes import BotCommand, BotProcess
from referee.record import commitment
from referee.wire import stdio

MAX_LINE: Final = 64 * 1024
"""The longest line that a bot may write."""
IDLE_LINES: Final = 64
"""How many lines between two matches are dropped; behind them the bot waits for the next one."""
LAST_WORDS: Final = 0.25
"""How long the output of a process that has ended is still read, in seconds."""
MAX_BACKLOG: Final = 4 * 1024 * 1024
"""How much may wait for a bot that does not read."""


class PipeBot:
    """A process with which one match after the other is played."""

    def __init__(self, process: BotProcess) -> None:
        self._bot = process
        self._inbox: Inbox | None = None
        self._game = ""
        self._seated = asyncio.Event()
        self._idle_lines = 0
        self._tasks: list[asyncio.Task[None]] = []
        self.gone: Gone | None = None

    @classmethod
    async def start(cls, command: BotCommand, stderr: Path | None = None) -> PipeBot:
        """Start the command; raises BotStartError."""
        bot = cls(await BotProcess.start(command, stderr=stderr, pipes=True))
        listening = asyncio.create_task(bot._listen())
        bot._tasks = [listening, asyncio.create_task(bot._watch(listening))]
        return bot

    @property
    def process(self) -> BotProcess:
        """The process behind this bot."""
        return self._bot

    def sit_down(self, game: str, inbox: Inbox) -> None:
        """Send what comes in from now on to the inbox of a match."""
        self._game, self._inbox = game, inbox
        self._idle_lines = 0
        self._seated.set()
        if self.gone is not None:
            inbox.put(self.gone)

    def stand_up(self) -> None:
        """Listen to nobody until the next match."""
        if self._inbox is not None:
            self._inbox.close()
        self._inbox = None
        self._seated.clear()

    def write(self, line: bytes) -> None:
        """Send a line, unless the bot has stopped reading."""
        writer = self._bot.process.stdin
        if writer is None or writer.is_closing() or self.gone is not None:
            return
        if writer.transport.get_write_buffer_size() < MAX_BACKLOG:
            writer.write(line)

    async def _listen(self) -> None:
        """Cut the output of the bot into lines; never keep more than one line of it."""
        stdout = self._bot.process.stdout
        assert stdout is not None  # noqa: S101  it was started with pipes
        rest, skipping = b"", False
        while data := await stdout.read(MAX_LINE):
            now = asyncio.get_running_loop().time()
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if not skipping:
                    await self._heard(line, now)
                skipping = False
            if len(rest) > MAX_LINE:
                await self._heard(rest, now)
                rest, skipping = b"", True

    async def _heard(self, line: bytes, at: float) -> None:
        """Take in a line, when there is somebody to listen and room for it."""
        if not line.strip():
            return
        if not self._seated.is_set() and self._idle_lines < IDLE_LINES:
            self._idle_lines += 1  # said between two matches, and meant for neither
            return
        await self._seated.wait()
        inbox = self._inbox
        if len(line) > MAX_LINE:
            problem = f"this line is longer than {MAX_LINE} bytes."
            answer: Answer | None = Unreadable(problem, line[:200].decode("utf-8", "replace"), at)
        else:
            answer = stdio.read_line(line, self._game, at)
        if answer is not None and inbox is not None:
            await inbox.room()
            inbox.put(answer)

    async def _watch(self, listening: asyncio.Task[None]) -> None:
        """Notice that the bot has ended, or has closed its output.

        One follows the other soon, unless a child keeps the output open or nobody reads it.
        """
        ending = asyncio.create_task(self._bot.wait())
        try:
            await asyncio.wait([ending, listening], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([ending, listening], timeout=LAST_WORDS)
        finally:
            ending.cancel()
        self.gone = Gone(Fault.CRASH, f"no more output: {self._bot.exit_note()}")
        if self._inbox is not None:
            self._inbox.put(self.gone)

    async def close(self, reason: str = "there is nothing more to play", grace: float = 1) -> None:
        """Say goodbye and end the process with everything that it started."""
        self.write(stdio.goodbye_line(reason))
        stdin = self._bot.process.stdin
        if stdin is not None:
            stdin.close()
        await self._bot.end(grace)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class PipePlayer:
    """A pipe bot at a seat of one match."""

    def __init__(self, bot: PipeBot) -> None:
        self._bot = bot
        self._inbox = Inbox()

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Tell the bot that it is seated."""
        self._bot.sit_down(plan.game.spec.name, self._inbox)
        self._bot.write(stdio.started_line(plan, seat, commitment(plan.seed, plan.salt)))

    def ask(self, question: Question) -> None:
        """Put a question."""
        self._bot.write(stdio.decision_line(question))

    async def answer(self) -> Answer:
        """Wait for the next thing that the bot says, or learn that it is gone."""
        if self._bot.gone is not None and self._inbox.empty:
            return self._bot.gone
        return await self._inbox.get()

    def absence(self) -> Gone | None:
        """Tell whether the process has ended."""
        return self._bot.gone

    def reject(self, rejection: Rejection) -> None:
        """Tell the bot that its answer was not accepted."""
        self._bot.write(stdio.rejected_line(rejection))

    def end(self, result: Result) -> None:
        """Tell the bot how the match ended."""
        self._bot.write(stdio.ended_line(result))
        self._bot.stand_up()
