"""What many games have in common: length, choice, scores, ties, the worth of each seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from tournaments.random_play import Playthrough


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, standard deviation and range of a figure."""

    mean: float
    deviation: float
    low: int
    high: int

    @classmethod
    def of(cls, values: Sequence[int]) -> Spread:
        """Describe a non-empty sequence of numbers."""
        return cls(fmean(values), pstdev(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Figures:
    """A summary of games of one kind."""

    games: int
    decisions: Spread
    choices: Spread
    """How many legal moves a decision had."""
    scores: Spread
    ties: float
    """The share of games whose first place was shared."""
    wins: tuple[float, ...]
    """The share of wins of each seat; a shared win counts in parts."""
    endings: Mapping[str, float]


def figures(games: Sequence[Playthrough]) -> Figures:
    """Summarise games of one kind; there must be at least one."""
    outcomes = [game.outcome for game in games]
    wins = [0.0] * len(outcomes[0].scores)
    for outcome in outcomes:
        firsts = [seat for seat, place in enumerate(outcome.places) if place == 1]
        for seat in firsts:
            wins[seat] += 1 / len(firsts)
    endings = Counter(str(outcome.ending) for outcome in outcomes)
    return Figures(
        games=len(games),
        decisions=Spread.of([len(game.decisions) for game in games]),
        choices=Spread.of([decision.legal for game in games for decision in game.decisions]),
        scores=Spread.of([score for outcome in outcomes for score in outcome.scores]),
        ties=fmean(outcome.places.count(1) > 1 for outcome in outcomes),
        wins=tuple(won / len(games) for won in wins),
        endings={ending: count / len(games) for ending, count in sorted(endings.items())},
    )
