"""Worker processes of this machine, which play the matches of a tournament."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import secrets
import signal
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnProcess
from socket import socketpair
from typing import Final

from referee.runtime import default_scheduling
from tournaments.runner.dispatch import DispatchListener
from tournaments.runner.marked_processes import kill_marked
from tournaments.runner.tournament_folder import TournamentFolder
from tournaments.runner.worker_jobs import IDLE_BOTS, WorkerHandle, WorkerJobs
from tournaments.worker import (
    HEARTBEAT,
    IGNORED,
    MARK,
    Channel,
    FromWorker,
    Stop,
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
STOP_SECONDS: Final = 10.0
"""How long workers may take to end after the grace period."""


@dataclass(slots=True, eq=False, kw_only=True)
class WorkerProcess(WorkerHandle):
    """A worker process of this machine."""

    channel: Channel
    number: int
    process: SpawnProcess
    opening: asyncio.Task[None]
    mark: str
    missed: int = 0
    """How many heartbeats are missing."""


class LocalProcesses(WorkerJobs[WorkerProcess]):
    """A dispatcher whose processes run on this machine."""

    def __init__(
        self, folder: TournamentFolder, listener: DispatchListener, *, workers: int, tables: int
    ) -> None:
        """Take how many workers there are, and how many matches they play at once together."""
        super().__init__(listener, PREFETCH_SECONDS, MOST_PREFETCHED, folder.tokens())
        self._folder = folder
        self._tables = tables
        self._count = max(1, min(workers, tables))
        self._run = secrets.token_hex(8)
        """Marks all processes of this run."""
        self._stopping = False
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

    def _share(self, number: int) -> int:
        """Return how many of all tables a worker has."""
        each, more = divmod(self._tables, self._count)
        return each + (number < more)

    def _on_message(self, worker: WorkerProcess, message: FromWorker) -> None:
        worker.missed = 0
        super()._on_message(worker, message)

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
        worker = WorkerProcess(
            channel=channel, tables=settings.tables, takes_remote=number == 0, number=number,
            process=process, opening=opening, mark=mark,
        )  # fmt: skip
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
        if self._listener.on_process_died(self._death(worker, detail)):
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
