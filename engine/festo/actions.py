"""The turn of each spot: order, majority, powers, takes and the Grocer (festo#5 and 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.festo.cards import (
    BACK_OF,
    CATEGORY_OF,
    COLOURS,
    DWARF,
    GROCER,
    NO_CUBES,
    ORC,
    PIXIES,
    SALT,
    SIDE,
    SPOTS,
    STARTER,
    Colour,
    Counts,
    Spot,
)
from engine.festo.data import MAGIC_POINTS
from engine.festo.moves import (
    Get,
    LayDiscs,
    Move,
    MoveCube,
    Reserve,
    Send,
    Take,
    TakeCube,
    TakePoints,
    TakeSalt,
    TakeShelf,
    Trade,
)
from engine.festo.state import (
    CameHome,
    CardMoved,
    CubeMoved,
    Decision,
    DiscsLaid,
    DishReserved,
    Got,
    Reason,
    SaltTaken,
    Scored,
    SpotBegan,
    TokenSent,
    Took,
    Traded,
)
from engine.festo.table import Table, add, add_all, take_away, with_item
from engine.game import Seat

DWARF_POINTS: Final = 2
NO_LOCKS: Final[Counts] = (0,) * (len(COLOURS) * len(SPOTS))
"""No cube is locked: six colours in each market, then the six shelves."""

# A name of the module is found ten times faster than a member of an enum (Python 3.11).
_CHARACTER: Final = Decision.CHARACTER
_CUBE: Final = Decision.CUBE
_ELF_TAKE: Final = Decision.ELF_TAKE
_GROCERY: Final = Decision.GROCERY

_ONE: Final = tuple(tuple(int(i == colour) for i in COLOURS) for colour in COLOURS)
"""One cube of each colour."""


def majority(order: tuple[Seat, ...], helpers: Counts, discs: Counts) -> Seat | None:
    """Return the seat with more tokens than every other one, if there is one (festo#5.3)."""
    first = order[0]
    if len(order) > 1:
        second = order[1]
        if helpers[first] + discs[first] == helpers[second] + discs[second]:
            return None
    return first


# The course of the phase --------------------------------------------------------------------------


def resolve(table: Table) -> bool:
    """Run on to the next decision of the actions; tell whether there is one."""
    while True:
        spot = table.spot
        if spot is None:
            _begin_spot(table, SPOTS[0])
        elif spot == GROCER:
            if _ask_at_grocer(table):
                return True
            table.spot, table.order = None, ()
            return False
        else:
            if _ask_at_character(table):
                return True
            _begin_spot(table, SPOTS[spot + 1])


def _begin_spot(table: Table, spot: Spot) -> None:
    """Settle the order of the seats at a spot (festo#5.2), and the majority."""
    table.spot = spot
    table.rewarded = ()
    helpers, discs = table.helpers_at[spot], table.discs_at[spot]
    if not any(helpers) and not any(discs):
        table.order = table.waiting = ()
        return
    here = [seat for seat in table.seats_from(table.first) if helpers[seat] or discs[seat]]
    here.sort(key=lambda seat: -helpers[seat] - discs[seat])
    order = table.order = table.waiting = tuple(here)
    best = majority(order, helpers, discs)
    table.happened.append(SpotBegan(spot, order, best))
    if spot == GROCER:
        if table.first != order[0]:
            table.first = order[0]
            table.happened.append(CardMoved(order[0]))
    elif best is not None and table.setup.magic_dishes:
        for dish in table.dishes[best]:
            if CATEGORY_OF[dish] == SIDE:
                score(table, best, MAGIC_POINTS, Reason.SIDE)


def score(table: Table, seat: Seat, points: int, reason: Reason) -> None:
    """Give a seat points."""
    table.points = add(table.points, seat, points)
    table.happened.append(Scored(seat, points, reason))


def _ask_at_character(table: Table) -> bool:
    """Run on to the next decision at this character; tell whether there is one (festo#5.6, 5.7)."""
    steps = table.setup.steps
    while True:
        if table.taking and not (steps and table.waiting):
            seat, number = table.taking[0]
            if number and _take(table, seat, number):
                table.decision, table.seat = _CUBE, seat
                return True
            table.taking = table.taking[1:]
            _come_home(table, seat)
        elif table.waiting:
            table.decision, table.seat = _CHARACTER, table.waiting[0]
            return True
        else:
            return False


def _take(table: Table, seat: Seat, number: int) -> bool:
    """Take cubes with the tokens left, or tell that the seat must choose (festo#5.4)."""
    spot = _spot(table)
    market = table.markets[spot]
    total = sum(market)
    if number < total:
        if market.count(0) < len(COLOURS) - 1:
            return True
        colour = market.index(total)
        _receive(table, seat, with_item(NO_CUBES, colour, number), everything=False)
    elif total:
        _receive(table, seat, market, everything=False)
    return False


def _receive(table: Table, seat: Seat, cubes: Counts, *, everything: bool) -> None:
    """Give a seat cubes of the market whose turn it is."""
    spot = _spot(table)
    left = take_away(table.markets[spot], cubes)
    table.markets = with_item(table.markets, spot, left)
    if table.locks is not NO_LOCKS:
        first = spot * len(COLOURS)
        _lower_locks(table, first, left)
    table.cubes = with_item(table.cubes, seat, add_all(table.cubes[seat], cubes))
    table.happened.append(Took(seat, spot, cubes, everything))
    _reward_starters(table, seat, cubes)


def _lower_locks(table: Table, first: int, left: Counts) -> None:
    """Lock no more cubes than there are (festo#5.5)."""
    locks = list(table.locks)
    for colour, number in enumerate(left):
        locks[first + colour] = min(number, locks[first + colour])
    table.locks = tuple(locks) if any(locks) else NO_LOCKS


def _reward_starters(table: Table, seat: Seat, cubes: Counts) -> None:
    """Give a token for each magic starter whose colour was received (festo#9.6)."""
    if not table.setup.magic_dishes:
        return
    for dish in table.dishes[seat]:
        if CATEGORY_OF[dish] == STARTER and cubes[BACK_OF[dish]] and dish not in table.rewarded:
            table.rewarded += (dish,)
            score(table, seat, MAGIC_POINTS, Reason.STARTER)


def _come_home(table: Table, seat: Seat) -> None:
    spot = _spot(table)
    helpers, discs = table.helpers_at[spot][seat], table.discs_at[spot][seat]
    if helpers:
        table.helpers = add(table.helpers, seat, helpers)
        table.helpers_at = with_item(
            table.helpers_at, spot, with_item(table.helpers_at[spot], seat, 0)
        )
    if discs:
        table.discs = add(table.discs, seat, discs)
        table.discs_at = with_item(table.discs_at, spot, with_item(table.discs_at[spot], seat, 0))
    if helpers or discs:
        table.happened.append(CameHome(seat, spot, helpers, discs))


def _spot(table: Table) -> Spot:
    assert table.spot is not None  # noqa: S101  there is always one in the actions
    return table.spot


# Decisions ----------------------------------------------------------------------------------------


def act(table: Table, move: Move) -> None:
    """Carry out a decision at a character, up to the takes (festo#5.4)."""
    seat, spot = table.seat, _spot(table)
    table.waiting = table.waiting[1:]
    tokens = table.helpers_at[spot][seat] + table.discs_at[spot][seat]
    if type(move) is Take:
        if not move.everything:
            table.taking += ((seat, tokens),)
            return
        _receive(table, seat, table.markets[spot], everything=True)
        _come_home(table, seat)
        return
    _POWERS[type(move)](table, seat, move)
    table.taking += ((seat, tokens - 1),)


def take_cube(table: Table, move: TakeCube) -> None:
    """Take the cube that the seat has chosen."""
    seat, number = table.taking[0]
    _receive(table, seat, _ONE[move.colour], everything=False)
    table.taking = ((seat, number - 1), *table.taking[1:])


def get(table: Table, move: Get) -> None:
    """Take cubes from the reserves by the Elf's power (festo#5.4)."""
    seat = table.seat
    counts = [0] * len(COLOURS)
    for colour in move.colours:
        counts[colour] += 1
    cubes = tuple(counts)
    table.reserves = take_away(table.reserves, cubes)
    table.cubes = with_item(table.cubes, seat, add_all(table.cubes[seat], cubes))
    table.happened.append(Got(seat, cubes))
    _reward_starters(table, seat, cubes)


# Powers -------------------------------------------------------------------------------------------


def _move_cube(table: Table, seat: Seat, move: MoveCube) -> None:
    """Move a cube and lock it where it comes to (festo#5.5)."""
    colour, source, target = move.colour, move.source, move.target
    _put(table, source, colour, -1)
    _put(table, target, colour, 1)
    table.locks = add(table.locks, target * len(COLOURS) + colour, 1)
    table.happened.append(CubeMoved(seat, colour, source, target))


def _put(table: Table, spot: Spot, colour: Colour, number: int) -> None:
    if spot == GROCER:
        table.shelves = add(table.shelves, colour, number)
    else:
        market = add(table.markets[spot], colour, number)
        table.markets = with_item(table.markets, spot, market)


def _send(table: Table, seat: Seat, move: Send) -> None:
    _leave(table, seat, PIXIES, disc=move.disc)
    spot = move.spot
    if move.disc:
        table.discs_at = with_item(table.discs_at, spot, add(table.discs_at[spot], seat, 1))
    else:
        table.helpers_at = with_item(table.helpers_at, spot, add(table.helpers_at[spot], seat, 1))
    table.happened.append(TokenSent(seat, move.disc, spot))


def _reserve(table: Table, seat: Seat, move: Reserve) -> None:
    _leave(table, seat, ORC, disc=move.disc)
    place = table.buffet.index(move.dish)
    table.tokens = with_item(table.tokens, place, 1 + 2 * seat + move.disc)
    table.happened.append(DishReserved(seat, move.disc, move.dish))


def _leave(table: Table, seat: Seat, spot: Spot, *, disc: bool) -> None:
    """Take a token from a spot."""
    if disc:
        table.discs_at = with_item(table.discs_at, spot, add(table.discs_at[spot], seat, -1))
    else:
        table.helpers_at = with_item(table.helpers_at, spot, add(table.helpers_at[spot], seat, -1))


def _take_salt(table: Table, seat: Seat, _move: TakeSalt) -> None:
    table.reserves = add(table.reserves, SALT, -1)
    table.cubes = with_item(table.cubes, seat, add(table.cubes[seat], SALT, 1))
    table.happened.append(SaltTaken(seat))


def _trade(table: Table, seat: Seat, move: Trade) -> None:
    table.reserves = add(table.reserves, move.cube, 1)
    table.cubes = with_item(table.cubes, seat, add(table.cubes[seat], move.cube, -1))
    table.happened.append(Traded(seat, move.cube))
    table.decision = _ELF_TAKE


def _lay_discs(table: Table, seat: Seat, move: LayDiscs) -> None:
    """Lay the discs that are at home, and that which was used as the token (festo#5.4)."""
    if table.discs_at[DWARF][seat]:
        _leave(table, seat, DWARF, disc=True)
    table.discs = with_item(table.discs, seat, 0)
    for spot in move.spots:
        table.laid = with_item(table.laid, spot, add(table.laid[spot], seat, 1))
    table.happened.append(DiscsLaid(seat, move.spots))


def _take_points(table: Table, seat: Seat, _move: TakePoints) -> None:
    score(table, seat, DWARF_POINTS, Reason.DWARF)


_POWERS: Final[Mapping[type, Callable[[Table, Seat, Any], None]]] = {
    MoveCube: _move_cube,
    Send: _send,
    Reserve: _reserve,
    TakeSalt: _take_salt,
    Trade: _trade,
    LayDiscs: _lay_discs,
    TakePoints: _take_points,
}


# The Grocer ---------------------------------------------------------------------------------------


def _ask_at_grocer(table: Table) -> bool:
    """Ask the next seat for a shelf; without cubes all tokens come home (festo#6.2)."""
    if table.waiting and any(table.shelves):
        table.decision, table.seat = _GROCERY, table.waiting[0]
        return True
    for seat in table.waiting:
        _come_home(table, seat)
    table.waiting = ()
    return False


def take_shelf(table: Table, move: TakeShelf) -> None:
    """Take as many cubes of a shelf as the seat has tokens (festo#6.2)."""
    seat, colour = table.seat, move.colour
    table.waiting = table.waiting[1:]
    tokens = table.helpers_at[GROCER][seat] + table.discs_at[GROCER][seat]
    number = min(tokens, table.shelves[colour])
    cubes = with_item(NO_CUBES, colour, number)
    table.shelves = take_away(table.shelves, cubes)
    if table.locks is not NO_LOCKS:
        _lower_locks(table, GROCER * len(COLOURS), table.shelves)
    table.cubes = with_item(table.cubes, seat, add(table.cubes[seat], colour, number))
    table.happened.append(Took(seat, GROCER, cubes, everything=False))
    _come_home(table, seat)
