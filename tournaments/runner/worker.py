"""A worker: one event loop with a referee, bots and tables, in a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from socket import socket

import zstandard

from engine import HighstreetError, Seat
from referee import (
    Absence,
    BotSpec,
    BotStartError,
    Cause,
    EmptySeat,
    LagMeter,
    MatchPlan,
    MatchResult,
    NoShowError,
    Player,
    RefereeServer,
    Stage,
    Table,
    Tls,
    Transport,
)
from referee.loop import run_async
from referee.matches import MatchService
from referee.server import GrpcPlayer, Session
from referee.shelf import ReleasedShelf
from referee.tokens import hashed
from referee.tuning import refereeing
from tournaments.runner.jobs import (
    Done,
    Failed,
    Job,
    Played,
    Ready,
    Refused,
    Returned,
    Stop,
    ToWorker,
    Undone,
    WorkerSettings,
)
from tournaments.runner.line import Line
from tournaments.runner.pool import BotPool, PooledBot

log = logging.getLogger(__name__)

MARK = "HIGHSTREET_RUN"
"""The variable by which all processes of a run can be found."""
TOGETHER = 0.05
"""How long a match that was played may wait to be told together with others, in seconds."""
HELD = (signal.SIGINT, signal.SIGHUP)
"""What a terminal sends to everybody in it: the runner alone decides what it means."""


def work(end: socket, settings: WorkerSettings) -> None:
    """Play what the runner asks for, until it says stop or is gone; the body of the process."""
    _keep_to_ourselves()
    for number in HELD:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with refereeing():
        run_async(_Worker(end, settings).run())


def _keep_to_ourselves() -> None:
    """Let no bot inherit what this process has inherited: above all its line to the runner.

    Whoever had that would know all deals, could speak for the worker, and would keep the line open
    when the worker dies.
    """
    for name in os.listdir("/dev/fd"):  # noqa: PTH208  names only
        if int(name) > 2:
            with contextlib.suppress(OSError):  # that of the list itself is closed
                os.set_inheritable(int(name), False)


@dataclass(frozen=True, slots=True)
class _Seated:
    """Who came to the table."""

    player: Player
    pooled: PooledBot | None = None
    session: Session | None = None
    """Of a remote bot."""


class _KilledOnTheWay(HighstreetError):  # noqa: N818  it is no error of anybody's
    """A bot whose process was ended by SIGKILL before it came to the table."""

    def __init__(self, entrant: str, message: str) -> None:
        super().__init__(message)
        self.entrant = entrant


_Arrivals = dict[str, _Seated | Absence]
"""Who came to the table, and who did not, by name."""


class _Worker:
    def __init__(self, end: socket, settings: WorkerSettings) -> None:
        self._settings = settings
        self._tournament = settings.tournament
        self._lag: LagMeter | None = None
        self._public: RefereeServer | None = None
        self._pool: BotPool | None = None
        self._tables: dict[asyncio.Task[None], Table | None] = {}
        self._refusals: dict[str, str] = {}
        """Why remote bots that dialled in last were sent away, by name."""
        self._stopping = asyncio.Event()
        self._grace = 0.0
        # A runner that is gone wants no answers any more.
        self._line = Line(end, self._obey, self._stopping.set)
        self._waiting: deque[Job] = deque()
        """What is to be played when a table is free."""
        self._played: list[tuple[Job, MatchResult, float]] = []
        """What the runner has not been told yet, each with the seconds that it took."""
        # Level 1 makes shorter records than the usual 3, and faster: much of them is hashes.
        self._compressor = zstandard.ZstdCompressor(level=1, write_checksum=True)

    async def run(self) -> None:
        """Play what the runner asks for, and tell it if that cannot be."""
        await self._line.open()
        try:
            await self._work()
        except HighstreetError as error:
            self._line.put(Failed(str(error)))
        await self._line.close()

    async def _work(self) -> None:
        """Set everything up, play, and take everything down again."""
        local = await self._local_server()
        self._public = await self._public_server()
        specs = {
            entrant.name: self._marked(entrant.spec()) for entrant in self._tournament.entrants
        }
        self._pool = BotPool(
            Stage(local, self._settings.logs, arrival_seconds=30), specs, self._settings.most_idle
        )
        self._lag = LagMeter()
        self._line.put(Ready(self._public.address if self._public else ""))
        await self._stopping.wait()
        await self._finish_tables()
        self._report()
        await self._pool.close()
        for server in (local, self._public):
            if server is not None:
                await server.stop("the tournament stops", grace=3)
        self._lag.stop()

    async def _local_server(self) -> RefereeServer | None:
        """Listen for gRPC bots that we start ourselves."""
        if all(entrant.transport is not Transport.GRPC for entrant in self._tournament.entrants):
            return None
        server = RefereeServer()
        await server.start()
        return server

    async def _public_server(self) -> RefereeServer | None:
        """Listen for bots that somebody else starts, and give out records."""
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
            services = MatchService(ReleasedShelf(self._settings.records)).add_to
        await server.start(run.host, run.port, add_services=services)
        return server

    def _marked(self, spec: BotSpec) -> BotSpec:
        if spec.command is None:
            return spec
        environment = {**(spec.command.environment or {}), MARK: self._settings.mark}
        return replace(spec, command=replace(spec.command, environment=environment))

    # What the runner says -----------------------------------------------------------------------

    def _obey(self, message: ToWorker) -> None:
        if isinstance(message, Stop):
            self._grace = message.grace
            self._stopping.set()
        else:
            self._waiting.extend(message.jobs)
            self._fill_tables()

    def _fill_tables(self) -> None:
        while self._waiting and len(self._tables) < self._settings.tables:
            task = asyncio.create_task(self._play(self._waiting.popleft()))
            self._tables[task] = None
            task.add_done_callback(self._clear_table)

    def _clear_table(self, task: asyncio.Task[None]) -> None:
        del self._tables[task]
        self._fill_tables()

    async def _finish_tables(self) -> None:
        self._waiting.clear()
        if self._tables and self._grace:
            await asyncio.wait(list(self._tables), timeout=self._grace)
        for task, table in list(self._tables.items()):
            if table is None:
                task.cancel()  # its bots are being started
            else:
                table.stop(Cause.REFEREE, "the tournament was stopped")
        if self._tables:
            await asyncio.wait(list(self._tables))

    # One match ----------------------------------------------------------------------------------

    async def _play(self, job: Job) -> None:
        started = asyncio.get_running_loop().time()
        try:
            try:
                result, killed = await self._play_table(job)
            finally:
                if self._public is not None:
                    await self._public.notify()  # its remote bots are free
        except asyncio.CancelledError:
            self._undone(job, Cause.REFEREE, "the tournament was stopped")
            return
        except BotStartError as error:
            self._undone(job, Cause.MACHINE, str(error))
            return
        except _KilledOnTheWay as error:
            self._undone(job, Cause.MACHINE, str(error), [error.entrant])
            return
        except Exception as error:
            reference = secrets.token_hex(4)
            log.exception("match %s is void, reference %s", job.match.id, reference)
            self._undone(job, Cause.REFEREE, f"{type(error).__name__}, reference {reference}")
            return
        if result.void:
            self._undone(job, result.causes[-1].cause, result.causes[-1].detail)
            return
        if killed:
            detail = f"the process of {' and that of '.join(killed)} was ended by SIGKILL"
            self._undone(job, Cause.MACHINE, detail, killed)
            return
        self._note_played(job, result, asyncio.get_running_loop().time() - started)

    def _undone(self, job: Job, cause: Cause, detail: str, killed: Sequence[str] = ()) -> None:
        stopped = self._stopping.is_set()
        self._line.put(
            Undone(job.match.id, job.attempt, cause.value, detail, stopped, tuple(killed))
        )
        self._hand_back()

    def _hand_back(self) -> None:
        """Return what was given ahead: whether it is played as planned may depend on a fault."""
        if self._waiting:
            self._line.put(Returned(tuple(job.match.id for job in self._waiting)))
            self._waiting.clear()

    def _note_played(self, job: Job, result: MatchResult, seconds: float) -> None:
        """Tell the runner of a match: at once if it waits for that, or together with the next."""
        self._played.append((job, result, seconds))
        faults = [cause.fault for cause in result.causes if cause.fault != "benched"]
        if faults and self._tournament.bench_after:
            self._report()
            self._hand_back()
        elif not self._waiting:
            self._report()
        elif len(self._played) == 1:
            asyncio.get_running_loop().call_later(TOGETHER, self._report)

    def _report(self) -> None:
        """Send what has been played."""
        played, self._played = self._played, []
        if played:
            self._line.put(Played(tuple(self._done(*each) for each in played)))

    def _done(self, job: Job, result: MatchResult, seconds: float) -> Done:
        entrants = job.match.entrants
        return Done(
            job.match.id,
            job.attempt,
            result.places,
            result.scores,
            result.forfeits,
            tuple([used.total_seconds() for used in result.used]),
            result.decisions,
            seconds,
            self._compressor.compress(result.record),
            tuple(
                (entrants[cause.seat], cause.fault, cause.detail)
                for cause in result.causes
                if cause.seat is not None
            ),
        )

    async def _play_table(self, job: Job) -> tuple[MatchResult, list[str]]:
        """Play a match; return its result, and whose process was killed meanwhile.

        By the machine, as far as anybody knows; but whoever does it to itself again and again
        to escape a defeat is a suspect, and not believed any more.
        """
        assert self._lag is not None  # noqa: S101  set up before the first job
        assert self._pool is not None  # noqa: S101
        plan = self._plan(job)
        seated, absent = await self._seat(job, plan)
        table = Table(plan, [each.player for each in seated], self._lag, absent=absent)
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  this is it
        self._tables[task] = table
        try:
            result = await table.play()
        except BaseException:
            self._retire(seated, plan.match)
            raise
        killed = [
            name
            for name, each in zip(job.match.entrants, seated, strict=True)
            if name not in job.suspects and each.pooled is not None and each.pooled.bot.killed
        ]
        if (result.void or killed) and job.duplicate:
            self._retire(seated, plan.match)  # they have seen a deal that will be played again
            return result, killed
        for seat, (name, each) in enumerate(zip(job.match.entrants, seated, strict=True)):
            if each.pooled is not None:
                if seat in result.forfeits:
                    self._pool.retire(each.pooled)  # it may hang still; the next one starts afresh
                else:
                    self._pool.give_back(name, each.pooled)
        return result, killed

    def _retire(self, seated: Sequence[_Seated], match: str) -> None:
        assert self._pool is not None  # noqa: S101  as above
        for each in seated:
            if each.pooled is not None:
                self._pool.retire(each.pooled)
            if each.session is not None:
                each.session.stand_up(match)

    def _plan(self, job: Job) -> MatchPlan:
        tournament, match = self._tournament, job.match
        return MatchPlan(
            job.wire_id,
            tournament.discipline(match.game).game,
            tournament.options_of(match),
            job.seed,
            job.salt,
            match.entrants,
            tournament.time_control,
            tournament.policy,
            reveal_seed=not job.duplicate,
            about={
                "tournament": {
                    "name": tournament.name,
                    "match": match.id,
                    "set": match.set_id,
                    "variant": match.variant,
                }
            },
        )

    async def _seat(self, job: Job, plan: MatchPlan) -> tuple[list[_Seated], dict[Seat, Absence]]:
        """Bring everybody to the table; whoever does not come is absent."""
        remote = [
            name
            for name in plan.entrants
            if name not in job.benched
            and self._tournament.entrant(name).transport is Transport.REMOTE
        ]
        found = self._bring_idle([name for name in plan.entrants if name not in remote], job)
        tasks = [
            asyncio.create_task(self._bring(name, job))
            for name in plan.entrants
            if name not in remote and name not in found
        ]
        if remote:
            tasks.append(asyncio.create_task(self._bring_remote(remote, plan.match)))
        try:
            for each in await asyncio.gather(*tasks) if tasks else ():
                found |= each
        except BaseException:
            for task in tasks:
                task.cancel()
            for arrived in await asyncio.gather(*tasks, return_exceptions=True):
                if not isinstance(arrived, BaseException):
                    found |= arrived
            self._retire([one for one in found.values() if isinstance(one, _Seated)], plan.match)
            raise
        seated, absent = [], {}
        for seat, name in enumerate(plan.entrants):
            arrival = found[name]
            if isinstance(arrival, Absence):
                absent[Seat(seat)] = arrival
                seated.append(_Seated(EmptySeat()))
            else:
                seated.append(arrival)
        return seated, absent

    def _bring_idle(self, names: Sequence[str], job: Job) -> _Arrivals:
        """Bring those who wait for their next match: nearly always all of them, and at once."""
        assert self._pool is not None  # noqa: S101  as above
        found: _Arrivals = {}
        for name in names:
            if name not in job.benched:
                pooled = self._pool.take_idle(name, job.seed)
                if pooled is not None:
                    found[name] = _Seated(pooled.bot.player(), pooled)
        return found

    async def _bring(self, name: str, job: Job) -> _Arrivals:
        assert self._pool is not None  # noqa: S101  as above
        if name in job.benched:
            return {name: Absence("benched", job.benched[name])}
        try:
            pooled = await self._pool.take(name, job.seed)
        except NoShowError as error:
            if error.killed and name not in job.suspects:
                raise _KilledOnTheWay(name, str(error)) from None
            return {name: Absence("disconnect", str(error))}
        except BotStartError as error:
            if error.machine:
                raise
            return {name: Absence("crash", str(error))}
        if refusal := self._refusal(name, pooled.bot.games):
            self._pool.retire(pooled)
            return {name: Absence("disconnect", refusal)}
        return {name: _Seated(pooled.bot.player(), pooled)}

    def _refusal(self, name: str, plays: Collection[str]) -> str | None:
        """Say which games of the tournament a bot does not play that says what it plays."""
        games = [discipline.name for discipline in self._tournament.games]
        missing = [game for game in games if plays and game not in plays]
        if not missing:
            return None
        return (
            f"{name} says that it plays {' and '.join(sorted(plays))}, but not "
            f"{' and '.join(missing)}: an entrant plays every game of the tournament. Its join "
            "must name all of them, or none, which means all."
        )

    async def _bring_remote(self, names: Sequence[str], match: str) -> _Arrivals:
        """Wait for bots that somebody else starts, and seat all of them in one moment.

        A match that took one bot and then waited for another could wait for a match that does it
        the other way round. Who is there, but at other tables, is waited for; only who is not
        there runs out of time.
        """
        assert self._public is not None  # noqa: S101  remote bots are only seated where we listen
        loop = asyncio.get_running_loop()
        patience = self._tournament.run.remote_seconds
        missing: dict[str, float] = {}
        """Since when each of them is not there."""
        while True:
            self._turn_away(names)
            for name in names:
                if self._remote_sessions(name):
                    missing.pop(name, None)
                    self._refusals.pop(name, None)
                else:
                    missing.setdefault(name, loop.time())
            late = {name for name, since in missing.items() if loop.time() >= since + patience}
            free = {name: self._free_session(name) for name in names if name not in late}
            if None not in free.values():
                break
            due = [since + patience for name, since in missing.items() if name not in late]
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(min(due, default=None)):
                    await self._public.change()
        found: _Arrivals = {
            name: Absence(
                "disconnect",
                self._refusals.get(name, f"{name} did not dial in within {patience:g} seconds."),
            )
            for name in late
        }
        for name, session in free.items():
            if session is not None:
                player = GrpcPlayer(session)
                session.sit_down(match, player)
                found[name] = _Seated(player, session=session)
        return found

    def _remote_sessions(self, name: str) -> list[Session]:
        """Return where a remote bot is there, at a table or not."""
        assert self._public is not None  # noqa: S101  as above
        games = [discipline.name for discipline in self._tournament.games]
        return [
            session
            for session in self._public.sessions
            if session.entrant == name and all(map(session.stays_for, games))
        ]

    def _free_session(self, name: str) -> Session | None:
        game = self._tournament.games[0].name  # whoever is there plays all of them
        free = (session for session in self._remote_sessions(name) if session.plays(game))
        return next(free, None)

    def _turn_away(self, names: Sequence[str]) -> None:
        """Send away those who do not play every game, and tell them and the organiser why."""
        assert self._public is not None  # noqa: S101  as above
        for session in self._public.sessions:
            name = session.entrant
            if name not in names or not session.connected or session.leaving:
                continue
            if refusal := self._refusal(name, session.games):
                self._refusals[name] = refusal
                session.say_goodbye(refusal)
                self._line.put(Refused(refusal))
