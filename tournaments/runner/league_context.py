"""What all leagues of a server share: the store and its retries, places of bots, statistics."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import Final, TypeVar

from referee.match import LagMeter, MatchResult
from referee.transports import RefereeServer
from tournaments.model import PlayedMatch
from tournaments.runner.live_feed import LiveFeed
from tournaments.runner.seatable import Hosting, MatchCluster, SeatableBot
from tournaments.runner.standings_worker import StandingsWorker
from tournaments.store import Store, StoreError

log = logging.getLogger(__name__)

PAUSES: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between two calls; the last pause is repeated."""

T = TypeVar("T")
SECONDS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0),
)
"""Bounds for the time of a decision."""


@dataclass(slots=True)
class Histogram:
    """Counts of values between bounds."""

    bounds: Sequence[float] = SECONDS
    counts: list[int] = field(default_factory=list)
    """The number of values up to each bound that are larger than the bound before it."""
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = self.counts or [0] * (len(self.bounds) + 1)

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def up_to(self) -> list[tuple[float, int]]:
        """Return the number of values up to each bound; the last bound is infinite."""
        return list(zip((*self.bounds, inf), accumulate(self.counts), strict=True))


@dataclass(slots=True)
class ServerStatistics:
    """Counts since the server began."""

    matches: int = 0
    void: int = 0
    decisions: int = 0
    thought: Histogram = field(default_factory=Histogram)
    """The seconds of each decision, as the clocks of the bots counted them."""
    strikes: Counter[str] = field(default_factory=Counter)
    """By fault."""
    faults: Counter[str] = field(default_factory=Counter)
    """Forfeits, by fault."""

    def add(self, played: PlayedMatch) -> None:
        """Count a match that was committed."""
        self.matches += 1
        self.decisions += played.result.decisions
        self.faults.update(note.fault for note in played.faults)

    def add_decisions(self, result: MatchResult) -> None:
        """Count times and strikes, which are known of matches that this process played itself."""
        for thought in result.thought:
            self.thought.add(thought.total_seconds())
        self.strikes.update(result.strikes)


@dataclass(frozen=True, slots=True)
class Hold:
    """What is held for a match: a place of each bot, and a slot where it is played."""

    bots: Sequence[SeatableBot]
    cluster: MatchCluster | None
    """Where it is played; None for this machine."""


@dataclass(slots=True, eq=False)
class LeagueContext:
    """What all leagues of a server share."""

    store: Store
    server: RefereeServer
    lag: LagMeter
    live_feed: LiveFeed
    standings: StandingsWorker
    lease: float
    """For how many seconds a claim on a match is valid."""
    patience: float
    """How many seconds a match waits for a bot that is away."""
    name: str = ""
    """The name under which this process claims matches; known once it listens."""
    statistics: ServerStatistics = field(default_factory=ServerStatistics)
    hosting: Hosting | None = None
    """The bots that this server runs; None if it runs none."""
    held: Counter[SeatableBot] = field(default_factory=Counter)
    """How many places of each bot are held for matches that are played or about to begin."""

    def places(self, bot: SeatableBot) -> int:
        """Return how many more matches a bot can play now."""
        places = bot.max_matches - self.held[bot]
        if bot.hosted and self.hosting is not None:
            cluster = self.hosting.cluster
            elsewhere = 0 if cluster is None else cluster.slots - cluster.held
            return min(places, max(self.hosting.slots.free, elsewhere))
        return places

    def fit(self, bots: Sequence[SeatableBot]) -> bool:
        """Return whether there is a slot for a match of these bots, where it would be played."""
        cluster = self._cluster_for(bots)
        if cluster is not None:
            return cluster.held < cluster.slots
        return self.hosting is None or self.hosting.slots.fit(_hosted(bots))

    def _cluster_for(self, bots: Sequence[SeatableBot]) -> MatchCluster | None:
        """Return the cluster if it takes a match of these bots, which are all hosted."""
        cluster = None if self.hosting is None else self.hosting.cluster
        if cluster is None or _hosted(bots) < len(bots):
            return None
        return cluster if cluster.takes([bot.package for bot in bots]) else None

    def hold(self, bots: Sequence[SeatableBot], *, here: bool = False) -> Hold:
        """Hold a place of each bot for a match, and a slot if it needs one.

        With ``here`` it is played on this machine in any case.
        """
        self.held.update(bots)
        self.lag.watch(closely=bool(self.held))
        cluster = None if here else self._cluster_for(bots)
        if cluster is not None:
            cluster.held += 1
        elif self.hosting is not None:
            self.hosting.slots.hold(_hosted(bots))
        return Hold(bots, cluster)

    def release(self, hold: Hold) -> None:
        """Release what was held for a match."""
        self.held.subtract(hold.bots)
        for bot in set(hold.bots):
            if self.held[bot] <= 0:
                del self.held[bot]
        self.lag.watch(closely=bool(self.held))
        if hold.cluster is not None:
            hold.cluster.held -= 1
        elif self.hosting is not None:
            self.hosting.slots.release(_hosted(hold.bots))


def _hosted(bots: Sequence[SeatableBot]) -> int:
    return sum(bot.hosted for bot in bots)


class StoreRetry:
    """Calls a store until it answers.

    A result is not given up while the server runs, however long the store is away. A server that
    stops calls once more; then the next one has the match played again.
    """

    def __init__(self, league: str, stopping: asyncio.Event) -> None:
        self._league = league
        self.stopping = stopping

    async def call(self, match: str, call: Callable[[], T]) -> T:
        """Return the answer to a call about a match, which the log names.

        Raises StoreError if the store does not answer when the server stops.
        """
        about, failures = {"league": self._league, "match": match}, 0
        while True:
            last = self.stopping.is_set()
            try:
                answer = await asyncio.to_thread(call)
            except StoreError as error:
                log.error("match %s is not written yet: %s", match, error, extra=about)  # noqa: TRY400
                if last:
                    raise
                await self.pause(PAUSES[min(failures, len(PAUSES) - 1)])
                failures += 1
                continue
            if failures:
                log.warning("match %s: the store answers again", match, extra=about)
            return answer

    async def pause(self, seconds: float) -> None:
        """Wait, unless the server stops."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.stopping.wait()
