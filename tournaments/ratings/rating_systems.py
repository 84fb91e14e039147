"""Rating systems that update the ratings match by match, in the order of the schedule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import hypot
from typing import Final, Protocol

from openskill.models import PlackettLuce

from engine import UsageError, did_you_mean
from tournaments.model import RATINGS, TrueSkillSettings
from tournaments.ratings.standings import Rating
from tournaments.ratings.trueskill_update import draw_margin, rated


class RatingSystem(Protocol):
    """An update rule for the ratings of one table after one match."""

    @property
    def prior(self) -> Rating:
        """The rating before the first match."""

    @property
    def beta(self) -> float:
        """The standard deviation of a performance about the skill."""

    def update(self, table: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
        """Return the ratings after a match, in the order of the seats."""


class TrueSkill:
    """TrueSkill, match by match; tau is 0 by default, because a version of a bot does not change.

    The ratings are those of the package trueskill; ``trueskill_update`` computes them faster.

    The more seldom draws are, the more a draw moves the ratings. So each game has its own draw
    probability, while a rating is the same quantity in all of them.

    In a match of three or more, the package moves players who are level by slightly different
    amounts, according to their order in the input. They are given in the order of their seats:
    seats rotate, so no entrant gains by it on the whole.
    """

    def __init__(self, draw_probability: float, settings: TrueSkillSettings) -> None:
        self._margin = draw_margin(draw_probability, settings.beta)
        self._tau = settings.tau
        self.beta = settings.beta
        self.prior = Rating(settings.mu, settings.sigma)

    def update(self, table: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
        """Return the ratings after a match, in the order of the seats."""
        before = [(seat.mu, hypot(seat.sigma, self._tau)) for seat in table]
        after = rated(before, places, self._margin, self.beta)
        return [Rating(mu, sigma) for mu, sigma in after]


class OpenSkill:
    """The Plackett-Luce model of the package openskill, which is free of patents; tau is 0."""

    def __init__(self, _draw_probability: float, _settings: TrueSkillSettings) -> None:
        self._system = PlackettLuce(tau=0)
        self.beta: float = self._system.beta
        self.prior = Rating(self._system.mu, self._system.sigma)

    def update(self, table: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
        """Return the ratings after a match, in the order of the seats."""
        before = [[self._system.create_rating([seat.mu, seat.sigma])] for seat in table]
        after = self._system.rate(before, ranks=[float(place) for place in places])
        return [Rating(seat.mu, seat.sigma) for (seat,) in after]


_SYSTEMS: Mapping[str, Callable[[float, TrueSkillSettings], RatingSystem]] = dict(
    zip(RATINGS, (TrueSkill, TrueSkill, OpenSkill), strict=True)
)


DEFAULTS: Final = TrueSkillSettings()


@lru_cache(maxsize=256)
def rating_system(
    name: str, draw_probability: float, settings: TrueSkillSettings = DEFAULTS
) -> RatingSystem:
    """Return the rating system of that name; raises UsageError.

    "trueskill" rates match by match here, as "trueskill-sequential" does: so a league knows ratings
    for its next tables at once. ``whole_history`` makes its ratings in the standings. OpenSkill
    does not use the draw probability and the settings.
    """
    if name not in _SYSTEMS:
        raise UsageError(
            f'there is no rating system called "{name}".{did_you_mean(name, _SYSTEMS)}'
            f" The rating systems are {', '.join(_SYSTEMS)}."
        )
    return _SYSTEMS[name](draw_probability, settings)
