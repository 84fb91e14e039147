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
LAST_BREATH: Final = 2.0
"""How long a process that has closed its output may take to end, in seconds.

A machine that is busy tells late how a process ended; whether it was killed must not be missed.
"""
MAX_BACKLOG: Final = 4 * 1024 * 1024
"""How much may wait for a bot that does not read."""


class PipeBot:
    """A process with which one match after the other is played."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._bot: BotProcess | None = None
        self._inbox: Inbox | None = None
        self._game = ""
        self._heard = b""
        """What the bot wrote, as far as nobody has taken it in yet."""
        self._heard_at = 0.0
        self._skipping = False
        """Whether the rest of a line that is too long is being dropped."""
        self._idle_lines = 0
        self._silent = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self.gone: Gone | None = None

    @classmethod
    async def start(cls, command: BotCommand, stderr: Path | None = None) -> PipeBot:
        """Start the command; raises BotStartError."""
        bot = cls()
        bot._bot = await BotProcess.start(command, stderr=stderr, listener=bot)
        bot._watching = asyncio.create_task(bot._watch())
        return bot

    @property
    def process(self) -> BotProcess:
        """The process behind this bot."""
        assert self._bot is not None  # noqa: S101  it was started
        return self._bot

    def sit_down(self, game: str, inbox: Inbox) -> None:
        """Send what comes in from now on to the inbox of a match."""
        self._game, self._inbox = game, inbox
        self._idle_lines = 0
        self._take_in()

    def stand_up(self) -> None:
        """Listen to nobody until the next match."""
        inbox, self._inbox = self._inbox, None
        if inbox is not None:
            inbox.close()

    def write(self, line: bytes) -> None:
        """Send a line, unless the bot has stopped reading."""
        if self.gone is None:
            self.process.write(line, MAX_BACKLOG)

    # What the process says.

    def heard(self, data: bytes) -> None:
        """Take in what the bot wrote, or let it wait there."""
        self._heard_at = self._loop.time()
        self._heard = self._heard + data if self._heard else data
        self._take_in()

    def output_ended(self) -> None:
        """Note that nothing more will come."""
        self._silent.set()

    def _take_in(self) -> None:
        """Take in line by line, as long as somebody listens and has room for it.

        Behind a line that has to wait, nothing more is read: never more is kept here than was
        read at once.
        """
        data, start = self._heard, 0
        while (end := data.find(b"\n", start)) >= 0:
            if not self._skipping and not self._take_line(data[start:end]):
                break
            self._skipping = False
            start = end + 1
        self._heard = data[start:]
        if end < 0 and len(self._heard) > MAX_LINE:
            if not self._skipping and not self._take_line(self._heard):
                end = 0
            else:
                self._heard, self._skipping = b"", True
        if self._bot is not None:
            self._bot.listen(on=end < 0)

    def _take_line(self, line: bytes) -> bool:
        """Take in a line; it has to wait if nobody listens, or nobody has room for it."""
        inbox = self._inbox
        if not line or line.isspace():
            return True
        if inbox is None:
            self._idle_lines += 1  # said between two matches, and meant for neither
            return self._idle_lines <= IDLE_LINES
        if inbox.full:
            inbox.when_room(self._take_in)
            return False
        if len(line) > MAX_LINE:
            problem = f"this line is longer than {MAX_LINE} bytes."
            said = line[:200].decode("utf-8", "replace")
            answer: Answer | None = Unreadable(problem, said, self._heard_at)
        else:
            answer = stdio.read_line(line, self._game, self._heard_at)
        if answer is not None:
            inbox.put(answer)
        return True

    async def _watch(self) -> None:
        """Notice that the bot has ended, or has closed its output.

        One follows the other soon, unless a child keeps the output open or nobody reads it.
        """
        ended = asyncio.create_task(self.process.wait())
        signs = [ended, asyncio.create_task(self._silent.wait())]
        try:
            await asyncio.wait(signs, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait(signs, timeout=LAST_WORDS if ended.done() else LAST_BREATH)
        finally:
            for sign in signs:
                sign.cancel()
        self.gone = Gone(Fault.CRASH, f"no more output: {self.process.exit_note()}")
        if self._inbox is not None:
            self._inbox.put(self.gone)

    async def close(self, reason: str = "there is nothing more to play", grace: float = 1) -> None:
        """Say goodbye and end the process with everything that it started."""
        self.write(stdio.goodbye_line(reason))
        self.process.end_input()
        await self.process.end(grace)
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)


class PipePlayer:
    """A pipe bot at a seat of one match."""

    def __init__(self, bot: PipeBot) -> None:
        self._bot = bot
        self.inbox = Inbox()

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Tell the bot that it is seated."""
        self._bot.sit_down(plan.game.spec.name, self.inbox)
        self._bot.write(stdio.started_line(plan, seat, commitment(plan.seed, plan.salt)))

    def ask(self, question: Question) -> None:
        """Put a question."""
        self._bot.write(stdio.decision_line(question))
        if self._bot.gone is not None and self.inbox.empty:
            self.inbox.put(self._bot.gone)

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
