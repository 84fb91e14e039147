"""Skills from the whole history at once: the order of the matches makes no difference.

**The model.** Every two entrants of a table are compared. If their skills differ by d, one is
above, level with or below the other with weights exp(d/2), nu and exp(-d/2): Davidson's form of the
model of Bradley and Terry; nu is fitted too. Without ties these are the pairs of a Plackett-Luce
ranking, so the skills are those of that model, and tables of all sizes serve together. The places
at one table depend on each other, so a pair at a table of k weighs 3 / (k + 1): the best weight
among equals.

**Why pairs.** They are counted once for each set; a replicate of the bootstrap is then a weighted
sum of counts and a few steps of Newton's method, for many replicates at once, and is fitted to the
end like the original. Compared with the likelihood of whole rankings this costs 4 % of the
information with three equals at the table and 6 % with four; and last places count as much as
first ones, which is not so where a ranking is built from the top. The libraries for such models do
not serve: choix knows neither ties nor weights, and a thousand replicates of thousands of matches
take hours with trueskillthroughtime.

**Finite skills.** An entrant that has won or lost every match would have no finite skill. So each
entrant also has half a win and half a loss against an opponent of skill 0, and there is half a tie
and half a decision between equals.

**The bootstrap** is over duplicate sets, because the matches of a set share their luck. It is
Rubin's: in each replicate each set has a random weight of mean 1. Exponential weights would make
intervals too narrow for entrants with few sets. With a Gamma distribution of shape (s - 4) / s
instead, the mean of s sets has the variance of Student's t with s - 1 degrees of freedom; s is how
many sets the entrants of the set have played, in the harmonic mean. The half wins and half losses
have exponential weights of their own: otherwise the interval of an entrant that won every match
would have no width.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tournaments.model import Result
from tournaments.ratings.likelihood import Floats, Indices, Observed, Pairs, highest

REPLICATES = 1000
SEED = 20_240_229
"""Fixed, so that equal results have equal intervals; any other number would do."""

PSEUDO = 0.5
"""The number of wins, and of losses, that each entrant has against an opponent of skill 0."""

SMALLEST_SHAPE = 1 / 3
CHUNK = 500_000
"""How many numbers an array of the bootstrap may have."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The skills of those who have played, and how they come out in each replicate."""

    entrants: tuple[str, ...]
    """By name; the skills are in this order."""
    skills: Floats
    """Natural logarithms of the strength; their median is 0."""
    nu: float
    """How much a tie weighs against win and loss."""
    replicates: Floats
    """A row of skills for each replicate; the median of a row is 0."""
    sets: Indices
    """How many sets each entrant has played."""
    matches: Indices
    """How many matches each entrant has played."""


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """What two entrants did to each other in one set, row by row; rows of a pair stand together."""

    entrants: tuple[str, ...]
    pairs: Pairs
    starts: Indices
    """The first row of each pair."""
    sets: Indices
    """The set of each row."""
    outcomes: Floats
    """For each row, the weight of the first above, level with and below the second."""
    played: Indices
    """How many sets each entrant has played."""
    matches: Indices
    """How many matches each entrant has played."""
    shapes: Floats
    """For each set, the shape of the distribution of its weight."""


def expected_points(skills: Floats, nu: float) -> Floats:
    """Return the share of opponents that each is expected to leave below; a row is a table."""
    up = np.exp((skills[:, :, None] - skills[:, None, :]) / 2)
    shares = (up + nu / 2) / (up + 1 / up + nu)
    points: Floats = (shares.sum(axis=2) - 0.5) / (skills.shape[1] - 1)
    return points


def expected_slopes(skills: Floats, nu: float) -> Floats:
    """Return how the expected points of each at a table change with the skill of each."""
    up = np.exp((skills[:, :, None] - skills[:, None, :]) / 2)
    total = up + 1 / up + nu
    slopes: Floats = -(up * total - (up + nu / 2) * (up - 1 / up)) / (2 * total**2)
    own = np.arange(skills.shape[1])
    slopes[:, own, own] = 0.0
    slopes[:, own, own] = -slopes.sum(axis=2)
    slopes /= skills.shape[1] - 1
    return slopes


def fit(results: Sequence[Result], replicates: int = REPLICATES) -> Fit:
    """Fit the skills of all who have played to all results, and to that many replicates."""
    if not results:
        none = np.zeros(0, np.intp)
        return Fit((), np.zeros(0), 1.0, np.zeros((replicates, 0)), none, none)
    counts = _count(results)
    size = len(counts.entrants)
    pseudo = np.full((1, 2, size), PSEUDO)
    found = _solve(counts, np.ones((1, len(counts.shapes))), pseudo, np.zeros((1, size + 1)))
    parts = [_solve(counts, *weights, found) for weights in _weights(counts, replicates)]
    rows = np.concatenate([np.zeros((0, size + 1)), *parts])[:, :-1]
    return Fit(
        entrants=counts.entrants,
        skills=found[0, :-1] - np.median(found[0, :-1]),
        nu=float(np.exp(found[0, -1])),
        replicates=rows - np.median(rows, axis=1, keepdims=True),
        sets=counts.played,
        matches=counts.matches,
    )


def _count(results: Sequence[Result]) -> _Counts:
    """Count who was above whom in which set; whole numbers, so that no order of adding matters."""
    names = sorted({name for result in results for name in result.entrants})
    set_ids = sorted({result.set_id for result in results})
    entrants = {name: n for n, name in enumerate(names)}
    sets = {set_id: n for n, set_id in enumerate(set_ids)}
    by_size: defaultdict[int, list[Result]] = defaultdict(list)
    for result in results:
        by_size[len(result.entrants)].append(result)
    largest = max(by_size)
    seated, keys, outcomes = [], [], []
    for seats, same_size in by_size.items():
        players = np.array([[entrants[name] for name in each.entrants] for each in same_size])
        places = np.array([each.places for each in same_size])
        in_set = np.array([sets[each.set_id] for each in same_size])
        seated.append((in_set[:, None] * len(names) + players).ravel())
        for one, other in combinations(range(seats), 2):
            swapped = players[:, one] > players[:, other]
            first, second = np.where(swapped, players.T[[other, one]], players.T[[one, other]])
            place, its_place = np.where(swapped, places.T[[other, one]], places.T[[one, other]])
            pair = first * len(names) + second
            keys.append((pair * len(set_ids) + in_set) * (largest + 1) + seats)
            outcomes.append((place > its_place).astype(np.intp) + (place >= its_place))
    rows, row = np.unique(np.concatenate(keys), return_inverse=True)
    cells = 3 * row + np.concatenate(outcomes)
    counts = np.bincount(cells, minlength=3 * len(rows)).reshape(-1, 3)
    pairs, starts = np.unique(rows // (largest + 1) // len(set_ids), return_index=True)
    tables = np.unique(np.concatenate(seated))
    played = np.bincount(tables % len(names), minlength=len(names))
    return _Counts(
        entrants=tuple(names),
        pairs=Pairs.of(len(names), pairs // len(names), pairs % len(names)),
        starts=starts,
        sets=rows // (largest + 1) % len(set_ids),
        outcomes=3 / (rows % (largest + 1) + 1)[:, None] * counts,
        played=played,
        matches=np.bincount(np.concatenate(seated) % len(names), minlength=len(names)),
        shapes=_shapes(tables // len(names), played[tables % len(names)]),
    )


def _shapes(sets: Indices, played: Indices) -> Floats:
    """Return the shape of each set's weight, from the number of sets of each of its entrants."""
    order = np.lexsort((played, sets))  # so that names make no difference to the sum
    means = np.bincount(sets) / np.bincount(sets[order], 1 / played[order])
    return np.maximum((means - 4) / means, SMALLEST_SHAPE)


def _weights(counts: _Counts, replicates: int) -> Iterator[tuple[Floats, Floats]]:
    """Draw weights for the sets, and for the wins and losses against skill 0, in chunks."""
    for_sets, for_pseudo = np.random.SeedSequence(SEED).spawn(2)
    sets = np.random.Generator(np.random.PCG64(for_sets))
    pseudo = np.random.Generator(np.random.PCG64(for_pseudo))
    size = len(counts.entrants)
    chunk = max(1, CHUNK // len(counts.sets))
    for start in range(0, replicates, chunk):
        rows = min(chunk, replicates - start)
        yield (
            sets.standard_gamma(counts.shapes, (rows, len(counts.shapes))) / counts.shapes,
            pseudo.standard_exponential((rows, 2, size)) * PSEUDO,
        )


def _solve(counts: _Counts, weights: Floats, pseudo: Floats, start: Floats) -> Floats:
    """Find skills and the logarithm of nu for each row of weights: the highest likelihood."""
    weighted = np.ascontiguousarray(weights.T)[counts.sets]
    above, level, below = (
        np.add.reduceat(weighted * outcome[:, None], counts.starts, axis=0)
        for outcome in counts.outcomes.T
    )
    wins, losses = np.ascontiguousarray(pseudo.transpose(1, 2, 0))
    return highest(counts.pairs, Observed(above, level, below, wins, losses), start.T).T
