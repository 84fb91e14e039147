"""The runner: gives matches to workers, commits what they send, and outlives them."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import secrets
import signal
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final, Protocol

from engine import HighstreetError
from referee import Cause, Transport
from referee.tuning import starting
from tournaments.folder import TournamentFolder
from tournaments.runner.jobs import (
    Done,
    Failed,
    FromWorker,
    Job,
    Ready,
    Refused,
    Stop,
    WorkerSettings,
)
from tournaments.runner.sweep import sweep
from tournaments.runner.worker import HELD, MARK, work
from tournaments.schedule import ScheduledMatch
from tournaments.store import Benched, Finished, StoreError, Void

ATTEMPTS: Final = 3
"""How often a match is tried in one run."""
KILLS: Final = 5
"""How many matches of a run an entrant may make void by processes that are ended by SIGKILL."""
WORKER_DEATHS: Final = 5
"""How many workers may die without a match between them."""
IDLE_BOTS: Final = 32
"""How many bot processes of a worker may wait for their next match."""
WAITING: Final = 256
"""How many results may wait to be committed before no new match is begun."""
GATHERING: Final = 0.2
"""How long results are gathered before they are committed together, in seconds."""
GRACE: Final = 3.0
"""How long matches may go on after Ctrl-C, in seconds."""
ENDINGS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a polite kill, and a terminal that was closed."""


class RunError(HighstreetError):
    """A run that could not go on."""


class Watcher(Protocol):
    """Whoever wants to know how a run goes."""

    def began(self, matches: int, played: int) -> None:
        """Learn how much there is to do, and what was done before."""

    def listening(self, address: str) -> None:
        """Learn where remote bots dial in."""

    def table_began(self, match: ScheduledMatch) -> None:
        """Learn that a match begins."""

    def table_ended(self, match: ScheduledMatch) -> None:
        """Learn that a match is over, or void."""

    def committed(self, matches: int) -> None:
        """Learn that so many more matches are safe."""

    def trouble(self, cause: str, sentence: str) -> None:
        """Learn that something went wrong."""

    def benched(self, sentence: str) -> None:
        """Learn that an entrant does not play any more, and why."""


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker process as the runner sees it."""

    number: int
    process: SpawnProcess
    connection: Connection
    mark: str
    ready: bool = False
    stopping: bool = False
    jobs: dict[str, Job] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended."""

    interrupted: bool
    given_up: tuple[str, ...]
    """Matches that could not be played, however often they were tried."""


class Runner:
    """Plays what is left of a tournament."""

    def __init__(
        self, folder: TournamentFolder, watcher: Watcher, *, workers: int, tables: int
    ) -> None:
        self._folder = folder
        self._watcher = watcher
        self._tables = tables
        self._count = max(1, min(workers, tables))
        self._run = secrets.token_hex(8)
        self._workers: list[_Worker] = []
        self._pending: deque[ScheduledMatch] = deque(folder.pending())
        self._tries: Counter[str] = Counter()
        self._kills: Counter[str] = Counter()
        """How many matches of this run were void because of each entrant's killed processes."""
        self._attempts = Counter(folder.store.attempts())
        """The last attempt at each match, in earlier runs and this one."""
        self._remote = frozenset(
            entrant.name
            for entrant in folder.tournament.entrants
            if entrant.transport is Transport.REMOTE
        )
        self._benched = folder.store.benched()
        self._streaks: Counter[str] = Counter()
        self._outbox: asyncio.Queue[Done | None] = asyncio.Queue()
        self._voids: list[Void] = []
        self._new_benched: list[Benched] = []
        self._given_up: list[str] = []
        self._deaths = 0
        self._interrupted = False
        self._stop = asyncio.Event()
        self._failure: HighstreetError | None = None
        self._news = asyncio.Event()

    async def run(self) -> RunResult:
        """Play until everything is played, somebody interrupts, or nothing goes any more."""
        loop = asyncio.get_running_loop()
        for ending in ENDINGS:
            loop.add_signal_handler(ending, self.interrupt)
        await asyncio.to_thread(self._sweep_last_run)
        progress = self._folder.progress()
        self._watcher.began(progress.matches, progress.played)
        writing = asyncio.create_task(self._write())
        writing.add_done_callback(lambda _: self._news.set())
        try:
            for number in range(self._count if self._pending else 0):
                self._start_worker(number)
            while not self._is_over() and not writing.done():
                self._dispatch()
                self._news.clear()
                await self._news.wait()
        finally:
            await self._stop_workers()
            self._outbox.put_nowait(None)
            await writing
            for ending in ENDINGS:
                loop.remove_signal_handler(ending)
        if self._failure is not None:
            raise self._failure
        return RunResult(self._interrupted, tuple(self._given_up))

    def interrupt(self) -> None:
        """Begin nothing more, and come to an end soon."""
        self._interrupted = True
        self._stop.set()
        self._news.set()

    def _is_over(self) -> bool:
        busy = any(worker.jobs for worker in self._workers)
        return self._stop.is_set() or (not self._pending and not busy)

    def _fail(self, failure: HighstreetError) -> None:
        self._failure = self._failure or failure
        self._stop.set()
        self._news.set()

    # Workers ------------------------------------------------------------------------------------

    def _sweep_last_run(self) -> None:
        """End what a run that was killed has left behind; that of a copied folder goes on."""
        store, here = self._folder.store, str(self._folder.path.resolve())
        last = store.setting("run")
        if last is not None and store.setting("run_in") == here:
            sweep(MARK, last)
        store.put(run=self._run, run_in=here)

    def _start_worker(self, number: int) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        mark = f"{self._run}.{secrets.token_hex(4)}"
        tokens = self._folder.tokens() if number == 0 else {}
        settings = WorkerSettings(
            self._folder.tournament, self._folder.logs.resolve(), mark, IDLE_BOTS, tokens,
            self._folder.records.resolve(),
        )  # fmt: skip
        process = context.Process(target=work, args=(theirs, settings), daemon=True)
        try:
            _start(process, mark)
        except OSError as error:
            self._fail(RunError(f"cannot start a worker process: {error.strerror}."))
            ours.close()
            return
        finally:
            theirs.close()
        worker = _Worker(number, process, ours, mark)
        self._workers.append(worker)
        asyncio.get_running_loop().add_reader(ours.fileno(), self._hear, worker)

    def _capacity(self, worker: _Worker) -> int:
        """Return how many tables a worker has."""
        each, more = divmod(self._tables, self._count)
        return each + (worker.number < more)

    def _dispatch(self) -> None:
        """Give every worker as much to play as it has tables."""
        while self._outbox.qsize() < WAITING and not self._stop.is_set():
            free = [
                worker
                for worker in self._workers
                if worker.ready and len(worker.jobs) < self._capacity(worker)
            ]
            chosen = self._choose(sorted(free, key=lambda worker: len(worker.jobs)))
            if chosen is None:
                return
            worker, match = chosen
            self._tries[match.id] += 1
            self._attempts[match.id] += 1
            if self._has_remote(match):
                # Its bots outlive this run, and must not be dealt the same cards in the next one.
                try:
                    self._folder.store.begin(match.id, self._attempts[match.id])
                except StoreError as error:
                    self._fail(error)
                    return
            benched = {
                name: self._benched[name].reason for name in match.entrants if name in self._benched
            }
            job = replace(
                self._folder.job(match, self._attempts[match.id]),
                benched=benched,
                suspects=frozenset(name for name, kills in self._kills.items() if kills >= KILLS),
            )
            worker.jobs[match.id] = job
            self._watcher.table_began(match)
            with contextlib.suppress(OSError):  # it has died, and that is noticed elsewhere
                worker.connection.send(job)

    def _choose(self, free: list[_Worker]) -> tuple[_Worker, ScheduledMatch] | None:
        """Return the next match, and who plays it; remote bots are at the first worker only."""
        if not free:
            return None
        first = next((worker for worker in free if worker.number == 0), None)
        for i, match in enumerate(self._pending):
            if not self._has_remote(match):
                del self._pending[i]
                return free[0], match
            if first is not None:
                del self._pending[i]
                return first, match
        return None

    def _has_remote(self, match: ScheduledMatch) -> bool:
        return not self._remote.isdisjoint(match.entrants)

    def _hear(self, worker: _Worker) -> None:
        try:
            self._take(worker, worker.connection.recv())
        except (EOFError, OSError):
            self._bury(worker)
        self._news.set()

    def _take(self, worker: _Worker, message: FromWorker) -> None:
        if isinstance(message, Ready):
            worker.ready = True
            if message.address:
                self._watcher.listening(message.address)
        elif isinstance(message, Failed):
            self._fail(RunError(message.message))
        elif isinstance(message, Refused):
            self._watcher.trouble(Cause.BOT, message.sentence)
        elif isinstance(message, Done):
            self._deaths = 0
            job = worker.jobs.pop(message.match)
            self._watcher.table_ended(job.match)
            self._judge(message)
            self._outbox.put_nowait(message)
        else:
            job = worker.jobs.pop(message.match)
            self._watcher.table_ended(job.match)
            if message.killed:
                self._kills.update(message.killed)
                self._tries[job.match.id] -= 1  # kills are counted by themselves
            if not message.stopped:
                self._void(job, message.cause, message.detail)

    def _void(self, job: Job, cause: str, detail: str) -> None:
        """Note a match that does not count, and play it again if that makes sense."""
        self._voids.append(Void(job.match.id, job.attempt, cause, detail))
        self._watcher.trouble(cause, f"match {job.match.id} is void: {detail}")
        if self._tries[job.match.id] < ATTEMPTS:
            self._pending.appendleft(job.match)
        else:
            self._given_up.append(job.match.id)

    def _judge(self, done: Done) -> None:
        """Count forfeits, and bench whoever forfeits again and again."""
        limit = self._folder.tournament.bench_after
        faulty = {name: (fault, detail) for name, fault, detail in done.faults}
        for name in done.result.entrants:
            if name not in faulty:
                self._streaks[name] = 0
                continue
            fault, detail = faulty[name]
            if fault == "benched":
                continue
            self._streaks[name] += 1
            self._watcher.trouble(Cause.BOT, f"{name} forfeited match {done.match}: {detail}")
            if limit and self._streaks[name] >= limit and name not in self._benched:
                reason = f"{limit} forfeits in a row, the last one for this: {detail.rstrip('.')}"
                benched = Benched(name, done.match, reason)
                self._benched[name] = benched
                self._new_benched.append(benched)
                self._watcher.benched(
                    f"{name} is benched after {reason}. Its remaining matches are played by "
                    "default moves and count as forfeits.",
                )

    def _bury(self, worker: _Worker) -> None:
        """Clear up after a worker that has ended, and put another in its place."""
        asyncio.get_running_loop().remove_reader(worker.connection.fileno())
        worker.connection.close()
        self._workers.remove(worker)
        worker.process.join(timeout=5)
        sweep(MARK, worker.mark)
        if worker.stopping or self._stop.is_set():
            return
        self._deaths += 1
        code = worker.process.exitcode
        for job in worker.jobs.values():
            self._tries[job.match.id] -= 1  # deaths of workers are counted by themselves
            self._watcher.table_ended(job.match)
            self._void(job, Cause.MACHINE, f"its worker process ended with exit code {code}")
        if self._deaths > WORKER_DEATHS:
            self._fail(RunError(f"worker processes die again and again (exit code {code})."))
        else:
            self._start_worker(worker.number)

    async def _stop_workers(self) -> None:
        """Let workers finish, then end them and everything that they started."""
        for worker in self._workers:
            worker.stopping = True
            with contextlib.suppress(OSError):
                worker.connection.send(Stop(GRACE if self._failure is None else 0.0))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE + 10):
                while self._workers:
                    self._news.clear()
                    await self._news.wait()
        for worker in list(self._workers):
            worker.process.kill()
            self._bury(worker)

    # The store ----------------------------------------------------------------------------------

    async def _write(self) -> None:
        """Commit what the workers send, together with what comes soon after it."""
        while True:
            batch = [await self._outbox.get()]
            if batch != [None]:
                await asyncio.sleep(GATHERING)
            while not self._outbox.empty():
                batch.append(self._outbox.get_nowait())
            finished = [
                Finished(done.result, done.attempt, done.seconds, done.record)
                for done in batch
                if done is not None
            ]
            try:
                await self._commit(finished)
            except StoreError as error:
                self._fail(error)
                return
            self._watcher.committed(len(finished))
            self._news.set()
            if None in batch:
                return

    async def _commit(self, finished: Iterable[Finished]) -> None:
        finished = list(finished)
        voids, self._voids = self._voids, []
        benched, self._new_benched = self._new_benched, []
        if finished or voids or benched:
            await asyncio.to_thread(self._folder.store.commit, finished, voids, benched)
            complete = self._folder.note_played([each.result for each in finished])
            await asyncio.to_thread(self._folder.release, complete)


def _start(process: SpawnProcess, mark: str) -> None:
    """Start a worker that carries its mark, and that Ctrl-C does not reach before it is ready."""
    resource_tracker.ensure_running()  # it serves all workers, and so has the mark of none
    held = signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
    os.environ[MARK] = mark
    try:
        with starting():
            process.start()
    finally:
        del os.environ[MARK]
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
