"""Games of random moves, the same for the same seed on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from engine import AnyGame, Chance, Options, Outcome, Seat, Seed, Transition


class Decision(NamedTuple):
    """One decision of a seat."""

    seat: Seat
    legal: int
    move: Any


class Step(NamedTuple):
    """The decisions made together, and the transition that they led to."""

    decisions: tuple[Decision, ...]
    transition: Transition[Any]


class Playthrough(NamedTuple):
    """A complete game."""

    options: Options
    seed: Seed
    decisions: tuple[Decision, ...]
    outcome: Outcome


def chooser(seed: Seed) -> Callable[[Sequence[Any]], Any]:
    """Return a function that chooses a move uniformly at random."""
    chance = Chance(seed, "random-play")
    return lambda moves: moves[chance.below(len(moves))]


def random_steps(game: AnyGame, state: Any, seed: Seed) -> Iterator[Step]:
    """Play random moves from a state to the end of the game."""
    choose = chooser(seed)
    while seats := game.to_act(state):
        offered = {seat: game.legal_moves(state, seat) for seat in seats}
        decisions = tuple(Decision(seat, len(m), choose(m)) for seat, m in offered.items())
        transition = game.apply(state, {decision.seat: decision.move for decision in decisions})
        yield Step(decisions, transition)
        state = transition.state


def random_game(game: AnyGame, options: Options, seed: Seed) -> Playthrough:
    """Deal and play one game of random moves."""
    state = game.deal(options, seed).state
    decisions: list[Decision] = []
    for step in random_steps(game, state, seed):
        decisions += step.decisions
        state = step.transition.state
    outcome = game.outcome(state)
    if outcome is None:
        raise AssertionError(f"{game.spec.name} has no seat to act, but no outcome")
    return Playthrough(options, seed, tuple(decisions), outcome)
