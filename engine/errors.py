"""What can go wrong, by whose mistake it is.

HighstreetError
├── UsageError              the caller asked for something that does not exist
│   ├── UnknownGameError    no game of that name
│   ├── OptionsError        a number of seats, an option or a value that the game does not have
│   ├── SeedError           text that is no seed
│   └── NotationError       text that is no move
└── IllegalMoveError        a move that the rules forbid was applied without asking ``check`` first

Each message is one sentence or two: what was wrong, where, and what would be right.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.game import Violation


class HighstreetError(Exception):
    """Anything that Highstreet refuses, with a message for a person."""


class UsageError(HighstreetError):
    """A request from outside that cannot be met as it stands."""


class UnknownGameError(UsageError):
    """A name that is not in the registry."""


class OptionsError(UsageError):
    """Seats or options that the game does not have."""


class SeedError(UsageError):
    """Text that cannot be read as a seed."""


class NotationError(UsageError):
    """Text that cannot be read as a move."""


class IllegalMoveError(HighstreetError):
    """A move that breaks the rules, with the violation that says which."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(f"{violation.message} ({violation.rule})")
        self.violation = violation


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return `` Did you mean "x"?`` for the nearest known word, or nothing."""
    by_lower_case = {word.lower(): word for word in known}
    near = difflib.get_close_matches(given.lower(), by_lower_case, n=1)
    return f' Did you mean "{by_lower_case[near[0]]}"?' if near else ""
