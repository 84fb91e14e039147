"""An event loop whose clock is a variable: hours pass at once, and nothing ever sleeps.

async def story() -> float:
    await asyncio.sleep(3600)
    return asyncio.get_running_loop().time()

assert run(story()) == 3600
"""

from __future__ import annotations

import asyncio
import gc
import selectors
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """A loop that does not wait for its next timer, but makes it that time."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_ImpatientSelector(self.advance))

    def time(self) -> float:
        """Return the virtual time in seconds; it begins with 0."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass; inside a callback, this is a loop that is blocked for so long."""
        self._now += seconds


class _ImpatientSelector(selectors.SelectSelector):
    """Tells how long it would have waited, instead of waiting."""

    def __init__(self, advance: Callable[[float], None]) -> None:
        super().__init__()
        self._advance = advance

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise AssertionError("everybody waits, and there is no timer to end that.")
            self._advance(timeout)
        return ready


def virtual_loop() -> VirtualTimeLoop:
    """Return the running loop, which must be a virtual one."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    return loop


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in virtual time, and check that it leaves nothing behind.

    Nothing means: no task, no timer, no exception that nobody saw.
    """
    loop = VirtualTimeLoop()
    unseen: list[object] = []
    loop.set_exception_handler(lambda _loop, context: unseen.append(context))
    hook, sys.unraisablehook = sys.unraisablehook, unseen.append
    gc.freeze()  # what was there before need not be searched again
    try:
        try:
            result = loop.run_until_complete(coroutine)
            loop.run_until_complete(asyncio.sleep(0))
            left = _left_over(loop)
        finally:
            _clear(loop)
        gc.collect()
    finally:
        gc.unfreeze()
        sys.unraisablehook = hook
        loop.close()
    assert not left, f"left over: {left}"
    assert not unseen, f"exceptions that nobody saw: {unseen}"
    return result


def _left_over(loop: VirtualTimeLoop) -> list[object]:
    timers = [timer for timer in loop._scheduled if not timer.cancelled()]  # type: ignore[attr-defined]
    return [*asyncio.all_tasks(loop), *timers]


def _clear(loop: VirtualTimeLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks))
