"""The geometry of every plot: the tournament report and the league pages draw with the same code.

Positions on an axis are percentages of its length, so that a template can draw at any width.
Paths are SVG path data.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil, floor, log10, sqrt
from typing import Any, Final, Literal, NamedTuple, Self

import numpy as np

from tournaments.model import Result
from tournaments.ratings import Group, Point, Skill, Table
from tournaments.report.wording import count, interval, number, ordinal, percent

_ROUNDING: Final = 1e-9
"""Tolerance for floating-point error."""


# Axes -------------------------------------------------------------------------------------------


class Mark(NamedTuple):
    """A round number on an axis."""

    at: float
    text: str
    is_zero: bool


class Scale(NamedTuple):
    """An axis, marked at the multiples of a step."""

    low: float
    high: float
    step: float

    @classmethod
    def over(cls, values: Iterable[float], marks: int = 5) -> Self:
        """Return the scale from the least to the greatest value, with about this many marks.

        Without values it goes from 0 to 1.
        """
        found = list(values) or [0, 1]
        low, high = min(found), max(found)
        if low == high:
            low, high = low - 0.5, high + 0.5
        return cls(low, high, round_up((high - low) / marks))

    def with_margin(self) -> Scale:
        """Return the scale with 3 % more at both ends, so that nothing touches the edge."""
        margin = (self.high - self.low) * 0.03
        return Scale(self.low - margin, self.high + margin, self.step)

    def at(self, value: float, length: float = 100) -> float:
        """Return the position of a value on an axis of this length, to a hundredth."""
        return round(length * (value - self.low) / (self.high - self.low), 2)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The round numbers from one end to the other, placed in percent of the length."""
        decimals = max(0, -floor(log10(self.step) + _ROUNDING))
        first = ceil(self.low / self.step - _ROUNDING)
        last = floor(self.high / self.step + _ROUNDING)
        values = [n * self.step for n in range(first, last + 1)]
        return tuple(Mark(self.at(n), number(n, decimals), is_zero=n == 0) for n in values)


def round_up(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least this large."""
    power = 10.0 ** floor(log10(least) + _ROUNDING)
    return next(n * power for n in (1, 2, 5, 10) if n * power >= least * (1 - _ROUNDING))


# Ratings over time ------------------------------------------------------------------------------

PANEL_WIDTH: Final = 240
PANEL_HEIGHT: Final = 120
COLOURS: Final = 8
"""How many lines of one plot have a colour of their own."""
MAX_LINES: Final = 24
BACKGROUND_POINTS: Final = 40
"""The lines of the other entrants are drawn through about this many points each."""


class RatingAxes(NamedTuple):
    """The axes of a rating history: matches across, mu upwards."""

    across: Scale
    up: Scale
    width: int = 100
    height: int = 100
    decimals: int = 2

    def position(self, matches: float, value: float) -> tuple[float, float]:
        """Return where on the plot a value lies."""
        y = self.height - self.up.at(value, self.height)
        x = self.across.at(matches, self.width)
        return round(x, self.decimals), round(y, self.decimals)

    def line(self, points: Sequence[Point]) -> str:
        """Return the path of mu."""
        return _path([self.position(point.matches, point.mu) for point in points])

    def band(self, points: Sequence[Point], sigmas: float) -> str:
        """Return the outline of the area within this many sigmas of mu."""
        upper = [self.position(p.matches, p.mu + sigmas * p.sigma) for p in points]
        lower = [self.position(p.matches, p.mu - sigmas * p.sigma) for p in points]
        return _path([*upper, *reversed(lower)]) + "Z"


def _path(positions: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in positions)


class RatingLine(NamedTuple):
    """The rating of one entrant over its matches."""

    entrant: str
    line: str
    band: str
    end: tuple[float, float]
    """Where the line ends."""
    colour: int = 0
    is_dashed: bool = False
    """Whether another line of the plot has the same colour."""


class RatingPlot(NamedTuple):
    """The ratings of several entrants on the same axes, in one plot or in one panel each."""

    axes: RatingAxes
    lines: tuple[RatingLine, ...]
    background: str = ""
    """The lines of all entrants in one path, with fewer points."""
    left_out: int = 0
    """How many entrants are not drawn."""


def rating_panels(table: Table) -> RatingPlot:
    """Lay out the history of each entrant that has played.

    The vertical axis holds every mu except those of the first tenth of the matches, and the bands
    of the second half: at the beginning, while sigma is large, a line may leave the plot.
    """
    histories = {name: points for name, points in table.history.items() if len(points) > 1}
    across = Scale.over([0, *(points[-1].matches for points in histories.values())], marks=4)
    up = Scale.over(value for points in histories.values() for value in _settled(points))
    axes = RatingAxes(across, up, PANEL_WIDTH, PANEL_HEIGHT, decimals=1)
    lines = [_rating_line(axes, name, points, 2) for name, points in histories.items()]
    background = "".join(axes.line(_thinned(points)) for points in histories.values())
    return RatingPlot(axes, tuple(lines), background)


def _rating_line(
    axes: RatingAxes, name: str, points: Sequence[Point], sigmas: float, n: int = 0
) -> RatingLine:
    line, band = axes.line(points), axes.band(points, sigmas)
    end = axes.position(points[-1].matches, points[-1].mu)
    return RatingLine(name, line, band, end, n % COLOURS, n >= COLOURS)


def _settled(points: Sequence[Point]) -> Iterator[float]:
    """Return the values of a history that the vertical axis must hold."""
    total = points[-1].matches
    for point in points:
        if point.matches >= total / 10:
            yield point.mu
        if point.matches >= total / 2:
            yield point.mu - 2 * point.sigma
            yield point.mu + 2 * point.sigma


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    step = max(1, len(points) // BACKGROUND_POINTS)
    return [*points[:-1:step], points[-1]]


def rating_history(
    histories: Mapping[str, Sequence[Sequence[float]]], order: Sequence[str], *, bands: bool = False
) -> RatingPlot | None:
    """Lay out the histories of a standings document, the first in this order; None without any.

    With bands the vertical axis holds one sigma on both sides of mu.
    """
    shown = {
        name: [Point(int(match), mu, sigma) for _, match, mu, sigma in histories[name]]
        for name in [name for name in order if name in histories][:MAX_LINES]
    }
    points = [point for history in shown.values() for point in history]
    if not points:
        return None
    sides = (-1, 1) if bands else (0,)
    axes = RatingAxes(
        Scale.over([0, *(point.matches for point in points)]),
        Scale.over(p.mu + side * p.sigma for p in points for side in sides).with_margin(),
    )
    lines = [
        _rating_line(axes, name, history, 1, n) for n, (name, history) in enumerate(shown.items())
    ]
    return RatingPlot(axes, tuple(lines), left_out=len(order) - len(shown))


# Intervals --------------------------------------------------------------------------------------


class RatingInterval(NamedTuple):
    """A rating on the axis: mu, two sigmas on both sides, and mu - 3 sigma."""

    low: float
    mid: float
    high: float
    conservative: float


class RatingIntervals(NamedTuple):
    """The ratings of a table on one axis."""

    scale: Scale
    of: Mapping[str, RatingInterval]


def rating_intervals(lines: Sequence[Mapping[str, Any]]) -> RatingIntervals:
    """Lay out the ratings of the lines of a standings document."""

    def ends(line: Mapping[str, Any]) -> tuple[float, float, float, float]:
        mu, sigma = line["mu"], line["sigma"]
        return mu - 2 * sigma, mu, mu + 2 * sigma, mu - 3 * sigma

    scale = Scale.over(value for line in lines for value in ends(line)).with_margin()
    return RatingIntervals(
        scale, {line["rated"]: RatingInterval(*map(scale.at, ends(line))) for line in lines}
    )


class GroupBar(NamedTuple):
    """The part of the bar of a group that one row shows; the bars stand in lanes."""

    lane: int
    part: Literal["alone", "top", "middle", "end"]
    letter: str


class SkillRow(NamedTuple):
    """The skill of an entrant with its interval, and the groups that it belongs to."""

    entrant: str
    skill: Skill
    low: float
    mid: float
    high: float
    bars: tuple[GroupBar, ...]


class SkillPlot(NamedTuple):
    """The entrants that have played, the best first."""

    scale: Scale
    lanes: int
    rows: tuple[SkillRow, ...]


def skill_plot(table: Table) -> SkillPlot:
    """Lay out the skill of each entrant that has played."""
    skills = {line.entrant: line.skill for line in table.standings if line.skill}
    order = [name for group in table.groups for name in group.entrants]
    names = list(dict.fromkeys([*order, *skills]))
    scale = Scale.over(end for skill in skills.values() for end in (skill.low, skill.high))
    lanes = _lanes(table.groups, names)
    rows = [
        SkillRow(
            name,
            skills[name],
            scale.at(skills[name].low),
            scale.at(skills[name].skill),
            scale.at(skills[name].high),
            tuple(
                _group_bar(lane, group, name)
                for group, lane in zip(table.groups, lanes, strict=True)
                if name in group.entrants
            ),
        )
        for name in names
    ]
    return SkillPlot(scale, max(lanes, default=-1) + 1, tuple(rows))


def _lanes(groups: Sequence[Group], names: Sequence[str]) -> list[int]:
    """Give each group the first lane that is free where it begins."""
    row = {name: n for n, name in enumerate(names)}
    ends: list[int] = []
    lanes = []
    for group in groups:
        start = row[group.entrants[0]]
        lane = next((n for n, end in enumerate(ends) if end < start), len(ends))
        ends[lane : lane + 1] = [row[group.entrants[-1]]]
        lanes.append(lane)
    return lanes


def _group_bar(lane: int, group: Group, name: str) -> GroupBar:
    if len(group.entrants) == 1:
        return GroupBar(lane, "alone", group.letter)
    if name == group.entrants[0]:
        return GroupBar(lane, "top", group.letter)
    return GroupBar(lane, "end" if name == group.entrants[-1] else "middle", group.letter)


# Distributions: one row for each entrant, one column for each table size of a game ---------------

FEWEST_BINS: Final = 8
MOST_BINS: Final = 40
LABELLED_SHARE: Final = 0.08
"""A segment of at least this share has room for its label."""


class Segment(NamedTuple):
    """The share of one place in a stacked bar."""

    place: int
    start: float
    width: float
    label: str
    """The share in whole percent; empty where there is no room for it."""


class PlaceBar(NamedTuple):
    """The places of one entrant at tables of one size."""

    segments: tuple[Segment, ...]
    text: str


class PlaceColumn(NamedTuple):
    """The places of all entrants at tables of one size."""

    seats: int
    bars: Mapping[str, PlaceBar]


class ScoreHistogram(NamedTuple):
    """The scores of one entrant at tables of one size, with quartiles and median.

    The outline is a path in a square of 100.
    """

    outline: str
    low: float
    median: float
    high: float
    text: str


class ScoreColumn(NamedTuple):
    """The scores of all entrants at tables of one size, on one scale."""

    seats: int
    scale: Scale
    histograms: Mapping[str, ScoreHistogram]


def place_columns(by_seats: Mapping[int, Table]) -> tuple[PlaceColumn, ...]:
    """Lay out how often each entrant came first, second, and so on."""
    return tuple(
        PlaceColumn(
            seats,
            {
                line.entrant: _place_bar(line.figures.places[:seats])
                for line in table.standings
                if line.figures.matches
            },
        )
        for seats, table in by_seats.items()
    )


def _place_bar(places: Sequence[int]) -> PlaceBar:
    total = sum(places)
    starts = accumulate(places, initial=0)
    segments = tuple(
        Segment(
            place,
            round(100 * start / total, 2),
            round(100 * times / total, 2),
            number(100 * times / total) if times / total >= LABELLED_SHARE else "",
        )
        for place, (start, times) in enumerate(zip(starts, places, strict=False), 1)
        if times
    )
    shares = [
        f"{ordinal(place)} {number(times)} ({percent(times / total)})"
        for place, times in enumerate(places, 1)
    ]
    return PlaceBar(segments, f"{count(total, 'match', 'matches')}: {', '.join(shares)}")


def score_columns(results: Sequence[Result]) -> tuple[ScoreColumn, ...]:
    """Lay out the scores of each entrant; a table size has one scale for all entrants."""
    found: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        for name, score in zip(result.entrants, result.scores, strict=True):
            found[result.seats][name].append(score)
    return tuple(_score_column(seats, found[seats]) for seats in sorted(found))


def _score_column(seats: int, scores: Mapping[str, Sequence[int]]) -> ScoreColumn:
    width = _bin_width(scores)
    bins = {name: Counter(score // width for score in own) for name, own in scores.items()}
    first, last = min(map(min, bins.values())), max(map(max, bins.values()))
    scale = Scale.over((first * width, (last + 1) * width))
    peak = max(max(bins[name].values()) / len(own) for name, own in scores.items())
    return ScoreColumn(
        seats,
        scale,
        {
            name: _score_histogram(own, bins[name], width, len(own) * peak, scale)
            for name, own in scores.items()
        },
    )


def _bin_width(scores: Mapping[str, Sequence[int]]) -> int:
    """Return how many neighbouring scores share a bin: the more matches, the fewer."""
    everything = [score for own in scores.values() for score in own]
    bins = min(max(FEWEST_BINS, 2 * sqrt(len(everything) / len(scores))), MOST_BINS)
    return round(round_up(max(1, (max(everything) - min(everything) + 1) / bins)))


def _score_histogram(
    scores: Sequence[int], bins: Mapping[int, int], width: int, full: float, scale: Scale
) -> ScoreHistogram:
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
    # A score of 7 fills the unit from 7 to 8 of the outline: its marks stand at 7.5.
    low, median, high = (scale.at(value + 0.5) for value in (low, median, high))
    return ScoreHistogram(f"M{start:g} 100{''.join(steps)}L{end:g} 100Z", low, median, high, text)
