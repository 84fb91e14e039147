"""What a league seats: bots that are connected over gRPC, and bots that its server runs itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from referee.match import Absence, MatchPlan
from referee.transports import Session
from tournaments.model import (
    Competition,
    Death,
    Job,
    PlayedMatch,
    ScheduledMatch,
    Version,
    VoidAttempt,
)
from tournaments.runner.slots import Slots
from tournaments.worker import SeatedBot


class SeatableBot(Protocol):
    """A bot of a league: what pairing needs to know of it, and how it is seated."""

    @property
    def version(self) -> Version:
        """The entrant and its version."""

    @property
    def games(self) -> frozenset[str]:
        """The games that it plays; the empty set means all."""

    @property
    def address(self) -> str:
        """The public network that it is connected from; empty where that is not known."""

    @property
    def hosted(self) -> bool:
        """Whether this server runs it in a sandbox, so that it needs a slot."""

    @property
    def package(self) -> str:
        """The SHA-256 of the package of a hosted bot; empty for any other bot."""

    @property
    def present(self) -> bool:
        """Whether it is there and stays."""

    @property
    def max_matches(self) -> int:
        """How many matches it can play at once now, apart from slots."""

    async def seat(self, match: ScheduledMatch, plan: MatchPlan) -> SeatedBot | Absence:
        """Bring it to a match; raises BotStartError if this machine cannot start it."""

    def drain(self, reason: str) -> None:
        """Begin no more matches, and end after those under way."""


class ClusterVoid(NamedTuple):
    """An attempt on a cluster that does not count."""

    void: VoidAttempt
    death: Death | None = None
    """What is charged to entrants for it; one of the matches that a failure hit has it."""


class MatchCluster(Protocol):
    """Plays matches between hosted bots on other machines."""

    @property
    def slots(self) -> int:
        """How many matches its workers play at once; 0 while it has none."""

    held: int
    """For how many matches a place is held."""

    def takes(self, packages: Sequence[str]) -> bool:
        """Return whether it has workers, and they can build these packages as far as is known."""

    def start(self, on_change: Callable[[], None]) -> None:
        """Begin; ``on_change`` is called when there are more or fewer slots."""

    async def play(
        self, job: Job, league: Competition, packages: Mapping[str, str]
    ) -> PlayedMatch | ClusterVoid:
        """Play a match; ``packages`` has the hash of each version by its name."""

    def acknowledge(self, match: ScheduledMatch) -> None:
        """Let the bots of a match be notified of its result, which is committed."""

    def stop_all(self, detail: str) -> None:
        """Make all matches void."""

    async def stop(self) -> None:
        """End all bots, and leave the cluster."""


class Hosting(Protocol):
    """Runs submitted bots on this machine, and matches between them on a cluster if it has one."""

    slots: Slots
    cluster: MatchCluster | None

    def start(self, on_change: Callable[[str], None]) -> None:
        """Begin; ``on_change`` is called with a league whose bots can play more than before."""

    async def refresh(self, league: str) -> None:
        """Read from the store which bots of a league play."""

    def bots(self, league: str) -> Sequence[SeatableBot]:
        """Return the bots of a league that play."""

    async def stop(self) -> None:
        """End all bots."""


@dataclass(frozen=True, slots=True)
class ConnectedBot:
    """A bot that is connected over gRPC."""

    session: Session

    @property
    def version(self) -> Version:
        """The entrant and the version that it stated when it joined."""
        return Version(self.session.entrant, self.session.bot_version)

    @property
    def games(self) -> frozenset[str]:
        """The games that it named when it joined."""
        return self.session.games

    @property
    def address(self) -> str:
        """The public network that it is connected from; empty where that is not known."""
        return self.session.network

    @property
    def hosted(self) -> bool:
        """False: it runs elsewhere."""
        return False

    @property
    def package(self) -> str:
        """Nothing: it comes from no package."""
        return ""

    @property
    def present(self) -> bool:
        """Whether it is connected and stays."""
        return self.session.connected and not self.session.leaving

    @property
    def max_matches(self) -> int:
        """The number of matches that it asked for when it joined."""
        return self.session.max_matches

    async def seat(self, match: ScheduledMatch, plan: MatchPlan) -> SeatedBot:  # noqa: ARG002
        """Seat it at once: the match sends the start over its connection."""
        return SeatedBot.remote(self.session, plan.match)

    def drain(self, reason: str) -> None:
        """Send goodbye after the matches under way."""
        self.session.drain(reason)
