"""The clerk keeps the standings: in a process of its own, so that no clock waits for them.

Whatever is long is done there, with a store of its own: reading all results, rating them, making
the document that pages and tables are made from.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, partial
from typing import Any, Final, TypeVar

import orjson

from tournaments.league import rounds, standings
from tournaments.league.model import (
    Entrant,
    EntrantState,
    GameRules,
    League,
    MatchState,
    PlannedSet,
    rated_name,
)
from tournaments.league.situation import Account, Ledger, Present
from tournaments.league.store import LeagueStore
from tournaments.league.unread import Pieces, Unread, cut
from tournaments.results import Result
from tournaments.store import StoreError
from tournaments.worker_processes import worker_pool

log = logging.getLogger(__name__)

EVERY: Final = 3.0
"""So many seconds at least between two counts of the same league."""
SHARE: Final = 4
"""Of so many seconds, the clerk works for one at most."""

T = TypeVar("T")


class Clerk:
    """Keeps the standings of all leagues up to date."""

    def __init__(
        self, url: str, store: LeagueStore, announce: Callable[[str], None], every: float = EVERY
    ) -> None:
        self._url = url
        self._store = store
        self._announce = announce
        self._every = every
        self._pools: dict[str, ProcessPoolExecutor] = {}
        """Those who count, and those who plan: no round waits until the standings are counted."""
        self._changed: dict[str, None] = {}
        """The leagues whose results have changed, those first that have waited longest."""
        self._news = asyncio.Event()
        self._known: dict[str, Unread] = {}
        self._marks: dict[str, str] = {}
        """By which the store tells the documents that we know from later ones."""
        self._working: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to keep standings."""
        self._working = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """End; what has not been counted is counted by the next server."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    def changed(self, league: str) -> None:
        """Learn that results of a league have come or gone."""
        self._changed[league] = None
        self._news.set()

    async def document(self, league: str) -> Unread | None:
        """Return the standings as they were last counted."""
        if league not in self._known:
            mark = await asyncio.to_thread(self._store.standings_mark, league)
            kept = await asyncio.to_thread(self._store.load_standings, league)
            if kept is None:
                return None
            document = await asyncio.to_thread(_read, kept[1])
            self._known[league], self._marks[league] = document, mark
        return self._known[league]

    async def look_again(self, league: str) -> None:
        """Learn of standings that another server has counted."""
        mark = await asyncio.to_thread(self._store.standings_mark, league)
        if mark != self._marks.get(league, ""):
            self._marks[league] = mark
            if self._known.pop(league, None) is not None:
                self._announce(league)

    async def ledger(self, league: League) -> Ledger:
        """Return what a scheduler must know of everything that was played."""
        counts = await asyncio.to_thread(self._store.counts, league.id)
        if not counts[MatchState.PLAYED]:
            return standings.new_ledger(league.settings.rating)
        return await self._ask("counting", _ledger, self._url, league.id)

    async def plan_round(
        self,
        number: int,
        present: Sequence[Present],
        games: Sequence[GameRules],
        accounts: Mapping[str, Account],
        *,
        duplicate: bool,
    ) -> tuple[PlannedSet, ...]:
        """Return the sets of a round; with many bots that takes a while."""
        plan = partial(rounds.plan_round, number, present, games, accounts, duplicate=duplicate)
        return await self._ask("planning", plan)

    def learn(self, ledger: Ledger, result: Result) -> None:
        """Let a scheduler know of one more result; this is quick."""
        standings.quick(ledger, result)

    async def _work(self) -> None:
        while True:
            await self._news.wait()
            league = next(iter(self._changed))
            del self._changed[league]
            if not self._changed:
                self._news.clear()
            took = 0.0
            try:
                pieces, position, took = await self._ask("counting", _count, self._url, league)
                document = Unread(pieces)
                mark = await asyncio.to_thread(self._keep, league, position, document)
                self._known[league], self._marks[league] = document, mark
            except (StoreError, BrokenProcessPool) as error:
                log.error("the standings of %s are late: %s", league, error)  # noqa: TRY400
                self.changed(league)
            except Exception:
                log.exception("the standings of %s cannot be counted", league)
            else:
                self._announce(league)
            await asyncio.sleep(max(self._every, (SHARE - 1) * took))

    def _keep(self, league: str, position: int, document: Unread) -> str:
        """Write standings into the store, beside the loop; return their mark.

        Not in the process that has counted them: it gives way to everybody, and SQLite would let
        no result be written until it is through.
        """
        return self._store.save_standings(league, position, document.as_json().decode())

    async def _ask(self, work: str, task: Callable[..., T], *arguments: Any) -> T:
        """Have something done in the process that there is for such work."""
        if work not in self._pools:
            self._pools[work] = worker_pool()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._pools[work], task, *arguments)
        except BrokenProcessPool:
            self._pools.pop(work, None)  # it was ended; the next question starts another one
            raise


def _read(text: str) -> Unread:
    return Unread(cut(orjson.loads(text)))


# In the process of the clerk --------------------------------------------------------------------


@cache
def _opened(url: str) -> LeagueStore:
    return LeagueStore.open(url, migrate=False)


def _ledger(url: str, league: str) -> Ledger:
    store = _opened(url)
    return standings.ledger_of(store.results(league), store.league(league).settings.rating)


_checkpoints: dict[str, standings.Checkpoint] = {}
"""Where the next count of each league goes on."""


def _count(url: str, league: str) -> tuple[Pieces, int, float]:
    """Make the standings of a league anew; return them with how many results there have been.

    The last is how many seconds it took.
    """
    began = time.process_time()
    store = _opened(url)
    counts = store.counts(league)
    done = standings.full(
        store.results(league),
        rating=store.league(league).settings.rating,
        **_versions(store, league),
        before=_checkpoints.get(league),
    )
    _checkpoints[league] = done.checkpoint
    # What was annulled stays in the sum: a count never takes the place of a later one.
    position = counts[MatchState.PLAYED] + counts[MatchState.ANNULLED]
    return cut(done.document), position, time.process_time() - began


def _versions(store: LeagueStore, league: str) -> dict[str, Any]:
    """Return everybody who has a line in the table, and which version each of them has now."""
    rated: list[str] = []
    current: dict[str, str] = {}
    for entrant in _entrants(store, league):
        if entrant.versions and entrant.state != EntrantState.DISQUALIFIED:
            rated += [rated_name(entrant.name, version) for version in entrant.versions]
            current[entrant.name] = entrant.versions[-1]
    return {"entrants": rated, "current": current}


def _entrants(store: LeagueStore, league: str) -> Iterator[Entrant]:
    token = ""
    while True:
        page = store.entrants(league, 1000, token)
        yield from page.items
        token = page.next
        if not token:
            return
