"""What the conformance suite must know of each game, beyond the Game interface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

from engine.board import Cell
from engine.game import Options, Seat
from engine.glastonbury.cards import INGREDIENTS, RECIPE_COLOURS, Card, Task
from engine.glastonbury.moves import (
    AssignImmuto,
    Discard,
    Keep,
    Move,
    Pass,
    Take,
    UseDeclinatio,
)
from engine.glastonbury.state import Phase, Recipes, Stack, State
from engine.shuffle import Seed, shuffled
from tests.engine.festo import kit as festo
from tests.engine.gargon import kit as gargon
from tests.engine.kupferkessel import kit as kupferkessel


@dataclass(frozen=True)
class Kit:
    """Three questions about a game that only a test asks."""

    every_move: Sequence[Any]
    """Every move that can be written down, legal or not."""
    cards: Callable[[Any], Counter[Any]]
    """All cards of a state, wherever they are."""
    redealt: Callable[[Any, Seat | None, Seed], Any]
    """The state with everything dealt anew that the viewer cannot see."""
    deck: Callable[[Options], Counter[Any]]
    """The cards that there are, counted by hand from the rules."""


def _glastonbury_moves() -> list[Move]:
    immuto = [c for n in (1, 2) for c in combinations_with_replacement(INGREDIENTS, n)]
    return [
        *(Take(Cell(cell)) for cell in range(36)),
        UseDeclinatio(),
        Pass(),
        Keep(),
        Discard(),
        *map(AssignImmuto, immuto),
        AssignImmuto(INGREDIENTS[:3]),
    ]


def _glastonbury_cards(state: State) -> Counter[Card]:
    found = Counter(card for card in state.board if card)
    found.update(state.pile)
    found.update(state.out)
    for cauldron in state.cauldrons:
        found.update(cauldron)
    for own in state.spells:
        found.update(own.taken)
    if state.end and state.end.last_card:
        found[state.end.last_card] += 1
    return found


def _glastonbury_deck(options: Options) -> Counter[Card]:
    # 72 ingredient cards once each (glastonbury#1.1), numbered colour by colour, eight a colour;
    # then Immuto, Accio, Declinatio, Perluceo twice and Vanesco four times.
    ingredients = set(range(1, 73))
    if options.seats == 2:
        unused = min("YGRB".index(c) for c in "YGRB" if c not in str(options["colours"])[:2])
        ingredients -= set(range(8 * unused + 1, 8 * unused + 9))
    full = Counter(map(Card, ingredients))
    full.update({Card(73): 2, Card(74): 2, Card(75): 2, Card(76): 2, Card(77): 4})
    return full


def _glastonbury_redealt(state: State, viewer: Seat | None, seed: Seed) -> State:
    opened = state.phase in (Phase.IMMUTO, Phase.OVER)
    covered = [] if opened else [card for stack in state.cauldrons for card in stack[:-1]]
    pool = list(shuffled((*state.pile, *covered), seed, "test/redeal"))
    pile = tuple(pool.pop() for _ in state.pile)
    cauldrons: tuple[Stack, ...] = state.cauldrons
    if not opened:
        cauldrons = tuple(
            (*(pool.pop() for _ in stack[:-1]), *stack[-1:]) for stack in state.cauldrons
        )
    setup = state.setup
    if setup.recipes is not None and state.phase is not Phase.OVER:
        own = setup.recipes[viewer] if viewer is not None else None
        colours = iter(_others(RECIPE_COLOURS, own and own.colour, seed))
        tasks = iter(_others(tuple(Task), own and own.task, seed))
        recipes = tuple(
            held if held is own else Recipes(next(colours), next(tasks)) for held in setup.recipes
        )
        setup = setup._replace(recipes=recipes)
    return state._replace(setup=setup, pile=pile, cauldrons=cauldrons)


def _others(items: Sequence[Any], own: Any, seed: Seed) -> tuple[Any, ...]:
    return shuffled([item for item in items if item != own], seed, "test/recipes")


KITS: dict[str, Kit] = {
    "glastonbury": Kit(
        every_move=_glastonbury_moves(),
        cards=_glastonbury_cards,
        redealt=_glastonbury_redealt,
        deck=_glastonbury_deck,
    ),
    "kupferkessel": Kit(
        every_move=kupferkessel.EVERY_MOVE,
        cards=kupferkessel.cards,
        redealt=kupferkessel.redealt,
        deck=kupferkessel.deck,
    ),
    "gargon": Kit(
        every_move=gargon.EVERY_MOVE,
        cards=gargon.cards,
        redealt=gargon.redealt,
        deck=gargon.deck,
    ),
    "festo": Kit(
        every_move=festo.EVERY_MOVE,
        cards=festo.cards,
        redealt=festo.redealt,
        deck=festo.deck,
    ),
}
