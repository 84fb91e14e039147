"""A recorded match as JSON, from which a page draws every position.

    document = replay_document(read_record(path))
    document["frames"][3]["move"]     # "take c2"

There is a frame for the deal and one for each decision. To stay small, a frame has only what
differs. ``everything`` has the fields of the position that changed since the frame before; where
only some items of a list changed, these by their indices: ``{"board": {"7": "Ya1"}}``.
``views`` has the fields in which what a spectator may know differs from ``everything`` of the same
frame, and those in which what a seat may know differs from that, likewise; where a viewer is
missing, these are the same as in the frame before. A game that cannot be drawn has
``texts`` by viewer instead, where they changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from engine import AnyGame, Event, Seat
from engine.story import Story
from referee.record import Played, Position, Replay, printable, replay_record
from tournaments.web.assets import drawn_games
from tournaments.web.stories import find_story

FORMAT: Final = 1
SPECTATOR: Final = "spectator"

Fields = dict[str, Any]


def replay_document(record: bytes) -> Fields:
    """Play a record again and return what a page shows; raises RecordError if it cannot begin.

    A record that goes wrong later is shown as far as it goes, with its ``problem``.
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
        "causes": _causes(record) if end else [],
        "problem": replay.problem and str(replay.problem),
        "frames": list(_frames(replay)),
    }


def view_document(game: AnyGame, view: Any) -> Fields:
    """Return a single view as a page draws it: its fields, or its text if it cannot be drawn."""
    story = find_story(game.spec.name)
    if story is None or not _is_drawn(game):
        return {"drawn": False, "text": game.render(view)}
    return {"drawn": True, "view": dict(story.view(view))}


def _is_drawn(game: AnyGame) -> bool:
    return game.spec.name in drawn_games() and find_story(game.spec.name) is not None


def _causes(record: bytes) -> list[str]:
    """Return why seats forfeited or the match was stopped, as the last line says it."""
    last = orjson.loads(record.rstrip(b"\n").rpartition(b"\n")[2])
    return list(map(_words, last["causes"]))


def _words(fields: Mapping[str, Any]) -> str:
    said = [f"{key} {value}" for key, value in fields.items() if value is not None]
    return printable(", ".join(said))


def _frames(replay: Replay) -> Iterator[Fields]:
    story = find_story(replay.game.spec.name)
    changes = _Drawn(replay, story) if story and _is_drawn(replay.game) else _Written(replay)
    for number, position in enumerate(replay.positions):
        yield {
            "n": number,
            **_decision(replay.game, story, position.played),
            "events": [_event(event, story, replay.options.seats) for event in position.events],
            "scores": list(story.scores(position.state)) if story else None,
            **changes.to(position),
        }


def _decision(game: AnyGame, story: Story | None, played: Played | None) -> Fields:
    """Return what was decided; ``covered`` is how a secret move looks to the other seats."""
    if played is None:
        return {"seat": None, "move": None}
    fields = {"seat": played.seat, "move": played.move, "ms": played.ms, "legal": played.legal}
    if story and (covered := story.covered(game.parse_move(played.move))) is not None:
        fields["covered"] = covered
    if played.verdicts:
        fields["verdicts"] = list(map(_words, played.verdicts))
    return fields


def _event(event: Event, story: Story | None, seats: int) -> Fields:
    """Return an event in words; ``only`` names the seats that saw it unless it was public."""
    text = story.sentence(event) if story else _plainly(event)
    if event.visible_to(None):
        return {"text": text}
    return {"text": text, "only": [seat for seat in range(seats) if event.visible_to(Seat(seat))]}


def _plainly(event: Event) -> str:
    """Tell an event of a game that has no words for it."""
    names: Sequence[str] = type(event).__slots__
    values = [f"{name} {getattr(event, name)}" for name in names]
    return ": ".join([type(event).__name__, ", ".join(values)])


def _viewers(replay: Replay) -> dict[str, Seat | None]:
    seats = map(Seat, range(replay.options.seats))
    return {SPECTATOR: None, **{str(seat): seat for seat in seats}}


class _Drawn:
    """Positions by their fields, each as what changed."""

    def __init__(self, replay: Replay, story: Story) -> None:
        self._game = replay.game
        self._story = story
        self._viewers = _viewers(replay)
        self._everything: Mapping[str, object] = {}
        self._others: dict[str, Fields] = {}

    def to(self, position: Position) -> Fields:
        """Return the changes to that position from the one before."""
        everything = self._story.everything(position.state)
        changed = _difference(self._everything, everything)
        self._everything = base = everything
        views = {}
        for name, viewer in self._viewers.items():
            view = self._story.view(self._game.view(position.state, viewer))
            other = _difference(base, view)
            if self._others.get(name) != other:
                views[name] = self._others[name] = other
            if viewer is None:
                base = view
        return {"everything": changed, "views": views}


class _Written:
    """Positions as text, each only if it changed."""

    def __init__(self, replay: Replay) -> None:
        self._game = replay.game
        self._viewers = _viewers(replay)
        self._texts: dict[str, str] = {}

    def to(self, position: Position) -> Fields:
        """Return the texts that are not those of the position before."""
        texts = {}
        for name, viewer in self._viewers.items():
            text = self._game.render(self._game.view(position.state, viewer))
            if self._texts.get(name) != text:
                texts[name] = self._texts[name] = text
        return {"texts": texts}


def _difference(old: Mapping[str, object], new: Mapping[str, object]) -> Fields:
    """Return the fields of the new one that the old one has otherwise, or not at all."""
    return {
        name: _changed(old.get(name), value)
        for name, value in new.items()
        if name not in old or old[name] != value
    }


def _changed(old: object, new: object) -> object:
    """Return a new value; of a list as long as the old one only the items that are new, by index.

    No field is an object itself, so that an object always means this.
    """
    if not (isinstance(old, list) and isinstance(new, list) and len(old) == len(new)):
        return new
    pairs = enumerate(zip(old, new, strict=True))
    return {str(i): after for i, (before, after) in pairs if before != after}
