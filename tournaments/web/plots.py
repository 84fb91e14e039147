"""Where things lie in the plots, in percent: templates draw them, and pages have any width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tournaments.report.scale import Mark, Scale

WIDE: Final = 2
"""A rating is drawn as mu with so many sigmas on both sides: 95 of 100 skills lie inside."""
SURE: Final = 3
"""The rank goes by mu less so many sigmas."""
KEYS: Final = 8
"""So many lines have a colour of their own."""
MOST_LINES: Final = 24


@dataclass(frozen=True, slots=True)
class Bar:
    """One rating on the axis."""

    low: float
    mid: float
    high: float
    sure: float


@dataclass(frozen=True, slots=True)
class Intervals:
    """The ratings of a table on one axis."""

    marks: tuple[Mark, ...]
    bars: Mapping[str, Bar]


def intervals(lines: Sequence[Mapping[str, Any]]) -> Intervals:
    """Return where the ratings of a table lie."""
    ends = [line["mu"] + n * line["sigma"] for line in lines for n in (-SURE, WIDE)]
    scale = _with_margin(Scale.over(ends))
    bars = {
        line["rated"]: Bar(
            scale.at(line["mu"] - WIDE * line["sigma"]),
            scale.at(line["mu"]),
            scale.at(line["mu"] + WIDE * line["sigma"]),
            scale.at(line["mu"] - SURE * line["sigma"]),
        )
        for line in lines
    }
    return Intervals(scale.marks, bars)


@dataclass(frozen=True, slots=True)
class Line:
    """The path of one rating."""

    rated: str
    key: int
    """Which colour it has."""
    again: bool
    """Whether another line has that colour already."""
    points: str
    band: str


@dataclass(frozen=True, slots=True)
class History:
    """The paths of some ratings on common axes."""

    across: tuple[Mark, ...]
    upwards: tuple[Mark, ...]
    lines: tuple[Line, ...]
    left_out: int


def history(
    paths: Mapping[str, Sequence[Sequence[float]]], order: Sequence[str], *, bands: bool = False
) -> History | None:
    """Return the paths of the first ones in that order, who all have played; or nothing.

    With bands there must be room for one sigma on both sides.
    """
    shown = [rated for rated in order if rated in paths][:MOST_LINES]
    points = [point for rated in shown for point in paths[rated]]
    if not points:
        return None
    across = Scale.over([0, *(position for _, position, _, _ in points)])
    sides = (-1, 1) if bands else (0,)
    upwards = _with_margin(Scale.over([mu + n * sig for _, _, mu, sig in points for n in sides]))
    lines = [
        Line(
            rated,
            key % KEYS,
            key >= KEYS,
            _line(paths[rated], across, upwards),
            _band(paths[rated], across, upwards),
        )
        for key, rated in enumerate(shown)
    ]
    # Those in front are drawn last.
    return History(across.marks, upwards.marks, tuple(lines), len(order) - len(shown))


def _with_margin(scale: Scale) -> Scale:
    """Return a scale on which nothing touches the edge."""
    margin = (scale.high - scale.low) * 0.03
    return Scale(scale.low - margin, scale.high + margin, scale.step)


def _line(path: Sequence[Sequence[float]], across: Scale, upwards: Scale) -> str:
    return " ".join(f"{across.at(x)},{100 - upwards.at(mu):.2f}" for _, x, mu, _ in path)


def _band(path: Sequence[Sequence[float]], across: Scale, upwards: Scale) -> str:
    above = [f"{across.at(x)},{100 - upwards.at(mu + sigma):.2f}" for _, x, mu, sigma in path]
    below = [f"{across.at(x)},{100 - upwards.at(mu - sigma):.2f}" for _, x, mu, sigma in path]
    return " ".join([*above, *reversed(below)])
