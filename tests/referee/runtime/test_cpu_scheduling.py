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

from referee.model.bot import BotCommand
from referee.runtime.cpu_scheduling import CHOICE, THRESHOLDS, default_scheduling, tuned_process
from referee.runtime.event_loop import run_async
from referee.sandbox.process import BotProcess

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
        with tuned_process():
            assert gc.get_threshold() == THRESHOLDS
            assert gc.get_freeze_count() > before[1]
            assert policies() == {os.SCHED_BATCH}, "threads that were there already as well"
        assert policies() == {os.SCHED_OTHER}
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


def test_threads_that_are_started_meanwhile_are_like_the_others() -> None:
    with tuned_process(), another_thread():
        assert policies() == {os.SCHED_BATCH}


@pytest.mark.parametrize("chosen", [os.SCHED_BATCH, os.SCHED_IDLE])
def test_whoever_chose_another_policy_keeps_it(chosen: int) -> None:
    """In a process of its own: from idle there is no way back without rights."""
    script = (
        "import os, subprocess, sys\n"
        "from referee.runtime.cpu_scheduling import tuned_process, default_scheduling\n"
        f"os.sched_setscheduler(0, {chosen}, os.sched_param(0))\n"
        "said = [sys.executable, '-c', 'import os; print(os.sched_getscheduler(0))']\n"
        "with tuned_process(), default_scheduling():\n"
        "    print(os.sched_getscheduler(0), flush=True)\n"
        "    subprocess.run(said, check=True)\n"
        "print(os.sched_getscheduler(0))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(chosen)] * 3, "us, what we start, and us afterwards"


def test_the_variable_asks_for_the_usual_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, "usual")
    with tuned_process():
        assert policies() == {os.SCHED_OTHER}
        assert gc.get_threshold() == THRESHOLDS


def test_to_say_it_twice_is_to_say_it_once() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    with tuned_process():
        frozen = gc.get_freeze_count()
        with tuned_process():
            assert policies() == {os.SCHED_BATCH}
        assert policies() == {os.SCHED_BATCH}
        assert gc.get_freeze_count() == frozen
    assert policies() == {os.SCHED_OTHER}
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


@pytest.mark.parametrize(
    ("missing", "error"),
    [
        ("sched_setscheduler", PermissionError("a sandbox")),
        ("sched_getscheduler", PermissionError("a sandbox")),
        ("sched_getscheduler", OSError(38, "another C library")),
        ("sched_getscheduler", AttributeError("another system")),
    ],
)
def test_a_machine_that_does_not_do_it_is_no_reason_to_fail(
    monkeypatch: pytest.MonkeyPatch, missing: str, error: Exception
) -> None:
    def fails(*_: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, missing, fails)
        with tuned_process(), default_scheduling():
            assert gc.get_threshold() == THRESHOLDS
    assert policies() == {os.SCHED_OTHER}
    assert gc.get_threshold() != THRESHOLDS


def test_starts_that_overlap_are_all_as_usual() -> None:
    with tuned_process():
        first, second = default_scheduling(), default_scheduling()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert os.sched_getscheduler(0) == os.SCHED_OTHER, "the second is not over"
        second.__exit__(None, None, None)
        assert os.sched_getscheduler(0) == os.SCHED_BATCH


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_bots_and_what_they_start_are_scheduled_as_any_other_process(
    loop: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Even what a shell starts at once, long before anybody could have changed anything."""
    monkeypatch.setenv("HIGHSTREET_LOOP", loop)
    child = f"{sys.executable} -c 'import os; print(os.sched_getscheduler(0))'"
    log = tmp_path / "log"

    async def start() -> None:
        command = BotCommand(("sh", "-c", f"{child} & {child}; wait"))
        bot = await BotProcess.start(command, stderr=log)
        await bot.wait()
        await bot.end(grace=0)

    with tuned_process():
        run_async(start())
    assert log.read_text().split() == [str(os.SCHED_OTHER)] * 2
