"""The events of a match, and which of them a seat has not received yet."""

from __future__ import annotations

from collections.abc import Sequence

from engine import Event, Seat


class EventBatch:  # noqa: PLW1641  equal events, and no key of a dictionary
    """The events of one decision; a single event where some events of the decision are hidden.

    A seat may see a batch completely or not at all. All seats receive the same object, so each
    encoding of it is made once and kept in ``encoded``.
    """

    __slots__ = ("encoded", "events")

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self.encoded: list[bytes | None] = [None, None]
        """The encodings, by the number of the encoding in ``referee.wire``."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EventBatch) and self.events == other.events


EventBatches = Sequence[EventBatch]


def flatten(batches: EventBatches) -> list[Event]:
    """Return the events of all batches in one list."""
    return [event for batch in batches for event in batch.events]


class EventLog:
    """All events of a match so far."""

    def __init__(self) -> None:
        self._batches: list[EventBatch] = []
        self._public: list[bool] = []
        """Whether a batch is visible to spectators, and so to every seat."""
        self._hidden = 0
        """The number of batches that are not public."""

    def __len__(self) -> int:
        return len(self._batches)

    def add(self, events: Sequence[Event]) -> None:
        """Append the events of a decision: in one batch if all are public, else one by one."""
        public = [event.visible_to(None) for event in events]
        if not all(public):
            self._batches += [EventBatch((event,)) for event in events]
            self._public += public
            self._hidden += public.count(False)
        elif events:
            self._batches.append(EventBatch(events))
            self._public.append(True)

    def since(self, index: int, seat: Seat) -> EventBatches:
        """Return the batches from ``index`` on that ``seat`` may see."""
        batches = self._batches[index:]
        if not self._hidden:
            return batches
        return [
            batch
            for batch, public in zip(batches, self._public[index:], strict=True)
            if public or batch.events[0].visible_to(seat)
        ]
