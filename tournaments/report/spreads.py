"""How places and scores are spread, one row for each entrant and one column for each table size.

Everything here is about the matches of one game.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt

import numpy as np

from tournaments.ratings import Table
from tournaments.report.scale import Scale, round_up
from tournaments.report.wording import count, interval, number, percent
from tournaments.results import Result

BINS = (8, 40)
"""The fewest and the most bins of a histogram."""

ORDINALS = ("1st", "2nd", "3rd")


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a stacked bar, in percent of its length."""

    place: int
    start: float
    width: float
    label: str
    """The share in whole percent; empty where there is no room for it."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The places of one entrant at tables of one size."""

    segments: tuple[Segment, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Hump:
    """The scores of one entrant at tables of one size: their outline, quartiles and median.

    The outline is an SVG path in a square of 100; the rest is in percent of the axis.
    """

    outline: str
    low: float
    median: float
    high: float
    text: str


@dataclass(frozen=True, slots=True)
class PlaceColumn:
    """Tables of one size."""

    seats: int
    bars: Mapping[str, Bar]


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """Tables of one size."""

    seats: int
    scale: Scale
    humps: Mapping[str, Hump]


def ordinal(place: int) -> str:
    """Write a place: 1st, 2nd, 3rd, 4th; no table is so large that it needs a 21st."""
    return ORDINALS[place - 1] if place <= len(ORDINALS) else f"{place}th"


def place_columns(by_seats: Mapping[int, Table]) -> tuple[PlaceColumn, ...]:
    """Lay out how often each entrant came first, second, and so on."""
    return tuple(
        PlaceColumn(
            seats,
            {
                line.entrant: _bar(line.figures.places[:seats])
                for line in table.standings
                if line.figures.matches
            },
        )
        for seats, table in by_seats.items()
    )


def _bar(places: Sequence[int]) -> Bar:
    total = sum(places)
    starts = accumulate(places, initial=0)
    segments = tuple(
        Segment(
            place,
            round(100 * start / total, 2),
            round(100 * times / total, 2),
            number(100 * times / total) if times / total >= 0.08 else "",
        )
        for place, (start, times) in enumerate(zip(starts, places, strict=False), 1)
        if times
    )
    shares = [
        f"{ordinal(place)} {number(times)} ({percent(times / total)})"
        for place, times in enumerate(places, 1)
    ]
    return Bar(segments, f"{count(total, 'match', 'matches')}: {', '.join(shares)}")


def score_columns(results: Sequence[Result]) -> tuple[ScoreColumn, ...]:
    """Lay out the scores of each entrant; a size of table has one scale for all entrants."""
    found: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        for name, score in zip(result.entrants, result.scores, strict=True):
            found[result.seats][name].append(score)
    return tuple(_score_column(seats, found[seats]) for seats in sorted(found))


def _score_column(seats: int, scores: Mapping[str, Sequence[int]]) -> ScoreColumn:
    width = _bin_width(scores)
    bins = {name: Counter(score // width for score in mine) for name, mine in scores.items()}
    first, last = min(map(min, bins.values())), max(map(max, bins.values()))
    scale = Scale.over((first * width, (last + 1) * width))
    peak = max(max(bins[name].values()) / len(mine) for name, mine in scores.items())
    return ScoreColumn(
        seats,
        scale,
        {
            name: _hump(mine, bins[name], width, len(mine) * peak, scale)
            for name, mine in scores.items()
        },
    )


def _bin_width(scores: Mapping[str, Sequence[int]]) -> int:
    """Return how many neighbouring scores share a bin: the more matches, the fewer."""
    everything = [score for mine in scores.values() for score in mine]
    fewest, most = BINS
    amount = min(max(fewest, 2 * sqrt(len(everything) / len(scores))), most)
    return round(round_up(max(1, (max(everything) - min(everything) + 1) / amount)))


def _hump(
    scores: Sequence[int], bins: Mapping[int, int], width: int, full: float, scale: Scale
) -> Hump:
    low, median, high = np.quantile(scores, [0.25, 0.5, 0.75]).tolist()
    steps = []
    for bin_ in range(min(bins), max(bins) + 1):
        height = round(100 - 100 * bins.get(bin_, 0) / full, 1)
        left, right = scale.at(bin_ * width), scale.at((bin_ + 1) * width)
        steps.append(f"L{left:g} {height:g}H{right:g}")
    start, end = scale.at(min(bins) * width), scale.at((max(bins) + 1) * width)
    text = (
        f"{count(len(scores), 'score', 'scores')} from {interval(min(scores), max(scores))}; "
        f"median {number(median, 1 if median % 1 else 0)}, middle half {interval(low, high)}"
    )
    # A score of 7 fills the unit from 7 to 8 of the outline: its middle is where the marks go.
    low, median, high = (scale.at(value + 0.5) for value in (low, median, high))
    return Hump(f"M{start:g} 100{''.join(steps)}L{end:g} 100Z", low, median, high, text)
