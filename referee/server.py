"""The gRPC side: bots dial in, say who they are, and play."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from grpc_status import rpc_status
from highstreet.v1 import error_pb2, match_pb2, play_pb2

from engine import HighstreetError, Seat
from referee.player import (
    Gone,
    Inbox,
    MatchPlan,
    Question,
    Rejection,
    Result,
    Submitted,
    Unreadable,
)
from referee.policy import Fault
from referee.record import commitment
from referee.tokens import Doorman, Guest, Tokens, TurnedAwayError, hashed
from referee.wire import WireError, messages

log = logging.getLogger(__name__)

PLAY = "highstreet.v1.PlayService"
MATCHES = match_pb2.DESCRIPTOR.services_by_name["MatchService"].full_name
Reason = error_pb2.ErrorReason


class ListenError(HighstreetError):
    """An address on which we cannot listen."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the server tolerates from a bot."""

    message_bytes: int = 64 * 1024
    messages_per_decision: int = 64
    backlog: int = 256
    """How many messages may wait for a bot that does not read."""
    connections: int = 8
    """How many connections there may be at once with one token."""
    join_seconds: float = 5.0
    resume_seconds: float = 10.0
    """How long a bot that was cut off between two matches is remembered."""
    keepalive_seconds: float = 2.0


@dataclass(frozen=True, slots=True)
class Tls:
    """A certificate and its key, as PEM."""

    certificate: bytes
    key: bytes


class Session:
    """One bot process, across all its connections."""

    def __init__(self, guest: Guest, join: play_pb2.Join) -> None:
        self._loop = asyncio.get_running_loop()
        self.entrant = guest.entrant
        self.league = guest.league
        self.ticket = hashed(join.token)
        """With which token the bot came."""
        self.bot_version = join.bot_version
        self.games = frozenset(join.games)
        self.max_matches = max(1, join.max_matches)
        self.resume_id = secrets.token_urlsafe(16)
        self.leaving = False
        self._farewell = "you asked to leave, and your matches are over"
        """What is said when the matches of a bot that leaves are over."""
        self.left_at = 0.0
        """When the last connection was cut, in the time of the event loop."""
        self.gone: Gone | None = None
        self.strays = 0
        """How many answers in a row belonged to no match of this bot."""
        self._connection: _Connection | None = None
        self._players: dict[bytes, GrpcPlayer] = {}
        """By match, as a request has it."""
        self._backlog: deque[bytes] = deque()
        self._news: asyncio.Future[None] | None = None
        """What the connection waits for while there is nothing to send."""

    @property
    def connected(self) -> bool:
        """Whether the bot is there."""
        return self._connection is not None

    @property
    def playing(self) -> int:
        """How many matches the bot is playing."""
        return len(self._players)

    def stays_for(self, game: str) -> bool:
        """Tell whether the bot is there and plays that game, now or after its present matches."""
        return self.connected and not self.leaving and (not self.games or game in self.games)

    def plays(self, game: str) -> bool:
        """Tell whether the bot plays that game, and has room for another match."""
        return self.stays_for(game) and self.playing < self.max_matches

    def sit_down(self, match: str, player: GrpcPlayer) -> None:
        """Send what comes in for a match to its player."""
        self._players[match.encode()] = player

    def stand_up(self, match: str) -> None:
        """Forget a match that is over."""
        player = self._players.pop(match.encode(), None)
        if player is not None:
            player.inbox.close()
        if self.leaving and not self._players:
            self.say_goodbye(self._farewell)

    def send(self, message: bytes) -> None:
        """Send a message now, or when the bot is back."""
        if self.gone is None:
            self._backlog.append(message)
            self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, None
        if news is not None and not news.done():
            news.set_result(None)

    def say_goodbye(self, reason: str) -> None:
        """Send the last message; the connection closes behind it."""
        self.leaving = True
        self.send(messages.goodbye_message(reason))

    def dismiss(self, reason: str) -> None:
        """Say goodbye as soon as the matches under way are over."""
        self.leaving, self._farewell = True, reason
        if not self._players:
            self.say_goodbye(reason)

    def lose(self, gone: Gone) -> None:
        """Give the bot up: it will not come back."""
        self.gone = gone
        self._backlog.clear()
        for player in self._players.values():
            player.inbox.put(gone)

    async def close(self) -> None:
        """Cut the connection."""
        if self._connection is not None:
            await self._connection.close()

    async def send_home(self, detail: str) -> None:
        """Cut the connection of a bot that shall dial in again, in a moment or two."""
        if self._connection is not None:
            await self._connection.close(
                grpc.StatusCode.UNAVAILABLE, Reason.ERROR_REASON_SERVER_STOPS, detail
            )

    # What follows is between a session and its connection.

    def attach(self, connection: _Connection) -> None:
        """Let a connection speak for this session; decisions that are open are sent again."""
        self._connection = connection
        for player in self._players.values():
            for message in player.unheard():
                if message not in self._backlog:
                    self._backlog.append(message)
        self._wake()

    def detach(self, connection: _Connection) -> None:
        """Note that a connection is cut, unless another one has taken over."""
        if self._connection is connection:
            self._connection = None
            self.left_at = self._loop.time()

    def pop(self) -> bytes:
        """Return the next message to send."""
        return self._backlog.popleft()

    def news(self) -> asyncio.Future[None]:
        """Return what is done when there may be something to send."""
        self._wake()  # only one connection waits at a time: an older one has been replaced
        self._news = self._loop.create_future()
        return self._news

    def put_back(self, message: bytes) -> None:
        """Keep a message that could not be sent, for whoever speaks for this session now."""
        self._backlog.appendleft(message)
        self._wake()

    def speaks_through(self, connection: _Connection) -> bool:
        """Tell whether that connection speaks for this session, and no later one."""
        return self._connection is connection

    @property
    def backlog(self) -> int:
        """How many messages wait."""
        return len(self._backlog)

    def hear_plain(self, data: bytes) -> bool:
        """Take in a request, if it is a plain answer to the last question; tell whether it was."""
        player = self._players.get(messages.match_in(data))
        if player is None or not player.hear_plain(data):
            return False
        self.strays = 0
        return True

    async def hear(self, submitted: play_pb2.SubmitMove) -> None:
        """Take in an answer, when there is room for it."""
        player = self._players.get(submitted.match.encode())
        if player is None:
            self.strays += 1
            return
        self.strays = 0
        if player.inbox.full:
            await player.inbox.room()
        player.hear(submitted)

    async def hear_nonsense(self, problem: str, data: bytes) -> None:
        """Take in a message that cannot be read: it counts in every match of the bot."""
        now = self._loop.time()
        for player in list(self._players.values()):
            await player.inbox.room()
            player.inbox.put(Unreadable(problem, repr(data[:80]), now))
        if not self._players:
            self.strays += 1


class GrpcPlayer:
    """A session at a seat of one match."""

    def __init__(self, session: Session) -> None:
        self.inbox = Inbox()
        self._loop = asyncio.get_running_loop()
        self._session = session
        self._game = self._match = ""
        self.pending: bytes | None = None
        """The open decision, exactly as it was first sent."""
        self._started: bytes | None = None
        """What told the bot of the match, until it has answered something in it."""
        self._asked: bytes | None = None
        self._decision = 0
        self._answer_head: bytes | None = None
        """How a plain answer to the last question begins."""

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Tell the bot that it is seated."""
        self._game, self._match = plan.game.spec.name, plan.match
        self._session.sit_down(plan.match, self)
        self._started = messages.started_message(plan, seat, commitment(plan.seed, plan.salt))
        self._session.send(self._started)

    def unheard(self) -> Iterator[bytes]:
        """Return what a bot needs that comes back: what may have been lost, and what is open."""
        if self._started is not None:
            yield self._started
        if self.pending is not None:
            yield self.pending

    def ask(self, question: Question) -> None:
        """Put a question."""
        self._asked = self.pending = messages.decision_message(question)
        self._decision = question.decision
        self._answer_head = messages.answer_head(question)
        self._session.send(self.pending)
        if self._session.gone is not None and self.inbox.empty:
            self.inbox.put(self._session.gone)

    def hear_plain(self, data: bytes) -> bool:
        """Take in a request that is a plain answer to the last question; tell whether it was."""
        if self._answer_head is None or self.inbox.full:
            return False
        move = messages.read_plain_answer(data, self._answer_head, self._game)
        if move is None:
            return False
        self.pending = self._started = None
        answer = (self._match, self._decision, move, self._loop.time())
        self.inbox.put(tuple.__new__(Submitted, answer))  # faster than Submitted(...)
        return True

    def hear(self, submitted: play_pb2.SubmitMove) -> None:
        """Take in an answer."""
        now = self._loop.time()
        answer = messages.read_submission(self._game, submitted, now)
        if isinstance(answer, Submitted) and answer.decision == self._decision:
            self.pending = self._started = None
        self.inbox.put(answer)

    def absence(self) -> Gone | None:
        """Tell whether the connection is cut at this moment."""
        if self._session.gone is not None:
            return self._session.gone
        if not self._session.connected:
            return Gone(Fault.DISCONNECT, "the connection was cut, and the bot did not come back")
        return None

    def reject(self, rejection: Rejection) -> None:
        """Tell the bot that its answer was not accepted; the decision is open again."""
        self.reopen()
        self._session.send(messages.rejected_message(rejection))

    def reopen(self) -> None:
        """Put the last decision again, should the bot come back after a cut."""
        self.pending = self._asked

    def end(self, result: Result) -> None:
        """Tell the bot how the match ended."""
        self.pending = self._started = None
        self._session.send(messages.ended_message(result))
        self._session.stand_up(result.plan.match)


class _Connection:
    """One stream."""

    def __init__(self, context: grpc.aio.ServicerContext[Any, Any], limits: Limits) -> None:
        self._context = context
        self._limits = limits
        self._closed = asyncio.Event()
        self._reason: tuple[grpc.StatusCode, Any, str] | None = None

    async def close(
        self,
        code: grpc.StatusCode = grpc.StatusCode.OK,
        reason: Any = Reason.ERROR_REASON_UNSPECIFIED,
        detail: str = "",
    ) -> None:
        """End the stream from our side."""
        self._reason = (code, reason, detail)
        self._closed.set()

    async def run(self, session: Session) -> None:
        """Carry messages both ways until one side has enough."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._write(session)),
                group.create_task(self._read(session)),
                group.create_task(self._closed.wait()),
            ]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
        if self._reason is not None and self._reason[0] is not grpc.StatusCode.OK:
            await refuse(self._context, *self._reason)

    async def _write(self, session: Session) -> None:
        while True:
            while not session.backlog:
                await session.news()
            message = session.pop()
            if not session.speaks_through(self):
                session.put_back(message)
                return
            if session.backlog > self._limits.backlog:
                await self.close(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    Reason.ERROR_REASON_NOT_READING,
                    f"more than {self._limits.backlog} messages wait to be read.",
                )
                return
            try:
                await self._context.write(message)
            except asyncio.CancelledError:
                session.put_back(message)
                raise
            except grpc.aio.BaseError:
                session.put_back(message)  # the bot is gone, and may come back for it
                return
            if session.leaving and not session.backlog and not session.playing:
                return

    async def _read(self, session: Session) -> None:
        while True:
            try:
                data = await self._context.read()
            except grpc.aio.BaseError:
                return  # the server has stopped under a bot that did not leave in time
            if data is grpc.aio.EOF:
                return
            if not session.hear_plain(data):
                await self._hear(session, data)
                if self._closed.is_set():
                    return

    async def _hear(self, session: Session, data: bytes) -> None:
        """Take in a request that is no plain answer."""
        try:
            request = messages.read_request(data)
        except WireError as error:
            request, problem = play_pb2.PlayRequest(), str(error)
        else:
            problem = "this request has no message in it."
        kind = request.WhichOneof("message")
        if kind == "submit_move":
            await session.hear(request.submit_move)
        elif kind == "leave":
            session.leaving = True
            if not session.playing:
                session.say_goodbye("you asked to leave")
        elif kind == "join":
            await self.close(
                grpc.StatusCode.FAILED_PRECONDITION,
                Reason.ERROR_REASON_JOINED_TWICE,
                "this stream has joined already.",
            )
            return
        else:
            await session.hear_nonsense(problem, data)
        if session.strays > self._limits.messages_per_decision:
            await self.close(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                Reason.ERROR_REASON_TOO_MANY_MESSAGES,
                f"more than {self._limits.messages_per_decision} requests belong to no match "
                "of yours.",
            )


async def refuse(
    context: grpc.aio.ServicerContext[Any, Any], code: grpc.StatusCode, reason: Any, detail: str
) -> NoReturn:
    """End a call with a status that says why, for programs and for people."""
    name = Reason.Name(reason).removeprefix("ERROR_REASON_")
    info = error_details_pb2.ErrorInfo(reason=name, domain="highstreet")
    packed = any_pb2.Any()
    packed.Pack(info)
    status = rpc_status.to_status(
        status_pb2.Status(code=code.value[0], message=detail, details=[packed])
    )
    try:
        await context.abort(code, detail, status.trailing_metadata)
    except grpc.aio.AbortError:
        raise
    except grpc.aio.BaseError:
        # Whoever hung up already hears nothing, and must not fill the log either.
        raise asyncio.CancelledError from None
    raise AssertionError("abort does not return")


class RefereeServer:
    """A gRPC server on one address, with everybody who has dialled in."""

    def __init__(
        self,
        limits: Limits | None = None,
        tls: Tls | None = None,
        doorman: Doorman | None = None,
        *,
        outlived: bool = False,
    ) -> None:
        """Make a server that lets in whoever has a token of its own, or whom the doorman admits.

        Bots may outlive one that stands for long: then a resume id that nobody knows is that of an
        earlier server process, and begins anew instead of being refused.
        """
        self.limits = limits or Limits()
        self.tokens = Tokens()
        self._doorman: Doorman = doorman or self.tokens
        self._outlived = outlived
        self.sessions: list[Session] = []
        self._tls = tls
        self._arrivals = asyncio.Condition()
        self._connections: dict[bytes, int] = {}
        """How many there are with each token."""
        self._server: grpc.aio.Server | None = None
        self._health = health.aio.HealthServicer()
        self.address = ""
        self.port = 0

    async def start(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        unix: Path | None = None,
        add_services: Callable[[grpc.aio.Server], None] | None = None,
        *,
        names: Sequence[str] = (MATCHES,),
        interceptors: Sequence[grpc.aio.ServerInterceptor] = (),
    ) -> None:
        """Listen; with port 0 on any free port. Raises ListenError.

        The names are those of the services that are added.
        """
        server = grpc.aio.server(interceptors=interceptors, options=self._options())
        server.add_generic_rpc_handlers((self._handlers(),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        known = [PLAY, health.SERVICE_NAME, reflection.SERVICE_NAME]
        if add_services is not None:
            add_services(server)
            known += names
        reflection.enable_server_reflection(known, server)
        if ":" in host and not host.startswith("["):
            host = f"[{host}]"
        self.port = self._listen(server, f"{host}:{port}")
        if unix is not None:
            self._listen(server, f"unix:{unix}")
        self.address = f"{host}:{self.port}"
        await server.start()
        self._server = server
        for name in ("", PLAY):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def _listen(self, server: grpc.aio.Server, address: str) -> int:
        local = address.startswith("unix:")
        try:
            if self._tls is None or local:
                return server.add_insecure_port(address)
            credentials = grpc.ssl_server_credentials([(self._tls.key, self._tls.certificate)])
            return server.add_secure_port(address, credentials)
        except RuntimeError:
            reason = "Is the port in use, and is the host one of this machine?"
            if local:
                reason = "Is there something already, or is the path longer than 107 characters?"
            elif self._tls is not None:
                reason += " Are certificate and key in PEM format, and do they belong together?"
            raise ListenError(f"cannot listen on {address}. {reason}") from None

    async def stop(self, reason: str = "the referee stops", grace: float = 5.0) -> None:
        """Say goodbye to everybody and stop listening.

        That takes a moment; the grace is for a machine that is busy, since whoever misses the
        goodbye believes in a cut connection and dials on.
        """
        await self._health.enter_graceful_shutdown()
        for session in self.sessions:
            session.say_goodbye(reason)
        if self._server is not None:
            await self._server.stop(grace)

    async def rest(self, reason: str, grace: float = 1.0) -> None:
        """Stop listening for a while: everybody is asked to dial in again."""
        await self._health.enter_graceful_shutdown()
        for session in list(self.sessions):
            await session.send_home(reason)
        if self._server is not None:
            await self._server.stop(grace)

    async def arrival(self, entrant: str, token: str | None = None) -> Session:
        """Wait until a bot of that entrant, or with that token, is there and free; return it."""
        ticket = hashed(token) if token is not None else None
        async with self._arrivals:
            while True:
                for session in self.sessions:
                    if session.entrant != entrant or ticket not in (None, session.ticket):
                        continue
                    if session.connected and not session.playing:
                        return session
                await self._arrivals.wait()

    async def change(self) -> None:
        """Wait until somebody comes or goes."""
        async with self._arrivals:
            await self._arrivals.wait()

    async def notify(self) -> None:
        """Wake those who wait for somebody to be free."""
        async with self._arrivals:
            self._arrivals.notify_all()

    def _options(self) -> list[tuple[str, int]]:
        beat = int(self.limits.keepalive_seconds * 1000)
        return [
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", self.limits.message_bytes),
            ("grpc.keepalive_time_ms", beat),
            ("grpc.keepalive_timeout_ms", beat),
            ("grpc.http2.ping_timeout_ms", beat),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", 500),
        ]

    def _handlers(self) -> grpc.GenericRpcHandler:
        # Requests stay bytes until we read them: a broken one is data, and no end of the stream.
        play = grpc.stream_stream_rpc_method_handler(self._play, bytes, bytes)
        return grpc.method_handlers_generic_handler(PLAY, {"Play": play})

    async def _play(
        self, _requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[Any, Any]
    ) -> None:
        try:
            await self._converse(context)
        except (asyncio.CancelledError, grpc.aio.AbortError, grpc.aio.UsageError):
            raise
        except grpc.aio.BaseError:
            return  # the server has stopped before the bot joined
        except Exception:
            reference = secrets.token_hex(4)
            log.exception("a stream broke, reference %s", reference)
            await refuse(
                context,
                grpc.StatusCode.INTERNAL,
                Reason.ERROR_REASON_INTERNAL,
                f"a fault of the referee; its reference is {reference}.",
            )

    async def _converse(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        join = await self._read_join(context)
        guest = await self._admit(context, join)
        if join.protocol_version != messages.PROTOCOL_VERSION:
            await refuse(
                context,
                grpc.StatusCode.FAILED_PRECONDITION,
                Reason.ERROR_REASON_BAD_VERSION,
                f"protocol version {join.protocol_version} is not spoken here; "
                f"this referee speaks {messages.PROTOCOL_VERSION}.",
            )
        ticket = hashed(join.token)
        if self._connections.get(ticket, 0) >= self.limits.connections:
            await refuse(
                context,
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                Reason.ERROR_REASON_TOO_MANY_CONNECTIONS,
                f"{guest.entrant} has {self.limits.connections} connections with this token, and "
                "no more are allowed.",
            )
        session, resumed = await self._session(context, guest, join)
        connection = _Connection(context, self.limits)
        self._connections[ticket] = self._connections.get(ticket, 0) + 1
        try:
            await self._welcome(context, session, resumed=resumed)
            await self._replace(session)  # somebody else may have come back meanwhile
            session.attach(connection)
            if session not in self.sessions:  # its old connection ended just now, and took it along
                self.sessions.append(session)
            await self.notify()
            await connection.run(session)
        finally:
            self._connections[ticket] -= 1
            if not self._connections[ticket]:
                del self._connections[ticket]
            session.detach(connection)
            if not session.connected and not session.playing:
                # It may come back for its next match; but nobody is remembered for ever.
                loop = asyncio.get_running_loop()
                loop.call_later(self.limits.resume_seconds, self._forget, session)
            # The stream is being cancelled, perhaps: waking others must not wait for that.
            asyncio.get_running_loop().create_task(self.notify())

    async def _admit(
        self, context: grpc.aio.ServicerContext[Any, Any], join: play_pb2.Join
    ) -> Guest:
        try:
            guest = await self._doorman.admit(join.token, join.bot_version, context.peer())
        except TurnedAwayError as error:
            reason = Reason.Value(f"ERROR_REASON_{error.reason}")
            later = reason == Reason.ERROR_REASON_TOO_MANY_REQUESTS
            code = grpc.StatusCode.UNAVAILABLE if later else grpc.StatusCode.FAILED_PRECONDITION
            return await refuse(context, code, reason, str(error))
        if guest is None:
            await refuse(
                context,
                grpc.StatusCode.UNAUTHENTICATED,
                Reason.ERROR_REASON_BAD_TOKEN,
                "this token is not known here.",
            )
        return guest

    def _forget(self, session: Session) -> None:
        if not session.connected and not session.playing and session in self.sessions:
            self.sessions.remove(session)

    async def _read_join(self, context: grpc.aio.ServicerContext[Any, Any]) -> play_pb2.Join:
        seconds = self.limits.join_seconds
        try:
            async with asyncio.timeout(seconds):
                data = await context.read()
        except TimeoutError:
            await refuse(
                context,
                grpc.StatusCode.DEADLINE_EXCEEDED,
                Reason.ERROR_REASON_JOIN_TIMEOUT,
                f"no join within {seconds:g} seconds.",
            )
        try:
            request = messages.read_request(b"" if data is grpc.aio.EOF else data)
        except WireError:
            request = play_pb2.PlayRequest()
        if request.WhichOneof("message") != "join":
            await refuse(
                context,
                grpc.StatusCode.FAILED_PRECONDITION,
                Reason.ERROR_REASON_JOIN_FIRST,
                "the first request must be a join.",
            )
        return request.join

    async def _session(
        self, context: grpc.aio.ServicerContext[Any, Any], guest: Guest, join: play_pb2.Join
    ) -> tuple[Session, bool]:
        """Return the session that a bot continues, or a new one; and whether it is continued."""
        for session in self.sessions if join.resume_id else ():
            if (session.entrant, session.league) == guest and hmac.compare_digest(
                session.resume_id.encode(), join.resume_id.encode()
            ):
                await self._replace(session)
                return session, True
        if not join.resume_id or self._outlived:
            session = Session(guest, join)
            # Whoever was cut off in a match that is over since then would be kept for ever.
            long_ago = asyncio.get_running_loop().time() - self.limits.resume_seconds
            for old in [s for s in self.sessions if s.left_at <= long_ago]:
                self._forget(old)
            self.sessions.append(session)
            return session, False
        return await refuse(
            context,
            grpc.StatusCode.PERMISSION_DENIED,
            Reason.ERROR_REASON_BAD_RESUME_ID,
            "there is no bot with this resume id to continue; join without one.",
        )

    async def _replace(self, session: Session) -> None:
        """Let a bot that came back take over from its own old connection."""
        if session._connection is not None:  # noqa: SLF001  the two belong together
            await session._connection.close(  # noqa: SLF001
                grpc.StatusCode.ABORTED,
                Reason.ERROR_REASON_REPLACED,
                "another connection with your resume id has taken over.",
            )

    async def _welcome(
        self, context: grpc.aio.ServicerContext[Any, Any], session: Session, *, resumed: bool
    ) -> None:
        limits = play_pb2.Limits(
            max_message_bytes=self.limits.message_bytes,
            max_messages_per_decision=self.limits.messages_per_decision,
        )
        await context.write(
            messages.welcome_message(session.entrant, session.resume_id, limits, resumed=resumed)
        )
