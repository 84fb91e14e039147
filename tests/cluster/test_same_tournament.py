"""A tournament on a cluster is the same as on one machine."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.record import Record, decompressed
from tests.cluster.cluster_torture import no_process_is_left, write_file
from tests.cluster.dask_processes import DaskProcesses
from tests.tournaments.packages import bot_folder
from tests.tournaments.runner.torture import (
    command,
    played,
    run_to_end,
    standings,
    wait_for_matches,
)
from tests.waiting import PATIENCE
from tournaments.cli.files import INTERRUPTED

PACKAGES = """\
name = "Packages"
table_sizes = [2]
sets_per_table = 2
[time_control]
per_move = 60
[[entrants]]
name = "one"
package = "one"
[[entrants]]
name = "two"
package = "two"
"""


def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments, capture_output=True, text=True, check=False, timeout=10 * PATIENCE
    )


def test_the_same_matches_are_played_once_with_the_same_standings(
    dask: DaskProcesses, tmp_path: Path
) -> None:
    file = tmp_path / "cup.toml"
    write_file(file, sets=1)
    here = run_to_end(file, tmp_path / "here")
    assert here.returncode == 0, here.stderr
    there = run(dask.run_command(file, tmp_path / "there"))
    assert there.returncode == 0, there.stderr
    ids = played(tmp_path / "there")
    assert len(set(ids)) == len(ids)
    assert sorted(ids) == sorted(played(tmp_path / "here"))
    assert standings(tmp_path / "there") == standings(tmp_path / "here")
    assert "worker w0: " in there.stderr, "figures of each worker"
    assert "worker w1: " in there.stderr
    assert "Dask's dashboard: http://" in there.stderr
    assert re.search(r"(?m)^\d+ of \d+ matches, .* a second, .* left, 2 workers$", there.stderr)
    said = re.findall(r"(?m)^worker (w\d) at tcp://\S+ plays 1 at once, speed (\S+)$", there.stderr)
    assert sorted(name for name, _ in said) == ["w0", "w1"]
    speeds = {(name, float(speed)) for name, speed in said}
    paths = sorted((tmp_path / "there" / "records").rglob("*.jsonl.*"))
    assert len(paths) == len(ids)
    machines = [Record(decompressed(path.read_bytes())).head.fields["machine"] for path in paths]
    assert {(each["worker"], each["speed"]) for each in machines} == speeds
    assert all(speed > 0 for _, speed in speeds)
    checked = run(command("tournament", "verify", tmp_path / "there"))
    assert checked.returncode == 0, checked.stdout
    no_process_is_left(tmp_path / "there")


def test_packages_travel_to_the_workers(
    dask: DaskProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyseccomp")
    for name in ("one", "two"):
        bot_folder(tmp_path / name, name, runtime="python", content=name.encode())
    file = tmp_path / "cup.toml"
    file.write_text(PACKAGES)
    # Nothing is built for the runner, whose cache is another one than that of the workers.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    done = run(dask.run_command(file, tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert len(played(tmp_path / "out")) == 4
    assert not (tmp_path / "cache").exists()
    built = tmp_path / "dask" / "cache" / "highstreet" / "packages"
    assert len([path for path in built.iterdir() if len(path.name) == 64]) == 2


def test_a_worker_can_be_left_out(dask: DaskProcesses, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    write_file(file, sets=1)
    done = run(dask.run_command(file, tmp_path / "out", "--without-worker", "w1"))
    assert done.returncode == 0, done.stderr
    assert "worker w0: " in done.stderr
    assert "worker w1: " not in done.stderr, "it has no figures"
    assert "is left out, as you said" in done.stderr


CRASH = """\
import sys

sys.stderr.write("no luck\\n")
sys.stderr.flush()
sys.exit(3)
"""


def test_what_a_bot_writes_on_a_worker_is_in_the_logs_of_the_runner(
    dask: DaskProcesses, tmp_path: Path
) -> None:
    (tmp_path / "crash.py").write_text(CRASH)
    file, out = tmp_path / "cup.toml", tmp_path / "out"
    file.write_text(
        'name = "x"\ntable_sizes = [2]\n[cluster]\nshared_filesystem = true\n'
        '[[entrants]]\nname = "good"\nbot = "random"\n'
        f'[[entrants]]\nname = "bad"\ncommand = ["{sys.executable}", "{tmp_path / "crash.py"}"]\n'
    )
    done = run(dask.run_command(file, out))
    assert done.returncode == 0, done.stderr
    matches = len(played(out))
    assert matches > 0
    assert (out / "logs" / "bad.stderr.log").read_text() == "no luck\n" * matches


LIE = """\
import sys

if "tournaments.worker" in sys.orig_argv:
    from dataclasses import replace
    from tournaments.worker import worker

    honest = worker.played_match

    def lie(*arguments):
        played = honest(*arguments)
        result = played.result
        return played._replace(result=replace(result, scores=result.scores[::-1]))

    worker.played_match = lie
"""
"""The sitecustomize of a worker process that says the scores of the other seats."""


def test_a_worker_whose_results_contradict_its_records_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "lie").mkdir()
    (tmp_path / "lie" / "sitecustomize.py").write_text(LIE)
    file = tmp_path / "cup.toml"
    write_file(file, sets=1)
    here = run_to_end(file, tmp_path / "here")
    assert here.returncode == 0, here.stderr
    environment = {"PYTHONPATH": str(tmp_path / "lie")}
    with DaskProcesses(tmp_path / "dask", environment=environment) as dask:
        done = run(dask.run_command(file, tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "worker w0 is left out: its record of match " in done.stderr
    (figures,) = (line for line in done.stderr.splitlines() if line.startswith("worker w0: "))
    assert figures.startswith("worker w0: 0 matches")
    refused = re.search(r", (\d+) refused, ", figures)
    assert refused, figures
    assert int(refused[1]) >= 1, "more if several results came together"
    assert standings(tmp_path / "out") == standings(tmp_path / "here")


def test_ctrl_c_keeps_what_was_played_and_leaves_no_process(
    dask: DaskProcesses, tmp_path: Path
) -> None:
    file, out = tmp_path / "cup.toml", tmp_path / "out"
    write_file(file, sets=20)
    runner = subprocess.Popen(dask.run_command(file, out), stderr=subprocess.DEVNULL)
    try:
        wait_for_matches(runner, out, 10)
        runner.send_signal(signal.SIGINT)
        assert runner.wait(PATIENCE) == INTERRUPTED
    finally:
        runner.kill()
        runner.wait()
    no_process_is_left(out)
    assert all(part.starts == 1 for part in dask.workers), "the workers of Dask go on"
    assert len(played(out)) >= 10
