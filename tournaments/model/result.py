"""Results: what came of a match, and what is committed with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from tournaments.model.table_kind import TableKind


@dataclass(frozen=True, slots=True)
class Result:
    """A match that counts; everything that has one entry per seat is in the order of the seats."""

    match: str
    """The id of the scheduled match: that of its set, a hyphen, the number of the seating."""
    set_id: str
    game: str
    variant: str
    """Which variant of the game, as the competition names it; "plain" is the game without any."""
    entrants: tuple[str, ...]
    """Names in a tournament, ``name@version`` in a league."""
    places: tuple[int, ...]
    """Competition ranks, 1 for the winner; seats that forfeited come last."""
    scores: tuple[int, ...]
    forfeits: tuple[int, ...]
    """The seats that forfeited."""
    used: tuple[float, ...]
    """The seconds that each seat used in all."""
    decisions: int
    duplicate: bool = False
    """Whether it has the deal of its set, which the other matches of the set have too. The store
    knows it from the set; a result that is being committed does not state it."""

    @property
    def seats(self) -> int:
        """How many sat at the table."""
        return len(self.entrants)

    @property
    def kind(self) -> TableKind:
        """The kind of its table."""
        return TableKind(self.game, len(self.entrants), self.variant)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the fields in their order: dataclasses would take three times as long."""
        return Result, tuple([getattr(self, name) for name in self.__slots__])


UNRELEASED = "the detail can be read when the record of the match is released"
"""What stands in place of a detail that may quote cards of a deal that will be played again."""


class FaultNote(NamedTuple):
    """Something that an entrant did wrong in a match, or that was done to it."""

    match: str
    entrant: str
    fault: str
    cause: str
    detail: str
    at: datetime


class PlayedMatch(NamedTuple):
    """A match that was played to its end, as it is committed."""

    result: Result
    attempt: int
    seconds: float
    """How long it took."""
    record: bytes
    """Compressed with zstd."""
    ending: str = ""
    """Why it ended, as records name it."""
    faults: tuple[FaultNote, ...] = ()


class VoidAttempt(NamedTuple):
    """An attempt at a match that does not count."""

    match: str
    attempt: int
    cause: str
    detail: str
