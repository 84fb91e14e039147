"""Rating systems that learn match by match, in the order of the schedule."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import trueskill
from openskill.models import PlackettLuce

from engine import UsageError
from engine.errors import did_you_mean
from tournaments.ratings.chain import draw_margin, rated
from tournaments.ratings.values import Point, Rating
from tournaments.results import Result

DRAWS = (0.01, 0.99)
"""Nearer to 0 than this, the arithmetic of TrueSkill breaks down at a draw between unequals; at 1
nobody could win."""


class RatingSystem(Protocol):
    """A way to learn from one match; a rating is what it makes of all of them in turn."""

    @property
    def name(self) -> str:
        """What a tournament file calls it."""

    @property
    def prior(self) -> Rating:
        """What is believed of somebody who has not played."""

    def update(self, game: str, table: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
        """Return the ratings after a match of a game, in the order given: that of the seats."""


class TrueSkill:
    """The TrueSkill of the package of that name, for bots, which never change (tau is 0).

    Its ratings, that is; ``chain.py`` finds them in a fifth of the time.

    How much a draw says depends on how often there are draws. So each game has its own probability
    of one, while a rating is the same thing in all of them.

    In a match of three or more, the package moves players who are level by slightly different
    amounts, according to the order in which it meets them. They are given in the order of their
    seats: seats rotate, so nobody is always the one who gains.
    """

    name = "trueskill"

    def __init__(self, draw_probabilities: Mapping[str, float]) -> None:
        self._margins = {
            game: draw_margin(probability) for game, probability in draw_probabilities.items()
        }
        self.prior = Rating(trueskill.MU, trueskill.SIGMA)

    def update(self, game: str, table: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
        """Return the ratings after a match of a game, in the order given: that of the seats."""
        before = [(seat.mu, seat.sigma) for seat in table]
        return [Rating(mu, sigma) for mu, sigma in rated(before, places, self._margins[game])]


class OpenSkill:
    """The Plackett-Luce model of the package openskill, which is free of patents; tau is 0."""

    name = "openskill"

    def __init__(self) -> None:
        self._system = PlackettLuce(tau=0)
        self.prior = Rating(self._system.mu, self._system.sigma)

    def update(
        self,
        game: str,  # noqa: ARG002  the same for every game
        table: Sequence[Rating],
        places: Sequence[int],
    ) -> list[Rating]:
        """Return the ratings after a match of a game, in the order given: that of the seats."""
        before = [[self._system.create_rating([seat.mu, seat.sigma])] for seat in table]
        after = self._system.rate(before, ranks=[float(place) for place in places])
        return [Rating(seat.mu, seat.sigma) for (seat,) in after]


_SYSTEMS: Mapping[str, Callable[[Mapping[str, float]], RatingSystem]] = {
    TrueSkill.name: TrueSkill,
    OpenSkill.name: lambda _: OpenSkill(),
}

RATING_SYSTEMS: tuple[str, ...] = tuple(_SYSTEMS)
"""The names that a tournament file may give."""


def rating_system(name: str, draw_probabilities: Mapping[str, float]) -> RatingSystem:
    """Return the rating system of that name for some games; raises UsageError.

    OpenSkill has no use for the probability of a draw.
    """
    if name not in _SYSTEMS:
        raise UsageError(
            f'there is no rating system called "{name}".{did_you_mean(name, _SYSTEMS)}'
            f" The rating systems are {', '.join(_SYSTEMS)}."
        )
    return _SYSTEMS[name](draw_probabilities)


def tie_rate(results: Sequence[Result]) -> float:
    """Return the share of neighbouring places that were level; 0 without a match.

    A match of k has k - 1 pairs of neighbours in the order of the places: 1, 1, 3, 4 has three, and
    one of them is level. All pairs of all matches count alike.
    """
    level = sum(result.seats - len(set(result.places)) for result in results)
    pairs = sum(result.seats - 1 for result in results)
    return level / pairs if pairs else 0.0


def draw_probability(results: Sequence[Result]) -> float:
    """Return the tie rate of one game's results, kept clear of 0 and 1: what TrueSkill is told."""
    low, high = DRAWS
    return min(max(tie_rate(results), low), high)


def draw_probabilities(results: Sequence[Result]) -> dict[str, float]:
    """Return the probability of a draw in each game, from its own results."""
    games: defaultdict[str, list[Result]] = defaultdict(list)
    for result in results:
        games[result.game].append(result)
    return {game: draw_probability(mine) for game, mine in sorted(games.items())}


def rate(
    system: RatingSystem, results: Sequence[Result], entrants: Iterable[str] = ()
) -> dict[str, Rating]:
    """Return the rating of everybody after these matches; entrants without one have the prior."""
    ends = {name: path[-1] for name, path in history(system, results, entrants, 2).items()}
    return {name: Rating(end.mu, end.sigma) for name, end in ends.items()}


def history(
    system: RatingSystem,
    results: Sequence[Result],
    entrants: Iterable[str] = (),
    points: int = 200,
) -> dict[str, tuple[Point, ...]]:
    """Return how each rating came about, by name: the prior, the end, and evenly between them.

    There are about as many points as asked for, or one for each match if those are fewer.
    """
    played = Counter(name for result in results for name in result.entrants)
    names = sorted({*entrants, *played})
    kept = {name: {played[name] * n // (points - 1) for n in range(points)} for name in names}
    ratings = dict.fromkeys(names, system.prior)
    paths = {name: [Point(0, system.prior.mu, system.prior.sigma)] for name in names}
    seen = Counter[str]()
    for result in results:
        table = [ratings[name] for name in result.entrants]
        after = system.update(result.game, table, result.places)
        for name, rating in zip(result.entrants, after, strict=True):
            ratings[name] = rating
            seen[name] += 1
            if seen[name] in kept[name]:
                paths[name].append(Point(seen[name], rating.mu, rating.sigma))
    return {name: tuple(path) for name, path in paths.items()}
