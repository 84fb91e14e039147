"""Computes the standings of leagues in a process of its own, so that no clock is delayed.

That process has its own connection to the store: it reads all results, rates them, and makes the
sections that pages are made from.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, partial
from multiprocessing.connection import wait
from typing import Any, Final, NamedTuple, TypeVar

import orjson

from tournaments.model import (
    Competition,
    EntrantState,
    GameSettings,
    MatchState,
    PlannedSet,
    Result,
    all_items,
    rated_name,
)
from tournaments.pairing import LeagueStats, Present, rounds
from tournaments.ratings import (
    HEAD,
    RESIDUALS,
    STANDINGS_VERSION,
    Checkpoint,
    Part,
    RatingFold,
    Standings,
    StandingsRequest,
    as_sections,
    continue_standings,
    entrant_section,
)
from tournaments.store import Store, StoreError

log = logging.getLogger(__name__)

EVERY: Final = 3.0
"""The least number of seconds between two computations."""
SHARE: Final = 4
"""The process works at most one of this number of seconds."""

NICENESS: Final = 10
"""The event loop and the bots have priority."""
THREAD_VARIABLES: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""The number of threads of the libraries behind numpy."""

T = TypeVar("T")


class StandingsWorker:
    """Keeps the standings of all leagues up to date."""

    def __init__(
        self, url: str, store: Store, announce: Callable[[str], None], every: float = EVERY
    ) -> None:
        self._url = url
        self._store = store
        self._announce = announce
        self._every = every
        self._pools: dict[str, ProcessPoolExecutor] = {}
        """One for standings and one for pairings: a round does not wait for the standings."""
        self._pending: dict[str, None] = {}
        """The leagues whose results have changed, those first that have waited longest."""
        self._wake = asyncio.Event()
        self._hurry = asyncio.Event()
        """Set if the next computation does not wait."""
        self._checked: set[str] = set()
        """The leagues for which ``request_outdated`` has been called."""
        self._revisions: dict[str, int] = {}
        """Of the standings that were announced last."""
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to keep standings."""
        self._task = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Stop; the next server computes what is pending."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    def changed(self, league: str, *, at_once: bool = False) -> None:
        """Request new standings of a league whose results have changed.

        ``at_once`` is for what is rare and waited for: decisions of an organiser, and the first
        result of a version, of which an entrant has few in a day.
        """
        if at_once:
            self._pending = {league: None, **self._pending}
            self._hurry.set()
        self._pending[league] = None
        self._wake.set()

    async def table(
        self, league: str, part: Part, season: int | None = None
    ) -> Mapping[str, Any] | None:
        """Return the table of a part of a league, or None if it has had no match.

        With an archived ``season``, the one with which it was archived.
        """
        head = await self.section(league, HEAD, season)
        name = head["parts"].get(part.name) if head else None
        return await self.section(league, name, season) if name else None

    async def entrant(self, league: str, name: str) -> Mapping[str, Any] | None:
        """Return the versions of an entrant with their lines, opponents and histories."""
        return await self.section(league, entrant_section(name))

    async def residuals(self, league: str) -> Mapping[str, Any]:
        """Return the residuals of the pairs of a league, or nothing before its first match."""
        return await self.section(league, RESIDUALS) or {}

    async def leaders(self, league: str) -> Sequence[Mapping[str, Any]]:
        """Return the lines of the best current versions of a league."""
        head = await self.section(league, HEAD)
        return list(head["leaders"]) if head else []

    async def section(
        self, league: str, name: str, season: int | None = None
    ) -> dict[str, Any] | None:
        """Return a section of the standings as they were last computed, or None."""
        return await asyncio.to_thread(self._section, league, name, season)

    def _section(self, league: str, name: str, season: int | None) -> dict[str, Any] | None:
        if season is None:
            text = self._store.load_standings(league, name)
        else:
            text = self._store.season_section(league, season, name)
        return None if text is None else orjson.loads(text)

    async def refresh(self, league: str) -> None:
        """Announce standings that another server has computed."""
        revision = await asyncio.to_thread(self._store.standings_revision, league)
        if self._revisions.setdefault(league, revision) != revision:
            self._revisions[league] = revision
            self._announce(league)

    async def request_outdated(self, league: str) -> None:
        """Request standings of a league that has none, or that an older version computed."""
        if league in self._checked:
            return
        self._checked.add(league)
        head = await self.section(league, HEAD)
        if head is None or head["standings_version"] != STANDINGS_VERSION:
            counts = await asyncio.to_thread(self._store.counts, league)
            if counts[MatchState.PLAYED]:
                self.changed(league)

    async def stats(self, league: Competition) -> LeagueStats:
        """Return the statistics that pairings are made from."""
        counts = await asyncio.to_thread(self._store.counts, league.id)
        if not counts[MatchState.PLAYED]:
            return LeagueStats(_empty_fold(league))
        return await self._ask("standings", _stats, self._url, league.id)

    async def of_season(self, league: str) -> SeasonStandings:
        """Return the standings of a league's newest season, to archive it."""
        return await self._ask("standings", _of_season, self._url, league)

    async def plan_round(
        self,
        number: int,
        present: Sequence[Present],
        games: Sequence[GameSettings],
        stats: LeagueStats,
        *,
        duplicate: bool,
    ) -> tuple[PlannedSet, ...]:
        """Return the sets of a round; with many bots that takes seconds."""
        plan = partial(rounds.plan_round, number, present, games, stats, duplicate=duplicate)
        return await self._ask("pairings", plan)

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            league = next(iter(self._pending))
            del self._pending[league]
            if not self._pending:
                self._wake.clear()
            took = 0.0
            try:
                sections, position, took = await self._ask("standings", _compute, self._url, league)
                # Not in the process that has computed them: it has a low priority, and SQLite lets
                # no result be written before its transaction ends.
                save = self._store.save_standings
                revision = await asyncio.to_thread(save, league, position, sections)
                self._revisions[league] = revision or self._revisions.get(league, 0)
            except (StoreError, BrokenProcessPool) as error:
                log.error("the standings of %s are late: %s", league, error)  # noqa: TRY400
                self.changed(league)
            except Exception:
                log.exception("the standings of %s cannot be computed", league)
            else:
                self._announce(league)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(self._every, (SHARE - 1) * took)):
                    await self._hurry.wait()
            self._hurry.clear()

    async def _ask(self, work: str, task: Callable[..., T], *arguments: Any) -> T:
        """Run a task in the process for this kind of work."""
        if work not in self._pools:
            self._pools[work] = worker_pool()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._pools[work], task, *arguments)
        except BrokenProcessPool:
            self._pools.pop(work, None)  # it was ended; the next task starts another one
            raise


def _empty_fold(league: Competition) -> RatingFold:
    settings = league.settings
    return RatingFold(settings.rating, settings.draw_probability(), settings.trueskill)


# In the process of the standings ----------------------------------------------------------------


@cache
def _opened(url: str) -> Store:
    return Store.open(url, migrate=False)


def _stats(url: str, league: str) -> LeagueStats:
    store = _opened(url)
    found = store.league(league)
    return LeagueStats.of(_rated(store, found), _empty_fold(found))


def _rated(store: Store, league: Competition) -> list[Result]:
    """Return the results that the ratings of a league count: of its newest season, or all."""
    season = None if league.settings.carry_over else league.season or None
    return store.results(league.id, season)


_checkpoints: dict[str, Checkpoint] = {}
"""From which the next computation of each league continues."""


def _compute(url: str, league: str) -> tuple[dict[str, str], int, float]:
    """Return the sections of the standings, the number of results, and the seconds of CPU time."""
    began = time.process_time()
    store = _opened(url)
    counts = store.counts(league)
    sections = _sections(_standings(store, league))
    # Annulled matches are included: later standings never have a lower position.
    position = counts[MatchState.PLAYED] + counts[MatchState.ANNULLED]
    return sections, position, time.process_time() - began


def _standings(store: Store, name: str) -> Standings:
    """Return the standings of a league as they are now."""
    league = store.league(name)
    request = StandingsRequest.of_league(league.settings, *_versions(store, name))
    results = _rated(store, league)
    found, _checkpoints[name] = continue_standings(results, request, _checkpoints.get(name))
    return found


def _sections(standings: Standings) -> dict[str, str]:
    return {name: orjson.dumps(each).decode() for name, each in as_sections(standings).items()}


class SeasonStandings(NamedTuple):
    """The standings with which a season is archived."""

    played: int
    """How many matches of the season count."""
    order: tuple[str, ...]
    """The entrants from the best to the last, by the rating of their current versions."""
    sections: Mapping[str, str]


def _of_season(url: str, league: str) -> SeasonStandings:
    store = _opened(url)
    played = store.season_counts(league, store.league(league).season).get(MatchState.PLAYED, 0)
    found = _standings(store, league)
    order = dict.fromkeys(line.entrant for line in found.overall.standings if line.current)
    return SeasonStandings(played, tuple(order), _sections(found))


def _versions(store: Store, league: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the newest versions as ratings name them, and by entrant.

    They have a line in the table before they have played.
    """
    current = {
        entrant.name: entrant.versions[-1]
        for entrant in all_items(partial(store.entrants, league, 1000))
        if entrant.versions and entrant.state != EntrantState.DISQUALIFIED
    }
    return tuple(rated_name(name, version) for name, version in current.items()), current


# Processes with low priority ---------------------------------------------------------------------


def worker_pool(processes: int = 1) -> ProcessPoolExecutor:
    """Return a pool of processes with low priority that end with the server."""
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=spawn, initializer=initialise)


def initialise() -> None:
    """Ignore the signals of a terminal, lower the priority, and end with the server.

    The variables are set before numpy is loaded: OpenBLAS would start a thread for each core, and
    these wait for each other in busy loops. Where other processes have the cores, solving two
    hundred unknowns then takes twenty times as long.
    """
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(NICENESS)
    threading.Thread(target=_end_with_server, daemon=True).start()


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        wait([server.sentinel])
    os._exit(0)
