"""The course of a game of Glastonbury (docs/rules/glastonbury.md, section by section)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.board import (
    CORNER_STOPS,
    DEALT_CELLS,
    LINE_AT,
    SIZE,
)
from engine.errors import IllegalMoveError
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
from engine.glastonbury import moves as notation
from engine.glastonbury import render
from engine.glastonbury.cards import (
    CARD_NAMES,
    IMMUTO,
    NO_CARD,
    PAWN_COLOURS,
    RECIPE_COLOURS,
    Task,
    deck,
)
from engine.glastonbury.moves import (
    ASSIGNMENTS,
    CORNER_MOVES,
    KEEP,
    KEEP_MOVES,
    MOVE_TYPES,
    PASS,
    TAKES,
    USE_DECLINATIO,
    AssignImmuto,
    Move,
    Take,
)
from engine.glastonbury.scoring import best_assignment, immuto_holders, score_sheets
from engine.glastonbury.state import (
    Ending,
    Phase,
    Recipes,
    Setup,
    Spells,
    State,
    View,
)
from engine.glastonbury.turns import (
    SEATS,
    assign_immuto,
    pass_,
    run_on,
    settle_last_card,
    take,
    takes_after_declinatio,
    takes_with_accio,
    use_declinatio,
)
from engine.glastonbury.violations import not_as_asked, violation
from engine.shuffle import Seed, shuffled

START_STOPS: Final = {
    2: (CORNER_STOPS[0], CORNER_STOPS[2]),
    3: CORNER_STOPS[:3],
    4: CORNER_STOPS,
}

# A name of the module is found ten times faster than a member of an enum (Python 3.11).
_CORNER: Final = Phase.CORNER
_TAKE: Final = Phase.TAKE
_AFTER_DECLINATIO: Final = Phase.TAKE_AFTER_DECLINATIO
_KEEP: Final = Phase.KEEP
_IMMUTO: Final = Phase.IMMUTO
_OVER: Final = Phase.OVER

# What a named tuple does to be made, without a call of Python's own for it.
_new: Final = tuple.__new__

# Everything below is made once, so that a decision need not make it again.
_ALONE: Final = tuple((seat,) for seat in SEATS)
_LINE_TAKES: Final = tuple(tuple(TAKES[cell] for cell in line) for line in LINE_AT)

_KINDS: Final = {
    Phase.CORNER: "corner",
    Phase.TAKE: "take",
    Phase.TAKE_AFTER_DECLINATIO: "take after declinatio",
    Phase.KEEP: "keep",
}
_WITH_ACCIO: Final = "take with Accio"
_IMMUTO_KINDS: Final = ("one Immuto", "two Immuto")


def _colours_problem(value: OptionValue, seats: int) -> str | None:
    colours = str(value)
    if set(colours) <= set(PAWN_COLOURS) and len(set(colours)) == len(colours) >= seats:
        return None
    return (
        f'colours is "{colours}", but must be {seats} different letters of {PAWN_COLOURS}, '
        f"one for each seat, such as {PAWN_COLOURS[:seats]}."
    )


class Glastonbury:
    """Glastonbury for 2 to 4 seats, with and without recipes."""

    spec: Final = GameSpec(
        name="glastonbury",
        title="Glastonbury",
        rules_version="1",
        seats=(2, 3, 4),
        options_offered=(
            Option("recipes", False, "play with recipe cards (glastonbury#10)", variant=True),
            Option(
                "colours", PAWN_COLOURS, "pawn colours by seat (glastonbury#3.1)", _colours_problem
            ),
            Option("dead_end_counts_as_end", True, "a dead end has an ender (glastonbury#8.5)"),
        ),
        endings=Ending,
        decision_kinds=(*_KINDS.values(), _WITH_ACCIO, *_IMMUTO_KINDS),
        most_decisions=194,
        draw_probability=0.02,
    )

    def deal(self, options: Options, seed: Seed) -> Transition[State]:
        """Set the table, and move the first pawn (glastonbury#3)."""
        setup = _setup(options, seed)
        cards = shuffled(deck(setup.removed_colour), seed, "glastonbury/deck")
        board = [NO_CARD] * (SIZE * SIZE)
        for cell, card in zip(DEALT_CELLS, cards, strict=False):
            board[cell] = card
        events: list[Event] = []
        state = run_on(
            setup,
            tuple(board),
            cards[len(DEALT_CELLS) :],
            ((),) * setup.seats,
            START_STOPS[setup.seats],
            (Spells(),) * setup.seats,
            (),
            SEATS[0],
            events,
        )
        return Transition(state, events)

    def describe_deal(self, options: Options, seed: Seed) -> Mapping[str, object]:
        """Return the shuffled deck, the recipes and the removed colour, as records have them."""
        setup = _setup(options, seed)
        cards = shuffled(deck(setup.removed_colour), seed, "glastonbury/deck")
        return {
            "cards": [CARD_NAMES[card] for card in cards],
            "recipes": setup.recipes
            and [[f"A:{own.colour}", f"B:{own.task}"] for own in setup.recipes],
            "removed_colour": setup.removed_colour,
        }

    def to_act(self, state: State) -> Sequence[Seat]:
        """Return who must decide (glastonbury#12.1)."""
        phase = state.phase
        if phase is _OVER:
            return ()
        if phase is _IMMUTO:
            return immuto_holders(state.cauldrons)
        return _ALONE[state.seat]

    def legal_moves(self, state: State, seat: Seat) -> Sequence[Move]:
        """Return every legal move in the order of glastonbury#12.1."""
        phase = state.phase
        if seat != state.seat and phase is not _IMMUTO:
            return ()
        if phase is _TAKE:
            stop = state.stops[seat]
            if state.spells[seat].accio:
                return takes_with_accio(state.board, stop)
            if state.pile:
                return _LINE_TAKES[stop]
            board = state.board
            return tuple(TAKES[cell] for cell in LINE_AT[stop] if board[cell])
        if phase is _CORNER:
            return CORNER_MOVES
        if phase is _AFTER_DECLINATIO:
            return takes_after_declinatio(state.board, state.stops[seat])
        if phase is _KEEP:
            return KEEP_MOVES
        if phase is _IMMUTO and (immuto := state.cauldrons[seat].count(IMMUTO)):
            return ASSIGNMENTS[state.setup.removed_colour, immuto]
        return ()

    def secretly_forced(self, state: State, seat: Seat) -> bool:  # noqa: ARG002  never
        """Return False: boards, pawns and opened cauldrons are public."""
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
        return violation(state, seat, move, self.to_act(state))

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Transition[State]:
        """Play the moves and run on to the next decision."""
        if state.phase is _IMMUTO:
            return self._apply_sealed(state, moves)
        seat = state.seat
        move = moves.get(seat)
        if move is None or len(moves) != 1:
            raise IllegalMoveError(not_as_asked(self.to_act(state), moves))
        if violation := self.check(state, seat, move):
            raise IllegalMoveError(violation)
        events: list[Event] = []
        if type(move) is Take:
            return _new(Transition, (take(state, move.cell, events), events))
        if move == USE_DECLINATIO:
            return Transition(use_declinatio(state, events), events)
        if move == PASS:
            return Transition(pass_(state, events), events)
        return Transition(settle_last_card(state, keep=move == KEEP, events=events), events)

    def _apply_sealed(self, state: State, moves: Mapping[Seat, Move]) -> Transition[State]:
        holders = self.to_act(state)
        if set(holders) != set(moves):
            raise IllegalMoveError(not_as_asked(holders, moves))
        for seat, move in moves.items():
            if violation := self.check(state, seat, move):
                raise IllegalMoveError(violation)
        events: list[Event] = []
        return Transition(assign_immuto(state, moves, holders, events), events)

    def decision_kind(self, view: View, legal: Sequence[Move]) -> str:
        """Name what a seat decides that has this view and these legal moves."""
        if view.phase is _IMMUTO:
            first = legal[0]
            assert type(first) is AssignImmuto  # noqa: S101  nothing else is legal
            return _IMMUTO_KINDS[len(first.ingredients) - 1]
        if view.phase is _TAKE and len(legal) > SIZE:
            return _WITH_ACCIO
        return _KINDS[view.phase]

    def default_move(self, state: State, seat: Seat) -> Move:
        """Return the move that is played for a seat that cannot decide (glastonbury#12.2)."""
        legal = self.legal_moves(state, seat)
        if state.phase is _CORNER:
            return PASS
        if state.phase is _IMMUTO:
            return AssignImmuto(best_assignment(state.setup, state.cauldrons, seat))
        return legal[0]

    def view(self, state: State, viewer: Seat | None) -> View:
        """Return what that seat, or a spectator, may know (glastonbury#11)."""
        setup, cauldrons, phase, end = state.setup, state.cauldrons, state.phase, state.end
        if viewer is not None and not 0 <= viewer < setup.seats:
            raise no_such_viewer(viewer, setup.seats)
        over = phase is _OVER
        dealt: tuple[Recipes | None, ...] = setup.recipes or ()
        recipes = (
            dealt if over else tuple([own if s == viewer else None for s, own in enumerate(dealt)])
        )
        return _new(
            View,
            (
                viewer,
                setup.colours,
                setup.removed_colour,
                phase,
                state.seat,
                state.steps,
                state.board,
                len(state.pile),
                state.stops,
                tuple([cauldron[-1] if cauldron else NO_CARD for cauldron in cauldrons]),
                tuple([len(cauldron) for cauldron in cauldrons]),
                state.spells,
                state.out,
                setup.recipes is not None,
                recipes,
                cauldrons if over or phase is _IMMUTO else (),
                end.ending if end else None,
                end.ender if end else None,
                end.last_card if end else NO_CARD,
                end.assignments if end else (),
            ),
        )

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended, or nothing while it goes on (glastonbury#10.4)."""
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


def _setup(options: Options, seed: Seed) -> Setup:
    seats = options.seats
    colours = str(options["colours"])[:seats]
    unused = [colour for colour in PAWN_COLOURS if colour not in colours]
    recipes = None
    if options["recipes"]:
        sort_a = shuffled(RECIPE_COLOURS, seed, "glastonbury/recipes-a")
        sort_b = shuffled(tuple(Task), seed, "glastonbury/recipes-b")
        recipes = tuple(map(Recipes, sort_a[:seats], sort_b[:seats]))
    return Setup(
        seats,
        colours,
        unused[0] if seats == 2 else None,
        recipes,
        bool(options["dead_end_counts_as_end"]),
    )
