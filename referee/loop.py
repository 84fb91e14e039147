"""The event loop on which a process of ours runs.

uvloop does the same as asyncio's own loop, and takes a quarter off what a decision over pipes
costs. Where it is not installed, or where HIGHSTREET_LOOP=asyncio asks for the other one, nothing
else changes.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

CHOICE = "HIGHSTREET_LOOP"
"""The variable that chooses: ``asyncio`` for the loop of asyncio, anything else for uvloop."""


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, as ``asyncio.run`` does."""
    with asyncio.Runner(loop_factory=_factory()) as runner:
        return runner.run(main)


def _factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes the loop; nothing for that of asyncio."""
    if os.environ.get(CHOICE) == "asyncio":
        return None
    try:
        # Only where something is run: this takes as long as half of our other imports.
        import uvloop  # noqa: PLC0415
    except ImportError:
        return None

    class PunctualLoop(uvloop.Loop):
        """A loop whose clock is as fine as that of asyncio.

        That of uvloop counts milliseconds and stands still while callbacks run; bots are timed by
        it, so this will not do.
        """

        def time(self) -> float:
            """Return the time in seconds."""
            return time.monotonic()

    return PunctualLoop
