"""The standings of a tournament or a league, computed from its results.

They are a function of the results in the order of the schedule: a table of all matches, and one for
each game, each number of seats, each variant, and each number of seats with each variant.

**Continuing.** ``continue_standings`` returns a ``Checkpoint``: its folds as they were ``SETTLING``
results before the last. Given to the next call, only later results are folded. The last ones are
left out because results are in the order of the schedule: a long match may still be committed among
them. If anything before the checkpoint has changed, say because a match was annulled or a pair is
left out (``left_out``), everything is folded again. So the standings never depend on whether there
was a checkpoint. The rating of the whole history is never continued: it is computed from all
results each time. All arguments and results can be pickled, so that a worker process can compute
them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from typing import Final

from tournaments.model import (
    WHOLE_HISTORY,
    Claims,
    LeagueSettings,
    Result,
    TournamentSettings,
    TrueSkillSettings,
    Version,
)
from tournaments.ratings.claims import Pair, told_apart
from tournaments.ratings.cycles import cycles
from tournaments.ratings.duplicate_gain import duplicate_gain
from tournaments.ratings.figures import figures, head_to_head, tie_rate
from tournaments.ratings.fit import REPLICATES, Fit, fit
from tournaments.ratings.heterogeneity import heterogeneities, hold_in_each
from tournaments.ratings.left_out import NO_PAIRS, EntrantPairs, find_left_out, pairs_of, rated
from tournaments.ratings.parts import Parts
from tournaments.ratings.rank_intervals import above, groups, ranks, skills
from tournaments.ratings.rating_fold import RatingFold, TableFold, default_draw_probability
from tournaments.ratings.standings import (
    Figures,
    Heterogeneity,
    Part,
    Point,
    Rating,
    Skill,
    Standing,
    Standings,
    Table,
)
from tournaments.ratings.table_effects import KindFindings, kind_findings
from tournaments.ratings.versions import Versions, merge_brief_versions
from tournaments.ratings.whole_history import rate_history

MOST_POINTS: Final = 200
"""How many points the history of a rating has at most."""
PART_POINTS: Final = 60
"""The same in the tables of a size or a variant, of which there are many."""
PART_PATHS: Final = 24
"""How many of the best have a history in these tables: a plot with more cannot be read."""
SETTLING: Final = 256
"""How many results before the last no earlier result is expected any more."""
FULL_REPLICATES: Final = 30
"""Up to this many versions the bootstrap of a league has all its replicates."""
FEWEST_REPLICATES: Final = 250
ALL_LEVEL: Final = 1.0
"""The tie rate where all were level in every match."""
CROSSED: Final = 4
"""The table of a size and a variant has the replicates of the others divided by this number."""


@dataclass(frozen=True, slots=True)
class StandingsRequest:
    """What the standings are a function of, besides the results."""

    competition: str = ""
    rating: str = "trueskill"
    draw_probability: Mapping[str, float] = field(default_factory=dict)
    """By game; the others have their defaults."""
    trueskill: TrueSkillSettings = field(default_factory=TrueSkillSettings)
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
    confidence: float = 0.95
    """Of all claims of a table together."""
    claims: Claims = Claims.FIXED
    count_striking_pairs: bool = False
    """Whether a league rates the results of all pairs (``left_out``)."""

    @classmethod
    def of_tournament(
        cls, settings: TournamentSettings, claims: Claims = Claims.FIXED
    ) -> StandingsRequest:
        """Return the request for the standings of a tournament."""
        return cls(
            settings.title,
            settings.rating,
            settings.draw_probability(),
            settings.trueskill,
            tuple(entrant.name for entrant in settings.entrants),
            replicates=REPLICATES,
            players=settings.players_of,
            confidence=settings.stop.confidence if settings.stop else 0.95,
            claims=Claims.ANYTIME if settings.grows else claims,
        )

    @classmethod
    def of_league(
        cls, settings: LeagueSettings, entered: Iterable[str], current: Mapping[str, str]
    ) -> StandingsRequest:
        """Return the request for the standings of a league, with the versions entered now."""
        return cls(
            settings.title,
            settings.rating,
            settings.draw_probability(),
            settings.trueskill,
            tuple(entered),
            current,
            all_pairs=False,
            claims=Claims.ANYTIME,
            count_striking_pairs=settings.count_striking_pairs,
        )

    def draws_of(self, game: str) -> float:
        """Return the draw probability of a game."""
        return self.draw_probability.get(game) or default_draw_probability(game)


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
    parts = Parts(results)
    residuals = () if request.all_pairs else find_left_out(results)
    if request.count_striking_pairs:
        residuals = tuple(replace(each, left_out=False) for each in residuals)
    left_out = pairs_of(residuals)
    folding = _Folding(request, parts, left_out)
    checkpoint = folding.checkpoint(results, before)
    folds = folding.continued(checkpoint.folds, results[checkpoint.position :])
    in_part: defaultdict[Part, list[Result]] = defaultdict(list)
    for result in results:
        for part in parts.of(result):
            in_part[part].append(result)
    versions = Versions(results, request.entrants, request.current)
    fitted = {part: _fitted(part, in_part[part], folds[part], request, left_out) for part in folds}
    by_kind = {
        kind: kind_findings(kind, whole, fitted[part].fit, request.claims)
        for kind, part in parts.by_kind.items()
        if part in fitted
        and (whole := [each for each in fitted[part].merged if each.seats == kind.seats])
    }
    tables = {
        part: _table(
            part,
            each,
            [by_kind[kind] for kind in parts.kinds(part) if kind in by_kind],
            request,
            versions,
        )
        for part, each in _compared(fitted, parts, request).items()
    }
    standings = Standings(
        competition=request.competition,
        rating_system=request.rating,
        tables={
            part: tables[parts.canonical(part)]
            for part in parts.all()
            if parts.canonical(part) in tables
        },
        draw_probability={
            game: request.draws_of(game)
            for game in sorted({*filter(None, parts.played), *request.draw_probability})
        },
        versions=versions.entries(),
        trueskill=request.trueskill if request.rating.startswith("trueskill") else None,
        residuals=residuals,
    )
    return standings, checkpoint


@dataclass(frozen=True, slots=True)
class _Folding:
    """How results are folded."""

    request: StandingsRequest
    parts: Parts
    left_out: EntrantPairs

    def checkpoint(self, results: Sequence[Result], before: Checkpoint | None) -> Checkpoint:
        """Return the folds before the last results; continued from one that still holds."""
        start = max(0, len(results) - SETTLING)
        if (
            before is None
            or before.position > start
            or before.digest != self._digest(results[: before.position])
        ):
            before = Checkpoint(0, "", {Part(): _new_fold(self.request, Part())})
        folds = self.continued(before.folds, results[before.position : start])
        return Checkpoint(start, self._digest(results[:start]), folds)

    def continued(
        self, before: Mapping[Part, TableFold], results: Iterable[Result]
    ) -> dict[Part, TableFold]:
        """Return the folds after more results; those before stay as they are."""
        folds = {part: fold.copied() for part, fold in before.items()}
        for result in results:
            parts = self.parts.of(result)
            for each in rated((result,), self.left_out):
                for part in parts:
                    if part not in folds:
                        folds[part] = _new_fold(self.request, part)
                    folds[part].add(each)
        return folds

    def _digest(self, results: Iterable[Result]) -> str:
        """Return a digest of everything that a rating depends on."""
        request = self.request
        settings = (
            request.rating,
            sorted(request.draw_probability.items()),
            request.trueskill.as_dict(),
            [*self.parts.played.items()],
            sorted(map(sorted, self.left_out)),
        )
        hashed = sha256(json.dumps(settings).encode())
        for result in results:
            content = [result.match, result.game, result.variant, result.entrants, result.places]
            hashed.update(json.dumps(content).encode())
        return hashed.hexdigest()


def _new_fold(request: StandingsRequest, part: Part) -> TableFold:
    fold = RatingFold(request.rating, request.draw_probability, request.trueskill)
    return TableFold(fold, MOST_POINTS if part.is_whole else PART_POINTS)


# Tables -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Fitted:
    """What the table of a part is made from."""

    results: Sequence[Result]
    rated: Sequence[Result]
    """The results that ratings are made from."""
    fold: TableFold
    merged: Sequence[Result]
    """The results for the fit."""
    fit: Fit
    claimed: frozenset[Pair]
    heterogeneity: tuple[Heterogeneity, ...] = ()


def _fitted(
    part: Part,
    results: Sequence[Result],
    fold: TableFold,
    request: StandingsRequest,
    left_out: EntrantPairs = NO_PAIRS,
) -> _Fitted:
    replicates = request.replicates
    if replicates is None:
        replicates = _replicates(part, len(fold.paths))
    counted = list(rated(results, left_out)) if left_out else results
    merged = merge_brief_versions(counted)
    found = fit(merged, replicates)
    claimed = told_apart(found, request.confidence, request.claims)
    return _Fitted(results, counted, fold, merged, found, claimed)


def _compared(
    fitted: Mapping[Part, _Fitted], parts: Parts, request: StandingsRequest
) -> dict[Part, _Fitted]:
    """Compare the skills in the parts of each game and of all games.

    Where they differ, only the claims stay that hold in each part: those over all games must hold
    in each part of a game with such a difference too.
    """
    found: dict[Part, tuple[Heterogeneity, ...]] = {}
    divided: defaultdict[Part, list[_Fitted]] = defaultdict(list)
    for whole in fitted:
        splits = {
            over: {name: fitted[part] for name, part in split.items() if part in fitted}
            for over, split in parts.splits(whole).items()
        }
        found[whole] = heterogeneities(splits, request.claims)
        for each in found[whole]:
            if each.is_found:
                divided[whole] += splits[each.over].values()
    return {
        part: replace(
            each,
            heterogeneity=found[part],
            claimed=hold_in_each(
                each.claimed,
                chain.from_iterable(
                    divided[whole] for whole in found if part == whole or part == Part()
                ),
            ),
        )
        for part, each in fitted.items()
    }


def _table(
    part: Part,
    fitted: _Fitted,
    kinds: Sequence[KindFindings],
    request: StandingsRequest,
    versions: Versions,
) -> Table:
    """Return one table; that of all matches, or of a game, also has those who have not played."""
    results, fold, claimed = fitted.results, fitted.fold, fitted.claimed
    counted = figures(results)
    names = sorted({*counted, *_expected(part, request, versions)})
    shares = above(fitted.fit)
    runs = groups(fitted.fit, claimed)
    ratings = _ratings(fitted.rated, fold.ratings, request)
    skill_of = skills(fitted.fit, claimed)
    ties = tie_rate(results)
    lines = _lines(
        names, ratings, fold.ratings, versions, counted, skill_of, all_level=ties == ALL_LEVEL
    )
    every_pair = request.all_pairs or part == Part()
    by_rank = [line.rated for line in lines]
    return Table(
        matches=len(results),
        sets=len({result.set_id for result in results}),
        games=tuple(sorted({result.game for result in results})),
        tie_rate=ties,
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
        head_to_head=head_to_head(results) if every_pair else {},
        groups=runs,
        duplicates=duplicate_gain(
            [kind.variances for kind in kinds if kind.variances], request.claims
        ),
        history={
            name: _ending(fold.paths[name].points, ratings[name])
            for name in (by_rank if part.is_whole else by_rank[:PART_PATHS])
            if name in fold.paths
        },
        replicates=len(fitted.fit.replicates),
        told_apart=claimed,
        confidence=request.confidence,
        claims=request.claims,
        heterogeneity=fitted.heterogeneity,
        effects=tuple(kind.effects for kind in kinds if kind.effects),
        cycles=cycles(fitted.merged, request.confidence, request.claims) if every_pair else (),
    )


def _ratings(
    results: Sequence[Result], fold: RatingFold, request: StandingsRequest
) -> Mapping[str, Rating]:
    """Return the ratings that the ranking goes by, of all that have played."""
    if request.rating != WHOLE_HISTORY:
        return fold.ratings
    draws = {game: request.draws_of(game) for game in {result.game for result in results}}
    return rate_history(results, draws, request.trueskill)


def _ending(points: Sequence[Point], rating: Rating) -> tuple[Point, ...]:
    """Return a history whose last point is the rating of the standings."""
    return *points[:-1], replace(points[-1], mu=rating.mu, sigma=rating.sigma)


def _expected(part: Part, request: StandingsRequest, versions: Versions) -> Iterable[str]:
    """Return the versions that a table has even if they have not played."""
    if not part.is_whole:
        return ()
    if part.game is not None and request.players is not None:
        return request.players(part.game)
    return versions.names


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
    ratings: Mapping[str, Rating],
    fold: RatingFold,
    versions: Versions,
    counted: Mapping[str, Figures],
    skill_of: Mapping[str, Skill],
    *,
    all_level: bool,
) -> list[Standing]:
    """Return a line for each version, by rank; who is not rated comes after all others.

    Where all were level in every match, they share a rank: by what they have played and in which
    seats, their ratings may differ.
    """
    played = [name for name in names if name in ratings]
    worth = {name: 0.0 if all_level else ratings[name].conservative for name in played}
    rank_of = _ranked(played, worth)
    among_current = _ranked(list(filter(versions.is_current, played)), worth)
    lines = []
    for name in names:
        rank, skill = rank_of.get(name), skill_of.get(name)
        lines.append(
            Standing(
                rated=name,
                rank=rank,
                rank_low=min(rank, skill.rank_low) if rank and skill else rank and 1,
                rank_high=max(rank, skill.rank_high) if rank and skill else rank and len(played),
                rating=ratings.get(name) or _beginning(name, ratings, fold),
                skill=skill,
                groups=(),
                figures=counted.get(name, Figures()),
                label=versions.label(name),
                current=versions.is_current(name),
                rank_among_current=among_current.get(name),
            )
        )
    return sorted(lines, key=lambda line: (line.rank or len(lines) + 1, line.rated))


def _beginning(name: str, ratings: Mapping[str, Rating], fold: RatingFold) -> Rating:
    """Return the rating that a version begins with."""
    before = fold.newest.get(Version.of(name).entrant)
    return Rating(ratings[before].mu, fold.prior.sigma) if before else fold.prior


def _ranked(names: Sequence[str], worth: Mapping[str, float]) -> dict[str, int]:
    return dict(zip(names, ranks([worth[name] for name in names]), strict=True))
