"""A Python callable as a bot of a launcher."""

from __future__ import annotations

from referee.match import Gone, Player
from referee.transports import Chooser, InProcessPlayer


class LocalBot:
    """A Python callable as a bot."""

    def __init__(self, name: str, choose: Chooser) -> None:
        self.name = name
        self._choose = choose

    def player(self) -> Player:
        """Return the callable at a seat."""
        return InProcessPlayer(self._choose)

    @property
    def games(self) -> frozenset[str]:
        """The empty set: all games."""
        return frozenset()

    @property
    def gone(self) -> Gone | None:
        """None: a callable is always present."""
        return None

    @property
    def disconnected(self) -> bool:
        """False: a callable is always present."""
        return False

    @property
    def killed(self) -> bool:
        """False: a callable is no process."""
        return False

    async def close(self) -> None:
        """Do nothing."""
