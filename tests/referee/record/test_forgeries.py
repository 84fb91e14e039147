"""Forged records with correct hashes: what ``verify`` finds, and what no check can find.

The corpus are honest records of matches in which bots do everything wrong, see ``chaos.py``. Each
forgery changes a copy and computes all hashes anew. ``docs/reference/record-format.md`` lists the
forgeries of ``UNDETECTABLE``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from referee.record.format import RecordError
from referee.record.reader import read_record
from referee.record.verify import verify_record
from tests.referee.record import head_forgeries
from tests.referee.record.chaos import chaotic_record
from tests.referee.record.forgeries import (
    FOUND,
    Fields,
    Forgery,
    asked,
    blamed,
    by_verdict,
    decisions,
    judged,
    placed,
)
from tests.tournaments.record_files import lines_of, sealed

HONEST = {"nothing": lambda _lines, _chance: True} | head_forgeries.HONEST
DATA = Path(__file__).parents[2] / "data"
MATCHES = range(480)
TRIED = 12
"""The number of their records on which each forgery is tried."""


# Forgeries that no check can find -----------------------------------------------------------------


def faster_answers(lines: list[Fields], chance: Random) -> bool:
    """Change a time within the clock: it is what the referee says."""
    found = asked(lines)
    if found:
        line = chance.choice(found)
        line["ms"] = round(line["ms"] / 2, 3)
    return bool(found)


def other_entrants(lines: list[Fields], _chance: Random) -> bool:
    """Change who sat there: it is what the referee says."""
    lines[0]["seats"].reverse()
    names = [seat["entrant"] for seat in lines[0]["seats"]]
    for seat, name in zip(lines[0]["seats"], reversed(names), strict=True):
        seat["entrant"] = f"x {name}"
    if "colour" in lines[0]["seats"][0]:
        lines[0]["seats"].reverse()
    return True


def other_words(lines: list[Fields], chance: Random) -> bool:
    """Change details: they are sentences for people."""
    causes = by_verdict(lines)
    if causes:
        cause = chance.choice(causes)
        for line, verdict in judged(lines, "forfeit"):
            if line["n"] == cause["n"]:
                verdict["detail"] = cause["detail"] = "other words"
    return bool(causes)


def absence_erased(lines: list[Fields], _chance: Random) -> bool:
    """Say that an absent seat played its default moves itself, in no time."""
    there = {id(cause) for cause in by_verdict(lines)}
    absent = [cause for cause in blamed(lines) if id(cause) not in there]
    for cause in absent:
        lines[-1]["causes"].remove(cause)
        lines[-1]["forfeits"].remove(cause["seat"])
    placed(lines)
    return bool(absent)


def rejected_answer_invented(lines: list[Fields], chance: Random) -> bool:
    """Invent a malformed message before a good answer, where the policy tolerates it."""
    policy = lines[0]["policy"]
    found = [line for line in asked(lines) if not line.get("verdicts")]
    if not found or policy["malformed"] != "reject" or not policy["rejections"]:
        return False
    verdict = {"fault": "malformed", "reaction": "reject", "said": "x", "detail": "", "ms": 0}
    chance.choice(found)["verdicts"] = [verdict]
    return True


def crash_called_an_answer(lines: list[Fields], _chance: Random) -> bool:
    """Erase forfeits with their verdicts and causes: default moves that were played in time."""
    faults = {verdict["fault"] for _, verdict in judged(lines)}
    if not faults or not faults <= {"crash", "disconnect"}:
        return False
    longest = max(line["ms"] for line, _ in judged(lines))
    if longest > 1000 * lines[0]["time_control"]["per_move"]:
        return False
    for cause in by_verdict(lines):
        lines[-1]["causes"].remove(cause)
        lines[-1]["forfeits"].remove(cause["seat"])
    for line in decisions(lines):
        line.pop("verdicts", None)
    placed(lines)
    return True


def stricter_policy_that_was_never_needed(lines: list[Fields], _chance: Random) -> bool:
    faults = {verdict["fault"] for _, verdict in judged(lines)}
    if "crash" in faults:
        return False
    policy = lines[0]["policy"]
    policy["crash"] = "strike" if policy["crash"] == "forfeit" else "forfeit"
    return True


def longer_time_out(lines: list[Fields], _chance: Random) -> bool:
    """Say that a bot was silent for longer: it was late in either case."""
    found = [pair for pair in judged(lines) if pair[1]["fault"] == "time_out"]
    for line, verdict in found:
        line["ms"] = verdict["ms"] = verdict["ms"] + 60_000
    return bool(found)


UNDETECTABLE: dict[str, Forgery] = {
    each.__name__.replace("_", " "): each
    for each in (
        faster_answers,
        other_entrants,
        other_words,
        absence_erased,
        rejected_answer_invented,
        crash_called_an_answer,
        stricter_policy_that_was_never_needed,
        longer_time_out,
    )
}


# The tests ----------------------------------------------------------------------------------------


def corpus() -> Iterator[bytes]:
    for number in MATCHES:
        yield chaotic_record(number)


def forged(forgery: Forgery) -> Iterator[tuple[int, bytes]]:
    """Apply a forgery to every record that has what it changes."""
    for number, data in enumerate(corpus()):
        lines = lines_of(data)
        if forgery(lines, Random(number)):  # noqa: S311  no secret
            yield number, sealed(lines)


def problem(data: bytes) -> str | None:
    try:
        verify_record(data)
    except RecordError as error:
        return str(error)
    return None


@pytest.mark.slow
def test_every_honest_record_is_correct() -> None:
    wrong = {number: said for number, data in enumerate(corpus()) if (said := problem(data))}
    assert wrong == {}


def test_the_corpus_has_every_fault_with_every_reaction() -> None:
    verdicts = {
        (verdict["fault"], verdict["reaction"])
        for data in corpus()
        for _, verdict in judged(lines_of(data))
    }
    rejected = {(fault, "reject") for fault in ("illegal_move", "malformed")}
    faults = ("illegal_move", "malformed", "time_out", "disconnect", "crash")
    assert verdicts == rejected | {
        (f, reaction) for f in faults for reaction in ("strike", "forfeit")
    }
    absent = {c["fault"] for d in corpus() for c in blamed(lines_of(d)) if "is away" in c["detail"]}
    assert absent == {"benched", "disconnect", "crash"}


@pytest.mark.parametrize("path", sorted((DATA / "greedy").iterdir()), ids=lambda path: path.name)
def test_the_records_of_earlier_versions_are_correct(path: Path) -> None:
    assert problem(read_record(path)) is None


ALL_FOUND = FOUND | head_forgeries.FOUND


@pytest.mark.parametrize("forgery", ALL_FOUND.values(), ids=ALL_FOUND)
def test_a_forgery_is_found_in_every_record(
    forgery: Forgery, record_property: Callable[[str, object], None]
) -> None:
    tried = dict(islice(forged(forgery), TRIED))
    accepted = [number for number, data in tried.items() if problem(data) is None]
    record_property("records forged", len(tried))
    record_property("accepted", len(accepted))
    assert len(tried) > 3
    assert accepted == []


@pytest.mark.parametrize("forgery", UNDETECTABLE.values(), ids=UNDETECTABLE)
def test_what_no_check_can_find_is_listed_in_the_reference(forgery: Forgery) -> None:
    """A record alone cannot show these: if one is found one day, the list must become shorter."""
    tried = dict(islice(forged(forgery), TRIED))
    assert len(tried) > 3
    assert [number for number, data in tried.items() if problem(data) is not None] == []


@pytest.mark.parametrize("change", HONEST.values(), ids=HONEST)
def test_a_copy_without_a_forgery_is_correct(change: Forgery) -> None:
    """Otherwise the copying, or a key that the head may have, would be what is found."""
    assert [problem(data) for _, data in islice(forged(change), TRIED)] == [None] * TRIED
