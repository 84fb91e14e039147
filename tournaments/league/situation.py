"""What a scheduler knows when it decides: who is there, and what everybody has done so far.

The ``Ledger`` is kept up to date match by match, in constant time for each; a ``Situation`` is a
look at it together with those who are present. Nothing here knows a clock, a socket or a database.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from tournaments.league.names import rated_name, split_rated_name
from tournaments.ratings import Rating
from tournaments.schedule.balance import Group as Kind

__all__ = ["Account", "Choice", "GamePlayed", "Kind", "Ledger", "Present", "Situation", "Version"]


class GamePlayed(Protocol):
    """A game of the league, at which tables and in which variants; ``GameRules`` is one."""

    @property
    def game(self) -> str:
        """Its name."""

    @property
    def table_sizes(self) -> tuple[int, ...]:
        """How many may sit at a table."""

    @property
    def variants(self) -> tuple[str, ...]:
        """By name."""


def kinds_of(games: Iterable[GamePlayed]) -> tuple[Kind, ...]:
    """Return every kind of table that a league has."""
    return tuple(
        Kind(each.game, size, variant)
        for each in games
        for size in each.table_sizes
        for variant in each.variants
    )


class Version(NamedTuple):
    """A version of an entrant: what is seated, and what is rated."""

    entrant: str
    version: str

    @property
    def rated(self) -> str:
        """How ratings know it."""
        return rated_name(self.entrant, self.version)

    @classmethod
    def of(cls, rated: str) -> Version:
        """Read a name as ratings have it."""
        return cls(*split_rated_name(rated))

    def __str__(self) -> str:
        return self.rated if self.version else self.entrant


@dataclass(frozen=True, slots=True)
class Present:
    """A version that is connected now."""

    version: Version
    free: int = 1
    """How many more matches it can play now; 0 for one that is busy."""
    games: frozenset[str] | None = None
    """The games that it said it plays; None for all of them."""

    def plays(self, game: str) -> bool:
        """Tell whether it said that it plays a game."""
        return self.games is None or game in self.games


@dataclass(slots=True)
class Account:
    """What one version has done so far."""

    rating: Rating
    rated: int = 0
    """How many results its rating is made from."""
    last: int | None = None
    """How many matches the league had seated when this version was last seated."""
    met: Counter[str] = field(default_factory=Counter)
    """How often it has been seated with each other version."""
    kinds: Counter[Kind] = field(default_factory=Counter)
    """How often it has been seated at each kind of table."""
    seats: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often it has had each seat, by the size of the table and the seat."""


@dataclass(slots=True)
class Ledger:
    """The accounts of all versions of a league, which grow with it.

    A match is entered twice: when it is scheduled (``seat``), so that what is decided next knows of
    it, and when its result is in (``standings.quick``), which changes the ratings.
    """

    rating: str
    """The name of the rating system."""
    prior: Rating
    """What is believed of somebody who has not played."""
    position: int = 0
    """How many matches have been seated."""
    accounts: dict[str, Account] = field(default_factory=dict)
    """By the name that ratings have."""
    neighbours: Counter[str] = field(default_factory=Counter)
    """For each game, how many pairs of neighbouring places there were."""
    level: Counter[str] = field(default_factory=Counter)
    """For each game, how many of these were level."""

    def account(self, rated: str) -> Account:
        """Return the account of a version, opening one if there is none."""
        if rated not in self.accounts:
            self.accounts[rated] = Account(self.prior)
        return self.accounts[rated]

    def seat(self, game: str, variant: str, table: Sequence[Version]) -> None:
        """Enter that a match has been scheduled, with these versions by seat."""
        self.position += 1
        self._enter(Kind(game, len(table), variant), table, 1)
        for version in table:
            self.account(version.rated).last = self.position

    def unseat(self, game: str, variant: str, table: Sequence[Version]) -> None:
        """Take back a match that was scheduled and will not be played."""
        self._enter(Kind(game, len(table), variant), table, -1)

    def _enter(self, kind: Kind, table: Sequence[Version], times: int) -> None:
        names = [version.rated for version in table]
        for seat, name in enumerate(names):
            account = self.account(name)
            account.kinds[kind] += times
            account.seats[kind.seats, seat] += times
            for other in names:
                if other != name:
                    account.met[other] += times

    def as_json(self) -> str:
        """Write it in one line, to be kept beside the standings."""
        return json.dumps(
            {
                "rating": self.rating,
                "prior": [self.prior.mu, self.prior.sigma],
                "position": self.position,
                "neighbours": self.neighbours,
                "level": self.level,
                "accounts": {name: _written(of) for name, of in self.accounts.items()},
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> Ledger:
        """Read what ``as_json`` wrote."""
        read = json.loads(text)
        return cls(
            rating=read["rating"],
            prior=Rating(*read["prior"]),
            position=read["position"],
            accounts={name: _read(of) for name, of in read["accounts"].items()},
            neighbours=Counter(read["neighbours"]),
            level=Counter(read["level"]),
        )


def _written(account: Account) -> dict[str, Any]:
    return {
        "rating": [account.rating.mu, account.rating.sigma],
        "rated": account.rated,
        "last": account.last,
        "met": account.met,
        "kinds": [[*kind, times] for kind, times in account.kinds.items()],
        "seats": [[*seat, times] for seat, times in account.seats.items()],
    }


def _read(account: dict[str, Any]) -> Account:
    return Account(
        rating=Rating(*account["rating"]),
        rated=account["rated"],
        last=account["last"],
        met=Counter(account["met"]),
        kinds=Counter({Kind(*kind): times for *kind, times in account["kinds"]}),
        seats=Counter({(size, seat): times for size, seat, times in account["seats"]}),
    )


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that a choice of the ladder is a function of, besides chance."""

    games: Sequence[GamePlayed]
    present: Sequence[Present]
    """Those who may be seated: connected, and neither benched nor withdrawn; busy ones too."""
    accounts: Mapping[str, Account]
    """Of the ledger; who has none is new."""
    prior: Rating
    position: int
    """How many matches the league has seated so far."""
    running: int
    """How many tables of the league are in play. While there are some, a scheduler may wait for
    them: when one ends, it is asked again."""

    @classmethod
    def of(
        cls, games: Sequence[GamePlayed], present: Sequence[Present], ledger: Ledger, running: int
    ) -> Situation:
        """Look at a ledger, with those who are present."""
        return cls(games, present, ledger.accounts, ledger.prior, ledger.position, running)


@dataclass(frozen=True, slots=True)
class Choice:
    """The next table."""

    game: str
    variant: str
    table: tuple[Version, ...]
    """By seat."""
    why: str
    """One sentence, for the log and the page of the match."""


def balanced_order(
    table: Sequence[Version], seats_had: Mapping[str, Mapping[tuple[int, int], int]]
) -> tuple[Version, ...]:
    """Return an order of seats that gives everybody those they have had least.

    Two change places for as long as that helps: on the whole, nobody then has a seat that somebody
    else at the table has had less often. Where nothing helps, the order stays as it is given.
    """
    order = list(table)
    size = len(order)
    had = [[_times(seats_had, version, size, seat) for seat in range(size)] for version in order]
    who = list(range(size))
    changed = True
    while changed:
        changed = False
        for one in range(size):
            for other in range(one):
                a, b = who[one], who[other]
                if had[a][other] + had[b][one] < had[a][one] + had[b][other]:
                    who[one], who[other] = b, a
                    changed = True
    return tuple(order[n] for n in who)


def _times(
    seats_had: Mapping[str, Mapping[tuple[int, int], int]], version: Version, size: int, seat: int
) -> int:
    return seats_had.get(version.rated, {}).get((size, seat), 0)
