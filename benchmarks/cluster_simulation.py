"""Many workers of Dask in a few processes, whose matches only wait: how far one runner reaches.

The hosts are those of a cluster but for their worker process: a timer is in its place, which
answers every job after some seconds with a record of the usual size. The runner does all that it
does in a run, but for playing some of the records again, for nothing was played. No match ends
before all workers have joined, or none has for some time: otherwise the first ones would have
played everything before the last ones are there.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from unittest.mock import patch

from distributed import Worker

from benchmarks.tournament import Silence, league
from engine import Seat
from referee.record import Recorder, compressed
from tests.cluster.dask_processes import free_port
from tournaments.model import ClusterSettings, Job, PlayedMatch, Result, attempt_id
from tournaments.runner import (
    BatchRunner,
    TournamentJobs,
    begun,
    cluster_host,
    dask_cluster,
    record_check,
)
from tournaments.runner.cluster_host import ChildEnded, ClusterHost, Opened, Opening
from tournaments.worker import PlayJobs, Ready, Stop, ToWorker

PROCESSES = 3
"""In how many processes the workers are."""
AT_ONCE = 10
"""How many workers of a process are started at once."""
DECISIONS = 70
SECONDS = "HIGHSTREET_MATCH_SECONDS"
BEGIN = "HIGHSTREET_BEGIN"
"""The environment variable with the path of a file: when it is there, matches begin."""
JOINING = 30.0
"""For how many seconds no worker may join before those that are there begin."""


class WaitingHost(ClusterHost):
    """A host whose matches take some seconds, and hardly any CPU."""

    async def open(self, opening: Opening) -> Opened:
        """Begin at once."""
        cluster_host.HOSTS[self._mark] = self
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._playing = asyncio.create_task(self._play(opening))
        self._on_message(Ready(""))
        return Opened(1000.0)

    def _send(self, message: ToWorker) -> None:
        if isinstance(message, PlayJobs):
            for job in message.jobs:
                self._jobs.put_nowait(job)
        elif isinstance(message, Stop):
            self._put(ChildEnded("it was stopped"))

    async def _play(self, opening: Opening) -> None:
        seconds = float(os.environ[SECONDS])
        while not _may_begin():  # noqa: ASYNC110  the file is written by another process
            await asyncio.sleep(1)
        while True:
            job = await self._jobs.get()
            await asyncio.sleep(seconds)
            self._on_message(_answer(opening, job, seconds))

    async def close(self) -> None:
        """End at once."""
        self._playing.cancel()


def _may_begin() -> bool:
    return Path(os.environ[BEGIN]).exists()


def _answer(opening: Opening, job: Job, seconds: float) -> PlayedMatch:
    """Return a result with a record of the usual size, in which nothing was played."""
    match, settings = job.match, opening.tournament
    places = tuple(range(1, len(match.seats) + 1))
    recorder = Recorder(
        settings.game(match.game).rules, settings.options_of(match), job.seed, job.salt,
        attempt_id(match.id, job.attempt), [{"entrant": name} for name in match.entrants],
        settings.time_control.as_dict(), settings.policy.as_dict(),
    )  # fmt: skip
    for n in range(DECISIONS):
        recorder.decision(n + 1, Seat(n % 4), "take a1", n / 7, 5)
    recorder.end("line_emptied", places, places)
    result = Result(
        match.id, match.set_id, match.game, match.variant, match.entrants, places, places, (),
        (0.1,) * len(places), DECISIONS,
    )  # fmt: skip
    return PlayedMatch(result, job.attempt, seconds, compressed(recorder.data()), "line_emptied")


async def host_workers(address: str, number: int) -> None:
    """Run workers of Dask until the scheduler ends; the main function of a process."""
    async with contextlib.AsyncExitStack() as stack:
        workers = [Worker(address, nthreads=1, host="127.0.0.1") for _ in range(number)]
        for first in range(0, number, AT_ONCE):
            started = map(stack.enter_async_context, workers[first : first + AT_ONCE])
            await asyncio.gather(*started)
        await asyncio.gather(*(worker.finished() for worker in workers))


class Counter(Silence):
    """Counts commits and workers; ends the run after some time."""

    def __init__(self, wanted: int, seconds: float, begin: Path) -> None:
        self.wanted = wanted
        self._seconds = seconds
        self._begin_file = begin
        self.commits: list[tuple[float, float, int]] = []
        """From the beginning on: the time, the CPU of this process, and the matches."""
        self.joined = 0
        self.since = 0.0
        self._waiting: asyncio.TimerHandle | None = None
        self._over = False
        self.runner: BatchRunner

    def workers(self, number: int) -> None:
        """Begin when all workers are there, or no more come."""
        if self.since or number <= self.joined:
            return
        self.joined = number
        if self._waiting is not None:
            self._waiting.cancel()
        loop = asyncio.get_running_loop()
        self._waiting = loop.call_later(0 if number == self.wanted else JOINING, self._begin)
        if number % 50 == 0:
            print(f"{number} workers have joined", file=sys.stderr, flush=True)

    def _begin(self) -> None:
        self.since = time.perf_counter()
        self._begin_file.touch()
        asyncio.get_running_loop().call_later(self._seconds, self._finish)

    def _finish(self) -> None:
        """Count no more: what follows is the end of the matches in play."""
        self._over = True
        self.runner.interrupt()

    def committed(self, matches: int) -> None:
        """Count."""
        if self.since and not self._over:
            self.commits.append((time.perf_counter(), time.process_time(), matches))


def simulate(workers: int, match_seconds: float, seconds: float) -> None:
    """Print how many matches a second one runner commits with that many workers."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", str(port),
         "--no-dashboard"], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    shares = [workers // PROCESSES + (n < workers % PROCESSES) for n in range(PROCESSES)]
    code = "import asyncio, sys; from benchmarks.cluster_simulation import host_workers as run; "
    code += "asyncio.run(run(sys.argv[1], int(sys.argv[2])))"
    folder = tempfile.TemporaryDirectory()
    begin = Path(folder.name) / "begin"
    environment = {**os.environ, SECONDS: str(match_seconds), BEGIN: str(begin)}
    hosts = [
        subprocess.Popen(
            [sys.executable, "-c", code, address, str(share)],
            env=environment, stderr=subprocess.DEVNULL,
        )
        for share in shares
    ]  # fmt: skip
    try:
        counter = Counter(workers, seconds, begin)
        asyncio.run(_measure(address, counter, match_seconds, seconds, scheduler.pid))
    finally:
        folder.cleanup()
        for process in (*hosts, scheduler):
            process.kill()
            process.wait()


async def _measure(
    address: str, counter: Counter, match_seconds: float, seconds: float, scheduler: int
) -> None:
    matches = 4 * int(seconds * counter.wanted / match_seconds / 2)  # twice what can be played
    with (
        tempfile.TemporaryDirectory() as folder,
        begun(Path(folder) / "out", league(Path(folder), "pipe", matches)) as opened,
        patch.object(dask_cluster, "ClusterHost", WaitingHost),
        patch.object(record_check, "PLAYED_AGAIN", 10**9),
    ):
        make = partial(
            dask_cluster.DaskCluster,
            TournamentJobs(opened),
            address=address,
            settings=ClusterSettings(),
        )
        counter.runner = BatchRunner(opened, counter, workers=1, tables=1, dispatcher=make)
        before = _cpu(scheduler)
        began = time.perf_counter()
        await counter.runner.run()
        used = (_cpu(scheduler) - before) / (time.perf_counter() - began)
    workers = counter.joined
    half = [each for each in counter.commits if each[0] > counter.since + seconds / 2]
    if len(half) < 2:
        print(f"{workers} workers have joined, but too little was committed: use more --seconds")
        return
    (start, cpu, _), (end, last, _) = half[0], half[-1]
    matches = sum(number for _, _, number in half[1:])
    print(
        f"{workers} workers, matches of {match_seconds:g} s: {matches / (end - start):.0f} "
        f"matches/s of {workers / match_seconds:.0f} possible; the runner used "
        f"{(last - cpu) / (end - start):.0%} of a core, {(last - cpu) / matches * 1000:.2f} ms for "
        f"a match; the scheduler {used:.0%}"
    )


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
