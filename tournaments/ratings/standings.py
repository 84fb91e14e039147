"""Standings: ratings, skills, figures and crosstables of a tournament, from its results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from tournaments.ratings.duplicates import duplicate_gain
from tournaments.ratings.fit import REPLICATES, fit
from tournaments.ratings.order import above, groups, ranks, skills
from tournaments.ratings.rating import draw_probability, history, rating_system, tie_rate
from tournaments.ratings.tables import crosstable, figures
from tournaments.ratings.values import (
    Figures,
    Group,
    Point,
    Rating,
    Skill,
    Standing,
    Standings,
    Table,
)
from tournaments.results import Result

Key = TypeVar("Key", int, str)


def standings(
    results: Sequence[Result],
    tournament: str,
    entrants: Iterable[str] = (),
    rating: str = "trueskill",
    replicates: int = REPLICATES,
) -> Standings:
    """Work out the standings from results in the order of the schedule; raises UsageError.

    The entrants are those who may not have played yet; the others are in the results.
    """
    overall = table(results, entrants, rating, replicates)
    by_seats: defaultdict[int, list[Result]] = defaultdict(list)
    by_variant: defaultdict[str, list[Result]] = defaultdict(list)
    for result in results:
        by_seats[result.seats].append(result)
        by_variant[result.variant].append(result)
    return Standings(
        tournament=tournament,
        rating_system=rating,
        replicates=replicates,
        overall=overall,
        by_seats=_parts(by_seats, overall, rating, replicates),
        by_variant=_parts(by_variant, overall, rating, replicates),
    )


def _parts(
    parts: dict[Key, list[Result]], overall: Table, rating: str, replicates: int
) -> dict[Key, Table]:
    """Work out a table for each part of the results, or take the whole where it is the only one."""
    return {
        key: overall
        if len(parts) == 1 and all(line.figures.matches for line in overall.standings)
        else table(results, (), rating, replicates)
        for key, results in sorted(parts.items())
    }


def table(
    results: Sequence[Result],
    entrants: Iterable[str] = (),
    rating: str = "trueskill",
    replicates: int = REPLICATES,
) -> Table:
    """Work out one table from results in the order of the schedule; raises UsageError."""
    told = draw_probability(results)
    paths = history(rating_system(rating, told), results, entrants)
    fitted = fit(results, replicates)
    shares = above(fitted)
    runs = groups(fitted, shares)
    lines = _lines(paths, figures(results), skills(fitted), runs)
    names = [line.entrant for line in lines]
    return Table(
        matches=len(results),
        sets=len({result.set_id for result in results}),
        tie_rate=tie_rate(results),
        draw_probability=told,
        standings=lines,
        above=tuple(tuple(shares.get(row, {}).get(name) for name in names) for row in names),
        crosstable=crosstable(results, names),
        groups=runs,
        duplicates=duplicate_gain(results, fitted),
        history={name: paths[name] for name in names},
    )


def _lines(
    paths: dict[str, tuple[Point, ...]],
    counted: dict[str, Figures],
    skill_of: dict[str, Skill],
    runs: Sequence[Group],
) -> tuple[Standing, ...]:
    ratings = {name: Rating(path[-1].mu, path[-1].sigma) for name, path in paths.items()}
    played = [name for name in ratings if name in skill_of]
    rank_of = dict(zip(played, ranks([ratings[name].conservative for name in played]), strict=True))
    lines = []
    for name, rating in ratings.items():
        rank = rank_of.get(name, len(played) + 1)
        skill = skill_of.get(name)
        lines.append(
            Standing(
                entrant=name,
                rank=rank,
                rank_low=min(rank, skill.rank_low) if skill else 1,
                rank_high=max(rank, skill.rank_high) if skill else len(ratings),
                rating=rating,
                skill=skill,
                groups=tuple(run.letter for run in runs if name in run.entrants),
                figures=counted.get(name, Figures()),
            )
        )
    return tuple(sorted(lines, key=lambda line: (line.rank, line.entrant)))
