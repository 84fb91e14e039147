"""What dishes cost, and how a seat can pay (festo#7.3 to 7.6 and 9.4)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.festo.cards import (
    BACK_OF,
    CATEGORY_OF,
    COLOUR_OF,
    COLOURS,
    COLUMNS,
    DRINK,
    MAIN,
    PLACES,
    ROAST,
    ROWS,
    SALT,
    Colour,
    Counts,
    Dish,
)
from engine.festo.data import COSTS
from engine.festo.moves import COOKS, PASS, RECALLS, Move, Pay
from engine.festo.state import State
from engine.game import Seat

ROAST_CUBES: Final = 6

Cost = tuple[int, int]
"""Cubes of the main colour, and of another one."""


def _costs(main: int, other: int, column: int, *, reserved: bool) -> tuple[Cost, ...]:
    """Return every cost of a small dish, the surcharge of its column included (festo#7.3, 7.4)."""
    pure = {(main + column, other), (main, other + column)}
    if reserved:
        pure = {less for m, x in pure for less in ((m - 1, x), (m, x - 1))}
    return tuple(sorted(pure))


_COSTS: Final = tuple(
    tuple(
        tuple(_costs(*COSTS[row], column, reserved=reserved) for column in range(COLUMNS))
        for row in ROWS
    )
    for reserved in (False, True)
)
"""``_COSTS[reserved][row][column]``."""
_COSTS_AT: Final = tuple(
    tuple(_COSTS[reserved][place // COLUMNS][place % COLUMNS] for place in range(PLACES))
    for reserved in range(2)
)
"""``_COSTS_AT[reserved][place]``."""
_FEWEST_AT: Final = tuple(
    tuple(min(m + x for m, x in costs) for costs in _COSTS_AT[reserved]) for reserved in range(2)
)
"""The fewest cubes that a dish costs there."""
_OWN: Final = tuple((1 + 2 * seat, 2 + 2 * seat) for seat in range(5))
"""The numbers of the tokens of a seat on the buffet."""


def cubes_saved(state: State, seat: Seat) -> Counts:
    """Return by how many cubes magic drinks of the seat make each colour cheaper (festo#9.4)."""
    return tuple(_with_drinks(state, seat, [0] * len(COLOURS)))


def _worth(state: State, seat: Seat) -> list[int]:
    """Return how far the cubes of a seat go, by colour: a cube saved is as good as a cube."""
    return _with_drinks(state, seat, list(state.cubes[seat][:SALT]))


def _with_drinks(state: State, seat: Seat, cubes: list[int]) -> list[int]:
    """Add a cube of its colour for each magic drink of the seat."""
    if state.setup.magic_dishes:
        for dish in state.dishes[seat]:
            if CATEGORY_OF[dish] == DRINK:
                cubes[BACK_OF[dish]] += 1
    return cubes


def _can_pay(costs: tuple[Cost, ...], main: int, other: int, salt: int) -> bool:
    """Tell whether one of the costs can be paid with that many cubes of both colours."""
    for m, x in costs:
        short = m - main if m > main else 0
        if x > other:
            short += x - other
        if short <= salt:
            return True
    return False


def cook_moves(state: State) -> tuple[Move, ...]:
    """Return the moves of the decision ``cook`` in canonical order (festo#7.1, 12.1)."""
    seat = state.seat
    salt = state.cubes[seat][SALT]
    worth = _worth(state, seat)
    best = max(worth)
    richest = worth.index(best)
    worth[richest] = -1
    second = max(worth)
    worth[richest] = best
    own = _OWN[seat]
    moves: list[Move] = [PASS]
    recalls: list[Move] = []
    place = -1
    for dish, token in zip(state.buffet, state.tokens, strict=True):
        place += 1
        if not dish:
            continue
        reserved = 0
        if token:
            if token not in own:
                continue
            reserved = 1
            moves_back = RECALLS[dish]
            recalls += [moves_back[cube] for cube, n in enumerate(state.cubes[seat]) if n]
        colour = COLOUR_OF[dish]
        other = best if colour != richest else second
        main = worth[colour]
        if main + other + salt < _FEWEST_AT[reserved][place]:
            continue
        if _can_pay(_COSTS_AT[reserved][place], main, other, salt):
            moves.append(COOKS[dish])
    if state.stock[0] and best + salt >= ROAST_CUBES:
        moves.append(COOKS[ROAST])
    if state.stock[1] and worth.count(0) <= salt:
        moves.append(COOKS[MAIN])
    return (*moves, *recalls)


def can_cook(state: State, dish: Dish) -> bool:
    """Tell whether the seat that decides has the cubes for a dish that it may cook."""
    seat = state.seat
    salt = state.cubes[seat][SALT]
    worth = _worth(state, seat)
    if dish == ROAST:
        return max(worth) + salt >= ROAST_CUBES
    if dish == MAIN:
        return worth.count(0) <= salt
    place = state.buffet.index(dish)
    main = worth.pop(COLOUR_OF[dish])
    return _can_pay(_COSTS_AT[bool(state.tokens[place])][place], main, max(worth), salt)


def payments(state: State, dish: Dish) -> tuple[Pay, ...]:
    """Return every payment for a dish by the seat that decides, in canonical order."""
    seat = state.seat
    costs: tuple[Cost, ...] = ()
    if dish in state.buffet:
        place = state.buffet.index(dish)
        costs = _COSTS_AT[bool(state.tokens[place])][place]
    return _payments(dish, costs, state.cubes[seat], cubes_saved(state, seat))


@lru_cache(maxsize=4096)
def _payments(dish: Dish, costs: tuple[Cost, ...], own: Counts, saved: Counts) -> tuple[Pay, ...]:
    found: set[Counts] = set()
    if dish == ROAST:
        for colour in COLOURS:
            _pay_in(found, own, {colour: max(0, ROAST_CUBES - saved[colour])})
    elif dish == MAIN:
        _pay_in(found, own, {colour: max(0, 1 - saved[colour]) for colour in COLOURS})
    else:
        main = COLOUR_OF[dish]
        for m, x in costs:
            for other in COLOURS:
                if other != main:
                    wanted = {main: max(0, m - saved[main]), other: max(0, x - saved[other])}
                    _pay_in(found, own, wanted)
    return tuple(Pay(cubes) for cubes in sorted(found, key=_in_order))


def _pay_in(found: set[Counts], own: Counts, wanted: dict[Colour, int]) -> None:
    """Add every payment of the cubes wanted, with salt in place of any of them (festo#7.6)."""
    salt = own[SALT]
    if sum([n - own[c] for c, n in wanted.items() if n > own[c]]) > salt:
        return
    partial = [([0] * (SALT + 1), 0)]
    for colour, number in wanted.items():
        grown = []
        for cubes, salts in partial:
            for paid in range(min(number, own[colour]) + 1):
                missing = salts + number - paid
                if missing <= salt:
                    more = cubes.copy()
                    more[colour] = paid
                    grown.append((more, missing))
        partial = grown
    for cubes, salts in partial:
        cubes[SALT] = salts
        found.add(tuple(cubes))


def _in_order(cubes: Counts) -> tuple[int, tuple[int, ...]]:
    """Put fewer salts first, then compare letter by letter (festo#12.1)."""
    return cubes[SALT], tuple(cube for cube, number in enumerate(cubes) for _ in range(number))
