"""Bots ready to play, and the launcher that starts them or waits for their connection."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from engine import UsageError
from referee.match import Gone, Player
from referee.model import BotCommand, BotSpec, Fault, SandboxKind, Transport
from referee.sandbox import RunningBot, start_bot
from referee.transports.bot_socket import SandboxServer, connecting
from referee.transports.grpc_server import RefereeServer
from referee.transports.grpc_session import GrpcPlayer, Session
from referee.transports.pipe import PipeBot

QUIET: Final = 0.05
"""A bot in a sandbox that has joined is seated after it has used no CPU time for that long."""
SETTLING: Final = 1.0
"""How long to wait for that, in seconds."""


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
        process: RunningBot | None = None,
        resources: AsyncExitStack | None = None,
    ) -> None:
        """Take the process, and what is to be closed with the bot: the process too."""
        self.name = name
        self._session = session
        self._process = process
        self._resources = resources or AsyncExitStack()
        if process is not None:
            session.process_stopped = lambda: process.stopped
            session.sandbox = process if process.description else None
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
        await self._resources.aclose()

    async def _watch(self, process: RunningBot) -> None:
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
        if spec.transport is Transport.GRPC:
            return await self._launch_grpc(spec, self._command(spec))
        server = self._shared_server(spec)
        self.announce(spec, server.address, server.tokens.issue(spec.name))
        return await self.wait_for_remote(spec)

    async def _launch_grpc(self, spec: BotSpec, command: BotCommand) -> Bot:
        """Start a bot that connects: over the network, or from a sandbox to a server of its own."""
        resources = AsyncExitStack()
        try:
            if command.sandbox.kind is SandboxKind.NONE:
                server = self._shared_server(spec)
            else:
                server = await resources.enter_async_context(SandboxServer())
            token = server.tokens.issue(spec.name)
            command = connecting(command, server.address, token, self.certificate)
            process = await start_bot(command, None, self._log(spec))
            try:
                session = await self._wait_for_started(spec, server, process, token)
                if process.description:
                    await _settle(process)
            except BaseException:
                server.tokens.revoke(token)
                await process.end(grace=0)
                raise
            resources.push_async_callback(process.end)
            resources.callback(server.tokens.revoke, token)
        except BaseException:
            await resources.aclose()
            raise
        return _GrpcBot(spec.name, session, process, resources)

    async def wait_for_remote(self, spec: BotSpec) -> Bot:
        """Wait for the connection of a remote bot, for the first time or after a disconnect."""
        server = self._shared_server(spec)
        return _GrpcBot(spec.name, await self._wait_for(spec, server, self.remote_seconds))

    def _shared_server(self, spec: BotSpec) -> RefereeServer:
        if self.server is None:
            raise UsageError(f"{spec.name} connects over gRPC, but no server is running.")
        return self.server

    def _command(self, spec: BotSpec) -> BotCommand:
        if spec.command is None:
            raise UsageError(f"{spec.name} has no command to start it with.")
        return spec.command

    def _log(self, spec: BotSpec) -> Path | None:
        return self.log_folder / f"{spec.name}.stderr.log" if self.log_folder else None

    async def _wait_for_started(
        self, spec: BotSpec, server: RefereeServer, process: RunningBot, token: str
    ) -> Session:
        """Wait for the connection of a started bot, as long as its process runs."""
        ending = asyncio.create_task(process.wait())
        joining = asyncio.create_task(self._wait_for(spec, server, self.connect_seconds, token))
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
        self,
        spec: BotSpec,
        server: RefereeServer,
        seconds: float | None,
        token: str | None = None,
    ) -> Session:
        try:
            async with asyncio.timeout(seconds):
                return await server.wait_for_bot(spec.name, token)
        except TimeoutError:
            raise BotNotConnectedError(
                f"{spec.name} did not dial in within {seconds:g} seconds."
            ) from None


async def _settle(process: RunningBot) -> None:
    """Let a bot that has joined finish its side of the set-up before it can be frozen.

    Its library has timers for what it waits to read, and they run on while it is frozen.
    """
    used = -1.0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SETTLING):
            while (now := process.cpu_seconds()) != used:
                used = now
                await asyncio.sleep(QUIET)
