"""The moves of Festo!, and their notation in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from types import MappingProxyType
from typing import Final, get_args

from engine.errors import NotationError, did_you_mean
from engine.festo.cards import (
    CHARACTERS,
    COLOURS,
    CUBE_LETTERS,
    CUBES,
    CUBES_BY_LETTER,
    DISH_NAMES,
    DISHES,
    DISHES_BY_NAME,
    HELPERS,
    SALT,
    SMALL_DISHES,
    SPOT_NAMES,
    SPOTS,
    SPOTS_BY_NAME,
    TOKEN_NAMES,
    Colour,
    Counts,
    Dish,
    Spot,
    letters,
)
from engine.game import Seat

MOST_SEATS: Final = 5
MOST_DISCS: Final = 2
MOST_CUBES_TAKEN: Final = 2
"""The cubes that the Elf's power gives."""
MOST_PAID: Final = 16
"""The cubes that a payment can have; no dish costs more than half of them."""


@dataclass(frozen=True, slots=True)
class First:
    """Keep the first-player card, or give it to another seat."""

    seat: Seat

    def __post_init__(self) -> None:
        if not 0 <= self.seat < MOST_SEATS:
            raise NotationError(f"there is no seat {self.seat}: seats are 0 to {MOST_SEATS - 1}.")


@dataclass(frozen=True, slots=True)
class Place:
    """Place helpers: a number for each of the seven spots."""

    helpers: Counts

    def __post_init__(self) -> None:
        if len(self.helpers) != len(SPOTS):
            raise NotationError(f"a placement has a number for each of the {len(SPOTS)} spots.")
        if min(self.helpers) < 0 or sum(self.helpers) > HELPERS:
            raise NotationError(f"a placement has 0 to {HELPERS} helpers in all.")


@dataclass(frozen=True, slots=True)
class Take:
    """Use no power: take a cube with each token, or all cubes of the market."""

    everything: bool


@dataclass(frozen=True, slots=True)
class MoveCube:
    """Use the Troll's power: move a cube; the Grocer stands for the shelf of the colour."""

    colour: Colour
    source: Spot
    target: Spot

    def __post_init__(self) -> None:
        _colour_must_exist(self.colour, SALT)
        _spot_must_exist(self.source, len(SPOTS))
        _spot_must_exist(self.target, len(SPOTS))


@dataclass(frozen=True, slots=True)
class Send:
    """Use the Pixies' power: move a helper or a disc to another spot."""

    disc: bool
    spot: Spot

    def __post_init__(self) -> None:
        _spot_must_exist(self.spot, len(SPOTS))


@dataclass(frozen=True, slots=True)
class Reserve:
    """Use the Orc's power: move a helper or a disc onto a dish."""

    disc: bool
    dish: Dish

    def __post_init__(self) -> None:
        _dish_must_exist(self.dish)


@dataclass(frozen=True, slots=True)
class TakeSalt:
    """Use the Magician's power: take a salt."""


@dataclass(frozen=True, slots=True)
class Trade:
    """Use the Elf's power: return a cube, and get others next."""

    cube: Colour

    def __post_init__(self) -> None:
        _colour_must_exist(self.cube, len(CUBES))


@dataclass(frozen=True, slots=True)
class LayDiscs:
    """Use the Dwarf's power: lay discs on characters; the order given does not matter."""

    spots: tuple[Spot, ...]

    def __post_init__(self) -> None:
        if not 0 < len(self.spots) <= MOST_DISCS:
            raise NotationError("lay one disc or two.")
        for spot in self.spots:
            _spot_must_exist(spot, len(SPOTS))
        object.__setattr__(self, "spots", tuple(sorted(self.spots)))


@dataclass(frozen=True, slots=True)
class TakePoints:
    """Use the Dwarf's power in the last round: take points."""


@dataclass(frozen=True, slots=True)
class TakeCube:
    """Take a cube of that colour from the market."""

    colour: Colour

    def __post_init__(self) -> None:
        _colour_must_exist(self.colour, SALT)


@dataclass(frozen=True, slots=True)
class Get:
    """Get cubes from the reserves by the Elf's power; the order given does not matter."""

    colours: tuple[Colour, ...]

    def __post_init__(self) -> None:
        if not 0 < len(self.colours) <= MOST_CUBES_TAKEN:
            raise NotationError("get one cube or two.")
        for colour in self.colours:
            _colour_must_exist(colour, SALT)
        object.__setattr__(self, "colours", tuple(sorted(self.colours)))


@dataclass(frozen=True, slots=True)
class TakeShelf:
    """Take cubes from the shelf of that colour."""

    colour: Colour

    def __post_init__(self) -> None:
        _colour_must_exist(self.colour, SALT)


@dataclass(frozen=True, slots=True)
class Pass:
    """Cook no more in this round."""


@dataclass(frozen=True, slots=True)
class Cook:
    """Choose a dish to cook; the payment is chosen next."""

    dish: Dish

    def __post_init__(self) -> None:
        _dish_must_exist(self.dish)


@dataclass(frozen=True, slots=True)
class Recall:
    """Pay a cube to take a token back from a dish."""

    dish: Dish
    cube: Colour

    def __post_init__(self) -> None:
        _dish_must_exist(self.dish)
        _colour_must_exist(self.cube, len(CUBES))


@dataclass(frozen=True, slots=True)
class Pay:
    """Pay for a dish: a number of cubes for each colour and for salt."""

    cubes: Counts

    def __post_init__(self) -> None:
        if len(self.cubes) != len(CUBES):
            raise NotationError("a payment has a number for each of the six colours and for salt.")
        if min(self.cubes) < 0 or sum(self.cubes) > MOST_PAID:
            raise NotationError(f"a payment has 0 to {MOST_PAID} cubes in all.")


Move = (
    First
    | Place
    | Take
    | MoveCube
    | Send
    | Reserve
    | TakeSalt
    | Trade
    | LayDiscs
    | TakePoints
    | TakeCube
    | Get
    | TakeShelf
    | Pass
    | Cook
    | Recall
    | Pay
)
MOVE_TYPES: Final = frozenset(get_args(Move))


def _colour_must_exist(colour: Colour, number: int) -> None:
    if not 0 <= colour < number:
        last = f"{number - 1} ({CUBE_LETTERS[number - 1]})"
        raise NotationError(f"there is no colour {colour} here: they are 0 (M) to {last}.")


def _spot_must_exist(spot: Spot, number: int) -> None:
    if not 0 <= spot < number:
        last = f"{number - 1} ({SPOT_NAMES[number - 1]})"
        raise NotationError(f"there is no spot {spot}: spots are 0 (troll) to {last}.")


def _dish_must_exist(dish: Dish) -> None:
    if not 0 < dish <= len(DISHES):
        raise NotationError(f"there is no dish {dish}: dishes are 1 (drink-M) to 26 (main).")


# Every move that can be legal is made once.

FIRSTS: Final = tuple(First(Seat(i)) for i in range(MOST_SEATS))
TAKE: Final = Take(everything=False)
TAKE_ALL: Final = Take(everything=True)
MOVE_CUBES: Final = tuple(
    tuple(tuple(MoveCube(colour, source, target) for target in SPOTS) for colour in COLOURS)
    for source in SPOTS
)
"""``MOVE_CUBES[source][colour][target]``."""
SENDS: Final = tuple(tuple(Send(bool(disc), spot) for spot in SPOTS) for disc in range(2))
"""``SENDS[disc][spot]``."""
RESERVES: Final = tuple(
    {dish: Reserve(bool(disc), dish) for dish in SMALL_DISHES} for disc in range(2)
)
"""``RESERVES[disc][dish]``."""
TAKE_SALT: Final = TakeSalt()
TRADES: Final = tuple(map(Trade, CUBES))
LAY_ONE: Final = tuple(LayDiscs((spot,)) for spot in CHARACTERS)
LAY_TWO: Final = tuple(map(LayDiscs, combinations_with_replacement(CHARACTERS, 2)))
TAKE_POINTS: Final = TakePoints()
TAKE_CUBES: Final = tuple(map(TakeCube, COLOURS))
GET_ONE: Final = tuple(Get((colour,)) for colour in COLOURS)
GET_TWO: Final = tuple(map(Get, combinations_with_replacement(COLOURS, 2)))
TAKE_SHELVES: Final = tuple(map(TakeShelf, COLOURS))
PASS: Final = Pass()
COOKS: Final[Mapping[Dish, Cook]] = {dish: Cook(dish) for dish in DISHES}
RECALLS: Final[Mapping[Dish, tuple[Recall, ...]]] = {
    dish: tuple(Recall(dish, cube) for cube in CUBES) for dish in SMALL_DISHES
}
"""``RECALLS[dish][cube]``."""

_FORMS: Final = (
    "first SEAT, place SPOT=NUMBER …, place none, take, take all, move CUBE SPOT SPOT, "
    "send helper SPOT, send disc SPOT, reserve helper DISH, reserve disc DISH, salt, trade CUBE, "
    "discs SPOT [SPOT], points, cube CUBE, get CUBES, shelf CUBE, pass, cook DISH, "
    "recall DISH CUBE, pay CUBES, pay none"
)
_NONE: Final = "none"


def _placed(helpers: Counts) -> str:
    return " ".join([f"{SPOT_NAMES[i]}={n}" for i, n in enumerate(helpers) if n]) or _NONE


_WRITERS: Final[Mapping[type, Callable[..., str]]] = MappingProxyType(
    {
        First: lambda move: f"first {move.seat}",
        Place: lambda move: f"place {_placed(move.helpers)}",
        Take: lambda move: "take all" if move.everything else "take",
        MoveCube: lambda move: (
            f"move {CUBE_LETTERS[move.colour]} {SPOT_NAMES[move.source]} {SPOT_NAMES[move.target]}"
        ),
        Send: lambda move: f"send {TOKEN_NAMES[move.disc]} {SPOT_NAMES[move.spot]}",
        Reserve: lambda move: f"reserve {TOKEN_NAMES[move.disc]} {DISH_NAMES[move.dish]}",
        TakeSalt: lambda _: "salt",
        Trade: lambda move: f"trade {CUBE_LETTERS[move.cube]}",
        LayDiscs: lambda move: " ".join(["discs", *(SPOT_NAMES[spot] for spot in move.spots)]),
        TakePoints: lambda _: "points",
        TakeCube: lambda move: f"cube {CUBE_LETTERS[move.colour]}",
        Get: lambda move: f"get {''.join([CUBE_LETTERS[c] for c in move.colours])}",
        TakeShelf: lambda move: f"shelf {CUBE_LETTERS[move.colour]}",
        Pass: lambda _: "pass",
        Cook: lambda move: f"cook {DISH_NAMES[move.dish]}",
        Recall: lambda move: f"recall {DISH_NAMES[move.dish]} {CUBE_LETTERS[move.cube]}",
        Pay: lambda move: f"pay {letters(move.cubes) or _NONE}",
    },
)


def format_move(move: Move) -> str:
    """Write a move as records have it."""
    return _WRITERS[type(move)](move)


_WORDS: Final = tuple(dict.fromkeys(form.split()[0] for form in _FORMS.split(", ")))


def parse_move(text: str) -> Move:  # noqa: C901, PLR0912  a case for each form
    """Read a move; raises NotationError."""
    match text.split():
        case ["first", seat]:
            return First(Seat(_number(seat, text)))
        case ["place", *parts] if parts:
            return _place(parts, text)
        case ["take"]:
            return TAKE
        case ["take", "all"]:
            return TAKE_ALL
        case ["move", colour, source, target]:
            return MoveCube(_cube(colour, text), _spot(source, text), _spot(target, text))
        case ["send", token, spot]:
            return Send(_token(token, text), _spot(spot, text))
        case ["reserve", token, dish]:
            return Reserve(_token(token, text), _dish(dish, text))
        case ["salt"]:
            return TAKE_SALT
        case ["trade", cube]:
            return Trade(_cube(cube, text))
        case ["discs", *spots] if spots:
            return LayDiscs(tuple(_spot(spot, text) for spot in spots))
        case ["points"]:
            return TAKE_POINTS
        case ["cube", colour]:
            return TakeCube(_cube(colour, text))
        case ["get", cubes]:
            return Get(tuple(_cube(letter, text) for letter in cubes))
        case ["shelf", colour]:
            return TakeShelf(_cube(colour, text))
        case ["pass"]:
            return PASS
        case ["cook", dish]:
            return Cook(_dish(dish, text))
        case ["recall", dish, cube]:
            return Recall(_dish(dish, text), _cube(cube, text))
        case ["pay", cubes]:
            return Pay(_counts("" if cubes == _NONE else cubes, text))
        case [word, *rest]:
            hint = did_you_mean(word, _WORDS) if word not in _WORDS else ""
            hint = hint.replace('"?', f' {" ".join(rest)}"?') if rest else hint
            raise NotationError(f'cannot read "{text}".{hint} A move is one of: {_FORMS}.')
        case _:
            raise NotationError(f"cannot read an empty move. A move is one of: {_FORMS}.")


def _place(parts: Sequence[str], text: str) -> Place:
    helpers = [0] * len(SPOTS)
    for part in parts if parts != [_NONE] else ():
        name, equals, number = part.partition("=")
        spot = _spot(name, text)
        if not equals or helpers[spot]:
            raise NotationError(f'cannot read "{text}": write each spot once, as in troll=2.')
        helpers[spot] = _number(number, text)
    return Place(tuple(helpers))


def _number(digits: str, text: str) -> int:
    if len(digits) != 1 or digits not in "0123456789":
        raise NotationError(f'cannot read "{text}": "{digits}" must be a digit.')
    return int(digits)


def _counts(cubes: Iterable[str], text: str) -> Counts:
    counts = [0] * len(CUBES)
    for letter in cubes:
        counts[_cube(letter, text)] += 1
    return tuple(counts)


def _cube(letter: str, text: str) -> Colour:
    if letter not in CUBES_BY_LETTER:
        raise NotationError(
            f'cannot read "{text}": there is no cube "{letter}".'
            f"{did_you_mean(letter, CUBE_LETTERS)} They are {', '.join(CUBE_LETTERS)}."
        )
    return CUBES_BY_LETTER[letter]


def _token(name: str, text: str) -> bool:
    if name not in TOKEN_NAMES:
        raise NotationError(
            f'cannot read "{text}": there is no token "{name}".'
            f"{did_you_mean(name, TOKEN_NAMES)} They are helper and disc."
        )
    return name == TOKEN_NAMES[1]


def _spot(name: str, text: str) -> Spot:
    if name not in SPOTS_BY_NAME:
        raise NotationError(
            f'cannot read "{text}": there is no spot "{name}".'
            f"{did_you_mean(name, SPOT_NAMES)} They are {', '.join(SPOT_NAMES)}."
        )
    return SPOTS_BY_NAME[name]


def _dish(name: str, text: str) -> Dish:
    if name not in DISHES_BY_NAME:
        raise NotationError(
            f'cannot read "{text}": there is no dish "{name}".'
            f"{did_you_mean(name, DISHES_BY_NAME)} They are drink-M to dessert-P, roast and main."
        )
    return DISHES_BY_NAME[name]
