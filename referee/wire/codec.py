"""The interface of a game's codec, and the registry of codecs.

A codec turns views, events and options into *fields*: plain dicts with the names of the message
fields and numbers for enums. Both encodings, binary protobuf and JSON, are made from them.
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

LONGEST_LIST = 16
"""The longest list in a move that is parsed; no move of a game has more than eight entries."""


class Fragment:
    """Some fields of a view, with their encodings once they have been made.

    Most fields of a view stay the same from one decision to the next. A codec caches the fragments
    with such fields, so each of them is encoded once.
    """

    __slots__ = ("encoded", "fields")

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.encoded: list[bytes | None] = [None, None]
        """The encodings, by the number of the encoding."""


class ScalarEvent(NamedTuple):
    """The layout of an event whose message has a kind and one small number per attribute."""

    kind: int
    fields: Mapping[str, str]
    """The message field of each attribute."""

    def fields_of(self, event: Event) -> Fields:
        """Return the fields of the message."""
        values = {field: getattr(event, name) for name, field in self.fields.items()}
        return {"kind": self.kind, **values}


def scalar_event(kind: int, event: type[Event], **renamed: str) -> ScalarEvent:
    """Return the layout of an event class; ``renamed`` gives fields with another name."""
    attributes: Sequence[str] = event.__slots__
    return ScalarEvent(kind, {name: renamed.get(name, name) for name in attributes})


class WireError(HighstreetError):
    """A message that cannot be parsed, with a sentence for the author of the bot."""


def check_length(values: Sequence[Any]) -> Sequence[Any]:
    """Return a list of a move unchanged; raises WireError if it is too long."""
    if len(values) > LONGEST_LIST:
        raise WireError(f"a list in a move has at most {LONGEST_LIST} entries, not {len(values)}.")
    return values


def with_owners(stacks: Sequence[Sequence[int] | None]) -> tuple[list[int], list[int]]:
    """Return the items of all seats in one list, and the seat of each item in another."""
    items = [item for stack in stacks for item in stack or ()]
    owners = [owner for owner, stack in enumerate(stacks) for _ in stack or ()]
    return items, owners


class Codec(Protocol):
    """The messages of one game."""

    situation: type[Message]
    """The message with a view and events."""
    options: type[Message]
    """The message with the options."""
    scalar_events: Mapping[type[Event], ScalarEvent]
    """The frequent events; they are encoded without an intermediate dict."""
    volatile: tuple[str, ...]
    """The fields of a view that nearly every decision changes."""

    def options_fields(self, options: Options) -> Fields:
        """Return the fields of the options."""

    def volatile_values(self, view: Any) -> tuple[Any, ...]:
        """Return the values of the ``volatile`` fields of a view, in their order."""

    def view_fragments(self, view: Any) -> Sequence[Fragment]:
        """Return the other fields of a view, each of them in exactly one fragment."""

    def event_fields(self, event: Event) -> Sequence[Fields]:
        """Return the fields of the messages for an event: one, or one per seat."""

    def move_fields(self, move: Any) -> Fields:
        """Return the one field of a move."""

    def read_move(self, fields: Mapping[str, Any]) -> Any:
        """Return the move with these fields; raises WireError."""

    def read_json_move(self, field: str, value: object) -> Any | None:
        """Return the move with this one field in JSON; None if it is not in the usual form."""


def view_fields(codec: Codec, view: Any) -> Fields:
    """Return all fields of a view."""
    fields = dict(zip(codec.volatile, codec.volatile_values(view), strict=True))
    for fragment in codec.view_fragments(view):
        fields |= fragment.fields
    return fields


def situation_part(codec: Codec, field: str) -> Descriptor:
    """Return the descriptor of the field ``view`` or ``events`` of the situation message."""
    part = codec.situation.DESCRIPTOR.fields_by_name[field].message_type
    assert isinstance(part, Descriptor)  # noqa: S101  both are messages in every game
    return part


@cache
def find_codec(game: str) -> Codec:
    """Return the codec of a game."""
    codec: Codec = import_module(f"referee.wire.{game}").CODEC
    return codec
