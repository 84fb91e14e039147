"""The messages of Festo!: views, events and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from highstreet.v1 import festo_pb2 as pb

from engine import Event, Options
from engine.festo import (
    ACTION_ORDERS,
    EVENTS,
    CameHome,
    CardMoved,
    Cooked,
    Counts,
    CubeMoved,
    Decision,
    DiceRolled,
    DiscsJoined,
    DiscsLaid,
    Dish,
    DishReserved,
    Ended,
    Ending,
    EventRevealed,
    FirstChosen,
    Got,
    MarketFilled,
    Move,
    Passed,
    Phase,
    Placed,
    Reason,
    Recalled,
    RoundBegan,
    RowChanged,
    SaltTaken,
    Scored,
    ShelfFilled,
    Spot,
    SpotBegan,
    TokenSent,
    Took,
    Traded,
    View,
)
from referee.wire.codec import Fields, Fragment, ScalarEvent
from referee.wire.festo_moves import from_one, move_fields, read_json_move, read_move

# Dishes and event cards have the same numbers in messages; colours, spots and tokens count from 1.
_PHASE: Final = {phase: i for i, phase in enumerate(Phase, 1)}
_DECISION: Final = {None: 0} | {decision: i for i, decision in enumerate(Decision, 1)}
_REASON: Final = {reason: i for i, reason in enumerate(Reason, 1)}
_ENDING: Final = {None: 0} | {ending: i for i, ending in enumerate(Ending, 1)}
_EVENTS_OPTION: Final = {word: i for i, word in enumerate(EVENTS, 1)}
_ACTION_ORDER: Final = {word: i for i, word in enumerate(ACTION_ORDERS, 1)}


def _joined(rows: Sequence[Counts]) -> list[int]:
    return [number for row in rows for number in row]


def _unless_empty(numbers: Sequence[int]) -> Sequence[int]:
    """Return numbers; none of them if all are 0."""
    return numbers if any(numbers) else ()


@lru_cache(maxsize=4096)
def _cubes(
    reserves: Counts, markets: tuple[Counts, ...], shelves: Counts, locks: Counts
) -> Fragment:
    """Return the fields that change when cubes move."""
    return Fragment(
        {
            "reserves": reserves,
            "markets": _joined(markets),
            "shelves": shelves,
            "locks": _unless_empty(locks),
        }
    )


@lru_cache(maxsize=4096)
def _seats(cubes: tuple[Counts, ...], helpers: Counts, discs: Counts, points: Counts) -> Fragment:
    """Return the fields with the possessions of the seats."""
    return Fragment({"cubes": _joined(cubes), "helpers": helpers, "discs": discs, "points": points})


@lru_cache(maxsize=4096)
def _tokens(
    helpers: tuple[Counts, ...], discs: tuple[Counts, ...], laid: tuple[Counts, ...]
) -> Fragment:
    """Return the fields with the tokens on the spots."""
    return Fragment(
        {
            "helpers_at": _unless_empty(_joined(helpers)),
            "discs_at": _unless_empty(_joined(discs)),
            "discs_laid": _unless_empty(_joined(laid)),
        }
    )


@lru_cache(maxsize=4096)
def _buffet(buffet: tuple[Dish, ...], tokens: Counts, piles: Counts, stock: Counts) -> Fragment:
    """Return the fields with the dishes that can be cooked."""
    reserved = [(dish, token - 1) for dish, token in zip(buffet, tokens, strict=True) if token]
    roasts, mains = stock
    return Fragment(
        {
            "buffet": buffet,
            "reserved": [dish for dish, _ in reserved],
            "reserved_by": [token // 2 for _, token in reserved],
            "reserved_with": [1 + token % 2 for _, token in reserved],
            "piles": piles,
            "roasts": roasts,
            "mains": mains,
        }
    )


@lru_cache(maxsize=4096)
def _rest(
    dishes: tuple[tuple[Dish, ...], ...],
    dice: Counts,
    blocked: Sequence[Spot],
    events: Counts,
    ending: Ending | None,
) -> Fragment:
    """Return the fields that change a few times per round."""
    return Fragment(
        {
            "cooked": [dish for own in dishes for dish in own],
            "cooked_by": [seat for seat, own in enumerate(dishes) for _ in own],
            "dice": dice,
            "blocked": from_one(blocked),
            "events": events,
            "ending": _ENDING[ending],
        }
    )


class FestoCodec:
    """Views, events and moves of Festo! as fields."""

    situation = pb.Festo.Situation
    options = pb.Festo.Options
    volatile = (
        "phase", "decision", "turn", "round", "first", "placing", "spot", "order", "waiting",
        "taking", "taking_tokens", "rewarded", "paying", "passed",
    )  # fmt: skip

    @property
    def scalar_events(self) -> Mapping[type[Event], ScalarEvent]:
        """The frequent events, which consist of small numbers."""
        return _SCALAR_EVENTS

    def options_fields(self, options: Options) -> Fields:
        """Return the fields of the options."""
        return {
            "magic_dishes": bool(options["magic_dishes"]),
            "events": _EVENTS_OPTION[str(options["events"])],
            "market_limit": bool(options["market_limit"]),
            "action_order": _ACTION_ORDER[str(options["action_order"])],
        }

    def volatile_values(self, view: View) -> tuple[Any, ...]:
        """Return the values of the ``volatile`` fields of a view, in their order."""
        return (
            _PHASE[view.phase],
            _DECISION[view.decision],
            view.seat,
            view.round,
            view.first,
            view.placing,
            0 if view.spot is None else view.spot + 1,
            view.order,
            view.waiting,
            [seat for seat, _ in view.taking],
            [number for _, number in view.taking],
            view.rewarded,
            view.paying,
            [seat for seat, passed in enumerate(view.passed) if passed],
        )

    def view_fragments(self, view: View) -> Sequence[Fragment]:
        """Return the other fields of a view, each of them in exactly one fragment."""
        return (
            _cubes(view.reserves, view.markets, view.shelves, view.locks),
            _seats(view.cubes, view.helpers, view.discs, view.points),
            _tokens(view.helpers_at, view.discs_at, view.laid),
            _buffet(view.buffet, view.tokens, view.piles, view.stock),
            _rest(view.dishes, view.dice, view.blocked, view.events, view.ending),
        )

    def event_fields(self, event: Event) -> Sequence[Fields]:
        """Return the fields of the message for an event."""
        scalar = _SCALAR_EVENTS.get(type(event))
        if scalar:
            return (scalar.fields_of(event),)
        kind, fields_of = _OTHER_EVENTS[type(event)]
        return ({"kind": kind, **fields_of(event)},)

    def move_fields(self, move: Move) -> Fields:
        """Return the one field of a move."""
        return move_fields(move)

    def read_move(self, fields: Mapping[str, Any]) -> Move:
        """Return the move with these fields; raises WireError."""
        return read_move(fields)

    def read_json_move(self, field: str, value: object) -> Move | None:
        """Return a move in the form of the legal moves, with names or with numbers of enums."""
        return read_json_move(field, value)


_KIND: Final = pb.Festo.EventKind

_SCALAR_EVENTS: Final[Mapping[type[Event], ScalarEvent]] = {
    RoundBegan: ScalarEvent(_KIND.EVENT_KIND_ROUND_BEGAN, {"round": "number"}),
    SaltTaken: ScalarEvent(_KIND.EVENT_KIND_SALT_TAKEN, {"seat": "seat"}),
    CardMoved: ScalarEvent(_KIND.EVENT_KIND_CARD_MOVED, {"seat": "seat"}),
    Passed: ScalarEvent(_KIND.EVENT_KIND_PASSED, {"seat": "seat"}),
    EventRevealed: ScalarEvent(_KIND.EVENT_KIND_EVENT_REVEALED, {"card": "card"}),
}

_OTHER_EVENTS: Final[Mapping[type[Event], tuple[int, Callable[[Any], Fields]]]] = {
    DiscsJoined: (
        _KIND.EVENT_KIND_DISCS_JOINED,
        lambda e: {"seat": e.seat, "spot": e.spot + 1, "number": e.number},
    ),
    MarketFilled: (
        _KIND.EVENT_KIND_MARKET_FILLED,
        lambda e: {"cube": e.colour + 1, "number": e.number},
    ),
    ShelfFilled: (
        _KIND.EVENT_KIND_SHELF_FILLED,
        lambda e: {"cube": e.colour + 1, "number": e.number},
    ),
    RowChanged: (
        _KIND.EVENT_KIND_ROW_CHANGED,
        lambda e: {"category": e.category + 1, "dishes": e.dishes},
    ),
    FirstChosen: (
        _KIND.EVENT_KIND_FIRST_CHOSEN,
        lambda e: {"seat": e.seat, "seats": (e.chosen,)},
    ),
    DiceRolled: (
        _KIND.EVENT_KIND_DICE_ROLLED,
        lambda e: {"phase": _PHASE[e.phase], "dice": e.dice},
    ),
    Placed: (_KIND.EVENT_KIND_PLACED, lambda e: {"seat": e.seat, "helpers": e.helpers}),
    SpotBegan: (
        _KIND.EVENT_KIND_SPOT_BEGAN,
        lambda e: {
            "seat": e.majority or 0,
            "spot": e.spot + 1,
            "seats": e.order,
            "flag": e.majority is not None,
        },
    ),
    CubeMoved: (
        _KIND.EVENT_KIND_CUBE_MOVED,
        lambda e: {
            "seat": e.seat,
            "cube": e.colour + 1,
            "spot": e.source + 1,
            "target": e.target + 1,
        },
    ),
    TokenSent: (
        _KIND.EVENT_KIND_TOKEN_SENT,
        lambda e: {"seat": e.seat, "token": 1 + e.disc, "spot": e.spot + 1},
    ),
    DishReserved: (
        _KIND.EVENT_KIND_DISH_RESERVED,
        lambda e: {"seat": e.seat, "token": 1 + e.disc, "dish": e.dish},
    ),
    Traded: (_KIND.EVENT_KIND_TRADED, lambda e: {"seat": e.seat, "cube": e.colour + 1}),
    Got: (_KIND.EVENT_KIND_GOT, lambda e: {"seat": e.seat, "cubes": e.cubes}),
    DiscsLaid: (
        _KIND.EVENT_KIND_DISCS_LAID,
        lambda e: {"seat": e.seat, "spots": from_one(e.spots)},
    ),
    Took: (
        _KIND.EVENT_KIND_TOOK,
        lambda e: {"seat": e.seat, "spot": e.spot + 1, "cubes": e.cubes, "flag": e.everything},
    ),
    CameHome: (
        _KIND.EVENT_KIND_CAME_HOME,
        lambda e: {"seat": e.seat, "spot": e.spot + 1, "number": e.helpers, "discs": e.discs},
    ),
    Scored: (
        _KIND.EVENT_KIND_SCORED,
        lambda e: {"seat": e.seat, "number": e.points, "reason": _REASON[e.reason]},
    ),
    Cooked: (
        _KIND.EVENT_KIND_COOKED,
        lambda e: {"seat": e.seat, "dish": e.dish, "cubes": e.cubes},
    ),
    Recalled: (
        _KIND.EVENT_KIND_RECALLED,
        lambda e: {"seat": e.seat, "dish": e.dish, "cube": e.colour + 1},
    ),
    Ended: (_KIND.EVENT_KIND_ENDED, lambda e: {"ending": _ENDING[e.ending]}),
}

CODEC: Final = FestoCodec()
