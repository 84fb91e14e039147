"""Somebody at a seat, however far away: what the table says, and what it hears."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol

from engine import AnyGame, Event, NotationError, Options, Seat, Seed, Violation
from referee.clock import Clock, TimeControl
from referee.news import News, flat
from referee.policy import Fault, Policy
from referee.record import STOPPED


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything that is settled before the first decision."""

    match: str
    game: AnyGame
    options: Options
    seed: Seed
    salt: bytes
    entrants: tuple[str, ...]
    time_control: TimeControl
    policy: Policy
    reveal_seed: bool = True
    """Whether the bots learn the seed at the end; not if the deal will be played again."""
    about: Mapping[str, object] = field(default_factory=dict)
    """What the head of the record says besides; the bots are not told."""


class Question(NamedTuple):
    """A decision that a seat must make."""

    plan: MatchPlan
    seat: Seat
    decision: int
    view: Any
    news: News
    legal: Sequence[Any]
    clock: Clock

    @property
    def events(self) -> list[Event]:
        """The news one after the other."""
        return flat(self.news)


@dataclass(frozen=True, slots=True)
class Rejection:
    """An answer that was not accepted; the question stays open."""

    question: Question
    violation: Violation | None
    """The broken rule; nothing if the answer could not be read."""
    message: str
    rejections_left: int
    strikes_left: int


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended, as a seat is told."""

    plan: MatchPlan
    seat: Seat
    view: Any
    news: News
    ending: str
    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeits: tuple[Seat, ...]

    @property
    def events(self) -> list[Event]:
        """The news one after the other."""
        return flat(self.news)

    @property
    def seed(self) -> str:
        """The seed as the seat is told; empty if the deal will be played again, or may be."""
        told = self.plan.reveal_seed and self.ending != STOPPED
        return self.plan.seed.hex() if told else ""


class Submitted(NamedTuple):
    """A move that came in."""

    match: str
    decision: int
    move: Any
    at: float
    """When it came in, in the time of the event loop."""


class Unreadable(NamedTuple):
    """Something came in that is no answer."""

    problem: str
    said: str
    at: float


class Gone(NamedTuple):
    """The player cannot answer any more."""

    fault: Fault
    detail: str


Answer = Submitted | Unreadable | Gone


class Player(Protocol):
    """A seat's connection for one match. Nothing here waits; what it says arrives in its inbox."""

    @property
    def inbox(self) -> Inbox:
        """Where everything arrives that the player says."""

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Tell the player that it is seated."""

    def ask(self, question: Question) -> None:
        """Put a question."""

    def absence(self) -> Gone | None:
        """Tell whether the player is away at this moment, and why."""

    def reject(self, rejection: Rejection) -> None:
        """Tell the player that its answer was not accepted."""

    def end(self, result: Result) -> None:
        """Tell the player how the match ended."""


class Inbox:
    """What came in for one seat of one match, in order, and bounded.

    Whoever fills it waits for room first, and so does the bot at the other end: a flood stays
    where it comes from. Whoever empties it is called when something arrives, at once and not in
    the next round of the event loop: that is half of what a decision costs besides its transport.
    """

    def __init__(self, limit: int = 64) -> None:
        self._limit = limit
        self._answers: deque[Answer] = deque()
        self._reader: Callable[[], None] | None = None
        self._when_room: Callable[[], None] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._until = 0.0
        self._rings = 0.0
        """When the alarm rings, if there is one."""
        self._closed = False

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        # Asked for once: on some machines, asking takes as long as encoding a message.
        return asyncio.get_running_loop()

    def put(self, answer: Answer) -> None:
        """Take in an answer and call whoever waits for it."""
        if not self._closed:
            self._answers.append(answer)
            self._call_reader()

    def close(self) -> None:
        """Drop everything from now on: nobody must wait for room in a match that is over."""
        self._closed = True
        self._reader = None
        self._answers.clear()
        self._make_room()
        if self._alarm is not None:
            self._alarm.cancel()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to get."""
        return not self._answers

    @property
    def full(self) -> bool:
        """Whether there is no room for another answer."""
        return len(self._answers) >= self._limit

    def take(self) -> Answer | None:
        """Return the next answer, if there is one."""
        if not self._answers:
            return None
        answer = self._answers.popleft()
        if self._when_room is not None:
            self._make_room()
        return answer

    def call(self, reader: Callable[[], None], until: float) -> None:
        """Have that called once: when something arrives, or when the time is up."""
        self._reader = reader
        self._set_alarm(until)

    async def get(self, until: float) -> Answer | None:
        """Wait for the next answer; nothing if none has come when the time is up."""
        if not self._answers:
            arrival = self._loop.create_future()
            self.call(partial(_wake, arrival), until)
            await arrival
        return self.take()

    def when_room(self, call: Callable[[], None]) -> None:
        """Have that called once, when there is room again or the match is over."""
        self._when_room = call

    async def room(self) -> None:
        """Wait until there is room for another answer."""
        while self.full:
            freed: asyncio.Future[None] = self._loop.create_future()
            self.when_room(partial(_wake, freed))
            await freed

    def _make_room(self) -> None:
        call, self._when_room = self._when_room, None
        if call is not None:
            call()

    def _call_reader(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader()

    def _set_alarm(self, until: float) -> None:
        """Call the reader at that time.

        An alarm that is set already stays: if it rings too early, it is set anew. Nearly every
        answer comes long before its time is up, so one alarm serves for many of them.
        """
        self._until = until
        if self._alarm is not None and self._rings > until:
            self._alarm.cancel()
            self._alarm = None
        if self._alarm is None:
            self._rings = until
            self._alarm = self._loop.call_at(until, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        if self._reader is not None:
            if self._loop.time() < self._until:
                self._set_alarm(self._until)
            else:
                # What comes in together with the end of the time has come in time.
                self._loop.call_soon(self._call_reader)


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


Chooser = Callable[[Question], Any | Awaitable[Any]]


class InProcessPlayer:
    """A Python callable at a seat, for tests and experiments.

    It gets the question and returns a move or its notation, at once or after waiting.
    """

    def __init__(self, choose: Chooser) -> None:
        self.inbox = Inbox()
        self._choose = choose
        self._choosing: asyncio.Task[None] | None = None

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Do nothing: the question says everything."""

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def ask(self, question: Question) -> None:
        """Let the callable choose."""
        self._put(question)

    def _put(self, question: Question) -> None:
        """Let the callable choose; an exception of its own counts as a crash."""
        self._stop()
        try:
            move = self._choose(question)
        except Exception as error:  # noqa: BLE001  a bot may fail in any way
            self.inbox.put(_crash(error))
            return
        if isinstance(move, Awaitable):
            self._choosing = asyncio.ensure_future(self._wait_for(question, move))
        else:
            self.inbox.put(_submitted(question, move, self._loop.time()))

    async def _wait_for(self, question: Question, move: Awaitable[Any]) -> None:
        try:
            self.inbox.put(_submitted(question, await move, self._loop.time()))
        except Exception as error:  # noqa: BLE001  as above
            self.inbox.put(_crash(error))

    def _stop(self) -> None:
        if self._choosing is not None:
            self._choosing.cancel()
            self._choosing = None

    def absence(self) -> Gone | None:
        """Say that it is here."""
        return None

    def reject(self, rejection: Rejection) -> None:
        """Put the question again."""
        self._put(rejection.question)

    def end(self, result: Result) -> None:  # noqa: ARG002  the interface has it
        """Stop choosing."""
        self._stop()
        self.inbox.close()


class EmptySeat:
    """Nobody: for the seat of a player who is absent from the beginning."""

    def __init__(self) -> None:
        self.inbox = Inbox()

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Do nothing."""

    def ask(self, question: Question) -> None:
        """Do nothing."""

    def absence(self) -> Gone | None:
        """Say nothing."""
        return None

    def reject(self, rejection: Rejection) -> None:
        """Do nothing."""

    def end(self, result: Result) -> None:
        """Do nothing."""


def _submitted(question: Question, move: Any, now: float) -> Submitted | Unreadable:
    if isinstance(move, str):
        try:
            move = question.plan.game.parse_move(move)
        except NotationError as error:
            return Unreadable(str(error), move, now)
    return Submitted(question.plan.match, question.decision, move, now)


def _crash(error: Exception) -> Gone:
    return Gone(Fault.CRASH, f"{type(error).__name__}: {error}")
