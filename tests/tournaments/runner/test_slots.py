"""Slots: what the machine carries, in matches and in processes."""

from __future__ import annotations

import asyncio
import os

import pytest

from tests.waiting import PATIENCE
from tournaments.runner import Slots


def test_one_match_begins_for_each_core_and_half_of_the_memory_is_for_bots() -> None:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    slots = Slots.of_machine(memory // 20)
    assert (slots.matches, slots.processes) == (len(os.sched_getaffinity(0)), 10)
    assert Slots.of_machine(memory // 20, 7).matches == 7
    assert Slots.of_machine(10 * memory).processes == 1


@pytest.mark.parametrize(
    ("held", "bots", "fits"),
    [
        ((), 2, True),
        ((2,), 2, True),
        ((2,), 3, False),  # processes
        ((1, 1), 1, False),  # matches
        ((), 9, True),  # alone
        ((9,), 1, False),
        ((1, 1), 0, True),  # all bots are elsewhere
    ],
)
def test_a_match_fits_by_matches_and_by_processes(
    held: tuple[int, ...], bots: int, *, fits: bool
) -> None:
    slots = Slots(2, 4)
    for each in held:
        slots.hold(each)
    assert slots.fit(bots) is fits


def test_what_is_released_can_be_held_again() -> None:
    slots = Slots(2, 4)
    assert slots.free == 2
    slots.hold(3)
    assert (slots.held, slots.free) == (1, 1)
    slots.hold(1)
    assert (slots.held, slots.free) == (2, 0)
    slots.release(3)
    assert (slots.held, slots.free, slots.most_processes) == (1, 1, 4)


def test_a_match_that_is_played_alone_may_have_more_processes() -> None:
    slots = Slots(2, 4)
    slots.hold(6)
    assert (slots.free, slots.most_processes) == (0, 6)
    slots.release(6)
    assert slots.most_processes == 4


def test_a_stage_waits_for_matches_under_way_and_comes_before_others() -> None:
    slots = Slots(2, 4)
    began = []

    async def stage() -> None:
        async with slots.stage(4):
            began.append(slots.fit(1))

    async def story() -> None:
        slots.hold(2)
        slots.hold(1)
        task = asyncio.create_task(stage())
        await asyncio.sleep(0)
        slots.release(1)
        await asyncio.sleep(0)
        assert began == []  # the other match has two processes
        assert not slots.fit(1)  # the stage waits, and is the next
        assert slots.fit(0)
        slots.release(2)
        await asyncio.wait_for(task, PATIENCE)
        assert began == [False]
        assert slots.fit(1)

    asyncio.run(story())


def test_matches_begin_between_stages_that_leave_them_no_slot() -> None:
    slots = Slots(1, 4)
    began = []

    async def stage(name: str) -> None:
        async with slots.stage(1):
            began.append(name)

    async def story() -> None:
        await stage("first")
        second = asyncio.create_task(stage("second"))
        await asyncio.sleep(0)
        assert began == ["first"]
        assert slots.fit(2)  # it is the turn of the matches
        slots.hold(2)
        third = asyncio.create_task(stage("third"))
        await asyncio.sleep(0)
        assert not slots.fit(1)
        slots.release(2)
        await asyncio.wait_for(second, PATIENCE)
        await asyncio.wait_for(third, PATIENCE)  # although no match wants to begin
        assert began == ["first", "second", "third"]

    asyncio.run(story())


def test_a_stage_that_is_cancelled_holds_nothing() -> None:
    slots = Slots(1, 1)

    async def stage(began: asyncio.Event) -> None:
        async with slots.stage(1):
            began.set()
            await asyncio.sleep(PATIENCE)

    async def story() -> None:
        first_began, second_began = asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(stage(first_began))
        await first_began.wait()
        second = asyncio.create_task(stage(second_began))
        await asyncio.sleep(0)
        for task in (second, first):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert not second_began.is_set()
        assert slots.fit(1)
        assert slots.most_processes == 1

    asyncio.run(story())


def test_matches_without_hosted_bots_hold_nothing() -> None:
    slots = Slots(1, 1)
    slots.hold(0)
    slots.release(0)
    assert slots.held == 0
