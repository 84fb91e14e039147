"""Ratings as a fold over results, match by match in constant time, for tournaments and leagues.

These are the ratings "trueskill-sequential" and "openskill", those that a league chooses its next
tables by, and the histories. The rating "trueskill" is made by ``whole_history``.

**The order** is that of the schedule. The fold can be continued: after the same results in the same
order the ratings are the same, whether they were added at once or one by one.

**Versions.** The first version of an entrant begins with the prior. Each later one begins with the
mu of the version before it and the sigma of the prior, and changes no other rating during its first
``PROBATION`` matches: the others at the table are rated as if it had not been there. Otherwise an
accomplice could lose with ever new versions, each of which has a medium rating at first. In a
tournament every entrant has one version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import trueskill

from engine import GAMES
from tournaments.model import Result, TrueSkillSettings, Version
from tournaments.ratings.rating_systems import rating_system
from tournaments.ratings.standings import Point, Rating

PROBATION: Final = 10
"""How many matches a later version plays before it changes any other rating."""


def default_draw_probability(game: str) -> float:
    """Return the draw probability of a game where the competition sets none."""
    return GAMES[game].spec.draw_probability if game in GAMES else trueskill.DRAW_PROBABILITY


@dataclass(slots=True)
class RatingFold:
    """The ratings of all versions after some results."""

    rating: str = "trueskill"
    """The name of the rating system."""
    draw_probability: Mapping[str, float] = field(default_factory=dict)
    """By game; the others have their defaults."""
    trueskill: TrueSkillSettings = field(default_factory=TrueSkillSettings)
    ratings: dict[str, Rating] = field(default_factory=dict)
    """Of the versions that have played."""
    played: Counter[str] = field(default_factory=Counter)
    """How many results the rating of each version is made from."""
    newest: dict[str, str] = field(default_factory=dict)
    """The version of each entrant that had its first result last."""
    later: set[str] = field(default_factory=set)
    """The versions that are not the first of their entrants."""
    prior: Rating = field(init=False)
    """The rating before the first match."""
    beta: float = field(init=False)
    """The standard deviation of a performance about the skill."""

    def __post_init__(self) -> None:
        """Look up the prior; raises UsageError."""
        system = rating_system(self.rating, trueskill.DRAW_PROBABILITY, self.trueskill)
        self.prior, self.beta = system.prior, system.beta

    def rating_of(self, name: str) -> Rating:
        """Return the rating of a version, or the one that it would begin with."""
        if name in self.ratings:
            return self.ratings[name]
        before = self.newest.get(Version.of(name).entrant)
        return self.prior if before is None else Rating(self.ratings[before].mu, self.prior.sigma)

    def is_on_probation(self, name: str) -> bool:
        """Return whether a version changes no other rating yet."""
        return name in self.later and self.played[name] < PROBATION

    def add(self, result: Result) -> None:
        """Rate one more match."""
        for name in result.entrants:
            self._begin(name)
        table = [self.ratings[name] for name in result.entrants]
        draws = self.draw_probability.get(result.game) or default_draw_probability(result.game)
        system = rating_system(self.rating, draws, self.trueskill)
        after = system.update(table, result.places)
        rated = [n for n, name in enumerate(result.entrants) if not self.is_on_probation(name)]
        if len(rated) < len(table):
            apart = [table[seat] for seat in rated]
            if len(rated) > 1:
                apart = system.update(apart, [result.places[seat] for seat in rated])
            for seat, own in zip(rated, apart, strict=True):
                after[seat] = own
        self.ratings.update(zip(result.entrants, after, strict=True))
        self.played.update(result.entrants)

    def _begin(self, name: str) -> None:
        if name not in self.ratings:
            entrant = Version.of(name).entrant
            self.ratings[name] = self.rating_of(name)
            if entrant in self.newest:
                self.later.add(name)
            self.newest[entrant] = name

    def copied(self) -> RatingFold:
        """Return a fold that can be continued apart from this one; ratings are values."""
        return replace(
            self,
            ratings=dict(self.ratings),
            played=Counter(self.played),
            newest=dict(self.newest),
            later=set(self.later),
        )


@dataclass(slots=True)
class Path:
    """The history of a rating, thinned out as it grows."""

    points: list[Point]
    most: int
    step: int = 1
    """There is a point only after each multiple of this number of matches."""

    def add(self, point: Point) -> None:
        """Add a point; the last one is always the rating as it is now."""
        if self.points[-1].matches % self.step:
            self.points.pop()
        self.points.append(point)
        if len(self.points) > self.most:
            self.step *= 2
            self.points = [each for each in self.points if each.matches % self.step == 0]
            if self.points[-1] != point:
                self.points.append(point)


@dataclass(slots=True)
class TableFold:
    """The ratings of one part after some of its results, and how they came about."""

    ratings: RatingFold
    most_points: int
    matches: int = 0
    paths: dict[str, Path] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Rate one more match."""
        for name in result.entrants:
            if name not in self.paths:
                self.paths[name] = Path([self._point(name)], self.most_points)
        self.ratings.add(result)
        self.matches += 1
        for name in result.entrants:
            self.paths[name].add(self._point(name))

    def _point(self, name: str) -> Point:
        rating = self.ratings.rating_of(name)
        return Point(self.ratings.played[name], rating.mu, rating.sigma, self.matches)

    def copied(self) -> TableFold:
        """Return a fold that can be continued apart from this one."""
        paths = {name: replace(path, points=[*path.points]) for name, path in self.paths.items()}
        return TableFold(self.ratings.copied(), self.most_points, self.matches, paths)
