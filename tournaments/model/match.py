"""Scheduled matches, and the duplicate sets that they belong to.

A duplicate set is one deal at one table, played in several seatings. The order round a table is
never by name. A hash of the table gives the order in its first set; the second set reverses it, and
further sets go through the other cyclic orders, so that entrants soon have had all others as
neighbours: with as many sets as there are cyclic orders, each sits behind each other one equally
often.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from itertools import permutations
from math import factorial
from typing import Final, NamedTuple

from engine import Seed
from tournaments.model.entrant import Version, rated_name
from tournaments.model.table_kind import TableKind

MOST_LISTED = 6
"""Tables with more seats have too many cyclic orders to list them all."""


class Seatings(StrEnum):
    """In which seatings a duplicate set plays its deal."""

    ROTATIONS = "rotations"
    ALL = "all"
    SUBSTITUTION = "substitution"
    """Every rotation twice: with each of two entrants in the same place."""


class MatchState(StrEnum):
    """How far a match is."""

    SCHEDULED = "scheduled"
    RUNNING = "running"
    """A server has claimed it, and holds it as long as it renews its lease."""
    PLAYED = "played"
    ANNULLED = "annulled"
    """It was played, and the organiser took it out of the standings."""
    DROPPED = "dropped"
    """It will not be played: an entrant left before, or the round was abandoned."""


UNFINISHED: Final = (MatchState.SCHEDULED, MatchState.RUNNING)
"""While a set has a match in one of these states, its records are not released."""


class SeatResult(NamedTuple):
    """An entrant at a seat, with its result once the match was played."""

    entrant: str
    version: str = ""
    place: int | None = None
    score: int | None = None
    forfeit: bool = False
    used: float = 0.0
    """How many seconds it used in all."""

    @property
    def rated(self) -> str:
        """The name of the version in ratings."""
        return rated_name(self.entrant, self.version)


class ScheduledMatch(NamedTuple):
    """A match of a competition, in any state."""

    id: str
    """The id of its set, a hyphen, and the number of the seating from 1."""
    set_id: str
    game: str
    variant: str
    seats: tuple[SeatResult, ...]
    competition: str = ""
    position: int = 0
    """Its place in the schedule of its competition, from 1."""
    state: str = MatchState.SCHEDULED
    attempt: int = 1
    """The attempt that is being made or comes next; the one that counts if it was played."""
    scheduled_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    ending: str = ""
    decisions: int = 0
    why: str = ""
    """Why the pairing chose this table."""
    annulled: str = ""
    """The reason, if it is annulled."""
    released: bool = False
    """Whether its record is public: it was played, and so was the rest of its set."""
    round: int | None = None
    """Its round, where there are rounds."""
    server: str | None = None
    """The server that plays it or has played it; while it waits, the one that keeps it."""
    thinned_at: datetime | None = None
    """When its record was removed by a retention rule."""
    record_hash: str | None = None
    """The hash of a record that was removed."""
    season: int | None = None
    """Its season, in a league that has any."""

    @property
    def has_record(self) -> bool:
        """Whether its record can be read."""
        return self.released and self.thinned_at is None

    @property
    def entrants(self) -> tuple[str, ...]:
        """Their names, by seat."""
        return tuple([seat.entrant for seat in self.seats])

    @property
    def versions(self) -> tuple[Version, ...]:
        """The versions, by seat."""
        return tuple([Version(seat.entrant, seat.version) for seat in self.seats])


_NONE: Final[Mapping[str, str]] = {}


class Job(NamedTuple):
    """One attempt at a match, and what it is dealt from."""

    match: ScheduledMatch
    attempt: int
    seed: Seed
    salt: bytes
    duplicate: bool
    """Whether the deal is played again: then bots do not learn the seed at the end."""
    benched: Mapping[str, str] = _NONE
    """The reason for each entrant that is not seated."""

    def __repr__(self) -> str:
        """Leave out seed and salt, which are secret until the record is released."""
        return f"Job({self.match.id}, attempt {self.attempt})"


@dataclass(frozen=True, slots=True)
class PlannedSet:
    """A table that the pairing of a league has chosen: one deal, in all its seatings."""

    game: str
    variant: str
    table: tuple[Version, ...]
    """By seat in the first match."""
    why: str
    """One sentence, for the log and the page of the match."""
    round: int | None = None


@dataclass(frozen=True, slots=True)
class DuplicateSet:
    """One deal at one table, played in every rotation or every permutation of the seats."""

    game: str
    variant: str
    order: tuple[str, ...]
    """The entrants round the table, beginning with the smallest name. With a substitution the first
    two share a place."""
    number: int
    """Which set of this table it is, from 1."""
    seatings: Seatings = Seatings.ROTATIONS

    @property
    def kind(self) -> TableKind:
        """The kind of its table."""
        seats = len(self.order) - (self.seatings == Seatings.SUBSTITUTION)
        return TableKind(self.game, seats, self.variant)

    @property
    def id(self) -> str:
        r"""The first 12 hexadecimal digits of the SHA-256 of the set, written as JSON.

        The text is an array without spaces, with everything beyond ASCII escaped as ``\u…``:
        ``["glastonbury","plain",["ann","bob","cy"],1,"rotations"]``.
        """
        return _digest(self.game, self.variant, self.order, self.number, self.seatings)[:12]

    @property
    def matches(self) -> tuple[ScheduledMatch, ...]:
        """Its matches, one for each of its seatings."""
        set_id = self.id
        return tuple(
            ScheduledMatch(
                f"{set_id}-{number}", set_id, self.game, self.variant, tuple(map(_seat, entrants))
            )
            for number, entrants in enumerate(self.played(), 1)
        )

    @property
    def count(self) -> int:
        """How many matches it has."""
        return matches_of_set(self.kind.seats, self.seatings)

    def played(self) -> list[tuple[str, ...]]:
        """Return the entrants by seat for each match, beginning with the order of the set.

        In rotations the next one round the table gets the first seat from match to match.
        """
        if self.seatings == Seatings.ALL:
            return list(permutations(self.order))
        if self.seatings == Seatings.SUBSTITUTION:
            first, second, *others = self.order
            return [*_rotations((first, *others)), *_rotations((second, *others))]
        return _rotations(self.order)


def _rotations(order: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [order[n:] + order[:n] for n in range(len(order))]


def matches_of_set(seats: int, seatings: Seatings) -> int:
    """Return how many matches a set has at a table of this size."""
    if seatings == Seatings.SUBSTITUTION:
        return 2 * seats
    return factorial(seats) if seatings == Seatings.ALL else seats


@lru_cache(1024)
def _seat(entrant: str) -> SeatResult:
    return SeatResult(entrant)


def round_the_table(
    game: str, variant: str, entrants: Sequence[str], number: int
) -> tuple[str, ...]:
    """Return the order in which these sit in that set of their table, the smallest name first."""
    first, *others = sorted(entrants)
    hashed = int(_digest(game, variant, [first, *others]), 16)
    start = [first]
    while others:
        hashed, place = divmod(hashed, len(others))
        start.append(others.pop(place))
    orders = cyclic_orders(len(start))
    return tuple(start[i] for i in orders[(number - 1) % len(orders)])


@lru_cache
def cyclic_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return different cyclic orders of 0, 1, 2 …, each followed by its reverse.

    The next one is always the one whose neighbours have been neighbours least. Up to six seats
    these are all cyclic orders; larger tables get a few that have all neighbours about equally
    often.
    """
    left = _listed(seats) if seats <= MOST_LISTED else _zigzags(seats)
    neighbours: Counter[frozenset[int]] = Counter()
    result: list[tuple[int, ...]] = []
    while left:
        best = min(left, key=lambda order: (sum(neighbours[p] for p in _adjacent(order)), order))
        left.remove(best)
        neighbours.update(_adjacent(best))
        result += [best, (0, *best[:0:-1])] if seats > 2 else [best]
    return tuple(result)


def sets_with_even_neighbours(seats: int) -> int | None:
    """Return after how many sets of a table each has sat equally often before each other one.

    None where no number of sets reaches that, at tables of more than six.
    """
    before: Counter[tuple[int, int]] = Counter()
    for number, order in enumerate(cyclic_orders(seats), 1):
        before.update((order[i - 1], order[i]) for i in range(seats))
        if len(before) == seats * (seats - 1) and len(set(before.values())) == 1:
            return number
    return None


def _listed(seats: int) -> list[tuple[int, ...]]:
    return [(0, *rest) for rest in permutations(range(1, seats)) if rest[0] <= rest[-1]]


def _zigzags(seats: int) -> list[tuple[int, ...]]:
    """Return 0, 1, -1, 2, -2 … round the circle, and the same for every other beginning."""
    zigzag = [(n + 1) // 2 * (-1) ** (n + 1) % seats for n in range(seats)]
    found = set()
    for shift in range(seats):
        order = [(x + shift) % seats for x in zigzag]
        start = order.index(0)
        order = order[start:] + order[:start]
        found.add(tuple(order) if order[1] < order[-1] else (0, *order[:0:-1]))
    return sorted(found)


def _adjacent(order: Sequence[int]) -> list[frozenset[int]]:
    return [frozenset((x, order[i - 1])) for i, x in enumerate(order)]


def _digest(*content: object) -> str:
    return sha256(json.dumps(content, separators=(",", ":")).encode("ascii")).hexdigest()
