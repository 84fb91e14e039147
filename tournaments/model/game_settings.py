"""The games of a competition: at which tables, in which variants, with which options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from engine import AnyGame, Options, OptionValue, find_game
from tournaments.model.errors import InvalidError
from tournaments.model.schedule_request import GameRequest

DRAW_PROBABILITIES: Final = (0.01, 0.99)
"""The range of ``draw_probability``. Closer to 0, the arithmetic of TrueSkill fails at a draw
between unequal players; at 1 no player could win."""
MOST_TABLES: Final = 512
MOST_WORKERS: Final = 64
LONGEST_QUOTE: Final = 100
"""How much of a wrong name a message quotes."""


@dataclass(frozen=True, slots=True)
class GameSettings:
    """One of the games of a competition: its tables, variants and options, and how often."""

    game: str
    table_sizes: tuple[int, ...]
    variants: tuple[str, ...] = ("plain",)
    """By name, as ``GameSpec.variant_name`` returns it: "plain", "recipes", "fog+level=3"."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """The options that are the same in every match and not at their defaults."""
    draw_probability: float | None = None
    """The probability of level neighbours that TrueSkill assumes; None: that of the game."""
    sets_per_table: int = 1
    """Of a tournament: how many sets each table plays."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", FrozenOptions(self.options))
        for word in ("table_sizes", "variants"):
            values = getattr(self, word)
            if not values or len(set(values)) != len(values):
                raise InvalidError(f"{word} of {self.game} must be a list without doubles.")
        low, high = DRAW_PROBABILITIES
        if self.draw_probability is not None and not low <= self.draw_probability <= high:
            raise InvalidError(
                f"draw_probability of {self.game} is {self.draw_probability}, but must be a number "
                f"from {low} to {high}."
            )
        plain = {option.name for option in self.rules.spec.options_offered if not option.variant}
        for name in self.options:
            if name not in plain:
                raise InvalidError(f"{name} is no option of {self.game} that is no variant.")
        for variant in self.variants:
            for seats in self.table_sizes:
                self.options_of(variant, seats)

    @classmethod
    def of(
        cls,
        game: AnyGame,
        table_sizes: tuple[int, ...],
        variants: Sequence[Mapping[str, OptionValue]],
        sets_per_table: int = 1,
        draw_probability: float | None = None,
    ) -> GameSettings:
        """Make the settings from the values of all options in each variant."""
        options = {
            option.name: variants[0][option.name]
            for option in game.spec.options_offered
            if not option.variant and variants[0][option.name] != option.default
        }
        names = tuple(game.spec.variant_name(values) for values in variants)
        return cls(game.spec.name, table_sizes, names, options, draw_probability, sets_per_table)

    @property
    def rules(self) -> AnyGame:
        """The rules of the game."""
        return find_game(self.game)

    def options_of(self, variant: str, seats: int) -> Options:
        """Return the options of a match; raises UsageError for a kind that the game lacks."""
        return self.rules.spec.options(seats, {**self.options, **self._values(variant)})

    def values_of(self, variant: str) -> dict[str, OptionValue]:
        """Return the value of every option of the game in a variant."""
        given = {**self.options, **self._values(variant)}
        offered = self.rules.spec.options_offered
        return {option.name: given.get(option.name, option.default) for option in offered}

    def _values(self, variant: str) -> dict[str, OptionValue]:
        """Read the name of a variant; its parts stand in the order of the game's options."""
        offered = {
            option.name: option.default
            for option in self.rules.spec.options_offered
            if option.variant
        }
        values = {name: False for name, value in offered.items() if isinstance(value, bool)}
        named: dict[str, OptionValue] = {**values}
        for part in variant.split("+") if variant != "plain" else ():
            name, equals, text = part.partition("=")
            default = offered.get(name)
            if default is None or isinstance(default, bool) == bool(equals):
                raise InvalidError(f'{self.game} has no variant "{variant[:LONGEST_QUOTE]}".')
            named[name] = True if not equals else _number(text) if type(default) is int else text
        return named

    def options_said(self) -> list[str]:
        """Return the options that are not at their defaults, as a file has them."""
        return [f"{name} = {as_toml(value)}" for name, value in self.options.items()]

    def request(self) -> GameRequest:
        """Return what the schedule is to have of this game."""
        return GameRequest(self.game, self.table_sizes, self.variants, self.sets_per_table)

    def identity(self) -> dict[str, Any]:
        """Return, as JSON values, what must not change while a tournament runs."""
        return {
            "rules_version": self.rules.spec.rules_version,
            "sets_per_table": self.sets_per_table,
            "table_sizes": list(self.table_sizes),
            "variants": {variant: self.values_of(variant) for variant in self.variants},
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the settings of a league's game as JSON values.

        A draw probability is among them only if the organiser set one.
        """
        values: dict[str, Any] = {
            "game": self.game,
            "table_sizes": list(self.table_sizes),
            "variants": list(self.variants),
            "options": dict(self.options),
        }
        if self.draw_probability is not None:
            values["draw_probability"] = self.draw_probability
        return values


class FrozenOptions(Mapping[str, OptionValue]):
    """Options that cannot be changed; they can be hashed, compared and pickled."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, OptionValue]) -> None:
        self._values = MappingProxyType(dict(values))

    def __getitem__(self, key: str) -> OptionValue:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return repr(dict(self._values))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenOptions, (dict(self._values),)


def _number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,10}", text):
        raise InvalidError(f'"{text[:LONGEST_QUOTE]}" is no whole number.')
    return int(text)


def as_toml(value: object) -> str:
    """Return a value as a settings file has it, for messages."""
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
