"""What a process that referees asks of Python and of Linux while it does.

**Garbage.** A match makes thousands of small values that refer to each other in no circle and die
young. The collector would look for circles among them a hundred times in a match, and from time to
time among everything that was ever imported. So it looks rarely, and not at what stays.

**Turns.** Whenever a message arrives, a thread of gRPC or our own wakes up, and Linux lets it push
aside whoever is running: most often the very bot or thread that has the next message ready. As a
batch process we wait until a core is free or our turn has come, and then find several messages at
once. With gRPC bots a decision costs a fifth less; what bots are charged with stays the same within
a tenth of a millisecond (docs/adr/0011-turns-of-a-batch-process.md).
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

THRESHOLDS: Final = (20_000, 20, 50)
"""How many values must be made between two collections of the young, and so on."""

_USUAL: Final = getattr(os, "SCHED_OTHER", 0)
_BATCH: Final = getattr(os, "SCHED_BATCH", 0)
"""What Linux calls the two; other systems have neither."""

CHOICE: Final = "HIGHSTREET_TURNS"
"""The variable that chooses: ``usual`` for the turns of any process, anything else for ours."""


class _Turns:
    """How the threads of this process are scheduled."""

    def __init__(self) -> None:
        self._batch = False
        """Whether we have made this a batch process."""
        self._starting = 0
        """How many processes are being started at this moment."""

    @contextlib.contextmanager
    def of_a_batch(self) -> Iterator[None]:
        """Make this a batch process, unless somebody has chosen already what it is."""
        if self._batch or os.environ.get(CHOICE) == "usual" or not _is_usual():
            yield
            return
        _schedule_all(_BATCH)
        self._batch = True
        try:
            yield
        finally:
            self._batch = False
            _schedule_all(_USUAL)

    @contextlib.contextmanager
    def of_a_start(self) -> Iterator[None]:
        """Let what this thread starts inherit the usual turns; several starts may overlap."""
        if not self._batch:
            yield
            return
        self._starting += 1
        _schedule(0, _USUAL)
        try:
            yield
        finally:
            self._starting -= 1
            if not self._starting:
                self._resume()

    def _resume(self) -> None:
        """Go back to the turns of a batch process, unless that is over."""
        if self._batch:
            _schedule(0, _BATCH)


_TURNS: Final = _Turns()


@contextlib.contextmanager
def refereeing() -> Iterator[None]:
    """While this lasts, collect garbage rarely and take turns as a batch process does."""
    before = gc.get_threshold()
    if before == THRESHOLDS:  # somebody around us has said so already
        yield
        return
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        with _TURNS.of_a_batch():
            yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def starting() -> contextlib.AbstractContextManager[None]:
    """While this lasts, whatever the event loop starts takes its turns as any process does."""
    return _TURNS.of_a_start()


def _is_usual() -> bool:
    """Tell whether this thread is scheduled as usual, as far as that can be known."""
    try:
        return os.sched_getscheduler(0) == _USUAL
    except (AttributeError, OSError):  # another system, another C library, a sandbox
        return False


def _schedule_all(policy: int) -> None:
    """Change how every thread of this process is scheduled; later ones inherit it."""
    with contextlib.suppress(OSError):
        for thread in Path("/proc/self/task").iterdir():
            _schedule(int(thread.name), policy)


def _schedule(thread: int, policy: int) -> None:
    # A thread may have ended, and a sandbox may forbid this: then everything is as it was.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(thread, policy, os.sched_param(0))
