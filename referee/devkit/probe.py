"""A bot under test, over either transport, and the test bench that starts it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

from referee.devkit.observations import shortened
from referee.devkit.relay import Relay
from referee.match import Gone, Inbox, Player
from referee.model import BotCommand, Fault, SandboxKind, Transport
from referee.record import printable
from referee.sandbox import Usage, combined, start_bot
from referee.transports import (
    BotNotConnectedError,
    BotProcess,
    GrpcPlayer,
    PipeBot,
    RefereeServer,
    Session,
    connecting,
    socket_path,
)
from referee.wire import stdio

GOODBYE: Final = "the check is over"


class Probe(Protocol):
    """A started bot under test."""

    process: BotProcess
    errors: Path
    matches: int
    """The number of matches that this process has begun."""

    async def join(self, seconds: float) -> str:
        """Wait until the bot is ready; return how it joined. Raises BotNotConnectedError."""
        ...

    def player(self) -> Player:
        """Return a player for the next match."""

    @property
    def has_connected(self) -> bool:
        """Whether the bot has opened a connection."""

    @property
    def absence(self) -> str | None:
        """Why the bot cannot play any more, if it cannot."""

    @property
    def max_matches(self) -> int:
        """The number of matches that the bot can play at once."""

    def joined_as_new_session(self) -> bool:
        """Return whether the bot has joined again without its resume id."""

    def send_goodbye(self) -> Inbox | None:
        """Send goodbye; return the inbox of its further output, for bots over pipes."""

    def output_open(self) -> bool:
        """Return whether a process still has the standard output of the bot open."""

    async def close(self) -> None:
        """End the process."""


class PipeProbe:
    """A bot that reads and writes lines."""

    max_matches: Final = 1
    has_connected: Final = False

    def __init__(self, bot: PipeBot, errors: Path, game: str) -> None:
        assert isinstance(bot.process, BotProcess)  # noqa: S101  every sandbox of today has one
        self.process = bot.process
        self.errors = errors
        self.matches = 0
        self._bot = bot
        self._game = game

    async def join(self, seconds: float) -> str:  # noqa: ARG002  there is nothing to wait for
        """Return at once: pipes need no join."""
        return "not needed over pipes"

    def player(self) -> Player:
        """Return a player for the next match."""
        return self._bot.player()

    @property
    def absence(self) -> str | None:
        """Why the bot cannot play any more, if it cannot."""
        if self._bot.gone is not None:
            return self._bot.gone.detail
        return exit_note(self.process)

    def joined_as_new_session(self) -> bool:
        """Return False: a bot over pipes does not join."""
        return False

    def send_goodbye(self) -> Inbox:
        """Send goodbye and close the input."""
        inbox = Inbox()
        self._bot.attach(self._game, inbox)
        self._bot.write(stdio.goodbye_line(GOODBYE))
        self.process.end_input()
        return inbox

    def output_open(self) -> bool:
        """Return whether the standard output is still open."""
        return self.process.output_open

    async def close(self) -> None:
        """End the process."""
        await self._bot.close()


class GrpcProbe:
    """A bot that connects over gRPC."""

    def __init__(
        self, process: BotProcess, errors: Path, entrant: str, server: RefereeServer, relay: Relay
    ) -> None:
        self.process = process
        self.errors = errors
        self.matches = 0
        self.session: Session | None = None
        self._entrant = entrant
        self._server = server
        self._relay = relay
        self._connections_before = relay.connections
        self._watching: asyncio.Task[None] | None = None

    async def join(self, seconds: float) -> str:
        """Wait until the bot has joined, as long as its process runs."""
        joining = asyncio.create_task(self._server.wait_for_bot(self._entrant))
        ending = asyncio.create_task(self.process.wait())
        done, waiting = await asyncio.wait(
            (joining, ending), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
        await _cancel(*waiting)
        if joining not in done:
            raise BotNotConnectedError(self._not_connected(seconds))
        self.session = session = joining.result()
        self._watching = asyncio.create_task(self._watch(session))
        version = f' version "{printable(session.bot_version, 40)}",' if session.bot_version else ""
        games = f" {', '.join(sorted(session.games))}," if session.games else ""
        return f"with its token,{version}{games} {session.max_matches} at once"

    def player(self) -> Player:
        """Return a player for the next match."""
        assert self.session is not None  # noqa: S101  it joins before it plays
        return GrpcPlayer(self.session)

    @property
    def has_connected(self) -> bool:
        """Whether the bot has opened a connection."""
        return self._relay.connections > self._connections_before

    @property
    def absence(self) -> str | None:
        """Why the bot cannot play any more, if it cannot."""
        if self.session is None or not self.session.connected:
            return exit_note(self.process) or "it has disconnected"
        return exit_note(self.process)

    @property
    def max_matches(self) -> int:
        """The number of matches that the bot can play at once."""
        return self.session.max_matches if self.session is not None else 1

    def joined_as_new_session(self) -> bool:
        """Return whether there is another session of this bot."""
        others = [s for s in self._server.sessions if s is not self.session]
        return any(session.entrant == self._entrant for session in others)

    def send_goodbye(self) -> None:
        """Send the last message."""
        if self.session is not None:
            self.session.send_goodbye(GOODBYE)

    def output_open(self) -> bool:
        """Return False: the output is a file."""
        return False

    async def close(self) -> None:
        """End the process."""
        if self._watching is not None:
            await _cancel(self._watching)
        self.send_goodbye()
        await self.process.end()

    def _not_connected(self, seconds: float) -> str:
        why = exit_note(self.process) or f"waited {seconds:g} s"
        if self.has_connected:
            return f"it dialled in, but did not join: {why}"
        return f"it did not dial HIGHSTREET_TARGET: {why}"

    async def _watch(self, session: Session) -> None:
        await self.process.wait()
        session.mark_gone(Gone(Fault.CRASH, self.process.exit_note()))


def exit_note(process: BotProcess) -> str | None:
    """Return how a process ended; None while it runs."""
    return None if process.returncode is None else process.exit_note()


def group_runs(process: BotProcess) -> bool:
    """Return whether a process of the group still runs."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, 0)
        return True
    return False


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await task


class CheckBench:
    """Starts the bot under test, with a server and a relay if it connects over gRPC."""

    def __init__(self, command: BotCommand, transport: Transport, game: str, folder: Path) -> None:
        self.relay: Relay | None = None
        self._command = command
        self._transport = transport
        self._game = game
        self._folder = folder
        self._server: RefereeServer | None = None
        self._started: list[Probe] = []
        self._resources = contextlib.ExitStack()

    async def __aenter__(self) -> Self:
        if self._transport is Transport.GRPC:
            self._server = RefereeServer()
            await self._server.start()
            self.relay = Relay(self._server.port)
            if self._command.sandbox.kind is SandboxKind.NONE:
                await self.relay.start()
            else:
                await self.relay.start_unix(self._resources.enter_context(socket_path()))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for probe in self._started:
            await probe.close()
        if self.relay is not None:
            await self.relay.close()
        if self._server is not None:
            await self._server.stop(grace=0.1)
        self._resources.close()

    @property
    def usage(self) -> Usage:
        """What all processes of the bot have used so far."""
        return combined(probe.process.usage() for probe in self._started)

    async def start(self) -> Probe:
        """Start a new process of the bot; raises BotStartError."""
        number = len(self._started) + 1
        errors = self._folder / f"bot-{number}.stderr.log"
        errors.touch()
        probe = await self._start(number, errors)
        self._started.append(probe)
        return probe

    async def _start(self, number: int, errors: Path) -> Probe:
        if self._server is None or self.relay is None:
            return PipeProbe(await PipeBot.start(self._command, errors), errors, self._game)
        entrant = f"bot-{number}"
        token = self._server.tokens.issue(entrant)
        process = await start_bot(
            connecting(self._command, self.relay.address, token), None, errors
        )
        assert isinstance(process, BotProcess)  # noqa: S101  every sandbox of today has one
        return GrpcProbe(process, errors, entrant, self._server, self.relay)


def standard_error(path: Path, lines: int = 6) -> list[str]:
    """Return the last lines of a standard error file for display, each shortened."""
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 16 * 1024))
        text = file.read().decode("utf-8", "replace")
    last = [shortened(line) for line in text.splitlines()[-lines:]]
    if len(last) < 2:
        return [f"its standard error: {line}" for line in last]
    return ["its standard error:", *(f"  {line}" for line in last)]
