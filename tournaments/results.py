"""What ratings and reports are made from: the matches of a tournament, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """A match that counts; everything that has one entry per seat is in the order of the seats."""

    match: str
    """The id of the scheduled match: that of its set, a hyphen, the number of the seating."""
    set_id: str
    game: str
    variant: str
    """Which variant of the game, as the tournament names it; "plain" is the game without any."""
    entrants: tuple[str, ...]
    places: tuple[int, ...]
    """Competition ranks, 1 for the winner; whoever forfeited comes last."""
    scores: tuple[int, ...]
    forfeits: tuple[int, ...]
    """The seats that forfeited."""
    used: tuple[float, ...]
    """The seconds that each seat used in all."""
    decisions: int

    @property
    def seats(self) -> int:
        """How many sat at the table."""
        return len(self.entrants)
