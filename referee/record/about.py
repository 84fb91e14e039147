"""Checking what the head of a record says about its match: who scheduled it, and where it ran."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, timedelta
from typing import Final

from engine import GameSpec, Options
from referee.model import SandboxKind, SandboxLimits
from referee.record.format import FILE_NAME
from referee.record.reader import Line, Origin

_ENFORCERS: Final = ("cgroup", "watcher")


def check_about(head: Line, origin: Origin | None, spec: GameSpec, options: Options) -> None:
    """Refuse a head that contradicts itself; the options are those that it states."""
    if not FILE_NAME.fullmatch(head.text("match")):
        raise head.wrong("match must be letters, digits, dots, hyphens and underscores.")
    if "tournament" in head.fields and "league" in head.fields:
        raise head.wrong("a match belongs to a tournament or to a league, not to both.")
    if origin is not None:
        _check_variant(head, origin, spec, options)
        _check_origin(head, origin)
    if "machine" in head.fields:
        machine = Line(head.number, head.mapping("machine"))
        machine.text("worker")
        machine.number_from_0("speed")
    for seat in head.mappings("seats"):
        if "sandbox" in seat:
            _check_sandbox(Line(head.number, Line(head.number, seat).mapping("sandbox")))


def _check_variant(head: Line, origin: Origin, spec: GameSpec, options: Options) -> None:
    """Refuse a variant of the game that is not that of the options; other names are free."""
    variant = spec.variant_name(options)
    if origin.variant in (None, variant):
        return
    known = {"plain", *(option.name for option in spec.options_offered if option.variant)}
    if {part.partition("=")[0] for part in origin.variant.split("+")} <= known:
        raise head.wrong(
            f'variant is "{origin.variant}", but the options are those of "{variant}".'
        )


def _check_origin(head: Line, origin: Origin) -> None:
    if origin.position == 0:
        raise head.wrong("position is 0, but positions begin with 1.")
    if origin.started is not None and not _is_utc(origin.started):
        raise head.wrong("started must be a moment in UTC, such as 2026-01-31T12:00:00+00:00.")


def _is_utc(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).utcoffset() == timedelta(0)
    except ValueError:
        return False


def _check_sandbox(sandbox: Line) -> None:
    sandbox.choice("kind", SandboxKind)
    if sandbox.text("enforced_by") not in _ENFORCERS:
        raise sandbox.wrong(f"enforced_by must be {' or '.join(_ENFORCERS)}.")
    for limit in {each.name for each in fields(SandboxLimits)} & sandbox.fields.keys():
        sandbox.whole(limit)
