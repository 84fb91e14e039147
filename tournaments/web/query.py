"""Query parameters, checked, and addresses with query parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self
from urllib.parse import urlencode

from tournaments.model import InvalidError, MatchState
from tournaments.ratings import Part

LONGEST_VALUE: Final = 200
MATCHES_PER_PAGE: Final = 50
MOST_PER_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches of a league are requested; None is any."""

    entrant: str | None = None
    game: str | None = None
    seats: int | None = None
    variant: str | None = None
    state: str | None = None
    season: int | None = None

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        """Read a query; raises InvalidError."""
        state = _text(query, "state")
        if state is not None and state not in tuple(MatchState):
            raise InvalidError(f"the state of a match is one of {', '.join(MatchState)}.")
        part = read_part(query)._asdict()
        season = _number(query, "season")
        return cls(entrant=_text(query, "entrant"), state=state, season=season, **part)

    def as_dict(self) -> dict[str, Any]:
        """Return the filter as keyword arguments of the store."""
        return asdict(self)


def read_part(query: Mapping[str, str]) -> Part:
    """Read which part of the standings is requested; raises InvalidError."""
    return Part(_text(query, "game"), _number(query, "seats"), _text(query, "variant"))


def read_season(query: Mapping[str, str]) -> tuple[int, int]:
    """Read which season and division are requested, 0 for none; raises InvalidError."""
    return _number(query, "season") or 0, _number(query, "division") or 0


def is_played(games: Iterable[Mapping[str, Any]], seats: int | None, variant: str | None) -> bool:
    """Return whether one of these games has a table of that size in that variant."""
    return any(
        seats in (None, *rules["table_sizes"]) and variant in (None, *rules["variants"])
        for rules in games
    )


def read_page(query: Mapping[str, str]) -> tuple[int, str]:
    """Read the number of matches on a page, and where it begins; raises InvalidError."""
    size = _number(query, "size") or MATCHES_PER_PAGE
    if size > MOST_PER_PAGE:
        raise InvalidError(f"a page has at most {MOST_PER_PAGE} matches.")
    return size, _text(query, "page") or ""


def read_first_row(query: Mapping[str, str]) -> int:
    """Read the index of the first row of a table; raises InvalidError."""
    text = query.get("page", "")
    if text and not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise InvalidError("page must be the next of the page before.")
    return int(text or 0)


def link(path: str, /, **values: Any) -> str:
    """Return an address with query parameters; those that are None or empty are left out.

    The path is positional only: a parameter may have any name, "path" too.
    """
    given = {name: str(value) for name, value in values.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def _text(query: Mapping[str, str], name: str) -> str | None:
    value = query.get(name, "")
    if len(value) > LONGEST_VALUE:
        raise InvalidError(f"{name} is longer than {LONGEST_VALUE} characters.")
    return value or None


def _number(query: Mapping[str, str], name: str) -> int | None:
    value = query.get(name, "")
    if not value:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) <= 4 and int(value) > 0):
        raise InvalidError(f"{name} must be a whole number from 1 to 9999.")
    return int(value)
