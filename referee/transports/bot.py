"""Bots ready to play, and the launcher that starts them or waits for their connection."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from engine import UsageError
from referee.match import Gone, Player
from referee.model import BotCommand, BotSpec, Fault, SandboxKind, Transport
from referee.sandbox import BotProcess
from referee.transports.grpc_server import RefereeServer
from referee.transports.grpc_session import GrpcPlayer, Session
from referee.transports.pipe import PipeBot


class BotNotConnectedError(UsageError):
    """A bot that did not connect, or whose process ended before it did."""

    def __init__(self, message: str, *, killed: bool = False) -> None:
        super().__init__(message)
        self.killed = killed
        """Whether its process was ended by SIGKILL meanwhile."""


class Bot(Protocol):
    """A bot that plays one match after the other."""

    name: str

    def player(self) -> Player:
        """Return a player for the next match."""

    @property
    def games(self) -> frozenset[str]:
        """The games that the bot plays, from its join; the empty set means all."""

    @property
    def gone(self) -> Gone | None:
        """Why the bot cannot play any more, if it cannot."""

    @property
    def disconnected(self) -> bool:
        """Whether the bot is disconnected at this moment; it may reconnect."""

    @property
    def killed(self) -> bool:
        """Whether its process was ended by SIGKILL, which is rarely its own fault."""

    async def close(self) -> None:
        """Send goodbye, and end the process that was started for the bot."""


class _GrpcBot:
    """A session, and its process if the referee started it."""

    def __init__(
        self,
        name: str,
        session: Session,
        process: BotProcess | None,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self._session = session
        self._process = process
        self._on_close = on_close
        if process is not None:
            session.process_stopped = lambda: process.stopped
        self._watching = asyncio.create_task(self._watch(process)) if process else None

    def player(self) -> Player:
        return GrpcPlayer(self._session)

    @property
    def games(self) -> frozenset[str]:
        return self._session.games

    @property
    def gone(self) -> Gone | None:
        return self._session.gone

    @property
    def disconnected(self) -> bool:
        return not self._session.connected

    @property
    def killed(self) -> bool:
        return self._process is not None and self._process.was_killed

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        self._session.send_goodbye("there is nothing more to play")
        self._on_close()
        if self._process is not None:
            await self._process.end()

    async def _watch(self, process: BotProcess) -> None:
        """Give the bot up as soon as its process ends."""
        await process.wait()
        self._session.mark_gone(Gone(Fault.CRASH, process.exit_note()))


Announce = Callable[[BotSpec, str, str], None]
"""Called for a remote bot with the bot, the address of the server and the token."""


@dataclass(slots=True)
class BotLauncher:
    """Starts bots, or waits until remote bots have connected to the server."""

    server: RefereeServer | None
    log_folder: Path | None = None
    connect_seconds: float = 30.0
    remote_seconds: float | None = None
    announce: Announce = lambda _spec, _address, _token: None
    certificate: Path | None = None
    """Passed to started gRPC bots as HIGHSTREET_CA, if the server has TLS."""

    async def launch(self, spec: BotSpec) -> Bot:
        """Start a bot, or wait for its connection, and return it ready to play."""
        if spec.transport is Transport.PIPE:
            return await PipeBot.start(self._command(spec), self._log(spec), spec.name)
        if spec.command is not None and spec.command.sandbox.kind is not SandboxKind.NONE:
            raise UsageError(
                f"{spec.name} runs in a sandbox, which has no network: let it use the transport "
                "pipe."
            )
        if self.server is None:
            raise UsageError(f"{spec.name} connects over gRPC, but no server is running.")
        token = self.server.tokens.issue(spec.name)
        if spec.transport is Transport.REMOTE:
            self.announce(spec, self.server.address, token)
            return await self.wait_for_remote(spec)
        process = await self._start(spec, token)
        try:
            session = await self._wait_for_started(spec, process, token)
        except BaseException:
            self.server.tokens.revoke(token)
            await process.end(grace=0)
            raise
        return _GrpcBot(spec.name, session, process, partial(self.server.tokens.revoke, token))

    async def wait_for_remote(self, spec: BotSpec) -> Bot:
        """Wait for the connection of a remote bot, for the first time or after a disconnect."""
        return _GrpcBot(spec.name, await self._wait_for(spec, self.remote_seconds), None)

    def _command(self, spec: BotSpec) -> BotCommand:
        if spec.command is None:
            raise UsageError(f"{spec.name} has no command to start it with.")
        return spec.command

    def _log(self, spec: BotSpec) -> Path | None:
        return self.log_folder / f"{spec.name}.stderr.log" if self.log_folder else None

    async def _start(self, spec: BotSpec, token: str) -> BotProcess:
        assert self.server is not None  # noqa: S101  checked before
        extra = {"HIGHSTREET_TARGET": self.server.address, "HIGHSTREET_TOKEN": token}
        if self.certificate is not None:
            extra["HIGHSTREET_CA"] = str(self.certificate)
        return await BotProcess.start(self._command(spec), stderr=self._log(spec), extra=extra)

    async def _wait_for_started(self, spec: BotSpec, process: BotProcess, token: str) -> Session:
        """Wait for the connection of a started bot, as long as its process runs."""
        ending = asyncio.create_task(process.wait())
        joining = asyncio.create_task(self._wait_for(spec, self.connect_seconds, token))
        try:
            await asyncio.wait([ending, joining], return_when=asyncio.FIRST_COMPLETED)
            if joining.done():
                return joining.result()
            raise BotNotConnectedError(
                f"{spec.name} did not dial in: {process.exit_note()}.", killed=process.was_killed
            )
        finally:
            for task in (ending, joining):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, BotNotConnectedError):
                    await task

    async def _wait_for(
        self, spec: BotSpec, seconds: float | None, token: str | None = None
    ) -> Session:
        assert self.server is not None  # noqa: S101  checked before
        try:
            async with asyncio.timeout(seconds):
                return await self.server.wait_for_bot(spec.name, token)
        except TimeoutError:
            raise BotNotConnectedError(
                f"{spec.name} did not dial in within {seconds:g} seconds."
            ) from None
