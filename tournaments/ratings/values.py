"""What the ratings say, as values: standings, tables and everything that they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong an entrant is believed to be, and how sure that is."""

    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """What the entrant is at least worth: three sigma below mu."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class Point:
    """A rating on its way: as it was after that many matches of the entrant."""

    matches: int
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Meeting:
    """What came of the matches that two entrants played at one table, seen by the first."""

    matches: int
    above: int
    level: int
    below: int

    @property
    def share(self) -> float | None:
        """How much of them the first got, a shared place as a half; None if they never met."""
        return (self.above + self.level / 2) / self.matches if self.matches else None


@dataclass(frozen=True, slots=True)
class Figures:
    """Plain counts and means of one entrant; the means are None without a match."""

    matches: int = 0
    forfeits: int = 0
    wins: float = 0.0
    """First places; one that is shared counts in parts."""
    places: tuple[int, ...] = ()
    """How often the entrant came first, second, and so on to the largest table."""
    mean_place: float | None = None
    mean_score: float | None = None
    """None too where the matches are of several games: their scores cannot be compared."""
    points: float | None = None
    """The mean share of the opponents at the table that came below, a shared place as a half:
    1 is always first, 0.5 the middle, 0 always last, at every size of table."""
    seconds: float = 0.0
    """The time used in all."""
    seconds_per_match: float | None = None


@dataclass(frozen=True, slots=True)
class Skill:
    """An entrant in the fit that does not depend on the order of the matches."""

    skill: float
    """The natural logarithm of the strength; the mean of all who have played is 0. Of two
    entrants that differ by d, the better comes above the other exp(d) times as often as below."""
    low: float
    high: float
    """The 95 % interval of the skill."""
    rank: int
    """The rank by skill alone."""
    rank_low: int
    rank_high: int
    """The 95 % interval of the rank by skill, the better end first."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table."""

    entrant: str
    rank: int
    """By mu - 3 sigma; those who are level share it. Who has not played comes after all others."""
    rank_low: int
    rank_high: int
    """The 95 % interval of the rank by skill, the better end first, widened where that is needed
    to hold the rank; every rank for an entrant who has not played."""
    rating: Rating
    skill: Skill | None
    """None for an entrant who has not played."""
    groups: tuple[str, ...]
    """The letters of the groups that the entrant is in; empty if it has not played."""
    figures: Figures


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbours in the order of skill, no two of which can be told apart yet."""

    letter: str
    entrants: tuple[str, ...]
    """The best first; one alone if it can be told from both neighbours."""


@dataclass(frozen=True, slots=True)
class DuplicateGain:
    """What playing each deal in every seating did to the luck in the results."""

    ratio: float
    """The variance of an entrant's mean points over a set, divided by what as many independent
    matches would have. Below 1 the duplicate deals helped: 0.5 makes a match worth two."""
    sets: int
    """How many whole sets this was measured on."""


@dataclass(frozen=True, slots=True)
class Table:
    """Who is best among the matches that it was made from."""

    matches: int
    sets: int
    games: tuple[str, ...]
    """Of which games they are, by name."""
    tie_rate: float
    """The share of neighbouring places of a match that were level."""
    draw_probability: float | None
    """The tie rate as the rating system was told it, kept clear of 0 and 1. None where there are
    several games: it was told the rate of each for the matches of that game."""
    standings: tuple[Standing, ...]
    """By rank, then by name."""
    above: tuple[tuple[float | None, ...], ...]
    """The probability that the entrant of the row is better than that of the column, both in the
    order of the standings; None for an entrant and itself, and for who has not played."""
    crosstable: tuple[tuple[Meeting, ...], ...]
    """Row against column, in the order of the standings."""
    groups: tuple[Group, ...]
    """From the best to the last; who shares one cannot be told apart yet."""
    duplicates: DuplicateGain | None
    """None where there are no whole sets of several matches, or too few."""
    history: Mapping[str, tuple[Point, ...]]
    """How each rating came about, thinned out; the first point is the prior, the last the end."""


@dataclass(frozen=True, slots=True)
class GameStandings:
    """What the matches of one game say."""

    table: Table
    """With all entrants, also those who have not played it yet."""
    by_seats: Mapping[int, Table]
    by_variant: Mapping[str, Table]


@dataclass(frozen=True, slots=True)
class Standings:
    """Everything that the results of a tournament say about its entrants."""

    tournament: str
    rating_system: str
    """The name of the rating system: "trueskill" or "openskill"."""
    replicates: int
    """How many times the bootstrap drew the duplicate sets."""
    overall: Table
    """All matches; where there are several games, one rating over all of them."""
    by_seats: Mapping[int, Table]
    """The matches of each size of table alone, with those entrants who played there."""
    by_variant: Mapping[str, Table]
    """The matches of each variant alone, with those entrants who played there."""
    by_game: Mapping[str, GameStandings]
    """The matches of each game alone; of one game that is everything once more."""
