"""Positions from the middle of random games, one for each kind of decision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from engine import AnyGame, Event, Options, Seat, Transition, seed_from_text
from referee.devkit.random_play import random_steps

DEALS_SEARCHED: Final = 40
"""The number of deals per table kind that are searched for each kind of decision."""


@dataclass(frozen=True, slots=True)
class MidgamePosition:
    """A position that random play has reached, with all events before it."""

    options: Options
    seat: Seat
    transition: Transition[Any]

    def as_game(self, game: AnyGame) -> AnyGame:
        """Return the game with this position as its deal."""
        return cast("AnyGame", _MidgameGame(game, self.transition))


class _MidgameGame:
    """A game whose deal is a position from the middle of it."""

    def __init__(self, game: AnyGame, transition: Transition[Any]) -> None:
        self._game = game
        self._transition = transition

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def deal(self, options: Options, seed: object) -> Transition[Any]:  # noqa: ARG002
        """Return the position for any options and seed."""
        return self._transition


def midgame_positions(game: AnyGame) -> dict[str, MidgamePosition]:
    """Return the first position found for each kind of decision."""
    found: dict[str, MidgamePosition] = {}
    for number in range(DEALS_SEARCHED):
        for options in game.spec.kinds():
            for kind, position in _decisions(game, options, number):
                found.setdefault(kind, position)
        if set(game.spec.decision_kinds) <= set(found):
            break
    return found


def _decisions(
    game: AnyGame, options: Options, number: int
) -> Iterator[tuple[str, MidgamePosition]]:
    """Return the decisions of a random game with a choice, each with its kind."""
    seed = seed_from_text(str(number))
    state, dealt = game.deal(options, seed)
    events: list[Event] = list(dealt)
    for step in random_steps(game, state, seed):
        for seat in game.to_act(state):
            legal = game.legal_moves(state, seat)
            if len(legal) > 1:
                kind = game.decision_kind(game.view(state, seat), legal)
                yield kind, MidgamePosition(options, seat, Transition(state, tuple(events)))
        state = step.transition.state
        events += step.transition.events
