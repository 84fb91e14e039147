"""The runner: gives matches to workers, commits what they send, and outlives them."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import secrets
import signal
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnProcess
from socket import socketpair
from typing import Final, Protocol

from engine import HighstreetError
from referee import Cause, Transport
from referee.tuning import starting
from tournaments.folder import TournamentFolder
from tournaments.results import Result
from tournaments.runner.jobs import (
    Done,
    Failed,
    FromWorker,
    Job,
    Played,
    Ready,
    Refused,
    Returned,
    Stop,
    Undone,
    Work,
    WorkerSettings,
)
from tournaments.runner.line import Line
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
AHEAD: Final = 0.1
"""For how long a worker has matches ahead, in seconds. Where matches take a few milliseconds, the
runner then gives and takes several at once; where they take seconds, none is given ahead."""
MOST_AHEAD: Final = 16
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
    line: Line
    opening: asyncio.Task[None]
    mark: str
    ready: bool = False
    stopping: bool = False
    jobs: dict[str, Job] = field(default_factory=dict)
    """What it was given and has not answered, in the order in which it plays them."""
    playing: set[str] = field(default_factory=set)
    """Which of them have begun, as far as we know."""
    ahead: int = 0
    """How many matches it is given beyond those that it can play at once."""


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
        self._outbox: asyncio.Queue[Finished | None] = asyncio.Queue()
        """What is to be committed."""
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
        ours, theirs = socketpair()
        mark = f"{self._run}.{secrets.token_hex(4)}"
        tokens = self._folder.tokens() if number == 0 else {}
        settings = WorkerSettings(
            self._folder.tournament, self._tables_of(number), self._folder.logs.resolve(), mark,
            IDLE_BOTS, tokens, self._folder.records.resolve(),
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
        line = Line(ours, lambda message: self._hear(worker, message), lambda: self._bury(worker))
        worker = _Worker(number, process, line, asyncio.create_task(line.open()), mark)
        self._workers.append(worker)

    def _tables_of(self, number: int) -> int:
        """Return how many tables a worker has."""
        each, more = divmod(self._tables, self._count)
        return each + (number < more)

    def _room(self, worker: _Worker, *, ahead: bool) -> int:
        """Return how many matches a worker should be given; none while half of those ahead last."""
        tables, given = self._tables_of(worker.number), len(worker.jobs)
        more = worker.ahead if ahead else 0
        if not worker.ready or given > tables + more // 2:
            return 0
        return tables + more - given

    def _all_is_well(self) -> bool:
        """Tell whether nobody may have to be benched or suspected: the next match must know."""
        faltering = (n for name, n in self._streaks.items() if name not in self._benched)
        return not self._kills and not (self._folder.tournament.bench_after and any(faltering))

    def _dispatch(self) -> None:
        """Give every worker as much to play as it has tables, and a little ahead."""
        given: dict[int, list[Job]] = {}
        ahead = self._all_is_well()
        room = {worker.number: self._room(worker, ahead=ahead) for worker in self._workers}
        while self._outbox.qsize() < WAITING and not self._stop.is_set():
            free = [worker for worker in self._workers if room[worker.number] > 0]
            chosen = self._choose(sorted(free, key=lambda worker: len(worker.jobs)))
            if chosen is None:
                break
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
            worker.jobs[match.id] = job = self._job(match)
            room[worker.number] -= 1
            given.setdefault(worker.number, []).append(job)
        for worker in self._workers:
            if worker.number in given:
                self._note_begun(worker)
                worker.line.put(Work(tuple(given[worker.number])))

    def _note_begun(self, worker: _Worker) -> None:
        """Note which matches of a worker are being played: the first ones, one at each table."""
        free = self._tables_of(worker.number) - len(worker.playing)
        waiting = (job.match for job in worker.jobs.values() if job.match.id not in worker.playing)
        for match in list(islice(waiting, free)):
            worker.playing.add(match.id)
            self._watcher.table_began(match)

    def _note_ended(self, worker: _Worker, match: str) -> Job:
        """Take a match from a worker that has answered."""
        job = worker.jobs.pop(match)
        worker.playing.discard(match)
        self._watcher.table_ended(job.match)
        return job

    def _job(self, match: ScheduledMatch) -> Job:
        """Return what a worker needs to play a match, with what is known of its entrants."""
        job = self._folder.job(match, self._attempts[match.id])
        benched, kills = self._benched, self._kills
        if benched:
            reasons = {name: benched[name].reason for name in match.entrants if name in benched}
            job = job._replace(benched=reasons)
        if kills:
            job = job._replace(suspects=frozenset(n for n in kills if kills[n] >= KILLS))
        return job

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

    def _hear(self, worker: _Worker, message: FromWorker) -> None:
        self._news.set()
        if isinstance(message, Ready):
            worker.ready = True
            if message.address:
                self._watcher.listening(message.address)
        elif isinstance(message, Failed):
            self._fail(RunError(message.message))
        elif isinstance(message, Refused):
            self._watcher.trouble(Cause.BOT, message.sentence)
        elif isinstance(message, Played):
            self._take_played(worker, message)
        elif isinstance(message, Returned):
            self._take_back(worker, message)
        else:
            self._take_undone(worker, message)

    def _take_played(self, worker: _Worker, message: Played) -> None:
        self._deaths = 0
        for done in message.matches:
            match = self._note_ended(worker, done.match).match
            self._judge(match.entrants, done)
            self._outbox.put_nowait(_finished(match, done))
        pace = self._tables_of(worker.number) / max(message.matches[-1].seconds, 0.001)
        worker.ahead = min(MOST_AHEAD, int(AHEAD * pace))
        self._note_begun(worker)

    def _take_back(self, worker: _Worker, message: Returned) -> None:
        """Take back what a worker was given ahead: it has not been tried."""
        for match in reversed(message.matches):
            self._pending.appendleft(self._note_ended(worker, match).match)
            self._tries[match] -= 1
            self._attempts[match] -= 1

    def _take_undone(self, worker: _Worker, message: Undone) -> None:
        job = self._note_ended(worker, message.match)
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

    def _judge(self, entrants: Sequence[str], done: Done) -> None:
        """Count forfeits, and bench whoever forfeits again and again."""
        limit = self._folder.tournament.bench_after
        faulty = {name: (fault, detail) for name, fault, detail in done.faults}
        for name in entrants:
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
        if worker not in self._workers:
            return
        self._news.set()
        worker.line.abort()
        self._workers.remove(worker)
        worker.process.join(timeout=5)
        sweep(MARK, worker.mark)
        if worker.stopping or self._stop.is_set():
            return
        self._deaths += 1
        code = worker.process.exitcode
        for job in reversed(worker.jobs.values()):  # what was being played comes first again
            self._tries[job.match.id] -= 1  # deaths of workers are counted by themselves
            if job.match.id in worker.playing:
                self._watcher.table_ended(job.match)
                self._void(job, Cause.MACHINE, f"its worker process ended with exit code {code}")
            else:
                self._pending.appendleft(job.match)
        if self._deaths > WORKER_DEATHS:
            self._fail(RunError(f"worker processes die again and again (exit code {code})."))
        else:
            self._start_worker(worker.number)

    async def _stop_workers(self) -> None:
        """Let workers finish, then end them and everything that they started."""
        for worker in self._workers:
            worker.stopping = True
            worker.line.put(Stop(GRACE if self._failure is None else 0.0))
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
            finished = [each for each in batch if each is not None]
            try:
                await self._commit(finished)
            except StoreError as error:
                self._fail(error)
                return
            self._watcher.committed(len(finished))
            self._news.set()
            if None in batch:
                return

    async def _commit(self, finished: Sequence[Finished]) -> None:
        voids, self._voids = self._voids, []
        benched, self._new_benched = self._new_benched, []
        if finished or voids or benched:
            await asyncio.to_thread(self._folder.store.commit, finished, voids, benched)
            complete = self._folder.note_played([each.result for each in finished])
            await asyncio.to_thread(self._folder.release, complete)


def _finished(match: ScheduledMatch, done: Done) -> Finished:
    """Return a match as the store keeps it."""
    result = Result(
        match.id, match.set_id, match.game, match.variant, match.entrants,
        done.places, done.scores, done.forfeits, done.used, done.decisions,
    )  # fmt: skip
    return Finished(result, done.attempt, done.seconds, done.record)


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
