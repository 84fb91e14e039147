"""What a game can tell people who look at a match: positions by name, and events as sentences.

The rules do without it, and so does a referee. A game that has a story keeps it in its module
``story`` as ``PRESENTATION``; one that has none is shown as text.

    PRESENTATION.everything(state)["board"][2]     # "Ya3"
    PRESENTATION.sentence(event)                   # "seat 0 takes Ya3 from c1"

Positions are JSON values. Those of one game all have the same keys for every viewer; what a viewer
may not know is null, or the back of a card where a game has backs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from engine.game import Event


class Presentation(Protocol):
    """How one game is told; states, moves and views are those of that game."""

    def view(self, view: Any) -> Mapping[str, object]:
        """Return what a viewer knows, and nothing else."""

    def everything(self, state: Any) -> Mapping[str, object]:
        """Return a position with nothing hidden, in the form of ``view``."""

    def sentence(self, event: Event) -> str:
        """Tell an event in a few words; a seat is always written "seat 2"."""

    def covered(self, move: Any) -> str | None:
        """Return how a secret move looks to the others; nothing if they see all of it."""

    def scores(self, state: Any) -> Sequence[int]:
        """Return what each seat would score if the game were over now."""
