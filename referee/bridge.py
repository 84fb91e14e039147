"""A bridge for bots that only read and write lines: to the referee it is a bot that dials in.

Every message is passed on as it comes. Only what a cut connection needs is kept here: a decision
that comes again is not put to the bot a second time, its answer is repeated instead.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any, Final

import grpc
import orjson
from google.protobuf import json_format
from highstreet.v1 import play_pb2 as pb

from engine import HighstreetError
from referee.processes import BotCommand, BotProcess
from referee.record import printable
from referee.wire import messages, stdio

METHOD: Final = "/highstreet.v1.PlayService/Play"
ATTEMPTS: Final = 6
"""How often in a row the bridge tries to reach somebody whom it has never reached."""
TRIES: Final = 300
"""How often it tries to come back: for about an hour, since a server may be updated."""
PAUSE: Final = 0.2
MAX_LINE: Final = 64 * 1024
MAX_BACKLOG: Final = 4 * 1024 * 1024
_AGAIN: Final = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL}
"""How a stream ends that can be taken up again."""
_CHANNEL: Final = (
    ("grpc.keepalive_time_ms", 5000),
    ("grpc.keepalive_timeout_ms", 5000),
    ("grpc.http2.ping_timeout_ms", 5000),
    ("grpc.max_reconnect_backoff_ms", 1000),
)


class BridgeError(HighstreetError):
    """A bridge that cannot be kept up."""


class Bridge:
    """Carries messages between a referee and a bot that we start."""

    def __init__(
        self, target: str, token: str, certificate: bytes | None = None, tries: int = TRIES
    ) -> None:
        self._tries = tries
        self._target = target
        self._token = token
        self._certificate = certificate
        self._resume_id = ""
        self._bot: BotProcess | None = None
        self._heard = b""
        self._begun: set[str] = set()
        """The matches that the bot is playing."""
        self._asked: dict[str, int] = {}
        """The open decision of each match that the bot is playing."""
        self._answers: dict[str, bytes] = {}
        """The last answer in each match."""
        self._outbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._ended = asyncio.Event()
        self.matches = 0

    async def run(self, command: BotCommand, stderr: Path | None = None) -> None:
        """Start the bot and play until the referee says goodbye; raises BridgeError."""
        self._bot = await BotProcess.start(command, stderr=stderr, listener=self)
        try:
            await self._play()
        finally:
            self._bot.end_input()
            await self._bot.end()

    # What the bot says --------------------------------------------------------------------------

    def heard(self, data: bytes) -> None:
        """Pass on every whole line."""
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            if line.strip():
                self._pass_on(line)
        if len(self._heard) > MAX_LINE:
            self._heard = b""  # nobody could read it, and there is no end to it

    def output_ended(self) -> None:
        """Note that the bot says nothing more."""
        self._ended.set()

    def _pass_on(self, line: bytes) -> None:
        try:
            request = json_format.ParseDict(orjson.loads(line), pb.PlayRequest())
        except (ValueError, json_format.ParseError, AttributeError, TypeError, RecursionError):
            # The referee shall see what the bot said, and say what is wrong with it.
            self._outbox.put_nowait(b"\xff" + line[:200])
            return
        data = request.SerializeToString()
        if request.WhichOneof("message") == "submit_move":
            self._answers[request.submit_move.match] = data
        if request.WhichOneof("message") != "join":  # that is the bridge's business
            self._outbox.put_nowait(data)

    # What the referee says ----------------------------------------------------------------------

    async def _play(self) -> None:
        failures = 0
        async with self._channel() as channel:
            while True:
                before = self._resume_id, self.matches
                try:
                    await self._converse(channel)
                except grpc.aio.AioRpcError as error:
                    if (self._resume_id, self.matches) != before:
                        failures = 0
                    failures += 1
                    most = self._tries if self._resume_id else ATTEMPTS
                    if error.code() not in _AGAIN or failures > most:
                        said = printable(error.details() or "")
                        if not self._resume_id and error.code() is grpc.StatusCode.UNAVAILABLE:
                            said += " Is the address right, and does the referee want TLS or not?"
                        raise BridgeError(
                            f"no conversation with {self._target}: {error.code().name}, {said}"
                        ) from None
                    await asyncio.sleep(PAUSE * 2 ** min(failures, ATTEMPTS))
                else:
                    return

    def _channel(self) -> grpc.aio.Channel:
        if self._certificate is None:
            return grpc.aio.insecure_channel(self._target, _CHANNEL)
        trusted = grpc.ssl_channel_credentials(self._certificate)
        return grpc.aio.secure_channel(self._target, trusted, _CHANNEL)

    async def _converse(self, channel: grpc.aio.Channel) -> None:
        """Play over one stream, to the goodbye or until it is cut."""
        call: Any = channel.stream_stream(METHOD)()
        join = pb.Join(
            token=self._token,
            protocol_version=messages.PROTOCOL_VERSION,
            resume_id=self._resume_id,
            bot_version="bridge",
        )
        tasks: list[asyncio.Task[None]] = []
        try:
            await call.write(pb.PlayRequest(join=join).SerializeToString())
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
            elif kind == "decision" and self._was_asked(response.decision):
                continue
            elif kind == "match_started":
                if response.match_started.match in self._begun:
                    continue  # it comes again after a cut, and the bot has it
                self._begun.add(response.match_started.match)
                self.matches += 1
            elif kind == "move_rejected":
                self._answers.pop(response.move_rejected.match, None)  # never again
            elif kind == "match_ended":
                self._begun.discard(response.match_ended.match)
                self._asked.pop(response.match_ended.match, None)
                self._answers.pop(response.match_ended.match, None)
            assert self._bot is not None  # noqa: S101  as above
            self._bot.write(stdio.message_line(response), MAX_BACKLOG)
            if kind == "goodbye":
                return
        code = await call.code()
        if code is not grpc.StatusCode.OK:
            nothing = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(code, nothing, nothing, await call.details())

    def _was_asked(self, decision: pb.Decision) -> bool:
        """Repeat the answer to a decision that comes again, once the bot has given one."""
        if self._asked.get(decision.match) != decision.decision_id:
            self._asked[decision.match] = decision.decision_id
            self._answers.pop(decision.match, None)
            return False
        if decision.match in self._answers:
            self._outbox.put_nowait(self._answers[decision.match])
        return True
