"""Forfeits in a row, deaths of processes, and entrants that play no more because of them.

One cut connection is one incident, however many matches it hits. A bot runs with the rights of the
organiser, so it can end or stop its own process or its worker when it is about to lose, and the
match is void. One death proves nothing. Each is kept in the store, charged to the entrants that
were there, and ``always_there`` returns an entrant for which that is no coincidence any more.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from referee.model import Fault

MOST_OWN_DEATHS: Final = 5
"""With how many matches that were void because its process died an entrant is suspended."""
COINCIDENCE: Final = 0.001
"""How probable it may be that an entrant is suspended although it has nothing to do with it."""
APART: Final = 100
"""How much less probable the presence of a suspended entrant is than that of any other."""


class Forfeit(NamedTuple):
    """A match that an entrant forfeited."""

    began: datetime
    ended: datetime
    fault: str
    """What led to it, as records name it."""


def count_incidents(forfeits: Iterable[Forfeit]) -> int:
    """Return how many incidents forfeits in a row were; they stand in the order of their ends.

    Forfeits by a cut connection are one incident with the first of them if their matches were in
    play when that one was forfeited.
    """
    incidents = 0
    cut: datetime | None = None
    """When the first match was forfeited that the last cut hit."""
    for forfeit in forfeits:
        is_cut = forfeit.fault == Fault.DISCONNECT
        if is_cut and cut is not None and forfeit.began < cut:
            continue
        incidents += 1
        cut = forfeit.ended if is_cut else None
    return incidents


@dataclass(frozen=True, slots=True)
class Benched:
    """An entrant whose remaining matches are played for it: benched, or suspended."""

    entrant: str
    game: str
    """In which game it is benched; empty if it is suspended, which is for all games."""
    match: str
    """After which match."""
    reason: str

    @property
    def sentence(self) -> str:
        """The notice for the standings: who, in which game, since when, why, and what follows."""
        what = f"benched in {self.game}" if self.game else "suspended"
        return (
            f"{self.entrant} is {what} since match {self.match}: {self.reason}. Its remaining "
            "matches are played by default moves and count as forfeits."
        )


class DeathKind(StrEnum):
    """What ended, or did not go on, while a match was played."""

    PROCESS = "process"
    """The process of a bot was ended by SIGKILL."""
    STOPPED = "stopped"
    """The process of a bot was stopped."""
    WORKER = "worker"
    """A worker process ended, or had to be ended because it sent nothing any more."""
    REFEREE = "referee"
    """The referee failed at a match, or did not run for so long that the match is void."""

    @property
    def of_one_bot(self) -> bool:
        """Whether it is known whose process it was; otherwise all who were there are charged."""
        return self in (DeathKind.PROCESS, DeathKind.STOPPED)


@dataclass(frozen=True, slots=True)
class Death:
    """A process that died or failed during a match, with the entrants to which that is charged."""

    kind: DeathKind
    entrants: tuple[str, ...]
    """The owner of a bot process; of a worker all entrants at its tables; of a referee all at the
    void match."""
    expected: Mapping[str, float] = field(default_factory=dict)
    """For a worker and a referee: how probable it was for each entrant to be there."""
    detail: str = ""


def own_deaths(deaths: Sequence[Death]) -> Counter[str]:
    """Return how many deaths of its own processes each entrant had."""
    return Counter(name for death in deaths if death.kind.of_one_bot for name in death.entrants)


def presence(
    recent: Sequence[Sequence[str]], tables: int, seconds: Sequence[float] | None = None
) -> dict[str, float]:
    """Return how probable it is for each entrant to be at one of ``tables`` tables.

    ``recent`` are the entrants of the last matches, and ``seconds`` says how long each of them
    took: an entrant whose matches are long is at a table for more of the time. Without it all
    matches count alike.
    """
    weights = [1.0] * len(recent) if seconds is None else seconds
    seated: defaultdict[str, float] = defaultdict(float)
    for entrants, weight in zip(recent, weights, strict=True):
        for name in entrants:
            seated[name] += weight
    total = sum(weights)
    return {name: 1 - max(0.0, 1 - its / total) ** tables for name, its in seated.items()}


def always_there(deaths: Sequence[Death]) -> tuple[str, int, int] | None:
    """Return the entrant that is there too often when workers fail, how often, and of how many.

    For each entrant: the probability that one who has nothing to do with the deaths is present at
    as many of them. The entrant with the smallest one is returned if that is below COINCIDENCE,
    shared among all entrants, and far below that of the next: then no neighbour is taken for it.
    """
    workers = [death for death in deaths if not death.kind.of_one_bot]
    there = Counter(name for death in workers for name in death.entrants)
    names = there.keys() | {name for death in workers for name in death.expected}
    found = sorted(
        (_at_least(there[name], [death.expected.get(name, 0.0) for death in workers]), name)
        for name in names
    )
    if not found or found[0][0] * len(found) >= COINCIDENCE:
        return None
    if len(found) > 1 and found[1][0] < APART * found[0][0]:
        return None
    name = found[0][1]
    return name, there[name], len(workers)


def _at_least(times: int, chances: Sequence[float]) -> float:
    """Return the probability that at least ``times`` of independent events happen."""
    if not times:
        return 1.0
    exactly = [1.0]
    """The probability of each number of events."""
    for chance in chances:
        exactly = [
            (exactly[n] * (1 - chance) if n < len(exactly) else 0.0)
            + (exactly[n - 1] * chance if n else 0.0)
            for n in range(len(exactly) + 1)
        ]
    return sum(exactly[times:])
