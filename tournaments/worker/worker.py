"""A worker process: one event loop that plays the matches of a tournament for the runner."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from dataclasses import replace
from functools import partial
from socket import socket
from typing import Final

from engine import HighstreetError
from referee.match import LagMeter, MatchPlan, MatchResult
from referee.match_service import MatchService
from referee.model import BotSpec, Cause, SandboxLimits
from referee.record import FolderRepository
from referee.runtime import run_async, tuned_process
from referee.transports import BotLauncher, RefereeServer, Tls, hashed
from tournaments.model import Job, VoidAttempt
from tournaments.worker.bot_pool import BotPool
from tournaments.worker.channel import Channel
from tournaments.worker.log_relay import LogRelay
from tournaments.worker.logged_bot import LoggingLauncher
from tournaments.worker.match_runner import (
    MatchEnding,
    MatchRunner,
    failed,
    league_plan,
    match_plan,
    played_match,
)
from tournaments.worker.messages import (
    BotRefused,
    Committed,
    Heartbeat,
    JobsReturned,
    LeagueBots,
    MatchLog,
    MatchVoided,
    Ready,
    RecallJobs,
    Stop,
    ToWorker,
    WorkerFailed,
    WorkerSettings,
)
from tournaments.worker.seating import Seating

MARK: Final = "HIGHSTREET_RUN"
"""The environment variable by which all processes of a run are found."""
HEARTBEAT: Final = 1.0
"""Seconds between two heartbeats."""
LAST_COMMITS: Final = 10.0
"""How long the last commits may take when the tournament stops, in seconds."""
IGNORED: Final = (signal.SIGINT, signal.SIGHUP)
"""Signals that a terminal sends to all its processes: only the runner acts on them."""
LONGEST_LOG: Final = 16 * 1024
"""How much of the standard error of a bot in a match is sent, in characters."""
STOPPED: Final = "the tournament was stopped"


def work(end: socket, settings: WorkerSettings) -> None:
    """Run a worker until the runner stops it or has ended; the main function of the process."""
    _close_on_exec()
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, IGNORED)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with tuned_process():
        run_async(Worker(end, settings).run())


def _close_on_exec() -> None:
    """Let bots inherit no file of this process, above all not its channel to the runner.

    With the channel a bot could read all deals and send results, and it would keep the channel open
    after the death of the worker.
    """
    for name in os.listdir("/dev/fd"):  # noqa: PTH208  names only
        if int(name) > 2:
            with contextlib.suppress(OSError):  # that of the list itself is closed
                os.set_inheritable(int(name), False)


class Worker:
    """Plays jobs that come over a channel."""

    def __init__(self, end: socket, settings: WorkerSettings) -> None:
        self._settings = settings
        self._tournament = settings.tournament
        self._packages = {
            entrant.name: entrant.package.hash
            for entrant in settings.tournament.entrants
            if entrant.package is not None
        }
        self._runner: MatchRunner | None = None
        self._server: RefereeServer | None = None
        """Listens for remote bots."""
        self._seating: Seating | None = None
        self._logs: LogRelay | None = None
        """Where the runner is on another machine."""
        self._specs: dict[str, BotSpec] = {}
        """How bots are started; those of leagues have the league and a slash before their names."""
        self._pool: BotPool | None = None
        self._leagues: dict[str, tuple[LeagueBots, Seating]] = {}
        self._stopping = asyncio.Event()
        self._grace = 0.0
        # Without a runner there is nothing to finish.
        self._channel = Channel(end, self._on_message, self._stopping.set)
        if settings.machine and settings.tournament.entrants:
            self._logs = LogRelay(settings.logs, self._channel.send)
        self._queue: deque[Job] = deque()
        """Jobs that wait for a free table."""
        self._commits: dict[str, asyncio.Future[bool]] = {}
        """Matches whose result is sent and not committed; true once it is."""

    async def run(self) -> None:
        """Play until the runner stops this worker; report an error that prevents it."""
        await self._channel.open()
        try:
            await self._serve()
        except HighstreetError as error:
            self._channel.send(WorkerFailed(str(error)))
        await self._channel.close()

    async def _serve(self) -> None:
        """Set everything up, play, and shut everything down."""
        local = await self._start_local_server()
        self._server = await self._start_public_server()
        self._specs |= {
            entrant.name: self._marked(entrant.spec()) for entrant in self._tournament.entrants
        }
        self._pool = pool = BotPool(self._launcher(local), self._specs, self._settings.most_idle)
        self._seating = Seating(self._tournament, pool, self._server, self._report_refusal)
        lag = LagMeter()
        self._runner = MatchRunner(lag)
        self._channel.send(Ready(self._server.address if self._server else ""))
        heartbeat = asyncio.create_task(self._send_heartbeats())
        await self._stopping.wait()
        await self._finish_matches(self._runner)
        await pool.close()
        heartbeat.cancel()
        for server in (local, self._server):
            if server is not None:
                await server.stop("the tournament stops", grace=3)
        lag.stop()

    def _launcher(self, local: RefereeServer | None) -> BotLauncher | LoggingLauncher:
        """Return what starts bots; those of leagues have a log for each process."""
        logs = self._settings.logs
        if not self._tournament.entrants:
            return LoggingLauncher(logs, SandboxLimits().log_bytes)
        return BotLauncher(local, logs, connect_seconds=30)

    async def _send_heartbeats(self) -> None:
        loop, lag = asyncio.get_running_loop(), 0.0
        while True:
            self._channel.send(Heartbeat(lag))
            due = loop.time() + HEARTBEAT
            await asyncio.sleep(HEARTBEAT)
            lag = max(0.0, loop.time() - due)

    async def _start_local_server(self) -> RefereeServer | None:
        """Listen for gRPC bots that this worker starts."""
        if not any(entrant.spec().needs_server for entrant in self._tournament.entrants):
            return None
        server = RefereeServer()
        await server.start()
        return server

    async def _start_public_server(self) -> RefereeServer | None:
        """Listen for remote bots, and serve released records."""
        if not self._settings.tokens:
            return None
        run = self._tournament.run
        tls = None
        if run.tls_cert is not None and run.tls_key is not None:
            tls = Tls(run.tls_cert.read_bytes(), run.tls_key.read_bytes())
        server = RefereeServer(tls=tls)
        for name, token in self._settings.tokens.items():
            server.tokens.holders[hashed(token)] = name
        services = None
        if self._settings.records is not None:
            services = MatchService(FolderRepository(self._settings.records)).add_to
        await server.start(run.host, run.port, add_services=services)
        return server

    def _marked(self, spec: BotSpec) -> BotSpec:
        if spec.command is None:
            return spec
        environment = {**(spec.command.environment or {}), MARK: self._settings.mark}
        return replace(spec, command=replace(spec.command, environment=environment))

    # Messages -----------------------------------------------------------------------------------

    def _on_message(self, message: ToWorker) -> None:
        if isinstance(message, Committed):
            for match in message.matches:
                self._resolve_commit(match, committed=True)
        elif isinstance(message, Stop):
            self._grace = message.grace
            self._stopping.set()
        elif isinstance(message, RecallJobs):
            self._return_jobs()
        elif isinstance(message, LeagueBots):
            self._add_league_bots(message)
        else:
            self._queue.extend(message.jobs)
            self._start_matches()

    def _add_league_bots(self, bots: LeagueBots) -> None:
        """Add bots to those of their league."""
        assert self._pool is not None  # noqa: S101  messages come after ``Ready``
        league = bots.league
        if league in self._leagues:
            known, seating = self._leagues[league]
            bots = bots._replace(packages={**known.packages, **bots.packages})
        else:
            prefix, refused = f"{league}/", self._report_refusal
            keep = partial(self._keep_log, asyncio.get_running_loop())
            seating = Seating(self._tournament, self._pool, None, refused, prefix, keep)
        for name, spec in bots.specs.items():
            self._specs[f"{league}/{name}"] = self._marked(spec)
        self._leagues[league] = bots, seating

    def _keep_log(self, loop: asyncio.AbstractEventLoop, match: str, bot: str, text: str) -> None:
        """Send the end of what a bot wrote in a match; in a thread."""
        loop.call_soon_threadsafe(self._channel.send, MatchLog(match, bot, text[-LONGEST_LOG:]))

    def _resolve_commit(self, match: str, *, committed: bool) -> None:
        commit = self._commits.pop(match, None)
        if commit is not None and not commit.done():
            commit.set_result(committed)

    def _return_jobs(self) -> None:
        """Return the jobs that have not begun: they may have to be played in another way."""
        if self._queue:
            self._channel.send(JobsReturned(tuple(job.match.id for job in self._queue)))
            self._queue.clear()

    def _report_refusal(self, message: str) -> None:
        self._channel.send(BotRefused(message))

    # Matches ------------------------------------------------------------------------------------

    def _start_matches(self, _ended: object = None) -> None:
        assert self._runner is not None  # noqa: S101  jobs come after ``Ready``
        waiting = min(len(self._commits), self._settings.most_waiting)
        while self._queue and self._runner.running < self._settings.tables + waiting:
            task = self._runner.start(self._play(self._queue.popleft()))
            task.add_done_callback(self._start_matches)

    async def _finish_matches(self, runner: MatchRunner) -> None:
        """Let matches end within the grace period, and stop the others."""
        self._queue.clear()
        if self._grace:
            await runner.wait(self._grace)
        for task in runner.stop_all(STOPPED):
            task.cancel()  # its bots are being started
        if self._grace:
            await runner.wait(LAST_COMMITS)
        for match in list(self._commits):
            self._resolve_commit(match, committed=False)
        await runner.wait()

    async def _play(self, job: Job) -> None:
        try:
            ending = await self._play_match(job)
        except asyncio.CancelledError:
            ending = MatchEnding(cause=Cause.REFEREE, detail=STOPPED)
        except Exception as error:  # noqa: BLE001  the runner waits for an answer to every job
            ending = failed(job.match.id, error)
        finally:
            if self._server is not None:
                await self._server.notify()  # its remote bots are free
        if ending.cause is not None:
            self._relay_logs(job)
            void = VoidAttempt(job.match.id, job.attempt, ending.cause.value, ending.detail)
            self._channel.send(MatchVoided(void, self._stopping.is_set(), ending.deaths))
            self._return_jobs()

    def _relay_logs(self, job: Job) -> None:
        """Send what the bots of a match wrote, to a runner that does not have their files."""
        if self._logs is not None:
            self._logs.relay(job.match.entrants)

    async def _play_match(self, job: Job) -> MatchEnding:
        """Play a match; its table stays taken until the runner has committed the result.

        Where commits take long, as many as ``most_waiting`` matches wait beside the tables.
        """
        assert self._runner is not None  # noqa: S101  as above
        assert self._seating is not None  # noqa: S101
        started = asyncio.get_running_loop().time()
        _, seating = self._leagues.get(job.match.competition, (None, self._seating))
        seat = partial(seating.seat, job)
        commit = partial(self._commit, job, started)
        return await self._runner.play(self._plan(job), seat, commit)

    async def _commit(self, job: Job, started: float, result: MatchResult) -> bool:
        """Send a result to the runner, and wait until it is committed."""
        loop = asyncio.get_running_loop()
        committed: asyncio.Future[bool] = loop.create_future()
        self._commits[job.match.id] = committed
        seconds = loop.time() - started
        self._relay_logs(job)
        self._channel.send(played_match(job, result.plan.entrants, result, seconds))
        if self._tournament.bench_after and any(c.fault != "benched" for c in result.causes):
            self._return_jobs()
        self._start_matches()
        return await committed

    def _plan(self, job: Job) -> MatchPlan:
        settings = self._tournament
        if job.match.competition in self._leagues:
            bots, _ = self._leagues[job.match.competition]
            plan = league_plan(bots.league, bots.settings, job, bots.packages)
        else:
            plan = match_plan(("tournament", settings.title), settings, job, job.match.entrants)
            plan = replace(plan, packages=self._packages)
        machine = self._settings.machine
        return replace(plan, about={**plan.about, "machine": machine}) if machine else plan
