"""Standings: ratings, skills, figures and crosstables of a tournament, from its results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tournaments.ratings.duplicates import duplicate_gain
from tournaments.ratings.fit import REPLICATES, fit
from tournaments.ratings.order import above, groups, ranks, skills
from tournaments.ratings.rating import (
    draw_probabilities,
    draw_probability,
    history,
    rating_system,
    tie_rate,
)
from tournaments.ratings.tables import crosstable, figures
from tournaments.ratings.values import (
    Figures,
    GameStandings,
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
    make = _Tables(rating, replicates)
    everybody = list(entrants)
    games = _split(results, lambda result: result.game)
    return Standings(
        tournament=tournament,
        rating_system=rating,
        replicates=replicates,
        overall=make.table(results, everybody),
        by_seats=make.by_seats(results),
        by_variant=make.by_variant(results),
        by_game={
            game: GameStandings(
                make.table(mine, everybody), make.by_seats(mine), make.by_variant(mine)
            )
            for game, mine in games.items()
        },
    )


@dataclass(frozen=True, slots=True)
class _Tables:
    """Makes tables from parts of the results; parts that are the same have one table."""

    rating: str
    replicates: int
    _made: dict[tuple[tuple[Result, ...], frozenset[str]], Table] = field(default_factory=dict)
    """By results and entrants."""

    def table(self, results: Sequence[Result], entrants: Iterable[str] = ()) -> Table:
        """Work out the table of some results, with those who may not have played yet."""
        names = frozenset(name for result in results for name in result.entrants).union(entrants)
        key = tuple(results), names
        if key not in self._made:
            self._made[key] = table(results, names, self.rating, self.replicates)
        return self._made[key]

    def by_seats(self, results: Sequence[Result]) -> dict[int, Table]:
        """Work out a table for each size of table, with those who played there."""
        parts = _split(results, lambda result: result.seats)
        return {seats: self.table(mine) for seats, mine in parts.items()}

    def by_variant(self, results: Sequence[Result]) -> dict[str, Table]:
        """Work out a table for each variant, with those who played there."""
        parts = _split(results, lambda result: result.variant)
        return {variant: self.table(mine) for variant, mine in parts.items()}


def _split(results: Sequence[Result], key: Callable[[Result], Key]) -> dict[Key, list[Result]]:
    """Return the results apart by a key; each part stays in the order of the schedule."""
    parts: defaultdict[Key, list[Result]] = defaultdict(list)
    for result in results:
        parts[key(result)].append(result)
    return dict(sorted(parts.items()))


def table(
    results: Sequence[Result],
    entrants: Iterable[str] = (),
    rating: str = "trueskill",
    replicates: int = REPLICATES,
) -> Table:
    """Work out one table from results in the order of the schedule; raises UsageError."""
    told = draw_probabilities(results)
    paths = history(rating_system(rating, told), results, entrants)
    fitted = fit(results, replicates)
    shares = above(fitted)
    runs = groups(fitted, shares)
    lines = _lines(paths, figures(results), skills(fitted), runs)
    names = [line.entrant for line in lines]
    return Table(
        matches=len(results),
        sets=len({result.set_id for result in results}),
        games=tuple(told),
        tie_rate=tie_rate(results),
        draw_probability=draw_probability(results) if len(told) < 2 else None,
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
