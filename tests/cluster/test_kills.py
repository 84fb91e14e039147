"""Exactly once, whatever dies, stops or is cut off."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.cluster.cluster_torture import (
    no_process_is_left,
    stop_for,
    torture,
    write_file,
)
from tests.cluster.dask_processes import DaskProcesses
from tests.cluster.network_namespace import NetworkNamespace
from tests.tournaments.runner.torture import (
    command,
    played,
    run_to_end,
    standings,
    wait_for_matches,
)
from tests.waiting import PATIENCE

KILLS = int(os.environ.get("HIGHSTREET_KILLS", "6"))
SEED = int(os.environ.get("HIGHSTREET_SEED", "19"))


def start(dask: DaskProcesses, file: Path, out: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start the runner; a failed test shows the end of its log."""
    with log.open("wb") as stream:
        return subprocess.Popen(dask.run_command(file, out), stderr=stream)


def check(file: Path, out: Path, peace: Path) -> None:
    """Compare a tournament with the same one that was played in peace."""
    quiet = run_to_end(file, peace)
    assert quiet.returncode == 0, quiet.stderr
    ids = played(out)
    assert sorted(ids) == sorted(played(peace)), "nothing is lost"
    assert len(set(ids)) == len(ids), "nothing counts twice"
    assert standings(out) == standings(peace)
    verified = subprocess.run(command("tournament", "verify", out), check=False)
    assert verified.returncode == 0
    no_process_is_left(out)


def test_every_match_counts_once_whatever_is_killed(dask: DaskProcesses, tmp_path: Path) -> None:
    file, out = tmp_path / "cup.toml", tmp_path / "out"
    write_file(file, sets=max(2, KILLS // 3))
    story, code = torture(dask, file, out, KILLS, SEED, tmp_path / "log")
    print(dict(story.kills), "in", story.runs, "runs")  # noqa: T201  for people
    assert code == 0, (tmp_path / "log").read_text()[-4000:]
    check(file, out, tmp_path / "peace")


def test_a_worker_that_is_stopped_for_a_while_loses_nothing(
    dask: DaskProcesses, tmp_path: Path
) -> None:
    file, out = tmp_path / "cup.toml", tmp_path / "out"
    write_file(file, sets=4)
    log = tmp_path / "log"
    runner = start(dask, file, out, log)
    try:
        wait_for_matches(runner, out, 5)
        stop_for(dask.workers[0].process.pid, 30)
        assert runner.wait(5 * PATIENCE) == 0, log.read_text()[-4000:]
    finally:
        runner.kill()
        runner.wait()
    assert dask.workers[0].starts == 1, "it went on"
    check(file, out, tmp_path / "peace")


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None, reason="needs root and iproute2"
)
def test_a_worker_that_is_cut_off_for_a_while_loses_nothing(tmp_path: Path) -> None:
    file, out = tmp_path / "cup.toml", tmp_path / "out"
    write_file(file, sets=4)
    with (
        NetworkNamespace() as namespace,
        DaskProcesses(tmp_path / "dask", namespace=namespace) as dask,
    ):
        log = tmp_path / "log"
        runner = start(dask, file, out, log)
        try:
            wait_for_matches(runner, out, 5)
            namespace.cut()
            back = threading.Timer(20, namespace.join)
            back.start()
            assert runner.wait(5 * PATIENCE) == 0, log.read_text()[-4000:]
            back.join()
        finally:
            runner.kill()
            runner.wait()
        time.sleep(1)
        check(file, out, tmp_path / "peace")
