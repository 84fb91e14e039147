"""Plays Glastonbury by search.

It remembers what the greedy bot remembers, and what went under the draw pile; what it cannot know
are the order of the pile and the recipes of others.
"""

from collections.abc import Sequence
from functools import lru_cache

from greedy_glastonbury import GAINS, GreedyGlastonbury, set_worth
from highstreet.v1.glastonbury_pb2 import Glastonbury as Messages
from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from searching import Searcher, ahead_by, best_move

from engine import Seat
from engine.board import AHEAD, AT_CORNER, LINE_AT, Stop
from engine.glastonbury import (
    CAULDRON_NUMBER,
    COLOUR_OF,
    COLOURS,
    IMMUTO,
    INGREDIENT_OF,
    INGREDIENTS_OF_COLOUR,
    NUMBER,
    PASS,
    PERLUCEO,
    RECIPE_COLOURS,
    TAKES,
    USE_DECLINATIO,
    VANESCO,
    Card,
    Glastonbury,
    Phase,
    Recipes,
    Setup,
    Spells,
    Stack,
    State,
    Take,
    Task,
    deck,
)
from engine.glastonbury import Move as EngineMove

GAME = Glastonbury()
ROUNDS = 6  # how many more decisions each seat has before the position is reckoned
CANDIDATES = 8  # how many moves are tried, the greedy bot's favourites
SEARCHED = {
    Messages.PHASE_CORNER: Phase.CORNER,
    Messages.PHASE_TAKE: Phase.TAKE,
    Messages.PHASE_TAKE_AFTER_DECLINATIO: Phase.TAKE_AFTER_DECLINATIO,
}


class SearchGlastonbury(Searcher, GreedyGlastonbury):
    """Thinks like the greedy bot, but about many possible futures."""

    def match_started(self, message: MatchStarted) -> None:
        """Begin with an unknown draw pile."""
        super().match_started(message)
        self.options = message.glastonbury
        self.under_pile: list[int] = []

    def remember(self, event: Messages.Event) -> None:
        """Remember what went under the draw pile, too."""
        super().remember(event)
        if event.kind == Messages.EVENT_KIND_LOST and event.flag:
            self.under_pile.append(event.card)

    def choose(self, decision: Decision) -> Move:
        """Return the move that did best."""
        deadline = self.deadline(decision.clock)
        greedy_move = super().choose(decision)
        if self.view.phase not in SEARCHED:
            return greedy_move
        del self.under_pile[: -self.view.pile_size or None]
        ranked = sorted(decision.legal_moves, key=lambda move: -self.worth(move.glastonbury))
        candidates = {to_engine(move): move for move in ranked[:CANDIDATES]}
        position, unseen = self.known()
        chosen = best_move(
            list(candidates),
            lambda: self.dealt(position, unseen),
            lambda state, move: ahead_by(standings(play_on(state, move)), self.seat),
            deadline,
        )
        return candidates[chosen]

    def known(self) -> tuple[State, list[Card]]:
        """Return the position without its pile, and the cards that may be in the unknown part."""
        view, seats = self.view, len(self.cauldrons)
        removed = COLOURS[view.removed_colour - 1] if view.removed_colour else None
        unseen = list(deck(removed))
        in_cauldrons = [card for cauldron in self.cauldrons for card in cauldron]
        for card in (*view.board, *view.spells, *view.out, *self.under_pile, *in_cauldrons):
            if card:
                unseen.remove(Card(card))
        spells = [
            Spells(
                tuple(
                    Card(card)
                    for card, owner in zip(view.spells, view.spell_owners, strict=True)
                    if owner == seat
                ),
                view.accio[seat],
                view.declinatio[seat],
            )
            for seat in range(seats)
        ]
        letters = "".join(COLOURS[colour - 1] for colour in view.colours)
        return State(
            Setup(seats, letters, removed, None, self.options.dead_end_counts_as_end),
            stack(view.board),
            (),
            tuple(stack(cauldron) for cauldron in self.cauldrons),
            tuple(Stop(stop) for stop in view.stops),
            tuple(spells),
            stack(view.out),
            Seat(view.turn),
            SEARCHED[view.phase],
            view.steps,
            None,
        ), unseen

    def dealt(self, position: State, unseen: list[Card]) -> State:
        """Return the position with a pile and recipes that may be the true ones."""
        self.random.shuffle(unseen)
        pile = (*unseen, *stack(self.under_pile))
        if not self.view.recipe_tasks:
            return position._replace(pile=pile)
        colour = COLOURS[self.view.recipe_colours[self.seat] - 1]
        task = list(Task)[self.view.recipe_tasks[self.seat] - 1]
        colours = [other for other in RECIPE_COLOURS if other != colour]
        tasks = [other for other in Task if other != task]
        self.random.shuffle(colours)
        self.random.shuffle(tasks)
        recipes = list(map(Recipes, colours, tasks))[: len(self.cauldrons) - 1]
        recipes.insert(self.seat, Recipes(colour, task))
        return position._replace(pile=pile, setup=position.setup._replace(recipes=tuple(recipes)))


def stack(cards: Sequence[int]) -> Stack:
    """Return cards of the protocol as the engine has them; their numbers are the same."""
    return tuple(Card(card) for card in cards)


def to_engine(move: Move) -> EngineMove:
    """Return a move that is searched as the engine has it."""
    if move.glastonbury.HasField("take"):
        return TAKES[move.glastonbury.take]
    return USE_DECLINATIO if move.glastonbury.HasField("declinatio") else PASS


def play_on(state: State, move: EngineMove) -> State:
    """Play a move, and some rounds of greedy moves after it."""
    state = GAME.apply(state, {state.seat: move}).state
    for _ in range(ROUNDS * state.setup.seats):
        moves = {seat: greedy_move(state, seat) for seat in GAME.to_act(state)}
        if not moves:
            break
        state = GAME.apply(state, moves).state
    return state


# What the greedy bot reckons, for positions of the engine and from tables: here goes all the time.

Tally = tuple[tuple[int, ...], tuple[int, ...]]
ALL = range(18)
NOTHING = -1000
WORTH = tuple(
    tuple(tuple(set_worth(count, total, left) for total in range(21)) for left in range(6))
    for count in range(6)
)
"""``WORTH[count][left][total]``"""
VALUES = {
    colour: tuple(
        NUMBER[card] * (2 if card < IMMUTO and COLOUR_OF[INGREDIENT_OF[card]] == colour else 1)
        for card in range(VANESCO + 1)
    )
    for colour in COLOURS
}
"""``VALUES[colour of the pawn][card]``"""


@lru_cache(maxsize=50_000)
def tally(cauldron: Stack, colour: str) -> Tally:
    """Return for each ingredient the number of cards and the sum of their values."""
    counts, totals = [0] * 18, [0] * 18
    for card in cauldron:
        if card < IMMUTO:
            counts[INGREDIENT_OF[card]] += 1
            totals[INGREDIENT_OF[card]] += VALUES[colour][card]
    return tuple(counts), tuple(totals)


@lru_cache
def bonuses(recipes: Recipes, seats: int) -> tuple[int, ...]:
    """Return the bonus of each card for a holder of recipes."""
    bonus = [0] * (VANESCO + 1)
    for card in range(1, VANESCO + 1):
        if card < IMMUTO and COLOUR_OF[INGREDIENT_OF[card]] == recipes.colour:
            bonus[card] += 4 if seats == 4 else 2
        if recipes.task is Task.FEWEST_FOURS and NUMBER[card] == 4:
            bonus[card] -= 4
        if recipes.task is Task.MOST_ONES and NUMBER[card] == 1:
            bonus[card] += 4
        if recipes.task is Task.FEWEST_SPELLS and card > IMMUTO:
            bonus[card] -= 4
    return tuple(bonus)


NO_BONUS = (0,) * (VANESCO + 1)


def count(state: State) -> tuple[list[Tally], list[int]]:
    """Return the tally of each cauldron, and how many cards of each ingredient are left."""
    tallies = list(map(tally, state.cauldrons, state.setup.colours))
    left = [4 - sum(counts) for counts in zip(*(counts for counts, _ in tallies), strict=True)]
    for card in state.out:
        if card < IMMUTO:
            left[INGREDIENT_OF[card]] -= 1
    return tallies, left


def gains(state: State, seat: Seat) -> list[int]:
    """Return for each cell what its card gains for a seat."""
    setup, (tallies, left) = state.setup, count(state)
    counts, totals = tallies[seat]
    values = VALUES[setup.colours[seat]]
    bonus = bonuses(setup.recipes[seat], setup.seats) if setup.recipes else NO_BONUS
    result = []
    for card in state.board:
        if 0 < card < IMMUTO:
            i = INGREDIENT_OF[card]
            before = WORTH[counts[i]][left[i]][totals[i]]
            after = WORTH[counts[i] + 1][left[i] - 1][totals[i] + values[card]]
            result.append(after - before + bonus[card])
        elif card == VANESCO:
            result.append(losses(state, seat, tallies, left) + bonus[card])
        else:
            result.append(GAINS[card] + bonus[card] if card else NOTHING)
    return result


def losses(state: State, caster: Seat, tallies: list[Tally], left: list[int]) -> int:
    """Return what the other seats lose by Vanesco."""
    total = 0
    for seat, cauldron in enumerate(state.cauldrons):
        if seat != caster and cauldron:
            if (card := cauldron[-1]) == IMMUTO:
                total += GAINS[IMMUTO]
                continue
            i, (counts, totals) = INGREDIENT_OF[card], tallies[seat]
            total += WORTH[counts[i]][left[i]][totals[i]]
            lower = totals[i] - VALUES[state.setup.colours[seat]][card]
            total -= WORTH[counts[i] - 1][left[i] + 1][lower]
    return total


def greedy_move(state: State, seat: Seat) -> EngineMove:
    """Return about what the greedy bot would play."""
    legal = GAME.legal_moves(state, seat)
    if len(legal) == 1:
        return legal[0]
    if state.phase is Phase.IMMUTO:
        return GAME.default_move(state, seat)
    if state.phase is Phase.KEEP:
        after = [standings(GAME.apply(state, {seat: move}).state)[seat] for move in legal]
        return legal[after.index(max(after))]
    board, stop, gain = state.board, state.stops[seat], gains(state, seat)
    if state.phase is Phase.CORNER:
        line = LINE_AT[AHEAD[stop][state.steps]]
        return legal[all(gain[cell] < -4 or board[cell] >= PERLUCEO for cell in line)]
    return greedy_take(state, seat, legal, gain)


def greedy_take(
    state: State, seat: Seat, legal: Sequence[EngineMove], gain: list[int]
) -> EngineMove:
    """Return the take that gains most, together with what can be taken after it."""
    board, stop = state.board, state.stops[seat]
    cauldron, declinatio = state.cauldrons[seat], state.spells[seat].declinatio
    spell_steps = NUMBER[cauldron[-1]] if cauldron else CAULDRON_NUMBER
    best, chosen = NOTHING, legal[0]
    for move in legal:
        if not isinstance(move, Take):
            continue
        cell = move.cell
        card = board[cell]
        steps = NUMBER[card] if card <= IMMUTO else spell_steps
        reached = AHEAD[stop][steps]
        if AT_CORNER[reached] and declinatio:
            reached = AHEAD[reached][steps]
        prospect = -8
        for other in LINE_AT[reached]:
            if gain[other] > prospect and other != cell:
                prospect = gain[other]
        worth = gain[cell] + prospect - (0 if cell in LINE_AT[stop] else 10)
        if worth > best:
            best, chosen = worth, move
    return chosen


def standings(state: State) -> list[int]:
    """Return for each seat its points, or what it may hope for while the game goes on, twice."""
    if outcome := GAME.outcome(state):
        return [2 * score for score in outcome.scores]
    setup, (tallies, left) = state.setup, count(state)
    worths = [
        sum([WORTH[counts[i]][left[i]][totals[i]] for i in ALL])
        + GAINS[IMMUTO] * cauldron.count(IMMUTO)
        + 5 * spells.accio
        + 3 * spells.declinatio
        for (counts, totals), cauldron, spells in zip(
            tallies, state.cauldrons, state.spells, strict=True
        )
    ]
    for seat, recipes in enumerate(setup.recipes or ()):
        first, second = INGREDIENTS_OF_COLOUR[recipes.colour]
        held = [counts[first] + counts[second] for counts, _ in tallies]
        each = 4 if setup.seats == 4 else 2
        worths[seat] += held[seat] * (each if alone_ahead(held, seat) else each // 2)
        if alone_ahead(merits(state, recipes.task), seat):
            worths[seat] += 10
    return worths


def merits(state: State, task: Task) -> list[int]:
    """Return how far each seat is with a task."""
    if task is Task.FEWEST_CARDS:
        return [-len(cauldron) for cauldron in state.cauldrons]
    if task is Task.FEWEST_SPELLS:
        return [-len(own.taken) for own in state.spells]
    if task is Task.FEWEST_FOURS:
        return [-sum([NUMBER[card] == 4 for card in cauldron]) for cauldron in state.cauldrons]
    if task is Task.MOST_ONES:
        return [sum([NUMBER[card] == 1 for card in cauldron]) for cauldron in state.cauldrons]
    return [0 for _ in state.cauldrons]


def alone_ahead(numbers: list[int], seat: int) -> bool:
    """Tell whether a seat has more than every other."""
    return numbers[seat] == max(numbers) and numbers.count(numbers[seat]) == 1
