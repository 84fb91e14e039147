"""What the conformance suite must know of Kupferkessel Co."""

from __future__ import annotations

from collections import Counter

from engine.board import Cell
from engine.game import Options, Seat
from engine.kupferkessel.cards import ALL_RECIPES, RECIPES_FOR_THREE, Card
from engine.kupferkessel.moves import Discard, Keep, Move, Skip, Take, Use
from engine.kupferkessel.state import Phase, State
from engine.shuffle import Seed, shuffled

EVERY_MOVE: list[Move] = [
    *(Take(Cell(cell)) for cell in range(36)),
    Use(),
    Skip(),
    Keep(),
    Discard(),
]


def cards(state: State) -> Counter[Card]:
    """Count all cards, wherever they are."""
    found = Counter(card for card in state.board if card)
    found.update(state.pile)
    found.update(state.out)
    for cauldron in state.cauldrons:
        found.update(cauldron)
    if state.end and state.end.last_card:
        found[state.end.last_card] += 1
    return found


def deck(options: Options) -> Counter[Card]:  # noqa: ARG001  it is always the same
    """Return the 56 cards of kupferkessel#1.1, once each."""
    return Counter(map(Card, range(1, 57)))


def redealt(state: State, viewer: Seat | None, seed: Seed) -> State:
    """Deal anew what the viewer cannot see: pile, covered cards, the recipes of others."""
    if state.phase is Phase.OVER:
        return state._replace(pile=shuffled(state.pile, seed, "test/redeal"))
    covered = [card for cauldron in state.cauldrons for card in cauldron[:-1]]
    pool = list(shuffled((*state.pile, *covered), seed, "test/redeal"))
    pile = tuple(pool.pop() for _ in state.pile)
    cauldrons = tuple(
        (*(pool.pop() for _ in cauldron[:-1]), cauldron[-1]) for cauldron in state.cauldrons
    )
    setup = state.setup
    if setup.recipes is not None:
        own = setup.recipes[viewer] if viewer is not None else ()
        there_are = ALL_RECIPES if setup.seats == 2 else RECIPES_FOR_THREE
        rest = list(shuffled([r for r in there_are if r not in own], seed, "test/recipes"))
        recipes = tuple(
            held if seat == viewer else tuple(rest.pop() for _ in held)
            for seat, held in enumerate(setup.recipes)
        )
        setup = setup._replace(recipes=recipes)
    return state._replace(setup=setup, pile=pile, cauldrons=cauldrons)
