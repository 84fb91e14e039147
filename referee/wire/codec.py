"""What a game needs on the wire, and where to find it.

A codec turns views, events and options into *fields*: plain dicts with the names of the message
and numbers for enums. Both encodings are made from the same fields: the message by its
constructor, its JSON by putting names in place of the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from engine import Event, HighstreetError, Options

Fields = dict[str, Any]


class Group:
    """Some fields of a view, with their encodings once they have been made.

    Most of a view stays the same from one decision to the next; a codec keeps the groups of such
    fields, and so each of them is encoded once.
    """

    __slots__ = ("binary", "fields", "json")

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.binary: bytes | None = None
        self.json: bytes | None = None


class Plain(NamedTuple):
    """An event whose message has a kind and a small number for each attribute of the event."""

    kind: int
    fields: Mapping[str, str]
    """The field of the message for each attribute."""

    def fields_of(self, event: Event) -> Fields:
        """Return the fields of the message."""
        values = {name: getattr(event, own) for own, name in self.fields.items()}
        return {"kind": self.kind, **values}


class WireError(HighstreetError):
    """Something from the wire that cannot be read, with a sentence for the bot's author."""


class Codec(Protocol):
    """The wire form of one game."""

    situation: type[Message]
    """The message for a view with events."""
    options: type[Message]
    """The message for options."""
    plain_events: Mapping[type[Event], Plain]
    """The events that happen all the time; they are encoded without making fields of them."""
    now: tuple[str, ...]
    """The fields of a view that another decision nearly always changes."""

    def options_fields(self, options: Options) -> Fields:
        """Return the fields of the options."""

    def now_values(self, view: Any) -> tuple[Any, ...]:
        """Return the values of the fields ``now`` of a view, in their order."""

    def view_groups(self, view: Any) -> Sequence[Group]:
        """Return the other fields of a view, every one of them in exactly one group."""

    def event_fields(self, event: Event) -> Sequence[Fields]:
        """Return the fields of the messages for an event: one, or one for each seat."""

    def move_fields(self, move: Any) -> Fields:
        """Return the one field of a move."""

    def read_move(self, fields: Mapping[str, Any]) -> Any:
        """Return the move that the fields of a message say; raises WireError."""

    def read_plain_move(self, field: str, value: object) -> Any | None:
        """Return the move of that one field as JSON has it; nothing unless it is a usual one."""


def view_fields(codec: Codec, view: Any) -> Fields:
    """Return all fields of a view."""
    now = dict(zip(codec.now, codec.now_values(view), strict=True))
    return now | {k: v for group in codec.view_groups(view) for k, v in group.fields.items()}


def form_of(codec: Codec, field: str) -> Descriptor:
    """Return the form of the view or of an event, as the situation of a game has it."""
    form = codec.situation.DESCRIPTOR.fields_by_name[field].message_type
    assert isinstance(form, Descriptor)  # noqa: S101  both are messages in every game
    return form


@cache
def find_codec(game: str) -> Codec:
    """Return the codec of a game."""
    codec: Codec = import_module(f"referee.wire.{game}").CODEC
    return codec
