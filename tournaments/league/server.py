"""A league server without its command line: a referee, the services, and the host."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from referee import Limits, RefereeServer, Tls
from referee.matches import SERVICE as MATCHES
from referee.matches import MatchService
from tournaments.league.door import LeagueDoor
from tournaments.league.host import LEASE, LeagueHost
from tournaments.league.rounds import MOST_SECONDS_AWAY
from tournaments.league.service import SERVICE as LEAGUES
from tournaments.league.service import LeagueService, Throttle
from tournaments.league.shelf import StoreShelf
from tournaments.league.store import LeagueStore

LIMITS: Final = Limits(keepalive_seconds=10.0)
"""A bot that is silent for this long is asked for a sign of life, and has as long to give one. With
hundreds of bots on a busy machine one of them may well get no CPU for two seconds."""


class LeagueServer:
    """Listens for bots and for requests, and plays all leagues of a store."""

    def __init__(
        self,
        store: LeagueStore,
        url: str,
        *,
        tls: Tls | None = None,
        limits: Limits | None = None,
        open_entry: bool = False,
        lease: float = LEASE,
        patience: float = MOST_SECONDS_AWAY,
    ) -> None:
        """Make a server; the standings are counted elsewhere, with the store at that address."""
        self.door = LeagueDoor(store)
        self.referee = RefereeServer(limits or LIMITS, tls, self.door, outlived=True)
        self.host = LeagueHost(store, url, self.referee, lease, patience)
        self._leagues = LeagueService(store, self.host, open_entry=open_entry)
        self._matches = MatchService(StoreShelf(store))

    async def start(
        self, host: str, port: int, unix: Path | None, name: Callable[[int], str]
    ) -> None:
        """Listen and play, under a name that may depend on the port; raises ListenError."""
        await self.referee.start(
            host,
            port,
            unix,
            self._add_services,
            names=(LEAGUES, MATCHES),
            interceptors=(Throttle(),),
        )
        await self.host.start(name(self.referee.port))

    async def stop(self, grace: float) -> None:
        """Let matches finish for so long, and ask everybody to dial in again later."""
        await self.host.stop(grace)
        await self.referee.rest("the server stops; dial in again in a moment", grace=1.0)

    def _add_services(self, to: Any) -> None:
        self._leagues.add_to(to)
        self._matches.add_to(to)
