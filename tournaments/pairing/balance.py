"""How evenly a schedule treats the entrants, counted match by match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import NamedTuple

from tournaments.model import DuplicateSet, TableKind

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Range:
    """The smallest and the largest of several numbers."""

    low: int
    high: int

    @classmethod
    def of(cls, numbers: Sequence[int]) -> Range:
        """Return the range of at least one number."""
        return cls(min(numbers), max(numbers))

    @property
    def spread(self) -> int:
        """The difference of the two."""
        return self.high - self.low

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


@dataclass(frozen=True, slots=True)
class Evenness:
    """How evenly some duplicate sets treat the entrants.

    It compares entrants that may play, and pairs that may meet. In a gauntlet the challenger is
    left out: an entrant meets it in each of its matches.
    """

    sets: int
    matches: int
    sets_each: Range
    matches_each: Range
    pair_sets: Range | None
    """In how many sets two entrants meet; None where no two may."""
    pair_matches: Range | None
    seats: tuple[Range, ...]
    """How often an entrant has each seat."""
    left_neighbours: Range | None
    """In how many matches an entrant sits directly before another, round the table."""

    def has_even_neighbours(self, seats: int) -> bool:
        """Return whether all sit before all others about equally often, at tables of one size.

        They do not where the numbers differ by more than those of the meetings do, and by more than
        they are on average.
        """
        met, before = self.pair_matches, self.left_neighbours
        if met is None or before is None:
            return True
        usual = (met.low + met.high) / 2 / (seats - 1)
        return before.spread <= max(met.spread, usual)


@dataclass(frozen=True, slots=True)
class Balance:
    """How even a schedule is: each kind of table, each game, and all of it."""

    groups: Mapping[TableKind, Evenness]
    games: Mapping[str, Evenness]
    total: Evenness


class Compared(NamedTuple):
    """The entrants that may play a kind of table, and the pairs that may meet there."""

    entrants: Sequence[str]
    pairs: Sequence[Pair]


def measure(sets: Iterable[DuplicateSet], compared: Mapping[TableKind, Compared]) -> Balance:
    """Count how often entrants play and meet, at each kind of table that is to be compared."""
    counts = {kind: _Counts() for kind in compared}
    for played in sets:
        counts[played.kind].add(played)

    def together(kinds: Sequence[TableKind]) -> Evenness:
        total = _Counts()
        for kind in kinds:
            total.include(counts[kind])
        entrants = {name for kind in kinds for name in compared[kind].entrants}
        pairs = {pair for kind in kinds for pair in compared[kind].pairs}
        return total.evenness(max(kind.seats for kind in kinds), entrants, pairs)

    games = dict.fromkeys(kind.game for kind in compared)
    return Balance(
        {kind: together([kind]) for kind in compared},
        {game: together([kind for kind in compared if kind.game == game]) for game in games},
        together(list(compared)),
    )


@dataclass(slots=True)
class _Counts:
    sets: int = 0
    matches: int = 0
    sets_of: Counter[str] = field(default_factory=Counter)
    seats_of: Counter[tuple[int, str]] = field(default_factory=Counter)
    """By seat and entrant."""
    pair_sets: Counter[Pair] = field(default_factory=Counter)
    pair_matches: Counter[Pair] = field(default_factory=Counter)
    neighbours: Counter[Pair] = field(default_factory=Counter)
    """By the entrant before and the entrant after."""

    def add(self, played: DuplicateSet) -> None:
        """Count a set and its matches."""
        self.sets += 1
        self.sets_of.update(played.order)
        self.pair_sets.update(permutations(played.order, 2))
        for seating in played.played():
            self.matches += 1
            self.seats_of.update(enumerate(seating))
            self.pair_matches.update(permutations(seating, 2))
            self.neighbours.update(zip(seating, seating[1:] + seating[:1], strict=True))

    def include(self, other: _Counts) -> None:
        """Add other counts."""
        self.sets += other.sets
        self.matches += other.matches
        self.sets_of.update(other.sets_of)
        self.seats_of.update(other.seats_of)
        self.pair_sets.update(other.pair_sets)
        self.pair_matches.update(other.pair_matches)
        self.neighbours.update(other.neighbours)

    def evenness(self, seats: int, entrants: Iterable[str], pairs: Iterable[Pair]) -> Evenness:
        """Compare these entrants and these pairs at tables of at most ``seats`` seats."""
        by_seat = [[self.seats_of[seat, name] for name in entrants] for seat in range(seats)]
        both_ways = [(x, y) for pair in pairs for x, y in permutations(pair)]

        def of_pairs(counted: Counter[Pair]) -> Range | None:
            return Range.of([counted[pair] for pair in both_ways]) if both_ways else None

        return Evenness(
            sets=self.sets,
            matches=self.matches,
            sets_each=Range.of([self.sets_of[name] for name in entrants]),
            matches_each=Range.of([sum(times) for times in zip(*by_seat, strict=True)]),
            pair_sets=of_pairs(self.pair_sets),
            pair_matches=of_pairs(self.pair_matches),
            seats=tuple(map(Range.of, by_seat)),
            left_neighbours=of_pairs(self.neighbours),
        )
