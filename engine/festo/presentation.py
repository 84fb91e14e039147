"""Festo! for people who look at a match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine.festo.cards import (
    CATEGORY_NAMES,
    COLOURS,
    COLUMNS,
    CUBE_LETTERS,
    CUBE_NAMES,
    DISH_NAMES,
    EVENT_NAMES,
    ROWS,
    SPOT_NAMES,
    TOKEN_NAMES,
    Counts,
    dish_names,
    letters,
)
from engine.festo.moves import Move, Place
from engine.festo.rules import Festo
from engine.festo.scoring import score_sheets
from engine.festo.state import (
    CameHome,
    CardMoved,
    Cooked,
    CubeMoved,
    DiceRolled,
    DiscsJoined,
    DiscsLaid,
    DishReserved,
    Ended,
    EventRevealed,
    FirstChosen,
    Got,
    MarketFilled,
    Passed,
    Placed,
    Recalled,
    RoundBegan,
    RowChanged,
    SaltTaken,
    Scored,
    ShelfFilled,
    SpotBegan,
    State,
    TokenSent,
    Took,
    Traded,
    View,
)
from engine.game import Event

_GAME: Final = Festo()


class FestoPresentation:
    """How Festo! is told. Cubes are letters, and lists by spot start with the Troll."""

    def view(self, view: View) -> Mapping[str, object]:
        """Return what a viewer knows (festo#10)."""
        return {
            "phase": str(view.phase),
            "decision": view.decision and str(view.decision),
            "round": view.round,
            "turn": view.seat,
            "first": view.first,
            "reserves": list(view.reserves),
            "markets": [letters(market) for market in view.markets],
            "shelves": list(view.shelves),
            "locks": _locks(view.locks),
            "cubes": [letters(own) for own in view.cubes],
            "helpers": list(view.helpers),
            "discs": list(view.discs),
            "helpers_at": _by_spot(view.helpers_at),
            "discs_at": _by_spot(view.discs_at),
            "laid": _by_spot(view.laid),
            "buffet": [
                dish_names(view.buffet[row * COLUMNS : (row + 1) * COLUMNS]) for row in ROWS
            ],
            "tokens": [_token(token) for token in view.tokens],
            "pile_counts": list(view.piles),
            "piles": None,
            "stock": list(view.stock),
            "dishes": [dish_names(own) for own in view.dishes],
            "points": list(view.points),
            "dice": list(view.dice),
            "blocked": [SPOT_NAMES[spot] for spot in view.blocked],
            "events": [EVENT_NAMES[card] for card in view.events],
            "events_ahead": None,
            "dice_ahead": None,
            "placing": list(view.placing),
            "spot": None if view.spot is None else SPOT_NAMES[view.spot],
            "order": list(view.order),
            "waiting": list(view.waiting),
            "taking": [list(one) for one in view.taking],
            "rewarded": dish_names(view.rewarded),
            "paying": DISH_NAMES[view.paying],
            "passed": list(view.passed),
            "ending": view.ending and str(view.ending),
        }

    def everything(self, state: State) -> Mapping[str, object]:
        """Return a position with the piles, the cards and the dice to come open."""
        ahead = state.ahead
        return {
            **self.view(_GAME.view(state, None)),
            "piles": [dish_names(pile) for pile in ahead.piles],
            "events_ahead": [EVENT_NAMES[card] for card in ahead.events],
            "dice_ahead": [list(dice) for dice in ahead.dice],
            "placing": list(state.placing),
        }

    def sentence(self, event: Event) -> str:
        """Tell an event in a few words."""
        return _SENTENCES[type(event)](event)

    def covered(self, move: Move) -> str | None:
        """Return how a placement looks to the others while its parts are decided (festo#4.5)."""
        return "place" if isinstance(move, Place) else None

    def scores(self, state: State) -> Sequence[int]:
        """Score what each seat has so far."""
        return [sheet.total for sheet in score_sheets(state.dishes, state.cubes, state.points)]


def _locks(locks: Counts) -> list[str]:
    """Write the locked cubes of each market and of the shelves."""
    return [letters(locks[i : i + len(COLOURS)]) for i in range(0, len(locks), len(COLOURS))]


def _by_spot(numbers: Iterable[Counts]) -> list[list[int]]:
    return list(map(list, numbers))


def _token(token: int) -> str:
    """Name a token on the buffet, such as "disc 2" for a disc of seat 2."""
    if not token:
        return ""
    seat, disc = divmod(token - 1, 2)
    return f"{TOKEN_NAMES[disc]} {seat}"


def _placed(event: Placed) -> str:
    spots = [f"{n} on the {SPOT_NAMES[spot]}" for spot, n in enumerate(event.helpers) if n]
    return f"seat {event.seat} places {', '.join(spots) if spots else 'no helpers'}"


def _spot_began(event: SpotBegan) -> str:
    order = ", ".join(f"seat {seat}" for seat in event.order)
    best = "nobody" if event.majority is None else f"seat {event.majority}"
    return f"at the {SPOT_NAMES[event.spot]}: {order}; {best} has the majority"


def _came_home(event: CameHome) -> str:
    tokens = [
        f"{number} {name}{'' if number == 1 else 's'}"
        for number, name in zip((event.helpers, event.discs), TOKEN_NAMES, strict=True)
        if number
    ]
    return f"seat {event.seat} takes {' and '.join(tokens)} home from the {SPOT_NAMES[event.spot]}"


def _took(event: Took) -> str:
    how = "all cubes" if event.everything else "cubes"
    where = SPOT_NAMES[event.spot]
    return f"seat {event.seat} takes {how} from the {where}: {letters(event.cubes)}"


def _row_changed(event: RowChanged) -> str:
    dishes = " ".join(filter(None, dish_names(event.dishes))) or "no dishes"
    return f"the row of each {CATEGORY_NAMES[event.category]} has {dishes}"


_SENTENCES: Final[Mapping[type[Event], Callable[[Any], str]]] = MappingProxyType(
    {
        RoundBegan: lambda event: f"round {event.round} begins",
        DiscsJoined: lambda event: (
            f"discs of seat {event.seat} on the {SPOT_NAMES[event.spot]} count from now on: "
            f"{event.number}"
        ),
        MarketFilled: lambda event: (
            f"the market of {CUBE_NAMES[event.colour]} receives {event.number}"
        ),
        ShelfFilled: lambda event: (
            f"the shelf of {CUBE_NAMES[event.colour]} receives {event.number}"
        ),
        RowChanged: _row_changed,
        EventRevealed: lambda event: f"the event card {EVENT_NAMES[event.card]} is revealed",
        FirstChosen: lambda event: (
            f"seat {event.seat} gives the first-player card to seat {event.chosen}"
            if event.seat != event.chosen
            else f"seat {event.seat} keeps the first-player card"
        ),
        DiceRolled: lambda event: (
            f"the dice of the {event.phase} show {' '.join(map(str, event.dice)) or 'nothing'}"
        ),
        Placed: _placed,
        SpotBegan: _spot_began,
        CubeMoved: lambda event: (
            f"seat {event.seat} moves {CUBE_NAMES[event.colour]} from the "
            f"{SPOT_NAMES[event.source]} to the {SPOT_NAMES[event.target]}"
        ),
        TokenSent: lambda event: (
            f"seat {event.seat} sends a {TOKEN_NAMES[event.disc]} to the {SPOT_NAMES[event.spot]}"
        ),
        DishReserved: lambda event: (
            f"seat {event.seat} reserves {DISH_NAMES[event.dish]} with a {TOKEN_NAMES[event.disc]}"
        ),
        SaltTaken: lambda event: f"seat {event.seat} takes a salt",
        Traded: lambda event: f"seat {event.seat} returns {CUBE_LETTERS[event.colour]} at the elf",
        Got: lambda event: f"seat {event.seat} gets {letters(event.cubes)} from the reserves",
        DiscsLaid: lambda event: (
            f"seat {event.seat} lays discs on {' and '.join(SPOT_NAMES[s] for s in event.spots)}"
        ),
        Took: _took,
        CameHome: _came_home,
        CardMoved: lambda event: f"seat {event.seat} receives the first-player card",
        Scored: lambda event: f"seat {event.seat} receives {event.points} points ({event.reason})",
        Cooked: lambda event: (
            f"seat {event.seat} cooks {DISH_NAMES[event.dish]} for "
            f"{letters(event.cubes) or 'nothing'}"
        ),
        Recalled: lambda event: (
            f"seat {event.seat} pays {CUBE_LETTERS[event.colour]} to recall its token from "
            f"{DISH_NAMES[event.dish]}"
        ),
        Passed: lambda event: f"seat {event.seat} passes",
        Ended: lambda event: f"the game ends: {event.ending.replace('_', ' ')}",
    },
)

PRESENTATION: Final = FestoPresentation()
