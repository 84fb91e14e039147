"""Statistics over many games: length, legal moves, scores, ties, wins by seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from referee.devkit.random_play import Playthrough


@dataclass(frozen=True, slots=True)
class Distribution:
    """Mean, standard deviation and range of numbers."""

    mean: float
    deviation: float
    low: int
    high: int

    @classmethod
    def of(cls, values: Sequence[int]) -> Distribution:
        """Return the distribution of a non-empty sequence of numbers."""
        return cls(fmean(values), pstdev(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class GameStatistics:
    """A summary of games of one kind."""

    games: int
    decisions: Distribution
    choices: Distribution
    """The number of legal moves per decision."""
    scores: Distribution
    ties: float
    """The share of games whose first place was shared."""
    wins: tuple[float, ...]
    """The share of wins of each seat; a shared win is divided."""
    endings: Mapping[str, float]


def summarise_games(games: Sequence[Playthrough]) -> GameStatistics:
    """Return the statistics of a non-empty sequence of games of one kind."""
    outcomes = [game.outcome for game in games]
    wins = [0.0] * len(outcomes[0].scores)
    for outcome in outcomes:
        firsts = [seat for seat, place in enumerate(outcome.places) if place == 1]
        for seat in firsts:
            wins[seat] += 1 / len(firsts)
    endings = Counter(str(outcome.ending) for outcome in outcomes)
    return GameStatistics(
        games=len(games),
        decisions=Distribution.of([len(game.decisions) for game in games]),
        choices=Distribution.of([decision.legal for game in games for decision in game.decisions]),
        scores=Distribution.of([score for outcome in outcomes for score in outcome.scores]),
        ties=fmean(outcome.places.count(1) > 1 for outcome in outcomes),
        wins=tuple(won / len(games) for won in wins),
        endings={ending: count / len(games) for ending, count in sorted(endings.items())},
    )
