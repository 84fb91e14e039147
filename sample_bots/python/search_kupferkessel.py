"""Plays Kupferkessel Co. by search.

It remembers every cauldron, as the greedy bot does; what it cannot know are the order of the pile
and the recipes of others.
"""

from collections.abc import Sequence
from functools import lru_cache

from greedy_kupferkessel import GreedyKupferkessel, set_worth
from highstreet.v1.kupferkessel_pb2 import Kupferkessel as Messages
from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from searching import Searcher, ahead_by, best_move

from engine import Seat
from engine.board import LINE_AT, STOPS, Cell, Stop
from engine.kupferkessel import (
    ALL_RECIPES,
    COLOUR_OF,
    COLOURS,
    DECK,
    DISCARD,
    INGREDIENT_OF,
    KEEP,
    RECIPES_FOR_THREE,
    SKIP,
    SYMBOLS,
    TAKES,
    USE,
    VALUE,
    Card,
    Kupferkessel,
    Phase,
    Recipe,
    Setup,
    Stack,
    State,
    Symbol,
)
from engine.kupferkessel import Move as EngineMove

GAME = Kupferkessel()
ROUNDS = 7  # how many more decisions each seat has before the position is counted
PHASES = {
    Messages.PHASE_TAKE: Phase.TAKE,
    Messages.PHASE_TAKE_AGAIN: Phase.TAKE_AGAIN,
    Messages.PHASE_EXPLOSION: Phase.EXPLOSION,
    Messages.PHASE_WAND: Phase.WAND,
}
SYMBOL_CHOICES = tuple(SYMBOLS)


class SearchKupferkessel(Searcher, GreedyKupferkessel):
    """Thinks like the greedy bot, but about many possible futures."""

    def match_started(self, message: MatchStarted) -> None:
        """Begin without a gap on the board."""
        super().match_started(message)
        self.gap = Cell(0)

    def remember(self, event: Messages.Event) -> None:
        """Remember which cell was emptied last, too."""
        super().remember(event)
        if event.kind == Messages.EVENT_KIND_TOOK:
            self.gap = Cell(event.cell)

    def choose(self, decision: Decision) -> Move:
        """Return the move that did best."""
        deadline = self.deadline(decision.clock)
        greedy_move = super().choose(decision)
        if not self.searches():
            return greedy_move
        moves = {to_engine(move.kupferkessel): move for move in decision.legal_moves}
        position, unseen = self.known()
        chosen = best_move(
            list(moves),
            lambda: self.dealt(position, unseen),
            lambda state, move: ahead_by(standings(play_on(state, move)), self.seat),
            deadline,
        )
        return moves[chosen]

    def searches(self) -> bool:
        """Tell whether the decision is searched; the greedy bot makes the others."""
        return self.view.phase in PHASES

    def known(self) -> tuple[State, list[Card]]:
        """Return the position without its pile, and the cards of the pile."""
        view = self.view
        cauldrons = tuple(stack(cauldron) for cauldron in self.cauldrons)
        seen = {*view.board, *view.out, *(card for cauldron in cauldrons for card in cauldron)}
        phase = PHASES[view.phase]
        letters = "".join(COLOURS[colour - 1] for colour in view.colours)
        return State(
            Setup(len(cauldrons), letters, SYMBOL_CHOICES[view.symbols - 1], None),
            stack(view.board),
            (),
            cauldrons,
            tuple(Stop(stop) for stop in view.stops),
            stack(view.out),
            Seat(view.turn),
            phase,
            view.turn_number,
            view.steps,
            self.gap if phase in (Phase.EXPLOSION, Phase.WAND) else None,
            None,
        ), [card for card in DECK if card not in seen]

    def dealt(self, position: State, unseen: list[Card]) -> State:
        """Return the position with a pile and recipes that may be the true ones."""
        self.random.shuffle(unseen)
        position = position._replace(pile=tuple(unseen))
        if not self.view.recipes:
            return position
        own = [Recipe(recipe) for recipe in self.view.recipes]
        seats = position.setup.seats
        recipes = ALL_RECIPES if len(own) > 1 else RECIPES_FOR_THREE
        others = [recipe for recipe in recipes if recipe not in own]
        self.random.shuffle(others)
        others[len(own) * self.seat : len(own) * self.seat] = own
        by_seat = tuple(tuple(others[len(own) * s : len(own) * (s + 1)]) for s in range(seats))
        return position._replace(setup=position.setup._replace(recipes=by_seat))


def stack(cards: Sequence[int]) -> Stack:
    """Return cards of the protocol as the engine has them; their numbers are the same."""
    return tuple(map(Card, cards))


def to_engine(move: Messages.Move) -> EngineMove:
    """Return a move that is searched as the engine has it."""
    if move.HasField("take"):
        return TAKES[move.take]
    return USE if move.HasField("use") else SKIP


def play_on(state: State, move: EngineMove) -> State:
    """Play a move, and some rounds of greedy moves after it."""
    state = GAME.apply(state, {state.seat: move}).state
    for _ in range(ROUNDS * state.setup.seats):
        if state.phase is Phase.OVER:
            break
        state = GAME.apply(state, {state.seat: greedy_move(state)}).state
    return state


# What the greedy bot counts, for positions of the engine and from tables.

Tally = tuple[tuple[int, ...], tuple[int, ...]]
ALL = range(14)
NOTHING = -1000
WORTH = tuple(
    tuple(tuple(set_worth(count, total, left) for total in range(21)) for left in range(6))
    for count in range(6)
)
"""``WORTH[count][left][total]``"""
VALUES = {
    colour: tuple(
        value * (2 if COLOUR_OF[INGREDIENT_OF[card]] == colour else 1)
        for card, value in enumerate(VALUE)
    )
    for colour in COLOURS
}
"""``VALUES[colour of the pawn][card]``"""


@lru_cache(maxsize=50_000)
def tally(cauldron: Stack, colour: str) -> Tally:
    """Return for each ingredient the number of cards and the sum of their values."""
    counts, totals = [0] * 14, [0] * 14
    for card in cauldron:
        counts[INGREDIENT_OF[card]] += 1
        totals[INGREDIENT_OF[card]] += VALUES[colour][card]
    return tuple(counts), tuple(totals)


def count(state: State) -> tuple[list[Tally], list[int]]:
    """Return the tally of each cauldron, and how many cards of each ingredient are left."""
    tallies = list(map(tally, state.cauldrons, state.setup.colours))
    left = [4 - sum(counts) for counts in zip(*(counts for counts, _ in tallies), strict=True)]
    for card in state.out:
        left[INGREDIENT_OF[card]] -= 1
    return tallies, left


def greedy_move(state: State) -> EngineMove:
    """Return about what the greedy bot would play."""
    phase, seat = state.phase, state.seat
    tallies, left = count(state)
    if phase is Phase.EXPLOSION:
        return USE if losses(state, tallies, left) > 0 else SKIP
    counts, totals = tallies[seat]
    values = VALUES[state.setup.colours[seat]]

    def gain(card: Card) -> int:
        i = INGREDIENT_OF[card]
        after = WORTH[counts[i] + 1][left[i] - 1][totals[i] + values[card]]
        return after - WORTH[counts[i]][left[i]][totals[i]] + (2 if VALUE[card] == 1 else 0)

    if state.end:
        return KEEP if gain(state.end.last_card) > 0 else DISCARD
    board, stops = state.board, state.stops
    if phase is Phase.WAND:
        line = LINE_AT[reached(stops, stops[seat], VALUE[state.cauldrons[seat][-1]])]
        return USE if any(board[cell] and gain(board[cell]) > 0 for cell in line) else SKIP
    prospects: dict[int, list[tuple[int, Cell]]] = {}
    best, chosen = NOTHING, Cell(0)
    for cell in LINE_AT[stops[seat]]:
        if not (card := board[cell]):
            continue
        steps = VALUE[card]
        if steps not in prospects:
            line = LINE_AT[reached(stops, stops[seat], steps)]
            prospects[steps] = [(gain(board[other]), other) for other in line if board[other]]
        worth = gain(card) + max([-8, *[g for g, other in prospects[steps] if other != cell]])
        if SYMBOLS[state.setup.symbols][card] is Symbol.EXPLOSION:
            worth += max(0, losses(state, tallies, left))
        if worth > best:
            best, chosen = worth, cell
    return TAKES[chosen]


def reached(stops: tuple[Stop, ...], stop: int, steps: int) -> int:
    """Return the stop that a pawn reaches; stops of other pawns are not counted."""
    while steps:
        stop = (stop + 1) % STOPS
        steps -= stop not in stops
    return stop


def losses(state: State, tallies: list[Tally], left: list[int]) -> int:
    """Return what the other seats lose by an explosion."""
    total = 0
    for seat, cauldron in enumerate(state.cauldrons):
        if seat != state.seat and len(cauldron) > 1:
            i, (counts, totals) = INGREDIENT_OF[cauldron[-1]], tallies[seat]
            total += WORTH[counts[i]][left[i]][totals[i]]
            lower = totals[i] - VALUES[state.setup.colours[seat]][cauldron[-1]]
            total -= WORTH[counts[i] - 1][left[i] + 1][lower]
    return total


def standings(state: State) -> list[int]:
    """Return for each seat its points, or what it may hope for while the game goes on, twice."""
    if outcome := GAME.outcome(state):
        return [2 * score for score in outcome.scores]
    tallies, left = count(state)
    worths = [
        sum([WORTH[counts[i]][left[i]][totals[i]] for i in ALL]) for counts, totals in tallies
    ]
    ones = [sum([VALUE[card] == 1 for card in cauldron]) for cauldron in state.cauldrons]
    for seat, own in enumerate(ones):
        worths[seat] += 2 * own + (4 if own == max(ones) and ones.count(own) == 1 else 0)
    return worths
