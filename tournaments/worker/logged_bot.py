"""Processes of hosted bots with a log file each, of which every match keeps its part."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from referee.match import Gone, Player
from referee.model import BotSpec
from referee.transports import Bot, BotLauncher

MOST_READ: Final = 64 * 1024
"""The most bytes of the standard error of a match that are read, the last ones."""

KeepLog = Callable[[str, str], None]
"""Stores what a bot wrote in a match; called in a thread."""


@dataclass(slots=True, eq=False)
class _Part:
    """The part of a log that belongs to a match."""

    match: str
    begin: int
    """Where it begins in the file."""
    keep: KeepLog
    kept: str = ""
    """What was stored of it."""


class LoggedBot:
    """A bot process, and what it writes to its standard error in each match."""

    def __init__(self, bot: Bot, log: Path, most_bytes: int) -> None:
        """Take the log file of the process, which the sandbox closes at a size."""
        self.name = bot.name
        self._bot = bot
        self._log = log
        self._most_bytes = most_bytes
        self._part: _Part | None = None
        """The part of the last match."""
        self._keeping = asyncio.Lock()

    # What a pool needs ---------------------------------------------------------------------------

    def player(self) -> Player:
        """Return a player for the next match."""
        return self._bot.player()

    @property
    def games(self) -> frozenset[str]:
        """The games that it named."""
        return self._bot.games

    @property
    def gone(self) -> Gone | None:
        """Why it cannot play any more, if it cannot."""
        return self._bot.gone

    @property
    def disconnected(self) -> bool:
        """Whether its output or its connection is closed."""
        return self._bot.disconnected

    @property
    def killed(self) -> bool:
        """Whether the sandbox itself was ended by SIGKILL, which a bot cannot do."""
        return self._bot.killed

    async def close(self) -> None:
        """End the process, keep the rest of its log, and remove the file."""
        try:
            await self._bot.close()
            await self.end_match()
        finally:
            self._log.unlink(missing_ok=True)

    # The log -------------------------------------------------------------------------------------

    def begin(self, match: str, keep: KeepLog) -> None:
        """Note that a match begins, and how its part of the log is stored."""
        # The first match has what the bot wrote while it started.
        self._part = _Part(match, self._size() if self._part else 0, keep)

    def end_match(self) -> Coroutine[Any, Any, None]:
        """Return the work of storing what the bot wrote in its last match until now."""
        return self._keep(self._part, self._size())

    async def _keep(self, part: _Part | None, end: int) -> None:
        if part is None:
            return
        async with self._keeping:
            text = await asyncio.to_thread(self._read, part.begin, end)
            if text != part.kept:
                part.kept = text
                await asyncio.to_thread(part.keep, part.match, text)

    @property
    def log_is_short(self) -> bool:
        """Whether the log has space for another match before the sandbox closes it."""
        return self._size() <= self._most_bytes // 2

    def _size(self) -> int:
        with contextlib.suppress(OSError):
            return self._log.stat().st_size
        return 0

    def _read(self, begin: int, end: int) -> str:
        try:
            with self._log.open("rb") as file:
                file.seek(max(begin, end - MOST_READ))
                return file.read(end - file.tell()).decode(errors="replace")
        except OSError:
            return ""


@dataclass(slots=True)
class LoggingLauncher:
    """Starts bots, each process with a log file of its own."""

    folder: Path
    most_bytes: int
    """The size at which the sandbox closes a log."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def launch(self, spec: BotSpec) -> LoggedBot:
        """Start a bot; raises BotStartError and BotNotConnectedError."""
        name = f"process-{next(self._numbers)}"
        path = self.folder / f"{name}.stderr.log"
        try:
            bot = await BotLauncher(None, self.folder).launch(replace(spec, name=name))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return LoggedBot(bot, path, self.most_bytes)
