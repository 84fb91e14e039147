"""How the ratings settled: a small plot for each entrant, all on the same axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tournaments.ratings import Point, Table
from tournaments.report.scale import Scale

WIDTH = 240.0
HEIGHT = 120.0

MOST_BEHIND = 40
"""The lines of the others are drawn through so many points each."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The rating of one entrant over its matches, as SVG paths."""

    entrant: str
    line: str
    band: str
    """Two sigma to either side of mu."""
    end: tuple[float, float]
    """Where the line ends."""


@dataclass(frozen=True, slots=True)
class Convergence:
    """The plots of all entrants who have played."""

    across: Scale
    up: Scale
    panels: tuple[Panel, ...]
    behind: str
    """The lines of all entrants in one path, with fewer points."""
    width: float = WIDTH
    height: float = HEIGHT


def convergence(table: Table) -> Convergence:
    """Lay out the history of everybody who has played.

    The vertical axis holds every mu but those of the first tenth of the matches, and the bands of
    the second half: at the beginning, when little is known, a line may leave the plot.
    """
    paths = {name: path for name, path in table.history.items() if len(path) > 1}
    across = Scale.over([0, *(path[-1].matches for path in paths.values())], marks=4)
    up = Scale.over((mu for path in paths.values() for mu in _heights(path)), marks=5)
    axes = _Axes(across, up)
    return Convergence(
        across,
        up,
        tuple(axes.panel(name, path) for name, path in paths.items()),
        "".join(axes.line(_thinned(path)) for path in paths.values()),
    )


@dataclass(frozen=True, slots=True)
class _Axes:
    across: Scale
    up: Scale

    def spot(self, matches: int, value: float) -> tuple[float, float]:
        """Return where on the plot this is, to a tenth."""
        height = HEIGHT - self.up.at(value, HEIGHT)
        return round(self.across.at(matches, WIDTH), 1), round(height, 1)

    def line(self, points: Sequence[Point]) -> str:
        """Return the way of mu."""
        return _way([self.spot(point.matches, point.mu) for point in points])

    def panel(self, name: str, points: Sequence[Point]) -> Panel:
        """Lay out one plot."""
        upper = [self.spot(point.matches, point.mu + 2 * point.sigma) for point in points]
        lower = [self.spot(point.matches, point.mu - 2 * point.sigma) for point in points]
        band = _way([*upper, *reversed(lower)]) + "Z"
        end = self.spot(points[-1].matches, points[-1].mu)
        return Panel(name, self.line(points), band, end)


def _heights(path: Sequence[Point]) -> Iterator[float]:
    """Return what the vertical axis must hold of a rating."""
    total = path[-1].matches
    for point in path:
        if point.matches >= total / 10:
            yield point.mu
        if point.matches >= total / 2:
            yield point.mu - 2 * point.sigma
            yield point.mu + 2 * point.sigma


def _way(spots: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in spots)


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    step = max(1, len(points) // MOST_BEHIND)
    return [*points[:-1:step], points[-1]]
