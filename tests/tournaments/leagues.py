"""Leagues, entrants and results to test with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tournaments.model import (
    FaultNote,
    GameSettings,
    Job,
    LeagueSettings,
    PlannedSet,
    PlayedMatch,
    Result,
    ScheduledMatch,
    Version,
)
from tournaments.store import Store

LEAGUE = "autumn"
RULES = GameSettings("glastonbury", (2, 3), ("plain", "recipes"))
FRESH = LeagueSettings("Autumn league", (RULES,))
DUPLICATE = LeagueSettings("Autumn league", (RULES,), deals="duplicate")
BEGINNING = datetime(2026, 11, 1, 12, 0, 0, 123456, tzinfo=UTC)
LEASE = 60.0


class Hours:
    """A clock that stands still until a test turns it."""

    def __init__(self) -> None:
        self.time = BEGINNING

    def __call__(self) -> datetime:
        """Return the time."""
        return self.time

    def pass_by(self, seconds: float) -> None:
        """Turn it on."""
        self.time += timedelta(seconds=seconds)


def begin(store: Store, *names: str, settings: LeagueSettings = FRESH) -> None:
    """Make a league with entrants, each in a version 1."""
    store.create_league(LEAGUE, settings)
    for name in names:
        store.enter(LEAGUE, name, f"{name}'s author")
        store.see_version(LEAGUE, name, "1")


def add_set(
    store: Store,
    league: str,
    game: str,
    variant: str,
    table: Sequence[tuple[str, str]],
    *,
    why: str,
    claim_for: str | None = None,
    lease_seconds: float = 60.0,
) -> tuple[ScheduledMatch, ...]:
    """Add a set of entrants with their versions, by seat in its first match."""
    planned = PlannedSet(game, variant, tuple(Version(*each) for each in table), why)
    (added,) = store.add_sets(league, [planned], claim_for=claim_for, lease_seconds=lease_seconds)
    return added


def seat(store: Store, *names: str, why: str = "they are here") -> tuple[ScheduledMatch, ...]:
    """Add a set of the plain game."""
    return add_set(store, LEAGUE, "glastonbury", "plain", [(name, "1") for name in names], why=why)


def finished(seats: int, *, forfeits: tuple[int, ...] = ()) -> Result:
    """Return a result in which the first seat wins, and each other one is ten points behind."""
    return Result(
        "",
        "",
        "glastonbury",
        "plain",
        (),
        tuple(range(1, seats + 1)),
        tuple(10 * (seats - number) for number in range(seats)),
        forfeits,
        tuple(0.25 * (number + 1) for number in range(seats)),
        71,
    )


def commit(
    store: Store,
    server: str,
    match: str,
    attempt: int,
    result: Result,
    record: bytes,
    faults: Sequence[FaultNote] = (),
) -> bool:
    """Commit a match, if the server has claimed it."""
    result = replace(result, match=match)
    played = PlayedMatch(result, attempt, 0.0, record, "line_emptied", tuple(faults))
    return store.commit(server, [played])


def take(store: Store, match: ScheduledMatch, server: str = "one") -> Job:
    """Job a match that must be free."""
    claim = store.claim(server, match.id, LEASE)
    assert claim is not None
    return claim


def play(store: Store, match: ScheduledMatch, forfeits: tuple[int, ...] = ()) -> None:
    """Job a match and commit it, with its own id as the record."""
    claim = take(store, match)
    result = finished(len(match.seats), forfeits=forfeits)
    assert commit(store, "one", match.id, claim.attempt, result, match.id.encode())
