"""Matches of leagues between hosted bots, on the workers of a Dask cluster.

The league claims a match and commits its result as always; only the processes that play it are
elsewhere. They reach it through the same dispatcher as those of a tournament.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine import UsageError
from referee.model import Cause
from referee.runtime import write_whole
from tournaments.model import (
    ClusterSettings,
    Competition,
    Death,
    Enrolment,
    Job,
    LeagueSettings,
    PlayedMatch,
    ScheduledMatch,
    TournamentSettings,
    VoidAttempt,
)
from tournaments.runner.bench import NOT_PLAYED, WORKER_FAILED
from tournaments.runner.cluster_host import LeaguePackages
from tournaments.runner.dask_cluster import DaskCluster
from tournaments.runner.dispatch import DeathScope, ProcessDeath
from tournaments.runner.league_deaths import LeagueDeaths
from tournaments.runner.seatable import ClusterVoid
from tournaments.store import Store, StoreError
from tournaments.worker import BotLog, MatchLog, MatchVoided

log = logging.getLogger(__name__)

REMEMBERED: Final = 4096
"""Of how many of the last matches logs are taken."""
MOST_LOGS: Final = 1000
"""How many logs may wait to be written."""
LAST_LOGS: Final = 5.0
"""For how many seconds logs are written when the server stops."""
NO_TOURNAMENT: Final = TournamentSettings("leagues", (), bench_after=0)
"""What workers start with: the bots of leagues come with their matches."""


def without_code(settings: LeagueSettings) -> LeagueSettings:
    """Return the settings of a league without the code for authors, which stays on the server."""
    return replace(settings, enrolment=Enrolment.CLOSED, enrolment_code="")


class LeagueJobs:
    """The jobs of the leagues of a server."""

    tournament = NO_TOURNAMENT

    def __init__(self, store: Store, mark: Path) -> None:
        """Take the file that keeps the mark of the last run."""
        self._store = store
        self._mark = mark
        self._speed: float | None = None
        self.playing: dict[str, LeaguePackages] = {}
        """Who plays in the matches that have been submitted, by match."""
        self.not_built: set[str] = set()
        """The packages that a worker could not build."""

    def note_run(self, run: str) -> str | None:
        """Keep the mark in a file: two servers may share a store."""
        last = self._mark.read_text(encoding="ascii") if self._mark.exists() else None
        write_whole(self._mark, run.encode("ascii"))
        return last

    def left(self) -> None:
        """Return None: leagues go on."""

    def first_speed(self, speed: float) -> float:
        """Return the speed of the first worker since this server began."""
        self._speed = self._speed or speed
        return self._speed

    def packages(self, jobs: Sequence[Job]) -> set[str]:
        """Return the packages of the versions."""
        return {package for each in self.leagues(jobs) for package in each.packages.values()}

    def packed(self, package: str) -> bytes:
        """Read a package from the store."""
        return self._store.package(package)

    def needs_everywhere(self, package: str) -> bool:
        """Note that the package plays on the server; a single author must not stop a worker."""
        self.not_built.add(package)
        return False

    def leagues(self, jobs: Sequence[Job]) -> tuple[LeaguePackages, ...]:
        """Return the versions that play; none of a match that is void meanwhile."""
        return tuple(self.playing[job.match.id] for job in jobs if job.match.id in self.playing)


class LeagueCluster:
    """Plays matches of leagues on a cluster; the listener of its dispatcher."""

    def __init__(
        self,
        store: Store,
        mark: Path,
        say: Callable[[str], None],
        address: str,
        without: Sequence[str] = (),
    ) -> None:
        """Take the store with the packages, and the address of the scheduler.

        ``mark`` is a file of this server, ``say`` prints a sentence about the cluster for the
        organiser, and ``without`` names workers that are left out.
        """
        self.held = 0
        self._say = say
        self._source = LeagueJobs(store, mark)
        self._dispatcher = DaskCluster(
            self._source, self, address=address, settings=ClusterSettings(without=tuple(without))
        )
        self._deaths = LeagueDeaths()
        self._answers: dict[str, asyncio.Future[PlayedMatch | ClusterVoid]] = {}
        """The matches that are played, each with its attempt."""
        self._jobs: dict[str, Job] = {}
        self._store = store
        self._bots: OrderedDict[str, tuple[str, Mapping[str, str]]] = OrderedDict()
        """The league of each of the last matches, and the entrants by the names of versions."""
        self._logs: asyncio.Queue[tuple[str, str, MatchLog]] = asyncio.Queue(MOST_LOGS)
        """What bots wrote, with their leagues and names."""
        self._keeping: asyncio.Task[None] | None = None
        self._slots = 0
        self._on_change: Callable[[], None] = lambda: None
        self._starting: asyncio.Task[None] | None = None

    # For leagues --------------------------------------------------------------------------------

    @property
    def slots(self) -> int:
        """How many matches the workers play at once."""
        return self._dispatcher.tables

    def takes(self, packages: Sequence[str]) -> bool:
        """Return whether there are workers, and none has failed to build one of these packages."""
        return self.slots > 0 and self._source.not_built.isdisjoint(packages)

    def start(self, on_change: Callable[[], None]) -> None:
        """Connect to the scheduler, without waiting for it."""
        self._on_change = on_change
        self._starting = asyncio.create_task(self._dispatcher.start())
        self._starting.add_done_callback(_log_failure)
        self._keeping = asyncio.create_task(self._keep_logs())

    async def play(
        self, job: Job, league: Competition, packages: Mapping[str, str]
    ) -> PlayedMatch | ClusterVoid:
        """Play an attempt at a match."""
        match = job.match.id
        answer: asyncio.Future[PlayedMatch | ClusterVoid]
        answer = asyncio.get_running_loop().create_future()
        self._answers[match], self._jobs[match] = answer, job
        versions = {str(version): version.entrant for version in job.match.versions}
        self._bots[match] = league.id, versions
        if len(self._bots) > REMEMBERED:
            self._bots.popitem(last=False)
        self._source.playing[match] = LeaguePackages(
            league.id, without_code(league.settings), packages
        )
        try:
            self._dispatcher.capacity(prefetch=False)
            self._dispatcher.submit([job])
            return await answer
        finally:
            self._deaths.note_ended(match)
            for known in (self._answers, self._jobs, self._source.playing):
                known.pop(match)

    def acknowledge(self, match: ScheduledMatch) -> None:
        """Let the worker notify the bots of a result."""
        self._dispatcher.acknowledge([match])

    def stop_all(self, detail: str) -> None:
        """Make all matches void; what workers still return does not count."""
        for match in list(self._jobs):
            self._void(match, Cause.REFEREE.value, detail)

    async def stop(self) -> None:
        """End all processes on the workers, and leave the cluster."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        await self._dispatcher.stop(0.0)
        if self._keeping is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._logs.join(), LAST_LOGS)
            self._keeping.cancel()

    def _void(self, match: str, cause: str, detail: str, death: Death | None = None) -> None:
        if match in self._jobs:
            void = VoidAttempt(match, self._jobs[match].attempt, cause, detail)
            self._answer(match, ClusterVoid(void, death))

    def _answer(self, match: str, answer: PlayedMatch | ClusterVoid) -> None:
        """Answer for a match, once; it may have been stopped."""
        waiting = self._answers.get(match)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    # For the dispatcher -------------------------------------------------------------------------

    def on_capacity(self) -> None:
        """Let leagues know when there are more or fewer slots."""
        if self.slots != self._slots:
            self._slots = self.slots
            log.info("the cluster plays %d matches at once", self._slots)
            self._on_change()

    def on_listening(self, address: str) -> None:
        """Do nothing: no bot connects to a worker."""

    def on_match_started(self, match: ScheduledMatch) -> None:
        """Note which entrants are at a table from now on."""
        self._deaths.note_started(match)

    def on_match_played(self, played: PlayedMatch) -> None:
        """Give a result to its league."""
        self._answer(played.result.match, played)

    def on_match_voided(self, message: MatchVoided) -> None:
        """Give a void attempt to its league; a failure of the worker is charged with it."""
        void = message.void
        if void.match not in self._jobs:
            return
        if message.stopped or void.cause not in (Cause.MACHINE, Cause.REFEREE):
            self._answer(void.match, ClusterVoid(void))
            return
        job = self._jobs[void.match]
        failure = ProcessDeath(void.detail, [job], [])
        _, entrants = self._bots[void.match]
        owners = [entrants[version] for _, version in message.deaths if version in entrants]
        charged = self._deaths.charged(failure, owners)
        detail = f"{WORKER_FAILED}: {void.detail}"
        self._void(void.match, void.cause, detail, charged.get(job.match.competition))

    def on_match_log(self, message: MatchLog) -> None:
        """Keep what a bot wrote in a match that was given to the cluster."""
        league, versions = self._bots.get(message.match, ("", {}))
        if message.bot not in versions:
            log.warning("a worker sent a log of %s, which it does not have", message.match[:100])
        elif self._logs.full():
            log.warning("the log of %s in %s is not kept", message.bot, message.match)
        else:
            self._logs.put_nowait((league, versions[message.bot], message))

    def on_bot_log(self, message: BotLog) -> None:
        """Do nothing: these are of tournaments."""

    async def _keep_logs(self) -> None:
        """Write one log after the other to the store."""
        while True:
            league, entrant, message = await self._logs.get()
            try:
                await asyncio.to_thread(
                    self._store.keep_match_log, message.match, league, entrant, message.text
                )
            except (StoreError, UsageError) as error:
                log.warning("the log of %s is not kept: %s", message.bot, error)
            finally:
                self._logs.task_done()

    def on_jobs_returned(self, matches: Sequence[str]) -> None:
        """Make matches void that no worker has begun: the league schedules them again."""
        for match in matches:
            self._void(match, Cause.MACHINE.value, f"{NOT_PLAYED}: no worker was free")

    def on_bot_refused(self, message: str) -> None:
        """Note that a bot does not play a game for which its package is scheduled."""
        log.warning("%s", message)

    def on_process_died(self, death: ProcessDeath) -> bool:
        """Make the matches void that were lost; those that had begun are charged together."""
        cause, charges = Cause.MACHINE.value, death.scope is not DeathScope.CLUSTER
        charged = self._deaths.charged(death) if charges else {}
        for job in death.playing:
            detail = f"{WORKER_FAILED if charges else NOT_PLAYED}: {death.detail}"
            self._void(job.match.id, cause, detail, charged.pop(job.match.competition, None))
        for job in death.waiting:
            self._void(job.match.id, cause, f"{NOT_PLAYED}: {death.detail}")
        return True

    def on_workers(self, number: int) -> None:
        """Print how many workers there are when the last one is gone."""
        if not number:
            self._say("the cluster has no worker: submitted bots play on this machine")
        self.on_capacity()

    def on_note(self, sentence: str) -> None:
        """Print what an organiser wants to know."""
        self._say(sentence)

    def on_failed(self, message: str) -> None:
        """Note an error of a worker, or of the dispatcher."""
        log.error("the cluster: %s", message)


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the cluster could not be used", exc_info=error)
