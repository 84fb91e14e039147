"""Values as messages, and back: what the messages of all services share.

A field takes the attribute of its own name: an enum is a word in a value, and a moment or a
duration is one of ``datetime``.
"""

from __future__ import annotations

from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

M = TypeVar("M", bound=Message)


def enum_prefix(enum: Any) -> str:
    """Return how the names of an enum begin, as "LEAGUE_STATE_"."""
    name: str = enum.values_by_number[0].name
    return name.removesuffix("UNSPECIFIED")


def written(make: type[M], source: object, **differing: Any) -> M:
    """Write the attributes of ``source`` that are named as fields, and those that differ.

    A field whose value is None is not set.
    """
    values: dict[str, Any] = {}
    for field in make.DESCRIPTOR.fields:
        known = field.name in differing
        value = differing[field.name] if known else getattr(source, field.name)
        if field.enum_type is not None and value is not None:
            value = f"{enum_prefix(field.enum_type)}{value.upper()}"
        values[field.name] = value
    return make(**values)


def read_fields(message: Message) -> dict[str, Any]:
    """Return the fields that are set; raises ValueError for the number of no enum value."""
    return {field.name: _value(field, value) for field, value in message.ListFields()}


def _value(field: FieldDescriptor, value: Any) -> Any:
    if field.enum_type is not None:
        return word(field.enum_type, value)
    if field.message_type is not None and field.message_type.name == "Duration":
        return value.ToTimedelta()
    return tuple(value) if field.is_repeated else value


def word(enum: Any, number: int) -> str:
    """Return the value of an enum as a word; raises ValueError for a number that it lacks."""
    if number not in enum.values_by_number:
        raise ValueError(f"{enum.name} has no value {number}.")
    name: str = enum.values_by_number[number].name
    return name.removeprefix(enum_prefix(enum)).lower()
