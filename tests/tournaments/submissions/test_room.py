"""Builds and trials take the slots of the machine, as matches of submitted bots do."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from referee.runtime import run_async
from tests.tournaments.leagues import FRESH, LEAGUE
from tests.tournaments.packages import bot_folder
from tests.waiting import PATIENCE
from tournaments.model import Enrolment, Stage, Submission, SubmissionState
from tournaments.runner import Slots
from tournaments.server import HostedBots
from tournaments.store import Store
from tournaments.submissions import PackageCache, SubmissionQueue, pack, receive_package

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("HIGHSTREET_SANDBOX") != "required" and shutil.which("bwrap") is None,
        reason="bwrap is missing: apt install bubblewrap",
    ),
]


async def passes(queue: SubmissionQueue, known: Submission, stage: Stage) -> Submission:
    """Wait until a submission has passed a stage."""
    async with asyncio.timeout(PATIENCE):
        while known.stage is not stage and known.state is not SubmissionState.FAILED:
            known = await queue.wait_for_change(known, PATIENCE)
    assert known.state is not SubmissionState.FAILED, known.reason
    return known


def test_stages_wait_for_a_slot_and_give_it_back(tmp_path: Path) -> None:
    """The machine carries one match of two bots: what is built or tried is alone on it."""
    folder = bot_folder(tmp_path / "bot", "crow", runtime="python")
    with (folder / "bot.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('[build]\ncommand = ["true"]\n')
    slots = Slots(1, 2)

    async def story() -> None:
        cache = PackageCache(tmp_path / "cache")
        hosting = HostedBots(store, cache, tmp_path / "hosted", slots)
        queue = SubmissionQueue(store, cache, hosting.room)
        made = await asyncio.to_thread(receive_package, store, LEAGUE, "ann", pack(folder))
        slots.hold(2)
        await queue.start("here")
        try:
            made = await passes(queue, made, Stage.UNPACKED)
            async with asyncio.timeout(PATIENCE):
                while not slots._waiting:
                    await asyncio.sleep(0.01)
            assert (await asyncio.to_thread(store.submission, made.id)).stage is Stage.UNPACKED
            slots.release(2)  # the match is over
            await passes(queue, made, Stage.TRIED)
        finally:
            await queue.stop()
        assert (slots.fit(2), slots.most_processes) == (True, 2)

    with Store.open(f"sqlite:///{tmp_path / 'league.db'}") as store:
        store.create_league(LEAGUE, replace(FRESH, enrolment=Enrolment.OPEN))
        store.sign_up(LEAGUE, "ann")
        run_async(story())
