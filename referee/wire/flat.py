"""Flat messages, encoded straight from their fields.

Views and events are flat: numbers, enums and lists of them, nearly all below 128. Such a message
is a few bytes with a tag in front of each field, so writing them directly takes a fraction of the
time that building a message object takes. Tests compare both encodings with protobuf's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter, call
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from engine import Event
from referee.wire.codec import Plain

T = TypeVar("T")

Encode = Callable[[dict[str, Any]], bytes]
EncodeRow = Callable[[Sequence[Any]], bytes]
EncodeEvent = Callable[[Event], bytes]

_SMALL = tuple(bytes([number]) for number in range(128))


class _Texts(dict[int, bytes]):
    """Numbers as text; the usual ones are there already."""

    def __missing__(self, number: int) -> bytes:
        return str(number).encode()


class Tagged(dict[int, bytes]):
    """Numbers with the tag of their field in front of them; the usual ones are there already."""

    def __init__(self, tag: int) -> None:
        self._tag = varint(tag)
        super().__init__({number: self._tag + varint(number) for number in range(-1, 512)})

    def __missing__(self, number: int) -> bytes:
        return self._tag + varint(number)

    @classmethod
    def number(cls, field: int) -> Tagged:
        """Return the numbers of a field."""
        return cls(field << 3)

    @classmethod
    def length(cls, field: int) -> Tagged:
        """Return what stands in front of so many bytes of a field."""
        return cls(field << 3 | 2)


_TEXTS = _Texts({number: str(number).encode() for number in range(-1, 256)})


def varint(number: int) -> bytes:
    """Return a number as protobuf writes it; a negative one takes ten bytes."""
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


def length_delimited(field: int, data: bytes) -> bytes:
    """Return a field that holds bytes, text or a message."""
    return varint(field << 3 | 2) + varint(len(data)) + data


@cache
def binary_encoder(descriptor: Descriptor) -> Encode:
    """Return a function that encodes fields of a flat message in the binary format."""
    plan = {
        field.name: (
            field.is_repeated,
            Tagged.length(field.number) if field.is_repeated else Tagged.number(field.number),
        )
        for field in descriptor.fields
    }

    def encode(fields: dict[str, Any]) -> bytes:
        parts: list[bytes] = []
        for name, value in fields.items():
            if value:
                repeated, tagged = plan[name]
                if repeated:
                    packed = _packed(value)
                    parts += (tagged[len(packed)], packed)
                else:
                    parts.append(tagged[value])
        return b"".join(parts)

    return encode


def binary_row_encoder(descriptor: Descriptor, names: Sequence[str]) -> EncodeRow:
    """Return a function that encodes the values of these fields in the binary format.

    It is written for these fields and compiled, as those of a dataclass are: what nearly every
    decision needs anew takes half the time. That holds for small numbers, one byte each, and tags
    of one byte; all others are encoded as fields.
    """
    parts, encode_fields = [], binary_encoder(descriptor)
    for i, name in enumerate(names):
        field = descriptor.fields_by_name[name]
        tag = field.number << 3
        part = f"{tag | 2}, len(v{i}), *v{i}" if field.is_repeated else f"{tag}, v{i}"
        parts.append(f"*(({part}) if v{i} else ()),")
    values = ", ".join(f"v{i}" for i in range(len(names)))
    small = eval(f"lambda {values}: bytes(({' '.join(parts)}))")  # noqa: S307  written above

    def encode(row: Sequence[Any]) -> bytes:
        try:
            data: bytes = small(*row)
        except ValueError:
            data = b"\xff"
        return data if data.isascii() else encode_fields(dict(zip(names, row, strict=True)))

    return encode


def _packed(values: Sequence[int]) -> bytes:
    """Return numbers one after the other; those below 128 are one byte each."""
    try:
        small = bytes(values)
    except ValueError:
        small = b"\xff"
    return small if small.isascii() else b"".join(map(varint, values))


def remembering(size: int, encode: Callable[[T], bytes]) -> Callable[[T], bytes]:
    """Make an encoder that remembers so many values by identity: none may change afterwards.

    Every seat of a table is told the same events, and many seats have the same legal moves.
    """
    known: dict[int, tuple[T, bytes]] = {}

    def recall(value: T) -> bytes:
        found = known.get(id(value))
        if found is not None and found[0] is value:
            return found[1]
        if len(known) >= size:
            known.clear()
        data = encode(value)
        known[id(value)] = value, data
        return data

    return recall


def remembering_all(
    size: int, encode: Callable[[T], Sequence[bytes]], between: bytes
) -> Callable[[Iterable[T]], bytes]:
    """Make an encoder of several values, each remembered as by ``remembering``.

    Each is encoded in parts, and what stands between two of them stands between parts likewise.
    """
    known: dict[int, tuple[T, bytes]] = {}

    def recall(values: Iterable[T]) -> bytes:
        found = []
        for value in values:
            one = known.get(id(value))
            if one is None or one[0] is not value:
                if len(known) >= size:
                    known.clear()
                one = known[id(value)] = value, between.join(encode(value))
            found.append(one[1])
        return between.join(found)

    return recall


class ByKind(dict[type[Event], EncodeEvent]):
    """How events of each kind are encoded; those that are not here, otherwise."""

    def __init__(self, encoders: Mapping[type[Event], EncodeEvent], otherwise: EncodeEvent) -> None:
        super().__init__(encoders)
        self._otherwise = otherwise

    def __missing__(self, _kind: type[Event]) -> EncodeEvent:
        return self._otherwise

    def encode(self, events: Sequence[Event]) -> list[bytes]:
        """Encode events one by one."""
        return [self[type(event)](event) for event in events]


def binary_plain_encoder(
    descriptor: Descriptor, number: int, plain: Plain, otherwise: EncodeEvent
) -> EncodeEvent:
    """Return a function that encodes a plain event as a field with that number.

    Small numbers are one byte each, so the message is a form with as many gaps, and its length is
    always the same; an event with a number that is not small is encoded otherwise.
    """
    numbers = {field.name: field.number for field in descriptor.fields}
    body = varint(numbers["kind"] << 3) + varint(plain.kind)
    tags = [varint(numbers[name] << 3) for name in plain.fields.values()]
    length = len(body) + sum(map(len, tags)) + len(tags)
    head = length_delimited(number, bytes(length))[:-length] + body
    form = b"".join((_escaped(head), *[_escaped(tag) + b"%c" for tag in tags]))
    values = _values(plain.fields)

    def encode(event: Event) -> bytes:
        try:
            data = form % values(event)
        except OverflowError:
            data = b"\xff"
        return data if data.isascii() else otherwise(event)

    return encode


def json_plain_encoder(descriptor: Descriptor, plain: Plain) -> EncodeEvent:
    """Return a function that encodes a plain event as a JSON object with every field."""
    attributes = {name: own for own, name in plain.fields.items()}
    used = [field.name for field in descriptor.fields if field.name in attributes]
    plans = {field.name: _json_plan(field) for field in descriptor.fields}
    parts = []
    for name, (key, one, default) in plans.items():
        value = one(plain.kind) if name == "kind" else default
        parts.append(_escaped(key) + (b"%b" if name in attributes else _escaped(value)))
    form = b"{" + b",".join(parts) + b"}"
    values = _values([attributes[name] for name in used])
    writers = [plans[name][1] for name in used]

    def encode(event: Event) -> bytes:
        return form % tuple(map(call, writers, values(event)))

    return encode


def _values(attributes: Iterable[str]) -> Callable[[Event], tuple[Any, ...]]:
    names = tuple(attributes)
    if len(names) == 1:
        return lambda event: (getattr(event, names[0]),)
    return attrgetter(*names)


def _escaped(data: bytes) -> bytes:
    return data.replace(b"%", b"%%")


@cache
def json_encoder(descriptor: Descriptor) -> Encode:
    """Return a function that encodes fields of a flat message as members of a JSON object.

    What is not among the fields is not printed: whoever encodes a whole message gives all of them,
    or begins with ``json_defaults``.
    """
    plan = {field.name: _json_plan(field) for field in descriptor.fields}

    def encode(fields: dict[str, Any]) -> bytes:
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
    form = b",".join(keys)
    return lambda row: form % tuple(map(call, writers, row))


def _json_list(one: Callable[[int], bytes]) -> Callable[[Any], bytes]:
    return lambda values: b",".join(map(one, values))


@cache
def json_defaults(descriptor: Descriptor) -> dict[str, Any]:
    """Return every field of a flat message, with nothing in it."""
    return {field.name: () if field.is_repeated else 0 for field in descriptor.fields}


def _json_plan(field: FieldDescriptor) -> tuple[bytes, Callable[[int], bytes], bytes]:
    """Return the key of a field, how to write one value, and its default."""
    key = f'"{field.name}":'.encode()
    one: Callable[[int], bytes] = _TEXTS.__getitem__
    if field.enum_type is not None:
        one = {v.number: f'"{v.name}"'.encode() for v in field.enum_type.values}.__getitem__
    elif field.type == FieldDescriptor.TYPE_BOOL:
        one = {0: b"false", 1: b"true"}.__getitem__
    return key, one, b"[]" if field.is_repeated else one(0)
