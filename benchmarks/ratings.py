"""TrueSkill as a fold over many matches, and the order-free fit with its bootstrap.

Results are made up: tables of four in duplicate sets, entrants of different strength. TrueSkill
costs the same for every match, so a short run rates a part and is scaled up; a full run rates all.
"""

from __future__ import annotations

import random
import time
from functools import partial

from benchmarks.measuring import Asked, Chapter, Contestant, Sample
from tournaments.model import Result
from tournaments.ratings import RatingFold, StandingsRequest, compute_standings, fit

SECONDS = "seconds"
SEATS = 4
MANY = 100_000
FITTED = 10_000
REPLICATES = 200


def measure(asked: Asked) -> Chapter:
    """Measure both ratings in turn."""
    chapter = Chapter(
        "ratings",
        "Ratings: seconds of one core",
        f"TrueSkill and OpenSkill over {MANY:,} matches of four; the order-free fit of {FITTED:,} "
        f"matches of four with {REPLICATES} bootstrap samples.",
    )
    part = MANY if asked.full else 20 if asked.tiny else 4000
    fitted = 40 if asked.tiny else FITTED
    some = made_up(part, 200)
    contestants: dict[str, Contestant] = {
        name: partial(_fold, name, some, MANY / part) for name in ("trueskill", "openskill")
    }
    for entrants in (20, 200, 1000):
        results = made_up(fitted, entrants)
        contestants[f"fit, {entrants} entrants"] = partial(_fit, results)
    few = made_up(fitted, 30)
    contestants["whole standings, 30 entrants"] = partial(_standings, few)
    chapter.take_turns(contestants, asked.how_often(1, 3))
    chapter.want(
        f"TrueSkill rates {MANY:,} matches of four in under 3 minutes",
        chapter.median("trueskill", SECONDS),
        most=180,
        unit="s",
    )
    for entrants in (200, 1000):
        chapter.want(
            f"the fit of {FITTED:,} matches of {entrants} entrants with {REPLICATES} samples in "
            "under 30 s",
            chapter.median(f"fit, {entrants} entrants", SECONDS),
            most=30,
            unit="s",
        )
    return chapter


def made_up(matches: int, entrants: int, seed: int = 1) -> list[Result]:
    """Make up the results of duplicate sets; later names are better."""
    dice = random.Random(seed)
    results = []
    for number in range(max(1, matches // SEATS)):
        table = dice.sample(range(entrants), SEATS)
        for turn in range(SEATS):
            order = table[turn:] + table[:turn]
            scores = tuple(round(dice.gauss(10 * n / entrants, 8)) for n in order)
            results.append(
                Result(
                    match=f"{number:06}-{turn + 1}",
                    set_id=f"{number:06}",
                    game="glastonbury",
                    variant="plain",
                    entrants=tuple(f"bot{n:04}" for n in order),
                    places=tuple(1 + sum(other > mine for other in scores) for mine in scores),
                    scores=scores,
                    forfeits=(),
                    used=(0.1,) * SEATS,
                    decisions=60,
                )
            )
    return results


def _fold(name: str, results: list[Result], times: float) -> Sample:
    start = time.process_time()
    fold = RatingFold(name)
    for result in results:
        fold.add(result)
    seconds = (time.process_time() - start) * times
    return {SECONDS: seconds, "µs a match": seconds / MANY * 1e6}


def _fit(results: list[Result]) -> Sample:
    start = time.process_time()
    fit(results, REPLICATES)
    return {SECONDS: time.process_time() - start}


def _standings(results: list[Result]) -> Sample:
    start = time.process_time()
    compute_standings(results, StandingsRequest("bench", replicates=REPLICATES))
    return {SECONDS: time.process_time() - start}
