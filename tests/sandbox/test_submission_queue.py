"""Submissions on their way through the stages, in the real sandbox and a real store."""

from __future__ import annotations

import asyncio
import shutil
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from referee.runtime.event_loop import run_async
from tests.tournaments.leagues import FRESH, LEAGUE
from tests.waiting import PATIENCE
from tournaments.model import Enrolment, Stage, Submission, SubmissionState
from tournaments.store import Store
from tournaments.submissions import PackageCache, SubmissionQueue, pack, receive_package

SAMPLES = Path(__file__).parents[2] / "sample_bots"
ENDED = (SubmissionState.ACTIVE, SubmissionState.FAILED)
BLOCKING = ("shutil.copytree", "subprocess.Popen", "time.sleep")
"""What Python reports to its audit hooks when a thread copies files, or waits."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Open a store with a league that takes bots of the author ann."""
    with Store.open(f"sqlite:///{tmp_path / 'league.db'}") as opened:
        opened.create_league(LEAGUE, replace(FRESH, enrolment=Enrolment.OPEN))
        opened.sign_up(LEAGUE, "ann")
        yield opened


def package(folder: Path, name: str, build: str = "true") -> bytes:
    """Return a package of the smallest bot, with a build command unless it is empty."""
    folder.mkdir()
    shutil.copy(SAMPLES / "python" / "tiny_bot.py", folder)
    command = f'[build]\ncommand = ["sh", "-c", "{build}"]\n' if build else ""
    (folder / "bot.toml").write_text(
        f'[bot]\nname = "{name}"\ngames = ["glastonbury"]\n{command}'
        '[run]\ncommand = ["python3", "tiny_bot.py"]\nruntime = "python"\n'
    )
    return pack(folder)


def with_queue(
    store: Store, cache: Path, work: Callable[[SubmissionQueue], Awaitable[None]]
) -> list[str]:
    """Run a queue while something is done, and return the leagues with other versions."""
    changed: list[str] = []

    async def story() -> None:
        queue = SubmissionQueue(store, PackageCache(cache))
        queue.on_playing_changed = changed.append
        await queue.start("here")
        try:
            await work(queue)
        finally:
            await queue.stop()

    run_async(story())
    return changed


async def ended(queue: SubmissionQueue, submission: Submission) -> Submission:
    """Wait until a submission is active or has failed."""
    async with asyncio.timeout(PATIENCE):
        while submission.state not in ENDED:
            submission = await queue.wait_for_change(submission, PATIENCE)
    return submission


def test_a_package_passes_all_stages_and_plays(store: Store, tmp_path: Path) -> None:
    packed = package(tmp_path / "bot", "crow")

    async def work(queue: SubmissionQueue) -> None:
        made = await asyncio.to_thread(receive_package, store, LEAGUE, "ann", packed)
        queue.notify()
        last = await ended(queue, made)
        assert (last.state, last.stage) == (SubmissionState.ACTIVE, Stage.TRIED)

    assert with_queue(store, tmp_path / "cache", work) == [LEAGUE]
    (active,) = store.playing(LEAGUE)
    assert active.bot == "crow"
    reports = store.stage_reports(active.id)
    assert [each.stage for each in reports] == list(Stage)[1:]
    assert all(each.passed for each in reports)
    assert PackageCache(tmp_path / "cache").find(active.package) is not None


@pytest.mark.parametrize("build", ["", "mkdir deep; echo x > deep/file"])
def test_no_stage_holds_up_the_event_loop(store: Store, tmp_path: Path, build: str) -> None:
    """The clocks of all tables are on that loop: files and toolchains are read in threads."""
    packed = package(tmp_path / "bot", "crow", build)
    threads: dict[str, set[int]] = {event: set() for event in BLOCKING}
    recording = True

    def record(event: str, _arguments: object) -> None:
        if recording and event in threads:
            threads[event].add(threading.get_ident())

    async def work(queue: SubmissionQueue) -> None:
        made = await asyncio.to_thread(receive_package, store, LEAGUE, "ann", packed)
        queue.notify()
        assert (await ended(queue, made)).state is SubmissionState.ACTIVE

    sys.addaudithook(record)  # which stays: no hook can be removed
    try:
        with_queue(store, tmp_path / "cache", work)
    finally:
        recording = False
    assert not any(threading.get_ident() in each for each in threads.values()), threads
    assert threads["subprocess.Popen"], "the runtime was asked for its folder"
    assert bool(threads["shutil.copytree"]) is not bool(build)


def test_a_build_leaves_the_cpu_to_the_tables(store: Store, tmp_path: Path) -> None:
    packed = package(tmp_path / "bot", "crow", "nice; cat /proc/self/autogroup; exit 3")

    async def work(queue: SubmissionQueue) -> None:
        made = await asyncio.to_thread(receive_package, store, LEAGUE, "ann", packed)
        queue.notify()
        await ended(queue, made)

    with_queue(store, tmp_path / "cache", work)
    niceness, *group = store.stage_reports(1)[-1].log.splitlines()
    assert int(niceness) >= 10
    assert all(line.endswith(("nice 10", "No such file or directory")) for line in group)


def test_a_failure_has_its_reason_and_its_log(store: Store, tmp_path: Path) -> None:
    packed = package(tmp_path / "bot", "crow", "echo no such library; exit 3")

    async def work(queue: SubmissionQueue) -> None:
        made = await asyncio.to_thread(receive_package, store, LEAGUE, "ann", packed)
        queue.notify()
        last = await ended(queue, made)
        assert (last.state, last.failed_at) == (SubmissionState.FAILED, Stage.BUILT)
        assert "exit code 3" in last.reason

    assert with_queue(store, tmp_path / "cache", work) == []
    assert store.stage_reports(1)[-1].log == "no such library"


def test_what_was_under_way_goes_on_with_the_next_server(store: Store, tmp_path: Path) -> None:
    """The first server is stopped while the package is being built."""
    packed = package(tmp_path / "bot", "crow", "sleep 1")

    async def begin(queue: SubmissionQueue) -> None:
        made = await asyncio.to_thread(receive_package, store, LEAGUE, "ann", packed)
        queue.notify()
        found = await queue.wait_for_change(made, PATIENCE)
        assert (found.state, found.stage) == (SubmissionState.PROCESSING, Stage.UNPACKED)

    async def go_on(queue: SubmissionQueue) -> None:
        found = await asyncio.to_thread(store.submission, 1)
        assert (await ended(queue, found)).state is SubmissionState.ACTIVE

    assert with_queue(store, tmp_path / "cache", begin) == []
    assert list((tmp_path / "cache").iterdir()) == []
    assert with_queue(store, tmp_path / "cache", go_on) == [LEAGUE]


def test_a_bot_that_was_withdrawn_meanwhile_fails(store: Store, tmp_path: Path) -> None:
    packed = package(tmp_path / "bot", "crow", "sleep 1")

    async def work(queue: SubmissionQueue) -> None:
        made = await asyncio.to_thread(receive_package, store, LEAGUE, "ann", packed)
        await asyncio.to_thread(store.withdraw, LEAGUE, "crow")
        queue.notify()
        last = await ended(queue, made)
        assert (last.state, last.reason) == (
            SubmissionState.FAILED,
            "crow is withdrawn, so it cannot play.",
        )

    assert with_queue(store, tmp_path / "cache", work) == []
