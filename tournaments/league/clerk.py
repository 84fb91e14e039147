"""The clerk keeps the standings: in a process of its own, so that no clock waits for them.

Whatever is long is done there, with a store of its own: reading all results, rating them, writing
the document that pages and tables are made from.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, partial
from typing import Any, Final, TypeVar

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
from tournaments.results import Result
from tournaments.store import StoreError
from tournaments.worker_processes import worker_pool

log = logging.getLogger(__name__)

EVERY: Final = 3.0
"""So many seconds at least between two counts of the same league."""
SHARE: Final = 4
"""Of so many seconds, the clerk works for one at most."""

T = TypeVar("T")
Document = dict[str, Any]


class Clerk:
    """Keeps the standings of all leagues up to date."""

    def __init__(
        self, url: str, store: LeagueStore, announce: Callable[[str], None], every: float = EVERY
    ) -> None:
        self._url = url
        self._store = store
        self._announce = announce
        self._every = every
        self._pool: ProcessPoolExecutor | None = None
        self._changed: dict[str, None] = {}
        """The leagues whose results have changed, those first that have waited longest."""
        self._news = asyncio.Event()
        self._known: dict[str, Document] = {}
        self._working: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to keep standings."""
        self._working = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """End; what has not been counted is counted by the next server."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def changed(self, league: str) -> None:
        """Learn that results of a league have come or gone."""
        self._changed[league] = None
        self._news.set()

    async def document(self, league: str) -> Document | None:
        """Return the standings as they were last counted."""
        if league not in self._known:
            kept = await asyncio.to_thread(self._store.load_standings, league)
            if kept is None:
                return None
            self._known[league] = json.loads(kept[1])
        return self._known[league]

    async def ledger(self, league: League) -> Ledger:
        """Return what a scheduler must know of everything that was played."""
        counts = await asyncio.to_thread(self._store.counts, league.id)
        if not counts[MatchState.PLAYED]:
            return standings.new_ledger(league.settings.rating)
        return await self._ask(_ledger, self._url, league.id)

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
        return await self._ask(plan)

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
                document, took = await self._ask(_count, self._url, league)
                self._known[league] = json.loads(document)
            except (StoreError, BrokenProcessPool) as error:
                log.error("the standings of %s are late: %s", league, error)  # noqa: TRY400
                self.changed(league)
            except Exception:
                log.exception("the standings of %s cannot be counted", league)
            else:
                self._announce(league)
            await asyncio.sleep(max(self._every, (SHARE - 1) * took))

    async def _ask(self, task: Callable[..., T], *arguments: Any) -> T:
        """Have something done in the process of the clerk."""
        if self._pool is None:
            self._pool = worker_pool()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, task, *arguments)
        except BrokenProcessPool:
            self._pool = None  # somebody has ended it; the next question starts another one
            raise


# In the process of the clerk --------------------------------------------------------------------


@cache
def _opened(url: str) -> LeagueStore:
    return LeagueStore.open(url, migrate=False)


def _ledger(url: str, league: str) -> Ledger:
    store = _opened(url)
    return standings.ledger_of(store.results(league), store.league(league).settings.rating)


_checkpoints: dict[str, standings.Checkpoint] = {}
"""Where the next count of each league goes on."""


def _count(url: str, league: str) -> tuple[str, float]:
    """Make the standings of a league anew, keep them, and return them with the seconds it took."""
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
    document = json.dumps(done.document, separators=(",", ":"))
    # What was annulled stays in the sum: a count never takes the place of a later one.
    position = counts[MatchState.PLAYED] + counts[MatchState.ANNULLED]
    store.save_standings(league, position, document)
    return document, time.process_time() - began


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
