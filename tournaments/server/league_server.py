"""A league server without its command line: a referee, the services, the league manager."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from referee.match_service import SERVICE as MATCHES
from referee.match_service import MatchService
from referee.transports import Limits, RefereeServer, Tls
from tournaments.pairing import MOST_SECONDS_AWAY
from tournaments.runner import LEASE, PRUNING, Hosting, LeagueManager
from tournaments.server.authenticator import LeagueAuthenticator
from tournaments.server.league_service import SERVICE as LEAGUES
from tournaments.server.league_service import LeagueService
from tournaments.server.submission_service import SERVICE as SUBMISSIONS
from tournaments.server.submission_service import PackageIntake, SubmissionService
from tournaments.store import Store, StoreMatchRepository

LIMITS: Final = Limits(keepalive_seconds=10.0)
"""A connection that is silent for this long gets a ping, and has as long to answer. With hundreds
of bots on a busy machine one of them may get no CPU for two seconds."""


class LeagueServer:
    """Listens for bots and requests, and plays all leagues of a store."""

    def __init__(
        self,
        store: Store,
        url: str,
        *,
        tls: Tls | None = None,
        limits: Limits | None = None,
        open_entry: bool = False,
        lease: float = LEASE,
        patience: float = MOST_SECONDS_AWAY,
        intake: PackageIntake | None = None,
        hosting: Hosting | None = None,
        pages: str = "",
        pruning: float = PRUNING,
    ) -> None:
        """Make a server; processes that compute standings open the store at ``url`` themselves.

        Without an intake it takes no packages, and with ``hosting`` it runs submitted bots itself.
        ``pages`` is where its pages are, if it has any, and ``pruning`` the number of seconds
        between two runs of the retention rules.
        """
        self.authenticator = LeagueAuthenticator(store)
        self.referee = RefereeServer(
            limits or LIMITS, tls, self.authenticator, accept_unknown_resume_ids=True
        )
        self.manager = LeagueManager(store, url, self.referee, lease, patience, hosting, pruning)
        self._leagues = LeagueService(store, self.manager, open_entry=open_entry)
        self._refreshing: set[asyncio.Task[None]] = set()
        self._intake = intake
        self.queue = None if intake is None else intake.queue
        """The queue of submissions; None if the server takes no packages."""
        self._submissions = SubmissionService(store, intake, pages)
        self._matches = MatchService(StoreMatchRepository(store), self.manager.pace)

    async def start(
        self, host: str, port: int, unix: Path | None, name: Callable[[int], str]
    ) -> None:
        """Listen and play under a name, which may depend on the port; raises ListenError."""
        services = (LEAGUES, SUBMISSIONS, MATCHES)
        await self.referee.start(host, port, unix, self._add_services, names=services)
        own_name = name(self.referee.port)
        await self.manager.start(own_name)
        if self._intake is not None:
            self._intake.queue.on_playing_changed = self._refresh_later
            await self._intake.queue.start(own_name)

    async def stop(self, grace: float) -> None:
        """Give matches ``grace`` seconds to finish; bots are asked to connect again later."""
        if self._intake is not None:
            await self._intake.queue.stop()
        await self.manager.stop(grace)
        await self.referee.stop_for_restart(
            "the server stops; dial in again in a moment", grace=1.0
        )

    def _refresh_later(self, league: str) -> None:
        task = asyncio.create_task(self.manager.refresh(league))
        self._refreshing.add(task)
        task.add_done_callback(self._refreshing.discard)

    def _add_services(self, to: Any) -> None:
        self._leagues.add_to(to)
        self._submissions.add_to(to)
        self._matches.add_to(to)
