"""The standings of a competition as values: its tables, and the lines of each table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tournaments.model import LONGEST_TITLE, LeagueSettings, NotFoundError, Version


class Part(NamedTuple):
    """Some of the matches: of one game or all, one size of table or all, one variant or all."""

    game: str | None = None
    seats: int | None = None
    variant: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it has all sizes and variants."""
        return self.seats is None and self.variant is None

    @property
    def name(self) -> str:
        """The name in a standings document: "glastonbury/2/*" is Glastonbury with two seats."""
        return f"{self.game or '*'}/{self.seats or '*'}/{self.variant or '*'}"

    def check(self, settings: LeagueSettings) -> None:
        """Refuse what is not played in a league; raises NotFoundError."""
        games = [settings.game(self.game)] if self.game is not None else settings.games
        sized = [rules for rules in games if self.seats in (None, *rules.table_sizes)]
        varied = [rules for rules in games if self.variant in (None, *rules.variants)]
        if not sized:
            raise NotFoundError(f"no table of {self.seats} is played here.")
        variant = (self.variant or "")[:LONGEST_TITLE]
        if not varied:
            raise NotFoundError(f'no variant "{variant}" is played here.')
        if not any(rules in varied for rules in sized):
            raise NotFoundError(
                f'no table of {self.seats} of the variant "{variant}" is played here.'
            )


@dataclass(frozen=True, slots=True)
class Rating:
    """The estimated strength of an entrant, and its uncertainty."""

    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """What the entrant is at least worth: three sigma below mu."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class Point:
    """A rating as it was after that many matches of the version."""

    matches: int
    mu: float
    sigma: float
    position: int = 0
    """How many matches the table had had by then."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """How often an entrant finished above, level with and below another at the same table."""

    above: int
    level: int
    below: int

    @property
    def matches(self) -> int:
        """How many matches the two played at the same table."""
        return self.above + self.level + self.below

    @property
    def share(self) -> float:
        """The share of these matches that the first won, a shared place as a half."""
        return (self.above + self.level / 2) / self.matches


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

    rated: str
    """The version as ratings name it: ``name@version`` in a league, the name in a tournament."""
    rank: int
    """By mu - 3 sigma; equal ones share it. Versions without a match come after all others."""
    rank_low: int
    rank_high: int
    """The 95 % interval of the rank by skill, the better end first, widened where that is needed
    to hold the rank; every rank for a version that has not played."""
    rating: Rating
    skill: Skill | None
    """None for a version that has not played."""
    groups: tuple[str, ...]
    """The letters of the groups that it is in; empty if it has not played."""
    figures: Figures
    label: str = ""
    """The name for people: with the version only if the entrant has several; empty: the entrant."""
    current: bool = True
    """Whether it is the version that its entrant has now."""
    rank_among_current: int | None = None
    """None for a version that is not current or has not played."""
    above_next: float | None = None
    """The probability that it is better than the next line; None at the end."""

    @property
    def entrant(self) -> str:
        """The name of the entrant."""
        return Version.of(self.rated).entrant


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbours in the order of skill, no two of which are separable yet."""

    letter: str
    entrants: tuple[str, ...]
    """The best first; one alone if it is separable from both neighbours."""


@dataclass(frozen=True, slots=True)
class DuplicateGain:
    """What playing each deal in every seating did to the luck in the results."""

    ratio: float
    """The variance of an entrant's mean points over a set, divided by what as many independent
    matches would have. Below 1 the duplicate deals helped: 0.5 makes a match worth two."""
    sets: int
    """How many whole sets this was measured on."""


HeadToHead = Mapping[str, Mapping[str, Meeting]]
"""What each version did against each other that it has met."""


@dataclass(frozen=True, slots=True)
class Table:
    """The ranking by the matches of one part of the competition."""

    matches: int
    sets: int
    games: tuple[str, ...]
    """Of which games they are, by name."""
    tie_rate: float
    """The share of neighbouring places of a match that were level."""
    standings: tuple[Standing, ...]
    """By rank, then by name."""
    above: tuple[tuple[float | None, ...], ...]
    """The probability that the version of the row is better than that of the column, both in the
    order of the standings; None for a version and itself, and for one that has not played. Empty
    in a league."""
    head_to_head: HeadToHead
    """Empty in the parts of a league."""
    groups: tuple[Group, ...]
    """From the best to the last; members of one are not separable yet."""
    duplicates: DuplicateGain | None
    """None where there are no whole sets of several matches, or too few."""
    history: Mapping[str, tuple[Point, ...]]
    """How each rating came about, thinned out; the first point is the start, the last the end."""
    replicates: int = 0
    """How many times the bootstrap drew the duplicate sets."""


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """One of the versions of an entrant."""

    rated: str
    label: str
    current: bool
    matches: int


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a tournament or a league: a function of its results."""

    competition: str
    """The name of the tournament or the title of the league."""
    rating_system: str
    """The name of the rating system: "trueskill" or "openskill"."""
    tables: Mapping[Part, Table]
    """By part: all matches, then each size of table, each variant, and each size with each variant,
    then the same for each game. Parts with the same matches have the same table. Where there are
    several games, that of all matches has one rating over all of them."""
    draw_probability: Mapping[str, float] = field(default_factory=dict)
    """The probability that neighbouring places are level, as TrueSkill assumes it, by game."""
    versions: Mapping[str, tuple[VersionEntry, ...]] = field(default_factory=dict)
    """The versions of each entrant, in the order in which they came."""

    @property
    def overall(self) -> Table:
        """The table of all matches, with all entrants, also those who have not played yet."""
        return self.tables[Part()]

    @property
    def by_game(self) -> dict[str, Table]:
        """The table of each game; of one game that is the table of all matches."""
        return {part.game: self.tables[part] for part in self.tables if part.is_whole and part.game}

    def by_seats(self, game: str | None = None) -> dict[int, Table]:
        """Return the table of each size, with those entrants who played there."""
        parts = (part for part in self.tables if part.game == game and part.variant is None)
        return {part.seats: self.tables[part] for part in parts if part.seats is not None}

    def by_variant(self, game: str | None = None, seats: int | None = None) -> dict[str, Table]:
        """Return the table of each variant, with those entrants who played there."""
        parts = (part for part in self.tables if (part.game, part.seats) == (game, seats))
        return {part.variant: self.tables[part] for part in parts if part.variant is not None}
