"""A pick that only its owner knows to be forced is asked for (gargon#9.1)."""

from __future__ import annotations

import pytest

from engine.game import Seat
from tests.engine.gargon.positions import GAME, begin_round, legal, play


@pytest.mark.parametrize(
    ("hand", "moves", "picks", "secretly"),
    [
        ("R0 R0 Y5", "play R", ["pick R0"], True),
        ("R0 R7 Y5", "play R", ["pick R0", "pick R7"], False),
        ("R0 R0 Y5", "play Y", ["pick Y5"], False),
        ("R0 R0 Y5", "play RR", ["pick R0 R0"], False),
        ("R0 R0 R7", "play RR", ["pick R0 R0", "pick R7 R0"], False),
        ("R0 R0 Y5 Y6", "play YR, pick Y5", ["pick R0"], True),
    ],
)
def test_only_one_of_two_zeros_is_a_secret(
    hand: str, moves: str, picks: list[str], secretly: bool
) -> None:
    state = play(begin_round(hands={0: hand, 1: "B1", 2: "B2"}), moves).state
    assert legal(state) == picks
    assert GAME.secretly_forced(state, Seat(0)) is secretly
    assert not GAME.secretly_forced(state, Seat(1))


def test_two_hands_that_look_alike_are_both_asked() -> None:
    zeros, others = (
        play(begin_round(hands={0: hand, 1: "B1", 2: "B2"}), "play R").state
        for hand in ("R0 R0 Y5", "R3 R7 Y5")
    )
    for viewer in (None, Seat(1), Seat(2)):
        assert GAME.view(zeros, viewer) == GAME.view(others, viewer)
    assert len(GAME.legal_moves(others, Seat(0))) == 2
    assert GAME.secretly_forced(zeros, Seat(0))
