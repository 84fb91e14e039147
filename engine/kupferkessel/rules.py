"""The course of a game of Kupferkessel Co. (docs/rules/kupferkessel.md, section by section)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from engine.board import (
    AHEAD,
    AT_CORNER,
    CARDS_OF_LINES_THROUGH,
    CELL_NAMES,
    CORNER_CELLS,
    CORNER_STOPS,
    DEALT_CELLS,
    LINE_AT,
    SIZE,
    STOPS,
    Cell,
    Stop,
    line_name,
)
from engine.errors import IllegalMoveError, did_you_mean
from engine.game import (
    Event,
    GameSpec,
    Option,
    Options,
    OptionValue,
    Outcome,
    Seat,
    Transition,
    Violation,
    foreign_move,
    no_such_viewer,
)
from engine.kupferkessel import moves as notation
from engine.kupferkessel import render
from engine.kupferkessel.cards import (
    ALL_RECIPES,
    CARD_NAMES,
    COLOUR_OF,
    DECK,
    FIRST_PAWNS,
    INGREDIENT_OF,
    NO_CARD,
    RECIPE_NAMES,
    RECIPES_FOR_THREE,
    SYMBOLS,
    THIRD_PAWNS,
    VALUE,
    Card,
    Symbol,
)
from engine.kupferkessel.moves import (
    DISCARD,
    KEEP,
    MOVE_TYPES,
    SKIP,
    TAKES,
    USE,
    Move,
    Take,
    format_move,
)
from engine.kupferkessel.scoring import score_sheets
from engine.kupferkessel.state import (
    CauldronsOpened,
    Discarded,
    DrewStartCard,
    End,
    Ended,
    Ending,
    Kept,
    Lost,
    Moved,
    Passed,
    Phase,
    Recipes,
    RecipesOpened,
    Refilled,
    Setup,
    Stack,
    State,
    Took,
    UsedSymbol,
    View,
)
from engine.shuffle import Seed, shuffled

T = TypeVar("T")

MOST_TURNS: Final = 200
"""After so many turns a game that has not ended otherwise is over (kupferkessel#6.4)."""
START_STOPS: Final = (CORNER_STOPS[0], CORNER_STOPS[2], CORNER_STOPS[1])
"""By seat: the third pawn stands between the other two (kupferkessel#3.4)."""
SEATS: Final = tuple(Seat(i) for i in range(3))

# A name of the module is found ten times faster than a member of an enum (Python 3.11).
_TAKE: Final = Phase.TAKE
_TAKE_AGAIN: Final = Phase.TAKE_AGAIN
_EXPLOSION: Final = Phase.EXPLOSION
_WAND: Final = Phase.WAND
_KEEP: Final = Phase.KEEP
_OVER: Final = Phase.OVER
_EXPLOSION_SYMBOL: Final = Symbol.EXPLOSION

# Everything below is made once, so that a decision need not make it again.
_ALONE: Final = tuple((seat,) for seat in SEATS)
_NEXT_SEAT: Final = {n: tuple(Seat((i + 1) % n) for i in range(n)) for n in (2, 3)}
_NEXT_STOP: Final = tuple(ahead[1] for ahead in AHEAD)
_LINE_TAKES: Final = tuple(tuple(TAKES[cell] for cell in line) for line in LINE_AT)
_MOVED: Final = tuple(
    tuple(tuple(Moved(seat, steps, Stop(stop)) for stop in range(STOPS)) for steps in range(5))
    for seat in SEATS
)
_PASSED: Final = tuple(Passed(seat) for seat in SEATS)
_SYMBOL_MOVES: Final = (USE, SKIP)
_KEEP_MOVES: Final = (KEEP, DISCARD)

_KINDS: Final = {
    Phase.TAKE: "take",
    Phase.TAKE_AGAIN: "take again after a wand",
    Phase.EXPLOSION: "explosion",
    Phase.WAND: "wand",
    Phase.KEEP: "keep",
}


def _symbols_problem(value: OptionValue, _seats: int) -> str | None:
    if value in SYMBOLS:
        return None
    known = " or ".join(SYMBOLS)
    return f'symbols is "{value}", but must be {known}.{did_you_mean(str(value), SYMBOLS)}'


def _third_colour_problem(value: OptionValue, _seats: int) -> str | None:
    if value in tuple(THIRD_PAWNS):
        return None
    return (
        f'third_colour is "{value}", but must be one letter of {THIRD_PAWNS}: '
        "lilac, brown, green or grey."
    )


class Kupferkessel:
    """Kupferkessel Co. for 2 or 3 seats, with and without recipes."""

    spec: Final = GameSpec(
        name="kupferkessel",
        title="Kupferkessel Co.",
        rules_version="1",
        seats=(2, 3),
        options_offered=(
            Option("recipes", False, "play with recipe cards (kupferkessel#8)", variant=True),
            Option(
                "symbols",
                "neutral2",
                "which cards carry symbols: neutral2 or all2 (kupferkessel#1.3)",
                _symbols_problem,
            ),
            Option(
                "third_colour",
                THIRD_PAWNS[0],
                "the pawn colour of a third seat (kupferkessel#3.1)",
                _third_colour_problem,
            ),
        ),
        endings=Ending,
        decision_kinds=tuple(_KINDS.values()),
        most_decisions=800,
        draw_probability=0.01,
    )

    def deal(self, options: Options, seed: Seed) -> Transition[State]:
        """Set the table, and move the first pawn (kupferkessel#3)."""
        setup = _setup(options, seed)
        cards = shuffled(DECK, seed, "kupferkessel/deck")
        board = [NO_CARD] * (SIZE * SIZE)
        for cell, card in zip(DEALT_CELLS, cards, strict=False):
            board[cell] = card
        events: list[Event] = []
        cauldrons, pile = _draw_start_cards(setup.colours, cards[len(DEALT_CELLS) :], events)
        state = _next_turn(
            setup,
            tuple(board),
            pile,
            cauldrons,
            START_STOPS[: setup.seats],
            (),
            SEATS[setup.seats - 1],
            turn=0,
            steps=0,
            events=events,
        )
        return Transition(state, events)

    def describe_deal(self, options: Options, seed: Seed) -> Mapping[str, object]:
        """Return the shuffled deck, the start cards and the recipes, as records have them."""
        setup = _setup(options, seed)
        cards = shuffled(DECK, seed, "kupferkessel/deck")
        cauldrons, _ = _draw_start_cards(setup.colours, cards[len(DEALT_CELLS) :], [])
        return {
            "cards": [CARD_NAMES[card] for card in cards],
            "start_cards": [CARD_NAMES[card] for (card,) in cauldrons],
            "recipes": setup.recipes
            and [[RECIPE_NAMES[recipe] for recipe in own] for own in setup.recipes],
        }

    def to_act(self, state: State) -> Sequence[Seat]:
        """Return who must decide (kupferkessel#10.1)."""
        return () if state.phase is _OVER else _ALONE[state.seat]

    def legal_moves(self, state: State, seat: Seat) -> Sequence[Move]:
        """Return every legal move in the order of kupferkessel#10.1."""
        phase = state.phase
        if seat != state.seat or phase is _OVER:
            return ()
        if phase is _TAKE or phase is _TAKE_AGAIN:
            stop = state.stops[seat]
            if state.pile:
                return _LINE_TAKES[stop]
            board = state.board
            return tuple([TAKES[cell] for cell in LINE_AT[stop] if board[cell]])
        return _KEEP_MOVES if phase is _KEEP else _SYMBOL_MOVES

    def secretly_forced(self, state: State, seat: Seat) -> bool:  # noqa: ARG002  never
        """Return False: boards and pawns are public."""
        return False

    def check(self, state: State, seat: Seat, move: Move) -> Violation | None:
        """Return the paragraph that a move would break, or nothing if it is legal."""
        # The common case first: a card of the line that the pawn faces.
        if (
            state.phase is _TAKE
            and seat == state.seat
            and type(move) is Take
            and state.board[move.cell]
            and move.cell in LINE_AT[state.stops[seat]]
        ):
            return None
        if type(move) not in MOVE_TYPES:
            raise foreign_move(move, self.spec.title)
        return _violation(state, seat, move)

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Transition[State]:
        """Play the move and run on to the next decision."""
        seat = state.seat
        move = moves.get(seat)
        if move is None or len(moves) != 1:
            raise IllegalMoveError(_not_as_asked(self.to_act(state), moves))
        if violation := self.check(state, seat, move):
            raise IllegalMoveError(violation)
        events: list[Event] = []
        if type(move) is Take:
            return Transition(_take(state, move.cell, events), events)
        if state.phase is _KEEP:
            return Transition(_settle_last_card(state, keep=move == KEEP, events=events), events)
        return Transition(_settle_symbol(state, use=move == USE, events=events), events)

    def decision_kind(self, view: View, legal: Sequence[Move]) -> str:  # noqa: ARG002  the view says it
        """Name what a seat decides that has this view and these legal moves."""
        return _KINDS[view.phase]

    def default_move(self, state: State, seat: Seat) -> Move:
        """Return the move that is played for a seat that cannot decide (kupferkessel#10.2)."""
        legal = self.legal_moves(state, seat)
        return SKIP if legal is _SYMBOL_MOVES else legal[0]

    def view(self, state: State, viewer: Seat | None) -> View:
        """Return what that seat, or a spectator, may know (kupferkessel#9)."""
        setup, cauldrons, phase, end = state.setup, state.cauldrons, state.phase, state.end
        if viewer is not None and not 0 <= viewer < setup.seats:
            raise no_such_viewer(viewer, setup.seats)
        over = phase is _OVER
        dealt: tuple[Recipes | None, ...] = setup.recipes or ()
        recipes = (
            dealt if over else tuple([own if s == viewer else None for s, own in enumerate(dealt)])
        )
        return View(
            viewer,
            setup.colours,
            setup.symbols,
            phase,
            state.seat,
            state.turn,
            state.steps,
            state.board,
            len(state.pile),
            state.stops,
            tuple([cauldron[-1] for cauldron in cauldrons]),
            tuple([len(cauldron) for cauldron in cauldrons]),
            state.out,
            setup.recipes is not None,
            recipes,
            cauldrons if over else (),
            end.ending if end else None,
            end.ender if end else None,
            end.last_card if end else NO_CARD,
        )

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended, or nothing while it goes on (kupferkessel#8.5)."""
        if state.phase is not _OVER or state.end is None:
            return None
        return Outcome(state.end.ending, tuple(sheet.total for sheet in score_sheets(state)))

    def format_move(self, move: Move) -> str:
        """Write a move as records have it."""
        return notation.format_move(move)

    def parse_move(self, text: str) -> Move:
        """Read a move; raises NotationError."""
        return notation.parse_move(text)

    def render(self, view: View) -> str:
        """Draw a view as text for a person."""
        return render.render(view)


# Set-up (kupferkessel#3) ------------------------------------------------------------------------


def _setup(options: Options, seed: Seed) -> Setup:
    seats = options.seats
    colours = (FIRST_PAWNS + str(options["third_colour"]))[:seats]
    return Setup(
        seats,
        colours,
        str(options["symbols"]),
        _deal_recipes(seats, seed) if options["recipes"] else None,
    )


def _deal_recipes(seats: int, seed: Seed) -> tuple[Recipes, ...]:
    recipes = ALL_RECIPES if seats == 2 else RECIPES_FOR_THREE
    each = 2 if seats == 2 else 1
    dealt = shuffled(recipes, seed, "kupferkessel/recipes")
    return tuple(dealt[each * seat : each * (seat + 1)] for seat in range(seats))


def _draw_start_cards(
    colours: str, pile: tuple[Card, ...], events: list[Event]
) -> tuple[tuple[Stack, ...], tuple[Card, ...]]:
    """Let each seat draw until it has a card in no pawn colour; return cauldrons and pile."""
    cauldrons = []
    for seat in SEATS[: len(colours)]:
        choice = any(COLOUR_OF[INGREDIENT_OF[card]] not in colours for card in pile)
        while choice and COLOUR_OF[INGREDIENT_OF[pile[0]]] in colours:
            events.append(DrewStartCard(seat, pile[0], False))
            pile = (*pile[1:], pile[0])
        events.append(DrewStartCard(seat, pile[0], True))
        cauldrons.append(pile[:1])
        pile = pile[1:]
    return tuple(cauldrons), pile


def _with(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return the tuple with one item replaced; by way of a list, which is the fastest."""
    changed = list(items)
    changed[index] = item
    return tuple(changed)


# A turn (kupferkessel#4) ------------------------------------------------------------------------


def _next_turn(
    setup: Setup,
    board: tuple[Card, ...],
    pile: tuple[Card, ...],
    cauldrons: tuple[Stack, ...],
    stops: tuple[Stop, ...],
    out: tuple[Card, ...],
    seat: Seat,
    turn: int,
    steps: int,
    events: list[Event],
) -> State:
    """End the turn of a seat, and begin those of the next until one has something to decide."""
    next_seat = _NEXT_SEAT[setup.seats]
    while turn < MOST_TURNS:
        seat = next_seat[seat]
        turn += 1
        stops, steps = _move(stops, cauldrons, seat, events)
        if not AT_CORNER[stops[seat]]:
            return State(
                setup, board, pile, cauldrons, stops, out, seat, _TAKE, turn, steps, None, None
            )
    end = End(Ending.TURN_CAP, None, NO_CARD)
    events.append(Ended(end.ending, end.ender))
    state = State(setup, board, pile, cauldrons, stops, out, seat, _OVER, turn, steps, None, end)
    return _open(state, events)


def _move(
    stops: tuple[Stop, ...], cauldrons: tuple[Stack, ...], seat: Seat, events: list[Event]
) -> tuple[tuple[Stop, ...], int]:
    """Move a pawn by the top card of its cauldron; return all stops, and the number of steps.

    A stop where a pawn stands is jumped and not counted (kupferkessel#2.4). The own pawn is never
    in the way: the ring is longer than any walk.
    """
    steps = VALUE[cauldrons[seat][-1]]
    stop = stops[seat]
    for _ in range(steps):
        stop = _NEXT_STOP[stop]
        while stop in stops:
            stop = _NEXT_STOP[stop]
    events.append(_MOVED[seat][steps][stop])
    if AT_CORNER[stop]:
        events.append(_PASSED[seat])
    return _with(stops, seat, stop), steps


def _take(state: State, cell: Cell, events: list[Event]) -> State:
    setup, board, pile, cauldrons, stops, out, seat, phase, turn, steps, _, _ = state
    card = board[cell]
    events.append(Took(seat, cell, card))
    if not pile:
        board = _with(board, cell, NO_CARD)
        if not all(any(cards_in(board)) for cards_in in CARDS_OF_LINES_THROUGH[cell]):
            end = End(Ending.LINE_EMPTIED, seat, card)
            events.append(Ended(end.ending, end.ender))
            return State(
                setup, board, pile, cauldrons, stops, out, seat, _KEEP, turn, steps, None, end
            )
    cauldrons = _with(cauldrons, seat, (*cauldrons[seat], card))
    symbol = SYMBOLS[setup.symbols][card]
    if symbol and (asked := _question(symbol, phase, cauldrons, seat)):
        board = _with(board, cell, NO_CARD)
        return State(
            setup, board, pile, cauldrons, stops, out, seat, asked, turn, steps, cell, None
        )
    if pile:
        board, pile = _refill(board, pile, cell, events)
    return _next_turn(setup, board, pile, cauldrons, stops, out, seat, turn, steps, events)


def _refill(
    board: tuple[Card, ...], pile: tuple[Card, ...], cell: Cell, events: list[Event]
) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    events.append(Refilled(cell, pile[0]))
    return _with(board, cell, pile[0]), pile[1:]


# Symbols (kupferkessel#5) -----------------------------------------------------------------------


def _question(
    symbol: Symbol, phase: Phase, cauldrons: tuple[Stack, ...], seat: Seat
) -> Phase | None:
    """Return what is asked of a seat that took a symbol; nothing if it can do nothing."""
    if symbol is _EXPLOSION_SYMBOL:
        hit = any(len(cauldron) > 1 for s, cauldron in enumerate(cauldrons) if s != seat)
        return _EXPLOSION if hit else None
    return _WAND if phase is _TAKE else None


def _settle_symbol(state: State, *, use: bool, events: list[Event]) -> State:
    """Let an explosion act, refill the gap, then let a wand act."""
    setup, board, pile, cauldrons, stops, out, seat, phase, turn, steps, gap, _ = state
    assert gap is not None  # noqa: S101  a symbol is asked for when its card has left a gap
    if use:
        events.append(UsedSymbol(seat, cauldrons[seat][-1]))
        if phase is _EXPLOSION:
            cauldrons, lost = _explode(cauldrons, seat, under_pile=bool(pile), events=events)
            if pile:
                pile += lost
            else:
                out += lost
    if pile:
        board, pile = _refill(board, pile, gap, events)
    if use and phase is _WAND:
        stops, steps = _move(stops, cauldrons, seat, events)
        if not AT_CORNER[stops[seat]]:
            phase = _TAKE_AGAIN
            return State(
                setup, board, pile, cauldrons, stops, out, seat, phase, turn, steps, None, None
            )
    return _next_turn(setup, board, pile, cauldrons, stops, out, seat, turn, steps, events)


def _explode(
    cauldrons: tuple[Stack, ...], taker: Seat, *, under_pile: bool, events: list[Event]
) -> tuple[tuple[Stack, ...], tuple[Card, ...]]:
    """Take the top card from every other seat that has two or more, clockwise."""
    lost: list[Card] = []
    victim = taker
    next_seat = _NEXT_SEAT[len(cauldrons)]
    while (victim := next_seat[victim]) != taker:
        cauldron = cauldrons[victim]
        if len(cauldron) > 1:
            lost.append(cauldron[-1])
            events.append(Lost(victim, cauldron[-1], under_pile))
            cauldrons = _with(cauldrons, victim, cauldron[:-1])
    return cauldrons, tuple(lost)


# The end (kupferkessel#6) -----------------------------------------------------------------------


def _settle_last_card(state: State, *, keep: bool, events: list[Event]) -> State:
    seat, end = state.seat, state.end
    assert end is not None  # noqa: S101  only an ended game has a last card
    card = end.last_card
    state = state._replace(phase=_OVER, end=end._replace(last_card=NO_CARD))
    if keep:
        events.append(Kept(seat, card))
        cauldron = (*state.cauldrons[seat], card)
        return _open(state._replace(cauldrons=_with(state.cauldrons, seat, cauldron)), events)
    events.append(Discarded(seat, card))
    return _open(state._replace(out=(*state.out, card)), events)


def _open(state: State, events: list[Event]) -> State:
    """Open the cauldrons and the recipes (kupferkessel#6.5)."""
    events.append(CauldronsOpened(state.cauldrons))
    if state.setup.recipes is not None:
        events.append(RecipesOpened(state.setup.recipes))
    return state


# What is wrong with a move ----------------------------------------------------------------------


def _not_as_asked(to_act: Sequence[Seat], moves: Mapping[Seat, Move]) -> Violation:
    if not to_act:
        return Violation("kupferkessel#6.1", "The game is over: nobody can play.")
    given = " and ".join(f"seat {seat}" for seat in sorted(moves)) or "nobody"
    return Violation("kupferkessel#10.1", f"seat {to_act[0]} must decide, but {given} did.")


def _violation(state: State, seat: Seat, move: Move) -> Violation | None:
    phase, said = state.phase, format_move(move)
    if phase is _OVER:
        return Violation("kupferkessel#6.1", f'"{said}" comes too late: the game is over.')
    if seat != state.seat:
        return Violation(
            "kupferkessel#10.1", f'seat {seat} cannot play "{said}": seat {state.seat} must decide.'
        )
    if phase is _KEEP:
        if move in _KEEP_MOVES:
            return None
        return Violation(
            "kupferkessel#6.3", f'"{said}" is not possible now: keep or discard the last card.'
        )
    if phase is _EXPLOSION or phase is _WAND:
        if move in _SYMBOL_MOVES:
            return None
        return Violation(
            "kupferkessel#5.1",
            f'"{said}" is not possible now: use or skip the {phase} of the card just taken.',
        )
    return _take_violation(state, seat, move)


def _take_violation(state: State, seat: Seat, move: Move) -> Violation | None:
    line = LINE_AT[state.stops[seat]]
    faced = line_name(line)
    if not isinstance(move, Take):
        return Violation(
            "kupferkessel#4.4",
            f'"{format_move(move)}" is not possible here: take a card of {faced}.',
        )
    cell = CELL_NAMES[move.cell]
    if move.cell in CORNER_CELLS:
        return Violation(
            "kupferkessel#4.4",
            f"{cell} is a corner and never holds a card: take a card of {faced}.",
        )
    if move.cell not in line:
        return Violation(
            "kupferkessel#4.4",
            f"{cell} is not in {faced}, which the pawn faces: take a card of that line.",
        )
    if not state.board[move.cell]:
        return Violation("kupferkessel#4.4", f"{cell} is empty: take a card of {faced}.")
    return None
