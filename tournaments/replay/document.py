"""A recorded match as JSON, from which a page draws every position.

    document = replay_document(read_record(path))
    document["frames"][3]["move"]     # "take c2"

There is a frame for the deal and one for each decision. To stay small, a frame has only what
differs. ``everything`` has the fields of the position that changed since the frame before; where
only some items of a list changed, these by their indices: ``{"board": {"7": "Ya1"}}``.
``views`` has the fields in which the view of a spectator differs from ``everything`` of the same
frame, and those in which the view of a seat differs from that of a spectator, likewise; where a
viewer is missing, these are the same as in the frame before. A game that cannot be drawn has
``texts`` by viewer instead, where they changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Final

import orjson

from engine import AnyGame, Event, Presentation, Seat
from referee.record import (
    Played,
    Replay,
    decompressed,
    printable,
    replay_record,
)

FORMAT: Final = 1
SPECTATOR: Final = "spectator"

Fields = dict[str, Any]


@cache
def find_presentation(game: str) -> Presentation | None:
    """Return the presentation of a registered game; None if it has none."""
    name = f"engine.{game}.presentation"
    if find_spec(f"engine.{game}") is None or find_spec(name) is None:
        return None
    presentation: Presentation = import_module(name).PRESENTATION
    return presentation


@cache
def drawn_games() -> frozenset[str]:
    """Return the names of the games that have a script that draws them."""
    names = [
        file.name for file in files("tournaments").joinpath("web", "static", "games").iterdir()
    ]
    return frozenset(name.removesuffix(".js") for name in names if name.endswith(".js"))


def replay_json(record: bytes) -> bytes:
    """Return the replay of a compressed record as JSON."""
    return orjson.dumps(replay_document(decompressed(record)))


def replay_document(record: bytes) -> Fields:
    """Play a record again and return its document; raises RecordError for an invalid head or deal.

    A record with a later error is shown up to that line, with its ``problem``.
    """
    replay = replay_record(record)
    game, end = replay.game, replay.summary
    return {
        "format": FORMAT,
        "match": printable(replay.match),
        "game": game.spec.name,
        "title": game.spec.title,
        "drawn": _is_drawn(game),
        "options": dict(replay.options),
        "entrants": list(map(printable, replay.entrants)),
        "ending": end and end.ending,
        "places": list(end.places) if end else [],
        "scores": list(end.scores) if end else [],
        "forfeits": list(end.forfeits) if end else [],
        "causes": list(map(_listed, replay.causes)),
        "problem": replay.problem and str(replay.problem),
        "frames": list(_frames(replay)),
    }


def view_document(game: AnyGame, view: Any) -> Fields:
    """Return one view of a position: its fields, or its text if the game cannot be drawn."""
    presentation = find_presentation(game.spec.name)
    if presentation is None or not _is_drawn(game):
        return {"drawn": False, "text": game.render(view)}
    return {"drawn": True, "view": dict(presentation.view(view))}


def _is_drawn(game: AnyGame) -> bool:
    return game.spec.name in drawn_games() and find_presentation(game.spec.name) is not None


def _listed(fields: Mapping[str, Any]) -> str:
    fields_text = [f"{key} {value}" for key, value in fields.items() if value is not None]
    return printable(", ".join(fields_text))


def _frames(replay: Replay) -> Iterator[Fields]:
    game, presentation = replay.game, find_presentation(replay.game.spec.name)
    if presentation and _is_drawn(game):
        changes = _field_changes(replay, presentation)
    else:
        changes = _text_changes(replay)
    seats = replay.options.seats
    for number, (position, changed) in enumerate(zip(replay.positions, changes, strict=True)):
        yield {
            "n": number,
            **_decision(game, presentation, position.played),
            "events": [_event(event, presentation, seats) for event in position.events],
            "scores": list(presentation.scores(position.state)) if presentation else None,
            **changed,
        }


def _decision(game: AnyGame, presentation: Presentation | None, played: Played | None) -> Fields:
    """Return a decision; ``covered`` is the form of a secret move that the other seats see."""
    if played is None:
        return {"seat": None, "move": None}
    fields = {"seat": played.seat, "move": played.move, "ms": played.ms, "legal": played.legal}
    if presentation and (covered := presentation.covered(game.parse_move(played.move))) is not None:
        fields["covered"] = covered
    if played.verdicts:
        fields["verdicts"] = list(map(_listed, played.verdicts))
    return fields


def _event(event: Event, presentation: Presentation | None, seats: int) -> Fields:
    """Return an event as a sentence; ``only`` lists the seats that see it unless it is public."""
    text = presentation.sentence(event) if presentation else _event_text(event)
    if event.visible_to(None):
        return {"text": text}
    return {"text": text, "only": [seat for seat in range(seats) if event.visible_to(Seat(seat))]}


def _event_text(event: Event) -> str:
    """Return the fields of an event as text, for a game without a presentation."""
    names: Sequence[str] = type(event).__slots__
    values = [f"{name} {getattr(event, name)}" for name in names]
    return ": ".join([type(event).__name__, ", ".join(values)])


def _viewers(replay: Replay) -> dict[str, Seat | None]:
    seats = map(Seat, range(replay.options.seats))
    return {SPECTATOR: None, **{str(seat): seat for seat in seats}}


def _field_changes(replay: Replay, presentation: Presentation) -> Iterator[Fields]:
    """Yield for each position the fields that changed since the one before."""
    viewers = _viewers(replay)
    previous: Mapping[str, object] = {}
    differences: dict[str, Fields] = {}
    for position in replay.positions:
        base = everything = presentation.everything(position.state)
        changed = _difference(previous, everything)
        previous, views = everything, {}
        for name, viewer in viewers.items():
            view = presentation.view(replay.game.view(position.state, viewer))
            difference = _difference(base, view)
            if differences.get(name) != difference:
                views[name] = differences[name] = difference
            if viewer is None:
                base = view
        yield {"everything": changed, "views": views}


def _text_changes(replay: Replay) -> Iterator[Fields]:
    """Yield for each position the texts that differ from those of the one before."""
    viewers = _viewers(replay)
    shown: dict[str, str] = {}
    for position in replay.positions:
        views = {name: replay.game.view(position.state, who) for name, who in viewers.items()}
        texts = {name: replay.game.render(view) for name, view in views.items()}
        yield {"texts": {name: text for name, text in texts.items() if shown.get(name) != text}}
        shown = texts


def _difference(old: Mapping[str, object], new: Mapping[str, object]) -> Fields:
    """Return the fields of ``new`` that are different in ``old``, or missing."""
    return {
        name: _changed(old.get(name), value)
        for name, value in new.items()
        if name not in old or old[name] != value
    }


def _changed(old: object, new: object) -> object:
    """Return a new value; of a list of the same length only the items that changed, by index.

    No field is an object itself, so that an object is always such a change.
    """
    if not (isinstance(old, list) and isinstance(new, list) and len(old) == len(new)):
        return new
    pairs = enumerate(zip(old, new, strict=True))
    return {str(i): after for i, (before, after) in pairs if before != after}
