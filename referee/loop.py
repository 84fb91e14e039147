"""The event loop on which a process of ours runs.

uvloop does the same as asyncio's own loop, and takes a quarter off what a decision over pipes
costs. Where it is not installed, or where HIGHSTREET_LOOP=asyncio asks for the other one, nothing
else changes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")

CHOICE = "HIGHSTREET_LOOP"
"""The variable that chooses: ``asyncio`` for the loop of asyncio, anything else for uvloop."""


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, as ``asyncio.run`` does; Ctrl-C cancels it, however often.

    asyncio raises KeyboardInterrupt out of whatever runs when the second Ctrl-C comes. What was
    waiting there is then in no state to be cancelled: Python 3.11 ends with a segmentation fault,
    and whatever was being cleared up stays behind. Here KeyboardInterrupt comes out at the end.
    """
    interrupted = False

    async def watched() -> T:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  this is it

        def interrupt() -> None:
            nonlocal interrupted
            interrupted = True
            task.cancel()

        if listens:
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupt)
        return await main

    # Who has settled what Ctrl-C means, keeps it; and only the main thread is told.
    default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    listens = default and threading.current_thread() is threading.main_thread()
    try:
        with asyncio.Runner(loop_factory=_factory()) as runner:
            return runner.run(watched())
    except asyncio.CancelledError:
        if interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        if listens:  # a loop that is closed would keep it
            signal.signal(signal.SIGINT, signal.default_int_handler)


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

        # Not a method that calls it: a decision asks for the time often.
        time = staticmethod(monotonic)

    return PunctualLoop
