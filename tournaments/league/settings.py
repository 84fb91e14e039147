"""What an organiser decides when a league begins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from engine import AnyGame, Options, OptionValue, UsageError, find_game
from referee.clock import TimeControl
from referee.policy import Policy, Reaction
from tournaments.league.errors import InvalidError, NotFoundError
from tournaments.league.names import check_line

LONGEST_TITLE: Final = 100
MOST_TABLES: Final = 512
MOST_FAULTS: Final = 1_000_000
RATINGS: Final = ("trueskill", "openskill")


class Scheduler(StrEnum):
    """How a league decides who meets whom."""

    LADDER = "ladder"
    """The next table is the one that teaches most."""
    ROUNDS = "rounds"
    """A round robin among those who are present, again and again."""


class Deals(StrEnum):
    """Which matches share a deal."""

    FRESH = "fresh"
    """None: each set is one match."""
    DUPLICATE = "duplicate"
    """All matches of a set, which has one for each rotation of the seats."""


@dataclass(frozen=True, slots=True)
class GameRules:
    """One of the games of a league: at which tables, in which variants, with which options."""

    game: str
    table_sizes: tuple[int, ...]
    variants: tuple[str, ...] = ("plain",)
    """As tournaments name them: "plain", "recipes", "fog+level=3"."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """The options that are the same in every match and not at their defaults."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", _Frozen(self.options))
        for word in ("table_sizes", "variants"):
            values = getattr(self, word)
            if not values or len(set(values)) != len(values):
                raise InvalidError(f"{word} of {self.game} must be a list without doubles.")
        plain = {option.name for option in self.found.spec.options_offered if not option.variant}
        for name in self.options:
            if name not in plain:
                raise InvalidError(f"{name} is no option of {self.game} that is no variant.")
        for variant in self.variants:
            for seats in self.table_sizes:
                self.options_of(variant, seats)

    @property
    def found(self) -> AnyGame:
        """The game itself."""
        return find_game(self.game)

    def options_of(self, variant: str, seats: int) -> Options:
        """Return the options of a match; raises UsageError for a kind that the game lacks."""
        return self.found.spec.options(seats, {**self.options, **self._values(variant)})

    def _values(self, variant: str) -> dict[str, OptionValue]:
        """Read the name of a variant; its parts stand in the order of the game's options."""
        offered = {
            option.name: option.default
            for option in self.found.spec.options_offered
            if option.variant
        }
        values = {name: False for name, value in offered.items() if isinstance(value, bool)}
        named: dict[str, OptionValue] = {**values}
        for part in variant.split("+") if variant != "plain" else ():
            name, equals, text = part.partition("=")
            default = offered.get(name)
            if default is None or isinstance(default, bool) == bool(equals):
                raise InvalidError(f'{self.game} has no variant "{variant[:LONGEST_TITLE]}".')
            named[name] = True if not equals else _number(text) if type(default) is int else text
        return named

    def as_dict(self) -> dict[str, Any]:
        """Write it as JSON has it."""
        return {
            "game": self.game,
            "table_sizes": list(self.table_sizes),
            "variants": list(self.variants),
            "options": dict(self.options),
        }


@dataclass(frozen=True, slots=True)
class LeagueSettings:
    """What an organiser decides when a league begins."""

    title: str
    games: tuple[GameRules, ...]
    scheduler: str = Scheduler.LADDER
    time_control: TimeControl = field(default_factory=TimeControl)
    policy: Policy = field(default_factory=Policy)
    deals: str = Deals.FRESH
    max_tables: int = 8
    """How many matches are played at once, on all servers together."""
    bench_after: int = 3
    """After how many forfeits in a row, by its own fault, an entrant is benched; 0 for never."""
    rating: str = RATINGS[0]

    def __post_init__(self) -> None:
        check_line("title", self.title, LONGEST_TITLE)
        names = [rules.game for rules in self.games]
        if not names or len(set(names)) != len(names):
            raise InvalidError("a league has at least one game, and each only once.")
        _check_word("scheduler", self.scheduler, tuple(Scheduler))
        _check_word("deals", self.deals, tuple(Deals))
        _check_word("rating", self.rating, RATINGS)
        _check_whole("max_tables", self.max_tables, 1, MOST_TABLES)
        _check_whole("bench_after", self.bench_after, 0, MOST_FAULTS)

    def rules_of(self, game: str) -> GameRules:
        """Return what is played of a game; raises NotFoundError."""
        for rules in self.games:
            if rules.game == game:
                return rules
        raise NotFoundError(f'"{game[:LONGEST_TITLE]}" is not played in this league.')

    def as_json(self) -> str:
        """Write them in one line."""
        return json.dumps(
            {
                "title": self.title,
                "games": [rules.as_dict() for rules in self.games],
                "scheduler": str(self.scheduler),
                "time_control": self.time_control.as_dict(),
                "policy": self.policy.as_dict(),
                "deals": str(self.deals),
                "max_tables": self.max_tables,
                "bench_after": self.bench_after,
                "rating": self.rating,
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> LeagueSettings:
        """Read them; raises InvalidError. Only the title and the games must be there."""
        try:
            given = json.loads(text)
            parts = {
                **given,
                "games": tuple(_rules(each) for each in given["games"]),
                "time_control": _time_control(given.get("time_control", {})),
                "policy": _policy(given.get("policy", {})),
            }
            return cls(**parts)
        except UsageError:
            raise
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
            raise InvalidError(f"the settings of the league cannot be read: {error}.") from None


class _Frozen(Mapping[str, OptionValue]):
    """Options that nobody changes, and that can be hashed, compared and pickled."""

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
        return _Frozen, (dict(self._values),)


def _rules(given: Mapping[str, Any]) -> GameRules:
    lists = {key: tuple(given[key]) for key in ("table_sizes", "variants") if key in given}
    return GameRules(**{**given, **lists})


def _time_control(given: Mapping[str, float]) -> TimeControl:
    return TimeControl(**{name: timedelta(seconds=value) for name, value in given.items()})


def _policy(given: Mapping[str, Any]) -> Policy:
    reactions = {part.name for part in fields(Policy) if isinstance(part.default, Reaction)}
    values: dict[str, Any] = {
        name: Reaction(value) if name in reactions else value for name, value in given.items()
    }
    return Policy(**values)


def _number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,10}", text):
        raise InvalidError(f'"{text[:LONGEST_TITLE]}" is no whole number.')
    return int(text)


def _check_word(what: str, value: str, words: Sequence[str]) -> None:
    if value not in words:
        raise InvalidError(f'{what} is "{value}", but must be one of {", ".join(words)}.')


def _check_whole(what: str, value: int, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise InvalidError(f"{what} is {value}, but must be a whole number from {low} to {high}.")
