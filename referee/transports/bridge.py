"""A bridge between a referee over gRPC and a bot that reads and writes lines.

It forwards every message. It keeps state only to reconnect: when the referee repeats a decision
after a reconnect, the bridge repeats the answer instead of asking the bot again.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import grpc
import orjson
from google.protobuf import json_format
from highstreet.v1 import play_pb2 as pb

from engine import HighstreetError
from referee.model import BotCommand
from referee.record import printable
from referee.sandbox import BotProcess
from referee.wire import messages, stdio

METHOD: Final = "/highstreet.v1.PlayService/Play"
FIRST_TRIES: Final = 6
"""Reconnect attempts if no referee was ever reached: for about 12 seconds."""
TRIES: Final = 300
"""Reconnect attempts once a referee was reached: for about an hour, the time of an update."""
_LEAVE: Final = pb.PlayRequest(leave=pb.Leave()).SerializeToString()
MAX_LINE: Final = 64 * 1024
MAX_BACKLOG: Final = 4 * 1024 * 1024
_RETRIED: Final = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL}
"""The status codes after which the bridge reconnects."""
_CHANNEL: Final = (
    ("grpc.keepalive_time_ms", 5000),
    ("grpc.keepalive_timeout_ms", 5000),
    ("grpc.http2.ping_timeout_ms", 5000),
)


class BridgeError(HighstreetError):
    """A connection that failed for good."""


class Bridge:
    """Forwards messages between a referee and a bot that it starts."""

    def __init__(
        self,
        target: str,
        token: str,
        certificate: bytes | None = None,
        tries: int = TRIES,
        bot_version: str = "",
    ) -> None:
        self._tries = tries
        self._target = target
        self._token = token
        self._bot_version = bot_version
        self._certificate = certificate
        self._resume_id = ""
        self._bot: BotProcess | None = None
        self._buffer = b""
        self._running: set[str] = set()
        """The matches under way."""
        self._open_decisions: dict[str, int] = {}
        """The open decision of each match under way."""
        self._answers: dict[str, bytes] = {}
        """The last answer in each match."""
        self._outbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._ended = asyncio.Event()
        self._leaving = asyncio.Event()
        self.matches = 0

    @property
    def playing(self) -> int:
        """The number of matches under way."""
        return len(self._running)

    def leave(self) -> None:
        """Request no more matches; ``run`` returns after those under way."""
        if not self._leaving.is_set():
            self._leaving.set()
            self._outbox.put_nowait(_LEAVE)

    async def run(self, command: BotCommand, stderr: Path | int | None = None) -> None:
        """Start the bot and play until the referee sends goodbye; raises BridgeError.

        The standard error of the bot goes to a file, to a file descriptor, or to /dev/null.
        """
        self._bot = await BotProcess.start(command, stderr=stderr, output=self)
        try:
            await self._play()
        finally:
            self._bot.end_input()
            await self._bot.end()

    # From the bot -------------------------------------------------------------------------------

    def on_output(self, data: bytes) -> None:
        """Forward every complete line."""
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            if line.strip():
                self._forward(line)
        if len(self._buffer) > MAX_LINE:
            self._buffer = b""  # a line without an end

    def on_output_closed(self) -> None:
        """Note that the bot has closed its output."""
        self._ended.set()

    def _forward(self, line: bytes) -> None:
        try:
            request = json_format.ParseDict(orjson.loads(line), pb.PlayRequest())
        except (ValueError, json_format.ParseError, AttributeError, TypeError, RecursionError):
            # The referee receives the line as an unreadable request, and answers with the problem.
            self._outbox.put_nowait(b"\xff" + line[:200])
            return
        kind, data = request.WhichOneof("message"), request.SerializeToString()
        if kind == "submit_move":
            self._answers[request.submit_move.match] = data
        if kind == "leave":
            self.leave()
        elif kind != "join":  # the bridge has joined already
            self._outbox.put_nowait(data)

    # From the referee ---------------------------------------------------------------------------

    async def _play(self) -> None:
        failures = 0
        while True:
            before = self._resume_id, self.matches
            try:
                # gRPC 1.85 lets a call hang for ever that begins while its channel loses the
                # connection: each stream has a channel of its own.
                async with self._channel() as channel:
                    await self._play_stream(channel)
            except grpc.aio.AioRpcError as error:
                if (self._resume_id, self.matches) != before:
                    failures = 0
                failures += 1
                if error.code() not in _RETRIED or failures > self._most_failures():
                    detail = printable(error.details() or "")
                    if not self._resume_id and error.code() is grpc.StatusCode.UNAVAILABLE:
                        detail += " Is the address right, and does the referee want TLS or not?"
                    raise BridgeError(
                        f"no conversation with {self._target}: {error.code().name}, {detail}"
                    ) from None
                await self._pause(0.1 * 2 ** min(failures, 7))
                if self._leaving.is_set() and not self._running:
                    return  # there is no match under way
            else:
                return

    def _most_failures(self) -> int:
        quick = self._leaving.is_set() or not self._resume_id
        return FIRST_TRIES if quick else self._tries

    async def _pause(self, seconds: float) -> None:
        """Wait before a reconnect; not if the bridge leaves and has no match under way."""
        if self._leaving.is_set() and self._running:
            await asyncio.sleep(seconds)
        else:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._leaving.wait()

    def _channel(self) -> grpc.aio.Channel:
        if self._certificate is None:
            return grpc.aio.insecure_channel(self._target, _CHANNEL)
        trusted = grpc.ssl_channel_credentials(self._certificate)
        return grpc.aio.secure_channel(self._target, trusted, _CHANNEL)

    async def _play_stream(self, channel: grpc.aio.Channel) -> None:
        """Play over one stream until goodbye or until it is cut."""
        call: Any = channel.stream_stream(METHOD)()
        join = pb.Join(
            token=self._token,
            protocol_version=messages.PROTOCOL_VERSION,
            resume_id=self._resume_id,
            bot_version=self._bot_version,
        )
        tasks: list[asyncio.Task[None]] = []
        try:
            await call.write(pb.PlayRequest(join=join).SerializeToString())
            if self._leaving.is_set():
                await call.write(_LEAVE)
            tasks = [
                asyncio.create_task(self._read(call)),
                asyncio.create_task(self._write(call)),
                asyncio.create_task(self._watch_bot()),
            ]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            call.cancel()

    async def _watch_bot(self) -> None:
        await self._ended.wait()
        assert self._bot is not None  # noqa: S101  it was started
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._bot.wait()
        raise BridgeError(f"the bot has closed its output: {self._bot.exit_note()}.")

    async def _write(self, call: Any) -> None:
        while True:
            await call.write(await self._outbox.get())

    async def _read(self, call: Any) -> None:
        while (data := await call.read()) is not grpc.aio.EOF:
            response = pb.PlayResponse.FromString(data)
            kind = response.WhichOneof("message")
            if kind == "welcome":
                self._resume_id = response.welcome.resume_id
            elif kind == "decision" and self._is_repeated(response.decision):
                continue
            elif kind == "match_started":
                if response.match_started.match in self._running:
                    continue  # repeated after a reconnect
                self._running.add(response.match_started.match)
                self.matches += 1
            elif kind == "move_rejected":
                self._answers.pop(response.move_rejected.match, None)  # not to be repeated
            elif kind == "match_ended":
                self._running.discard(response.match_ended.match)
                self._open_decisions.pop(response.match_ended.match, None)
                self._answers.pop(response.match_ended.match, None)
            assert self._bot is not None  # noqa: S101  as above
            self._bot.write(stdio.message_line(response), MAX_BACKLOG)
            if kind == "goodbye":
                return
        code = await call.code()
        if code is not grpc.StatusCode.OK:
            nothing = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(code, nothing, nothing, await call.details())

    def _is_repeated(self, decision: pb.Decision) -> bool:
        """Return whether a decision is repeated; if the bot has answered it, send that again."""
        if self._open_decisions.get(decision.match) != decision.decision_id:
            self._open_decisions[decision.match] = decision.decision_id
            self._answers.pop(decision.match, None)
            return False
        if decision.match in self._answers:
            self._outbox.put_nowait(self._answers[decision.match])
        return True


def program_files(command: BotCommand) -> list[Path]:
    """Return the files in a command: its program, and every argument that is a file."""
    folder = command.folder or Path()
    program, *arguments = command.arguments
    found = folder / program if "/" in program else Path(shutil.which(program) or program)
    return [found, *(path for word in arguments if (path := folder / word).is_file())]


def files_version(files: Sequence[Path]) -> str:
    """Return a default version of a bot: a hash of the contents of its files."""
    digests = b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)
    return hashlib.sha256(digests).hexdigest()[:12]
