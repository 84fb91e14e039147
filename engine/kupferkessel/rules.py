"""The course of a game of Kupferkessel Co. (docs/rules/kupferkessel.md, section by section)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.board import (
    CORNER_STOPS,
    DEALT_CELLS,
    LINE_AT,
    SIZE,
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
    Card,
)
from engine.kupferkessel.moves import (
    KEEP,
    KEEP_MOVES,
    MOVE_TYPES,
    SKIP,
    SYMBOL_MOVES,
    TAKES,
    USE,
    Move,
    Take,
)
from engine.kupferkessel.scoring import score_sheets
from engine.kupferkessel.state import (
    DrewStartCard,
    Ending,
    Phase,
    Recipes,
    Setup,
    Stack,
    State,
    View,
)
from engine.kupferkessel.turns import SEATS, next_turn, settle_last_card, settle_symbol, take
from engine.kupferkessel.violations import not_as_asked, violation
from engine.shuffle import Seed, shuffled

START_STOPS: Final = (CORNER_STOPS[0], CORNER_STOPS[2], CORNER_STOPS[1])
"""By seat: the third pawn stands between the other two (kupferkessel#3.4)."""

# A name of the module is found ten times faster than a member of an enum (Python 3.11).
_TAKE: Final = Phase.TAKE
_TAKE_AGAIN: Final = Phase.TAKE_AGAIN
_KEEP: Final = Phase.KEEP
_OVER: Final = Phase.OVER

# Everything below is made once, so that a decision need not make it again.
_ALONE: Final = tuple((seat,) for seat in SEATS)
_LINE_TAKES: Final = tuple(tuple(TAKES[cell] for cell in line) for line in LINE_AT)

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
        state = next_turn(
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
        return KEEP_MOVES if phase is _KEEP else SYMBOL_MOVES

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
        return violation(state, seat, move)

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Transition[State]:
        """Play the move and run on to the next decision."""
        seat = state.seat
        move = moves.get(seat)
        if move is None or len(moves) != 1:
            raise IllegalMoveError(not_as_asked(self.to_act(state), moves))
        if violation := self.check(state, seat, move):
            raise IllegalMoveError(violation)
        events: list[Event] = []
        if type(move) is Take:
            return Transition(take(state, move.cell, events), events)
        if state.phase is _KEEP:
            return Transition(settle_last_card(state, keep=move == KEEP, events=events), events)
        return Transition(settle_symbol(state, use=move == USE, events=events), events)

    def decision_kind(self, view: View, legal: Sequence[Move]) -> str:  # noqa: ARG002  the view says it
        """Name what a seat decides that has this view and these legal moves."""
        return _KINDS[view.phase]

    def default_move(self, state: State, seat: Seat) -> Move:
        """Return the move that is played for a seat that cannot decide (kupferkessel#10.2)."""
        legal = self.legal_moves(state, seat)
        return SKIP if legal is SYMBOL_MOVES else legal[0]

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
