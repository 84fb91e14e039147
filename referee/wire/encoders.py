"""Encoders for the flat messages of a decision: binary protobuf and JSON.

Views and events are flat: numbers, enums and lists of them, nearly all below 128. Writing the bytes
of such a message directly takes a fraction of the time that building a protobuf message takes.
Tests compare both encodings with those of the protobuf library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from operator import attrgetter, call
from typing import Any, NamedTuple, Protocol

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from engine import Event
from referee.model import EventBatches
from referee.wire.codec import Codec, Fields, ScalarEvent, situation_part

Encode = Callable[[Fields], bytes]
EncodeRow = Callable[[Sequence[Any]], bytes]
EncodeEvent = Callable[[Event], bytes]

CACHED_MOVES = 4096
"""The number of encoded moves that are cached; nearly every move occurs again."""

# The encoder of a game ----------------------------------------------------------------------------


class Encoding(Protocol):
    """What differs between the two encodings."""

    number: int
    """The index of this encoding in ``Fragment.encoded`` and ``EventBatch.encoded``."""
    separator: bytes
    """The bytes between two fields, events or moves."""

    def fields_encoder(self, view: Descriptor) -> Encode:
        """Return an encoder for some fields of a view."""

    def row_encoder(self, view: Descriptor, names: Sequence[str]) -> EncodeRow:
        """Return an encoder for the values of these fields of a view."""

    def event_encoder(self, event: Descriptor) -> Encode:
        """Return an encoder for the fields of an event."""

    def scalar_event_encoder(
        self, event: Descriptor, layout: ScalarEvent, fallback: EncodeEvent
    ) -> EncodeEvent:
        """Return an encoder for events with that layout; ``fallback`` encodes large numbers."""

    def move_encoder(self, game: str, codec: Codec) -> Callable[[Any], bytes]:
        """Return an encoder for the legal moves of a decision."""


class GameEncoder(NamedTuple):
    """Encodes the parts of a decision of one game."""

    view: Callable[[Any], bytes]
    events: Callable[[EventBatches], bytes]
    legal_moves: Callable[[Sequence[Any]], bytes]


def game_encoder(game: str, codec: Codec, encoding: Encoding) -> GameEncoder:
    """Return the encoder of a game."""
    encode_move = lru_cache(maxsize=CACHED_MOVES)(encoding.move_encoder(game, codec))
    separator = encoding.separator

    def encode_moves(moves: Sequence[Any]) -> bytes:
        return separator.join(map(encode_move, moves))

    return GameEncoder(
        _view_encoder(codec, encoding), _event_encoder(codec, encoding), encode_moves
    )


def _view_encoder(codec: Codec, encoding: Encoding) -> Callable[[Any], bytes]:
    view_type = situation_part(codec, "view")
    encode_row = encoding.row_encoder(view_type, codec.volatile)
    encode_fields = encoding.fields_encoder(view_type)
    volatile_values, fragments_of = codec.volatile_values, codec.view_fragments
    number, separator = encoding.number, encoding.separator

    def encode(view: Any) -> bytes:
        parts = [encode_row(volatile_values(view))]
        for fragment in fragments_of(view):
            part = fragment.encoded[number]
            if part is None:
                part = fragment.encoded[number] = encode_fields(fragment.fields)
            parts.append(part)
        return separator.join(parts)

    return encode


def _event_encoder(codec: Codec, encoding: Encoding) -> Callable[[EventBatches], bytes]:
    event_type = situation_part(codec, "events")
    encode_fields = encoding.event_encoder(event_type)
    number, separator = encoding.number, encoding.separator

    def encode_any(event: Event) -> bytes:
        return separator.join(map(encode_fields, codec.event_fields(event)))

    scalar = {
        kind: encoding.scalar_event_encoder(event_type, layout, encode_any)
        for kind, layout in codec.scalar_events.items()
    }

    def encode(batches: EventBatches) -> bytes:
        parts = []
        for batch in batches:
            part = batch.encoded[number]
            if part is None:
                part = batch.encoded[number] = separator.join(
                    [scalar.get(type(event), encode_any)(event) for event in batch.events]
                )
            parts.append(part)
        return separator.join(parts)

    return encode


# Binary protobuf ----------------------------------------------------------------------------------

_SMALL = tuple(bytes([number]) for number in range(128))


def varint(number: int) -> bytes:
    """Return a number in protobuf's variable-length encoding; a negative one takes ten bytes."""
    if 0 <= number < len(_SMALL):
        return _SMALL[number]
    if 0 < number < 1 << 14:
        return bytes((number & 0x7F | 0x80, number >> 7))
    number &= (1 << 64) - 1
    result = bytearray()
    while number > 0x7F:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)


class VarintField(dict[int, bytes]):
    """A table from numbers to their encoding behind the tag of a field; -1 to 511 are precomputed.

    ``VarintField(tag)`` is a field with that tag; for the two kinds of tags see the class methods.
    """

    def __init__(self, tag: int) -> None:
        self._tag = varint(tag)
        super().__init__({number: self._tag + varint(number) for number in range(-1, 512)})

    def __missing__(self, number: int) -> bytes:
        return self._tag + varint(number)

    @classmethod
    def value(cls, field: int) -> VarintField:
        """Return the table of a field that holds a number."""
        return cls(field << 3)

    @classmethod
    def length(cls, field: int) -> VarintField:
        """Return the table of prefixes, by length, of a field that holds bytes."""
        return cls(field << 3 | 2)


def length_delimited(field: int, data: bytes) -> bytes:
    """Return a field that holds bytes, text or a message."""
    return varint(field << 3 | 2) + varint(len(data)) + data


@cache
def binary_encoder(descriptor: Descriptor) -> Encode:
    """Return a function that encodes fields of a flat message in the binary format."""
    plan = {
        field.name: (
            field.is_repeated,
            VarintField.length(field.number)
            if field.is_repeated
            else VarintField.value(field.number),
        )
        for field in descriptor.fields
    }

    def encode(fields: Fields) -> bytes:
        parts: list[bytes] = []
        for name, value in fields.items():
            if value:
                repeated, table = plan[name]
                if repeated:
                    packed = _packed(value)
                    parts += (table[len(packed)], packed)
                else:
                    parts.append(table[value])
        return b"".join(parts)

    return encode


def binary_row_encoder(descriptor: Descriptor, names: Sequence[str]) -> EncodeRow:
    """Return a function that encodes the values of these fields in the binary format.

    It writes one byte for each tag, length and number. If one of them is above 127, all fields are
    encoded by ``binary_encoder``.
    """
    encode_fields = binary_encoder(descriptor)
    fields = [descriptor.fields_by_name[name] for name in names]
    tags = [field.number << 3 | 2 * field.is_repeated for field in fields]

    def encode(row: Sequence[Any]) -> bytes:
        numbers: list[int] = []
        for tag, value in zip(tags, row, strict=True):
            if value:
                if tag & 2:  # a list
                    numbers += tag, len(value)
                    numbers += value
                else:
                    numbers += tag, value
        try:
            data = bytes(numbers)
        except ValueError:  # a number that is negative or above 255
            data = b"\xff"
        return data if data.isascii() else encode_fields(dict(zip(names, row, strict=True)))

    return encode


def _packed(values: Sequence[int]) -> bytes:
    """Return numbers as a packed list; those below 128 take one byte each."""
    try:
        small = bytes(values)
    except ValueError:
        small = b"\xff"
    return small if small.isascii() else b"".join(map(varint, values))


def binary_event_encoder(
    descriptor: Descriptor, number: int, layout: ScalarEvent, fallback: EncodeEvent
) -> EncodeEvent:
    """Return a function that encodes an event as a field with that number.

    With numbers below 128 the message has a fixed length and is a template with one byte per
    number; an event with another number is encoded by ``fallback``.
    """
    numbers = {field.name: field.number for field in descriptor.fields}
    body = varint(numbers["kind"] << 3) + varint(layout.kind)
    tags = [varint(numbers[name] << 3) for name in layout.fields.values()]
    length = len(body) + sum(map(len, tags)) + len(tags)
    head = length_delimited(number, bytes(length))[:-length] + body
    template = b"".join((_escaped(head), *[_escaped(tag) + b"%c" for tag in tags]))
    values = _attributes(layout.fields)

    def encode(event: Event) -> bytes:
        try:
            data = template % values(event)
        except OverflowError:
            return fallback(event)
        return data if data.isascii() else fallback(event)

    return encode


# JSON ---------------------------------------------------------------------------------------------


class _NumberTexts(dict[int, bytes]):
    """A table from numbers to their decimal text; -1 to 255 are precomputed."""

    def __missing__(self, number: int) -> bytes:
        return str(number).encode()


_TEXTS = _NumberTexts({number: str(number).encode() for number in range(-1, 256)})


@cache
def json_encoder(descriptor: Descriptor) -> Encode:
    """Return a function that encodes fields of a flat message as members of a JSON object.

    Only the fields that it is given are printed; ``json_defaults`` has all of them.
    """
    plan = {field.name: _json_plan(field) for field in descriptor.fields}

    def encode(fields: Fields) -> bytes:
        parts = []
        for name, value in fields.items():
            key, one, default = plan[name]
            if not value:
                parts.append(key + default)
            elif default == b"[]":
                parts.append(b"%b[%b]" % (key, b",".join(map(one, value))))
            else:
                parts.append(key + one(value))
        return b",".join(parts)

    return encode


def json_row_encoder(descriptor: Descriptor, names: Sequence[str]) -> EncodeRow:
    """Return a function that encodes the values of these fields as members of a JSON object."""
    keys, writers = [], []
    for name in names:
        key, one, default = _json_plan(descriptor.fields_by_name[name])
        keys.append(_escaped(key) + (b"[%b]" if default == b"[]" else b"%b"))
        writers.append(_json_list(one) if default == b"[]" else one)
    template = b",".join(keys)
    return lambda row: template % tuple(map(call, writers, row))


def json_event_encoder(descriptor: Descriptor, layout: ScalarEvent) -> EncodeEvent:
    """Return a function that encodes an event as a JSON object with every field."""
    attributes = {field: name for name, field in layout.fields.items()}
    used = [field.name for field in descriptor.fields if field.name in attributes]
    plans = {field.name: _json_plan(field) for field in descriptor.fields}
    parts = []
    for name, (key, one, default) in plans.items():
        value = one(layout.kind) if name == "kind" else default
        parts.append(_escaped(key) + (b"%b" if name in attributes else _escaped(value)))
    template = b"{" + b",".join(parts) + b"}"
    values = _attributes([attributes[name] for name in used])
    writers = [plans[name][1] for name in used]

    def encode(event: Event) -> bytes:
        return template % tuple(map(call, writers, values(event)))

    return encode


@cache
def json_defaults(descriptor: Descriptor) -> Fields:
    """Return every field of a flat message with its default."""
    return {field.name: () if field.is_repeated else 0 for field in descriptor.fields}


def _json_list(one: Callable[[int], bytes]) -> Callable[[Any], bytes]:
    return lambda values: b",".join(map(one, values))


def _json_plan(field: FieldDescriptor) -> tuple[bytes, Callable[[int], bytes], bytes]:
    """Return the key of a field, a function that writes one value, and the default."""
    key = f'"{field.name}":'.encode()
    one: Callable[[int], bytes] = _TEXTS.__getitem__
    if field.enum_type is not None:
        one = {v.number: f'"{v.name}"'.encode() for v in field.enum_type.values}.__getitem__
    elif field.type == FieldDescriptor.TYPE_BOOL:
        one = {0: b"false", 1: b"true"}.__getitem__
    return key, one, b"[]" if field.is_repeated else one(0)


def _attributes(names: Iterable[str]) -> Callable[[Event], tuple[Any, ...]]:
    """Return a function that returns these attributes of an event as a tuple."""
    first, *others = names
    if not others:
        return lambda event: (getattr(event, first),)
    return attrgetter(first, *others)


def _escaped(data: bytes) -> bytes:
    return data.replace(b"%", b"%%")
