"""What happened in a match, and what of it is news to whom."""

from __future__ import annotations

from collections.abc import Sequence

from engine import Event, Seat

News = Sequence[Sequence[Event]]
"""What happened since a seat was last told, decision by decision, as far as it may see it."""


def flat(news: News) -> list[Event]:
    """Return the events one after the other."""
    return [event for events in news for event in events]


class Happenings:
    """Everything that happened so far, decision by decision.

    It is kept in pieces that a seat may see whole or not at all. Every seat is told the same
    values, so that each of them is encoded once.
    """

    def __init__(self) -> None:
        self._pieces: list[Sequence[Event]] = []
        self._public: list[bool] = []
        """Whether everybody may see a piece: what a spectator may see, every seat may."""
        self._secrets = 0
        """How many pieces not everybody may see."""

    def __len__(self) -> int:
        return len(self._pieces)

    def add(self, events: Sequence[Event]) -> None:
        """Note what a decision led to; if some of it is secret, event by event."""
        public = [event.visible_to(None) for event in events]
        if not all(public):
            self._pieces += [(event,) for event in events]
            self._public += public
            self._secrets += public.count(False)
        elif events:
            self._pieces.append(events)
            self._public.append(True)

    def since(self, told: int, seat: Seat) -> News:
        """Return what happened since there was so much of it, as far as a seat may see it."""
        pieces = self._pieces[told:]
        if not self._secrets:
            return pieces
        public = self._public[told:]
        return [
            piece
            for piece, open_to_all in zip(pieces, public, strict=True)
            if open_to_all or piece[0].visible_to(seat)
        ]
