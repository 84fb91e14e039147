"""Tournaments made up from dice, for tests of what is done with results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tournaments.model import Result
from tournaments.ratings.computation import StandingsRequest, compute_standings
from tournaments.ratings.rating_fold import RatingFold
from tournaments.ratings.standings import Rating, Standings

GAME = "glastonbury"
VARIANTS = ("plain", "recipes")


def synthetic_results(
    entrants: Sequence[str],
    sets: int,
    sizes: Sequence[int] = (2, 3, 4),
    seed: int = 1,
    games: Sequence[str] = (GAME,),
) -> list[Result]:
    """Play sets in every rotation; an entrant scores the more the later it stands in the list.

    The games take turns, a set each.
    """
    dice = np.random.Generator(np.random.PCG64(seed))
    results = []
    for number in range(sets):
        seats = sizes[number % len(sizes)]
        variant = VARIANTS[number // len(sizes) % len(VARIANTS)]
        chosen = dice.choice(len(entrants), seats, replace=False).tolist()
        for turn in range(seats):
            order = chosen[turn:] + chosen[:turn]
            scores = [round(float(dice.normal(2 * n, 12))) for n in order]
            forfeits = tuple(seat for seat in range(seats) if dice.random() < 0.01)
            worth = [(seat not in forfeits, score) for seat, score in enumerate(scores)]
            results.append(
                Result(
                    match=f"set{number}-{turn + 1}",
                    set_id=f"set{number}",
                    game=games[number % len(games)],
                    variant=variant,
                    entrants=tuple(entrants[n] for n in order),
                    places=tuple(1 + sum(other > mine for other in worth) for mine in worth),
                    scores=tuple(scores),
                    forfeits=forfeits,
                    used=tuple(dice.exponential(1.5, seats).tolist()),
                    decisions=int(dice.integers(60, 100)),
                    duplicate=True,
                )
            )
    return results


def standings(
    results: Sequence[Result],
    competition: str = "cup",
    entrants: Iterable[str] = (),
    rating: str = "trueskill",
    replicates: int | None = None,
    **more: Any,
) -> Standings:
    """Compute standings as of a tournament."""
    request = StandingsRequest(
        competition, rating, entrants=tuple(entrants), replicates=replicates, **more
    )
    return compute_standings(results, request)


def rate(
    results: Iterable[Result], rating: str = "trueskill", draws: Mapping[str, float] | None = None
) -> dict[str, Rating]:
    """Return the ratings after these results."""
    fold = RatingFold(rating, draws or {})
    for result in results:
        fold.add(result)
    return fold.ratings
