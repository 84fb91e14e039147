"""Somebody at a seat, however far away: what the table says, and what it hears."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from engine import AnyGame, Event, NotationError, Options, Seat, Seed, Violation
from referee.clock import Clock, TimeControl
from referee.policy import Fault, Policy


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


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that a seat must make."""

    plan: MatchPlan
    seat: Seat
    decision: int
    view: Any
    events: Sequence[Event]
    """What happened since the seat was last told, as far as it may see it."""
    legal: Sequence[Any]
    clock: Clock


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
    events: Sequence[Event]
    ending: str
    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeits: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Submitted:
    """A move that came in."""

    match: str
    decision: int
    move: Any
    at: float
    """When it came in, in the time of the event loop."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something came in that is no answer."""

    problem: str
    said: str
    at: float


@dataclass(frozen=True, slots=True)
class Gone:
    """The player cannot answer any more."""

    fault: Fault
    detail: str


Answer = Submitted | Unreadable | Gone


class Player(Protocol):
    """A seat's connection for one match. Nothing here waits but ``answer``."""

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Tell the player that it is seated."""

    def ask(self, question: Question) -> None:
        """Put a question."""

    async def answer(self) -> Answer:
        """Wait for the next thing that the player says."""
        ...

    def absence(self) -> Gone | None:
        """Tell whether the player is away at this moment, and why."""

    def reject(self, rejection: Rejection) -> None:
        """Tell the player that its answer was not accepted."""

    def end(self, result: Result) -> None:
        """Tell the player how the match ended."""


class Inbox:
    """What came in for one seat of one match, in order, and bounded.

    Whoever fills it waits for room first, and so does the bot at the other end: a flood stays
    where it comes from.
    """

    def __init__(self, limit: int = 64) -> None:
        self._limit = limit
        self._answers: deque[Answer] = deque()
        self._arrival: asyncio.Future[None] | None = None
        self._departure: asyncio.Future[None] | None = None
        self._closed = False

    def put(self, answer: Answer) -> None:
        """Take in an answer and wake whoever waits for it."""
        if not self._closed:
            self._answers.append(answer)
            _wake(self._arrival)

    def close(self) -> None:
        """Drop everything from now on: nobody must wait for room in a match that is over."""
        self._closed = True
        self._answers.clear()
        _wake(self._departure)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to get."""
        return not self._answers

    async def room(self) -> None:
        """Wait until there is room for another answer."""
        while len(self._answers) >= self._limit:
            self._departure = asyncio.get_running_loop().create_future()
            await self._departure

    async def get(self) -> Answer:
        """Wait for the next answer."""
        while not self._answers:
            self._arrival = asyncio.get_running_loop().create_future()
            await self._arrival
        answer = self._answers.popleft()
        _wake(self._departure)
        return answer


def _wake(waiting: asyncio.Future[None] | None) -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)


Chooser = Callable[[Question], Any | Awaitable[Any]]


class InProcessPlayer:
    """A Python callable at a seat, for tests and experiments.

    It gets the question and returns a move or its notation, at once or after waiting.
    """

    def __init__(self, choose: Chooser) -> None:
        self._choose = choose
        self._question: Question | None = None
        self._choosing: asyncio.Future[Any] | None = None

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Do nothing: the question says everything."""

    def ask(self, question: Question) -> None:
        """Keep the question for ``answer``."""
        self._forget()
        self._question = question

    async def answer(self) -> Answer:
        """Let the callable choose; an exception of its own counts as a crash."""
        question = self._question
        if question is None:
            await asyncio.get_running_loop().create_future()
        assert question is not None  # noqa: S101  the future above never comes
        try:
            move = self._choose(question) if self._choosing is None else self._choosing
            if isinstance(move, Awaitable):
                self._choosing = asyncio.ensure_future(move)
                # Whoever stops waiting may go on later; the choice must not be lost meanwhile.
                move = await asyncio.shield(self._choosing)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  a bot may fail in any way
            self._forget()
            return Gone(Fault.CRASH, f"{type(error).__name__}: {error}")
        self._forget()
        now = asyncio.get_running_loop().time()
        if isinstance(move, str):
            try:
                move = question.plan.game.parse_move(move)
            except NotationError as error:
                return Unreadable(str(error), str(move), now)
        return Submitted(question.plan.match, question.decision, move, now)

    def _forget(self) -> None:
        if self._choosing is not None:
            self._choosing.cancel()
        self._choosing = self._question = None

    def absence(self) -> Gone | None:
        """Say that it is here."""
        return None

    def reject(self, rejection: Rejection) -> None:
        """Put the question again."""
        self._question = rejection.question

    def end(self, result: Result) -> None:  # noqa: ARG002  the interface has it
        """Stop choosing."""
        self._forget()


def seconds(duration: timedelta) -> float:
    """Return a duration as the event loop counts it."""
    return duration.total_seconds()
