"""Compare ways to make one rating from many matches, in tournaments with known skills.

    python -m benchmarks.headline [--full]

Twelve entrants play sets at tables of 2, 3 or 4. A performance is the skill plus noise with the
standard deviation beta, so that skills are on the scale of TrueSkill. Of the noise a half may be
luck that the matches of a set share: of the seat, which every entrant of the set has once
(``seat``), or of the entrant, in all matches of the set (``entrant``). The same tournament is
repeated, and each way says:

* cover: how often the skill, with respect to the field, is within 1.96 sigma of mu;
* spread: the standard deviation of mu over the repetitions, divided by sigma: at most 1 is honest;
* tau: Kendall's correlation of the ranking by mu - 3 sigma with the skills.

The ways are TrueSkill match by match, its mean over 8 shuffles, and the whole history at once: with
the sigma of the messages, and with that of the standings. Ladders follow: forty entrants, of whom
those meet that are next to each other by skill plus a random number, so that most never meet;
these are not rated match by match.
Under five minutes; ``--full`` repeats more often, ``--ladders`` leaves out the rest.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from statistics import fmean, pstdev
from typing import Final, NotRequired, TypedDict

from tournaments.model import Result, TrueSkillSettings
from tournaments.ratings import Rating, RatingFold
from tournaments.ratings.whole_history import message_sigmas, rate_history

GAME: Final = "glastonbury"
DRAWS: Final = {GAME: 0.02}
ENTRANTS: Final = 12
SPREAD: Final = 4.0
"""The standard deviation of the skills."""
SHUFFLES: Final = 8
SETTINGS: Final = TrueSkillSettings()
LUCK: Final = {"none": (0.0, 0.0), "seat": (0.5, 0.0), "entrant": (0.0, 0.5)}
"""The shares of the variance of a performance that a seat, or an entrant, keeps for a set."""
SETS: Final = {5: 24, 20: 10, 100: 4}
"""How many sets each entrant plays, and how often the tournament is repeated."""
LADDER_ENTRANTS: Final = 40
LADDERS: Final = ((4.0, 2.0), (8.0, 4.0), (8.0, 1.0))
"""The standard deviations of the skills, and of what is added to them to find neighbours."""
LADDER_SETS: Final = {20: 10, 100: 3}
MORE: Final = 4
"""How many times more repetitions ``--full`` makes."""
FOLDED: Final = 2000
"""Tournaments with more matches are not rated match by match."""

Ratings = dict[str, Rating]


@dataclass
class Found:
    """What the repetitions of a tournament gave."""

    mus: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By entrant, with respect to the field."""
    sigmas: list[float] = field(default_factory=list)
    held: list[bool] = field(default_factory=list)
    taus: list[float] = field(default_factory=list)

    def add(self, ratings: Ratings, skills: dict[str, float]) -> None:
        """Compare ratings with the skills."""
        mean = fmean(rating.mu for rating in ratings.values())
        field_mean = fmean(skills.values())
        for name, rating in ratings.items():
            self.mus[name].append(rating.mu - mean)
            self.sigmas.append(rating.sigma)
            error = rating.mu - mean - (skills[name] - field_mean)
            self.held.append(abs(error) <= 1.96 * rating.sigma)
        signs = [
            (ratings[one].conservative > ratings[other].conservative)
            == (skills[one] > skills[other])
            for one, other in combinations(ratings, 2)
        ]
        self.taus.append(2 * fmean(signs) - 1)

    def __str__(self) -> str:
        repeats = len(self.taus)
        variance = fmean(pstdev(mus) ** 2 for mus in self.mus.values()) * repeats / (repeats - 1)
        sigma = fmean(sigma**2 for sigma in self.sigmas)
        return (
            f"{100 * fmean(self.held):6.1f} %  {(variance / sigma) ** 0.5:6.2f}  "
            f"{sigma**0.5:6.2f}  {fmean(self.taus):6.3f}"
        )


def tournament(
    dice: random.Random,
    skills: dict[str, float],
    seats: int,
    sets: int,
    luck: str,
    apart: float | None = None,
) -> list[Result]:
    """Play rounds in which every entrant plays one set.

    With ``apart``, a ladder: neighbours by skill plus a normal number with this deviation meet.
    Where the first table begins varies, so that a round leaves some entrants out.
    """
    of_seat, of_entrant = (share**0.5 * SETTINGS.beta for share in LUCK[luck])
    own = (1 - sum(LUCK[luck])) ** 0.5 * SETTINGS.beta
    results: list[Result] = []
    for _ in range(sets):
        everyone = dice.sample(sorted(skills), len(skills))
        if apart is not None:
            rung = {name: skills[name] + dice.gauss(0, apart) for name in everyone}
            everyone = sorted(everyone, key=rung.__getitem__)[dice.randrange(seats) :]
        for start in range(0, len(everyone) - seats + 1, seats):
            table = everyone[start : start + seats]
            if apart is not None:
                dice.shuffle(table)
            seat_luck = [dice.gauss(0, of_seat) for _ in table]
            suited = {name: skills[name] + dice.gauss(0, of_entrant) for name in table}
            for turn in range(seats):
                names = table[turn:] + table[:turn]
                shown = [
                    suited[name] + lucky + dice.gauss(0, own)
                    for name, lucky in zip(names, seat_luck, strict=True)
                ]
                set_id = f"{len(results) // seats}"
                results.append(_result(f"{set_id}-{turn}", set_id, names, shown))
    return results


def _result(match: str, set_id: str, names: Sequence[str], shown: Sequence[float]) -> Result:
    places = tuple(1 + sum(other > mine for other in shown) for mine in shown)
    none = (0,) * len(names)
    return Result(match, set_id, GAME, "plain", tuple(names), places, none, (), none, 1)


def ways(
    results: Sequence[Result], dice: random.Random, *, fold: bool
) -> Iterator[tuple[str, Ratings]]:
    """Yield the ratings by each way; match by match only if ``fold``."""
    if fold and len(results) <= FOLDED:
        folds = [_folded(dice.sample(results, len(results))) for _ in range(SHUFFLES)]
        yield "match by match", folds[0]
        yield (
            f"mean of {SHUFFLES} shuffles",
            {
                name: Rating(
                    fmean(each[name].mu for each in folds),
                    fmean(each[name].sigma for each in folds),
                )
                for name in folds[0]
            },
        )
    found = rate_history(results, DRAWS, SETTINGS)
    plain = message_sigmas(results, DRAWS, SETTINGS)
    yield "whole history, plain", {name: Rating(found[name].mu, plain[name]) for name in found}
    yield "whole history", found


def _folded(results: Sequence[Result]) -> Ratings:
    fold = RatingFold("trueskill-sequential", DRAWS)
    for result in results:
        fold.add(result)
    return fold.ratings


def main(times: int, *, ladders_only: bool) -> None:
    """Print a line for each kind of tournament and way."""
    titles = f"{'cover':>8}  {'spread':>6}  {'sigma':>6}  {'tau':>6}"
    print(f"{'seats sets luck':20} {'way':22} {titles}")
    for seats, (sets, repeats), luck in product((2, 3, 4), SETS.items(), LUCK):
        if not ladders_only:
            kind = Kind(seats=seats, sets=sets, luck=luck)
            compare(f"{seats:5} {sets:4} {luck:9}", ENTRANTS, SPREAD, repeats * times, kind)
    for (spread, apart), seats, (sets, repeats), luck in product(
        LADDERS, (2, 4), LADDER_SETS.items(), LUCK
    ):
        kind = Kind(seats=seats, sets=sets, luck=luck, apart=apart)
        title = f"ladder {spread:.0f}/{apart:.0f} {seats:5} {sets:4} {luck:9}"
        compare(title, LADDER_ENTRANTS, spread, repeats * times, kind)


class Kind(TypedDict):
    """What kind of tournament is played."""

    seats: int
    sets: int
    luck: str
    apart: NotRequired[float]


def compare(title: str, size: int, spread: float, repeats: int, kind: Kind) -> None:
    """Repeat a tournament, and print a line for each way."""
    dice = random.Random(" ".join(title.split()))
    skills = {f"bot{n}": dice.gauss(25, spread) for n in range(size)}
    found: defaultdict[str, Found] = defaultdict(Found)
    for _ in range(repeats):
        results = tournament(dice, skills, **kind)
        for way, ratings in ways(results, dice, fold="apart" not in kind):
            found[way].add(ratings, skills)
    for way, each in found.items():
        print(f"{title} {way:22} {each}", flush=True)


if __name__ == "__main__":
    main(MORE if "--full" in sys.argv[1:] else 1, ladders_only="--ladders" in sys.argv[1:])
