"""Reading the time control and the policy that the head of a record states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

from engine import UsageError
from referee.model import LONGEST, ClockKind, Policy, Reaction, TimeControl
from referee.record.reader import Line

K = TypeVar("K", TimeControl, Policy)


class Terms(NamedTuple):
    """What a match was played under."""

    time_control: TimeControl
    policy: Policy


def read_terms(head: Line) -> Terms:
    """Read what the head states; a key that it does not state has its default."""
    return Terms(_read(head, "time_control", TimeControl), _read(head, "policy", Policy))


def _read(head: Line, key: str, kind: type[K]) -> K:
    stated = head.mapping(key)
    defaults = {field.name: field.default for field in fields(kind)}
    if unknown := stated.keys() - defaults.keys():
        raise head.wrong(
            f"{key} has {_quoted(sorted(unknown))}, but this program knows only "
            f"{', '.join(defaults)}. A newer version may have written the record: update."
        )
    values = {
        name: _value(head, f"{key}.{name}", value, defaults[name]) for name, value in stated.items()
    }
    try:
        return kind(**values)
    except UsageError as error:
        raise head.wrong(f"{key}: {error}") from None


def _value(head: Line, name: str, value: Any, default: object) -> Any:
    """Return a value of the type that the default has."""
    if isinstance(default, Reaction):
        if type(value) is not str or value not in set(Reaction):
            raise head.wrong(f"{name} must be one of {', '.join(Reaction)}.")
        return Reaction(value)
    if isinstance(default, ClockKind):
        if type(value) is not str or value not in set(ClockKind):
            raise head.wrong(f"{name} must be one of {', '.join(ClockKind)}.")
        return ClockKind(value)
    if isinstance(default, timedelta):
        most = LONGEST.total_seconds()
        if type(value) not in (int, float) or not 0 <= value <= most:
            raise head.wrong(f"{name} must be a number of seconds from 0 to {most:.0f}.")
        return timedelta(seconds=value)
    if type(value) is not type(default):
        kind = "true or false" if isinstance(default, bool) else "a whole number"
        raise head.wrong(f"{name} must be {kind}.")
    return value


def _quoted(names: Iterable[str]) -> str:
    return " and ".join(f'"{name}"' for name in names)
