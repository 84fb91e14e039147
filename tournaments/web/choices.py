"""What a reader asks to see: the parts of an address after the question mark, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import urlencode

from tournaments.league.model import InvalidError, MatchState
from tournaments.league.parts import Part

LONGEST_VALUE: Final = 200
MATCHES_PER_PAGE: Final = 50
MOST_PER_PAGE: Final = 500


def read_part(query: Mapping[str, str]) -> Part:
    """Read which part of the standings is asked for; raises InvalidError."""
    return Part(_text(query, "game"), _whole(query, "seats"), _text(query, "variant"))


def is_played(games: Iterable[Mapping[str, Any]], seats: int | None, variant: str | None) -> bool:
    """Tell whether one of these games has a table of that size in that variant."""
    return any(
        seats in (None, *rules["table_sizes"]) and variant in (None, *rules["variants"])
        for rules in games
    )


@dataclass(frozen=True, slots=True)
class Selection:
    """Some of the matches of a league."""

    entrant: str | None = None
    game: str | None = None
    seats: int | None = None
    variant: str | None = None
    state: str | None = None

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        """Read an address; raises InvalidError."""
        state = _text(query, "state")
        if state is not None and state not in tuple(MatchState):
            raise InvalidError(f"the state of a match is one of {', '.join(MatchState)}.")
        return cls(
            _text(query, "entrant"),
            _text(query, "game"),
            _whole(query, "seats"),
            _text(query, "variant"),
            state,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what is asked for, by the names that the store has for it."""
        return {
            "entrant": self.entrant,
            "game": self.game,
            "seats": self.seats,
            "variant": self.variant,
            "state": self.state,
        }

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return self == Selection()


def read_page(query: Mapping[str, str]) -> tuple[int, str]:
    """Read how long a page is and where it begins."""
    size = _whole(query, "size") or MATCHES_PER_PAGE
    if size > MOST_PER_PAGE:
        raise InvalidError(f"a page has at most {MOST_PER_PAGE} matches.")
    return size, _text(query, "page") or ""


def link(path: str, **chosen: Any) -> str:
    """Return an address with what is chosen; whatever is None is left out."""
    given = {name: str(value) for name, value in chosen.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def _text(query: Mapping[str, str], name: str) -> str | None:
    value = query.get(name, "")
    if len(value) > LONGEST_VALUE:
        raise InvalidError(f"{name} is longer than {LONGEST_VALUE} characters.")
    return value or None


def _whole(query: Mapping[str, str], name: str) -> int | None:
    value = query.get(name, "")
    if not value:
        return None
    if not (value.isascii() and value.isdecimal() and 1 <= len(value) <= 4 and int(value) > 0):
        raise InvalidError(f"{name} must be a whole number from 1 to 9999.")
    return int(value)
