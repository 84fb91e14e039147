"""The course of a round: preparation, shopping, actions, cooking (festo#4 to 7)."""

from __future__ import annotations

from typing import Final

from engine.festo.actions import NO_LOCKS, resolve, score
from engine.festo.cards import (
    BACK_OF,
    CATEGORY_OF,
    COLOURS,
    COLUMNS,
    DESSERT,
    EVENT_CARDS,
    MAIN,
    NO_DISH,
    ROAST,
    ROWS,
    SPOTS,
    WESTERN,
    Counts,
    Dish,
    EventCard,
)
from engine.festo.data import (
    COOK_BONUS,
    COOK_BONUS_POINTS,
    FEWER_DICE,
    MAGIC_POINTS,
    MARKET_BONUS,
    MARKET_BONUS_CUBES,
)
from engine.festo.moves import Cook, First, Pay, Place, Recall
from engine.festo.state import (
    Cooked,
    Decision,
    DiceRolled,
    DiscsJoined,
    Ended,
    Ending,
    EventRevealed,
    FirstChosen,
    MarketFilled,
    Passed,
    Phase,
    Placed,
    Reason,
    Recalled,
    RoundBegan,
    RowChanged,
    ShelfFilled,
)
from engine.festo.table import Table, add, add_all, take_away, with_item
from engine.game import Seat

ROUNDS: Final = 4
DICE: Final = 3
FULL_MARKET: Final = 5
FULL_SHELF: Final = 3
FIVE_SEATS: Final = 5
NOTHING_AT: Final = {n: ((0,) * n,) * len(SPOTS) for n in range(2, FIVE_SEATS + 1)}
"""No token on any spot, by the number of seats."""

# A name of the module is found ten times faster than a member of an enum (Python 3.11).
_MORNING: Final = Phase.MORNING
_AFTERNOON: Final = Phase.AFTERNOON
_ACTIONS: Final = Phase.ACTIONS
_PLACE_WEST: Final = Decision.PLACE_WEST
_PLACE_EAST: Final = Decision.PLACE_EAST
_COOK: Final = Decision.COOK
_PAYMENT: Final = Decision.PAYMENT

_ALL_WEST: Final = frozenset(range(1, WESTERN + 1))
"""The faces that block all of the first three spots."""
_MARKET_BONUS: Final = dict(zip(EVENT_CARDS, MARKET_BONUS, strict=False))
_COOK_BONUS: Final = dict(zip(EVENT_CARDS[len(MARKET_BONUS) :], COOK_BONUS, strict=False))
_FEWER_DICE: Final = dict(zip(EVENT_CARDS[-len(FEWER_DICE) :], FEWER_DICE, strict=True))
"""The effect of each event card."""


# Preparation (festo#4.1) --------------------------------------------------------------------------


def begin_round(table: Table) -> None:
    """Prepare the next round, up to the choice of the first player."""
    table.round += 1
    table.happened.append(RoundBegan(table.round))
    _join_discs(table)
    table.locks = NO_LOCKS
    _fill_markets(table)
    _fill_shelves(table)
    _fill_rows(table)
    if table.setup.events:
        _reveal_event(table)
    table.phase, table.decision, table.seat = Phase.PREPARATION, Decision.CHOOSE_FIRST, table.first


def _join_discs(table: Table) -> None:
    for spot, numbers in enumerate(table.laid):
        if any(numbers):
            table.discs_at = with_item(table.discs_at, spot, add_all(table.discs_at[spot], numbers))
            table.happened += [
                DiscsJoined(Seat(seat), SPOTS[spot], number)
                for seat, number in enumerate(numbers)
                if number
            ]
    table.laid = NOTHING_AT[table.setup.seats]


def _fill_markets(table: Table) -> None:
    for colour in COLOURS:
        _fill_market(table, colour, 4 if table.setup.seats == FIVE_SEATS else 3)


def _fill_market(table: Table, colour: int, most: int) -> None:
    market = table.markets[colour]
    number = min(most, FULL_MARKET - sum(market), table.reserves[colour])
    if number > 0:
        table.markets = with_item(table.markets, colour, add(market, colour, number))
        table.reserves = add(table.reserves, colour, -number)
        table.happened.append(MarketFilled(COLOURS[colour], number))


def _fill_shelves(table: Table) -> None:
    for colour in COLOURS:
        if table.shelves[colour] < FULL_SHELF and table.reserves[colour]:
            table.shelves = add(table.shelves, colour, 1)
            table.reserves = add(table.reserves, colour, -1)
            table.happened.append(ShelfFilled(colour, 1))


def _fill_rows(table: Table) -> None:
    """Let the dishes of each row slide to the left, with their tokens, and add new ones."""
    buffet: list[Dish] = []
    tokens: list[int] = []
    piles: list[tuple[Dish, ...]] = []
    for row in ROWS:
        places = slice(row * COLUMNS, (row + 1) * COLUMNS)
        before = table.buffet[places]
        kept = [(d, t) for d, t in zip(before, table.tokens[places], strict=True) if d]
        missing = COLUMNS - len(kept)
        pile = table.ahead.piles[row]
        dishes = [dish for dish, _ in kept] + list(pile[:missing])
        dishes += [NO_DISH] * (COLUMNS - len(dishes))
        buffet += dishes
        tokens += [token for _, token in kept] + [0] * missing
        piles.append(pile[missing:])
        if before != tuple(dishes):
            table.happened.append(RowChanged(row, tuple(dishes)))
    table.buffet, table.tokens = tuple(buffet), tuple(tokens)
    table.ahead = table.ahead._replace(piles=tuple(piles))


def _reveal_event(table: Table) -> None:
    card, *later = table.ahead.events
    table.ahead = table.ahead._replace(events=tuple(later))
    table.events += (card,)
    table.happened.append(EventRevealed(card))
    if card in _MARKET_BONUS:
        _fill_market(table, _MARKET_BONUS[card], MARKET_BONUS_CUBES)


def choose_first(table: Table, move: First) -> None:
    """Keep the first-player card or give it away, and roll the dice of the morning."""
    table.happened.append(FirstChosen(table.seat, move.seat))
    table.first = move.seat
    _begin_half_day(table, _MORNING)


# Shopping (festo#4.2 to 4.5) ----------------------------------------------------------------------


def _number_of_dice(seats: int, events: tuple[EventCard, ...]) -> int:
    number = DICE - (seats == FIVE_SEATS)
    return number - _FEWER_DICE.get(events[-1], 0) if events else number


def _begin_half_day(table: Table, phase: Phase) -> None:
    table.phase = phase
    ahead = table.ahead
    table.dice = ahead.dice[0][: _number_of_dice(table.setup.seats, table.events)]
    table.ahead = ahead._replace(dice=ahead.dice[1:])
    table.happened.append(DiceRolled(phase, table.dice))
    _ask_to_place(table, table.seats_from(table.first))


def _ask_to_place(table: Table, seats: tuple[Seat, ...]) -> None:
    """Ask the first of these seats that has helpers at home, or go on to the next half-day."""
    for seat in seats:
        if table.helpers[seat]:
            table.seat = seat
            if _ALL_WEST.issubset(table.dice):
                table.decision, table.placing = _PLACE_EAST, (0,) * WESTERN
            else:
                table.decision = _PLACE_WEST
            return
    if table.phase is _MORNING:
        _begin_half_day(table, _AFTERNOON)
        return
    table.dice = ()
    table.phase = _ACTIONS
    go_on(table)


def place(table: Table, move: Place) -> None:
    """Place helpers; the placement is public when both of its parts are decided."""
    seat, helpers = table.seat, move.helpers
    if table.decision is _PLACE_WEST:
        if sum(helpers) < table.helpers[seat]:
            table.placing = helpers[:WESTERN]
            table.decision = _PLACE_EAST
            return
    else:
        helpers = table.placing + helpers[WESTERN:]
        table.placing = ()
    if any(helpers):
        table.helpers = add(table.helpers, seat, -sum(helpers))
        helpers_at = list(table.helpers_at)
        for spot, number in enumerate(helpers):
            if number:
                helpers_at[spot] = add(helpers_at[spot], seat, number)
        table.helpers_at = tuple(helpers_at)
    table.happened.append(Placed(seat, helpers))
    order = table.seats_from(table.first)
    _ask_to_place(table, order[order.index(seat) + 1 :])


def go_on(table: Table) -> None:
    """Run on to the next decision of the actions, or to the cooking after the last one."""
    if not resolve(table):
        _begin_cooking(table)


# Cooking (festo#7) --------------------------------------------------------------------------------


def _begin_cooking(table: Table) -> None:
    table.phase, table.decision, table.seat = Phase.COOKING, _COOK, table.first
    table.passed = (False,) * table.setup.seats


def _next_to_cook(table: Table) -> None:
    """Ask the next seat that has not passed, or end the round."""
    passed = table.passed
    seats = table.seats_from(table.seat)
    for seat in seats[1:] + seats[:1]:
        if not passed[seat]:
            table.seat, table.decision = seat, _COOK
            return
    table.passed = ()
    if table.round < ROUNDS:
        begin_round(table)
    else:
        table.phase, table.decision = Phase.OVER, None
        table.happened.append(Ended(Ending.ROUNDS_PLAYED))


def pass_cooking(table: Table) -> None:
    """Cook no more in this round."""
    table.passed = with_item(table.passed, table.seat, True)
    table.happened.append(Passed(table.seat))
    _next_to_cook(table)


def cook(table: Table, move: Cook) -> None:
    """Choose a dish, and ask for the payment."""
    table.paying = move.dish
    table.decision = _PAYMENT


def recall(table: Table, move: Recall) -> None:
    """Pay a cube for the own token on a dish (festo#7.1)."""
    seat = table.seat
    table.cubes = with_item(table.cubes, seat, add(table.cubes[seat], move.cube, -1))
    table.reserves = add(table.reserves, move.cube, 1)
    _free(table, table.buffet.index(move.dish))
    table.happened.append(Recalled(seat, move.dish, move.cube))
    _next_to_cook(table)


def pay(table: Table, move: Pay) -> None:
    """Pay for the dish, and obtain it (festo#7.2)."""
    seat, dish, cubes = table.seat, table.paying, move.cubes
    table.cubes = with_item(table.cubes, seat, take_away(table.cubes[seat], cubes))
    table.reserves = add_all(table.reserves, cubes)
    if dish in (ROAST, MAIN):
        table.stock = add(table.stock, dish - ROAST, -1)
    else:
        place = table.buffet.index(dish)
        _free(table, place)
        table.buffet = with_item(table.buffet, place, NO_DISH)
    table.happened.append(Cooked(seat, dish, cubes))
    _score_cooking(table, seat, dish, cubes)
    table.dishes = with_item(table.dishes, seat, (*table.dishes[seat], dish))
    table.paying = NO_DISH
    _next_to_cook(table)


def _free(table: Table, place: int) -> None:
    """Bring the token on a dish home, if there is one."""
    token = table.tokens[place]
    if token:
        seat, disc = divmod(token - 1, 2)
        table.tokens = with_item(table.tokens, place, 0)
        if disc:
            table.discs = add(table.discs, seat, 1)
        else:
            table.helpers = add(table.helpers, seat, 1)


def _score_cooking(table: Table, seat: Seat, dish: Dish, cubes: Counts) -> None:
    """Give the points of the event card and of magic desserts obtained before (festo#9.5, 11.4)."""
    if table.events and _COOK_BONUS.get(table.events[-1]) == CATEGORY_OF[dish]:
        score(table, seat, COOK_BONUS_POINTS, Reason.EVENT)
    if table.setup.magic_dishes:
        for own in table.dishes[seat]:
            if CATEGORY_OF[own] == DESSERT and cubes[BACK_OF[own]]:
                score(table, seat, MAGIC_POINTS, Reason.DESSERT)
