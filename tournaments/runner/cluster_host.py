"""What runs on a worker of a cluster: it starts a worker process of ours, and relays its messages.

The runner calls a ``ClusterHost`` as an actor of Dask, and brings matches to it as tasks of Dask.
The matches themselves are played by the same worker process as on one machine. The host ends that
process when the runner closes it, or has not called it for ``LEASE`` seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from engine import HighstreetError, UsageError
from engine.__about__ import __version__
from referee.model import BotSpec, SandboxKind
from referee.runtime import run_async
from referee.sandbox import SANDBOXES, sandboxed
from tournaments.bot_commands import sample_command
from tournaments.model import Entrant, Job, LeagueSettings, PlayedMatch, TournamentSettings
from tournaments.runner.calibration import measured_speed
from tournaments.runner.marked_processes import kill_marked
from tournaments.runner.worker_jobs import IDLE_BOTS
from tournaments.submissions import (
    PackageCache,
    PackageError,
    bot_command,
    cache_folder,
    package_hash,
    read_manifest,
)
from tournaments.worker import (
    HEARTBEAT,
    MARK,
    BotLog,
    Channel,
    FromWorker,
    Heartbeat,
    JobsReturned,
    LeagueBots,
    MatchLog,
    MatchVoided,
    PlayJobs,
    Stop,
    ToWorker,
    WorkerSettings,
)

LEASE: Final = 90
"""Seconds without a call of the runner after which a host ends everything."""
SILENCE: Final = 30
"""After how many missing heartbeats the worker process is ended."""
SILENCE_AT_START: Final = 120
LINGER: Final = 0.05
"""How long a result waits for others before it is sent, in seconds. With more, the runner works
less, but more matches wait for their commit, and keep their bots: more of these are started."""
ENOUGH: Final = 8
"""With how many results a reply does not wait for more."""
MOST_WAITING: Final = 16
"""How many matches of a worker process may wait for their commit beside those in play."""


class Opening(NamedTuple):
    """What a host needs to play matches of a tournament. There is no secret in it."""

    mark: str
    """Marks all processes of this host in this run."""
    dead: tuple[str, ...]
    """The marks of earlier runs and hosts, whose processes are ended where there still are any."""
    tournament: TournamentSettings
    tables: int
    name: str
    """The name of the worker, for records."""
    version: str = __version__


class LeaguePackages(NamedTuple):
    """The hosted versions of a league that play in a task."""

    league: str
    settings: LeagueSettings
    packages: Mapping[str, str]
    """The SHA-256 of the package of each, by the name of the version."""


class Opened(NamedTuple):
    """A host that takes jobs."""

    speed: float
    """As ``measured_speed`` returns it."""


class Exchange(NamedTuple):
    """A call of the runner."""

    number: int
    wait: float
    """For how many seconds it is waited until something has happened."""
    messages: Sequence[ToWorker]


class ChildEnded(NamedTuple):
    """The worker process has ended."""

    detail: str


class Reply(NamedTuple):
    """What happened since the last call."""

    lag: float
    """How many seconds late the event loop of the worker process was at most."""
    messages: tuple[FromWorker | ChildEnded, ...]


class HostError(HighstreetError):
    """A host that cannot play matches."""


class ClusterHost:
    """Starts a worker process, and relays messages; an actor of Dask."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._child: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._logs: Path | None = None
        self._outbox: list[FromWorker | ChildEnded] = []
        self._urgent = False
        """Whether the outbox has more than results and logs."""
        self._changed = asyncio.Event()
        self._number = 0
        """The number of the last call of ``exchange``."""
        self._reply: Reply | None = None
        """The answer to that call, until the next one shows that it has arrived."""
        self._lag = 0.0
        self._unanswered: dict[str, asyncio.Event] = {}
        """Set when the job of a match is answered."""
        self._attempts: dict[str, int] = {}
        """The last attempt at each match that this host was given and did not return."""
        self._quiet = self._silence = 0
        """Seconds since the last call of the runner, and heartbeats missing from the worker."""
        self._ready = False
        self._has_ended = False
        """Whether the worker process has ended: then nothing is played any more."""
        self._commands: dict[str, BotSpec] = {}
        """How the bots of packages are started, by hash."""
        self._watching: asyncio.Task[None] | None = None

    # Called by the runner -----------------------------------------------------------------------

    async def open(self, opening: Opening) -> Opened:
        """Calibrate this machine and start a worker process; raises HostError."""
        if opening.version != __version__:
            raise HostError(
                f"it has Highstreet {__version__}, but the runner has {opening.version}: install "
                "the same version on all machines."
            )
        try:
            tournament = await asyncio.to_thread(here, opening.tournament)
            if not tournament.entrants:  # packages of leagues come later
                await asyncio.to_thread(SANDBOXES[SandboxKind.BUBBLEWRAP].check)
            speed = await asyncio.to_thread(measured_speed)
        except UsageError as error:
            raise HostError(str(error)) from None
        await asyncio.to_thread(_end_processes, opening.dead)
        self._logs = Path(tempfile.mkdtemp(prefix="highstreet-logs-"))
        machine = {"worker": opening.name, "speed": speed}
        settings = WorkerSettings(
            tournament, opening.tables, self._logs, self._mark, IDLE_BOTS,
            most_waiting=MOST_WAITING, machine=machine,
        )  # fmt: skip
        ours, theirs = socket.socketpair()
        self._child = await asyncio.to_thread(_start_worker, settings, theirs)
        self._channel = Channel(ours, self._on_message, self._on_close)
        await self._channel.open()
        HOSTS[self._mark] = self
        self._watching = asyncio.create_task(self._watch())
        return Opened(speed)

    async def exchange(self, call: bytes) -> Reply:
        """Pass messages on, and return what has happened; wait for it for some time.

        ``call`` is a pickled ``Exchange``: Dask looks through everything that is not bytes. One
        with the number of the last one is its repetition, and gets the same answer. A lower number
        is of a call that the network delivered late: the runner repeated it, and has its answer.
        """
        number, wait, messages = pickle.loads(call)  # noqa: S301  of the runner
        self._quiet = 0
        if number > self._number:
            self._number, self._reply = number, None
            for message in messages:
                self._send(message)
        if number == self._number and self._reply is None:
            await self._wait_for_messages(wait)
        if number < self._number:
            return Reply(0.0, ())
        if self._reply is None:
            self._reply = Reply(self._lag, tuple(self._outbox))
            self._outbox, self._urgent, self._lag = [], False, 0.0
            self._changed.clear()
        return self._reply

    async def close(self) -> None:
        """End the worker process and all that it started."""
        if self._watching is not None:
            self._watching.cancel()
        await self._end()

    # Jobs: called by tasks of Dask --------------------------------------------------------------

    async def play(self, jobs: Sequence[Job], leagues: Sequence[LeaguePackages] = ()) -> int:
        """Have matches played; return their number when each of them is answered.

        Their results are in the replies to the runner. The packages of leagues have been built.
        If the worker process has ended, the runner knows it, and nothing is waited for: a task that
        never ends would keep a thread of the worker for ever.
        """
        for each in leagues:
            self._send(await asyncio.to_thread(self._league_bots, each))
        if self._has_ended:
            return 0
        new = [job for job in jobs if job.attempt > self._attempts.get(job.match.id, 0)]
        self._attempts |= {job.match.id: job.attempt for job in new}
        answers = [asyncio.Event() for _ in new]
        self._unanswered |= {job.match.id: answer for job, answer in zip(new, answers, strict=True)}
        self._send(PlayJobs(tuple(new)))
        for answer in answers:
            await answer.wait()
        return len(new)

    def _league_bots(self, league: LeaguePackages) -> LeagueBots:
        """Return how the bots of a league are started here; in a thread."""
        specs = {}
        for name, package in league.packages.items():
            if package not in self._commands:
                self._commands[package] = _hosted_spec(package)
            specs[name] = replace(self._commands[package], name=name)
        return LeagueBots(league.league, league.settings, specs, league.packages)

    # Messages -----------------------------------------------------------------------------------

    def _send(self, message: ToWorker) -> None:
        if self._channel is not None:
            self._channel.send(message)

    def _on_message(self, message: FromWorker) -> None:
        self._silence = 0
        if isinstance(message, Heartbeat):
            self._lag = max(self._lag, message.lag)
            self._ready = True
            return
        if isinstance(message, PlayedMatch):
            self._note_answered(message.result.match)
        elif isinstance(message, MatchVoided):
            self._note_answered(message.void.match)
        elif isinstance(message, JobsReturned):
            for match in message.matches:
                self._note_answered(match)
                self._attempts[match] -= 1  # the same attempt may come again
        self._put(message)

    def _put(self, message: FromWorker | ChildEnded) -> None:
        self._outbox.append(message)
        self._urgent |= not isinstance(message, PlayedMatch | MatchLog | BotLog)
        self._changed.set()

    def _note_answered(self, match: str) -> None:
        answer = self._unanswered.pop(match, None)
        if answer is not None:
            answer.set()

    async def _wait_for_messages(self, wait: float) -> None:
        """Wait for the first message, and shortly for more results."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await self._changed.wait()
        loop = asyncio.get_running_loop()
        late = loop.time() + LINGER
        while self._outbox and not self._urgent and len(self._outbox) < ENOUGH:
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(late):
                    await self._changed.wait()
            if loop.time() >= late:
                break

    # The worker process -------------------------------------------------------------------------

    def _on_close(self) -> None:
        """Note that the worker process has ended, or its channel."""
        assert self._child is not None  # noqa: S101  it had the channel
        self._has_ended = True
        if self._channel is not None:
            self._channel.abort()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(5)
        kill_marked(MARK, self._mark)
        missing = self._silence >= SILENCE
        self._put(
            ChildEnded(
                "its worker process did not answer any more, and was ended"
                if missing
                else f"its worker process ended with exit code {self._child.poll()}"
            )
        )
        for match in list(self._unanswered):
            self._note_answered(match)

    async def _watch(self) -> None:
        """End a worker process that hangs, and everything when the runner has gone.

        Seconds are counted in turns of this loop: while this process itself is stopped, nothing
        is late.
        """
        while self._quiet < LEASE:
            await asyncio.sleep(HEARTBEAT)
            self._quiet += 1
            self._silence += 1
            if self._silence == (SILENCE if self._ready else SILENCE_AT_START):
                self._kill()
        await self._end()

    def _kill(self) -> None:
        if self._child is not None and self._child.poll() is None:
            self._child.kill()

    async def _end(self) -> None:
        HOSTS.pop(self._mark, None)
        self._send(Stop(0.0))
        if self._child is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(self._child.wait, 10)
            self._kill()
            await asyncio.to_thread(self._child.wait)
        await asyncio.to_thread(kill_marked, MARK, self._mark)
        if self._logs is not None:
            await asyncio.to_thread(shutil.rmtree, self._logs, ignore_errors=True)


HOSTS: Final[dict[str, ClusterHost]] = {}
"""The open hosts of this process, by mark: tasks of Dask find theirs here."""


async def play_sets(mark: str, task: bytes) -> int:
    """Play matches on the host with a mark; a task of Dask. Raises HostError if it is closed.

    ``task`` is what ``packed_task`` returns.
    """
    host = HOSTS.get(mark)
    if host is None:
        raise HostError("this worker has been started anew")
    jobs, leagues = pickle.loads(task)  # noqa: S301  of the runner
    return await host.play(jobs, leagues)


def packed_task(jobs: Sequence[Job], leagues: Sequence[LeaguePackages]) -> bytes:
    """Return jobs in one piece: Dask looks through everything that is not bytes for futures."""
    return pickle.dumps((tuple(jobs), tuple(leagues)))


def build_package(package: str, packed: bytes) -> None:
    """Build a package on this machine, unless it has it; a task of Dask. Raises PackageError."""
    cache = PackageCache(cache_folder())
    if cache.find(package) is None:
        if package_hash(packed) != package:
            raise PackageError("a package has not arrived as it was sent.")
        run_async(_build(cache, packed))
    _hosted_spec(package)  # its runtime must be here


async def _build(cache: PackageCache, packed: bytes) -> None:
    with tempfile.TemporaryDirectory(prefix="highstreet-build-") as folder:
        async with cache.unpacked(packed) as unpacked:
            await unpacked.build(Path(folder) / "build.log")


def _hosted_spec(package: str) -> BotSpec:
    """Return how the bot of a package is started that this machine has built."""
    built = PackageCache(cache_folder()).path(package)
    manifest = read_manifest(built)
    return BotSpec(manifest.name, manifest.transport, bot_command(manifest, built))


def here(tournament: TournamentSettings) -> TournamentSettings:
    """Return a tournament whose bots are started as this machine has them; raises UsageError."""
    return replace(tournament, entrants=tuple(map(_entrant_here, tournament.entrants)))


def _entrant_here(entrant: Entrant) -> Entrant:
    command = entrant.command
    if command is None:
        return entrant
    kind = command.sandbox.kind
    if kind is not SandboxKind.NONE:
        SANDBOXES[kind].check()
    if entrant.package is not None:
        built = PackageCache(cache_folder()).path(entrant.package.hash)
        local = bot_command(entrant.package.manifest, built)
    elif entrant.sample is not None:
        local = replace(sample_command(entrant.sample), folder=command.folder)
        if kind is not SandboxKind.NONE:
            local = sandboxed(local, kind, folder=entrant.folder is not None)
    else:
        return entrant
    return replace(entrant, command=replace(local, environment=command.environment))


def _start_worker(settings: WorkerSettings, theirs: socket.socket) -> subprocess.Popen[bytes]:
    """Start a worker process that carries a mark, as all that it starts."""
    with theirs:
        child = subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-m", "tournaments.worker", str(theirs.fileno())],
            stdin=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            env={**os.environ, MARK: settings.mark, "GRPC_ENABLE_FORK_SUPPORT": "0"},
        )
    assert child.stdin is not None  # noqa: S101  a pipe
    with child.stdin as pipe:
        pickle.dump(settings, pipe)
    return child


def _end_processes(marks: Sequence[str]) -> None:
    for mark in marks:
        kill_marked(MARK, mark)
