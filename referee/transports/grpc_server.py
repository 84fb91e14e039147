"""The gRPC server: bots connect, join with a token, and play."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from highstreet.v1 import match_pb2, play_pb2

from engine import HighstreetError
from referee.transports.grpc_connection import Limits, StreamConnection
from referee.transports.grpc_session import Session
from referee.transports.ports import check_port
from referee.transports.rate_limit import JOINS, RateLimitError, TokenBuckets, public_network
from referee.transports.request_limits import PENALTY, RequestLimiter
from referee.transports.status import Reason, refuse
from referee.transports.tokens import (
    AuthenticatedBot,
    Authenticator,
    JoinRefusedError,
    Tokens,
    hashed,
)
from referee.wire import WireError, messages

log = logging.getLogger(__name__)

PLAY = "highstreet.v1.PlayService"
MATCHES = match_pb2.DESCRIPTOR.services_by_name["MatchService"].full_name
NEVER = 2**31 - 1
"""The number of milliseconds that switches a timer of gRPC off."""

Context = grpc.aio.ServicerContext[Any, Any]


class ListenError(HighstreetError):
    """An address that the server cannot listen on."""


@dataclass(frozen=True, slots=True)
class Tls:
    """A certificate and its key, as PEM."""

    certificate: bytes
    key: bytes


TASK_OF_A_CALL: Final = "_schedule_rpc_coro"
"""The coroutine of gRPC that runs for each call of a server, and ends after it."""
MOST_SECONDS_FOR_CALLS: Final = 0.25
"""The most that a server that stops waits for these; those of other servers go on."""
LOOKAHEAD: Final = 16 * 1024
"""Bytes of a stream that gRPC receives before they are asked for; its default is four times that,
and a client that floods fills it on every stream."""


class RefereeServer:
    """A gRPC server on one address, with the sessions of the bots that have joined."""

    def __init__(
        self,
        limits: Limits | None = None,
        tls: Tls | None = None,
        authenticator: Authenticator | None = None,
        *,
        accept_unknown_resume_ids: bool = False,
    ) -> None:
        """Make a server; without an authenticator it accepts the tokens that it has issued.

        After a restart of a long-lived server, bots join with resume ids of the earlier process:
        with ``accept_unknown_resume_ids`` they get new sessions instead of an error.
        """
        self.limits = limits or Limits()
        self.tokens = Tokens()
        self._authenticator: Authenticator = authenticator or self.tokens
        self._accept_unknown_resume_ids = accept_unknown_resume_ids
        self.sessions: list[Session] = []
        self._tls = tls
        self._changed = asyncio.Condition()
        self._connections: dict[bytes, int] = {}
        """The number of connections by hash of the token."""
        self._joins = TokenBuckets(JOINS)
        self._server: grpc.aio.Server | None = None
        self._health = health.aio.HealthServicer()
        self.address = ""
        self.port = 0

    async def start(
        self,
        host: str | None = "127.0.0.1",
        port: int = 0,
        unix: Path | None = None,
        add_services: Callable[[grpc.aio.Server], None] | None = None,
        *,
        names: Sequence[str] = (MATCHES,),
    ) -> None:
        """Listen; with port 0 on any free port, without a host on the unix socket only.

        ``names`` are the full names of the services that ``add_services`` adds. Raises ListenError.
        """
        server = grpc.aio.server(interceptors=(RequestLimiter(PLAY),), options=self._options())
        server.add_generic_rpc_handlers((self._handlers(),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        known = [PLAY, health.SERVICE_NAME, reflection.SERVICE_NAME]
        if add_services is not None:
            add_services(server)
            known += names
        reflection.enable_server_reflection(known, server)
        if unix is not None:
            self.address = f"unix:{unix}"
            self._listen(server, self.address)
        if host is not None:
            self._listen_on_port(server, host, port)
        await server.start()
        self._server = server
        for name in ("", PLAY):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def _listen_on_port(self, server: grpc.aio.Server, host: str, port: int) -> None:
        if ":" in host and not host.startswith("["):
            host = f"[{host}]"
        try:
            check_port(host, port)  # the errors of gRPC do not name the cause
        except OSError as error:
            raise ListenError(f"cannot listen on {host}:{port}: {error.strerror}") from None
        self.port = self._listen(server, f"{host}:{port}")
        self.address = f"{host}:{self.port}"

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
        """Send goodbye to all bots and stop listening.

        ``grace`` is long because a bot that misses the goodbye tries to reconnect.
        """
        await self._health.enter_graceful_shutdown()
        for session in self.sessions:
            session.send_goodbye(reason)
        await self._stop_listening(grace)

    async def stop_for_restart(self, reason: str, grace: float = 1.0) -> None:
        """Stop listening and close all connections so that the bots reconnect later."""
        await self._health.enter_graceful_shutdown()
        for session in list(self.sessions):
            session.close(grpc.StatusCode.UNAVAILABLE, Reason.ERROR_REASON_SERVER_STOPS, reason)
        await self._stop_listening(grace)

    async def _stop_listening(self, grace: float) -> None:
        """Stop the gRPC server, and wait for the tasks that still note the end of its calls.

        If the event loop ends before them, gRPC prints a traceback.
        """
        if self._server is None:
            return
        await self._server.stop(grace)
        tasks = [
            task
            for task in asyncio.all_tasks()
            if getattr(task.get_coro(), "__name__", "") == TASK_OF_A_CALL
        ]
        if tasks:
            await asyncio.wait(tasks, timeout=MOST_SECONDS_FOR_CALLS)

    async def wait_for_bot(self, entrant: str, token: str | None = None) -> Session:
        """Wait for a connected bot of that entrant that plays no match; return its session."""
        token_hash = hashed(token) if token is not None else None
        async with self._changed:
            while True:
                for session in self.sessions:
                    if session.entrant != entrant or token_hash not in (None, session.token_hash):
                        continue
                    if session.connected and not session.playing:
                        return session
                await self._changed.wait()

    async def wait_for_change(self) -> None:
        """Wait until a bot connects or disconnects, or ``notify`` is called."""
        async with self._changed:
            await self._changed.wait()

    async def notify(self) -> None:
        """Wake the callers of ``wait_for_bot`` and ``wait_for_change``."""
        async with self._changed:
            self._changed.notify_all()

    def _options(self) -> list[tuple[str, int]]:
        beat = self.limits.keepalive_seconds
        patience = NEVER if beat is None else int(beat * 1000)
        most = self.limits.clients
        return [
            *([("grpc.max_allowed_incoming_connections", most)] if most is not None else []),
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", self.limits.message_bytes),
            # Requests are small: with a small flow-control window, floods stay at the client.
            ("grpc.http2.bdp_probe", 0),
            ("grpc.http2.lookahead_bytes", LOOKAHEAD),
            ("grpc.max_concurrent_streams", self.limits.calls_per_connection),
            ("grpc.keepalive_time_ms", patience),
            ("grpc.keepalive_timeout_ms", patience),
            ("grpc.http2.ping_timeout_ms", patience),
            *([("grpc.http2.settings_timeout", NEVER)] if beat is None else []),
            *(
                (f"grpc.{name}", int(self.limits.idle_seconds * 1000))
                for name in ("max_connection_idle_ms", "server_handshake_timeout_ms")
                if self.limits.idle_seconds is not None
            ),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", 500),
        ]

    def _handlers(self) -> grpc.GenericRpcHandler:
        # Requests stay bytes here: one that cannot be parsed must not end the stream.
        play = grpc.stream_stream_rpc_method_handler(self._play, bytes, bytes)
        return grpc.method_handlers_generic_handler(PLAY, {"Play": play})

    async def _play(self, _requests: AsyncIterator[bytes], context: Context) -> None:
        try:
            await self._serve(context)
        except (asyncio.CancelledError, grpc.aio.AbortError, grpc.aio.UsageError):
            raise
        except grpc.aio.BaseError:
            return  # the server has stopped before the bot joined
        except Exception:
            reference = secrets.token_hex(4)
            log.exception("a stream failed, reference %s", reference)
            await refuse(
                context,
                grpc.StatusCode.INTERNAL,
                Reason.ERROR_REASON_INTERNAL,
                f"a fault of the referee; its reference is {reference}.",
            )

    async def _serve(self, context: Context) -> None:
        join = await self._read_join(context)
        bot = await self._authenticate(context, join)
        if join.protocol_version != messages.PROTOCOL_VERSION:
            await refuse(
                context,
                grpc.StatusCode.FAILED_PRECONDITION,
                Reason.ERROR_REASON_BAD_VERSION,
                f"protocol version {join.protocol_version} is not spoken here; "
                f"this referee speaks {messages.PROTOCOL_VERSION}.",
            )
        token_hash = hashed(join.token)
        if self._connections.get(token_hash, 0) >= self.limits.connections:
            await refuse(
                context,
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                Reason.ERROR_REASON_TOO_MANY_CONNECTIONS,
                f"{bot.entrant} has {self.limits.connections} connections with this token, and "
                "no more are allowed.",
            )
        session, resumed = await self._session(context, bot, join)
        connection = StreamConnection(context, self.limits)
        self._connections[token_hash] = self._connections.get(token_hash, 0) + 1
        try:
            await self._welcome(context, session, resumed=resumed)
            _replace_connection(session)  # another stream may have resumed it meanwhile
            session.connect(connection)
            session.network = public_network(context.peer())
            if session not in self.sessions:  # removed when its old connection ended just now
                self.sessions.append(session)
            await self.notify()
            await connection.run(session)
        finally:
            self._connections[token_hash] -= 1
            if not self._connections[token_hash]:
                del self._connections[token_hash]
            session.disconnect(connection)
            if not session.connected and not session.playing:
                # The bot may reconnect for its next match, until the session expires.
                loop = asyncio.get_running_loop()
                loop.call_later(self.limits.resume_seconds, self._forget, session)
            # A task, because this stream may be in cancellation and cannot await.
            asyncio.get_running_loop().create_task(self.notify())

    async def _authenticate(self, context: Context, join: play_pb2.Join) -> AuthenticatedBot:
        try:
            self._joins.take(hashed(join.token).hex())
            bot = await self._authenticator.authenticate(join.token, join.bot_version)
        except RateLimitError as error:
            await asyncio.sleep(PENALTY)
            return await refuse(
                context,
                grpc.StatusCode.UNAVAILABLE,
                Reason.ERROR_REASON_TOO_MANY_REQUESTS,
                str(error),
            )
        except JoinRefusedError as error:
            reason = Reason.Value(f"ERROR_REASON_{error.reason}")
            return await refuse(context, grpc.StatusCode.FAILED_PRECONDITION, reason, str(error))
        if bot is None:
            await refuse(
                context,
                grpc.StatusCode.UNAUTHENTICATED,
                Reason.ERROR_REASON_BAD_TOKEN,
                "this token is not known here."
                if join.token
                else "the join has no token: set HIGHSTREET_TOKEN to the token of the bot.",
            )
        return bot

    def _forget(self, session: Session) -> None:
        if not session.connected and not session.playing and session in self.sessions:
            self.sessions.remove(session)

    async def _read_join(self, context: Context) -> play_pb2.Join:
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
        self,
        context: Context,
        bot: AuthenticatedBot,
        join: play_pb2.Join,
    ) -> tuple[Session, bool]:
        """Return the session that a bot resumes, or a new one; and whether it is resumed."""
        for session in self.sessions if join.resume_id else ():
            if (session.entrant, session.league) == bot and hmac.compare_digest(
                session.resume_id.encode(), join.resume_id.encode()
            ):
                _replace_connection(session)
                return session, True
        if not join.resume_id or self._accept_unknown_resume_ids:
            session = Session(bot, join)
            # No timer removes a session whose match ended after its connection was cut.
            expired = asyncio.get_running_loop().time() - self.limits.resume_seconds
            for old in [s for s in self.sessions if s.disconnected_at <= expired]:
                self._forget(old)
            self.sessions.append(session)
            return session, False
        return await refuse(
            context,
            grpc.StatusCode.PERMISSION_DENIED,
            Reason.ERROR_REASON_BAD_RESUME_ID,
            "there is no bot with this resume id to continue; join without one.",
        )

    async def _welcome(self, context: Context, session: Session, *, resumed: bool) -> None:
        limits = play_pb2.Limits(
            max_message_bytes=min(self.limits.message_bytes, self.limits.answer_bytes),
            max_messages_per_decision=self.limits.messages_per_decision,
        )
        await context.write(
            messages.welcome_message(session.entrant, session.resume_id, limits, resumed=resumed)
        )


def _replace_connection(session: Session) -> None:
    """Close the connection of a session that another connection resumes."""
    session.close(
        grpc.StatusCode.ABORTED,
        Reason.ERROR_REASON_REPLACED,
        "another connection with your resume id has taken over.",
    )
