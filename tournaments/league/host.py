"""A league server: one referee, all leagues, everybody who dials in.

The host keeps the leases of what it plays, opens a room for every open league, and stops in good
order. Two hosts may share a database: what one has claimed, the other leaves alone; and what one
leaves behind, the other takes over when its lease is over, whether it was running or waiting.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from referee import LagMeter, RefereeServer
from tournaments.league.clerk import Clerk
from tournaments.league.live import Gallery, LiveEvent, LiveTable
from tournaments.league.model import League, LeagueState
from tournaments.league.room import Figures, Floor, Room
from tournaments.league.rounds import MOST_SECONDS_AWAY
from tournaments.league.store import LeagueStore
from tournaments.store import StoreError

log = logging.getLogger(__name__)

LEASE: Final = 30.0
"""How long a match stays ours after we were last heard of, in seconds."""
BEATS: Final = 3
"""How often a lease is renewed before it would end."""
SEATING: Final = 10.0
"""How long a room may take to end what it is scheduling when the server stops, in seconds."""


class LeagueHost:
    """Plays all leagues of a store with whoever is connected to a server."""

    def __init__(
        self,
        store: LeagueStore,
        url: str,
        server: RefereeServer,
        lease: float = LEASE,
        patience: float = MOST_SECONDS_AWAY,
    ) -> None:
        self._store = store
        self._server = server
        self._gallery = Gallery()
        self._clerk = Clerk(url, store, self._standings_changed)
        self._floor = Floor(store, server, LagMeter(), self._gallery, self._clerk, lease, patience)
        self._rooms: dict[str, tuple[Room, asyncio.Task[None]]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False

    async def start(self, name: str) -> None:
        """Take up what a server of that name left behind, and begin to play."""
        self._floor.name = name
        back = await asyncio.to_thread(self._store.give_back, self._floor.name)
        if back:
            log.warning("%d matches were being played when this server ended; they go on", back)
        await asyncio.to_thread(self._store.adopt, self._floor.name, self._floor.lease)
        self._clerk.start()
        await self._look_for_leagues()
        self._tasks = [
            asyncio.create_task(self._beat()),
            asyncio.create_task(self._pass_on_arrivals()),
        ]

    async def stop(self, grace: float) -> None:
        """Seat nobody any more; what is running has so many seconds, and is given back then."""
        self._stopping = True
        rooms = [room for room, _ in self._rooms.values()]
        seating = [task for _, task in self._rooms.values()]
        for room in rooms:
            room.close()
        if seating:
            # What they are writing into the schedule must be known before we give anything back.
            await asyncio.wait(seating, timeout=SEATING + grace)
        await asyncio.gather(*(room.stop(grace) for room in rooms))
        tasks = [*self._tasks, *seating]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._clerk.stop()
        with contextlib.suppress(StoreError):
            await asyncio.to_thread(self._store.give_back, self._floor.name)
        self._floor.lag.stop()

    # For pages ----------------------------------------------------------------------------------

    def snapshot(self) -> tuple[LiveTable, ...]:
        """Return what a spectator may see of the running tables."""
        return self._gallery.snapshot()

    def subscribe(self) -> AsyncIterator[LiveEvent]:
        """Return what happens, for as long as somebody asks for the next event."""
        return self._gallery.subscribe()

    async def standings(self, league: str) -> Mapping[str, Any] | None:
        """Return the standings of a league as they were last counted."""
        return await self._clerk.document(league)

    def present(self, league: str) -> dict[str, int]:
        """Return who is there, with the number of connections."""
        found: dict[str, int] = {}
        for session in self._server.sessions:
            if session.league == league and session.connected:
                found[session.entrant] = found.get(session.entrant, 0) + 1
        return found

    @property
    def figures(self) -> Figures:
        """What has happened since the server began."""
        return self._floor.figures

    @property
    def tables(self) -> int:
        """How many matches are being played."""
        return sum(room.running for room, _ in self._rooms.values())

    @property
    def lag(self) -> float:
        """How many seconds the event loop has been late in all."""
        return self._floor.lag.total()

    @property
    def connected(self) -> int:
        """How many bots are connected."""
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
        if league in self._rooms:
            room, _ = self._rooms[league]
            await room.refresh()
            room.dismiss(None, "the league is closed")

    async def dismiss(self, league: str, name: str, reason: str) -> None:
        """Send a bot away that takes part no more."""
        if league in self._rooms:
            room, _ = self._rooms[league]
            room.dismiss(name, reason)
            await room.refresh()

    async def recount(self, league: str) -> None:
        """Learn that results have been taken away."""
        self._clerk.changed(league)
        if league in self._rooms:
            self._rooms[league][0].recount()

    # What goes on -------------------------------------------------------------------------------

    def _standings_changed(self, league: str) -> None:
        self._gallery.tell(LiveEvent("standings", league))

    async def _pass_on_arrivals(self) -> None:
        while True:
            await self._server.change()
            for room, _ in self._rooms.values():
                room.wake()

    async def _beat(self) -> None:
        """Hold what we play, and take over what nobody holds any more."""
        while True:
            await asyncio.sleep(self._floor.lease / BEATS)
            try:
                await self._renew()
                await self._look_for_leagues()
                for room, _ in list(self._rooms.values()):
                    await room.refresh()
                    await self._clerk.look_again(room.league.id)
            except StoreError as error:
                log.error("the store does not answer: %s", error)  # noqa: TRY400  it says it all
            except Exception:
                log.exception("the leases could not be renewed")  # the next time they may be

    async def _renew(self) -> None:
        """Renew our leases before we look for those that are over."""
        store, floor = self._store, self._floor
        playing = frozenset[str]().union(*(room.in_hand for room, _ in self._rooms.values()))
        await asyncio.to_thread(store.renew, floor.name, playing, floor.lease)
        expired = await asyncio.to_thread(store.release_expired)
        if expired:
            log.warning("%d matches are scheduled again: nobody held them any more", expired)
        adopted = await asyncio.to_thread(store.adopt, floor.name, floor.lease)
        if adopted:
            log.info("%d matches that wait are ours to see to now", adopted)

    async def _look_for_leagues(self) -> None:
        """Open a room for every league that is open."""
        token = ""
        while True:
            page = await asyncio.to_thread(self._store.leagues, 100, token)
            for league in page.items:
                self._open(league)
            token = page.next
            if not token:
                return

    def _open(self, league: League) -> None:
        """Open a room for a league, unless it has one."""
        name = league.id
        if self._stopping or league.state != LeagueState.OPEN or name in self._rooms:
            return
        room = Room(league, self._floor)
        self._rooms[name] = room, asyncio.create_task(room.run())
        log.info("%s is open", name, extra={"league": name})
