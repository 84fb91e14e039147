"""A worker that is stopped or hangs is replaced, and what it played is played again."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.attacks.test_void import rows
from tests.tournaments.runner.torture import children, no_bot_is_left, played, write_league
from tests.waiting import PATIENCE, until
from tournaments.cli.tournament.progress_display import PlainDisplay
from tournaments.runner import local_processes
from tournaments.runner.batch import BatchRunner, RunResult
from tournaments.runner.tournament_folder import begun
from tournaments.worker.worker import HEARTBEAT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("after", [0, 3])
def test_a_worker_that_is_stopped_is_replaced_and_nobody_is_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Stopped before it plays, and in the middle of its matches."""
    monkeypatch.setattr(local_processes, "MISSED_HEARTBEATS", 8)
    monkeypatch.setattr(local_processes, "MISSED_AT_START", 40)
    file, out, said = tmp_path / "cup.toml", tmp_path / "cup", list[str]()
    write_league(file, sets=2)

    async def story() -> RunResult:
        with begun(out, file) as folder:
            runner = BatchRunner(folder, PlainDisplay(said.append), workers=2, tables=4)
            running = asyncio.create_task(runner.run())
            await until(lambda: len(played(out)) >= after and len(children(os.getpid())) == 2)
            victim = children(os.getpid())[0]
            os.kill(victim, signal.SIGSTOP)
            result = await asyncio.wait_for(running, 5 * PATIENCE)
            assert not Path(f"/proc/{victim}").exists(), "it was ended"
            return result

    result = asyncio.run(story())
    assert not result.given_up
    assert not result.interrupted
    # Tables of 2, 3 and 4 out of 4 bots, with and without recipes, two sets of each.
    assert len(played(out)) == len(set(played(out))) == 2 * 2 * (6 * 2 + 4 * 3 + 1 * 4)
    assert rows(out, "select entrant from benchings") == []
    if after:
        details = {row[0] for row in rows(out, "select detail from voids")}
        assert "its worker process did not answer any more, and was ended" in details
        deaths = rows(out, "select entrants from deaths where kind = 'worker'")
        assert deaths, "it is charged to who was there"
    no_bot_is_left(out)


def test_a_worker_is_not_late_because_the_runner_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is counted in turns of the runner's own loop."""
    silence = 8
    monkeypatch.setattr(local_processes, "MISSED_HEARTBEATS", silence)
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    write_league(file, sets=1)

    async def story() -> None:
        with begun(out, file) as folder:
            runner = BatchRunner(folder, PlainDisplay(print), workers=2, tables=4)
            running = asyncio.create_task(runner.run())
            await until(lambda: len(played(out)) >= 3)
            # This is the runner's process: while it is stopped, it reads no heartbeat.
            pid, seconds = os.getpid(), (silence + 2) * HEARTBEAT
            nap = f"kill -STOP {pid}; sleep {seconds}; kill -CONT {pid}"
            stopping = await asyncio.create_subprocess_exec("sh", "-c", nap)
            await stopping.wait()
            await asyncio.wait_for(running, 5 * PATIENCE)

    asyncio.run(story())
    assert rows(out, "select kind from deaths") == []
    assert len(played(out)) == 56
