"""Whether the question of a tournament is settled by its results so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tournaments.model import DIFFERENCE, Result, StopRule, TournamentSettings
from tournaments.ratings.claims import Pair
from tournaments.ratings.computation import StandingsRequest, compute_standings
from tournaments.ratings.sequential_test import Comparison, Verdict, compare, set_differences
from tournaments.ratings.standings import Table


@dataclass(frozen=True, slots=True)
class StopState:
    """How far a tournament is from the answer to its question."""

    rule: StopRule
    sets: int
    """How many sets the tables have that have most."""
    first: tuple[str, ...] = ()
    """The entrants that the question is about, the best one first: N of them, or all."""
    open: tuple[Pair, ...] = ()
    """The pairs that are not told apart and would have to be, the better one by skill first."""
    comparison: Comparison | None = None
    """In a comparison: what the differences show."""

    @property
    def settled(self) -> bool:
        """Whether the question has an answer."""
        if self.comparison is not None:
            return self.comparison.verdict is not Verdict.UNDECIDED
        return self.sets > 0 and not self.open

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        found = self.comparison
        about: dict[str, Any] = {
            "stop_when": self.rule.question,
            "confidence": self.rule.confidence,
            "max_sets": self.rule.max_sets,
            "sets": self.sets,
            "settled": self.settled,
        }
        if found is None:
            pairs = [list(pair) for pair in self.open]
            return {**about, "first": list(self.first), "not_told_apart": pairs}
        return {
            **about,
            "margin": self.rule.margin,
            "verdict": found.verdict.value,
            "difference": round(found.difference, 6),
            "low": round(found.low, 6),
            "high": round(found.high, 6),
        }


def stop_state(
    settings: TournamentSettings, results: Sequence[Result], table: Table | None = None
) -> StopState | None:
    """Return how far a tournament is from its answer; None if it has no question.

    ``results`` are in the order of the schedule, and ``table`` is that of all matches, which is
    computed if it is not given.
    """
    rule = settings.stop
    if rule is None:
        return None
    if rule.question == DIFFERENCE:
        two = settings.challenger or "", settings.baseline or ""
        found = compare(set_differences(results, *two), rule.confidence, rule.margin)
        return StopState(rule, found.sets, comparison=found)
    if table is None:
        table = compute_standings(results, StandingsRequest.of_tournament(settings)).overall
    names = _by_claims(table)
    first = tuple(names[: rule.top])
    return StopState(rule, sets_per_table(results), first, open_pairs(rule, table))


def open_pairs(rule: StopRule, table: Table) -> tuple[Pair, ...]:
    """Return the pairs of a table that are not told apart and would have to be.

    For "top N" these are the pairs of one of the first N and one of the others, where the first N
    are those that most others are claimed to be worse than, and then the best by skill. For "all"
    they are all pairs.
    """
    names = _by_claims(table)
    if rule.top is None:
        pairs: Collection[Pair] = list(combinations(names, 2))
    else:
        pairs = [(one, other) for one in names[: rule.top] for other in names[rule.top :]]
    return tuple(
        (one, other)
        for one, other in pairs
        if not table.is_ahead(one, other) and not (rule.top is None and table.is_ahead(other, one))
    )


def _by_claims(table: Table) -> list[str]:
    """Return who has played, those first that most others are claimed to be worse than."""
    worse = Counter(better for better, _ in table.told_apart)
    skill = {line.rated: line.skill.skill for line in table.standings if line.skill is not None}
    return sorted(skill, key=lambda name: (-worse[name], -skill[name], name))


def sets_per_table(results: Sequence[Result]) -> int:
    """Return how many sets those tables have that have most."""
    tables = {result.set_id: (result.kind, frozenset(result.entrants)) for result in results}
    return max(Counter(tables.values()).values(), default=0)
