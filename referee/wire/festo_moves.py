"""The moves of Festo! in messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from highstreet.v1 import festo_pb2 as pb

from engine import Seat
from engine.festo import (
    COLOURS,
    COOKS,
    CUBES,
    DISHES,
    FIRSTS,
    GET_ONE,
    GET_TWO,
    HELPERS,
    LAY_ONE,
    LAY_TWO,
    MOST_SEATS,
    MOVE_CUBES,
    PASS,
    PLACE_EAST,
    PLACE_WEST,
    RECALLS,
    RESERVES,
    SENDS,
    SPOTS,
    TAKE,
    TAKE_ALL,
    TAKE_CUBES,
    TAKE_POINTS,
    TAKE_SALT,
    TAKE_SHELVES,
    TRADES,
    Colour,
    Cook,
    Counts,
    Dish,
    First,
    Get,
    LayDiscs,
    Move,
    MoveCube,
    Pass,
    Pay,
    Place,
    Recall,
    Reserve,
    Send,
    Spot,
    Take,
    TakeCube,
    TakePoints,
    TakeSalt,
    TakeShelf,
    Trade,
)
from referee.wire.codec import LONGEST_LIST, Fields, WireError, check_length


def from_one(numbers: Iterable[int]) -> list[int]:
    """Return numbers that count from 1 instead of 0."""
    return [number + 1 for number in numbers]


def _digits(numbers: Iterable[int]) -> int:
    """Return the number with these decimal digits."""
    return int("".join(map(str, numbers)))


def move_fields(move: Move) -> Fields:
    """Return the one field of a move."""
    if type(move) is Take:
        return {"take_all" if move.everything else "take": {}}
    word, value_of = _WRITERS[type(move)]
    return {word: value_of(move)}


def read_move(fields: Mapping[str, Any]) -> Move:
    """Return the move with these fields; raises WireError."""
    if len(fields) != 1:
        raise WireError(
            f"a move of festo has exactly one of {', '.join(_READERS)}; "
            f"this one has {', '.join(fields) or 'none'}."
        )
    ((word, value),) = fields.items()
    return _READERS[word](value)


def read_json_move(field: str, value: object) -> Move | None:
    """Return a move in the form of the legal moves, with names or with numbers of enums."""
    if field == "pay":
        usual = type(value) is int and 0 <= value < 10 ** len(CUBES)
        return _READERS[field](value) if usual else None
    key = _key(value)
    return None if key is None else _USUAL.get((field, key))


_WRITERS: Final[Mapping[type, tuple[str, Callable[[Any], Any]]]] = {
    First: ("first", lambda move: move.seat),
    Place: ("place", lambda move: _digits(move.helpers)),
    MoveCube: (
        "move_cube",
        lambda move: _digits(from_one((move.colour, move.source, move.target))),
    ),
    Send: ("send", lambda move: {"token": 1 + move.disc, "spot": move.spot + 1}),
    Reserve: ("reserve", lambda move: {"token": 1 + move.disc, "dish": move.dish}),
    TakeSalt: ("salt", lambda _: {}),
    Trade: ("trade", lambda move: move.cube + 1),
    LayDiscs: ("discs", lambda move: {"spots": from_one(move.spots)}),
    TakePoints: ("points", lambda _: {}),
    TakeCube: ("cube", lambda move: move.colour + 1),
    Get: ("get", lambda move: {"cubes": from_one(move.colours)}),
    TakeShelf: ("shelf", lambda move: move.colour + 1),
    Pass: ("pass", lambda _: {}),
    Cook: ("cook", lambda move: move.dish),
    Recall: ("recall", lambda move: {"dish": move.dish, "cube": move.cube + 1}),
    Pay: ("pay", lambda move: _digits(move.cubes)),
}


def _seat(number: int) -> Seat:
    if not 0 <= number < MOST_SEATS:
        raise WireError(f"there is no seat {number}: they are 0 to {MOST_SEATS - 1}.")
    return Seat(number)


def _colour(number: int) -> Colour:
    if not 1 <= number <= len(COLOURS):
        raise WireError(f"there is no colour {number}: they are 1 (meat) to 6 (potato).")
    return COLOURS[number - 1]


def _cube(number: int) -> Colour:
    if not 1 <= number <= len(CUBES):
        raise WireError(f"there is no cube {number}: they are 1 (meat) to 7 (salt).")
    return CUBES[number - 1]


def _spot(number: int) -> Spot:
    if not 1 <= number <= len(SPOTS):
        raise WireError(f"there is no spot {number}: they are 1 (Troll) to 7 (Grocer).")
    return SPOTS[number - 1]


def _dish(number: int) -> Dish:
    if not 1 <= number <= len(DISHES):
        raise WireError(f"there is no dish {number}: they are 1 (drink-M) to 26 (main).")
    return DISHES[number - 1]


def _token(number: int) -> bool:
    if number not in (1, 2):
        raise WireError(f"there is no token {number}: they are 1 (helper) and 2 (disc).")
    return number == 2


def _counts(word: str, number: int, kinds: int) -> Counts:
    """Return the decimal digits of a number, with zeros before them."""
    if not 0 <= number < 10**kinds:
        raise WireError(f"{word} has {kinds} digits, and {number} is no such number.")
    return tuple(map(int, f"{number:0{kinds}}"))


def _read_place(number: int) -> Move:
    helpers = _counts("place", number, len(SPOTS))
    if sum(helpers) > HELPERS:
        raise WireError(f"a placement has at most {HELPERS} helpers, not {sum(helpers)}.")
    return Place(helpers)


def _read_move_cube(number: int) -> Move:
    cube, source, target = _counts("move_cube", number, 3)
    return MoveCube(_colour(cube), _spot(source), _spot(target))


def _read_discs(value: Mapping[str, Any]) -> Move:
    spots = tuple(_spot(number) for number in check_length(value.get("spots", ())))
    if len(spots) not in (1, 2):
        raise WireError(f"one disc or two are laid, not {len(spots)}.")
    return LayDiscs(spots)


def _read_get(value: Mapping[str, Any]) -> Move:
    colours = tuple(_colour(number) for number in check_length(value.get("cubes", ())))
    if len(colours) not in (1, 2):
        raise WireError(f"one cube or two are got, not {len(colours)}.")
    return Get(colours)


_READERS: Final[Mapping[str, Callable[[Any], Move]]] = {
    "first": lambda number: First(_seat(number)),
    "place": _read_place,
    "take": lambda _: TAKE,
    "take_all": lambda _: TAKE_ALL,
    "move_cube": _read_move_cube,
    "send": lambda value: Send(_token(value.get("token", 0)), _spot(value.get("spot", 0))),
    "reserve": lambda value: Reserve(_token(value.get("token", 0)), _dish(value.get("dish", 0))),
    "salt": lambda _: TAKE_SALT,
    "trade": lambda number: Trade(_cube(number)),
    "discs": _read_discs,
    "points": lambda _: TAKE_POINTS,
    "cube": lambda number: TakeCube(_colour(number)),
    "get": _read_get,
    "shelf": lambda number: TakeShelf(_colour(number)),
    "pass": lambda _: PASS,
    "cook": lambda number: Cook(_dish(number)),
    "recall": lambda value: Recall(_dish(value.get("dish", 0)), _cube(value.get("cube", 0))),
    "pay": lambda number: Pay(_counts("pay", number, len(CUBES))),
}

Key = str | int | tuple[Any, ...]


def _key(value: object) -> Key | None:
    """Return a value in the JSON of a move as a key; None if it is not in the usual form."""
    if type(value) is str or type(value) is int:
        return value
    if type(value) is list and len(value) <= LONGEST_LIST:
        usual = all(type(item) is str or type(item) is int for item in value)
        return tuple(value) if usual else None
    if type(value) is dict and len(value) <= LONGEST_LIST:
        parts = [(name, _key(part)) for name, part in value.items() if type(part) is not dict]
        if len(parts) == len(value) and all(key is not None for _, key in parts):
            return tuple(sorted(parts, key=lambda part: part[0]))
    return None


_NAMES: Final[Mapping[str, Callable[[int], str]]] = {
    "spots": pb.Festo.Spot.Name,
    "spot": pb.Festo.Spot.Name,
    "cubes": pb.Festo.Cube.Name,
    "cube": pb.Festo.Cube.Name,
    "trade": pb.Festo.Cube.Name,
    "shelf": pb.Festo.Cube.Name,
    "token": pb.Festo.Token.Name,
    "dish": pb.Festo.Dish.Name,
    "cook": pb.Festo.Dish.Name,
}
"""The function that returns the JSON name of a number in a field; seats stay numbers."""


def _named(field: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _named(name, part) for name, part in value.items()}
    if field not in _NAMES:
        return value
    name = _NAMES[field]
    return list(map(name, value)) if isinstance(value, list) else name(value)


def _usual_moves() -> Iterator[Move]:
    groups: tuple[Iterable[Move], ...] = (
        (TAKE, TAKE_ALL, TAKE_SALT, TAKE_POINTS, PASS), FIRSTS, PLACE_WEST, PLACE_EAST, TRADES,
        LAY_ONE, LAY_TWO, TAKE_CUBES, GET_ONE, GET_TWO, TAKE_SHELVES, COOKS.values(),
    )  # fmt: skip
    for group in groups:
        yield from group
    yield from (move for source in MOVE_CUBES for moves in source for move in moves)
    yield from (move for moves in SENDS for move in moves)
    yield from (move for moves in RESERVES for move in moves.values())
    yield from (move for moves in RECALLS.values() for move in moves)


def _usual() -> dict[tuple[str, Key | None], Move]:
    """Return the moves that can be legal, except payments, by their form in JSON."""
    found: dict[tuple[str, Key | None], Move] = {}
    for move in _usual_moves():
        ((field, value),) = move_fields(move).items()
        found[field, _key(value)] = move
        found[field, _key(_named(field, value))] = move
    return found


_USUAL: Final = _usual()
