"""The loop on which processes of ours run."""

from __future__ import annotations

import asyncio
import time

import pytest
import uvloop

from referee.loop import CHOICE, run_async


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
