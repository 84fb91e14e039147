"""What pages need of the host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol

from tournaments.league.live import LiveEvent, LiveTable
from tournaments.league.room import Figures


class Host(Protocol):
    """Plays the leagues of a store; ``LeagueHost`` is one."""

    def snapshot(self) -> tuple[LiveTable, ...]:
        """Return what a spectator may see of the running tables."""

    def subscribe(self) -> AsyncIterator[LiveEvent]:
        """Return what happens, for as long as somebody asks for the next event."""

    async def standings(self, league: str) -> Mapping[str, Any] | None:
        """Return the standings of a league as they were last counted."""

    def present(self, league: str) -> dict[str, int]:
        """Return who is there, with the number of connections."""

    @property
    def figures(self) -> Figures:
        """What has happened since the server began."""

    @property
    def tables(self) -> int:
        """How many matches are being played."""

    @property
    def lag(self) -> float:
        """How many seconds the event loop has been late in all."""

    @property
    def connected(self) -> int:
        """How many bots are connected."""
