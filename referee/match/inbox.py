"""The bounded queue of messages from one player."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Protocol

from referee.match.messages import Answer


class SandboxControl(Protocol):
    """What a match uses of the sandbox of a bot."""

    @property
    def description(self) -> Mapping[str, object]:
        """The sandbox as it stands in the record."""

    def freeze(self) -> None:
        """Stop the bot, until ``resume``."""

    def resume(self) -> None:
        """Let the bot go on."""

    def cpu_seconds(self) -> float:
        """Return the CPU time that the bot has used so far."""


class Inbox:
    """The messages that arrived for one seat of one match, in order, and bounded.

    A transport waits for space before it puts a message, so backpressure reaches the bot that
    floods. The match registers a callback that runs synchronously when a message arrives, not in
    the next iteration of the event loop: that halves the cost of a decision without its transport.
    """

    def __init__(self, limit: int = 64) -> None:
        self._limit = limit
        self._answers: deque[Answer] = deque()
        self._on_answer: Callable[[], None] | None = None
        self._on_space: Callable[[], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        """When the timer fires, if there is one."""
        self._deadline = 0.0
        self._closed = False
        self.handling_seconds = 0.0
        """Seconds of the event loop spent on messages that did not answer a decision. The bot
        caused this lag, so it is not credited."""
        self.seconds_disconnected: Callable[[], float] | None = None
        """Returns for how many seconds in total the bot has been disconnected; None for a player
        without a connection."""
        self.sandbox: SandboxControl | None = None
        """The sandbox of the bot; None for a player without one."""
        self.in_process = False
        """Whether the player is a function of this process, to which no CPU time is charged."""

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        # Cached: on some machines the call takes as long as encoding a message.
        return asyncio.get_running_loop()

    def put(self, answer: Answer) -> None:
        """Append an answer and run the registered callback."""
        if not self._closed:
            self._answers.append(answer)
            self._run_on_answer()

    def close(self) -> None:
        """Drop all messages from now on, so that no transport waits for space."""
        self._closed = True
        self._on_answer = None
        self._answers.clear()
        self._run_on_space()
        if self._timer is not None:
            self._timer.cancel()

    @property
    def empty(self) -> bool:
        """Whether there is no message."""
        return not self._answers

    @property
    def full(self) -> bool:
        """Whether there is no space for another message."""
        return len(self._answers) >= self._limit

    def take(self) -> Answer | None:
        """Remove and return the oldest message, or return None."""
        if not self._answers:
            return None
        answer = self._answers.popleft()
        if self._on_space is not None:
            self._run_on_space()
        return answer

    def on_answer(self, callback: Callable[[], None], deadline: float) -> None:
        """Register a callback that runs once: when a message arrives, or at the deadline."""
        self._on_answer = callback
        self._set_timer(deadline)

    async def get(self, deadline: float) -> Answer | None:
        """Wait for the next message and return it; None if none has arrived at the deadline."""
        if not self._answers:
            arrival = self._loop.create_future()
            self.on_answer(partial(_resolve, arrival), deadline)
            await arrival
        return self.take()

    def on_space(self, callback: Callable[[], None]) -> None:
        """Register a callback that runs once: when there is space, or the inbox is closed."""
        self._on_space = callback

    async def wait_for_space(self) -> None:
        """Wait until there is space for another message."""
        while self.full:
            freed: asyncio.Future[None] = self._loop.create_future()
            self.on_space(partial(_resolve, freed))
            await freed

    def _run_on_space(self) -> None:
        callback, self._on_space = self._on_space, None
        if callback is not None:
            callback()

    def _run_on_answer(self) -> None:
        callback, self._on_answer = self._on_answer, None
        if callback is not None:
            callback()

    def _set_timer(self, deadline: float) -> None:
        """Make the callback run at the deadline.

        A timer that fires earlier is kept, and is set again when it fires: nearly every answer
        arrives long before its deadline, so one timer serves many decisions.
        """
        self._deadline = deadline
        if self._timer is not None and self._timer_at > deadline:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer_at = deadline
            self._timer = self._loop.call_at(deadline, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self._on_answer is not None:
            if self._loop.time() < self._deadline:
                self._set_timer(self._deadline)
            else:
                # A message that arrives in the iteration of the deadline is in time.
                self._loop.call_soon(self._run_on_answer)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
