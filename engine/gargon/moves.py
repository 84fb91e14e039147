"""The moves of Gargon, and their notation in both directions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Final, get_args

from engine.errors import NotationError, did_you_mean
from engine.gargon.cards import (
    CARD_NAMES,
    COLOUR_LETTERS,
    COLOURS,
    COLOURS_BY_LETTER,
    FACES,
    FACES_BY_NAME,
    PILE_NAMES,
    PILES,
    VALUE_OF,
    Card,
    Cards,
    Colour,
    Pile,
    letters,
)

Pattern = tuple[Colour, ...]
"""The colours of a play as gargon#3.4 writes them: the pair first, then single cards in order."""


@dataclass(frozen=True, slots=True)
class Play:
    """Choose the colours to lay; the order given does not matter."""

    pattern: Pattern

    def __post_init__(self) -> None:
        if not self.pattern:
            raise NotationError("a play has at least one card.")
        for colour in self.pattern:
            _colour_must_exist(colour)
        object.__setattr__(self, "pattern", _in_order(self.pattern))


@dataclass(frozen=True, slots=True)
class Pass:
    """Lay nothing, and draw a first card from a pile; from none if both are empty."""

    pile: Pile | None

    def __post_init__(self) -> None:
        if self.pile is not None:
            _pile_must_exist(self.pile)


@dataclass(frozen=True, slots=True)
class Pick:
    """Choose the cards of one colour of the pattern; the order given does not matter."""

    cards: Cards

    def __post_init__(self) -> None:
        if not self.cards:
            raise NotationError("a pick has at least one card.")
        for card in self.cards:
            if not 0 < card <= len(FACES):
                raise NotationError(f"there is no card {card}: cards are 1 (W0) to 96 (G15).")
        object.__setattr__(self, "cards", tuple(sorted(self.cards, reverse=True)))


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw the top card of a pile."""

    pile: Pile

    def __post_init__(self) -> None:
        _pile_must_exist(self.pile)


@dataclass(frozen=True, slots=True)
class Stop:
    """Draw no more cards after a pass."""


@dataclass(frozen=True, slots=True)
class Battle:
    """Choose the colour that fights next."""

    colour: Colour

    def __post_init__(self) -> None:
        _colour_must_exist(self.colour)


Move = Play | Pass | Pick | Draw | Stop | Battle
MOVE_TYPES: Final = frozenset(get_args(Move))


def _colour_must_exist(colour: Colour) -> None:
    if not 0 <= colour < len(COLOURS):
        raise NotationError(f"there is no colour {colour}: colours are 0 (W) to 5 (G).")


def _pile_must_exist(pile: Pile) -> None:
    if not 0 <= pile < len(PILES):
        raise NotationError(f"there is no pile {pile}: piles are 0 (A) and 1 (B).")


def _in_order(colours: Iterable[Colour]) -> Pattern:
    """Put the colours with most cards first, and equals in their own order."""
    counts = Counter(colours)
    return tuple(sorted(counts.elements(), key=lambda colour: (-counts[colour], colour)))


# Every move that can be legal is made once.

SHAPES: Final[Mapping[str, tuple[Pattern, ...]]] = MappingProxyType(
    {
        "1": tuple((colour,) for colour in COLOURS),
        "2": tuple((colour, colour) for colour in COLOURS),
        "1.1": tuple(combinations(COLOURS, 2)),
        "2.1": tuple((pair, pair, single) for pair, single in permutations(COLOURS, 2)),
        "1.1.1": tuple(combinations(COLOURS, 3)),
    },
)
"""The patterns of each shape in canonical order (gargon#3.2 and 9.2)."""
THREE_DIFFERENT: Final = "1.1.1"
SHAPE_OF: Final[Mapping[Pattern, str]] = MappingProxyType(
    {pattern: shape for shape, patterns in SHAPES.items() for pattern in patterns},
)
PLAYS: Final[Mapping[str, tuple[Play, ...]]] = MappingProxyType(
    {shape: tuple(map(Play, patterns)) for shape, patterns in SHAPES.items()},
)
PASSES: Final = (*map(Pass, PILES), Pass(None))
PICKS: Final[Mapping[Card, Pick]] = MappingProxyType({card: Pick((card,)) for card in FACES})
PAIRS: Final[Mapping[Card, tuple[Pick, ...]]] = MappingProxyType(
    {
        high: tuple(
            Pick((high, Card(high - VALUE_OF[high] + low))) for low in range(VALUE_OF[high] or 1)
        )
        for high in FACES
    },
)
"""``PAIRS[high][value]``: the pick of a card and of one of that lower value; or of both zeros."""
DRAWS: Final = tuple(map(Draw, PILES))
STOP: Final = Stop()
BATTLES: Final = tuple(map(Battle, COLOURS))

_FORMS: Final = "play COLOURS, pass PILE, pass, pick CARD [CARD], draw PILE, stop, battle COLOUR"


def format_move(move: Move) -> str:
    """Write a move as records have it."""
    match move:
        case Play(pattern):
            return f"play {letters(pattern)}"
        case Pick(cards):
            return " ".join(["pick", *(CARD_NAMES[card] for card in cards)])
        case Pass(pile):
            return "pass" if pile is None else f"pass {PILE_NAMES[pile]}"
        case Draw(pile):
            return f"draw {PILE_NAMES[pile]}"
        case Battle(colour):
            return f"battle {COLOUR_LETTERS[colour]}"
    return "stop"


def parse_move(text: str) -> Move:
    """Read a move; raises NotationError."""
    match text.split():
        case ["play", colours]:
            return Play(tuple(_colour(letter, text) for letter in colours))
        case ["pass"]:
            return Pass(None)
        case ["pass", pile]:
            return Pass(_pile(pile, text))
        case ["pick", *cards] if cards:
            return Pick(tuple(_card(name, text) for name in cards))
        case ["draw", pile]:
            return Draw(_pile(pile, text))
        case ["stop"]:
            return STOP
        case ["battle", colour]:
            return Battle(_colour(colour, text))
        case [word, *rest]:
            words = ("play", "pass", "pick", "draw", "stop", "battle")
            hint = did_you_mean(word, words) if word not in words else ""
            hint = hint.replace('"?', f' {" ".join(rest)}"?') if rest else hint
            raise NotationError(f'cannot read "{text}".{hint} A move is one of: {_FORMS}.')
        case _:
            raise NotationError(f"cannot read an empty move. A move is one of: {_FORMS}.")


def _colour(letter: str, text: str) -> Colour:
    if letter not in COLOURS_BY_LETTER:
        known = ", ".join(COLOUR_LETTERS)
        raise NotationError(
            f'cannot read "{text}": there is no colour "{letter}".'
            f"{did_you_mean(letter, COLOUR_LETTERS)} They are {known}."
        )
    return COLOURS_BY_LETTER[letter]


def _pile(name: str, text: str) -> Pile:
    if name not in tuple(PILE_NAMES):
        raise NotationError(
            f'cannot read "{text}": there is no pile "{name}".'
            f"{did_you_mean(name, PILE_NAMES)} They are A and B."
        )
    return PILES[PILE_NAMES.index(name)]


def _card(name: str, text: str) -> Card:
    if name not in FACES_BY_NAME:
        raise NotationError(
            f'cannot read "{text}": there is no card "{name}".'
            f"{did_you_mean(name, FACES_BY_NAME)} Cards are W0 to G15."
        )
    return FACES_BY_NAME[name]
