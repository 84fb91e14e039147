"""The standings of a competition as values: its tables, and the lines of each table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tournaments.model import (
    LONGEST_TITLE,
    Claims,
    LeagueSettings,
    NotFoundError,
    TableKind,
    TrueSkillSettings,
    Version,
)

STRIKING: Final = 0.05
"""The probability that any pair of an honest league is called striking, at each look."""


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
    """The natural logarithm of the strength; the median of all who have played is 0. Of two
    entrants that differ by d, the better comes above the other exp(d) times as often as below."""
    low: float
    high: float
    """The 95 % interval of the skill."""
    rank: int
    """The rank by skill alone."""
    rank_low: int
    rank_high: int
    """The interval of the rank by skill, the better end first; it holds with those of all others
    at the confidence of the table."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table."""

    rated: str
    """The version as ratings name it: ``name@version`` in a league, the name in a tournament."""
    rank: int | None
    """By mu - 3 sigma; equal ones share it. None for a version that has not played."""
    rank_low: int | None
    rank_high: int | None
    """The interval of the rank by skill, the better end first, widened where that is needed
    to hold the rank; every rank for a version that has no skill, None without a match."""
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
    """The probability that it is better than the next line, unadjusted; None at the end."""

    @property
    def entrant(self) -> str:
        """The name of the entrant."""
        return Version.of(self.rated).entrant


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbours in the order of skill, no two of which are told apart yet."""

    letter: str
    entrants: tuple[str, ...]
    """The best first; one alone if it is told apart from both neighbours."""


@dataclass(frozen=True, slots=True)
class DuplicateGain:
    """What playing one deal in every seating did to the luck in the results.

    The seats are not part of it: each entrant has each of them equally often with any deals.
    """

    ratio: float
    """The variance of an entrant's mean points over a set, divided by what as many independent
    matches would have. Below 1 the duplicate deals helped: 0.5 makes a match worth two."""
    low: float
    high: float
    """The 95 % interval of the ratio."""
    sets: int
    """How many whole sets this was measured on."""


class Estimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Return whether a value is in the interval."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class TableEffects:
    """What a seat and a neighbour are worth at one kind of table, whatever the entrants."""

    kind: TableKind
    sets: int
    seats: tuple[Estimate, ...]
    """The mean points of each seat, as if it had been taken by entrants of all skills alike."""
    neighbour: Estimate | None
    """The points that an entrant gains by sitting directly after the weakest of its opponents
    rather than after the strongest. None at tables of two, and where seatings do not show it."""


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """How far skills differ between the sizes, the variants or the games of a table."""

    over: str
    """What the parts differ in, as ``Part`` names it: "seats", "variant" or "game"."""
    q: float
    """Cochran's Q over the entrants that all parts have."""
    p: float
    """How likely a Q of at least this size is if skills are the same in all parts."""
    is_found: bool
    """Whether that is so unlikely that skills are said to differ."""
    pair: tuple[str, str]
    """The two whose difference differs most, as ratings name them."""
    is_reversed: bool
    """Whether the two are told apart in one order in one part, and in the other in another."""
    differences: Mapping[str, Estimate]
    """By part, the skill of the first of the two less that of the second."""


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
    """By rank, then by name; those who have not played come last."""
    above: tuple[tuple[float | None, ...], ...]
    """The probability that the version of the row is better than that of the column, both in the
    order of the standings; None for a version and itself, and for one that has not played. Each
    pair is looked at alone (unadjusted); ``told_apart`` has the claims. Empty in a league."""
    head_to_head: HeadToHead
    """Empty in the parts of a league."""
    groups: tuple[Group, ...]
    """From the best to the last; members of one are not told apart yet."""
    duplicates: DuplicateGain | None
    """None where there are no whole sets of several matches, or too few."""
    history: Mapping[str, tuple[Point, ...]]
    """How each rating came about match by match, thinned out; the first point is the start, the
    last the rating of the standings."""
    replicates: int = 0
    """How many times the bootstrap drew the duplicate sets."""
    told_apart: frozenset[tuple[str, str]] = frozenset()
    """The pairs, as ratings name them, of which the first is claimed to be better than the second.
    All claims of the table hold together with its confidence; groups and the intervals of ranks
    follow from them."""
    confidence: float = 0.95
    claims: Claims = Claims.FIXED

    heterogeneity: tuple[Heterogeneity, ...] = ()
    """Of the table of all matches and of each game: between the parts. Where it is found, only
    pairs are told apart that are so in each part in which both have played."""
    effects: tuple[TableEffects, ...] = ()
    """By kind of table, where there are enough sets."""
    cycles: tuple[tuple[str, str, str], ...] = ()
    """Three of which the first came above the second significantly more often than below, the
    second above the third, and the third above the first. In a league, of all matches only."""

    def is_ahead(self, better: str, worse: str) -> bool:
        """Return whether one version is claimed to be better than another."""
        return (better, worse) in self.told_apart


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """One of the versions of an entrant."""

    rated: str
    label: str
    current: bool
    matches: int


@dataclass(frozen=True, slots=True)
class PairResidual:
    """The results of an entrant against another, compared with what their skills lead to."""

    entrant: str
    """The one that did better than expected."""
    opponent: str
    sets: int
    observed: float
    """Its points against the other, 1 for each set."""
    expected: float
    z: float
    """The difference in standard deviations: at most, since those of single sets are bounds."""
    p_value: float
    """The probability of a pair as striking as this one among all pairs of an honest league."""
    left_out: bool = False
    """Whether the results of the two against each other are not rated."""

    @property
    def is_striking(self) -> bool:
        """Whether that probability is below ``STRIKING``."""
        return self.p_value < STRIKING


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a tournament or a league: a function of its results."""

    competition: str
    """The name of the tournament or the title of the league."""
    rating_system: str
    """The name of the rating system: one of ``RATINGS``."""
    tables: Mapping[Part, Table]
    """By part: all matches, then each size of table, each variant, and each size with each variant,
    then the same for each game. Parts with the same matches have the same table. Where there are
    several games, that of all matches has one rating over all of them."""
    draw_probability: Mapping[str, float] = field(default_factory=dict)
    """The probability that neighbouring places are level, as TrueSkill assumes it, by game."""
    versions: Mapping[str, tuple[VersionEntry, ...]] = field(default_factory=dict)
    """The versions of each entrant, in the order in which they came."""
    trueskill: TrueSkillSettings | None = None
    """The parameters of TrueSkill; None with another rating system."""
    residuals: tuple[PairResidual, ...] = ()
    """Of the pairs of entrants of a league, the most striking first."""

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
