"""The course of a game of Glastonbury (docs/rules/glastonbury.md, section by section)."""

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
    ACCIO,
    ACCIO_CHARGES,
    CARD_NAMES,
    CAULDRON_NUMBER,
    COLOUR_NAMES,
    COLOUR_OF,
    DECLINATIO,
    DECLINATIO_CHARGES,
    IMMUTO,
    INGREDIENT_NAMES,
    NO_CARD,
    NUMBER,
    PAWN_COLOURS,
    PERLUCEO,
    RECIPE_COLOURS,
    VANESCO,
    Card,
    Task,
    deck,
)
from engine.glastonbury.moves import (
    ASSIGNMENTS,
    DISCARD,
    KEEP,
    MOVE_TYPES,
    PASS,
    TAKES,
    USE_DECLINATIO,
    AssignImmuto,
    Move,
    Take,
    format_move,
)
from engine.glastonbury.scoring import best_assignment, immuto_holders, score_sheets
from engine.glastonbury.state import (
    CauldronsOpened,
    Discarded,
    End,
    Ended,
    Ending,
    ImmutoAssigned,
    Kept,
    Looked,
    Lost,
    Moved,
    Passed,
    Phase,
    Recipes,
    RecipesOpened,
    Refilled,
    Setup,
    Spells,
    Stack,
    State,
    Took,
    UsedDeclinatio,
    View,
)
from engine.shuffle import Seed, shuffled

T = TypeVar("T")

START_STOPS: Final = {
    2: (CORNER_STOPS[0], CORNER_STOPS[2]),
    3: CORNER_STOPS[:3],
    4: CORNER_STOPS,
}
NOT_BY_SPELL: Final = frozenset((VANESCO, PERLUCEO))
SEATS: Final = tuple(Seat(i) for i in range(4))

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
_NEXT_SEAT: Final = {n: tuple(Seat((i + 1) % n) for i in range(n)) for n in START_STOPS}
_LINE_TAKES: Final = tuple(tuple(TAKES[cell] for cell in line) for line in LINE_AT)
_MOVED: Final = tuple(
    tuple(tuple(Moved(seat, steps, Stop(stop)) for stop in range(STOPS)) for steps in range(5))
    for seat in SEATS
)
_PHASE_AT: Final = tuple(Phase.CORNER if corner else Phase.TAKE for corner in AT_CORNER)
_PASSED: Final = tuple(Passed(seat) for seat in SEATS)
_CORNER_MOVES: Final = (USE_DECLINATIO, PASS)
_KEEP_MOVES: Final = (KEEP, DISCARD)

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
        state = _run_on(
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
                return _takes_with_accio(state.board, stop)
            if state.pile:
                return _LINE_TAKES[stop]
            board = state.board
            return tuple(TAKES[cell] for cell in LINE_AT[stop] if board[cell])
        if phase is _CORNER:
            return _CORNER_MOVES
        if phase is _AFTER_DECLINATIO:
            return _takes_after_declinatio(state.board, state.stops[seat])
        if phase is _KEEP:
            return _KEEP_MOVES
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
        return _violation(state, seat, move, self.to_act(state))

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Transition[State]:
        """Play the moves and run on to the next decision."""
        if state.phase is _IMMUTO:
            return self._apply_sealed(state, moves)
        seat = state.seat
        move = moves.get(seat)
        if move is None or len(moves) != 1:
            raise IllegalMoveError(_not_as_asked(self.to_act(state), moves))
        if violation := self.check(state, seat, move):
            raise IllegalMoveError(violation)
        events: list[Event] = []
        if type(move) is Take:
            return _new(Transition, (_take(state, move.cell, events), events))
        if move == USE_DECLINATIO:
            return Transition(_use_declinatio(state, events), events)
        if move == PASS:
            return Transition(_pass(state, events), events)
        return Transition(_settle_last_card(state, keep=move == KEEP, events=events), events)

    def _apply_sealed(self, state: State, moves: Mapping[Seat, Move]) -> Transition[State]:
        holders = self.to_act(state)
        if set(holders) != set(moves):
            raise IllegalMoveError(_not_as_asked(holders, moves))
        for seat, move in moves.items():
            if violation := self.check(state, seat, move):
                raise IllegalMoveError(violation)
        events: list[Event] = []
        return Transition(_assign_immuto(state, moves, holders, events), events)

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


def _with(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return the tuple with one item replaced; by way of a list, which is the fastest."""
    changed = list(items)
    changed[index] = item
    return tuple(changed)


# A turn (glastonbury#4) -------------------------------------------------------------------------


def _run_on(
    setup: Setup,
    board: tuple[Card, ...],
    pile: tuple[Card, ...],
    cauldrons: tuple[Stack, ...],
    stops: tuple[Stop, ...],
    spells: tuple[Spells, ...],
    out: tuple[Card, ...],
    seat: Seat,
    events: list[Event],
) -> State:
    """Begin the turn of a seat, and of those after it, until one has something to decide."""
    next_seat = _NEXT_SEAT[setup.seats]
    while True:
        stop = stops[seat]
        steps = _steps(cauldrons[seat], stop)
        stop = AHEAD[stop][steps]
        stops = _with(stops, seat, stop)
        events.append(_MOVED[seat][steps][stop])
        phase = _PHASE_AT[stop]
        if phase is _TAKE or spells[seat].declinatio:
            return _new(
                State,
                (setup, board, pile, cauldrons, stops, spells, out, seat, phase, steps, None),
            )
        events.append(_PASSED[seat])
        seat = next_seat[seat]


def _steps(cauldron: Stack, stop: Stop) -> int:
    """Tell how far a pawn goes (glastonbury#4.2 and 6)."""
    if not cauldron:
        return CAULDRON_NUMBER
    top = cauldron[-1]
    if top == IMMUTO and AT_CORNER[stop]:
        return next(
            (NUMBER[card] for card in reversed(cauldron) if card != IMMUTO), CAULDRON_NUMBER
        )
    return NUMBER[top]


def _pass(state: State, events: list[Event]) -> State:
    events.append(_PASSED[state.seat])
    return _run_on(
        state.setup,
        state.board,
        state.pile,
        state.cauldrons,
        state.stops,
        state.spells,
        state.out,
        _NEXT_SEAT[state.setup.seats][state.seat],
        events,
    )


def _use_declinatio(state: State, events: list[Event]) -> State:
    """Move on from a corner (glastonbury#7.4 and 7.5)."""
    seat = state.seat
    stop = AHEAD[state.stops[seat]][state.steps]
    own = state.spells[seat]
    events += (UsedDeclinatio(seat), _MOVED[seat][state.steps][stop])
    state = state._replace(
        stops=_with(state.stops, seat, stop),
        spells=_with(state.spells, seat, own._replace(declinatio=own.declinatio - 1)),
        phase=_AFTER_DECLINATIO,
    )
    if _takes_after_declinatio(state.board, stop):
        return state
    ender = seat if state.setup.dead_end_counts_as_end else None
    events.append(Ended(Ending.DEAD_END, ender))
    return _open(state._replace(end=End(Ending.DEAD_END, ender, NO_CARD, ())), events)


# Taking a card (glastonbury#5) ------------------------------------------------------------------


def _takes_with_accio(board: tuple[Card, ...], stop: Stop) -> tuple[Take, ...]:
    line = LINE_AT[stop]
    return tuple(
        [
            TAKES[cell]
            for cell in DEALT_CELLS
            if (card := board[cell]) and (card < PERLUCEO or cell in line)
        ]
    )


def _takes_after_declinatio(board: tuple[Card, ...], stop: Stop) -> tuple[Take, ...]:
    return tuple(
        TAKES[cell] for cell in LINE_AT[stop] if board[cell] and board[cell] not in NOT_BY_SPELL
    )


def _take(state: State, cell: Cell, events: list[Event]) -> State:
    setup, board, pile, cauldrons, stops, spells, out, seat, _, steps, _ = state
    card = board[cell]
    used_accio = cell not in LINE_AT[stops[seat]]
    events.append(Took(seat, cell, card, used_accio))
    if used_accio:
        spells = _with(spells, seat, spells[seat]._replace(accio=spells[seat].accio - 1))

    if not pile:
        board = _with(board, cell, NO_CARD)
        if not all(any(cards_in(board)) for cards_in in CARDS_OF_LINES_THROUGH[cell]):
            ended = State(
                setup, board, pile, cauldrons, stops, spells, out, seat, _KEEP, steps, None
            )
            return _end_by_line(ended, card, events)

    if card <= IMMUTO:
        cauldrons = _with(cauldrons, seat, (*cauldrons[seat], card))
    else:
        spells = _with(spells, seat, _with_spell(spells[seat], card))
        if card == VANESCO:
            cauldrons, lost = _vanish(cauldrons, seat, under_pile=bool(pile), events=events)
            if pile:
                pile += lost
            else:
                out += lost
        elif card == PERLUCEO:
            events.append(Looked(seat, cauldrons[seat]))

    if pile:
        board = _with(board, cell, pile[0])
        events.append(Refilled(cell, pile[0]))
        pile = pile[1:]
    next_seat = _NEXT_SEAT[setup.seats][seat]
    return _run_on(setup, board, pile, cauldrons, stops, spells, out, next_seat, events)


def _with_spell(own: Spells, card: Card) -> Spells:
    return Spells(
        (*own.taken, card),
        own.accio + ACCIO_CHARGES if card == ACCIO else own.accio,
        own.declinatio + DECLINATIO_CHARGES if card == DECLINATIO else own.declinatio,
    )


def _vanish(
    cauldrons: tuple[Stack, ...], caster: Seat, *, under_pile: bool, events: list[Event]
) -> tuple[tuple[Stack, ...], tuple[Card, ...]]:
    """Take the top card from every seat but the caster, clockwise (glastonbury#7.6)."""
    seats = len(cauldrons)
    lost: list[Card] = []
    for away in range(1, seats):
        victim = SEATS[(caster + away) % seats]
        if cauldron := cauldrons[victim]:
            lost.append(cauldron[-1])
            events.append(Lost(victim, cauldron[-1], under_pile))
            cauldrons = _with(cauldrons, victim, cauldron[:-1])
    return cauldrons, tuple(lost)


# The end (glastonbury#8) ------------------------------------------------------------------------


def _end_by_line(state: State, card: Card, events: list[Event]) -> State:
    """End the game with its last card just taken."""
    ender = state.seat
    events.append(Ended(Ending.LINE_EMPTIED, ender))
    state = state._replace(end=End(Ending.LINE_EMPTIED, ender, card, ()))
    if card != VANESCO:
        return state
    cauldrons, lost = _vanish(state.cauldrons, ender, under_pile=False, events=events)
    state = state._replace(cauldrons=cauldrons, out=state.out + lost)
    return _settle_last_card(state, keep=True, events=events)


def _settle_last_card(state: State, *, keep: bool, events: list[Event]) -> State:
    seat, end = state.seat, state.end
    assert end is not None  # noqa: S101  only an ended game has a last card
    card = end.last_card
    state = state._replace(end=end._replace(last_card=NO_CARD))
    if not keep:
        events.append(Discarded(seat, card))
        return _open(state._replace(out=(*state.out, card)), events)
    events.append(Kept(seat, card))
    if card <= IMMUTO:
        cauldron = (*state.cauldrons[seat], card)
        return _open(state._replace(cauldrons=_with(state.cauldrons, seat, cauldron)), events)
    own = state.spells[seat]
    kept = own._replace(taken=(*own.taken, card))
    return _open(state._replace(spells=_with(state.spells, seat, kept)), events)


def _open(state: State, events: list[Event]) -> State:
    """Open the cauldrons, and assign Immuto or ask for it (glastonbury#8.6, 9.5 and 9.6)."""
    events.append(CauldronsOpened(state.cauldrons))
    holders = immuto_holders(state.cauldrons)
    if holders and state.setup.recipes is not None:
        return state._replace(phase=_IMMUTO)
    best = {
        seat: AssignImmuto(best_assignment(state.setup, state.cauldrons, seat)) for seat in holders
    }
    return _assign_immuto(state, best, holders, events)


def _assign_immuto(
    state: State, moves: Mapping[Seat, Move], holders: Sequence[Seat], events: list[Event]
) -> State:
    setup, end = state.setup, state.end
    assert end is not None  # noqa: S101  Immuto is assigned after the end
    assignments = tuple(
        move.ingredients if isinstance(move := moves.get(seat), AssignImmuto) else ()
        for seat in SEATS[: setup.seats]
    )
    events.extend(ImmutoAssigned(seat, assignments[seat]) for seat in holders)
    if setup.recipes is not None:
        events.append(RecipesOpened(setup.recipes))
    return state._replace(phase=_OVER, end=end._replace(assignments=assignments))


# What is wrong with a move ----------------------------------------------------------------------


def _not_as_asked(to_act: Sequence[Seat], moves: Mapping[Seat, Move]) -> Violation:
    if not to_act:
        return Violation("glastonbury#8.1", "The game is over: nobody can play.")
    asked = " and ".join(f"seat {seat}" for seat in to_act)
    given = " and ".join(f"seat {seat}" for seat in sorted(moves)) or "nobody"
    return Violation("glastonbury#12.1", f"{asked} must decide, but {given} did.")


def _violation(state: State, seat: Seat, move: Move, to_act: Sequence[Seat]) -> Violation | None:
    if not to_act:
        said = format_move(move)
        return Violation("glastonbury#8.1", f'"{said}" comes too late: the game is over.')
    if seat not in to_act:
        waiting = " and ".join(f"seat {other}" for other in to_act)
        return Violation(
            "glastonbury#12.1",
            f'seat {seat} cannot play "{format_move(move)}": {waiting} must decide.',
        )
    phase = state.phase
    if phase is _CORNER and move not in _CORNER_MOVES:
        return Violation(
            "glastonbury#4.3",
            f'"{format_move(move)}" is not possible at a corner: play declinatio or pass.',
        )
    if phase is _KEEP and move not in _KEEP_MOVES:
        return Violation(
            "glastonbury#8.3",
            f'"{format_move(move)}" is not possible now: keep or discard the last card.',
        )
    if phase is _IMMUTO:
        return _immuto_violation(state, seat, move)
    if phase in (_TAKE, _AFTER_DECLINATIO):
        return _take_violation(state, seat, move)
    return None


def _take_violation(state: State, seat: Seat, move: Move) -> Violation | None:
    line = LINE_AT[state.stops[seat]]
    if not isinstance(move, Take):
        said, faced = format_move(move), line_name(line)
        return Violation(
            "glastonbury#4.4", f'"{said}" is not possible here: take a card of {faced}.'
        )
    card = state.board[move.cell]
    in_line = move.cell in line
    bent = state.phase is _AFTER_DECLINATIO
    within_reach = in_line or (not bent and state.spells[seat].accio > 0)
    by_spell = bent or not in_line
    if card and within_reach and not (by_spell and card in NOT_BY_SPELL):
        return None
    cell, faced, name = CELL_NAMES[move.cell], line_name(line), CARD_NAMES[card]
    if move.cell in CORNER_CELLS:
        return Violation(
            "glastonbury#5.1", f"{cell} is a corner and never holds a card: take a card of {faced}."
        )
    if not card:
        return Violation("glastonbury#5.1", f"{cell} is empty: take a card of {faced}.")
    if not within_reach and bent:
        return Violation(
            "glastonbury#5.3",
            f"{cell} is not in {faced}: after Declinatio only that line is within reach.",
        )
    if not within_reach:
        return Violation(
            "glastonbury#5.1",
            f"{cell} is not in {faced}, which the pawn faces, and there is no Accio left.",
        )
    rule, means = ("5.3", "after Declinatio") if bent else ("5.2", "by Accio")
    return Violation(
        f"glastonbury#{rule}",
        f"{name} in {cell} cannot be taken {means}: take another card, such as one of {faced}.",
    )


def _immuto_violation(state: State, seat: Seat, move: Move) -> Violation | None:
    immuto = state.cauldrons[seat].count(IMMUTO)
    if not isinstance(move, AssignImmuto) or len(move.ingredients) != immuto:
        wanted = "one ingredient" if immuto == 1 else "two ingredients"
        return Violation(
            "glastonbury#9.6",
            f'"{format_move(move)}" does not fit: name {wanted}, one for each Immuto.',
        )
    for ingredient in move.ingredients:
        if COLOUR_OF[ingredient] == state.setup.removed_colour:
            colour = COLOUR_NAMES[state.setup.removed_colour]
            return Violation(
                "glastonbury#9.3",
                f"{INGREDIENT_NAMES[ingredient]} is not in the game: {colour} was removed.",
            )
    return None
