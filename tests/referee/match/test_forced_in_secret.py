"""A move that only its owner knows to be forced: asked for, timed, recorded and verified."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from itertools import count
from typing import Any

import pytest

from engine.game import Seat
from engine.registry import find_game
from engine.shuffle import Seed
from referee.devkit.rerun import Recording
from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import MatchPlan, Question
from referee.match.result import MatchResult
from referee.model.clock import TimeControl
from referee.model.policy import Policy
from referee.record.format import RecordError
from referee.record.verify import replay_record, verify_record
from referee.transports.in_process import InProcessPlayer
from tests.referee.record.test_record import forged
from tests.virtual_time import run

GAME = find_game("gargon")
CONTROL = TimeControl(
    per_move=timedelta(seconds=1),
    bank=timedelta(seconds=5),
    increment=timedelta(seconds=0.5),
    start_up=timedelta(0),
    latency=timedelta(0),
)


def wish(question: Question) -> Any:
    """Choose another move for each decision, the same in every run."""
    return question.legal[7 * question.decision % len(question.legal)]


def plan_of(seed: int) -> MatchPlan:
    return MatchPlan(
        "m1",
        GAME,
        GAME.spec.options(3),
        Seed(seed.to_bytes(32, "big")),
        b"salt",
        ("ann", "bob", "cleo"),
        CONTROL,
        Policy(),
    )


def play(seed: int, choose: Callable[[Question], Any]) -> tuple[MatchResult, list[Question]]:
    asked: list[Question] = []

    def noted(question: Question) -> Any:
        asked.append(question)
        return choose(question)

    async def story() -> MatchResult:
        lag = LagMeter()
        try:
            return await Match(
                plan_of(seed), [InProcessPlayer(noted) for _ in range(3)], lag
            ).play()
        finally:
            lag.stop()

    return run(story()), asked


@cache
def deal_with_a_secret() -> tuple[int, int]:
    """Return a seed, and the number of its first decision with one legal move that is asked."""
    for seed in count(1):
        for question in play(seed, wish)[1]:
            if len(question.legal) == 1:
                return seed, question.decision
    raise AssertionError("there is always another seed")


def lines_of(record: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.splitlines()]


def played(choose_there: Callable[[Question], Any] = wish) -> tuple[MatchResult, dict[str, Any]]:
    """Play the match, with another choice at the secret; return it, and the line of the secret."""
    seed, number = deal_with_a_secret()
    result, _ = play(seed, lambda q: (choose_there if q.decision == number else wish)(q))
    verify_record(result.record)
    return result, lines_of(result.record)[number + 1]


def after(seconds: float) -> Callable[[Question], Any]:
    async def choose(question: Question) -> Any:
        await asyncio.sleep(seconds)
        return wish(question)

    return choose


def test_it_is_asked_and_the_time_is_recorded() -> None:
    result, line = played(after(0.25))
    assert (line["legal"], line["ms"], line["asked"]) == (1, 250, True)
    others = [each for each in lines_of(result.record) if each.get("legal") == 1]
    assert any("asked" not in each and each["ms"] == 0 for each in others)


def test_faults_count_as_in_any_other_decision() -> None:
    _, line = played(lambda _: "stop")
    assert [verdict["fault"] for verdict in line["verdicts"]] == ["illegal_move"] * 4
    assert [verdict["reaction"] for verdict in line["verdicts"]] == ["reject"] * 3 + ["strike"]
    result, line = played(after(3600))
    assert [verdict["fault"] for verdict in line["verdicts"]] == ["time_out"]
    assert result.strikes == {"time_out": 1}


def test_it_can_be_asked_again_from_the_record() -> None:
    result, line = played(after(0.25))
    recording = Recording.read(result.record)
    numbers = [asked.played.n for asked in recording.questions(Seat(line["seat"]))]
    assert line["n"] in numbers


def test_a_forfeited_seat_is_not_asked_and_the_record_cannot_say_so() -> None:
    def crash(question: Question) -> Any:
        if question.seat == 0:
            raise ValueError("gone")
        return wish(question)

    def secrets_of_seat_0(record: bytes) -> list[dict[str, Any]]:
        lines, positions = lines_of(record), replay_record(record).positions
        found = [x for x in lines if x["kind"] == "decision" and x["seat"] == 0]
        return [x for x in found if GAME.secretly_forced(positions[x["n"] - 1].state, Seat(0))]

    records = (play(seed, crash)[0].record for seed in count(1))
    record = next(record for record in records if secrets_of_seat_0(record))
    verify_record(record)
    lines, secret = lines_of(record), secrets_of_seat_0(record)[0]
    assert "asked" not in secret
    lines[secret["n"] + 1]["asked"] = True
    with pytest.raises(RecordError, match="asked must not be there, for seat 0 forfeited"):
        verify_record(forged(lines))


def test_records_of_older_programs_in_which_it_was_not_asked_are_valid() -> None:
    result, line = played()
    lines = lines_of(result.record)
    old = lines[line["n"] + 1]
    del old["asked"]
    old["ms"] = 0
    verify_record(forged(lines))
    old["ms"] = 1
    with pytest.raises(RecordError, match="ms must be 0"):
        verify_record(forged(lines))


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda line: line["legal"] > 1, "only for a forced move that looks like a choice"),
        (lambda line: line["legal"] == 1, "only for a forced move that looks like a choice"),
    ],
    ids=["a choice", "a move that all know to be forced"],
)
def test_asked_stands_nowhere_else(edit: Callable[[Any], bool], problem: str) -> None:
    lines = lines_of(played()[0].record)
    wrong = next(x for x in lines if x["kind"] == "decision" and "asked" not in x and edit(x))
    wrong["asked"] = True
    with pytest.raises(RecordError, match=problem):
        verify_record(forged(lines))


def test_asked_is_true_or_missing() -> None:
    result, line = played()
    lines = lines_of(result.record)
    lines[line["n"] + 1]["asked"] = 1
    with pytest.raises(RecordError, match="asked is not true"):
        verify_record(forged(lines))
