"""Long calls: how many go on at a time, and the end of those whose client does not read."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TypeVar

from referee.transports.rate_limit import RateLimitError

T = TypeVar("T")


class CallLimit:
    """Limits how many calls of one kind go on at a time: of one client, and in all."""

    def __init__(self, calls: str, of_one: int, of_all: int) -> None:
        """Limit calls; ``calls`` names them in messages, as "downloads of one address"."""
        self._name = calls
        self._of_one = of_one
        self._of_all = of_all
        self._calls: Counter[str] = Counter()

    def total(self) -> int:
        """Return how many calls go on."""
        return self._calls.total()

    @contextmanager
    def hold(self, client: str) -> Iterator[None]:
        """Count a call while the context lasts; raises RateLimitError if there are too many."""
        if self._calls.total() >= self._of_all or self._calls[client] >= self._of_one:
            raise RateLimitError(
                f"{self._of_one} {self._name} go on at a time; try again in a moment."
            )
        self._calls[client] += 1
        try:
            yield
        finally:
            self._calls[client] -= 1
            if not self._calls[client]:
                del self._calls[client]


async def read_within(seconds: float, responses: AsyncIterator[T]) -> AsyncIterator[T]:
    """Yield responses; cancel the call if the client takes longer than this to read one."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101  gRPC answers every call in a task
    async for response in responses:
        unread = loop.call_later(seconds, task.cancel)
        yield response
        unread.cancel()
