"""A process that referees says so to Python and Linux; its bots know nothing of it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.loop import run_async
from referee.processes import BotCommand, BotProcess
from referee.tuning import THRESHOLDS, as_usual, refereeing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has batch processes")


def policies() -> set[int]:
    """Return how the threads of this process are scheduled."""
    threads = Path("/proc/self/task").iterdir()
    return {os.sched_getscheduler(int(thread.name)) for thread in threads}


@contextmanager
def another_thread() -> Iterator[None]:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_everything_is_as_before_when_the_matches_are_over() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    with another_thread():
        assert policies() == {os.SCHED_OTHER}
        with refereeing():
            assert gc.get_threshold() == THRESHOLDS
            assert gc.get_freeze_count() > before[1]
            assert policies() == {os.SCHED_BATCH}, "threads that were there already as well"
        assert policies() == {os.SCHED_OTHER}
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


def test_threads_that_are_started_meanwhile_are_like_the_others() -> None:
    with refereeing(), another_thread():
        assert policies() == {os.SCHED_BATCH}


def test_whoever_chose_another_policy_keeps_it() -> None:
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    try:
        with refereeing():
            assert os.sched_getscheduler(0) == os.SCHED_BATCH
        assert os.sched_getscheduler(0) == os.SCHED_BATCH
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def test_a_machine_that_forbids_it_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", forbidden)
    with refereeing():
        assert policies() == {os.SCHED_OTHER}
        as_usual(os.getpid())


def test_a_process_that_is_gone_is_no_reason_to_fail() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with refereeing():
        as_usual(gone.pid)


def test_bots_are_scheduled_as_any_other_process() -> None:
    async def policy_of_a_bot() -> int:
        bot = await BotProcess.start(BotCommand(("sleep", "60")), stderr=None)
        try:
            return os.sched_getscheduler(bot.pid)
        finally:
            await bot.end(grace=0)

    with refereeing():
        assert run_async(policy_of_a_bot()) == os.SCHED_OTHER
