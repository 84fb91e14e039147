"""The standings of a league that goes on: ratings after each match, and now and then everything.

``quick`` learns from one match in constant time; the ladder needs no more. ``full`` makes the
document that people read: tables of the whole league and of its parts, with intervals and groups,
paths of the ratings, and who did what against whom. It is a function of its arguments alone, which
all can be pickled, so that a worker process can do it.

**The fold.** A league does not know its results in advance, so TrueSkill is told how often places
were level in the matches of that game before this one; an imagined ten of which one is level come
first. The ratings are thus a fold over the results in their order, which can be continued.

**Going on.** ``full`` returns a ``Checkpoint``: its folds as they were ``SETTLING`` results before
the last. Given to the next call, only what came after is folded. The last ones are left out because
results are in the order of the schedule: a long match may still come in among them. If anything
before the checkpoint has changed, say because a match was annulled, everything is folded anew. So
the document never depends on whether there was a checkpoint.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from itertools import permutations, product
from typing import Any, Final

from tournaments.league.situation import Ledger, Version
from tournaments.ratings import (
    REPLICATES,
    Figures,
    Rating,
    RatingSystem,
    Skill,
    fit,
    rating_system,
    tie_rate,
)
from tournaments.ratings.order import above, groups, ranks, skills
from tournaments.ratings.rating import DRAWS
from tournaments.ratings.tables import figures
from tournaments.results import Result

MOST_POINTS: Final = 200
"""How many points the path of a rating has at most."""
PART_POINTS: Final = 60
"""The same for the tables of a size or a variant, of which there are many."""
PART_PATHS: Final = 24
"""Of these tables, so many of the best have a path: a plot with more cannot be read."""
SETTLING: Final = 256
"""So many results before the last, nothing new is expected to come in between."""
FULL_REPLICATES: Final = 30
"""Up to so many versions the bootstrap has all its replicates; each costs their number cubed."""
FEWEST_REPLICATES: Final = 60
CROSSED: Final = 4
"""The table of a size and a variant at once has one of so many replicates."""
DECIMALS: Final = 4

_LEVEL_AT_FIRST: Final = 1
_NEIGHBOURS_AT_FIRST: Final = 10
_MORE_AT_LEAST: Final = 10
_MORE_SHARE: Final = 20

Part = tuple[str | None, int | None, str | None]
"""The game, the size of the table and the variant of the results that count; None for all."""

WHOLE: Final[Part] = (None, None, None)

Played = Mapping[str | None, tuple[tuple[int, ...], tuple[str, ...]]]
"""The sizes and the variants that were played of each game, and of all (None)."""


# After every match ------------------------------------------------------------------------------


def new_ledger(rating: str = "trueskill") -> Ledger:
    """Return the ledger of a league that has not begun; raises UsageError for no such rating."""
    return Ledger(rating, rating_system(rating, {}).prior)


def ledger_of(results: Iterable[Result], rating: str = "trueskill") -> Ledger:
    """Return the ledger after these results, each seated and rated in turn."""
    ledger = new_ledger(rating)
    for result in results:
        ledger.seat(result.game, result.variant, [Version.of(name) for name in result.entrants])
        quick(ledger, result)
    return ledger


def quick(ledger: Ledger, result: Result) -> Ledger:
    """Learn from one more match, which has been seated; return the same ledger.

    It takes the results as they come in, while ``full`` takes them in the order of the schedule: so
    the ratings may differ a little, and are those that the scheduler had.
    """
    accounts = [ledger.account(name) for name in result.entrants]
    table = [account.rating for account in accounts]
    after = _learnt(ledger.rating, result, table, ledger.level, ledger.neighbours)
    for account, rating in zip(accounts, after, strict=True):
        account.rating = rating
        account.rated += 1
    return ledger


def _learnt(
    rating: str,
    result: Result,
    table: Sequence[Rating],
    level: Counter[str],
    neighbours: Counter[str],
) -> list[Rating]:
    """Return the ratings after a match, and count how many of its places were level."""
    share = (level[result.game] + _LEVEL_AT_FIRST) / (
        neighbours[result.game] + _NEIGHBOURS_AT_FIRST
    )
    low, high = DRAWS
    system = _system(rating, result.game, round(min(max(share, low), high), 2))
    level[result.game] += result.seats - len(set(result.places))
    neighbours[result.game] += result.seats - 1
    return system.update(result.game, table, result.places)


@lru_cache(maxsize=256)
def _system(rating: str, game: str, draws: float) -> RatingSystem:
    return rating_system(rating, {game: draws})


def is_due(then: int, now: int) -> bool:
    """Tell whether it is time for ``full`` again, by the number of results then and now.

    The interval grows with the league, so that what all of them cost grows no faster than what the
    matches do.
    """
    return now - then >= max(_MORE_AT_LEAST, then // _MORE_SHARE) or now < then or (then < 1 <= now)


# Now and then -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Path:
    """How a rating came about, thinned out as it grows."""

    points: list[tuple[int, int, float, float]]
    """The matches of the version, those of the part, mu and sigma."""
    most: int = MOST_POINTS
    step: int = 1
    """Only each so many matches there is a point."""

    def add(self, matches: int, position: int, rating: Rating) -> None:
        """Go on; the last point is always where the rating is now."""
        if self.points[-1][0] % self.step:
            self.points.pop()
        self.points.append((matches, position, rating.mu, rating.sigma))
        if len(self.points) > self.most:
            self.step *= 2
            last = self.points[-1]
            self.points = [point for point in self.points if point[0] % self.step == 0]
            if self.points[-1] != last:
                self.points.append(last)


@dataclass(slots=True)
class _Fold:
    """The ratings of one part of the league, after some of its results."""

    rating: str
    prior: Rating
    most_points: int = MOST_POINTS
    ratings: dict[str, Rating] = field(default_factory=dict)
    played: Counter[str] = field(default_factory=Counter)
    paths: dict[str, _Path] = field(default_factory=dict)
    matches: int = 0
    level: Counter[str] = field(default_factory=Counter)
    neighbours: Counter[str] = field(default_factory=Counter)

    def add(self, result: Result) -> None:
        """Learn from one more match."""
        table = [self.ratings.get(name, self.prior) for name in result.entrants]
        after = _learnt(self.rating, result, table, self.level, self.neighbours)
        self.matches += 1
        for name, rating in zip(result.entrants, after, strict=True):
            if name not in self.paths:
                start = (0, self.matches - 1, self.prior.mu, self.prior.sigma)
                self.paths[name] = _Path([start], self.most_points)
            self.ratings[name] = rating
            self.played[name] += 1
            self.paths[name].add(self.played[name], self.matches, rating)

    def copied(self) -> _Fold:
        """Return a fold that goes its own way from here; ratings and points are values."""
        return replace(
            self,
            ratings=dict(self.ratings),
            played=Counter(self.played),
            paths={
                name: replace(path, points=list(path.points)) for name, path in self.paths.items()
            },
            level=Counter(self.level),
            neighbours=Counter(self.neighbours),
        )


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The folds of a league after its first results, to go on from."""

    rating: str
    position: int
    digest: str
    """Of the results that it is made from."""
    played: Played
    """What the parts are made by."""
    folds: Mapping[Part, _Fold]


@dataclass(frozen=True, slots=True)
class Full:
    """What ``full`` makes."""

    document: dict[str, Any]
    """Plain values, ready to be written as JSON."""
    checkpoint: Checkpoint


def full(
    results: Sequence[Result],
    *,
    rating: str = "trueskill",
    entrants: Iterable[str] = (),
    current: Mapping[str, str] | None = None,
    before: Checkpoint | None = None,
    replicates: int | None = None,
) -> Full:
    """Work out the standings from results in the order of the schedule; raises UsageError.

    ``entrants`` are versions that may not have played yet, as ratings name them; ``current`` says
    which version each entrant has now, or else it is the one that played last. ``replicates`` are
    those of the bootstrap, or else as many as the number of versions allows.
    """
    checkpoint, folds = _folded(results, rating, before)
    versions = _Versions(results, entrants, current or {})
    parts: defaultdict[Part, list[Result]] = defaultdict(list)
    for result in results:
        for part in _parts(result, checkpoint.played):
            parts[part].append(result)
    tables = {
        part: _table(
            parts[part], folds.get(part) or _new_fold(rating, part), versions, replicates, part
        )
        for part in sorted({WHOLE, *parts}, key=str)
    }
    games = sorted({result.game for result in results})
    document = {
        "results": len(results),
        "rating_system": rating,
        "games": games,
        **_with_parts(tables, None, checkpoint.played),
        "by_game": {
            game: _with_parts(tables, game, checkpoint.played)
            for game in checkpoint.played
            if game is not None
        },
        "entrants": versions.as_dict(),
        "head_to_head": _head_to_head(results),
    }
    return Full(document, checkpoint)


def _played(results: Iterable[Result]) -> Played:
    """Return what was played, by game if there are several."""
    kinds = {(result.game, result.seats, result.variant) for result in results}
    games = sorted({game for game, _, _ in kinds})
    groups: list[str | None] = [None, *games] if len(games) > 1 else [None]
    return {
        group: (
            tuple(sorted({seats for game, seats, _ in kinds if group in (None, game)})),
            tuple(sorted({variant for game, _, variant in kinds if group in (None, game)})),
        )
        for group in groups
    }


def _parts(result: Result, played: Played) -> list[Part]:
    """Return the parts that a result belongs to; what there is one of makes no parts."""
    found: list[Part] = []
    for game in (None, result.game) if result.game in played else (None,):
        sizes, variants = played[game]
        found += product(
            (game,),
            (None, result.seats) if len(sizes) > 1 else (None,),
            (None, result.variant) if len(variants) > 1 else (None,),
        )
    return found


def _new_fold(rating: str, part: Part = WHOLE) -> _Fold:
    points = MOST_POINTS if part[1:] == (None, None) else PART_POINTS
    return _Fold(rating, rating_system(rating, {}).prior, points)


def _folded(
    results: Sequence[Result], rating: str, before: Checkpoint | None
) -> tuple[Checkpoint, dict[Part, _Fold]]:
    """Return where to go on from the next time, and all folds to the end."""
    played = _played(results)
    start = max(0, len(results) - SETTLING)
    if before is None or not _continues(before, results[:start], rating, played):
        before = Checkpoint(rating, 0, _digest(()), played, {WHOLE: _new_fold(rating)})
    settled = {part: fold.copied() for part, fold in before.folds.items()}
    _fold_in(settled, results[before.position : start], rating, played)
    checkpoint = Checkpoint(rating, start, _digest(results[:start]), played, settled)
    folds = {part: fold.copied() for part, fold in settled.items()}
    _fold_in(folds, results[start:], rating, played)
    return checkpoint, folds


def _continues(before: Checkpoint, settled: Sequence[Result], rating: str, played: Played) -> bool:
    return (
        (before.rating, before.played) == (rating, played)
        and before.position <= len(settled)
        and before.digest == _digest(settled[: before.position])
    )


def _digest(results: Iterable[Result]) -> str:
    """Return what changes if anything changes that a rating depends on."""
    hashed = sha256()
    for result in results:
        content = [result.match, result.game, result.variant, result.entrants, result.places]
        hashed.update(json.dumps(content).encode())
    return hashed.hexdigest()


def _fold_in(
    folds: dict[Part, _Fold], results: Iterable[Result], rating: str, played: Played
) -> None:
    for result in results:
        for part in _parts(result, played):
            if part not in folds:
                folds[part] = _new_fold(rating, part)
            folds[part].add(result)


# The document -----------------------------------------------------------------------------------


class _Versions:
    """Which versions there are, whose they are, and which of them play now."""

    def __init__(
        self, results: Sequence[Result], entrants: Iterable[str], current: Mapping[str, str]
    ) -> None:
        played = [name for result in results for name in result.entrants]
        self.first = {name: n for n, name in reversed([*enumerate([*entrants, *played])])}
        """When each was first heard of."""
        self.matches = Counter(played)
        self.of: defaultdict[str, list[Version]] = defaultdict(list)
        for name in sorted(self.first, key=self.first.__getitem__):
            version = Version.of(name)
            self.of[version.entrant].append(version)
        last = {Version.of(name).entrant: Version.of(name) for name in [*self._unplayed(), *played]}
        self.current = {
            entrant: Version(entrant, current[entrant]) if entrant in current else last[entrant]
            for entrant in self.of
        }

    def _unplayed(self) -> list[str]:
        return [name for name in self.first if not self.matches[name]]

    def is_current(self, name: str) -> bool:
        """Tell whether a version is the one that its entrant has now."""
        version = Version.of(name)
        return self.current[version.entrant] == version

    def label(self, name: str) -> str:
        """Return what people call a version: by its number only if there are several."""
        entrant = Version.of(name).entrant
        return name if len(self.of[entrant]) > 1 else entrant

    def as_dict(self) -> dict[str, Any]:
        """Return the versions of each entrant, in the order in which they came."""
        return {
            entrant: [
                {
                    "rated": version.rated,
                    "version": version.version,
                    "label": self.label(version.rated),
                    "current": self.is_current(version.rated),
                    "matches": self.matches[version.rated],
                }
                for version in versions
            ]
            for entrant, versions in sorted(self.of.items())
        }


def _with_parts(
    tables: Mapping[Part, dict[str, Any]], game: str | None, played: Played
) -> dict[str, Any]:
    """Return the table of a game, or of all, with those of its sizes and variants, and of both."""
    sizes, variants = played[game]

    def by_variant(seats: int | None) -> dict[str, Any]:
        parts = {variant: (game, seats, variant) for variant in variants}
        return {name: tables[part] for name, part in parts.items() if part in tables}

    return {
        **tables[game, None, None],
        "sizes": list(sizes),
        "variants": list(variants),
        "by_seats": {
            str(seats): {**tables[game, seats, None], "by_variant": by_variant(seats)}
            for seats in sizes
            if (game, seats, None) in tables
        },
        "by_variant": by_variant(None),
    }


def _table(
    results: Sequence[Result],
    fold: _Fold,
    versions: _Versions,
    replicates: int | None,
    part: Part,
) -> dict[str, Any]:
    """Return one table; that of everything, or of a game, also has those who have not played."""
    absent = versions.first if part[1:] == (None, None) else ()
    names = sorted({*fold.ratings, *absent})
    drawn = _replicates(part, len(fold.ratings)) if replicates is None else replicates
    fitted = fit(results, drawn)
    shares = above(fitted)
    runs = groups(fitted, shares)
    lines = _lines(names, fold, versions, figures(results), skills(fitted))
    for line in lines:
        line["groups"] = [run.letter for run in runs if line["rated"] in run.entrants]
    _add_next(lines, shares)
    return {
        "matches": len(results),
        "sets": len({result.set_id for result in results}),
        "tie_rate": round(tie_rate(results), DECIMALS),
        "bootstrap_replicates": drawn,
        "standings": lines,
        "groups": {run.letter: list(run.entrants) for run in runs},
        "history": _history(fold, [line["rated"] for line in lines], part),
    }


def _replicates(part: Part, versions: int) -> int:
    """Return how many replicates a table has: those of a size and a variant are many, and small."""
    most = replicates_for(versions)
    return most if None in part[1:] else max(FEWEST_REPLICATES, most // CROSSED)


def replicates_for(versions: int) -> int:
    """Return how many replicates the bootstrap can afford with so many versions."""
    affordable = REPLICATES * FULL_REPLICATES**2 // max(1, versions) ** 2
    return min(REPLICATES, max(FEWEST_REPLICATES, affordable))


def _lines(
    names: Sequence[str],
    fold: _Fold,
    versions: _Versions,
    counted: Mapping[str, Figures],
    skill_of: Mapping[str, Skill],
) -> list[dict[str, Any]]:
    """Return a line for each version, by rank; who has not played comes after all others."""
    played = [name for name in names if name in counted]
    rank_of = _ranked(played, fold)
    among_current = _ranked([name for name in played if versions.is_current(name)], fold)
    lines = []
    for name in names:
        rank, skill = rank_of.get(name, len(played) + 1), skill_of.get(name)
        lines.append(
            {
                **_identity(name, versions),
                "rank": rank,
                "rank_low": min(rank, skill.rank_low) if skill else 1,
                "rank_high": max(rank, skill.rank_high) if skill else len(names),
                "rank_among_current": among_current.get(name),
                **_rating(fold.ratings.get(name, fold.prior)),
                **_skill(skill),
                **_figures(counted.get(name, Figures())),
            }
        )
    return sorted(lines, key=lambda line: (line["rank"], line["rated"]))


def _ranked(names: Sequence[str], fold: _Fold) -> dict[str, int]:
    worth = [fold.ratings[name].conservative for name in names]
    return dict(zip(names, ranks(worth), strict=True))


def _identity(name: str, versions: _Versions) -> dict[str, Any]:
    version = Version.of(name)
    return {
        "rated": name,
        "label": versions.label(name),
        "entrant": version.entrant,
        "version": version.version,
        "current": versions.is_current(name),
    }


def _rating(rating: Rating) -> dict[str, Any]:
    return {
        "mu": round(rating.mu, DECIMALS),
        "sigma": round(rating.sigma, DECIMALS),
        "rating": round(rating.conservative, DECIMALS),
    }


def _skill(skill: Skill | None) -> dict[str, Any]:
    return {
        "skill": round(skill.skill, DECIMALS) if skill else None,
        "skill_low": round(skill.low, DECIMALS) if skill else None,
        "skill_high": round(skill.high, DECIMALS) if skill else None,
    }


def _figures(counted: Figures) -> dict[str, Any]:
    return {
        "matches": counted.matches,
        "forfeits": counted.forfeits,
        "wins": round(counted.wins, DECIMALS),
        "places": list(counted.places),
        "mean_place": _rounded(counted.mean_place),
        "mean_score": _rounded(counted.mean_score),
        "points": _rounded(counted.points),
        "seconds_per_match": _rounded(counted.seconds_per_match),
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, DECIMALS)


def _add_next(lines: Sequence[dict[str, Any]], shares: Mapping[str, Mapping[str, float]]) -> None:
    """Add to each line the probability that it is better than the next; None at the end."""
    for n, line in enumerate(lines):
        below = [other["rated"] for other in lines[n + 1 : n + 2]]
        known = shares.get(line["rated"], {})
        line["above_next"] = _rounded(known.get(below[0])) if below else None


def _history(fold: _Fold, by_rank: Sequence[str], part: Part) -> dict[str, list[list[float]]]:
    """Return the path of each rating: matches of the version, of the part, mu, sigma."""
    shown = by_rank if part[1:] == (None, None) else by_rank[:PART_PATHS]
    return {
        name: [
            [matches, position, round(mu, DECIMALS), round(sigma, DECIMALS)]
            for matches, position, mu, sigma in fold.paths[name].points
        ]
        for name in sorted(shown)
        if name in fold.paths
    }


def _head_to_head(results: Iterable[Result]) -> dict[str, dict[str, list[int]]]:
    """Return how often each was above, level with and below each other whom it has met."""
    met: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0, 0])
    )
    for result in results:
        seats = zip(result.entrants, result.places, strict=True)
        for (one, place), (other, its_place) in permutations(seats, 2):
            met[one][other][(place > its_place) + (place >= its_place)] += 1
    return {name: dict(sorted(others.items())) for name, others in sorted(met.items())}
