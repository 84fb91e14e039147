"""Positions for tests, written as a person would describe them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.game import Event, OptionValue, Seat, Transition
from engine.gargon.cards import CARD_NAMES, FACES_BY_NAME, Cards
from engine.gargon.rules import Gargon, _setup
from engine.gargon.state import Phase, State

GAME = Gargon()


def cards(text: str) -> Cards:
    """Read card names separated by spaces."""
    return tuple(FACES_BY_NAME[name] for name in text.split())


def names(of: Sequence[int]) -> str:
    """Write cards as names separated by spaces."""
    return " ".join(CARD_NAMES[card] for card in of)


def begin_round(
    *,
    seats: int = 3,
    leader: int = 0,
    hands: Mapping[int, str],
    pile_a: str = "G1 G2 G3 G4 G5 G6",
    pile_b: str = "W1 W2 W3 W4 W5 W6",
    captured: Mapping[int, str] | None = None,
    discards: str = "",
    options: Mapping[str, OptionValue] | None = None,
) -> State:
    """Return the beginning of a round; seats of which nothing is said have no cards."""
    return State(
        setup=_setup(GAME.spec.options(seats, options)),
        round=1,
        leader=Seat(leader),
        seat=Seat(leader),
        phase=Phase.LEAD,
        hands=tuple(tuple(sorted(cards(hands.get(s, "")))) for s in range(seats)),
        piles=(cards(pile_a), cards(pile_b)),
        laid=((),) * seats,
        captured=tuple(cards((captured or {}).get(s, "")) for s in range(seats)),
        discards=cards(discards),
        pattern=(),
        picked=(),
        drawn=0,
        colour=None,
        losers=(),
    )


def legal(state: State, seat: int | None = None) -> list[str]:
    """Return the legal moves of the seat to act, in notation."""
    who = state.seat if seat is None else Seat(seat)
    return [GAME.format_move(move) for move in GAME.legal_moves(state, who)]


def play(state: State, moves: str) -> Transition[State]:
    """Play moves, separated by commas, each for the seat that must decide."""
    events: list[Event] = []
    for text in filter(None, moves.split(", ")):
        (seat,) = GAME.to_act(state)
        state, happened = GAME.apply(state, {seat: GAME.parse_move(text)})
        events += happened
    return Transition(state, events)


def play_forced(transition: Transition[State]) -> Transition[State]:
    """Play on as long as there is only one legal move, as a referee does."""
    state, events = transition.state, list(transition.events)
    while len(moves := legal(state)) == 1:
        state, happened = play(state, moves[0])
        events += happened
    return Transition(state, events)


def rule_broken(state: State, move: str, seat: int | None = None) -> str | None:
    """Return the paragraph that a move breaks, or nothing."""
    who = state.seat if seat is None else Seat(seat)
    violation = GAME.check(state, who, GAME.parse_move(move))
    return violation.rule.removeprefix("gargon#") if violation else None
