"""Leagues, entrants and results to test with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tournaments.league.model import Claim, Finished, GameRules, LeagueMatch, LeagueSettings
from tournaments.league.store import LeagueStore

LEAGUE = "autumn"
RULES = GameRules("glastonbury", (2, 3), ("plain", "recipes"))
FRESH = LeagueSettings("Autumn league", (RULES,))
DUPLICATE = LeagueSettings("Autumn league", (RULES,), deals="duplicate")
BEGINNING = datetime(2026, 11, 1, 12, 0, 0, 123456, tzinfo=UTC)
LEASE = 60.0


class Hours:
    """A clock that stands still until somebody turns it."""

    def __init__(self) -> None:
        self.time = BEGINNING

    def __call__(self) -> datetime:
        """Return the time."""
        return self.time

    def pass_by(self, seconds: float) -> None:
        """Turn it on."""
        self.time += timedelta(seconds=seconds)


def begin(store: LeagueStore, *names: str, settings: LeagueSettings = FRESH) -> None:
    """Make a league with entrants, each in a version 1."""
    store.create_league(LEAGUE, settings)
    for name in names:
        store.enter(LEAGUE, name, f"{name}'s author")
        store.see_version(LEAGUE, name, "1")


def seat(store: LeagueStore, *names: str, why: str = "they are here") -> tuple[LeagueMatch, ...]:
    """Add a set of the plain game."""
    return store.add_set(LEAGUE, "glastonbury", "plain", [(name, "1") for name in names], why=why)


def finished(seats: int, *, forfeits: tuple[int, ...] = ()) -> Finished:
    """Return a result in which the first seat wins, and each other one is ten points behind."""
    return Finished(
        "line_emptied",
        tuple(range(1, seats + 1)),
        tuple(10 * (seats - number) for number in range(seats)),
        forfeits,
        tuple(0.25 * (number + 1) for number in range(seats)),
        71,
    )


def take(store: LeagueStore, match: LeagueMatch, server: str = "one") -> Claim:
    """Claim a match that must be free."""
    claim = store.claim(server, match.id, LEASE)
    assert claim is not None
    return claim


def play(store: LeagueStore, match: LeagueMatch, forfeits: tuple[int, ...] = ()) -> None:
    """Claim a match and commit it, with its own id as the record."""
    claim = take(store, match)
    result = finished(len(match.seats), forfeits=forfeits)
    assert store.commit("one", match.id, claim.attempt, result, match.id.encode())
