"""What is wrong with a move that is not legal in a position of Festo!."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.festo.cards import (
    COLOURS,
    CUBE_LETTERS,
    CUBE_NAMES,
    DISH_NAMES,
    DWARF,
    ELF,
    GROCER,
    MAGICIAN,
    MAIN,
    ORC,
    PIXIES,
    ROAST,
    SALT,
    SPOT_NAMES,
    TOKEN_NAMES,
    TROLL,
    Dish,
    Spot,
    letters,
)
from engine.festo.cooking import can_cook, payments
from engine.festo.legal import (
    OPEN_EAST,
    OPEN_WEST,
    Placements,
    can_take_all,
    can_trade_salt,
    discs_to_lay,
    east,
    gets,
    market_colours,
    west,
)
from engine.festo.moves import (
    Cook,
    First,
    Get,
    LayDiscs,
    Move,
    MoveCube,
    Pass,
    Pay,
    Place,
    Recall,
    Reserve,
    Send,
    Take,
    TakeCube,
    TakePoints,
    TakeSalt,
    TakeShelf,
    Trade,
    format_move,
)
from engine.festo.phases import FULL_MARKET, FULL_SHELF, ROUNDS
from engine.festo.state import Decision, State
from engine.game import Violation


def broken_rule(state: State, move: Move) -> Violation | None:
    """Return the paragraph that a move of the seat that decides would break, or nothing."""
    decision = state.decision
    assert decision is not None  # noqa: S101  there is one until the game is over
    return _CHECKS[decision](state, move)


def _wrong_kind(rule: str, move: Move, wanted: str) -> Violation:
    return Violation(f"festo#{rule}", f'"{format_move(move)}" is not possible now: {wanted}.')


def _wrong(rule: str, move: Move, why: str) -> Violation:
    return Violation(f"festo#{rule}", f'"{format_move(move)}" is not possible: {why}.')


# Preparation and shopping -------------------------------------------------------------------------


def _check_first(state: State, move: Move) -> Violation | None:
    if type(move) is not First:
        return _wrong_kind("4.1", move, "say who holds the first-player card, as in first 0")
    if move.seat >= state.setup.seats:
        return _wrong("4.1", move, f"there are only {state.setup.seats} seats")
    return None


def _check_west(state: State, move: Move) -> Violation | None:
    possible = west(state)
    if type(move) is Place and move.helpers in possible.helpers:
        return None
    return _placing_violation(state, move, possible, OPEN_WEST[state.dice], "first three spots")


def _check_east(state: State, move: Move) -> Violation | None:
    possible = east(state)
    if type(move) is Place and move.helpers in possible.helpers:
        return None
    return _placing_violation(state, move, possible, OPEN_EAST[state.dice], "last four spots")


def _placing_violation(
    state: State, move: Move, possible: Placements, spots: tuple[Spot, ...], part: str
) -> Violation:
    if type(move) is not Place:
        return _wrong_kind("4.5", move, f"place helpers on the {part}")
    blocked = [spot for spot, n in enumerate(move.helpers) if n and spot + 1 in state.dice]
    if blocked:
        return _wrong("4.3", move, f"the spot {SPOT_NAMES[blocked[0]]} is blocked")
    if any(n and spot not in spots for spot, n in enumerate(move.helpers)):
        return _wrong("4.5", move, f"this decision is about the {part}")
    number = sum(possible.moves[-1].helpers)
    if sum(move.helpers) > number:
        return _wrong("4.3", move, f"the seat has {number} helpers left")
    return _wrong("4.3", move, f"in the afternoon all {number} helpers left must be placed")


# At a character -----------------------------------------------------------------------------------


def _check_character(state: State, move: Move) -> Violation | None:
    spot = state.spot
    assert spot is not None  # noqa: S101  there is one in the actions
    if type(move) is Take:
        if not move.everything or can_take_all(state, spot):
            return None
        return _wrong(
            "5.4", move, "that needs the majority, and more cubes in the market than tokens"
        )
    where, check = _POWERS.get(type(move), (None, None))
    if check is None:
        return _wrong_kind("5.4", move, "take cubes or use the power of the character")
    if where != spot:
        name = SPOT_NAMES[spot]
        return _wrong_kind("5.1", move, f"it is the turn of the spot {name}")
    return check(state, move)


def _check_move_cube(state: State, move: MoveCube) -> Violation | None:
    colour, source, target = move.colour, move.source, move.target
    if source == target:
        return _wrong("5.4", move, "the cube must come to another place")
    there = _cubes_at(state, source, colour)
    if not there:
        return _wrong("5.4", move, f"there is no {CUBE_NAMES[colour]} at {SPOT_NAMES[source]}")
    if there <= state.locks[source * len(COLOURS) + colour]:
        return _wrong("5.5", move, "the cubes there were moved in this round already")
    if target == GROCER:
        if state.shelves[colour] >= FULL_SHELF:
            return _wrong("5.4", move, f"the shelf has {FULL_SHELF} cubes")
    elif state.setup.market_limit and sum(state.markets[target]) >= FULL_MARKET:
        return _wrong("5.4", move, f"the market has {FULL_MARKET} cubes")
    return None


def _cubes_at(state: State, spot: Spot, colour: int) -> int:
    return state.shelves[colour] if spot == GROCER else state.markets[spot][colour]


def _has_token(state: State, spot: Spot, *, disc: bool) -> bool:
    return (state.discs_at if disc else state.helpers_at)[spot][state.seat] > 0


def _check_send(state: State, move: Send) -> Violation | None:
    if move.spot <= PIXIES:
        return _wrong("5.4", move, "a token moves to a spot further right")
    if not _has_token(state, PIXIES, disc=move.disc):
        return _wrong("5.4", move, f"the seat has no {TOKEN_NAMES[move.disc]} there")
    return None


def _check_reserve(state: State, move: Reserve) -> Violation | None:
    dish = move.dish
    if dish not in state.buffet:
        return _wrong("5.4", move, "only a small dish of the buffet can be reserved")
    if state.tokens[state.buffet.index(dish)]:
        return _wrong("5.4", move, "the dish is reserved already")
    if not _has_token(state, ORC, disc=move.disc):
        return _wrong("5.4", move, f"the seat has no {TOKEN_NAMES[move.disc]} there")
    return None


def _check_salt(state: State, move: TakeSalt) -> Violation | None:
    return None if state.reserves[SALT] else _wrong("5.4", move, "the reserve has no salt")


def _check_trade(state: State, move: Trade) -> Violation | None:
    if not state.cubes[state.seat][move.cube]:
        return _wrong("5.4", move, f"the seat has no {CUBE_NAMES[move.cube]}")
    if move.cube == SALT and not can_trade_salt(state):
        return _wrong("5.4", move, "the reserves have no cube to get for it")
    return None


def _check_discs(state: State, move: LayDiscs) -> Violation | None:
    if state.round == ROUNDS:
        return _wrong("5.4", move, "in the last round the Dwarf gives points instead")
    if GROCER in move.spots:
        return _wrong("5.4", move, "discs are laid on characters, not on the Grocer")
    number = discs_to_lay(state)
    if len(move.spots) != number:
        return _wrong("5.4", move, f"the seat has {number} discs to lay")
    return None


def _check_points(state: State, move: TakePoints) -> Violation | None:
    if state.round == ROUNDS:
        return None
    return _wrong("5.4", move, f"the Dwarf gives points in round {ROUNDS} only")


_POWERS: Final[Mapping[type, tuple[Spot, Callable[[State, Any], Violation | None]]]] = {
    MoveCube: (TROLL, _check_move_cube),
    Send: (PIXIES, _check_send),
    Reserve: (ORC, _check_reserve),
    TakeSalt: (MAGICIAN, _check_salt),
    Trade: (ELF, _check_trade),
    LayDiscs: (DWARF, _check_discs),
    TakePoints: (DWARF, _check_points),
}


def _check_cube(state: State, move: Move) -> Violation | None:
    colours = market_colours(state)
    if type(move) is TakeCube and move.colour in colours:
        return None
    there = "".join([CUBE_LETTERS[colour] for colour in colours])
    return _wrong_kind("5.4", move, f"take a cube of one of the colours in the market, {there}")


def _check_elf_take(state: State, move: Move) -> Violation | None:
    possible = gets(state)
    if type(move) is Get and move in possible:
        return None
    number_text = "two cubes" if len(possible[0].colours) > 1 else "the one cube"
    return _wrong_kind("5.4", move, f"get {number_text} that the reserves have")


def _check_grocery(state: State, move: Move) -> Violation | None:
    if type(move) is TakeShelf and state.shelves[move.colour]:
        return None
    there = "".join([CUBE_LETTERS[colour] for colour in COLOURS if state.shelves[colour]])
    return _wrong_kind("6.2", move, f"choose a shelf with cubes, {there}")


# Cooking ------------------------------------------------------------------------------------------


def _check_cook(state: State, move: Move) -> Violation | None:
    if type(move) is Pass:
        return None
    if type(move) is Cook:
        return _cook_violation(state, move)
    if type(move) is Recall:
        return _recall_violation(state, move)
    return _wrong_kind("7.1", move, "cook a dish, recall a token or pass")


def _on_buffet(state: State, dish: Dish) -> bool:
    return dish in state.buffet


def _owner(state: State, dish: Dish) -> int | None:
    token = state.tokens[state.buffet.index(dish)]
    return (token - 1) // 2 if token else None


def _cook_violation(state: State, move: Cook) -> Violation | None:
    dish = move.dish
    if dish in (ROAST, MAIN):
        if not state.stock[dish - ROAST]:
            return _wrong("7.1", move, "the stock is empty")
    elif not _on_buffet(state, dish):
        return _wrong("7.1", move, "the dish is not on the buffet")
    elif _owner(state, dish) not in (None, state.seat):
        return _wrong("7.1", move, "another seat has reserved the dish")
    if can_cook(state, dish):
        return None
    return _wrong("7.1", move, f"the seat cannot pay with {_own(state)}")


def _recall_violation(state: State, move: Recall) -> Violation | None:
    if not _on_buffet(state, move.dish) or _owner(state, move.dish) != state.seat:
        return _wrong("7.1", move, "the seat has no token on that dish")
    if not state.cubes[state.seat][move.cube]:
        return _wrong("7.1", move, f"the seat has no {CUBE_NAMES[move.cube]}")
    return None


def _check_payment(state: State, move: Move) -> Violation | None:
    if type(move) is not Pay:
        return _wrong_kind("7.1", move, f"pay for {DISH_NAMES[state.paying]}")
    if move in payments(state, state.paying):
        return None
    own = state.cubes[state.seat]
    if any(paid > there for paid, there in zip(move.cubes, own, strict=True)):
        return _wrong("7.1", move, f"the seat has only {_own(state)}")
    rule = "7.5" if state.paying in (ROAST, MAIN) else "7.3"
    return _wrong(rule, move, f"that is not the cost of {DISH_NAMES[state.paying]}")


def _own(state: State) -> str:
    return letters(state.cubes[state.seat]) or "no cubes"


_CHECKS: Final[Mapping[Decision, Callable[[State, Move], Violation | None]]] = {
    Decision.CHOOSE_FIRST: _check_first,
    Decision.PLACE_WEST: _check_west,
    Decision.PLACE_EAST: _check_east,
    Decision.CHARACTER: _check_character,
    Decision.CUBE: _check_cube,
    Decision.ELF_TAKE: _check_elf_take,
    Decision.GROCERY: _check_grocery,
    Decision.COOK: _check_cook,
    Decision.PAYMENT: _check_payment,
}
