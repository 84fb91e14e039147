"""How far duplicate deals reduced the variance of the results, measured on these results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from tournaments.model import Result
from tournaments.ratings.figures import points
from tournaments.ratings.fit import Fit
from tournaments.ratings.standings import DuplicateGain

FEWEST_SETS = 10
ONE_SIDED = 0.05
"""A table is left out if the fit expects less than this share of the points for an entrant."""


@dataclass(slots=True)
class _Spread:
    """Sums of squares over sets of one game, with as many seats and as many matches in each."""

    sets: int = 0
    between: float = 0.0
    within: float = 0.0


def duplicate_gain(results: Sequence[Result], fit: Fit) -> DuplicateGain | None:
    """Compare how mean points over a set vary with how those of independent matches would.

    The points of an entrant in a match vary around what the fit expects at that table. A one-way
    analysis of variance with the sets as classes splits this in two: how far the means of sets lie
    from the expectation (the mean square B), and how far the M matches of a set lie from their mean
    (W). A single match then has the variance (B + (M - 1) W) / M; the mean of M independent ones
    would have that divided by M, and the mean of a set has B / M. The ratio is the second divided
    by the first. The skills were fitted to the same results, which costs B a degree of freedom for
    each entrant but one. What the fit gets wrong about a table makes B, and the ratio, too large
    rather than too small.

    Whole sets of several matches count, in which each entrant had each seat equally often, and
    none is expected to win or to lose nearly everything: where there is hardly any luck, only the
    errors of the fit would be measured. None with fewer than ten of them, or less than two
    degrees of freedom for each that the skills cost.
    """
    spreads: defaultdict[tuple[str, int, int], _Spread] = defaultdict(_Spread)
    entrants: set[str] = set()
    for matches in _whole_sets(results):
        if not _is_balanced(matches[0].entrants, fit):
            continue
        _add(spreads[matches[0].game, matches[0].seats, len(matches)], matches, fit)
        entrants.update(matches[0].entrants)
    freedom = sum(spread.sets * (seats - 1) for (_, seats, _), spread in spreads.items())
    sets = sum(spread.sets for spread in spreads.values())
    skills = len(entrants) - 1
    if sets < FEWEST_SETS or freedom < 2 * skills:
        return None
    of_sets = of_matches = 0.0
    for (_, seats, length), spread in sorted(spreads.items()):
        free = spread.sets * (seats - 1)
        between = spread.between / (free * (1 - skills / freedom))
        within = spread.within / (free * (length - 1))
        of_sets += spread.sets * between / length
        of_matches += spread.sets * (between + (length - 1) * within) / length**2
    return DuplicateGain(of_sets / of_matches, sets) if of_matches else None


def _is_balanced(entrants: Sequence[str], fit: Fit) -> bool:
    expected = fit.points(entrants)
    return min(expected) >= ONE_SIDED and max(expected) <= 1 - ONE_SIDED


def _whole_sets(results: Iterable[Result]) -> list[list[Result]]:
    sets: defaultdict[str, list[Result]] = defaultdict(list)
    for result in results:
        sets[result.set_id].append(result)
    return [matches for matches in sets.values() if _is_whole(matches)]


def _is_whole(matches: Sequence[Result]) -> bool:
    sat = Counter(pair for match in matches for pair in enumerate(match.entrants))
    names = {name for match in matches for name in match.entrants}
    return (
        len(matches) > 1
        and len(names) == matches[0].seats
        and len(sat) == len(names) ** 2
        and len(set(sat.values())) == 1
    )


def _add(spread: _Spread, matches: Sequence[Result], fit: Fit) -> None:
    names = matches[0].entrants
    shares: dict[str, list[float]] = {name: [] for name in names}
    for match in matches:
        for name, share in zip(match.entrants, points(match.places), strict=True):
            shares[name].append(share)
    spread.sets += 1
    for name, expected in zip(names, fit.points(names), strict=True):
        mean = fmean(shares[name])
        spread.between += len(matches) * (mean - expected) ** 2
        spread.within += sum((share - mean) ** 2 for share in shares[name])
