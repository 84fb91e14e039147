"""Bots that the server starts on its machine, and starts again whenever they end."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from engine import UsageError
from referee.model import BotCommand
from referee.transports import BotProcess, BotStartError
from tournaments.bot_commands import SAMPLES, sample_command, split_command
from tournaments.model import HOUSE, LeagueError, NotFoundError, check_name, check_slug
from tournaments.server.authenticator import LeagueAuthenticator
from tournaments.store import Store, StoreError

log = logging.getLogger(__name__)

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 30.0
HEALTHY: Final = 60.0
"""A bot that ran for this long, in seconds, is started again after the first pause."""


@dataclass(frozen=True, slots=True)
class ManagedBot:
    """A bot that the server runs for an entrant."""

    league: str
    name: str
    command: BotCommand

    @property
    def log_name(self) -> str:
        """The name of the file for its standard error, unique among bots."""
        plain = re.sub(r"[^A-Za-z0-9._+-]", "_", self.name)
        if plain != self.name:
            plain += f"-{sha256(self.name.encode()).hexdigest()[:16]}"
        return f"{self.league}.{plain}.log"


def read_managed_bot(text: str) -> ManagedBot:
    """Read LEAGUE/NAME=COMMAND; the command may be the name of a sample bot."""
    place, equals, command = text.partition("=")
    league, slash, name = place.partition("/")
    words = split_command(command)
    if not (equals and slash and words):
        raise UsageError(
            f'cannot read --house "{text}": write it as LEAGUE/NAME=COMMAND, such as '
            '"spring/greedy=greedy".'
        )
    check_slug(league)
    check_name(name)
    known = len(words) == 1 and words[0] in SAMPLES
    return ManagedBot(league, name, sample_command(words[0]) if known else BotCommand(words))


class ManagedBots:
    """Keeps managed bots running."""

    def __init__(
        self,
        authenticator: LeagueAuthenticator,
        store: Store,
        target: str,
        logs: Path | None,
    ) -> None:
        self._authenticator = authenticator
        self._store = store
        self._target = target
        self._logs = logs
        self._keepers: list[asyncio.Task[None]] = []
        self._running: dict[tuple[str, str], ManagedBot] = {}

    def start(self, bots: Sequence[ManagedBot]) -> None:
        """Start all of them."""
        self._running.update({(bot.league, bot.name): bot for bot in bots})
        self._keepers += [asyncio.create_task(self._keep(bot)) for bot in bots]

    def log_of(self, league: str, name: str) -> Path | None:
        """Return the log file of a managed bot; None for any other bot."""
        bot = self._running.get((league, name))
        return None if bot is None or self._logs is None else self._logs / bot.log_name

    async def stop(self) -> None:
        """End all of them."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    async def _keep(self, bot: ManagedBot) -> None:
        """Run a bot again and again, with longer pauses while it ends early."""
        loop, pause = asyncio.get_running_loop(), FIRST_PAUSE
        about = {"league": bot.league, "entrant": bot.name}
        while True:
            began = loop.time()
            try:
                await asyncio.to_thread(self._enter, bot)
                note = await self._run(bot)
            except (LeagueError, StoreError, BotStartError) as error:
                note = str(error)
            note = note.rstrip(".")
            if loop.time() - began > HEALTHY:
                pause = FIRST_PAUSE
            log.warning(
                "house bot %s/%s: %s; it is started again in %g s",
                bot.league,
                bot.name,
                note,
                pause,
                extra=about,
            )
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, 2 * pause)

    def _enter(self, bot: ManagedBot) -> None:
        """Enter a bot that is not entered yet, without keeping its token; runs in a thread."""
        try:
            self._store.entrant(bot.league, bot.name)
        except NotFoundError:
            self._store.enter(bot.league, bot.name, HOUSE)

    async def _run(self, bot: ManagedBot) -> str:
        """Run a bot to its end; return how it ended."""
        stderr = self._logs / bot.log_name if self._logs is not None else None
        process = await BotProcess.start(bot.command, stderr=stderr, extra=self._environment(bot))
        try:
            await process.wait()
            return process.exit_note()
        finally:
            await process.end(grace=0)

    def _environment(self, bot: ManagedBot) -> Mapping[str, str]:
        token = self._authenticator.issue(bot.league, bot.name)
        return {"HIGHSTREET_TARGET": self._target, "HIGHSTREET_TOKEN": token}
