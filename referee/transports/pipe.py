"""Bots that the referee starts and that read and write lines of JSON."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from engine import Seat
from referee.match import (
    PAUSE,
    STOPPED_PROCESS,
    Gone,
    Idle,
    Inbox,
    MatchPlan,
    Message,
    Player,
    Question,
    Rejection,
    Result,
    Submitted,
    Unreadable,
)
from referee.model import BotCommand, Fault
from referee.record import commitment
from referee.sandbox import RunningBot, start_bot
from referee.wire import LONGEST_ANSWER, stdio

IDLE_LINES: Final = 64
"""The most lines between two matches that are dropped; further ones are not read."""
OUTPUT_GRACE: Final = 0.25
"""How long the output of a process that has ended is still read, in seconds."""
EXIT_GRACE: Final = 2.0
"""How long to wait for the exit status of a process that is exiting, in seconds.

A busy machine reports it late, and SIGKILL must not be missed.
"""
MAX_BACKLOG: Final = 4 * 1024 * 1024
"""The most bytes that wait for a bot that does not read."""


class PipeBot:
    """A process that plays one match after the other."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self._loop = asyncio.get_running_loop()
        self._bot: RunningBot | None = None
        self._inbox: Inbox | None = None
        self._game = ""
        self.expected: tuple[str, int] | None = None
        """Match and number of the last decision that the bot was asked for; the moves of other
        answers are not parsed."""
        self._buffer = b""
        """The output that has not been processed yet."""
        self._received_at = 0.0
        self._skipping = False
        """Whether the rest of a line that is too long is being dropped."""
        self._idle_lines = 0
        """The number of consecutive lines that answered nothing."""
        self._pause: asyncio.TimerHandle | None = None
        """The timer that resumes reading after such lines."""
        self._output_closed = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self.gone: Gone | None = None
        self.closed_output = False
        """Whether the process closed its output and kept running."""

    @property
    def killed(self) -> bool:
        """Whether the process was ended by SIGKILL, and had not closed its output before."""
        return self.process.was_killed and not self.closed_output

    @classmethod
    async def start(
        cls, command: BotCommand, stderr: Path | None = None, name: str = ""
    ) -> PipeBot:
        """Start the command; raises BotStartError."""
        bot = cls(name)
        bot._bot = await start_bot(command, bot, stderr)
        bot._watching = asyncio.create_task(bot._watch())
        return bot

    @property
    def process(self) -> RunningBot:
        """The bot as its sandbox runs it."""
        assert self._bot is not None  # noqa: S101  it was started
        return self._bot

    @property
    def games(self) -> frozenset[str]:
        """The empty set: a bot that does not join names no games, and plays all."""
        return frozenset()

    @property
    def disconnected(self) -> bool:
        """Whether the process has ended or closed its output."""
        return self.gone is not None

    def player(self) -> Player:
        """Return a player for the next match."""
        return PipePlayer(self)

    def attach(self, game: str, inbox: Inbox) -> None:
        """Deliver the output from now on to the inbox of a match."""
        self._game, self._inbox = game, inbox
        self.expected, self._idle_lines = None, 0
        self._process_buffer()

    def detach(self) -> None:
        """Drop the output until the next match."""
        inbox, self._inbox = self._inbox, None
        if inbox is not None:
            inbox.close()

    def write(self, line: bytes) -> None:
        """Send a line, unless the bot has stopped reading."""
        if self.gone is None:
            self.process.write(line, MAX_BACKLOG)

    # The output of the process.

    def on_output(self, data: bytes) -> None:
        """Process output, or keep it until there is space for it."""
        self._received_at = self._loop.time()
        self._buffer = self._buffer + data if self._buffer else data
        self._process_buffer()

    def on_output_closed(self) -> None:
        """Note that the output has been closed."""
        self._output_closed.set()

    def _process_buffer(self) -> None:
        """Deliver line by line, as long as there is space in the inbox.

        While a line waits, reading is paused: the buffer never holds more than one read.
        """
        data, start, end = self._buffer, 0, -1
        while self._pause is None and (end := data.find(b"\n", start)) >= 0:
            if self._skipping:
                self._skipping = False
            elif not self._deliver_line(data[start:end]):
                break
            start = end + 1
        self._buffer = data[start:]
        if end < 0 and self._pause is None and len(self._buffer) > LONGEST_ANSWER:
            if self._skipping or self._deliver_line(self._buffer):
                self._buffer, self._skipping = b"", True
                self._pause_reading()
            else:
                end = 0
        if self._bot is not None:
            self._bot.set_reading(on=end < 0 and self._pause is None)

    def _deliver_line(self, line: bytes) -> bool:
        """Deliver a line and return True; return False if it has to wait."""
        inbox, began = self._inbox, self._loop.time()
        if inbox is None:
            self._idle_lines += 1  # between two matches
            return self._idle_lines <= IDLE_LINES
        if inbox.full:
            inbox.on_space(self._process_buffer)
            return False
        message = self._parse(line)
        if isinstance(message, Submitted):
            self._idle_lines = 0
            inbox.put(message)
            return True
        self._idle_lines += 1
        if self._idle_lines > 1:
            self._pause_reading()
        inbox.put(message)
        inbox.handling_seconds += self._loop.time() - began
        return True

    def _parse(self, line: bytes) -> Message:
        if len(line) > LONGEST_ANSWER:
            problem = f"this line is longer than {LONGEST_ANSWER} bytes."
            return Unreadable(problem, line[:200].decode("utf-8", "replace"), self._received_at)
        if not line or line.isspace():
            return Idle(self._received_at)
        return stdio.read_line(line, self._game, self._received_at, self.expected)

    def _pause_reading(self) -> None:
        """Stop reading for a moment, so that a flood does not slow down other matches."""
        if self._pause is None:
            self._pause = self._loop.call_later(PAUSE, self._resume_reading)

    def _resume_reading(self) -> None:
        self._pause = None
        self._received_at = self._loop.time()
        self._process_buffer()

    async def _watch(self) -> None:
        """Wait until the process has ended or closed its output, and give the bot up.

        One follows the other soon, unless a child keeps the output open or the output is not read.
        A process that closes its output and keeps running is given up at once.
        """
        ended = asyncio.create_task(self.process.wait())
        events = [ended, asyncio.create_task(self._output_closed.wait())]
        try:
            await asyncio.wait(events, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                await asyncio.wait(events, timeout=OUTPUT_GRACE)
            elif self.process.ending:
                await asyncio.wait(events, timeout=EXIT_GRACE)
            else:
                self.closed_output = True
        finally:
            for event in events:
                event.cancel()
        self.gone = Gone(Fault.CRASH, f"no more output: {self.process.exit_note()}")
        if self._inbox is not None:
            self._inbox.put(self.gone)

    async def close(self, reason: str = "there is nothing more to play", grace: float = 1) -> None:
        """Send goodbye and end the process with all its children."""
        self.write(stdio.goodbye_line(reason))
        self.process.end_input()
        await self.process.end(grace)
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        if self._pause is not None:
            self._pause.cancel()


class PipePlayer:
    """A pipe bot at a seat of one match."""

    def __init__(self, bot: PipeBot) -> None:
        self._bot = bot
        self.inbox = Inbox()
        if bot.process.description:
            self.inbox.sandbox = bot.process

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Send the start of the match."""
        self._bot.attach(plan.game.spec.name, self.inbox)
        self._bot.write(stdio.started_line(plan, seat, commitment(plan.seed, plan.salt)))

    def ask(self, question: Question) -> None:
        """Send a question."""
        self._bot.expected = question.plan.match, question.decision
        self._bot.write(stdio.decision_line(question))
        if self._bot.gone is not None and self.inbox.empty:
            self.inbox.put(self._bot.gone)

    def absence(self) -> Gone | None:
        """Return why the bot cannot answer now: gone, or stopped by a signal."""
        if self._bot.gone is None and self._bot.process.stopped:
            return STOPPED_PROCESS
        return self._bot.gone

    def reject(self, rejection: Rejection) -> None:
        """Send the rejection of an answer."""
        self._bot.write(stdio.rejected_line(rejection))

    def end(self, result: Result) -> None:
        """Send the result of the match."""
        self._bot.write(stdio.ended_line(result))
        self._bot.detach()
