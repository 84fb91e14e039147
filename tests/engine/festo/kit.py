"""What the conformance suite must know of Festo!."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, permutations, product
from typing import Any

from engine import Chance, Options, Seat, Seed, shuffled
from engine.festo.cards import (
    COLOURS,
    CUBES,
    DISHES,
    EVENT_CARDS,
    SALT,
    SPOTS,
    Dish,
    EventCard,
)
from engine.festo.legal import west
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
)
from engine.festo.state import Decision, State


def _placements() -> list[Move]:
    """Return every part of a placement with up to six helpers, and some that mix the parts."""
    western = [n for n in product(range(7), repeat=3) if sum(n) <= 6]
    eastern = [n for n in product(range(7), repeat=4) if 0 < sum(n) <= 6]
    return [
        *(Place((*n, 0, 0, 0, 0)) for n in western),
        *(Place((0, 0, 0, *n)) for n in eastern),
        Place((1, 0, 0, 0, 0, 0, 1)),
        Place((1, 1, 1, 1, 1, 1, 0)),
    ]


def _payments() -> list[Move]:
    """Return payments in two colours with salt, those of a main course, and some others."""
    found: set[tuple[int, ...]] = {
        (0,) * 7,
        (1,) * 6 + (0,),
        (1, 1, 1, 1, 1, 0, 1),
        (1, 1, 1, 0, 0, 0, 0),
        (2, 2, 2, 2, 2, 2, 2),
    }
    for main, other in permutations(COLOURS, 2):
        for a, b, salt in product(range(6), range(4), range(3)):
            paid = [0] * len(CUBES)
            paid[main], paid[other], paid[SALT] = a, b, salt
            found.add(tuple(paid))
    return [Pay(paid) for paid in sorted(found)]


def _every_move() -> list[Move]:
    pairs = [c for n in (1, 2) for c in combinations_with_replacement(SPOTS, n)]
    return [
        *(First(Seat(i)) for i in range(5)),
        *_placements(),
        Take(everything=False),
        Take(everything=True),
        *(MoveCube(*parts) for parts in product(COLOURS, SPOTS, SPOTS)),
        *(Send(disc, spot) for disc in (False, True) for spot in SPOTS),
        *(Reserve(disc, dish) for disc in (False, True) for dish in DISHES),
        TakeSalt(),
        *map(Trade, CUBES),
        *map(LayDiscs, pairs),
        TakePoints(),
        *map(TakeCube, COLOURS),
        *(Get(c) for n in (1, 2) for c in combinations_with_replacement(COLOURS, n)),
        *map(TakeShelf, COLOURS),
        Pass(),
        *map(Cook, DISHES),
        *(Recall(dish, cube) for dish in DISHES for cube in CUBES),
        *_payments(),
    ]


EVERY_MOVE = _every_move()


def cards(state: State) -> Counter[Any]:
    """Return all cubes, dishes, helpers and discs, wherever they are."""
    found: Counter[Any] = Counter()
    six_colours = (*state.markets, state.shelves)
    for numbers in (state.reserves, *state.cubes, *six_colours):
        for colour, number in enumerate(numbers):
            found["cube", colour] += number
    piles = (*state.ahead.piles, *state.dishes, state.buffet)
    found.update(("dish", dish) for pile in piles for dish in pile if dish)
    for dish, number in zip(DISHES[-2:], state.stock, strict=True):
        found["dish", dish] += number
    for seat in range(state.setup.seats):
        on_dishes = Counter(state.tokens)
        helpers = sum(spot[seat] for spot in state.helpers_at)
        discs = sum(spot[seat] for spot in (*state.discs_at, *state.laid))
        found["helper", seat] = state.helpers[seat] + helpers + on_dishes[1 + 2 * seat]
        found["disc", seat] = state.discs[seat] + discs + on_dishes[2 + 2 * seat]
    return found


def deck(options: Options) -> Counter[Any]:
    """Return the components that there are, counted by hand from festo#1 and 3.3."""
    seats = options.seats
    full: Counter[Any] = Counter({("cube", colour): 14 for colour in range(6)})
    full["cube", 6] = seats + 1
    full.update(("dish", number) for number in range(1, 25))
    full["dish", 25] = full["dish", 26] = seats
    for seat in range(seats):
        full["helper", seat] = 6
        full["disc", seat] = 2
    return full


def redealt(state: State, viewer: Seat | None, seed: Seed) -> State:
    """Deal anew what a viewer cannot see: piles, events and dice to come, and a part placement."""
    ahead = state.ahead
    chance = Chance(seed, "test/redeal")
    dice = tuple(tuple(1 + chance.below(6) for _ in range(3)) for _ in ahead.dice)
    piles: tuple[tuple[Dish, ...], ...] = tuple(
        shuffled(pile, seed, f"test/pile-{row}") for row, pile in enumerate(ahead.piles)
    )
    unseen = [card for card in EVENT_CARDS if card not in state.events]
    events: tuple[EventCard, ...] = shuffled(unseen, seed, "test/events")[: len(ahead.events)]
    state = state._replace(ahead=ahead._replace(piles=piles, events=events, dice=dice))
    if state.decision is Decision.PLACE_EAST and state.seat != viewer:
        state = state._replace(placing=_other_placing(state, chance))
    return state


def _other_placing(state: State, chance: Chance) -> tuple[int, ...]:
    """Return any first part of the placement that leaves a helper for the second one."""
    home = state.helpers[state.seat]
    possible = [move.helpers[:3] for move in west(state).moves if sum(move.helpers) < home]
    return possible[chance.below(len(possible))]
