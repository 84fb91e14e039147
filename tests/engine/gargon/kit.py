"""What the conformance suite must know of Gargon."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement

from engine.game import Options, Seat
from engine.gargon.cards import COLOUR_OF, COLOURS, FACES, PILES, Card, Cards
from engine.gargon.legal import legal_moves
from engine.gargon.moves import Battle, Draw, Move, Pass, Pattern, Pick, Play, Stop
from engine.gargon.state import Phase, State
from engine.shuffle import Chance, Seed, shuffled

COVERED = (Phase.LEAD, Phase.FOLLOW, Phase.PICK, Phase.PASSDRAW)
"""The phases in which cards on the table lie face down."""


def _every_move() -> list[Move]:
    """Return every play, pick and so on; of those with too many cards, some."""
    patterns = [p for n in (1, 2, 3) for p in combinations_with_replacement(COLOURS, n)]
    of_colour = [[card for card in FACES if COLOUR_OF[card] == colour] for colour in COLOURS]
    pairs = [pair for own in of_colour for pair in combinations(own, 2)]
    zeros = [(own[0], own[0]) for own in of_colour]
    odd = [(of_colour[0][3], of_colour[4][3]), of_colour[2][:3], (of_colour[4][9],) * 2]
    return [
        *map(Play, patterns),
        Play(COLOURS[:4]),
        Play(COLOURS[:2] * 2),
        *map(Pass, (*PILES, None)),
        *(Pick((card,)) for card in FACES),
        *(Pick(tuple(cards)) for cards in (*pairs, *zeros, *odd)),
        *map(Draw, PILES),
        Stop(),
        *map(Battle, COLOURS),
    ]


EVERY_MOVE = _every_move()


def cards(state: State) -> Counter[Card]:
    """Return all cards of a state; what is picked is still in a hand."""
    places = (*state.hands, *state.piles, *state.laid, *state.captured, state.discards)
    return Counter(card for place in places for card in place)


def deck(options: Options) -> Counter[Card]:
    """Return the cards that there are: sixteen numbers a colour, the first of them twice (1.1)."""
    del options
    return Counter({Card(n): 2 if n % 16 == 1 else 1 for n in range(1, 97)})


def redealt(state: State, viewer: Seat | None, seed: Seed) -> State:
    """Deal anew what a viewer cannot see: values within their colour, captures whatever they are.

    The seat that is picking may have chosen another pattern, and may have picked nothing yet.
    """
    over = state.phase is Phase.OVER
    others = [] if over else [seat for seat in range(state.setup.seats) if seat != viewer]
    covered_captures = not over and not state.setup.open_captures
    if covered_captures:
        state = _with_other_captures(state, seed)
    state = _with_other_values(state, others, covered_captures=covered_captures, seed=seed)
    if state.phase is Phase.PICK and state.seat != viewer:
        state = state._replace(pattern=_other_pattern(state, seed), picked=())
    return state


def _other_pattern(state: State, seed: Seed) -> Pattern:
    """Return any pattern that the seat which is picking could have chosen."""
    asked = Phase.LEAD if state.seat == state.leader else Phase.FOLLOW
    moves = legal_moves(state._replace(phase=asked, pattern=(), picked=()))
    patterns = [move.pattern for move in moves if isinstance(move, Play)]
    return patterns[Chance(seed, "test/pattern").below(len(patterns))]


def _with_other_captures(state: State, seed: Seed) -> State:
    """Shuffle all captured cards; everybody knows only how many each seat has."""
    pool = iter(shuffled([c for own in state.captured for c in own], seed, "test/captures"))
    return state._replace(captured=tuple(tuple(next(pool) for _ in own) for own in state.captured))


def _with_other_values(
    state: State, others: list[int], *, covered_captures: bool, seed: Seed
) -> State:
    """Shuffle the values of each colour among piles, hands of others, and what lies face down."""
    covered = others if state.phase in COVERED else []
    hidden = [*state.piles, *(state.hands[s] for s in others), *(state.laid[s] for s in covered)]
    if covered_captures:
        hidden += state.captured
    pools = {
        colour: iter(shuffled(values, seed, f"test/values-{colour}"))
        for colour in COLOURS
        for values in [[card for own in hidden for card in own if COLOUR_OF[card] == colour]]
    }

    def other(own: Cards) -> Cards:
        return tuple(next(pools[COLOUR_OF[card]]) for card in own)

    hands, laid = list(state.hands), list(state.laid)
    for seat in others:
        hands[seat] = tuple(sorted(other(hands[seat])))
    for seat in covered:
        laid[seat] = _highest_first(other(laid[seat]))
    captured = tuple(map(other, state.captured)) if covered_captures else state.captured
    first, second = map(other, state.piles)
    return state._replace(
        hands=tuple(hands), laid=tuple(laid), captured=captured, piles=(first, second)
    )


def _highest_first(laid: Cards) -> Cards:
    """Put a pair in order, as it is laid."""
    colours = dict.fromkeys(COLOUR_OF[card] for card in laid)
    groups = [[card for card in laid if COLOUR_OF[card] == colour] for colour in colours]
    return tuple(card for group in groups for card in sorted(group, reverse=True))
