"""Python callables as bots, for tests, benchmarks and random opponents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Any

from engine import NotationError, Seat
from referee.match import Gone, Inbox, MatchPlan, Question, Rejection, Result, Submitted, Unreadable
from referee.model import Fault

Chooser = Callable[[Question], Any | Awaitable[Any]]
"""Returns a move or its notation, directly or as an awaitable."""


class InProcessPlayer:
    """A callable at a seat; an exception that it raises counts as a crash."""

    def __init__(self, choose: Chooser) -> None:
        self.inbox = Inbox()
        self.inbox.in_process = True
        self._choose = choose
        self._choosing: asyncio.Task[None] | None = None

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Do nothing: the question contains everything."""

    def ask(self, question: Question) -> None:
        """Call the callable and put its move into the inbox."""
        self._choose_move(question)

    def _choose_move(self, question: Question) -> None:
        self._cancel()
        try:
            move = self._choose(question)
        except Exception as error:  # noqa: BLE001  a bot may raise anything
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

    def _cancel(self) -> None:
        if self._choosing is not None:
            self._choosing.cancel()
            self._choosing = None

    def absence(self) -> Gone | None:
        """Return None: a callable is always present."""
        return None

    def reject(self, rejection: Rejection) -> None:
        """Call the callable again."""
        self._choose_move(rejection.question)

    def end(self, result: Result) -> None:  # noqa: ARG002  the interface has it
        """Cancel an answer that is still awaited."""
        self._cancel()
        self.inbox.close()


def _submitted(question: Question, move: Any, now: float) -> Submitted | Unreadable:
    if isinstance(move, str):
        try:
            move = question.plan.game.parse_move(move)
        except NotationError as error:
            return Unreadable(str(error), move, now)
    return Submitted(question.plan.match, question.decision, move, now)


def _crash(error: Exception) -> Gone:
    return Gone(Fault.CRASH, f"{type(error).__name__}: {error}")
