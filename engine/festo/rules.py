"""Festo! as a game: set-up, decisions, views and outcome (docs/rules/festo.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.errors import IllegalMoveError
from engine.festo import moves as notation
from engine.festo import render
from engine.festo.actions import NO_LOCKS, act, get, take_cube, take_shelf
from engine.festo.cards import (
    CATEGORY_NAMES,
    CHARACTERS,
    COLOURS,
    CUBES_PER_COLOUR,
    DISCS,
    EVENT_CARDS,
    EVENT_NAMES,
    HELPERS,
    NO_CUBES,
    NO_DISH,
    PLACES,
    ROWS,
    SPOTS,
    Dish,
    EventCard,
    dish_names,
    row_of_dishes,
)
from engine.festo.legal import legal_moves
from engine.festo.moves import (
    MOVE_TYPES,
    Cook,
    First,
    Get,
    Move,
    Pass,
    Pay,
    Place,
    Recall,
    TakeCube,
    TakeShelf,
    Trade,
    format_move,
)
from engine.festo.phases import (
    DICE,
    NOTHING_AT,
    ROUNDS,
    begin_round,
    choose_first,
    cook,
    go_on,
    pass_cooking,
    pay,
    place,
    recall,
)
from engine.festo.scoring import score_sheets
from engine.festo.state import Ahead, Decision, Ending, Phase, Setup, State, View
from engine.festo.table import Table
from engine.festo.violations import broken_rule
from engine.game import (
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
from engine.shuffle import Chance, Seed, shuffled

SEAT_NUMBERS: Final = (2, 3, 4, 5)
EVENTS: Final = ("none", "reconstructed")
ACTION_ORDERS: Final = ("players", "steps")
HALF_DAYS: Final = 2
FACES: Final = 6

_OVER: Final = Phase.OVER
_ALONE: Final = tuple((Seat(i),) for i in range(SEAT_NUMBERS[-1]))


def _one_of(name: str, words: Sequence[str]) -> Callable[[OptionValue, int], str | None]:
    def problem(value: OptionValue, _seats: int) -> str | None:
        if value in words:
            return None
        return f'{name} is "{value}", but must be {" or ".join(words)}.'

    return problem


class Festo:
    """Festo! for 2 to 5 seats, with and without magic dishes."""

    spec: Final = GameSpec(
        name="festo",
        title="Festo!",
        rules_version="1",
        seats=SEAT_NUMBERS,
        options_offered=(
            Option("magic_dishes", False, "cooked dishes bring advantages (festo#9)", variant=True),
            Option(
                "events",
                EVENTS[0],
                "event cards: none or reconstructed (festo#11.4)",
                _one_of("events", EVENTS),
            ),
            Option("market_limit", True, "the Troll fills no market above five (festo#5.4)"),
            Option(
                "action_order",
                ACTION_ORDERS[0],
                "how a character is resolved: players or steps (festo#5.7)",
                _one_of("action_order", ACTION_ORDERS),
            ),
        ),
        endings=Ending,
        decision_kinds=tuple(map(str, Decision)),
        most_decisions=512,
        draw_probability=0.01,
    )

    def deal(self, options: Options, seed: Seed) -> Transition[State]:
        """Set the table and prepare the first round (festo#3)."""
        seats = options.seats
        nothing = (0,) * seats
        first = _first_player(seats, seed)
        table = Table(
            State(
                setup=_setup(options),
                ahead=Ahead(_piles(seed), _events(options, seed), _dice(seed)),
                round=0,
                phase=Phase.PREPARATION,
                decision=None,
                seat=first,
                first=first,
                reserves=(*(CUBES_PER_COLOUR for _ in COLOURS), seats + 1),
                markets=(NO_CUBES,) * len(CHARACTERS),
                shelves=NO_CUBES,
                locks=NO_LOCKS,
                cubes=((*NO_CUBES, 0),) * seats,
                helpers=(HELPERS,) * seats,
                discs=(DISCS,) * seats,
                helpers_at=NOTHING_AT[seats],
                discs_at=NOTHING_AT[seats],
                laid=NOTHING_AT[seats],
                buffet=(NO_DISH,) * PLACES,
                tokens=(0,) * PLACES,
                stock=(seats, seats),
                dishes=((),) * seats,
                points=nothing,
                dice=(),
                events=(),
                placing=(),
                spot=None,
                order=(),
                waiting=(),
                taking=(),
                rewarded=(),
                paying=NO_DISH,
                passed=(),
            )
        )
        begin_round(table)
        return Transition(table.state(), table.happened)

    def describe_deal(self, options: Options, seed: Seed) -> Mapping[str, object]:
        """Return everything that is left to chance as records have it (festo#3.4)."""
        dice = _dice(seed)
        return {
            "first_player": _first_player(options.seats, seed),
            "piles": [dish_names(pile) for pile in _piles(seed)],
            "events": [EVENT_NAMES[card] for card in _events(options, seed)] or None,
            "dice": [
                [list(dice[half]) for half in range(day, day + HALF_DAYS)]
                for day in range(0, len(dice), HALF_DAYS)
            ],
        }

    def to_act(self, state: State) -> Sequence[Seat]:
        """Return who must decide."""
        return () if state.phase is _OVER else _ALONE[state.seat]

    def legal_moves(self, state: State, seat: Seat) -> Sequence[Move]:
        """Return every legal move in the order of festo#12.1."""
        if seat != state.seat or state.phase is _OVER:
            return ()
        return legal_moves(state)

    def secretly_forced(self, state: State, seat: Seat) -> bool:  # noqa: ARG002  never
        """Return False: all is public but a placement under way, which only the dice can force."""
        return False

    def check(self, state: State, seat: Seat, move: Move) -> Violation | None:
        """Return the paragraph that a move would break, or nothing if it is legal."""
        if type(move) not in MOVE_TYPES:
            raise foreign_move(move, self.spec.title)
        if state.phase is _OVER:
            said = format_move(move)
            return Violation("festo#7.8", f'"{said}" comes too late: the game is over.')
        if seat != state.seat:
            return Violation(
                "festo#12.2",
                f'seat {seat} cannot play "{format_move(move)}": seat {state.seat} must decide.',
            )
        return broken_rule(state, move)

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Transition[State]:
        """Play the move and run on to the next decision."""
        seat = state.seat
        move = moves.get(seat)
        if move is None or len(moves) != 1 or state.phase is _OVER:
            raise IllegalMoveError(_not_as_asked(self.to_act(state), moves))
        if violation := self.check(state, seat, move):
            raise IllegalMoveError(violation)
        table = Table(state)
        _COURSE.get(type(move), _act)(table, move)
        return Transition(table.state(), table.happened)

    def decision_kind(self, view: View, legal: Sequence[Move]) -> str:
        """Name what a seat decides that has this view and these legal moves."""
        del legal  # the view says it
        return str(view.decision)

    def default_move(self, state: State, seat: Seat) -> Move:
        """Return the move that is played for a seat that cannot decide (festo#12.3)."""
        del seat  # only one seat decides at a time
        return legal_moves(state)[0]

    def view(self, state: State, viewer: Seat | None) -> View:
        """Return what that seat, or a spectator, may know (festo#10)."""
        setup = state.setup
        if viewer is not None and not 0 <= viewer < setup.seats:
            raise no_such_viewer(viewer, setup.seats)
        dice = state.dice
        first, second, third, fourth = state.ahead.piles
        return View(
            viewer,
            setup,
            state.round,
            state.phase,
            state.decision,
            state.seat,
            state.first,
            state.reserves,
            state.markets,
            state.shelves,
            state.locks,
            state.cubes,
            state.helpers,
            state.discs,
            state.helpers_at,
            state.discs_at,
            state.laid,
            state.buffet,
            state.tokens,
            (len(first), len(second), len(third), len(fourth)),
            state.stock,
            state.dishes,
            state.points,
            dice,
            tuple([SPOTS[face - 1] for face in sorted({*dice})]) if dice else (),
            state.events,
            state.placing if viewer == state.seat else (),
            state.spot,
            state.order,
            state.waiting,
            state.taking,
            state.rewarded,
            state.paying,
            state.passed,
            Ending.ROUNDS_PLAYED if state.phase is _OVER else None,
        )

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended, or nothing while it goes on (festo#8.3)."""
        if state.phase is not _OVER:
            return None
        sheets = score_sheets(state.dishes, state.cubes, state.points)
        return Outcome(
            Ending.ROUNDS_PLAYED,
            tuple([sheet.total for sheet in sheets]),
            tuple([sheet.tiebreak for sheet in sheets]),
        )

    def format_move(self, move: Move) -> str:
        """Write a move as records have it."""
        return notation.format_move(move)

    def parse_move(self, text: str) -> Move:
        """Read a move; raises NotationError."""
        return notation.parse_move(text)

    def render(self, view: View) -> str:
        """Draw a view as text for a person."""
        return render.render(view)


def _setup(options: Options) -> Setup:
    return Setup(
        options.seats,
        bool(options["magic_dishes"]),
        options["events"] == "reconstructed",
        bool(options["market_limit"]),
        options["action_order"] == "steps",
    )


# Chance (festo#3.1) -------------------------------------------------------------------------------


def _first_player(seats: int, seed: Seed) -> Seat:
    return Seat(Chance(seed, "festo/first").below(seats))


def _piles(seed: Seed) -> tuple[tuple[Dish, ...], ...]:
    return tuple(
        [shuffled(row_of_dishes(row), seed, f"festo/{CATEGORY_NAMES[row]}") for row in ROWS]
    )


def _events(options: Options, seed: Seed) -> tuple[EventCard, ...]:
    if options["events"] == "none":
        return ()
    return shuffled(EVENT_CARDS, seed, "festo/events")[:ROUNDS]


def _dice(seed: Seed) -> tuple[tuple[int, ...], ...]:
    """Return three values for each half-day."""
    chance = Chance(seed, "festo/dice")
    return tuple(
        [tuple([1 + chance.below(FACES) for _ in range(DICE)]) for _ in range(ROUNDS * HALF_DAYS)]
    )


# The course of the game ---------------------------------------------------------------------------


def _act(table: Table, move: Move) -> None:
    act(table, move)
    if type(move) is not Trade:
        go_on(table)


def _take_cube(table: Table, move: TakeCube) -> None:
    take_cube(table, move)
    go_on(table)


def _get(table: Table, move: Get) -> None:
    get(table, move)
    go_on(table)


def _take_shelf(table: Table, move: TakeShelf) -> None:
    take_shelf(table, move)
    go_on(table)


_COURSE: Final[Mapping[type, Callable[[Table, Any], None]]] = {
    First: choose_first,
    Place: place,
    TakeCube: _take_cube,
    Get: _get,
    TakeShelf: _take_shelf,
    Pass: lambda table, _: pass_cooking(table),
    Cook: cook,
    Recall: recall,
    Pay: pay,
}
"""What a move does; all others are decisions at a character."""


def _not_as_asked(to_act: Sequence[Seat], moves: Mapping[Seat, Move]) -> Violation:
    given = " and ".join(f"seat {seat}" for seat in moves) or "nobody"
    if not to_act:
        return Violation("festo#7.8", f"there is a move for {given}, but the game is over.")
    return Violation(
        "festo#12.2", f"there is a move for {given}, but it must be one move for seat {to_act[0]}."
    )
