"""Garbage collection and scheduling policy of a process that plays matches.

**Garbage collection.** A match allocates thousands of short-lived objects without reference cycles.
With the default thresholds the collector scans them a hundred times per match, and now and then
scans everything that was ever imported. ``tuned_process`` raises the thresholds and freezes the
objects that exist already.

**Scheduling policy.** Whenever a message arrives, a thread of gRPC or of this process wakes up and
preempts the running thread, which is most often the bot or the thread that has the next message
ready. Under SCHED_BATCH it waits for a free core or for its time slice, and then finds several
messages at once. A decision over gRPC takes 20 % less CPU time, and the thinking time that bots are
charged stays the same within 0.1 ms (docs/adr/0011-turns-of-a-batch-process.md).
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

THRESHOLDS: Final = (20_000, 20, 50)
"""The thresholds of the three generations of the garbage collector."""

_OTHER: Final = getattr(os, "SCHED_OTHER", 0)
_BATCH: Final = getattr(os, "SCHED_BATCH", 0)
"""The two policies of Linux; other systems have neither."""

CHOICE: Final = "HIGHSTREET_TURNS"
"""The environment variable: ``usual`` keeps SCHED_OTHER, anything else selects SCHED_BATCH."""


class _SchedulingPolicy:
    """The scheduling policy of the threads of this process."""

    def __init__(self) -> None:
        self._batch = False
        """Whether this process has been switched to SCHED_BATCH."""
        self._starting = 0
        """The number of processes that are being started at this moment."""

    @contextlib.contextmanager
    def batch(self) -> Iterator[None]:
        """Switch to SCHED_BATCH, unless the process was started with a policy of its own."""
        if self._batch or os.environ.get(CHOICE) == "usual" or not _has_default_policy():
            yield
            return
        _set_policy_of_all_threads(_BATCH)
        self._batch = True
        try:
            yield
        finally:
            self._batch = False
            _set_policy_of_all_threads(_OTHER)

    @contextlib.contextmanager
    def default_for_children(self) -> Iterator[None]:
        """Let child processes of this thread inherit SCHED_OTHER; calls may overlap."""
        if not self._batch:
            yield
            return
        self._starting += 1
        _set_policy(0, _OTHER)
        try:
            yield
        finally:
            self._starting -= 1
            if not self._starting and self._batch:
                _set_policy(0, _BATCH)


_POLICY: Final = _SchedulingPolicy()


@contextlib.contextmanager
def tuned_process() -> Iterator[None]:
    """Collect garbage rarely and run under SCHED_BATCH; nested calls have no effect."""
    before = gc.get_threshold()
    if before == THRESHOLDS:
        yield
        return
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        with _POLICY.batch():
            yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def default_scheduling() -> contextlib.AbstractContextManager[None]:
    """Start child processes under SCHED_OTHER, whatever the policy of this process."""
    return _POLICY.default_for_children()


def _has_default_policy() -> bool:
    """Return whether this thread runs under SCHED_OTHER; False where that cannot be read."""
    try:
        return os.sched_getscheduler(0) == _OTHER
    except (AttributeError, OSError):  # another system, another C library, a sandbox
        return False


def _set_policy_of_all_threads(policy: int) -> None:
    """Set the policy of every thread of this process; new threads inherit it."""
    with contextlib.suppress(OSError):
        for thread in Path("/proc/self/task").iterdir():
            _set_policy(int(thread.name), policy)


def _set_policy(thread: int, policy: int) -> None:
    # The thread may have ended, or a sandbox may forbid the call: then the policy stays.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(thread, policy, os.sched_param(0))
