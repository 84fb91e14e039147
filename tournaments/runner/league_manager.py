"""The live run of all leagues of a server.

The manager renews the leases of the matches that are played here, runs every open league, and
stops all of them in order. Two servers may share a database: each leaves the claimed matches of the
other alone, and takes over those whose lease has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from referee.match import LagMeter
from referee.match_service import BackgroundWork
from referee.transports import RefereeServer
from tournaments.model import (
    Competition,
    CompetitionState,
    LeagueActivity,
    NotFoundError,
    Season,
    SeasonState,
)
from tournaments.pairing import MOST_SECONDS_AWAY
from tournaments.ratings import Part, division_table
from tournaments.runner.league_context import LeagueContext, ServerStatistics
from tournaments.runner.league_pace import closed
from tournaments.runner.league_runner import LeagueRunner
from tournaments.runner.live_feed import LiveEvent, LiveFeed, LiveTable
from tournaments.runner.seatable import Hosting
from tournaments.runner.standings_worker import StandingsWorker
from tournaments.store import Store, StoreError

log = logging.getLogger(__name__)

LEASE: Final = 30.0
"""For how many seconds a claim on a match is valid after it was last renewed."""
RENEWALS: Final = 3
"""How often a lease is renewed before it would end."""
PRUNING: Final = 86_400.0
"""The seconds between two runs of the retention rules."""
SCHEDULING: Final = 10.0
"""How long a league may take to end what it is scheduling when the server stops, in seconds."""


class LeagueManager:
    """Plays all leagues of a store with the bots that a server has."""

    def __init__(
        self,
        store: Store,
        url: str,
        server: RefereeServer,
        lease: float = LEASE,
        patience: float = MOST_SECONDS_AWAY,
        hosting: Hosting | None = None,
        pruning: float = PRUNING,
    ) -> None:
        """Take the bots that this server runs itself, beside those that connect."""
        self._pruning = pruning
        self._store = store
        self._server = server
        self._live_feed = LiveFeed()
        self._standings = StandingsWorker(url, store, self._standings_changed)
        self._context = LeagueContext(
            store,
            server,
            LagMeter(),
            self._live_feed,
            self._standings,
            lease,
            patience,
            hosting=hosting,
        )
        self._hosting = hosting
        self._runners: dict[str, LeagueRunner] = {}
        self._running: list[asyncio.Task[None]] = []
        """The tasks of the runners."""
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False
        self.pace = BackgroundWork(lambda: self.tables > 0)
        """Of all downloads."""

    async def start(self, name: str) -> None:
        """Take over what a server of that name left behind, and begin to play."""
        self._context.name = name
        back = await asyncio.to_thread(self._store.give_back, name)
        if back:
            log.warning("%d matches were being played when this server ended; they go on", back)
        await asyncio.to_thread(self._store.adopt, name, self._context.lease)
        self._standings.start()
        if self._hosting is not None:
            self._hosting.start(self._notify_runner)
        await self._open_leagues()
        self._tasks = [
            asyncio.create_task(self._maintain()),
            asyncio.create_task(self._notify_runners()),
            asyncio.create_task(self._thin_records()),
        ]

    async def stop(self, grace: float) -> None:
        """Begin no more matches; give back those that do not end within the grace period."""
        self._stopping = True
        for runner in self._runners.values():
            runner.close()
        if self._running:
            # What they are scheduling must be known before anything is given back.
            await asyncio.wait(self._running, timeout=SCHEDULING + grace)
        await asyncio.gather(*(runner.stop(grace) for runner in self._runners.values()))
        tasks = [*self._tasks, *self._running]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._hosting is not None:
            await self._hosting.stop()
        await self._standings.stop()
        with contextlib.suppress(StoreError):
            await asyncio.to_thread(self._store.give_back, self._context.name)
        self._context.lag.stop()

    # For pages ----------------------------------------------------------------------------------

    def snapshot(self) -> tuple[LiveTable, ...]:
        """Return the positions of running matches that spectators may see."""
        return self._live_feed.snapshot()

    def subscribe(self) -> AsyncIterator[LiveEvent]:
        """Return the events from now on, until the iterator is closed."""
        return self._live_feed.subscribe()

    async def standings(
        self, league: str, part: Part, *, season: int = 0, division: int = 0
    ) -> Mapping[str, Any] | None:
        """Return the last table of a part of a league; None if it has had no match.

        ``season`` 0 is the newest season, and ``division`` 0 means all. Raises NotFoundError for a
        season or a division that there is not.
        """
        found = await asyncio.to_thread(self._season, league, season, division)
        archived = found is not None and found.state == SeasonState.ARCHIVED
        number = found.number if found is not None and archived else None
        table = await self._standings.table(league, part, number)
        if table is None or found is None or not division:
            return table
        names = {str(line["entrant"]) for line in table["standings"]}
        return division_table(
            table, {name for name in names if found.division_of(name) == division}
        )

    def _season(self, league: str, season: int, division: int) -> Season | None:
        """Return a season, if the league has any."""
        if not season and not division and not self._store.league(league).season:
            return None
        found = self._store.season(league, season or None)
        if not 0 <= division <= found.divisions:
            raise NotFoundError(f"season {found.number} of {league} has no division {division}.")
        return found

    async def entrant_standings(self, league: str, name: str) -> Mapping[str, Any] | None:
        """Return the versions of an entrant in the last standings of a league."""
        return await self._standings.entrant(league, name)

    async def residuals(self, league: str) -> Mapping[str, Any]:
        """Return the residuals of the pairs of a league."""
        return await self._standings.residuals(league)

    async def leaders(self, league: str) -> Sequence[Mapping[str, Any]]:
        """Return the lines of the best current versions of a league."""
        return await self._standings.leaders(league)

    def activity(self, league: Competition) -> LeagueActivity:
        """Return what a league does now, and why."""
        runner = self._runners.get(league.id)
        if runner is None or league.state == CompetitionState.CLOSED:
            return closed(None)
        return runner.activity

    def present(self, league: str) -> dict[str, int]:
        """Return the bots that are here, with the number of connections; 1 for a hosted bot."""
        found: dict[str, int] = {}
        for session in self._server.sessions:
            if session.league == league and session.connected:
                found[session.entrant] = found.get(session.entrant, 0) + 1
        for bot in self._hosting.bots(league) if self._hosting is not None else ():
            if bot.present:
                found.setdefault(bot.version.entrant, 1)
        return found

    @property
    def figures(self) -> ServerStatistics:
        """Counts since the server began."""
        return self._context.statistics

    @property
    def tables(self) -> int:
        """The number of matches that are being played."""
        return sum(runner.running for runner in self._runners.values())

    @property
    def lag(self) -> float:
        """How many seconds the event loop has been late in all."""
        return self._context.lag.total()

    @property
    def connected(self) -> int:
        """The number of connected bots."""
        return sum(session.connected for session in self._server.sessions)

    # For the service ----------------------------------------------------------------------------

    def connections(self, league: str, name: str) -> int:
        """Return how many connections a bot has."""
        return self.present(league).get(name, 0)

    async def opened(self, league: str) -> None:
        """Begin to play a new league."""
        self._open(await asyncio.to_thread(self._store.league, league))

    async def closed(self, league: str) -> None:
        """Begin no more matches of a league."""
        if league in self._runners:
            await self._runners[league].refresh()
            self._runners[league].bots.dismiss(None, "the league is closed")

    async def dismiss(self, league: str, name: str, reason: str) -> None:
        """End the connections of a bot that takes part no more."""
        if league in self._runners:
            self._runners[league].bots.dismiss(name, reason)
            await self._runners[league].refresh()

    async def refresh(self, league: str) -> None:
        """Read again which bots take part, such as after a submission was activated or retired."""
        if league in self._runners:
            await self._runners[league].refresh()

    async def recount(self, league: str) -> None:
        """Compute ratings again after results were removed."""
        self._standings.changed(league, at_once=True)
        if league in self._runners:
            self._runners[league].recount()

    # Background tasks ---------------------------------------------------------------------------

    def _standings_changed(self, league: str) -> None:
        self._live_feed.publish(LiveEvent("standings", league))
        if league in self._runners:
            self._runners[league].standings_changed()

    def _notify_runner(self, league: str) -> None:
        if league in self._runners:
            self._runners[league].notify()

    async def _notify_runners(self) -> None:
        """Have tables checked whenever bots connect, leave or become free."""
        while True:
            await self._server.wait_for_change()
            for runner in self._runners.values():
                runner.notify()

    async def _maintain(self) -> None:
        """Renew leases, take over matches without one, and read changes from the store."""
        while True:
            await asyncio.sleep(self._context.lease / RENEWALS)
            try:
                await self._renew_leases()
                await self._open_leagues()
                for runner in list(self._runners.values()):
                    await runner.refresh()
                    await self._standings.refresh(runner.league.id)
            except StoreError as error:
                log.error("the store does not answer: %s", error)  # noqa: TRY400
            except Exception:
                log.exception("the leases could not be renewed")  # the next time they may be

    async def _thin_records(self) -> None:
        """Apply the retention rules of all leagues when the server starts, and once a day."""
        while True:
            for league in [runner.league for runner in self._runners.values()]:
                if not league.settings.retention.keep_days:
                    continue
                try:
                    await asyncio.to_thread(self._thin, league)
                except StoreError as error:
                    log.error("records are not thinned out: %s", error)  # noqa: TRY400
            await asyncio.sleep(self._pruning)

    def _thin(self, league: Competition) -> None:
        """Apply the retention rule of a league; in a thread."""
        for done in self._store.thin_records(league.id, league.settings.retention):
            log.info(
                "%s: %d records are thinned out",
                league.id,
                done.removed,
                extra={"league": league.id},
            )
            if self._stopping:
                return

    async def _renew_leases(self) -> None:
        """Renew the leases of this server before those that have ended are released."""
        store, name, lease = self._store, self._context.name, self._context.lease
        unresolved = (runner.unresolved for runner in self._runners.values())
        playing = frozenset[str]().union(*unresolved)
        await asyncio.to_thread(store.renew, name, playing, lease)
        expired = await asyncio.to_thread(store.release_expired)
        if expired:
            log.warning("%d matches are scheduled again: their lease has ended", expired)
        adopted = await asyncio.to_thread(store.adopt, name, lease)
        if adopted:
            log.info("%d waiting matches were taken over from another server", adopted)

    async def _open_leagues(self) -> None:
        """Run every open league."""
        token = ""
        while True:
            page = await asyncio.to_thread(self._store.leagues, 100, token)
            for league in page.items:
                self._open(league)
                await self._standings.request_outdated(league.id)
            token = page.next
            if not token:
                return

    def _open(self, league: Competition) -> None:
        """Run a league, unless it runs already."""
        name = league.id
        if self._stopping or league.state != CompetitionState.OPEN or name in self._runners:
            return
        self._runners[name] = LeagueRunner(league, self._context)
        self._running.append(asyncio.create_task(self._runners[name].run()))
        log.info("%s is open", name, extra={"league": name})
