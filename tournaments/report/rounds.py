"""What a report shows of a tournament by rounds: the bracket of a knock-out, or a Swiss table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, Final

from tournaments.model import KNOCK_OUTS, Format, Request
from tournaments.pairing import (
    BYE,
    BracketPart,
    Series,
    SetResults,
    SwissRound,
    rounds_of,
    series_of,
    swiss_places,
)

_PARTS: Final = {
    BracketPart.MAIN: "Bracket",
    BracketPart.LOSERS: "After one lost series",
    BracketPart.FINAL: "Final",
    BracketPart.SECOND_FINAL: "Second final",
    BracketPart.THIRD_PLACE: "Third place",
}
_LAST_ROUNDS: Final = ("Final", "Semi-finals", "Quarter-finals")


@dataclass(frozen=True, slots=True)
class Side:
    """An entrant in a series."""

    name: str
    """Empty while it is not known."""
    sets: str
    """How many sets it has won; empty before the first."""
    state: str
    """won, lost or open: a class of the style sheet."""


@dataclass(frozen=True, slots=True)
class SeriesBox:
    """A series in a bracket."""

    sides: tuple[Side, Side]
    note: str
    """Why it was decided, if it was not by sets."""


@dataclass(frozen=True, slots=True)
class Column:
    """A round of a bracket."""

    title: str
    boxes: tuple[SeriesBox, ...]


@dataclass(frozen=True, slots=True)
class BracketView:
    """The bracket of a knock-out: its parts, each with its rounds."""

    parts: tuple[tuple[str, tuple[Column, ...]], ...]
    winner: str | None


@dataclass(frozen=True, slots=True)
class SwissLine:
    """A line of a Swiss table."""

    rank: int
    name: str
    score: str
    opponents: str
    rounds: tuple[tuple[str, str], ...]
    """For each round that was played: whom it met, and its points."""


@dataclass(frozen=True, slots=True)
class SwissView:
    """The table of a Swiss tournament, after the rounds that are complete."""

    lines: tuple[SwissLine, ...]
    complete: int
    rounds: int

    @property
    def winner(self) -> str | None:
        """The first one when all rounds are complete, if no other has its rank."""
        if self.complete < self.rounds or [line.rank for line in self.lines].count(1) != 1:
            return None
        return self.lines[0].name


RoundsView = BracketView | SwissView


def rounds_view(request: Request, results: SetResults) -> RoundsView | None:
    """Return what there is to show of a tournament by rounds; None of another one."""
    if request.format in KNOCK_OUTS:
        return _bracket(series_of(request, results))
    if request.format is Format.SWISS:
        return _swiss(request, rounds_of(request, results))
    return None


def winner_sentence(view: RoundsView) -> str | None:
    """Say who has won, if it is decided."""
    kind = "knock-out" if isinstance(view, BracketView) else "Swiss tournament"
    return f"{view.winner} has won the {kind}." if view.winner else None


def as_values(view: RoundsView) -> dict[str, Any]:
    """Return it as JSON values."""
    if isinstance(view, SwissView):
        lines = [
            {
                "rank": line.rank,
                "entrant": line.name,
                "score": line.score,
                "opponents": line.opponents,
                "rounds": [{"met": met, "points": points} for met, points in line.rounds],
            }
            for line in view.lines
        ]
        return {
            "winner": view.winner,
            "complete_rounds": view.complete,
            "rounds": view.rounds,
            "table": lines,
        }
    parts = [
        {
            "part": title,
            "rounds": [
                {"round": column.title, "series": list(map(_box_values, column.boxes))}
                for column in columns
            ],
        }
        for title, columns in view.parts
    ]
    return {"winner": view.winner, "bracket": parts}


def _box_values(box: SeriesBox) -> dict[str, Any]:
    """Return a series as JSON values; a bye and an entrant that is not known yet are null."""
    sides = [
        {
            "entrant": (each.name or None) if each.state != "bye" else None,
            "sets": int(each.sets) if each.sets else None,
            "state": each.state,
        }
        for each in box.sides
    ]
    return {"sides": sides, "note": box.note}


# Knock-out --------------------------------------------------------------------------------------


def _bracket(series: Sequence[Series]) -> BracketView:
    shown = [each for each in series if not each.skipped]
    double = any(each.fixture.part is BracketPart.FINAL for each in shown)
    parts = []
    for part, group in groupby(shown, key=lambda each: each.fixture.part):
        of_part = list(group)
        last = of_part[-1].fixture.round
        columns = tuple(
            Column(_round_title(number, last, named=not double), tuple(map(_box, boxes)))
            for number, boxes in groupby(of_part, key=lambda each: each.fixture.round)
        )
        parts.append((_PARTS[part], columns))
    deciding = [each for each in shown if each.fixture.part is not BracketPart.THIRD_PLACE]
    return BracketView(tuple(parts), deciding[-1].winner)


def _round_title(number: int, last: int, *, named: bool) -> str:
    """Return the title of a round; the last ones have names if they decide the knock-out."""
    if last == 1:
        return ""
    return _LAST_ROUNDS[last - number] if named and last - number < 3 else f"Round {number}"


def _box(series: Series) -> SeriesBox:
    sides = tuple(_side(series, n) for n in (0, 1))
    note = "level: the better seed goes on" if series.by_seed else ""
    return SeriesBox((sides[0], sides[1]), note)


def _side(series: Series, place: int) -> Side:
    name = series.entrants[place]
    if name == BYE:
        return Side("bye", "", "bye")
    won = str(series.won[place]) if series.outcomes else ""
    state = "open" if series.winner is None else "won" if series.winner == name else "lost"
    return Side(name or "", won, state)


# Swiss ------------------------------------------------------------------------------------------


def _swiss(request: Request, rounds: Sequence[SwissRound]) -> SwissView:
    complete = [each for each in rounds if each.points is not None]
    lines = tuple(
        SwissLine(
            place.rank,
            place.name,
            _decimal(place.score),
            _decimal(place.opponents),
            tuple(_met(each, place.name) for each in complete),
        )
        for place in swiss_places(request, rounds)
    )
    return SwissView(lines, len(complete), request.swiss_rounds)


def _decimal(number: Fraction) -> str:
    return f"{float(number):.2f}".rstrip("0").rstrip(".")


def _met(played: SwissRound, name: str) -> tuple[str, str]:
    """Return whom an entrant met in a round, and its points."""
    points = _decimal((played.points or {})[name])
    table = next((table for table in played.tables if name in table), ())
    return ", ".join(other for other in table if other != name) or "bye", points
