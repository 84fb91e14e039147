"""To which entrants of leagues the failures of the referee and of a cluster's workers are charged.

A worker is lost with its machine, its job or its connection, the referee stands still or fails, and
now and then because of a bot. One failure proves nothing: ``always_there`` finds the entrant that
is there more often than its share of the time explains; for the referee, which fails at a match or
at a moment, its share of the matches if that is larger. A failure of a worker is one, however many
matches it hit. A duplicate set counts until it is lost for the first time: what a bad worker loses
is often played by it again, so the same entrants are there when it fails the next time.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator
from typing import Final

from tournaments.model import Death, DeathKind, ScheduledMatch, presence
from tournaments.runner.dispatch import ProcessDeath

RECENT: Final = 200
"""From how many of the last matches of a league the presence of its entrants is estimated."""
FEWEST: Final = 30
"""With fewer matches than that, it cannot be estimated, and no entrant is charged."""
SHORTEST: Final = 0.001
"""How long a match counts at least, in seconds."""

_Seated = tuple[tuple[str, ...], float]
"""The entrants of a match, and how many seconds it took."""


class LeagueDeaths:
    """Knows for how long entrants were at the tables of one kind of machine, and what was lost."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        kind: DeathKind = DeathKind.WORKER,
    ) -> None:
        self._clock = clock
        self._kind = kind
        self._begun: dict[str, tuple[ScheduledMatch, float]] = {}
        """The matches in play that count, and when they began."""
        self._ended: defaultdict[str, deque[_Seated]] = defaultdict(lambda: deque(maxlen=RECENT))
        """The last matches of each league that count."""
        self._lost: set[str] = set()
        """The duplicate sets that were lost."""

    def note_started(self, match: ScheduledMatch) -> None:
        """Note that a match begins."""
        if match.set_id not in self._lost:
            self._begun[match.id] = match, self._clock()

    def note_ended(self, match: str) -> None:
        """Note that a match is over, or void."""
        if match in self._begun:
            of, began = self._begun.pop(match)
            self._ended[of.competition].append((of.entrants, self._since(began)))

    def _since(self, began: float) -> float:
        return max(SHORTEST, self._clock() - began)

    def charged(self, death: ProcessDeath, owners: Collection[str] = ()) -> dict[str, Death]:
        """Return what is charged in each league for a failure.

        ``owners`` are the entrants whose own processes died, where that is known; otherwise all
        entrants of the matches are charged.
        """
        lost: defaultdict[str, list[ScheduledMatch]] = defaultdict(list)
        for match in (*(job.match for job in death.playing), *death.just_ended):
            if match.set_id not in self._lost:
                lost[match.competition].append(match)
        self._lost.update(match.set_id for matches in lost.values() for match in matches)
        found = {}
        for league, matches in lost.items():
            seated = [*self._ended[league], *self._in_play(league)]
            if len(seated) >= FEWEST:
                there = {name for match in matches for name in match.entrants}
                charged = tuple(sorted(there.intersection(owners) or there))
                entrants, seconds = zip(*seated, strict=True)
                expected = presence(entrants, len(matches), seconds)
                if self._kind is DeathKind.REFEREE:
                    by_match = presence(entrants, len(matches))
                    expected = {name: max(by_match[name], expected[name]) for name in expected}
                found[league] = Death(self._kind, charged, expected, death.detail)
        return found

    def _in_play(self, league: str) -> Iterator[_Seated]:
        for match, began in self._begun.values():
            if match.competition == league:
                yield match.entrants, self._since(began)
