"""Figures of games, checked by hand and against the published calibration."""

from __future__ import annotations

from enum import StrEnum

import pytest

from engine.game import Options, Outcome, Seat
from engine.registry import GAMES
from engine.shuffle import Seed, seed_from_text
from referee.devkit.game_statistics import summarise_games
from referee.devkit.random_play import Decision, Playthrough, random_game

GAME = GAMES["glastonbury"]


class End(StrEnum):
    """Two endings for tests."""

    GOOD = "good"
    BAD = "bad"


def played(choices: list[int], ending: End, *scores: int) -> Playthrough:
    decisions = tuple(Decision(Seat(0), legal, None) for legal in choices)
    return Playthrough(
        Options(len(scores), {}), Seed(bytes(32)), decisions, Outcome(ending, scores)
    )


def test_figures_by_hand() -> None:
    seen = summarise_games(
        [
            played([2, 4], End.GOOD, 10, 0),
            played([6], End.GOOD, 5, 5),
            played([1, 1, 4], End.BAD, -2, 6),
        ]
    )
    assert seen.games == 3
    assert (seen.decisions.mean, seen.decisions.low, seen.decisions.high) == (2, 1, 3)
    assert (seen.choices.mean, seen.choices.high) == (3, 6)
    assert (seen.scores.mean, seen.scores.low, seen.scores.high) == (4, -2, 10)
    # Squares of the distances from 4: 36, 16, 1, 1, 36, 4 -> 94 / 6.
    assert seen.scores.deviation == pytest.approx((94 / 6) ** 0.5)
    assert seen.ties == pytest.approx(1 / 3)
    assert seen.wins == (0.5, 0.5)
    assert seen.endings == {"bad": pytest.approx(1 / 3), "good": pytest.approx(2 / 3)}


# Mean decisions, mean score and its deviation over 20,000 random games, from an implementation of
# its own that was made when the rules were written down.
CALIBRATION = {
    (2, False): (71.0, 18.4, 15.3),
    (2, True): (72.3, 20.8, 15.8),
    (3, False): (81.2, -7.4, 12.8),
    (3, True): (82.6, -6.6, 13.2),
    (4, False): (82.9, -14.2, 10.6),
    (4, True): (84.4, -13.2, 11.3),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(GAME.spec.kinds()), ids=str)
def test_random_glastonbury_has_the_figures_it_should(kind: Options) -> None:
    """400 games: the means must lie within about four standard errors of the calibration."""
    games = 400
    seen = summarise_games([random_game(GAME, kind, seed_from_text(str(n))) for n in range(games)])
    decisions, score, deviation = CALIBRATION[kind.seats, bool(kind["recipes"])]
    assert seen.decisions.mean == pytest.approx(decisions, abs=4 * 5 / games**0.5)
    assert seen.scores.mean == pytest.approx(score, abs=4 * deviation / games**0.5)
    assert seen.scores.deviation == pytest.approx(deviation, rel=0.12)
    assert seen.choices.high <= 171
