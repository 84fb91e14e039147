"""How much a league plays, when it rests, and how long it keeps records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from tournaments.model.errors import InvalidError

MOST_PER_HOUR: Final = 1_000_000
MOST_NEWCOMER_MATCHES: Final = 1000
MOST_MEETINGS: Final = 1_000_000
WIDEST: Final = 100.0
MOST_KEEP_DAYS: Final = 36_500
MOST_EVERY: Final = 1_000_000


def check_whole(what: str, value: int, low: int, high: int) -> None:
    """Refuse what is no whole number between bounds; raises InvalidError."""
    if type(value) is not int or not low <= value <= high:
        raise InvalidError(f"{what} is {value}, but must be a whole number from {low} to {high}.")


class Settle(StrEnum):
    """Which question a league plays for."""

    ORDER = "order"
    """The order of all versions that are present."""
    LEADER = "leader"
    """Which of them is the best."""
    NEVER = "never"
    """None: the league does not rest."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many matches a league begins, and when it rests."""

    matches_per_hour: int = 3000
    """How many matches of the league begin in any 60 minutes; 0: any number."""
    bot_matches_per_hour: int = 600
    """How many matches of one entrant begin in any 60 minutes; 0: any number."""
    newcomer_matches: int = 10
    """How many first matches of an entrant begin at once, whatever the budgets say."""
    settle: str = Settle.ORDER
    """The question after whose answer the league rests."""
    settle_width: float = 0.5
    """Two versions whose 95 % intervals of the skill are both narrower count as settled; 0: none
    do."""
    settle_meetings: int = 250
    """Two versions that have met this often count as settled; 0: none do."""

    def __post_init__(self) -> None:
        """Refuse what is out of bounds; raises InvalidError."""
        check_whole("matches_per_hour", self.matches_per_hour, 0, MOST_PER_HOUR)
        check_whole("bot_matches_per_hour", self.bot_matches_per_hour, 0, MOST_PER_HOUR)
        check_whole("newcomer_matches", self.newcomer_matches, 0, MOST_NEWCOMER_MATCHES)
        check_whole("settle_meetings", self.settle_meetings, 0, MOST_MEETINGS)
        if self.settle not in tuple(Settle):
            raise InvalidError(
                f'settle is "{self.settle}", but must be one of {", ".join(Settle)}.'
            )
        width = self.settle_width
        if type(width) not in (int, float) or not 0 <= width <= WIDEST:
            raise InvalidError(f"settle_width is {width}, but must be from 0 to {WIDEST:g}.")

    def as_dict(self) -> dict[str, Any]:
        """Return its fields."""
        return {**asdict(self), "settle": str(self.settle)}


@dataclass(frozen=True, slots=True)
class Begun:
    """How many matches of a league began within some period."""

    matches: int = 0
    of_entrants: Counter[str] = field(default_factory=Counter)
    first: datetime | None = None
    """When the first of them began."""

    def add(self, entrants: Sequence[str], at: datetime) -> Begun:
        """Return the counts with one more match."""
        counts = self.of_entrants + Counter(entrants)
        return Begun(self.matches + 1, counts, self.first or at)


UNLIMITED: Final = Pace(0, 0, 0, Settle.NEVER)
"""The pace of leagues that were created before there were budgets."""


@dataclass(frozen=True, slots=True)
class Retention:
    """Which records a league keeps; results and hashes always stay."""

    keep_days: int = 0
    """Every record is kept for this number of days after its match; 0: for ever."""
    keep_every: int = 10
    """Of older ones, the records of every n-th set are kept; 0: of none."""

    def __post_init__(self) -> None:
        """Refuse what is out of bounds; raises InvalidError."""
        check_whole("keep_days", self.keep_days, 0, MOST_KEEP_DAYS)
        check_whole("keep_every", self.keep_every, 0, MOST_EVERY)

    def as_dict(self) -> dict[str, Any]:
        """Return its fields."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ThinnedRecord:
    """A record that was removed by a retention rule: what is left of it."""

    match: str
    thinned_at: datetime
    hash: str
    """The hash of its last line, which is that of the whole record."""
    sha256: str
    """Of the compressed file."""
    size: int
    """Of the compressed file, in bytes."""


@dataclass(frozen=True, slots=True)
class Thinning:
    """What a retention rule does, or would do."""

    removed: int = 0
    removed_bytes: int = 0
    kept: int = 0
    kept_bytes: int = 0
    thinned_before: int = 0
    """How many records had been removed before."""


class ActivityState(StrEnum):
    """Whether a league plays."""

    PLAYING = "playing"
    WAITING = "waiting"
    """For bots, or for its budget."""
    RESTING = "resting"
    """What it plays for is settled."""
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class LeagueActivity:
    """What a league does now, and why."""

    state: str
    since: datetime | None
    why: str
    wakes: str = ""
    """What makes it play again; empty while it plays."""
