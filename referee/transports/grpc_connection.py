"""One gRPC stream of a bot: reads its requests and writes the messages of its session."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import grpc
from highstreet.v1 import play_pb2

from referee.match import PAUSE, Idle, Unreadable
from referee.transports.grpc_session import Session
from referee.transports.status import Reason, refuse
from referee.wire import WireError, messages


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of the server for one bot."""

    message_bytes: int = 64 * 1024
    """The size of a request to any service; a longer one ends its call."""
    answer_bytes: int = messages.LONGEST_ANSWER
    """The size of a request from a bot that has joined; a longer one counts as malformed."""
    messages_per_decision: int = 64
    calls_per_connection: int = 256
    """Concurrent calls over one connection; further calls wait."""
    backlog: int = 256
    """Messages that wait for a bot that does not read."""
    connections: int = 8
    """Concurrent connections with one token."""
    join_seconds: float = 5.0
    resume_seconds: float = 10.0
    """How long the session of a bot that was disconnected between two matches is kept."""
    keepalive_seconds: float | None = 2.0
    """How often a connection is tested, and how soon it has to answer; None for bots that are
    frozen at times, which cannot answer then."""
    idle_seconds: float | None = 60.0
    """How long a connection without a call is kept, and how long it may take to begin to speak
    HTTP/2; None for bots that are frozen at times."""
    clients: int | None = None
    """Concurrent connections of all clients; further ones are closed."""


class StreamConnection:
    """One stream."""

    def __init__(self, context: grpc.aio.ServicerContext[Any, Any], limits: Limits) -> None:
        self._context = context
        self._limits = limits
        self._closed = asyncio.Event()
        self._status: tuple[grpc.StatusCode, Any, str] | None = None

    def close(self, code: grpc.StatusCode, reason: Any, detail: str) -> None:
        """End the stream with a status."""
        self._status = (code, reason, detail)
        self._closed.set()

    async def run(self, session: Session) -> None:
        """Carry messages in both directions until one side closes the stream."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._write(session)),
                group.create_task(self._read(session)),
                group.create_task(self._closed.wait()),
            ]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
        if self._status is not None and self._status[0] is not grpc.StatusCode.OK:
            await refuse(self._context, *self._status)

    async def _write(self, session: Session) -> None:
        while True:
            while not session.backlog:
                await session.message_waiter()
            message = session.next_message()
            if not session.uses(self):
                session.requeue(message)
                return
            if session.backlog > self._limits.backlog:
                self.close(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    Reason.ERROR_REASON_NOT_READING,
                    f"more than {self._limits.backlog} messages wait to be read.",
                )
                return
            try:
                await self._context.write(message)
            except asyncio.CancelledError:
                session.requeue(message)
                raise
            except grpc.aio.BaseError:
                session.requeue(message)  # the bot has disconnected, and may reconnect
                return
            if session.leaving and not session.backlog and not session.playing:
                return

    async def _read(self, session: Session) -> None:
        idle = 0
        """The number of consecutive requests that answered nothing."""
        while True:
            try:
                data = await self._context.read()
            except grpc.aio.BaseError:
                return  # the server has stopped while the bot was connected
            if data is grpc.aio.EOF:
                return
            if session.try_fast_path(data) or await self._on_request(session, data):
                idle = 0
                continue
            if self._closed.is_set():
                return
            idle += 1
            if idle > 1:  # a flood must not slow down other matches
                await asyncio.sleep(PAUSE)

    async def _on_request(self, session: Session, data: bytes) -> bool:
        """Handle a request off the fast path; return whether it answers an open decision."""
        loop = asyncio.get_running_loop()
        answered, now = False, loop.time()
        request, problem = self._parse(data)
        seconds = loop.time() - now
        kind = request.WhichOneof("message")
        if kind == "submit_move":
            answered = await session.on_submission(request.submit_move)
        elif kind == "leave":
            session.leaving = True
            if session.playing:
                await session.on_other_message(Idle(now))
            else:
                session.send_goodbye("you asked to leave")
        elif kind == "join":
            self.close(
                grpc.StatusCode.FAILED_PRECONDITION,
                Reason.ERROR_REASON_JOINED_TWICE,
                "this stream has joined already.",
            )
            return False
        else:
            await session.on_other_message(Unreadable(problem, repr(data[:80]), now))
        if session.stray_answers > self._limits.messages_per_decision:
            self.close(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                Reason.ERROR_REASON_TOO_MANY_MESSAGES,
                f"more than {self._limits.messages_per_decision} requests belong to no match "
                "of yours.",
            )
        if not answered:
            session.charge(seconds)
        return answered

    def _parse(self, data: bytes) -> tuple[play_pb2.PlayRequest, str]:
        """Return a request, and the problem with it in case it is empty."""
        most = self._limits.answer_bytes
        if len(data) > most:
            problem = f"this request has {len(data)} bytes; {most} are the most after the join."
            return play_pb2.PlayRequest(), problem
        try:
            return messages.read_request(data), "this request has no message in it."
        except WireError as error:
            return play_pb2.PlayRequest(), str(error)
