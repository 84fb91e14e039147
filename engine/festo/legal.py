"""The legal moves of a position of Festo!, in canonical order (festo#12.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Final, NamedTuple

from engine.festo.actions import majority
from engine.festo.cards import (
    COLOURS,
    DWARF,
    GROCER,
    HELPERS,
    ORC,
    PIXIES,
    SALT,
    SPOTS,
    WESTERN,
    Counts,
    Spot,
)
from engine.festo.cooking import cook_moves, payments
from engine.festo.moves import (
    FIRSTS,
    GET_ONE,
    GET_TWO,
    LAY_ONE,
    LAY_TWO,
    MOVE_CUBES,
    RESERVES,
    SENDS,
    TAKE,
    TAKE_ALL,
    TAKE_CUBES,
    TAKE_POINTS,
    TAKE_SALT,
    TAKE_SHELVES,
    TRADES,
    Get,
    Move,
    MoveCube,
    Place,
)
from engine.festo.phases import FULL_MARKET, FULL_SHELF, ROUNDS
from engine.festo.state import Decision, Phase, State
from engine.festo.table import CLOCKWISE

_AFTERNOON: Final = Phase.AFTERNOON
_ALL_MARKETS: Final = 2**GROCER - 1
_SHELF_BIT: Final = 1 << GROCER


def legal_moves(state: State) -> tuple[Move, ...]:
    """Return every legal move of the seat that decides, in the order of festo#12.1."""
    decision = state.decision
    assert decision is not None  # noqa: S101  there is one until the game is over
    return _LISTS[decision](state)


# Placing (festo#4.3 to 4.5) -----------------------------------------------------------------------


class Placements(NamedTuple):
    """The ways to place some helpers on open spots."""

    moves: tuple[Place, ...]
    helpers: frozenset[Counts]
    """The same as numbers by spot."""


class _Placements(dict[tuple[tuple[Spot, ...], int, bool], Placements]):
    """By open spots, helpers, and whether all must be placed; each list is made once."""

    def __missing__(self, key: tuple[tuple[Spot, ...], int, bool]) -> Placements:
        spots, helpers, everyone = key
        found = []
        for numbers in product(range(helpers + 1), repeat=len(spots)):
            if sum(numbers) == helpers or (sum(numbers) < helpers and not everyone):
                placed = [0] * len(SPOTS)
                for spot, number in zip(spots, numbers, strict=True):
                    placed[spot] = number
                found.append(tuple(placed))
        self[key] = made = Placements(tuple(map(Place, found)), frozenset(found))
        return made


class _Open(dict[tuple[int, ...], tuple[Spot, ...]]):
    """The open spots of a part, by the dice."""

    def __init__(self, spots: tuple[Spot, ...]) -> None:
        self._spots = spots

    def __missing__(self, dice: tuple[int, ...]) -> tuple[Spot, ...]:
        self[dice] = found = tuple(spot for spot in self._spots if spot + 1 not in dice)
        return found


_PLACEMENTS: Final = _Placements()
PLACE_WEST: Final = _PLACEMENTS[SPOTS[:WESTERN], HELPERS, False].moves
PLACE_EAST: Final = _PLACEMENTS[SPOTS[WESTERN:], HELPERS, False].moves
"""Every part of a placement."""
OPEN_WEST: Final = _Open(SPOTS[:WESTERN])
OPEN_EAST: Final = _Open(SPOTS[WESTERN:])


def west(state: State) -> Placements:
    """Return the ways to decide the first part of a placement."""
    return _PLACEMENTS[OPEN_WEST[state.dice], state.helpers[state.seat], False]


def east(state: State) -> Placements:
    """Return the ways to decide the second part of a placement."""
    left = state.helpers[state.seat] - sum(state.placing)
    return _PLACEMENTS[OPEN_EAST[state.dice], left, state.phase is _AFTERNOON]


# At a character (festo#5.4) -----------------------------------------------------------------------


def can_take_all(state: State, spot: Spot) -> bool:
    """Tell whether the seat that decides has the majority, and cubes to take by it."""
    seat = state.seat
    if seat != state.order[0]:
        return False
    helpers, discs = state.helpers_at[spot], state.discs_at[spot]
    if majority(state.order, helpers, discs) is None:
        return False
    least = 0 if state.setup.steps else helpers[seat] + discs[seat]
    return sum(state.markets[spot]) > least


def _character(state: State) -> tuple[Move, ...]:
    spot = state.spot
    assert spot is not None  # noqa: S101  there is one in the actions
    first = (TAKE, TAKE_ALL) if can_take_all(state, spot) else (TAKE,)
    return (*first, *_POWERS[spot](state))


class _Targets(dict[int, tuple[MoveCube, ...]]):
    """The moves of a cube, by where it is and which targets are open; each list is made once."""

    def __missing__(self, key: int) -> tuple[MoveCube, ...]:
        place, targets = divmod(key, 1 << len(SPOTS))
        source, colour = divmod(place, len(COLOURS))
        moves = MOVE_CUBES[source][colour]
        self[key] = found = tuple(moves[t] for t in SPOTS if targets >> t & 1 and t != source)
        return found


_TARGETS: Final = _Targets()


def _troll(state: State) -> list[Move]:
    """Return the moves of cubes that are not locked, by source, colour and target."""
    markets, locks, shelves = state.markets, state.locks, state.shelves
    open_markets = _ALL_MARKETS
    if state.setup.market_limit:
        for spot, market in enumerate(markets):
            if sum(market) >= FULL_MARKET:
                open_markets -= 1 << spot
    targets = [open_markets | _SHELF_BIT if n < FULL_SHELF else open_markets for n in shelves]
    moves: list[Move] = []
    place = 0
    for market in markets:
        if any(market):
            for number, open_targets in zip(market, targets, strict=True):
                if number > locks[place]:
                    moves += _TARGETS[place << 7 | open_targets]
                place += 1
        else:
            place += len(COLOURS)
    for number in shelves:
        if number > locks[place]:
            moves += _TARGETS[place << 7 | open_markets]
        place += 1
    return moves


_SENDS: Final = tuple(moves[PIXIES + 1 :] for moves in SENDS)


def _pixies(state: State) -> tuple[Move, ...]:
    seat = state.seat
    helpers = _SENDS[0] if state.helpers_at[PIXIES][seat] else ()
    discs = _SENDS[1] if state.discs_at[PIXIES][seat] else ()
    return helpers + discs


def _orc(state: State) -> list[Move]:
    seat = state.seat
    free = [d for d, token in zip(state.buffet, state.tokens, strict=True) if d and not token]
    moves: list[Move] = []
    if state.helpers_at[ORC][seat]:
        by_helper = RESERVES[0]
        moves += [by_helper[dish] for dish in free]
    if state.discs_at[ORC][seat]:
        by_disc = RESERVES[1]
        moves += [by_disc[dish] for dish in free]
    return moves


def _magician(state: State) -> tuple[Move, ...]:
    return (TAKE_SALT,) if state.reserves[SALT] else ()


def can_trade_salt(state: State) -> bool:
    """Tell whether there is a cube to get for a salt (festo#5.4)."""
    return any(state.reserves[:SALT])


def _elf(state: State) -> list[Move]:
    moves: list[Move] = [TRADES[cube] for cube, n in enumerate(state.cubes[state.seat]) if n]
    if moves and moves[-1] is TRADES[SALT] and not can_trade_salt(state):
        moves.pop()
    return moves


def discs_to_lay(state: State) -> int:
    """Return how many discs the Dwarf's power would lay: those at home, and its token."""
    seat = state.seat
    return state.discs[seat] + (state.discs_at[DWARF][seat] > 0)


_LAYS: Final[tuple[tuple[Move, ...], ...]] = ((), LAY_ONE, LAY_TWO)


def _dwarf(state: State) -> tuple[Move, ...]:
    return (TAKE_POINTS,) if state.round == ROUNDS else _LAYS[discs_to_lay(state)]


_POWERS: Final[tuple[Callable[[State], tuple[Move, ...] | list[Move]], ...]] = (
    _troll,
    _pixies,
    _orc,
    _magician,
    _elf,
    _dwarf,
)


# Other decisions ----------------------------------------------------------------------------------


def market_colours(state: State) -> list[int]:
    """Return the colours in the market whose turn it is."""
    assert state.spot is not None  # noqa: S101  there is one in the actions
    return [colour for colour, number in enumerate(state.markets[state.spot]) if number]


_FIRSTS: Final = {
    (seats, seat): tuple(FIRSTS[chosen] for chosen in order)
    for seats, orders in CLOCKWISE.items()
    for seat, order in enumerate(orders)
}
"""By the number of seats and the holder of the card: from the holder clockwise."""


class _Gets(dict[Counts, tuple[Get, ...]]):
    """What can be got, by the reserves up to two cubes of each colour; each list is made once."""

    def __missing__(self, reserves: Counts) -> tuple[Get, ...]:
        self[reserves] = found = tuple(
            move
            for move in (GET_TWO if sum(reserves) > 1 else GET_ONE)
            if all(move.colours.count(colour) <= reserves[colour] for colour in move.colours)
        )
        return found


_GETS: Final = _Gets()


def gets(state: State) -> tuple[Get, ...]:
    """Return what the Elf's power can give (festo#5.4)."""
    return _GETS[tuple([min(2, n) for n in state.reserves[:SALT]])]


_LISTS: Final[Mapping[Decision, Callable[[State], tuple[Move, ...]]]] = {
    Decision.CHOOSE_FIRST: lambda state: _FIRSTS[state.setup.seats, state.seat],
    Decision.PLACE_WEST: lambda state: west(state).moves,
    Decision.PLACE_EAST: lambda state: east(state).moves,
    Decision.CHARACTER: _character,
    Decision.CUBE: lambda state: tuple([TAKE_CUBES[c] for c in market_colours(state)]),
    Decision.ELF_TAKE: gets,
    Decision.GROCERY: lambda state: tuple(
        [TAKE_SHELVES[colour] for colour, number in enumerate(state.shelves) if number]
    ),
    Decision.COOK: cook_moves,
    Decision.PAYMENT: lambda state: payments(state, state.paying),
}
