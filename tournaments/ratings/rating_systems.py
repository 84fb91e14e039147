"""Rating systems that update the ratings match by match, in the order of the schedule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import trueskill
from openskill.models import PlackettLuce

from engine import UsageError, did_you_mean
from tournaments.ratings.standings import Rating
from tournaments.ratings.trueskill_update import draw_margin, rated


class RatingSystem(Protocol):
    """An update rule for the ratings of one table after one match."""

    @property
    def prior(self) -> Rating:
        """The rating before the first match."""

    def update(self, table: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
        """Return the ratings after a match, in the order of the seats."""


class TrueSkill:
    """TrueSkill with tau 0, because a version of a bot does not change.

    The ratings are those of the package trueskill; ``trueskill_update`` computes them faster.

    The more seldom draws are, the more a draw moves the ratings. So each game has its own draw
    probability, while a rating is the same quantity in all of them.

    In a match of three or more, the package moves players who are level by slightly different
    amounts, according to their order in the input. They are given in the order of their seats:
    seats rotate, so no entrant gains by it on the whole.
    """

    def __init__(self, draw_probability: float) -> None:
        self._margin = draw_margin(draw_probability)
        self.prior = Rating(trueskill.MU, trueskill.SIGMA)

    def update(self, table: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
        """Return the ratings after a match, in the order of the seats."""
        before = [(seat.mu, seat.sigma) for seat in table]
        return [Rating(mu, sigma) for mu, sigma in rated(before, places, self._margin)]


class OpenSkill:
    """The Plackett-Luce model of the package openskill, which is free of patents; tau is 0."""

    def __init__(self, _draw_probability: float) -> None:
        self._system = PlackettLuce(tau=0)
        self.prior = Rating(self._system.mu, self._system.sigma)

    def update(self, table: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
        """Return the ratings after a match, in the order of the seats."""
        before = [[self._system.create_rating([seat.mu, seat.sigma])] for seat in table]
        after = self._system.rate(before, ranks=[float(place) for place in places])
        return [Rating(seat.mu, seat.sigma) for (seat,) in after]


_SYSTEMS: Mapping[str, Callable[[float], RatingSystem]] = {
    "trueskill": TrueSkill,
    "openskill": OpenSkill,
}


@lru_cache(maxsize=256)
def rating_system(name: str, draw_probability: float) -> RatingSystem:
    """Return the rating system of that name; raises UsageError.

    OpenSkill does not use the draw probability.
    """
    if name not in _SYSTEMS:
        raise UsageError(
            f'there is no rating system called "{name}".{did_you_mean(name, _SYSTEMS)}'
            f" The rating systems are {', '.join(_SYSTEMS)}."
        )
    return _SYSTEMS[name](draw_probability)
