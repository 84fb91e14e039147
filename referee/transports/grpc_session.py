"""A bot over gRPC: its session across connections, and its player in one match."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import grpc
from highstreet.v1 import play_pb2

from engine import Seat
from referee.match import (
    STOPPED_PROCESS,
    Gone,
    Inbox,
    MatchPlan,
    Message,
    Question,
    Rejection,
    Result,
    SandboxControl,
    StaleAnswer,
    Submitted,
)
from referee.model import Fault
from referee.record import commitment
from referee.transports.status import Reason
from referee.transports.tokens import AuthenticatedBot, hashed
from referee.wire import messages


class Connection(Protocol):
    """The stream over which a session sends and receives."""

    def close(self, code: grpc.StatusCode, reason: Any, detail: str) -> None:
        """End the stream with a status."""


class Session:
    """One bot process, across all its connections."""

    def __init__(self, bot: AuthenticatedBot, join: play_pb2.Join) -> None:
        self._loop = asyncio.get_running_loop()
        self.entrant = bot.entrant
        self.league = bot.league
        self.token_hash = hashed(join.token)
        self.bot_version = join.bot_version
        self.games = frozenset(join.games)
        self.max_matches = max(1, join.max_matches)
        self.resume_id = secrets.token_urlsafe(16)
        self.network = ""
        """The public network of its present connection; empty where that is not known."""
        self.leaving = False
        self._goodbye = "you asked to leave, and your matches are over"
        """The reason in the goodbye to a bot that leaves after its matches."""
        self.disconnected_at = 0.0
        """When the last connection was cut, in the time of the event loop."""
        self._disconnected_before = 0.0
        """For how many seconds the bot was disconnected before its present connection."""
        self.gone: Gone | None = None
        self.process_stopped: Callable[[], bool] = lambda: False
        """Returns whether a signal has stopped the process of a started bot."""
        self.sandbox: SandboxControl | None = None
        """The sandbox of a started bot; None for a bot without one."""
        self.stray_answers = 0
        """The number of consecutive answers that belong to no match of this bot."""
        self._connection: Connection | None = None
        self._players: dict[bytes, GrpcPlayer] = {}
        """By match id, encoded as in a request."""
        self._backlog: deque[bytes] = deque()
        self._message_waiter: asyncio.Future[None] | None = None
        """Resolved when there is a message to send."""

    # Matches.

    @property
    def connected(self) -> bool:
        """Whether the bot is connected."""
        return self._connection is not None

    @property
    def playing(self) -> int:
        """The number of matches that the bot is playing."""
        return len(self._players)

    def supports(self, game: str) -> bool:
        """Return whether the bot is connected, stays, and plays that game."""
        return self.connected and not self.leaving and (not self.games or game in self.games)

    def accepts(self, game: str) -> bool:
        """Return whether the bot can begin a match of that game now."""
        return self.supports(game) and self.playing < self.max_matches

    def attach(self, match: str, player: GrpcPlayer) -> None:
        """Deliver the answers for a match to its player."""
        self._players[match.encode()] = player

    def detach(self, match: str) -> None:
        """Remove a match that is over."""
        player = self._players.pop(match.encode(), None)
        if player is not None:
            player.inbox.close()
        if self.leaving and not self._players:
            self.send_goodbye(self._goodbye)

    # To the bot.

    def send(self, message: bytes) -> None:
        """Send a message now, or when the bot has reconnected."""
        if self.gone is None:
            self._backlog.append(message)
            self._wake_writer()

    def send_goodbye(self, reason: str) -> None:
        """Send the last message; the connection closes after it."""
        self.leaving = True
        self.send(messages.goodbye_message(reason))

    def drain(self, reason: str) -> None:
        """Begin no more matches, and send goodbye after those under way."""
        self.leaving, self._goodbye = True, reason
        if not self._players:
            self.send_goodbye(reason)

    def mark_gone(self, gone: Gone) -> None:
        """Give the bot up in all its matches: it will not reconnect."""
        self.gone = gone
        self._backlog.clear()
        for player in self._players.values():
            player.inbox.put(gone)

    def close(
        self,
        code: grpc.StatusCode = grpc.StatusCode.OK,
        reason: Any = Reason.ERROR_REASON_UNSPECIFIED,
        detail: str = "",
    ) -> None:
        """Close the connection, if there is one; UNAVAILABLE makes the bot reconnect."""
        if self._connection is not None:
            self._connection.close(code, reason, detail)

    # Between a session and its connection.

    def connect(self, connection: Connection) -> None:
        """Use a connection for this session; decisions that are open are sent again."""
        self._disconnected_before = self.seconds_disconnected()
        self._connection = connection
        for player in self._players.values():
            for message in player.unanswered_messages():
                if message not in self._backlog:
                    self._backlog.append(message)
        self._wake_writer()

    def disconnect(self, connection: Connection) -> None:
        """Note that a connection is cut, unless another one has replaced it."""
        if self._connection is connection:
            self._connection = None
            self.disconnected_at = self._loop.time()

    def uses(self, connection: Connection) -> bool:
        """Return whether this is the present connection of the session."""
        return self._connection is connection

    def seconds_disconnected(self) -> float:
        """Return for how many seconds in total the bot has been disconnected so far."""
        cut = self._connection is None and self.disconnected_at
        present = self._loop.time() - self.disconnected_at if cut else 0.0
        return self._disconnected_before + present

    @property
    def backlog(self) -> int:
        """The number of messages that wait to be sent."""
        return len(self._backlog)

    def next_message(self) -> bytes:
        """Remove and return the next message to send."""
        return self._backlog.popleft()

    def requeue(self, message: bytes) -> None:
        """Put back a message that could not be sent, for the present connection."""
        self._backlog.appendleft(message)
        self._wake_writer()

    def message_waiter(self) -> asyncio.Future[None]:
        """Return a future that is resolved when there may be a message to send."""
        self._wake_writer()  # only one connection waits: an older one has been replaced
        self._message_waiter = self._loop.create_future()
        return self._message_waiter

    def _wake_writer(self) -> None:
        waiter, self._message_waiter = self._message_waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    # From the bot.

    def try_fast_path(self, data: bytes) -> bool:
        """Accept a request if it is a canonical answer to the last question; return whether."""
        player = self._players.get(messages.peek_match(data))
        if player is None or not player.try_fast_path(data):
            return False
        self.stray_answers = 0
        return True

    async def on_submission(self, submitted: play_pb2.SubmitMove) -> bool:
        """Deliver an answer when there is space; return whether its decision is open."""
        player = self._players.get(submitted.match.encode())
        if player is None:
            self.stray_answers += 1
            return False
        self.stray_answers = 0
        if player.inbox.full:
            await player.inbox.wait_for_space()
        began = self._loop.time()
        answered = player.on_submission(submitted)
        if not answered:
            self.charge(self._loop.time() - began)
        return answered

    async def on_other_message(self, message: Message) -> None:
        """Deliver a message that answers nothing: it counts in every match of the bot."""
        for player in list(self._players.values()):
            await player.inbox.wait_for_space()
            began = self._loop.time()
            player.inbox.put(message)
            self.charge(self._loop.time() - began)
        if not self._players:
            self.stray_answers += 1

    def charge(self, seconds: float) -> None:
        """Note time that the event loop spent on a request of this bot that answered nothing.

        It is not credited as lag of the referee in any of its matches.
        """
        for player in self._players.values():
            player.inbox.handling_seconds += seconds


class GrpcPlayer:
    """A session at a seat of one match."""

    def __init__(self, session: Session) -> None:
        self.inbox = Inbox()
        self.inbox.sandbox = session.sandbox
        if session.sandbox is None:
            # A sandbox has no network that could fail: a bot that disconnects there loses its time.
            self.inbox.seconds_disconnected = session.seconds_disconnected
        self._loop = asyncio.get_running_loop()
        self._session = session
        self._game = self._match = ""
        self.pending: bytes | None = None
        """The message of the open decision, exactly as it was first sent."""
        self._started: bytes | None = None
        """The message that started the match, until the bot has answered a decision in it."""
        self._last_decision: bytes | None = None
        self._decision = 0
        self._answer_prefix: bytes | None = None
        """The first bytes of a canonical answer to the last question."""

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Send the start of the match."""
        self._game, self._match = plan.game.spec.name, plan.match
        self._session.attach(plan.match, self)
        self._started = messages.started_message(plan, seat, commitment(plan.seed, plan.salt))
        self._session.send(self._started)

    def unanswered_messages(self) -> Iterator[bytes]:
        """Return the messages that a bot needs again after a reconnect."""
        if self._started is not None:
            yield self._started
        if self.pending is not None:
            yield self.pending

    def ask(self, question: Question) -> None:
        """Send a question."""
        self._last_decision = self.pending = messages.decision_message(question)
        self._decision = question.decision
        self._answer_prefix = messages.answer_prefix(question)
        self._session.send(self.pending)
        if self._session.gone is not None and self.inbox.empty:
            self.inbox.put(self._session.gone)

    def try_fast_path(self, data: bytes) -> bool:
        """Accept a request if it is a canonical answer to the last question; return whether."""
        if self._answer_prefix is None or self.inbox.full:
            return False
        move = messages.read_canonical_answer(data, self._answer_prefix, self._game)
        if move is None:
            return False
        self.pending = self._started = None
        self.inbox.put(Submitted(self._match, self._decision, move, self._loop.time()))
        return True

    def on_submission(self, submitted: play_pb2.SubmitMove) -> bool:
        """Accept an answer, and return whether it is a move for the last question.

        The move of an answer to another decision is ignored, so it is not parsed.
        """
        now = self._loop.time()
        if submitted.decision_id != self._decision:
            self.inbox.put(StaleAnswer(self._match, submitted.decision_id, now))
            return False
        answer = messages.read_submission(self._game, submitted, now)
        answered = isinstance(answer, Submitted)
        if answered:
            self.pending = self._started = None
        self.inbox.put(answer)
        return answered

    def absence(self) -> Gone | None:
        """Return why the bot cannot answer now: gone, stopped, or disconnected."""
        if self._session.gone is not None:
            return self._session.gone
        if self._session.process_stopped():
            return STOPPED_PROCESS
        if not self._session.connected:
            return Gone(Fault.DISCONNECT, "the connection was cut, and the bot did not come back")
        return None

    def reject(self, rejection: Rejection) -> None:
        """Send the rejection of an answer; the decision is open again."""
        self.reopen()
        self._session.send(messages.rejected_message(rejection))

    def reopen(self) -> None:
        """Send the last decision again if the bot reconnects."""
        self.pending = self._last_decision

    def end(self, result: Result) -> None:
        """Send the result of the match."""
        self.pending = self._started = None
        self._session.send(messages.ended_message(result))
        self._session.detach(result.plan.match)
