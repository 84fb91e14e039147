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

    What everybody may see is told to every seat as the same value, so that it is encoded once.
    """

    def __init__(self) -> None:
        self._events: list[Sequence[Event]] = []
        self._public: list[bool] = []
        """Whether everybody may see all of it: what a spectator may see, every seat may."""

    def __len__(self) -> int:
        return len(self._events)

    def add(self, events: Sequence[Event]) -> None:
        """Note what a decision led to."""
        if events:
            self._events.append(events)
            self._public.append(all([event.visible_to(None) for event in events]))  # noqa: C419  faster

    def since(self, told: int, seat: Seat) -> News:
        """Return what happened since there was so much of it, as far as a seat may see it."""
        happened, public = self._events[told:], self._public[told:]
        if all(public):
            return happened
        seen = [
            events if open_to_all else [event for event in events if event.visible_to(seat)]
            for events, open_to_all in zip(happened, public, strict=True)
        ]
        return [events for events in seen if events]
