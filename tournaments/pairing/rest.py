"""When a league rests: whether the question that it plays for is settled.

The question is asked about the versions that are present, in the order of their skills: about each
two neighbours for the order, about the best and each other one for the leader. Two versions are
settled if the standings claim that the one is better than the other; and if they do not, because
the two are too close: if the intervals of both skills are narrower than the width that the league
states, or if they have met as often as it says. Two equal bots are never told apart, so a league
without these two limits would not rest.

A version with fewer matches than a newcomer gets leaves the question open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tournaments.model import Pace, Settle, Version
from tournaments.pairing.league_stats import LeagueStats

Line = Mapping[str, Any]
"""A line of the standings as their document has it."""
Claimed = Mapping[str, Sequence[str]]
"""By version as ratings name it, those that the standings claim to be worse."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """How far the question of a league is settled."""

    is_settled: bool
    why: str
    """A sentence without its full stop."""


def settlement(
    pace: Pace,
    table: Mapping[str, Any] | None,
    present: Iterable[Version],
    stats: LeagueStats,
) -> Settlement:
    """Return whether the question of a league is settled among those present, and why.

    ``table`` is the document of the standings of all matches, or None before the first match.
    """
    if pace.settle == Settle.NEVER:
        return Settlement(is_settled=False, why="the league does not rest")
    line_of = {line["rated"]: line for line in table["standings"]} if table else {}
    claimed: Claimed = table["told_apart"] or {} if table else {}
    there = sorted(present)
    if len({version.entrant for version in there}) < 2:
        return _open(pace, "there are no two bots to compare")
    least = max(1, pace.newcomer_matches)
    for version in there:
        line = line_of.get(version.rated)
        if line is None or line["skill"] is None or line["matches"] < least:
            played = line["matches"] if line else 0
            return _open(pace, f"{version} has {played} matches in the standings")
    by_skill = sorted((line_of[each.rated] for each in there), key=lambda line: -line["skill"])
    apart = 0
    pairs = list(_pairs(pace, by_skill))
    for one, other in pairs:
        if other["rated"] in claimed.get(one["rated"], ()):
            apart += 1
        elif not _is_close(pace, one, other, stats):
            return _open(pace, f"{one['label']} and {other['label']} are not told apart")
    return Settlement(is_settled=True, why=_settled(pace, len(there), apart, len(pairs) - apart))


def _pairs(pace: Pace, by_skill: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Return the pairs that the question is about, of different entrants, the better one first."""
    best = by_skill[0]
    asked = pairwise(by_skill) if pace.settle == Settle.ORDER else ((best, x) for x in by_skill[1:])
    return (pair for pair in asked if pair[0]["entrant"] != pair[1]["entrant"])


def _is_close(pace: Pace, one: Line, other: Line, stats: LeagueStats) -> bool:
    """Return whether two versions are known as precisely as the league wants to know them."""
    width = max(line["skill_high"] - line["skill_low"] for line in (one, other))
    if pace.settle_width and width <= pace.settle_width:
        return True
    met = stats.met_as(one["rated"], other["rated"])
    return bool(pace.settle_meetings) and met >= pace.settle_meetings


def _open(pace: Pace, why: str) -> Settlement:
    question = "the order" if pace.settle == Settle.ORDER else "which bot is the best"
    return Settlement(is_settled=False, why=f"{question} is not settled: {why}")


def _settled(pace: Pace, bots: int, apart: int, close: int) -> str:
    what = "the order of" if pace.settle == Settle.ORDER else "the best of"
    parts = [f"{apart} {_pairs_of(apart)} told apart"] if apart else []
    if close:
        parts.append(
            f"{close} {_pairs_of(close)} too close: skills known within {pace.settle_width:g}, or "
            f"{pace.settle_meetings} meetings"
        )
    return f"{what} the {bots} bots that are here is settled, {' and '.join(parts)}"


def _pairs_of(number: int) -> str:
    return "pair is" if number == 1 else "pairs are"
