"""What a process that referees asks of Python and of Linux while it does.

**Garbage.** A match makes thousands of small values that refer to each other in no circle and die
young. The collector would look for circles among them a hundred times in a match, and from time to
time among everything that was ever imported. So it looks rarely, and not at what stays.

**Turns.** Whenever a message arrives, a thread of gRPC or our own wakes up, and Linux lets it push
aside whoever is running: most often the very bot or thread that has the next message ready. As a
batch process we wait until a core is free or our turn has come, and then find several messages at
once. With gRPC bots a decision costs a fifth less; what bots are charged with does not change, not
even on a machine that is busy with other things.
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

_SWITCHABLE: Final = hasattr(os, "SCHED_BATCH")
"""Whether this system knows batch processes: Linux does."""


@contextlib.contextmanager
def refereeing() -> Iterator[None]:
    """While this lasts, collect garbage rarely and take turns as a batch process does."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    switched = _SWITCHABLE and os.sched_getscheduler(0) == os.SCHED_OTHER
    if switched:
        _schedule(os.getpid(), os.SCHED_BATCH)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
        if switched:
            _schedule(os.getpid(), os.SCHED_OTHER)


def as_usual(pid: int) -> None:
    """Let a process that we have started take its turns as any other does."""
    if _SWITCHABLE and os.sched_getscheduler(0) == os.SCHED_BATCH:
        _schedule(pid, os.SCHED_OTHER)


def _schedule(pid: int, policy: int) -> None:
    """Change how every thread of a process is scheduled, if we may; later ones inherit it."""
    # A thread may end meanwhile, and a sandbox may forbid this: then everything is as it was.
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                os.sched_setscheduler(int(thread.name), policy, os.sched_param(0))
