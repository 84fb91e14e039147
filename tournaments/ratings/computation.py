"""The standings of a tournament or a league, computed from its results.

They are a function of the results in the order of the schedule: a table of all matches, and one for
each game, each number of seats, each variant, and each number of seats with each variant.

**Continuing.** ``continue_standings`` returns a ``Checkpoint``: its folds as they were ``SETTLING``
results before the last. Given to the next call, only later results are folded. The last ones are
left out because results are in the order of the schedule: a long match may still be committed among
them. If anything before the checkpoint has changed, say because a match was annulled, everything is
folded again. So the standings never depend on whether there was a checkpoint. All arguments and
results can be pickled, so that a worker process can compute them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import product
from typing import Final

from tournaments.model import LeagueSettings, Result, TournamentSettings, Version
from tournaments.ratings.duplicate_gain import duplicate_gain
from tournaments.ratings.figures import figures, head_to_head, tie_rate
from tournaments.ratings.fit import REPLICATES, fit
from tournaments.ratings.rank_intervals import above, groups, ranks, skills
from tournaments.ratings.rating_fold import RatingFold, TableFold, default_draw_probability
from tournaments.ratings.standings import Figures, Part, Skill, Standing, Standings, Table
from tournaments.ratings.versions import Versions

MOST_POINTS: Final = 200
"""How many points the history of a rating has at most."""
PART_POINTS: Final = 60
"""The same in the tables of a size or a variant, of which there are many."""
PART_PATHS: Final = 24
"""How many of the best have a history in these tables: a plot with more cannot be read."""
SETTLING: Final = 256
"""How many results before the last no earlier result is expected any more."""
FULL_REPLICATES: Final = 30
"""Up to this many versions the bootstrap has all its replicates; each costs their number cubed."""
FEWEST_REPLICATES: Final = 60
CROSSED: Final = 4
"""The table of a size and a variant has the replicates of the others divided by this number."""


@dataclass(frozen=True, slots=True)
class StandingsRequest:
    """What the standings are a function of, besides the results."""

    competition: str = ""
    rating: str = "trueskill"
    draw_probability: Mapping[str, float] = field(default_factory=dict)
    """By game; the others have their defaults."""
    entrants: tuple[str, ...] = ()
    """Versions that may not have played yet, as ratings name them."""
    current: Mapping[str, str] = field(default_factory=dict)
    """Which version each entrant has now, or else it is the one that played last."""
    replicates: int | None = None
    """Of the bootstrap; None for as many as the number of versions allows."""
    all_pairs: bool = True
    """Whether every table compares all pairs. A league with hundreds of versions does not: it has
    no matrix ``above``, and ``head_to_head`` in the table of all matches only."""
    players: Callable[[str], Iterable[str]] | None = None
    """Returns the entrants of one game; without it, every entrant plays every game."""

    @classmethod
    def of_tournament(cls, settings: TournamentSettings) -> StandingsRequest:
        """Return the request for the standings of a tournament."""
        return cls(
            settings.title,
            settings.rating,
            settings.draw_probability(),
            tuple(entrant.name for entrant in settings.entrants),
            replicates=REPLICATES,
            players=settings.players_of,
        )

    @classmethod
    def of_league(
        cls, settings: LeagueSettings, entered: Iterable[str], current: Mapping[str, str]
    ) -> StandingsRequest:
        """Return the request for the standings of a league, with the versions entered now."""
        draws = settings.draw_probability()
        return cls(settings.title, settings.rating, draws, tuple(entered), current, all_pairs=False)


def compute_standings(results: Sequence[Result], request: StandingsRequest) -> Standings:
    """Compute the standings from results in the order of the schedule; raises UsageError."""
    return continue_standings(results, request)[0]


# Folding ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The folds after the first results, from which to continue."""

    position: int
    digest: str
    """Of the results and settings that it is made from."""
    folds: Mapping[Part, TableFold]


def continue_standings(
    results: Sequence[Result], request: StandingsRequest, before: Checkpoint | None = None
) -> tuple[Standings, Checkpoint]:
    """Compute the standings, if possible from a checkpoint; raises UsageError."""
    parts = _Parts(results)
    checkpoint = _checkpoint(results, request, parts, before)
    folds = _folded(checkpoint.folds, results[checkpoint.position :], request, parts)
    in_part: defaultdict[Part, list[Result]] = defaultdict(list)
    for result in results:
        for part in parts.of(result):
            in_part[part].append(result)
    versions = Versions(results, request.entrants, request.current)
    tables = {part: _table(part, in_part[part], folds[part], request, versions) for part in folds}
    standings = Standings(
        competition=request.competition,
        rating_system=request.rating,
        tables={
            part: tables[parts.canonical(part)]
            for part in parts.all()
            if parts.canonical(part) in tables
        },
        draw_probability={
            game: request.draw_probability.get(game, default_draw_probability(game))
            for game in sorted({*filter(None, parts.played), *request.draw_probability})
        },
        versions=versions.entries(),
    )
    return standings, checkpoint


def _checkpoint(
    results: Sequence[Result], request: StandingsRequest, parts: _Parts, before: Checkpoint | None
) -> Checkpoint:
    """Return the folds before the last results; continued from a checkpoint that still holds."""
    start = max(0, len(results) - SETTLING)
    if (
        before is None
        or before.position > start
        or before.digest != _digest(results[: before.position], request, parts)
    ):
        before = Checkpoint(0, "", {Part(): _new_fold(request, Part())})
    folds = _folded(before.folds, results[before.position : start], request, parts)
    return Checkpoint(start, _digest(results[:start], request, parts), folds)


def _digest(results: Iterable[Result], request: StandingsRequest, parts: _Parts) -> str:
    """Return a digest of everything that a rating depends on."""
    settings = request.rating, sorted(request.draw_probability.items()), [*parts.played.items()]
    hashed = sha256(json.dumps(settings).encode())
    for result in results:
        content = [result.match, result.game, result.variant, result.entrants, result.places]
        hashed.update(json.dumps(content).encode())
    return hashed.hexdigest()


def _folded(
    before: Mapping[Part, TableFold],
    results: Iterable[Result],
    request: StandingsRequest,
    parts: _Parts,
) -> dict[Part, TableFold]:
    """Return the folds after more results; those before stay as they are."""
    folds = {part: fold.copied() for part, fold in before.items()}
    for result in results:
        for part in parts.of(result):
            if part not in folds:
                folds[part] = _new_fold(request, part)
            folds[part].add(result)
    return folds


def _new_fold(request: StandingsRequest, part: Part) -> TableFold:
    fold = RatingFold(request.rating, request.draw_probability)
    return TableFold(fold, MOST_POINTS if part.is_whole else PART_POINTS)


class _Parts:
    """The parts of a competition. Parts with the same matches share a table."""

    def __init__(self, results: Iterable[Result]) -> None:
        kinds = {result.kind for result in results}
        games = sorted({kind.game for kind in kinds})
        self.played: dict[str | None, tuple[list[int], list[str]]] = {
            group: (
                sorted({seats for game, seats, _ in kinds if group in (None, game)}),
                sorted({variant for game, _, variant in kinds if group in (None, game)}),
            )
            for group in (None, *games)
        }
        """The sizes and the variants that were played of all games (None), and of each."""
        self._of_kind = {
            kind: {
                self.canonical(Part(*part))
                for part in product((None, kind.game), (None, kind.seats), (None, kind.variant))
            }
            for kind in kinds
        }

    def canonical(self, part: Part) -> Part:
        """Return the part by whose name a table is computed."""
        game = None if len(self.played) == 2 else part.game
        sizes, variants = self.played[game]
        return Part(
            game,
            None if len(sizes) == 1 else part.seats,
            None if len(variants) == 1 else part.variant,
        )

    def of(self, result: Result) -> set[Part]:
        """Return the parts by whose names a result counts."""
        return self._of_kind[result.kind]

    def all(self) -> Iterator[Part]:
        """Yield every part in the order of ``Standings.tables``."""
        for game, (sizes, variants) in self.played.items():
            yield Part(game)
            yield from (Part(game, seats) for seats in sizes)
            yield from (Part(game, None, variant) for variant in variants)
            yield from (Part(game, seats, variant) for seats, variant in product(sizes, variants))


# Tables -----------------------------------------------------------------------------------------


def _table(
    part: Part,
    results: Sequence[Result],
    fold: TableFold,
    request: StandingsRequest,
    versions: Versions,
) -> Table:
    """Return one table; that of all matches, or of a game, also has those who have not played."""
    names = sorted({*fold.paths, *_expected(part, request, versions)})
    replicates = request.replicates
    if replicates is None:
        replicates = _replicates(part, len(fold.paths))
    merged = _merged(results, fold.ratings)
    fitted = fit(merged, replicates)
    shares = above(fitted)
    runs = groups(fitted, shares)
    lines = _lines(names, fold.ratings, versions, figures(results), skills(fitted))
    by_rank = [line.rated for line in lines]
    return Table(
        matches=len(results),
        sets=len({result.set_id for result in results}),
        games=tuple(sorted({result.game for result in results})),
        tie_rate=tie_rate(results),
        standings=tuple(
            replace(
                line,
                groups=tuple(run.letter for run in runs if line.rated in run.entrants),
                above_next=shares.get(line.rated, {}).get(following),
            )
            for line, following in zip(lines, [*by_rank[1:], ""], strict=False)
        ),
        above=tuple(tuple(shares.get(row, {}).get(name) for name in by_rank) for row in by_rank)
        if request.all_pairs
        else (),
        head_to_head=head_to_head(results) if request.all_pairs or part == Part() else {},
        groups=runs,
        duplicates=duplicate_gain(merged, fitted),
        history={
            name: tuple(fold.paths[name].points)
            for name in (by_rank if part.is_whole else by_rank[:PART_PATHS])
            if name in fold.paths
        },
        replicates=replicates,
    )


def _expected(part: Part, request: StandingsRequest, versions: Versions) -> Iterable[str]:
    """Return the versions that a table has even if they have not played."""
    if not part.is_whole:
        return ()
    if part.game is not None and request.players is not None:
        return request.players(part.game)
    return versions.names


def _merged(results: Sequence[Result], ratings: RatingFold) -> Sequence[Result]:
    """Return the results for the fit, in which brief versions of an entrant are one.

    These are later versions on probation; the newest stands for all of them. One by one they would
    each be taken for an entrant of medium skill.
    """
    brief = list(filter(ratings.is_on_probation, ratings.ratings))
    newest = {Version.of(name).entrant: name for name in brief}
    if len(newest) == len(brief):
        return results
    stands_for = {name: newest[Version.of(name).entrant] for name in brief}
    return [
        replace(result, entrants=tuple(stands_for.get(name, name) for name in result.entrants))
        for result in results
    ]


def _replicates(part: Part, versions: int) -> int:
    """Return the number of replicates; tables of a size and a variant are many, and small."""
    most = replicates_for(versions)
    return most if None in part[1:] else max(FEWEST_REPLICATES, most // CROSSED)


def replicates_for(versions: int) -> int:
    """Return how many replicates of the bootstrap are affordable with that many versions."""
    affordable = REPLICATES * FULL_REPLICATES**2 // max(1, versions) ** 2
    return min(REPLICATES, max(FEWEST_REPLICATES, affordable))


def _lines(
    names: Sequence[str],
    ratings: RatingFold,
    versions: Versions,
    counted: Mapping[str, Figures],
    skill_of: Mapping[str, Skill],
) -> list[Standing]:
    """Return a line for each version, by rank; who has not played comes after all others."""
    played = [name for name in names if name in counted]
    rank_of = _ranked(played, ratings)
    among_current = _ranked(list(filter(versions.is_current, played)), ratings)
    lines = []
    for name in names:
        rank, skill = rank_of.get(name, len(played) + 1), skill_of.get(name)
        lines.append(
            Standing(
                rated=name,
                rank=rank,
                rank_low=min(rank, skill.rank_low) if skill else 1,
                rank_high=max(rank, skill.rank_high) if skill else len(names),
                rating=ratings.rating_of(name),
                skill=skill,
                groups=(),
                figures=counted.get(name, Figures()),
                label=versions.label(name),
                current=versions.is_current(name),
                rank_among_current=among_current.get(name),
            )
        )
    return sorted(lines, key=lambda line: (line.rank, line.rated))


def _ranked(names: Sequence[str], ratings: RatingFold) -> dict[str, int]:
    worth = [ratings.ratings[name].conservative for name in names]
    return dict(zip(names, ranks(worth), strict=True))
