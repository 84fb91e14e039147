"""Positions for tests, written as a person would describe them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine import Event, OptionValue, Seat, Transition
from engine.festo.actions import NO_LOCKS
from engine.festo.cards import (
    CUBES_BY_LETTER,
    DISHES_BY_NAME,
    EVENT_NAMES,
    SPOTS_BY_NAME,
    Dish,
    EventCard,
)
from engine.festo.phases import _begin_cooking, begin_round, go_on
from engine.festo.rules import Festo, _setup
from engine.festo.state import Ahead, Decision, Phase, State
from engine.festo.table import Table

GAME = Festo()

BUFFET = """
drink-M drink-H drink-S
starter-M starter-H starter-S
side-M side-H side-S
dessert-M dessert-H dessert-S
"""
PILES = """
drink-U drink-F drink-P
starter-U starter-F starter-P
side-U side-F side-P
dessert-U dessert-F dessert-P
"""
Numbers = Mapping[str, Mapping[int, int]]
"""Tokens by spot and seat."""


def cubes(text: str, kinds: int = 7) -> tuple[int, ...]:
    """Read cubes written together."""
    counts = [0] * 7
    for letter in text:
        counts[CUBES_BY_LETTER[letter]] += 1
    return tuple(counts[:kinds])


def dishes(text: str) -> tuple[Dish, ...]:
    """Read names of dishes; a dash is an empty place."""
    return tuple(Dish(0) if name == "-" else DISHES_BY_NAME[name] for name in text.split())


def rows(text: str) -> tuple[tuple[Dish, ...], ...]:
    """Read a line of dishes for each row; rows left out at the end have none."""
    lines = text.strip("\n").split("\n")
    return tuple(dishes(line) for line in (*lines, "", "", "")[:4])


def by_spot(given: Numbers | None, seats: int) -> tuple[tuple[int, ...], ...]:
    """Read tokens by spot and seat."""
    found = [[0] * seats for _ in range(7)]
    for spot, numbers in (given or {}).items():
        for seat, number in numbers.items():
            found[SPOTS_BY_NAME[spot]][seat] = number
    return tuple(map(tuple, found))


def position(
    *,
    seats: int = 4,
    round: int = 1,  # noqa: A002  the name of the field
    first: int = 0,
    markets: Mapping[str, str] | None = None,
    shelves: str = "",
    locks: Mapping[str, str] | None = None,
    own: Mapping[int, str] | None = None,
    helpers: Numbers | None = None,
    discs: Numbers | None = None,
    laid: Numbers | None = None,
    buffet: str = BUFFET,
    piles: str = PILES,
    tokens: Mapping[str, tuple[str, int]] | None = None,
    stock: tuple[int, int] | None = None,
    cooked: Mapping[int, str] | None = None,
    points: Mapping[int, int] | None = None,
    events: str = "",
    events_ahead: str = "",
    dice_ahead: tuple[tuple[int, ...], ...] = ((1, 1, 1),) * 8,
    reserves: str | None = None,
    options: Mapping[str, OptionValue] | None = None,
) -> State:
    """Return a position before anything of its phase has happened.

    Of each seat, the tokens of which nothing is said are at home. ``reserves`` names everything
    that the reserves have; without it they have all cubes that are nowhere else.
    """
    on_dishes = {place: (name == "disc", seat) for place, (name, seat) in (tokens or {}).items()}
    flat = dishes(buffet)
    helpers_at, discs_at, laid_at = (by_spot(given, seats) for given in (helpers, discs, laid))
    markets_at = tuple(cubes((markets or {}).get(spot, ""), 6) for spot in list(SPOTS_BY_NAME)[:6])
    shelves_at = cubes(shelves, 6)
    boards = tuple(cubes((own or {}).get(seat, "")) for seat in range(seats))
    if reserves is None:
        everything = (*markets_at, shelves_at, *(board[:6] for board in boards))
        left = [14 - sum(place[c] for place in everything) for c in range(6)]
        in_reserve = (*left, seats + 1 - sum(board[6] for board in boards))
    else:
        in_reserve = cubes(reserves)
    locked = [n for spot in SPOTS_BY_NAME for n in cubes((locks or {}).get(spot, ""), 6)]
    return State(
        setup=_setup(GAME.spec.options(seats, options)),
        ahead=Ahead(rows(piles), _events(events_ahead), dice_ahead),
        round=round,
        phase=Phase.PREPARATION,
        decision=Decision.CHOOSE_FIRST,
        seat=Seat(first),
        first=Seat(first),
        reserves=in_reserve,
        markets=markets_at,
        shelves=shelves_at,
        locks=tuple(locked) if any(locked) else NO_LOCKS,
        cubes=boards,
        helpers=tuple(
            6
            - sum(at[seat] for at in helpers_at)
            - sum(owner == (False, seat) for owner in on_dishes.values())
            for seat in range(seats)
        ),
        discs=tuple(
            2
            - sum(at[seat] for at in (*discs_at, *laid_at))
            - sum(owner == (True, seat) for owner in on_dishes.values())
            for seat in range(seats)
        ),
        helpers_at=helpers_at,
        discs_at=discs_at,
        laid=laid_at,
        buffet=flat,
        tokens=tuple(_token(on_dishes, dish) for dish in flat),
        stock=stock or (seats, seats),
        dishes=tuple(dishes((cooked or {}).get(seat, "")) for seat in range(seats)),
        points=tuple((points or {}).get(seat, 0) for seat in range(seats)),
        dice=(),
        events=_events(events),
        placing=(),
        spot=None,
        order=(),
        waiting=(),
        taking=(),
        rewarded=(),
        paying=Dish(0),
        passed=(),
    )


def _events(text: str) -> tuple[EventCard, ...]:
    return tuple(EventCard(EVENT_NAMES.index(name)) for name in text.split())


def _token(on_dishes: Mapping[str, tuple[bool, int]], dish: Dish) -> int:
    for name, (disc, seat) in on_dishes.items():
        if DISHES_BY_NAME[name] == dish:
            return 1 + 2 * seat + disc
    return 0


def prepare(**given: Any) -> Transition[State]:
    """Begin the round after the position."""
    table = Table(position(**given))
    begin_round(table)
    return Transition(table.state(), table.happened)


def actions(**given: Any) -> Transition[State]:
    """Begin the actions in the position."""
    table = Table(position(**given)._replace(phase=Phase.ACTIONS))
    go_on(table)
    return Transition(table.state(), table.happened)


def cooking(**given: Any) -> State:
    """Begin the cooking in the position."""
    table = Table(position(**given))
    _begin_cooking(table)
    return table.state()


def legal(state: State, seat: int | None = None) -> list[str]:
    """Return the legal moves of the seat to act, in notation."""
    who = state.seat if seat is None else Seat(seat)
    return [GAME.format_move(move) for move in GAME.legal_moves(state, who)]


def play(state: State, moves: str) -> Transition[State]:
    """Play moves, separated by commas, each for the seat that must decide."""
    events: list[Event] = []
    for text in filter(None, moves.split(", ")):
        (seat,) = GAME.to_act(state)
        state, happened = GAME.apply(state, {seat: GAME.parse_move(text)})
        events += happened
    return Transition(state, events)


def rule_broken(state: State, move: str, seat: int | None = None) -> str | None:
    """Return the paragraph that a move breaks, or nothing."""
    who = state.seat if seat is None else Seat(seat)
    violation = GAME.check(state, who, GAME.parse_move(move))
    return violation.rule.removeprefix("festo#") if violation else None
