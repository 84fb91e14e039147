"""The loop on which processes of ours run."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import pytest
import uvloop

from referee.runtime.event_loop import CHOICE, run_async
from tests.waiting import PATIENCE


async def the_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


async def time_that_passes_in_a_callback() -> float:
    """Block the loop for a moment, and tell how much of it its clock has seen."""
    loop = asyncio.get_running_loop()
    before = loop.time()
    end = time.perf_counter() + 0.0005
    while time.perf_counter() < end:
        pass
    return loop.time() - before


@pytest.fixture(params=["asyncio", "uvloop"])
def chosen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(CHOICE, request.param)
    return str(request.param)


def test_the_variable_chooses_the_loop(chosen: str) -> None:
    assert isinstance(run_async(the_loop()), uvloop.Loop) == (chosen == "uvloop")


def test_uvloop_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOICE, raising=False)
    assert isinstance(run_async(the_loop()), uvloop.Loop)


def test_the_clock_goes_on_while_a_callback_runs(chosen: str) -> None:
    assert chosen
    assert run_async(time_that_passes_in_a_callback()) >= 0.0005


def test_what_a_coroutine_raises_comes_out(chosen: str) -> None:
    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError(chosen)

    with pytest.raises(LookupError, match=chosen):
        run_async(fail())


def test_an_interrupt_cancels_however_often_it_comes_and_is_told_at_the_end(chosen: str) -> None:
    cancelled: list[str] = []

    async def wait_and_clear_up() -> None:
        for stage in ("waiting", "clearing up", "clearing up still"):
            asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), signal.SIGINT)
            try:
                await asyncio.sleep(PATIENCE)
            except asyncio.CancelledError:
                cancelled.append(stage)
        raise asyncio.CancelledError

    with pytest.raises(KeyboardInterrupt):
        run_async(wait_and_clear_up())
    assert cancelled == ["waiting", "clearing up", "clearing up still"], chosen
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_ignores_interrupts_goes_on_ignoring_them(chosen: str) -> None:
    async def interrupted() -> str:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.05)
        return chosen

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert run_async(interrupted()) == chosen
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
