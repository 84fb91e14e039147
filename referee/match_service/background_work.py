"""Bulk work beside matches: one piece at a time, with a small share of a processor."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

T = TypeVar("T")

SHARE: Final = 0.02
"""The share of the server's processor time that all downloads together take while matches are
played, without the sending of what they read, which takes about half as much. The processor's
caches are shared too, so the share is well below the tenth of their decisions that the tables may
lose."""
MOST_PAUSES: Final = 3
"""On a server that gets little processor time, or needs little, a pause is at most this many times
as long as on one that keeps a processor busy."""


class BackgroundWork:
    """Makes the pieces of all downloads of a server in one thread, in turn.

    While matches are played, each piece is followed by a pause, so that all tables together lose at
    most a tenth of their decisions, however many clients download. Downloads wait in a fair queue.
    """

    def __init__(self, busy: Callable[[], bool] = lambda: True, share: float = SHARE) -> None:
        self.seconds = 0.0
        """Processor time that was used."""
        self._busy = busy
        self._pauses = (1 - share) / share
        self._turn = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, "downloads")

    async def next(self, made: Iterator[T]) -> T | None:
        """Return the next piece, or nothing at the end."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            piece, spent = await loop.run_in_executor(self._thread, _timed, made)
            self.seconds += spent
            if self._busy():
                await self._pause(self._pauses * spent)
        return piece

    async def _pause(self, seconds: float) -> None:
        """Wait until the process has used this much processor time for other work."""
        end = time.process_time() + seconds
        for _ in range(MOST_PAUSES):
            await asyncio.sleep(seconds)
            if time.process_time() >= end:
                return


def _timed(made: Iterator[T]) -> tuple[T | None, float]:
    """Return the next piece, and how many seconds of this thread's time it took."""
    began = time.thread_time()
    return next(made, None), time.thread_time() - began
