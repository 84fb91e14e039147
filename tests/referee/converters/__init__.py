"""Second converters: the messages of each game, built field by field and by name.

A module for each game. The tests compare what it makes with what the codec of the game makes, and
ask it what a seat may be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from google.protobuf.message import Message

from engine.game import Event, Options, OptionValue, Seat


class Converter(Protocol):
    """What the module of a game has."""

    STATE: ModuleType
    """The module of the engine that has the events and the phases."""
    OTHER_OPTIONS: Sequence[tuple[int, Mapping[str, OptionValue]]]
    """Seats and options that are worth a look besides the kinds of the game."""
    RARE_EVENTS: Sequence[Event]
    """Events that random games hardly ever have."""

    def options_message(self, options: Options) -> Message:
        """Write the options of a match."""

    def situation_message(self, view: Any, events: Sequence[Event]) -> Message:
        """Write a view with events."""

    def move_message(self, move: Any) -> Message:
        """Write a move."""

    def may_see(self, event: Event, seat: Seat) -> bool:
        """Tell, independently of the engine, whether a seat may see an event."""

    def assert_hides(self, situation: Any, seat: Seat) -> None:
        """Check a situation that was sent with a decision for what the seat must not be told."""


def find_converter(game: str) -> Converter:
    """Return the second converter of a game."""
    converter: Any = import_module(f"tests.referee.converters.{game}")
    found: Converter = converter
    return found
