"""Why a tournament that stops by itself has stopped or goes on, in sentences."""

from __future__ import annotations

from tournaments.model import ALL
from tournaments.ratings import Comparison, StopState, Verdict
from tournaments.report.wording import MINUS, MOST_NAMES, count, listed


def stop_sentence(state: StopState, names: tuple[str, str], *, over: bool) -> str:
    """Say what is settled, after how many sets, or what is not.

    ``names`` are those that a comparison compares, and ``over`` means that no more sets follow.
    """
    if state.comparison is not None:
        return comparison_sentence(state, state.comparison, *names, over=over)
    after = f"after {count(state.sets, 'set', 'sets')} of each table"
    confidence = f"{share(state.rule.confidence)} for all of it together, at any time"
    if state.settled:
        return f"Settled {after}: {_answer(state)} ({confidence})."
    end = f"Not settled {after}, the limit" if over else f"Not settled yet {after}"
    return f"{end}: {_open(state)} ({confidence})."


def _answer(state: StopState) -> str:
    first = state.first
    if state.rule.question == ALL:
        return f"the whole order is {', '.join(first)}"
    if len(first) == 1:
        return f"{first[0]} is ahead of all others"
    return f"the first {len(first)} are {', '.join(first)}, each ahead of all others"


def _open(state: StopState) -> str:
    """Name the pairs that are not told apart, by their better one."""
    by_first: dict[str, list[str]] = {}
    for one, other in state.open:
        by_first.setdefault(one, []).append(other)
    if not by_first:
        return "there is no match"
    shown = [
        f"{one} is not told apart from {listed(others)}"
        for one, others in list(by_first.items())[:MOST_NAMES]
    ]
    left = len(by_first) - len(shown)
    return "; ".join(shown) + (f"; and {left} more" if left else "")


def comparison_sentence(
    state: StopState, found: Comparison, new: str, old: str, *, over: bool
) -> str:
    """Say whether one bot is better than another, by how much, and after how many sets."""
    figures = difference_words(found, state.rule.confidence)
    after = f"after {count(found.sets, 'set', 'sets')}"
    if found.verdict in (Verdict.BETTER, Verdict.WORSE):
        return f"{new} is {found.verdict.value} than {old}: {figures}, {after}."
    if found.verdict is Verdict.NO_DIFFERENCE:
        margin = f"{state.rule.margin:g}"
        return f"{new} and {old} differ by at most {margin} points: {figures}, {after}."
    if not over:
        return f"{new} and {old} are not told apart yet: {figures}, {after}."
    largest = f"no difference larger than {found.largest:.3f} points"
    return f"Not decided {after}, the limit: {new} and {old} have {largest}; {figures}."


def difference_words(found: Comparison, confidence: float) -> str:
    """Write the difference with its interval."""
    bounds = f"{signed(found.low)} to {signed(found.high)}"
    return f"{signed(found.difference)} points ({share(confidence)} interval {bounds})"


def share(value: float) -> str:
    """Write a share of one in percent."""
    return f"{100 * value:.3g} %"


def signed(value: float) -> str:
    """Write a difference with its sign."""
    return f"{value:+.3f}".replace("-", MINUS)
