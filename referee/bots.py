"""Bots as an organiser names them, brought to the table by whatever transport they use."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Protocol

from engine import UsageError
from referee.pipe import PipeBot, PipePlayer
from referee.player import Chooser, Gone, InProcessPlayer, Player
from referee.policy import Fault
from referee.processes import BotCommand, BotProcess
from referee.server import GrpcPlayer, RefereeServer, Session


class Transport(StrEnum):
    """How a bot is spoken with."""

    PIPE = "pipe"
    """Started by us, lines of JSON over its standard streams."""
    GRPC = "grpc"
    """Started by us, dials in over gRPC."""
    REMOTE = "remote"
    """Started by somebody else, dials in over gRPC."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot before it is there."""

    name: str
    transport: Transport
    command: BotCommand | None = None
    """How to start it; nothing for a remote bot."""


class NoShowError(UsageError):
    """A bot that did not come to the table."""

    def __init__(self, message: str, *, killed: bool = False) -> None:
        super().__init__(message)
        self.killed = killed
        """Whether its process was ended by SIGKILL on the way."""


class Bot(Protocol):
    """A bot that is there, for one match after the other."""

    name: str

    def player(self) -> Player:
        """Return the bot at a seat of its next match."""

    @property
    def games(self) -> frozenset[str]:
        """The games that the bot says it plays; none means all."""

    @property
    def gone(self) -> Gone | None:
        """Why the bot cannot play any more, if it cannot."""

    @property
    def away(self) -> bool:
        """Whether the bot is not there at this moment, though it may come back."""

    @property
    def killed(self) -> bool:
        """Whether its process was ended by SIGKILL, which is rarely its own doing."""

    async def close(self) -> None:
        """Send the bot away, and end what was started for it."""


class LocalBot:
    """A Python callable as a bot, for tests and experiments."""

    def __init__(self, name: str, choose: Chooser) -> None:
        self.name = name
        self._choose = choose

    def player(self) -> Player:
        """Return the callable at a seat."""
        return InProcessPlayer(self._choose)

    @property
    def games(self) -> frozenset[str]:
        """Say that it plays all."""
        return frozenset()

    @property
    def gone(self) -> Gone | None:
        """Say that it is here."""
        return None

    @property
    def away(self) -> bool:
        """Say that it is here."""
        return False

    @property
    def killed(self) -> bool:
        """Say that it is here."""
        return False

    async def close(self) -> None:
        """Do nothing."""


class _PipeSeat:
    def __init__(self, name: str, bot: PipeBot) -> None:
        self.name = name
        self._bot = bot

    def player(self) -> Player:
        return PipePlayer(self._bot)

    @property
    def games(self) -> frozenset[str]:
        return frozenset()  # it does not join, and so does not say

    @property
    def gone(self) -> Gone | None:
        return self._bot.gone

    @property
    def away(self) -> bool:
        return self._bot.gone is not None

    @property
    def killed(self) -> bool:
        return self._bot.process.was_killed

    async def close(self) -> None:
        await self._bot.close()


class _GrpcSeat:
    """A session, and its process if we started it."""

    def __init__(
        self,
        name: str,
        session: Session,
        process: BotProcess | None,
        hand_back: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self._session = session
        self._process = process
        self._hand_back = hand_back
        self._watch = asyncio.create_task(self._watch_process()) if process else None

    def player(self) -> Player:
        return GrpcPlayer(self._session)

    @property
    def games(self) -> frozenset[str]:
        return self._session.games

    @property
    def gone(self) -> Gone | None:
        return self._session.gone

    @property
    def away(self) -> bool:
        return not self._session.connected

    @property
    def killed(self) -> bool:
        return self._process is not None and self._process.was_killed

    async def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._session.say_goodbye("there is nothing more to play")
        self._hand_back()
        if self._process is not None:
            await self._process.end()

    async def _watch_process(self) -> None:
        """Tell the table at once when the process ends; it will not come back."""
        assert self._process is not None  # noqa: S101  only then is there something to watch
        await self._process.wait()
        self._session.lose(Gone(Fault.CRASH, self._process.exit_note()))


Announce = Callable[[BotSpec, str, str], None]
"""Told for a remote bot: the bot, the address and the token."""


@dataclass(slots=True)
class Stage:
    """Where bots are brought from: a server for those that dial in, a folder for their errors."""

    server: RefereeServer | None
    log_folder: Path | None = None
    arrival_seconds: float = 30.0
    remote_seconds: float | None = None
    announce: Announce = lambda _spec, _address, _token: None
    certificate: Path | None = None
    """Given to started gRPC bots as HIGHSTREET_CA, when the server has TLS."""

    async def bring(self, spec: BotSpec) -> Bot:
        """Start a bot, or wait for it, and return it ready to play."""
        if spec.transport is Transport.PIPE:
            return _PipeSeat(spec.name, await PipeBot.start(self._command(spec), self._log(spec)))
        if self.server is None:
            raise UsageError(f"{spec.name} dials in over gRPC, but no server is running.")
        token = self.server.tokens.issue(spec.name)
        if spec.transport is Transport.REMOTE:
            self.announce(spec, self.server.address, token)
            return _GrpcSeat(spec.name, await self._arrival(spec, self.remote_seconds), None)
        process = await self._dial_in(spec, token)
        try:
            session = await self._arrival_of(spec, process, token)
        except BaseException:
            self.server.tokens.revoke(token)
            await process.end(grace=0)
            raise
        return _GrpcSeat(spec.name, session, process, partial(self.server.tokens.revoke, token))

    async def bring_back(self, spec: BotSpec) -> Bot:
        """Wait for a remote bot that was here before; started anew it is another session."""
        return _GrpcSeat(spec.name, await self._arrival(spec, self.remote_seconds), None)

    def _command(self, spec: BotSpec) -> BotCommand:
        if spec.command is None:
            raise UsageError(f"{spec.name} has no command with which to start it.")
        return spec.command

    def _log(self, spec: BotSpec) -> Path | None:
        return self.log_folder / f"{spec.name}.stderr.log" if self.log_folder else None

    async def _dial_in(self, spec: BotSpec, token: str) -> BotProcess:
        assert self.server is not None  # noqa: S101  asked for before
        extra = {"HIGHSTREET_TARGET": self.server.address, "HIGHSTREET_TOKEN": token}
        if self.certificate is not None:
            extra["HIGHSTREET_CA"] = str(self.certificate)
        return await BotProcess.start(self._command(spec), stderr=self._log(spec), extra=extra)

    async def _arrival_of(self, spec: BotSpec, process: BotProcess, token: str) -> Session:
        """Wait for a bot that we started; one that ends before it comes will not come."""
        ending = asyncio.create_task(process.wait())
        coming = asyncio.create_task(self._arrival(spec, self.arrival_seconds, token))
        try:
            await asyncio.wait([ending, coming], return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                return coming.result()
            raise NoShowError(
                f"{spec.name} did not dial in: {process.exit_note()}.", killed=process.was_killed
            )
        finally:
            for task in (ending, coming):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, NoShowError):
                    await task

    async def _arrival(
        self, spec: BotSpec, patience: float | None, token: str | None = None
    ) -> Session:
        assert self.server is not None  # noqa: S101  asked for before
        try:
            async with asyncio.timeout(patience):
                return await self.server.arrival(spec.name, token)
        except TimeoutError:
            raise NoShowError(f"{spec.name} did not dial in within {patience:g} seconds.") from None
