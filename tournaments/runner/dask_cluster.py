"""Workers of a Dask cluster, which play the matches of a tournament or of leagues.

Dask connects the machines, notices which workers come and go, and carries everything. To each of
its workers the runner gives a host, as an actor. Matches reach the host as tasks of some seconds,
each a few whole duplicate sets. Results come in the replies to ``exchange``, which also tells the
host what is committed: only then do the bots learn how their match ended.

A task belongs to one worker and is never run by another one: what becomes of the matches of a lost
worker is for the runner to decide, as with processes of this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any, Final

from distributed import Client, Future

from engine import UsageError
from referee.runtime import raise_open_files
from tournaments.model import ClusterSettings, Job, PlayedMatch
from tournaments.runner.cluster_host import (
    ChildEnded,
    ClusterHost,
    Exchange,
    HostError,
    Opening,
    Reply,
    build_package,
    packed_task,
    play_sets,
)
from tournaments.runner.cluster_worker import ClusterWorker, Outbox, WorkerFigures
from tournaments.runner.dispatch import DeathScope, DispatchListener
from tournaments.runner.job_source import JobSource
from tournaments.runner.record_check import problem_with
from tournaments.runner.worker_jobs import WorkerJobs
from tournaments.worker import FromWorker, JobsReturned, MatchVoided, Stop, ToWorker

log = logging.getLogger(__name__)

TASK_SECONDS: Final = 4.0
"""For how long a worker has jobs, in seconds; a task has half of it."""
MOST_PREFETCHED: Final = 1000
LOOK: Final = 1.0
"""Seconds between two looks at the list of workers, and the longest wait of an exchange."""
WORKERS_A_LOOK: Final = 50
"""With more workers than that, both become longer in proportion."""
OPENING: Final = 120.0
"""How long a worker may take to start a host, in seconds."""
SILENT: Final = 60.0
"""After how many seconds without an answer a worker counts as lost, if Dask still lists it."""
ANSWER: Final = 10.0
"""How long an exchange may take beyond its wait, in seconds, before it is repeated."""
AWAY: Final = 600.0
"""For how long the scheduler may be away, in seconds."""
CONNECT: Final = 10.0
STOP_SECONDS: Final = 15.0
"""How long workers may take to end after the grace period."""
COMMIT: Final = 1.0
"""How long results may wait for their commit, in seconds, before the next exchange."""


class ClusterError(UsageError):
    """A cluster that cannot be used."""


class DaskCluster(WorkerJobs[ClusterWorker]):
    """A dispatcher whose processes run on the workers of a Dask cluster."""

    whole_sets = True

    def __init__(
        self,
        source: JobSource,
        listener: DispatchListener,
        *,
        address: str,
        settings: ClusterSettings,
    ) -> None:
        """Take where the jobs come from, and the address of the scheduler."""
        super().__init__(listener, TASK_SECONDS, MOST_PREFETCHED)
        self._source = source
        self._address = address
        self._settings = settings
        self._run = secrets.token_hex(8)
        self._dead: list[str] = []
        """The marks of earlier runs and of workers that were lost."""
        self._client: Client | None = None
        self._known: dict[str, str] = {}
        """The workers that were opened or left out, by address: the name that Dask has."""
        self._joining: set[str] = set()
        self._scattered: dict[str, Future] = {}
        self._figures: dict[str, WorkerFigures] = {}
        """By the name of the worker."""
        self._left = 0
        """How many matches have not been played."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = False

    # Start and stop -----------------------------------------------------------------------------

    async def start(self) -> None:
        """Connect to the scheduler, and use the workers that it has, now and later."""
        last = await asyncio.to_thread(self._source.note_run, self._run)
        if last is not None:
            self._dead.append(last)
        left = self._source.left()
        if left == 0:
            return
        self._left = left or 0
        try:
            self._client = await self._connect()
        except ClusterError as error:
            if left is not None:
                raise
            self._listener.on_note(f"{error}; it is tried again until there is one")
        self._spawn(self._look())

    async def _connect(self) -> Client:
        try:
            client = await Client(
                self._address, asynchronous=True, timeout=CONNECT,
                name="highstreet", direct_to_workers=True,
                # Each worker has a call under way all the time; the default is 512 for all of them.
                connection_limit=raise_open_files() // 2,
            )  # fmt: skip
        except (OSError, TimeoutError, ValueError) as error:
            why = str(error) or type(error).__name__
            raise ClusterError(
                f"there is no Dask scheduler at {self._address}: {why}. Start one with: "
                "dask scheduler"
            ) from None
        if link := client.dashboard_link:
            self._listener.on_note(f"Dask's dashboard: {link}")
        return client

    async def stop(self, grace: float) -> None:
        """Let workers finish, then end their processes, and leave the cluster."""
        self._stopping = True
        for worker in self._workers:
            worker.channel.send(Stop(grace))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace + STOP_SECONDS):
                for worker in list(self._workers):
                    await worker.ended.wait()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await asyncio.gather(*map(self._close, self._workers))
        self._workers.clear()
        for name in sorted(self._figures):
            self._listener.on_note(self._figures[name].sentence())
        if self._client is not None:
            with contextlib.suppress(TimeoutError, OSError):
                await self._client.close(timeout=CONNECT)

    async def _close(self, worker: ClusterWorker) -> None:
        with contextlib.suppress(Exception):  # it is gone, and so are its processes
            for task in worker.tasks:
                await task.cancel()
            await worker.actor.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("the dispatcher failed", exc_info=error)
            self._listener.on_failed(f"the runner failed: {type(error).__name__}: {error}")

    # Workers that come and go -------------------------------------------------------------------

    @property
    def _pause(self) -> float:
        """Seconds between two looks."""
        return LOOK * max(1.0, len(self._workers) / WORKERS_A_LOOK)

    async def _look(self) -> None:
        """Follow which workers Dask has; say once that there are none."""
        told = False
        while not self._stopping:
            if self._client is None:
                await self._find_scheduler()
                continue
            try:
                async with asyncio.timeout(CONNECT):
                    found = (await self._client.scheduler.identity())["workers"]
            except (OSError, TimeoutError):
                await self._reconnect()
                continue
            self._compare(found)
            if not (found or told):
                self._listener.on_note(
                    f"waiting for workers: start one with: dask worker {self._address}"
                )
            told = not found
            await asyncio.sleep(self._pause)

    def _compare(self, found: Mapping[str, Mapping[str, Any]]) -> None:
        """Open hosts on workers that are new, and drop those that are gone."""
        for worker in [each for each in self._workers if each.address not in found]:
            self._drop(worker, f"the worker {worker.name} was lost", DeathScope.HOST)
        for address in self._known.keys() - found.keys():
            del self._known[address]
        for address, about in found.items():
            if address not in self._known and address not in self._joining:
                self._joining.add(address)
                self._spawn(self._join(address, str(about["name"]), int(about["nthreads"])))

    async def _join(self, address: str, name: str, tables: int) -> None:
        """Open a host on a worker; report why it is left out if it cannot play."""
        if name in self._settings.without or address in self._settings.without:
            self._known[address] = name
            self._joining.discard(address)
            self._listener.on_note(f"worker {name} at {address} is left out, as you said")
            return
        try:
            async with asyncio.timeout(OPENING):
                await self._open(address, name, tables)
            self._known[address] = name
        except HostError as error:
            self._known[address] = name
            self._listener.on_note(f"worker {name} at {address} is left out: {error}")
        except Exception as error:  # noqa: BLE001  of Dask, of any kind; it is tried again
            log.info("worker %s at %s did not open: %r", name, address, error)
        finally:
            self._joining.discard(address)

    async def _open(self, address: str, name: str, tables: int) -> None:
        assert self._client is not None  # noqa: S101  it lists the worker
        mark = f"{self._run}.{secrets.token_hex(4)}"
        future = self._client.submit(
            ClusterHost, mark, actor=True, key=f"highstreet-host-{mark}", pure=False,
            workers=[address], allow_other_workers=False,
        )  # fmt: skip
        actor = await future
        tournament = replace(self._source.tournament, secret=None)
        opened = await actor.open(Opening(mark, tuple(self._dead), tournament, tables, name))
        figures = self._figures.setdefault(name, WorkerFigures(name))
        figures.speed = opened.speed
        try:
            await asyncio.to_thread(self._check_speed, opened.speed)
        except HostError:
            await actor.close()
            raise
        worker = ClusterWorker(
            channel=Outbox(lambda jobs: self._spawn(self._send_jobs(worker, jobs))),
            tables=tables, address=address, mark=mark, actor=actor, future=future, figures=figures,
        )  # fmt: skip
        self._workers.append(worker)
        self._listener.on_note(
            f"worker {name} at {address} plays {tables} at once, speed {opened.speed:g}"
        )
        self._listener.on_workers(len(self._workers))
        self._spawn(self._converse(worker))

    def _check_speed(self, speed: float) -> None:
        """Raise HostError if a machine must be as fast as the first one of the tournament."""
        if not self._settings.equal_machines:
            return
        first = self._source.first_speed(speed)
        if abs(speed / first - 1) > self._settings.tolerance:
            raise HostError(
                f"its speed is {speed:g}, but that of the first worker was {first:g}, and they may "
                f"differ by {self._settings.tolerance:.0%}"
            )

    def _leave_out(self, worker: ClusterWorker, reason: str) -> None:
        """Give a worker no more jobs in this run."""
        self._drop(worker, f"the worker {worker.name} is left out", DeathScope.CLUSTER)
        self._known[worker.address] = worker.name
        self._listener.on_note(f"worker {worker.name} is left out: {reason}")

    def _drop(self, worker: ClusterWorker, detail: str, scope: DeathScope) -> None:
        """Take the jobs back that a worker had; it is opened again if Dask still has it."""
        if worker not in self._workers:
            return
        self._workers.remove(worker)
        self._known.pop(worker.address, None)
        self._dead.append(worker.mark)
        worker.ended.set()
        if not self._stopping:
            worker.figures.lost += 1
            self._listener.on_workers(len(self._workers))
            if scope is not DeathScope.CLUSTER:
                self._listener.on_note(f"{detail}; {len(self._workers)} are left")
            self._listener.on_process_died(self._death(worker, detail, scope))
        self._spawn(self._close(worker))
        self._listener.on_capacity()

    async def _reconnect(self) -> None:
        """Find the scheduler again; what the workers had is played again."""
        if self._stopping:
            return
        self._listener.on_note(f"the connection to the scheduler at {self._address} is lost")
        for worker in list(self._workers):
            self._drop(worker, "the scheduler of the cluster was lost", DeathScope.CLUSTER)
        self._known.clear()
        self._scattered.clear()
        if self._client is not None:
            with contextlib.suppress(Exception):
                await self._client.close(timeout=1)
        await self._find_scheduler()

    async def _find_scheduler(self) -> None:
        """Try to connect: for some time, or as long as it takes where the matches never end."""
        loop = asyncio.get_running_loop()
        late = inf if self._source.left() is None else loop.time() + AWAY
        while not self._stopping:
            try:
                self._client = await self._connect()
            except ClusterError as error:
                if loop.time() > late:
                    self._listener.on_failed(str(error))
                    return
                await asyncio.sleep(LOOK)
            else:
                self._listener.on_note("connected to the scheduler again")
                return

    # Messages -----------------------------------------------------------------------------------

    async def _converse(self, worker: ClusterWorker) -> None:
        """Exchange messages with a host until its worker process has ended."""
        number = 0
        while worker in self._workers:
            number += 1
            reply = await self._exchange(worker, number, worker.channel.take())
            if reply is None or worker not in self._workers:
                return
            worker.figures.lag = max(worker.figures.lag, reply.lag)
            for message in reply.messages:
                if isinstance(message, ChildEnded):
                    self._drop(worker, message.detail, DeathScope.PROCESS)
                    return
                self._take(worker, message)
            if worker.uncommitted:
                await worker.channel.wait(COMMIT)

    async def _exchange(
        self, worker: ClusterWorker, number: int, messages: Sequence[ToWorker]
    ) -> Reply | None:
        """Call a host until it answers; return None if the worker is gone."""
        loop = asyncio.get_running_loop()
        late = loop.time() + SILENT
        wait = self._pause
        call = pickle.dumps(Exchange(number, wait, messages))
        while worker in self._workers:
            try:
                async with asyncio.timeout(wait + ANSWER):
                    reply: Reply = await worker.actor.exchange(call)
                    return reply
            except (OSError, TimeoutError, RuntimeError, KeyError) as error:
                log.info("worker %s does not answer: %r", worker.name, error)
                if loop.time() > late:
                    detail = f"the worker {worker.name} did not answer for {SILENT:.0f} s"
                    self._drop(worker, detail, DeathScope.HOST)
                await asyncio.sleep(LOOK / 2)
        return None

    def _take(self, worker: ClusterWorker, message: FromWorker) -> None:
        """Take a message; what does not belong to a job of the worker has been played again."""
        if isinstance(message, PlayedMatch):
            job = worker.jobs.get(message.result.match)
            if (
                job is None
                or job.attempt != message.attempt
                or not self._accept(worker, job, message)
            ):
                return
            self._left -= 1
        elif isinstance(message, MatchVoided):
            given = worker.jobs.get(message.void.match)
            if given is None or given.attempt != message.void.attempt:
                return
            worker.figures.add_void()
        elif isinstance(message, JobsReturned):
            message = JobsReturned(
                tuple(match for match in message.matches if match in worker.jobs)
            )
        self._on_message(worker, message)
        most = max(0, self._left // (2 * max(1, len(self._workers))))
        worker.prefetch = min(worker.prefetch, most)
        if worker.figures.fails and len(self._workers) > 1:
            self._leave_out(worker, "too many of its last matches were void")

    def _accept(self, worker: ClusterWorker, job: Job, played: PlayedMatch) -> bool:
        """Check a result; a worker with a wrong one is left out, and its jobs are played again."""
        problem = problem_with(job, played)
        if problem is None:
            worker.figures.add(played)
            return True
        worker.figures.refused += 1
        self._leave_out(worker, f"its record of match {job.match.id} is wrong: {problem}")
        return False

    # Jobs ---------------------------------------------------------------------------------------

    async def _send_jobs(self, worker: ClusterWorker, jobs: Sequence[Job]) -> None:
        """Make a task of jobs, after the worker has the packages of their bots."""
        needed, leagues = self._source.packages(jobs), self._source.leagues(jobs)
        try:
            async with worker.sending:
                for package in sorted(needed - worker.packages):
                    if not await self._bring(worker, package, jobs):
                        return
                    worker.packages.add(package)
                task = self._submit(
                    worker, play_sets, worker.mark, packed_task(jobs, leagues),
                    key=f"play-{jobs[0].match.id}",
                )  # fmt: skip
            worker.tasks.add(task)
            await task
        except Exception as error:  # noqa: BLE001  of Dask, of any kind: the task is lost
            log.info("a task of worker %s is lost: %r", worker.name, error)
            self._drop(worker, f"the worker {worker.name} was lost", DeathScope.HOST)
        else:
            worker.tasks.discard(task)

    async def _bring(self, worker: ClusterWorker, package: str, jobs: Sequence[Job]) -> bool:
        """Have a package built by a worker for jobs; return whether that was possible.

        Its bytes stay in the cluster for the other workers.
        """
        assert self._client is not None  # noqa: S101  it has the worker
        held = self._scattered.get(package)
        if held is None or held.status != "finished":
            packed = await asyncio.to_thread(self._source.packed, package)
            held = await self._client.scatter(packed, hash=False)
            self._scattered[package] = held
        try:
            await self._submit(worker, build_package, package, held, key=f"build-{package[:12]}")
        except UsageError as error:
            sentence = f"package {package[:12]} cannot be built there: {error}"
            if self._source.needs_everywhere(package):
                self._leave_out(worker, sentence)
            elif worker in self._workers:
                self._listener.on_note(f"worker {worker.name}: {sentence}")
                self._on_message(worker, JobsReturned(tuple(job.match.id for job in jobs)))
            return False
        return True

    def _submit(
        self, worker: ClusterWorker, function: Callable[..., Any], *arguments: Any, key: str
    ) -> Future:
        """Submit a task to one worker; it is never run by another one, and never again."""
        assert self._client is not None  # noqa: S101  it has the worker
        return self._client.submit(
            function, *arguments, key=f"{key}-{secrets.token_hex(8)}", pure=False, retries=0,
            workers=[worker.address], allow_other_workers=False,
        )  # fmt: skip
