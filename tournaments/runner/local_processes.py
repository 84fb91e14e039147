"""Worker processes of this machine, which play the matches of a tournament."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import secrets
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnProcess
from pathlib import Path
from socket import socketpair
from typing import Final

from referee.runtime import default_scheduling
from tournaments.model import Job, PlayedMatch, ScheduledMatch
from tournaments.runner.dispatch import Capacity, DispatchListener, ProcessDeath
from tournaments.runner.tournament_folder import TournamentFolder
from tournaments.worker import (
    HEARTBEAT,
    IGNORED,
    MARK,
    BotRefused,
    Channel,
    Committed,
    FromWorker,
    Heartbeat,
    JobsReturned,
    PlayJobs,
    Ready,
    RecallJobs,
    Stop,
    WorkerFailed,
    WorkerSettings,
    work,
)

MISSED_HEARTBEATS: Final = 30
"""After how many missing heartbeats a worker is replaced."""
MISSED_AT_START: Final = 120
"""The same for a worker that has just been started, which has to load its modules first."""
PREFETCH_SECONDS: Final = 0.1
"""For how long a worker has jobs ahead, in seconds. Where matches take a few milliseconds, the
runner then sends and receives several at once; where they take seconds, none is sent ahead."""
MOST_PREFETCHED: Final = 16
IDLE_BOTS: Final = 32
"""How many bot processes of a worker may wait for their next match."""
PAUSE: Final = 0.25
"""How long an isolated worker waits between two matches, in seconds: a bot that ends its worker
because of the result then does so while no other match is played."""
JUST_ENDED: Final = 1.0
"""For how long after the end of a match its entrants count as present in a worker, in seconds."""
STOP_SECONDS: Final = 10.0
"""How long workers may take to end after the grace period."""


@dataclass(slots=True, eq=False)
class WorkerProcess:
    """A worker process, and what it has been sent."""

    number: int
    process: SpawnProcess
    channel: Channel
    opening: asyncio.Task[None]
    mark: str
    ready: bool = False
    jobs: dict[str, Job] = field(default_factory=dict)
    """What it was sent and has not answered, in the order in which it plays them."""
    playing: set[str] = field(default_factory=set)
    """Which of them have begun, as far as is known."""
    prefetch: int = 0
    """How many jobs it is sent beyond those that it can play at once."""
    missed: int = 0
    """How many heartbeats are missing."""
    uncommitted: int = 0
    """How many of its results are not committed."""
    last_ended: ScheduledMatch | None = None
    """The last match whose bots were notified of the result."""
    last_ended_at: float = float("-inf")

    def seconds_since_end(self) -> float:
        """Return how long ago bots were last notified of a result."""
        return asyncio.get_running_loop().time() - self.last_ended_at

    def note_answered(self, match: str) -> None:
        """Note that a job was played, void or returned."""
        del self.jobs[match]
        self.playing.discard(match)


class LocalProcesses:
    """A dispatcher whose processes run on this machine."""

    def __init__(
        self, folder: TournamentFolder, listener: DispatchListener, *, workers: int, tables: int
    ) -> None:
        """Take how many workers there are, and how many matches they play at once together."""
        self._folder = folder
        self._listener = listener
        self._tables = tables
        self._count = max(1, min(workers, tables))
        self._remote = frozenset(folder.tokens())
        self._run = secrets.token_hex(8)
        """Marks all processes of this run."""
        self._workers: list[WorkerProcess] = []
        self._free: dict[WorkerProcess, int] = {}
        """How many jobs each worker takes, since ``capacity`` was last called."""
        self._played_by: dict[str, WorkerProcess] = {}
        """The worker of each match that is not committed."""
        self._isolated = self._stopping = False
        self._all_ended = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """End the processes that a killed run left behind, and start the workers."""
        await asyncio.to_thread(self._end_last_run)
        if self._folder.progress().complete:
            return
        for number in range(self._count):
            self._start_worker(number)
        self._watching = asyncio.create_task(self._replace_silent_workers())

    def _end_last_run(self) -> None:
        """End the processes of the last run in this folder; a copy of it may have its own."""
        store, here = self._folder.store, str(self._folder.path.resolve())
        last = store.setting("run")
        if last is not None and store.setting("run_in") == here:
            kill_marked(MARK, last)
        store.put(run=self._run, run_in=here)

    # Jobs ---------------------------------------------------------------------------------------

    def capacity(self, *, prefetch: bool) -> Capacity:
        """Return how many jobs the workers take now."""
        self._free = {
            worker: self._free_places(worker, prefetch=prefetch) for worker in self._workers
        }
        remote = sum(places for worker, places in self._free.items() if worker.number == 0)
        return Capacity(sum(self._free.values()), remote)

    def _free_places(self, worker: WorkerProcess, *, prefetch: bool) -> int:
        """Return how many jobs a worker takes; none while half of the prefetched ones last."""
        tables = self._tables_of(worker)
        sent, more = len(worker.jobs), worker.prefetch if prefetch and not self._isolated else 0
        if not worker.ready or sent > tables + more // 2:
            return 0
        if self._isolated and (worker.uncommitted or worker.seconds_since_end() < PAUSE):
            return 0
        return max(0, tables + more - sent)

    def _tables_of(self, worker: WorkerProcess) -> int:
        """Return how many matches a worker plays at once now."""
        return 1 if self._isolated else self._share(worker.number)

    def _share(self, number: int) -> int:
        """Return how many of all tables a worker has."""
        each, more = divmod(self._tables, self._count)
        return each + (number < more)

    def submit(self, jobs: Sequence[Job]) -> None:
        """Send jobs to the workers with the fewest; those with remote bots to the first one."""
        sent: dict[WorkerProcess, list[Job]] = {}
        returned = []
        for job in sorted(jobs, key=self._has_no_remote):
            worker = self._next_worker(remote=not self._has_no_remote(job))
            if worker is None:
                returned.append(job.match.id)
                continue
            self._free[worker] -= 1
            worker.jobs[job.match.id] = job
            sent.setdefault(worker, []).append(job)
        for worker, its in sent.items():
            self._note_started(worker)
            worker.channel.send(PlayJobs(tuple(its)))
        if returned:
            self._listener.on_jobs_returned(returned)

    def _has_no_remote(self, job: Job) -> bool:
        return self._remote.isdisjoint(job.match.entrants)

    def _next_worker(self, *, remote: bool) -> WorkerProcess | None:
        free = [
            worker
            for worker in self._workers
            if self._free.get(worker, 0) > 0 and not (remote and worker.number)
        ]
        return min(free, key=lambda worker: len(worker.jobs), default=None)

    def recall(self) -> None:
        """Ask all workers for the jobs that have not begun."""
        for worker in self._workers:
            worker.channel.send(RecallJobs())

    def acknowledge(self, matches: Sequence[ScheduledMatch]) -> None:
        """Let the workers notify bots of results that are committed."""
        committed: dict[WorkerProcess, list[ScheduledMatch]] = {}
        for match in matches:
            committed.setdefault(self._played_by.pop(match.id), []).append(match)
        for worker, its in committed.items():
            worker.channel.send(Committed(tuple(match.id for match in its)))
            worker.uncommitted -= len(its)
            worker.last_ended = its[-1]
            worker.last_ended_at = asyncio.get_running_loop().time()
        if self._isolated:
            self._report_capacity_later()

    def isolate(self, *, isolated: bool) -> None:
        """Let each worker play one match at a time, with a pause, or at all its tables."""
        self._isolated = isolated
        if isolated:
            self._report_capacity_later()

    def _report_capacity_later(self) -> None:
        """Call the listener after the pause, which ends without a message."""
        asyncio.get_running_loop().call_later(PAUSE + 0.01, self._listener.on_capacity)

    def _note_started(self, worker: WorkerProcess) -> None:
        """Note which jobs of a worker are being played: the first ones, one at each table."""
        free = max(0, self._tables_of(worker) - len(worker.playing))
        waiting = (job.match for job in worker.jobs.values() if job.match.id not in worker.playing)
        for match in list(islice(waiting, free)):
            worker.playing.add(match.id)
            self._listener.on_match_started(match)

    # Messages -----------------------------------------------------------------------------------

    def _on_message(self, worker: WorkerProcess, message: FromWorker) -> None:
        worker.missed = 0
        if isinstance(message, Heartbeat):
            return
        if isinstance(message, Ready):
            worker.ready = True
            if message.address:
                self._listener.on_listening(message.address)
        elif isinstance(message, WorkerFailed):
            self._listener.on_failed(message.message)
        elif isinstance(message, BotRefused):
            self._listener.on_bot_refused(message.message)
        elif isinstance(message, PlayedMatch):
            self._on_played(worker, message)
        elif isinstance(message, JobsReturned):
            for match in message.matches:
                worker.note_answered(match)
            self._listener.on_jobs_returned(message.matches)
        else:
            worker.note_answered(message.void.match)
            self._listener.on_match_voided(message)
        self._listener.on_capacity()

    def _on_played(self, worker: WorkerProcess, played: PlayedMatch) -> None:
        worker.note_answered(played.result.match)
        worker.uncommitted += 1
        self._played_by[played.result.match] = worker
        pace = self._share(worker.number) / max(played.seconds, 0.001)
        worker.prefetch = min(MOST_PREFETCHED, int(PREFETCH_SECONDS * pace))
        self._listener.on_match_played(played)
        self._note_started(worker)

    # Processes ----------------------------------------------------------------------------------

    def _start_worker(self, number: int) -> None:
        folder, mark = self._folder, f"{self._run}.{secrets.token_hex(4)}"
        settings = WorkerSettings(
            folder.tournament, self._share(number), folder.logs.resolve(), mark, IDLE_BOTS,
            folder.tokens() if number == 0 else {}, folder.records.resolve(),
        )  # fmt: skip
        ours, theirs = socketpair()
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=work, args=(theirs, settings), daemon=True)
        try:
            _start(process, mark)
        except OSError as error:
            ours.close()
            self._listener.on_failed(f"cannot start a worker process: {error.strerror}.")
            return
        finally:
            theirs.close()
        channel = Channel(
            ours,
            lambda message: self._on_message(worker, message),
            lambda: self._on_close(worker),
        )
        opening = asyncio.create_task(channel.open())
        worker = WorkerProcess(number, process, channel, opening, mark)
        self._workers.append(worker)

    def _on_close(self, worker: WorkerProcess) -> None:
        """Clear up after a worker that has ended, and replace it."""
        if worker not in self._workers:
            return
        worker.channel.abort()
        self._workers.remove(worker)
        worker.process.join(timeout=5)
        kill_marked(MARK, worker.mark)
        if self._stopping:
            if not self._workers:
                self._all_ended.set()
            return
        detail = f"its worker process ended with exit code {worker.process.exitcode}"
        if worker.missed >= MISSED_HEARTBEATS:
            detail = "its worker process did not answer any more, and was ended"
        jobs = worker.jobs.values()
        just_ended = worker.seconds_since_end() < JUST_ENDED and worker.last_ended
        death = ProcessDeath(
            detail,
            [job for job in jobs if job.match.id in worker.playing],
            [job for job in jobs if job.match.id not in worker.playing],
            [just_ended] if just_ended else [],
        )
        if self._listener.on_process_died(death):
            self._start_worker(worker.number)
        self._listener.on_capacity()

    async def _replace_silent_workers(self) -> None:
        """Kill every worker whose heartbeats are missing; ``_on_close`` replaces it.

        Time is counted in turns of this loop: while this process itself does not run, or cannot
        read what was sent, no worker is late.
        """
        while True:
            await asyncio.sleep(HEARTBEAT)
            for worker in self._workers:
                worker.missed += 1
                if worker.missed == (MISSED_HEARTBEATS if worker.ready else MISSED_AT_START):
                    worker.process.kill()

    async def stop(self, grace: float) -> None:
        """Let workers finish, then end them and everything that they started."""
        self._stopping = True
        if self._watching is not None:
            self._watching.cancel()
        for worker in self._workers:
            worker.channel.send(Stop(grace))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace + STOP_SECONDS):
                if self._workers:
                    await self._all_ended.wait()
        for worker in list(self._workers):
            worker.process.kill()
            self._on_close(worker)


def _start(process: SpawnProcess, mark: str) -> None:
    """Start a worker that carries its mark, and that Ctrl-C does not reach before it is ready."""
    resource_tracker.ensure_running()  # it serves all workers, and so has the mark of none
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, IGNORED)
    os.environ[MARK] = mark
    try:
        with default_scheduling():
            process.start()
    finally:
        del os.environ[MARK]
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def kill_marked(variable: str, mark: str) -> int:
    """Kill every process with a mark in its environment; return how many there were.

    A bot that outlives its worker cannot be ended through the worker; but its own children have
    inherited the mark, whatever became of their parents. Without /proc no process is found.
    """
    wanted = f"{variable}={mark}".encode()
    found = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if _is_marked(entry, wanted):
                os.kill(int(entry.name), signal.SIGKILL)
                found += 1
    return found


def _is_marked(process: Path, wanted: bytes) -> bool:
    variables = (process / "environ").read_bytes().split(b"\0")
    return any(each == wanted or each.startswith(wanted + b".") for each in variables)
