"""What a game is: rules as functions over values.

A game has no state of its own, reads no clock and rolls no dice, and never changes what it has
returned. ``deal`` makes the first state from options and a seed; ``apply`` makes the next one from
moves. Its driver (a referee, a search, a test) asks ``to_act`` which seats must decide, until
none must.

    transition = game.deal(options, seed)
    while seats := game.to_act(transition.state):
        moves = {seat: choose(game.legal_moves(transition.state, seat)) for seat in seats}
        transition = game.apply(transition.state, moves)
    print(game.outcome(transition.state))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from types import MappingProxyType
from typing import Generic, NamedTuple, NewType, Protocol, TypeVar, dataclass_transform

from engine.errors import OptionsError, UsageError, did_you_mean
from engine.shuffle import Seed

Seat = NewType("Seat", int)
"""A place at the table, numbered clockwise from 0."""

OptionValue = bool | int | str

StateT = TypeVar("StateT")
MoveT = TypeVar("MoveT")
ViewT = TypeVar("ViewT")
EventT = TypeVar("EventT", bound="Event")


class Options(Mapping[str, OptionValue]):
    """The checked options of one match, ``seats`` first; made by ``GameSpec.options``."""

    __slots__ = ("_seats", "_values")

    def __init__(self, seats: int, values: Mapping[str, OptionValue]) -> None:
        self._seats = seats
        self._values = MappingProxyType({"seats": seats, **values})

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self._seats

    def __getitem__(self, name: str) -> OptionValue:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return f"Options({', '.join(f'{name}={value!r}' for name, value in self.items())})"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice that a game offers besides the number of seats.

    ``problem`` looks at a value of the right type and the number of seats, and says what is wrong
    with it, or nothing. ``variant`` marks a switch that makes a game of its own kind, which
    tournaments may play both ways.
    """

    name: str
    default: OptionValue
    summary: str
    problem: Callable[[OptionValue, int], str | None] = lambda _value, _seats: None
    variant: bool = False

    def read(self, text: str) -> OptionValue:
        """Read a value written as text, of the type that the default has."""
        if isinstance(self.default, bool):
            words = {"true": True, "yes": True, "false": False, "no": False}
            if text.lower() not in words:
                raise OptionsError(f'{self.name} is "{text}", but must be true or false.')
            return words[text.lower()]
        return text


@dataclass(frozen=True, slots=True)
class GameSpec:
    """The static facts of a game."""

    name: str
    title: str
    rules_version: str
    seats: tuple[int, ...]
    options_offered: tuple[Option, ...]
    endings: type[StrEnum]
    decision_kinds: tuple[str, ...]
    """The names of all kinds of decisions, for people; a bot that plays well meets each of them."""
    most_decisions: int
    """No game of any kind has more decisions than this; the rules page proves it."""
    draw_probability: float = 0.1
    """The probability that two neighbouring places are level, which TrueSkill needs; measured by
    ``benchmarks/draws.py``."""

    def options(self, seats: int, given: Mapping[str, OptionValue] | None = None) -> Options:
        """Check seats and options, fill in the defaults, and return the whole."""
        given = given or {}
        if type(seats) is not int or seats not in self.seats:
            raise OptionsError(f"{self.title} is for {_either(self.seats)} seats, not for {seats}.")
        for name in given:
            self.option(name)
        values: dict[str, OptionValue] = {}
        for option in self.options_offered:
            value = given.get(option.name, option.default)
            if type(value) is not type(option.default):
                kind = "true or false" if isinstance(option.default, bool) else "text"
                raise OptionsError(f"{option.name} is {value!r}, but must be {kind}.")
            if problem := option.problem(value, seats):
                raise OptionsError(problem)
            values[option.name] = value
        return Options(seats, values)

    def kinds(self) -> Iterator[Options]:
        """Return the options of every kind of game: each number of seats with each variant."""
        switches = [option.name for option in self.options_offered if option.variant]
        for seats in self.seats:
            for values in product((False, True), repeat=len(switches)):
                yield self.options(seats, dict(zip(switches, values, strict=True)))

    def variant_name(self, values: Mapping[str, OptionValue]) -> str:
        """Return the name of a variant, such as "fog" or "fog+level=3"; "plain" is all defaults.

        A switch that is on gives its name, any other variant option that is not at its default its
        name and value: so a name stays the same when the game gets further variants.
        """
        parts = []
        for option in self.options_offered:
            value = values[option.name]
            if not option.variant:
                continue
            if isinstance(option.default, bool):
                parts += [option.name] if value else []
            elif value != option.default:
                parts.append(f"{option.name}={value}")
        return "+".join(parts) or "plain"

    def option(self, name: str) -> Option:
        """Return the option of that name."""
        for option in self.options_offered:
            if option.name == name:
                return option
        known = [option.name for option in self.options_offered]
        raise OptionsError(
            f'{self.title} has no option "{name}".{did_you_mean(name, known)}'
            f" Its options are {', '.join(known)}."
        )


class Event:
    """Something that happened at the table. A subclass that is not for everybody says so."""

    __slots__ = ()

    def visible_to(self, viewer: Seat | None) -> bool:  # noqa: ARG002  a public event asks nobody
        """Tell whether that seat, or a spectator, may see this."""
        return True


@dataclass_transform(frozen_default=True)
def event(cls: type[EventT]) -> type[EventT]:
    """Make a class of events: a dataclass that the type checker keeps frozen.

    At run time it is not frozen: that would make an event four times as expensive to make, and
    every decision makes several.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


class Transition(NamedTuple, Generic[StateT]):
    """The next state, and what happened on the way there."""

    state: StateT
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule: which paragraph, and what was wrong and what would have been right."""

    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended, and who came where. Places are competition ranks: 1, 1, 3."""

    ending: StrEnum
    scores: tuple[int, ...]
    tiebreaks: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    """What decides between equal scores: nothing, or numbers for each seat, more is better."""
    places: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        keys = self.keys
        places = tuple(1 + sum(other > key for other in keys) for key in keys)
        object.__setattr__(self, "places", places)

    @property
    def keys(self) -> tuple[tuple[int, ...], ...]:
        """What places are computed from: the score of each seat, then its tie-breaks."""
        if not self.tiebreaks:
            return tuple((score,) for score in self.scores)
        pairs = zip(self.scores, self.tiebreaks, strict=True)
        return tuple((score, *tiebreak) for score, tiebreak in pairs)


class Game(Protocol[StateT, MoveT, ViewT]):
    """The rules of one game, as functions over values."""

    @property
    def spec(self) -> GameSpec:
        """The static facts of the game."""

    def deal(self, options: Options, seed: Seed) -> Transition[StateT]:
        """Set the table and run on to the first decision."""

    def describe_deal(self, options: Options, seed: Seed) -> Mapping[str, object]:
        """Return what ``deal`` hands out, in the notation of records, as JSON values."""

    def to_act(self, state: StateT) -> Sequence[Seat]:
        """Return who must decide: one seat, several at once (sealed), or none when it is over."""

    def legal_moves(self, state: StateT, seat: Seat) -> Sequence[MoveT]:
        """Return every legal move in canonical order; none for a seat that is not to act."""

    def secretly_forced(self, state: StateT, seat: Seat) -> bool:
        """Return whether the one legal move of a seat looks like a choice to the others.

        The referee plays a forced move itself. A seat that is forced in secret is asked all the
        same: the time until its move would reveal to the others that there was no choice.
        """

    def check(self, state: StateT, seat: Seat, move: MoveT) -> Violation | None:
        """Return the rule that a move would break, or nothing if it is legal."""

    def apply(self, state: StateT, moves: Mapping[Seat, MoveT]) -> Transition[StateT]:
        """Play one move for each seat that must decide, and run on to the next decision.

        Raises IllegalMoveError, and never changes ``state``.
        """

    def decision_kind(self, view: ViewT, legal: Sequence[MoveT]) -> str:
        """Name what a seat decides that has this view and these legal moves, as the spec does."""

    def default_move(self, state: StateT, seat: Seat) -> MoveT:
        """Return the move that is played for a seat that cannot decide."""

    def view(self, state: StateT, viewer: Seat | None) -> ViewT:
        """Return what that seat, or a spectator, may know."""

    def outcome(self, state: StateT) -> Outcome | None:
        """Return how the game ended, or nothing while it goes on."""

    def format_move(self, move: MoveT) -> str:
        """Write a move as records have it."""

    def parse_move(self, text: str) -> MoveT:
        """Read a move; raises NotationError."""

    def render(self, view: ViewT) -> str:
        """Draw a view as text for a person."""


def foreign_move(move: object, title: str) -> UsageError:
    """Return the error for a value that is no move of a game, such as one of another game."""
    kind = type(move)
    return UsageError(f"{kind.__module__}.{kind.__qualname__} is not a move of {title}.")


def no_such_viewer(viewer: object, seats: int) -> UsageError:
    """Return the error for a viewer that is no seat of the table."""
    return UsageError(
        f"there is no seat {viewer!r}: a viewer is a seat from 0 to {seats - 1}, or None for a "
        "spectator."
    )


def _either(numbers: Sequence[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last
