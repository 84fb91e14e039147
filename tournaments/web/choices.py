"""What a reader asks to see: the parts of an address after the question mark, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import urlencode

from tournaments.league.model import InvalidError, LeagueSettings, MatchState, NotFoundError

LONGEST_VALUE: Final = 200
MATCHES_PER_PAGE: Final = 50
MOST_PER_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the standings: a game or all, and of it a size of table or a variant or all."""

    game: str | None = None
    seats: int | None = None
    variant: str | None = None

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        """Read an address; raises InvalidError."""
        part = cls(_text(query, "game"), _whole(query, "seats"), _text(query, "variant"))
        if part.seats is not None and part.variant is not None:
            raise InvalidError("choose a size of table or a variant, not both.")
        return part

    def check(self, settings: LeagueSettings) -> None:
        """Refuse what is not played in a league; raises NotFoundError."""
        games = [settings.rules_of(self.game)] if self.game is not None else settings.games
        if self.seats is not None and all(self.seats not in rules.table_sizes for rules in games):
            raise NotFoundError(f"no table of {self.seats} is played here.")
        if self.variant is not None and all(self.variant not in r.variants for r in games):
            raise NotFoundError(f'no variant "{self.variant}" is played here.')

    def of(self, standings: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the table of this part, or nothing if it has had no match."""
        games = standings.get("by_game", {})
        found = standings if self.game is None else games.get(self.game)
        if found is not None and self.seats is not None:
            found = found["by_seats"].get(str(self.seats))
        elif found is not None and self.variant is not None:
            found = found["by_variant"].get(self.variant)
        return None if found is None else {key: found[key] for key in _TABLE if key in found}

    def history_of(self, standings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the paths of the ratings; there are none of a size or a variant by itself."""
        if self.game is None:
            return dict(standings.get("history", {}))
        return dict(standings.get("history_by_game", {}).get(self.game, {}))

    def as_dict(self) -> dict[str, Any]:
        """Return what is asked for."""
        return {"game": self.game, "seats": self.seats, "variant": self.variant}


_TABLE: Final = ("matches", "sets", "tie_rate", "bootstrap_replicates", "standings", "groups")


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
