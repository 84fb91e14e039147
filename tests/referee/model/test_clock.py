"""Time as arithmetic: every case worked by hand, in seconds."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

import pytest

from engine.errors import UsageError
from referee.model.clock import Clock, TimeControl

TICK = timedelta(microseconds=1)


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def control(
    per_move: float = 0,
    bank: float = 0,
    increment: float = 0,
    start_up: float = 0,
    latency: float = 0,
) -> TimeControl:
    return TimeControl(*map(seconds, (per_move, bank, increment, start_up, latency)))


class Turn(NamedTuple):
    """How long a decision may take, how long it takes, and the bank after it."""

    limit: float
    used: float
    in_time: bool
    bank: float


CASES = {
    "per move only: nothing is saved for later": (
        control(per_move=2),
        [Turn(2, 0.5, True, 0), Turn(2, 2, True, 0), Turn(2, 2.1, False, 0), Turn(2, 0, True, 0)],
    ),
    "bank only: it never comes back": (
        control(bank=10),
        [Turn(10, 4, True, 6), Turn(6, 6, True, 0), Turn(0, 0, True, 0), Turn(0, 0.1, False, 0)],
    ),
    "bank with increment: quick decisions save time": (
        control(bank=10, increment=1),
        [Turn(10, 4, True, 7), Turn(7, 0.25, True, 7.75), Turn(7.75, 7.75, True, 1)],
    ),
    "per move and bank: only what is beyond the free time is drawn": (
        control(per_move=1, bank=5),
        [Turn(6, 0.9, True, 5), Turn(6, 3, True, 3), Turn(4, 4, True, 0), Turn(1, 1, True, 0)],
    ),
    "start-up: the first decision only": (
        control(per_move=1, bank=2, start_up=10),
        [Turn(13, 11, True, 2), Turn(3, 2, True, 1), Turn(2, 1, True, 1)],
    ),
    "start-up that was not needed is lost": (
        control(per_move=1, start_up=10),
        [Turn(11, 0, True, 0), Turn(1, 0, True, 0)],
    ),
    "latency is never charged": (
        control(bank=5, latency=0.5),
        [Turn(5.5, 0.5, True, 5), Turn(5.5, 1.5, True, 4), Turn(4.5, 4.5, True, 0)],
    ),
    "all five at once": (
        control(per_move=2, bank=10, increment=0.5, start_up=3, latency=0.25),
        [Turn(15.25, 6.25, True, 9.5), Turn(11.75, 3.25, True, 9), Turn(11.25, 1, True, 9.5)],
    ),
    "a late decision leaves no bank, but still gets the increment": (
        control(per_move=1, bank=3, increment=2),
        [Turn(4, 4.5, False, 2), Turn(3, 100, False, 2), Turn(3, 1, True, 4)],
    ),
}


@pytest.mark.parametrize(("time_control", "turns"), CASES.values(), ids=CASES.keys())
def test_a_clock_runs_as_worked_by_hand(time_control: TimeControl, turns: list[Turn]) -> None:
    clock = Clock.initial(time_control)
    for turn in turns:
        assert clock.limit == seconds(turn.limit)
        assert clock.in_time(seconds(turn.used)) is turn.in_time
        clock = clock.after(seconds(turn.used))
        assert clock.bank == seconds(turn.bank)


@pytest.mark.parametrize("time_control", [case[0] for case in CASES.values()], ids=CASES.keys())
def test_exactly_at_the_limit_is_in_time_and_a_microsecond_more_is_not(
    time_control: TimeControl,
) -> None:
    first = Clock.initial(time_control)
    for clock in (first, first.after(timedelta(0))):
        assert clock.in_time(clock.limit)
        assert not clock.in_time(clock.limit + TICK)
        assert clock.after(clock.limit).bank == time_control.increment
        assert clock.after(clock.limit - TICK).bank <= time_control.increment + TICK


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"per_move": -1}, "per_move is negative; a time is 0 or more."),
        ({"bank": -0.001}, "bank is negative; a time is 0 or more."),
        ({"increment": -1}, "increment is negative; a time is 0 or more."),
        ({"start_up": -1}, "start_up is negative; a time is 0 or more."),
        ({"latency": -1}, "latency is negative; a time is 0 or more."),
        ({}, "the time control leaves no time to think: give per_move or bank."),
        # There would be nothing to think with before the first increment.
        ({"increment": 1}, "the time control leaves no time to think: give per_move or bank."),
        ({"latency": 1}, "the time control leaves no time to think: give per_move or bank."),
        ({"start_up": 1}, "the time control leaves no time to think: give per_move or bank."),
    ],
)
def test_an_impossible_time_control_is_refused_with_a_sentence(
    wrong: dict[str, float], sentence: str
) -> None:
    sound = {"per_move": 1.0} if any(value < 0 for value in wrong.values()) else {}
    with pytest.raises(UsageError) as refused:
        control(**{**sound, **wrong})
    assert str(refused.value) == sentence


def test_records_have_the_time_control_in_seconds() -> None:
    assert control(2, 60, 0.5, 10, 0.05).as_dict() == {
        "per_move": 2.0,
        "bank": 60.0,
        "increment": 0.5,
        "start_up": 10.0,
        "latency": 0.05,
    }
