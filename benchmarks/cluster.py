"""What a cluster costs beside worker processes of one machine, and how far one runner reaches.

    python -m benchmarks.cluster [--matches 400] [--rounds 3]
    python -m benchmarks.cluster --workers 500 --seconds 20

The first plays tournaments of four trivial pipe bots in turn with two local workers and on a
cluster of two workers of this machine, one match at a time each, and prints the matches a second
and the CPU of the runner for a match. What it takes until the first match is committed is left out.
The second starts that many workers of Dask in a few processes; their matches only sleep
for some seconds, so that only the runner and the scheduler work.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from distributed import LocalCluster

from benchmarks.cluster_simulation import simulate
from benchmarks.measuring import apart
from benchmarks.tournament import Silence, league
from referee.runtime import run_async, tuned_process
from tournaments.model import ClusterSettings
from tournaments.runner import BatchRunner, TournamentJobs, begun
from tournaments.runner.dask_cluster import DaskCluster

Figures = tuple[float, float]
"""Matches a second, and CPU milliseconds of the runner for a match."""


class FromFirstCommit(Silence):
    """Measures from the first commit to the last one."""

    def __init__(self) -> None:
        self.matches = 0
        self.first: tuple[float, float] | None = None
        self.last = (0.0, 0.0)

    def committed(self, matches: int) -> None:
        """Note when matches were committed, and the CPU of this process until then."""
        now = time.perf_counter(), time.process_time()
        if self.first is None and matches:
            self.first = now
        elif matches:
            self.matches += matches
            self.last = now

    def figures(self) -> Figures:
        """Return what a match took."""
        assert self.first is not None  # noqa: S101  something was played
        seconds, cpu = (b - a for a, b in zip(self.first, self.last, strict=True))
        return self.matches / seconds, cpu / self.matches * 1000


def play(folder: str, matches: int, address: str | None) -> Figures:
    """Play a tournament on a cluster, or with two workers of this machine."""
    own = Path(tempfile.mkdtemp(dir=folder))
    listener = FromFirstCommit()
    with begun(own / "out", league(own, "pipe", matches)) as opened:
        dispatcher = address and partial(
            DaskCluster,
            TournamentJobs(opened),
            address=address,
            settings=ClusterSettings(shared_filesystem=True),
        )
        runner = BatchRunner(opened, listener, workers=2, tables=2, dispatcher=dispatcher or None)
        with tuned_process():
            run_async(runner.run())
    return listener.figures()


def compare(matches: int, rounds: int) -> int:
    """Measure both in turn, and print the medians and their ratios."""
    here: list[Figures] = []
    there: list[Figures] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
    ):
        for _ in range(rounds):
            here.append(apart(play, folder, matches, None))
            there.append(apart(play, folder, matches, cluster.scheduler_address))
            print(f"local {here[-1][0]:.1f} matches/s, {here[-1][1]:.2f} ms; ", end="")
            print(f"cluster {there[-1][0]:.1f} matches/s, {there[-1][1]:.2f} ms", flush=True)
    pace = statistics.median(b[0] / a[0] for a, b in zip(here, there, strict=True))
    cpu = statistics.median(b[1] / a[1] for a, b in zip(here, there, strict=True))
    print(f"matches a second: {pace:.2f} of two local workers (goal: at least 0.9)")
    print(f"CPU of the runner for a match: {cpu:.2f} times the local one (goal: at most 1.2)")
    return int(pace < 0.9 or cpu > 1.2)


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, help="simulate that many workers")
    parser.add_argument("--match-seconds", type=float, default=2.0, help="of simulated matches")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to simulate")
    asked = parser.parse_args()
    if asked.workers is None:
        return compare(asked.matches, asked.rounds)
    simulate(asked.workers, asked.match_seconds, asked.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
