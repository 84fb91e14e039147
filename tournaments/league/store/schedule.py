"""The schedule: sets are added by a scheduler, and some matches are never played."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from tournaments.league import schema
from tournaments.league.errors import ConflictError, InvalidError
from tournaments.league.model import (
    Deals,
    LeagueMatch,
    LeagueSettings,
    MatchState,
    PlannedSet,
)
from tournaments.league.store.base import (
    Base,
    check_reason,
    chunked,
    digest,
    league_row,
    match_row,
    open_league_row,
    storable,
)
from tournaments.league.store.entrants import seated
from tournaments.league.store.rows import MATCHES, read_matches

_Row = dict[str, Any]


class SchedulePart(Base):
    """The part of the store that knows what is to be played."""

    def add_set(
        self,
        league: str,
        game: str,
        variant: str,
        table: Sequence[tuple[str, str]],
        *,
        why: str,
        round: int | None = None,  # noqa: A002  what people call it
        claim_for: str | None = None,
        lease_seconds: float = 60.0,
    ) -> tuple[LeagueMatch, ...]:
        """Add a set: entrants with their versions, in the order of the seats of its first match.

        With ``claim_for``, that server has the first match to itself at once: ``held`` returns
        what it is dealt from.
        """
        planned = PlannedSet(game, variant, tuple(table), why, round)
        with self._database.write() as connection:
            added = self._add(connection, league, [planned])
            if claim_for is not None:
                now = self._now()
                connection.execute(
                    sa.update(schema.matches)
                    .where(schema.matches.c.id == added[0])
                    .values(
                        state=MatchState.RUNNING.value,
                        server=claim_for,
                        started_at=now,
                        lease_until=now + timedelta(seconds=lease_seconds),
                    )
                )
            return _by_id(connection, added)

    def add_sets(self, league: str, planned: Sequence[PlannedSet]) -> tuple[LeagueMatch, ...]:
        """Add several sets, all of them or none: a round is never half planned."""
        with self._database.write() as connection:
            return _by_id(connection, self._add(connection, league, planned))

    def _add(
        self, connection: sa.Connection, league: str, planned: Sequence[PlannedSet]
    ) -> list[str]:
        """Write sets, matches and seats; all at once, for a round may have thousands."""
        row = open_league_row(connection, league)
        settings = LeagueSettings.from_json(row.settings)
        entrants = _Entrants(connection, league)
        number, position = row.sets, row.matches
        sets, matches, seats = list[_Row](), list[_Row](), list[_Row]()
        for each in planned:
            _check(settings, each)
            table = [(entrants.seated(*who), who[1]) for who in each.table]
            number += 1
            set_id = digest(league, number, each.game, each.variant, each.table)[:16]
            sets.append(_set_row(set_id, league, number, settings.deals, each))
            for place, seating in enumerate(_seatings(table, settings.deals), 1):
                position += 1
                match = f"{set_id}-{place}"
                matches.append(self._match_row(match, league, set_id, position, each))
                seats += [
                    {"match": match, "seat": seat, "entrant": entrant, "version": version}
                    for seat, (entrant, version) in enumerate(seating)
                ]
        for target, rows in (
            (schema.sets, sets),
            (schema.matches, matches),
            (schema.match_seats, seats),
        ):
            if rows:
                connection.execute(sa.insert(target), rows)
        counted = sa.update(schema.leagues).where(schema.leagues.c.id == league)
        connection.execute(counted.values(sets=number, matches=position))
        return [match["id"] for match in matches]

    def _match_row(
        self, match: str, league: str, set_id: str, position: int, planned: PlannedSet
    ) -> _Row:
        return {
            "id": match,
            "league": league,
            "set_id": set_id,
            "position": position,
            "game": planned.game,
            "variant": planned.variant,
            "seats": len(planned.table),
            "state": MatchState.SCHEDULED.value,
            "attempt": 1,
            "scheduled_at": self._now(),
        }

    def drop(self, matches: Sequence[str]) -> int:
        """Give up matches that nobody has begun; return how many there were."""
        dropped = 0
        with self._database.write() as connection:
            for part in chunked(sorted(filter(storable, matches))):
                given_up = (
                    sa.update(schema.matches)
                    .where(schema.matches.c.id.in_(part))
                    .where(schema.matches.c.state == MatchState.SCHEDULED)
                    .values(state=MatchState.DROPPED.value)
                )
                dropped += connection.execute(given_up).rowcount
        return dropped

    def annul(self, match_id: str, reason: str) -> LeagueMatch:
        """Take a match that was played out of the standings, for a reason that is public."""
        check_reason(reason)
        with self._database.write() as connection:
            row = match_row(connection, match_id)
            league_row(connection, row.league, lock=True)
            annulled = (
                sa.update(schema.matches)
                .where(schema.matches.c.id == match_id)
                .where(schema.matches.c.state == MatchState.PLAYED)
                .values(state=MatchState.ANNULLED.value, annulled=reason)
            )
            if not connection.execute(annulled).rowcount:
                raise ConflictError(
                    f"the match {match_id} is {row.state}: only what was played can be annulled."
                )
            self._note(
                connection, row.league, "annulled", f"The match {match_id} was annulled: {reason}"
            )
            return _by_id(connection, [match_id])[0]


class _Entrants:
    """Who may be seated, each asked for once."""

    def __init__(self, connection: sa.Connection, league: str) -> None:
        self._connection = connection
        self._league = league
        self._known: dict[tuple[str, str], int] = {}

    def seated(self, name: str, version: str) -> int:
        """Return the id of an entrant who may be seated in that version."""
        if (name, version) not in self._known:
            found = seated(self._connection, self._league, name, version)
            self._known[name, version] = found
        return self._known[name, version]


def _check(settings: LeagueSettings, planned: PlannedSet) -> None:
    """Refuse a table that the league does not play; raises LeagueError."""
    rules = settings.rules_of(planned.game)
    if len(planned.table) not in rules.table_sizes or planned.variant not in rules.variants:
        raise InvalidError(
            f'the league plays no tables of {len(planned.table)} in "{planned.variant[:60]}".'
        )
    if len({name for name, _ in planned.table}) != len(planned.table):
        raise InvalidError("nobody sits at a table twice, in whatever versions.")


def _set_row(set_id: str, league: str, number: int, deals: str, planned: PlannedSet) -> _Row:
    return {
        "id": set_id,
        "league": league,
        "number": number,
        "round": planned.round,
        "deals": str(deals),
        "why": planned.why,
    }


def _seatings(table: Sequence[tuple[int, str]], deals: str) -> list[Sequence[tuple[int, str]]]:
    """Return who sits where in each match: duplicates let everybody have every seat once."""
    if deals == Deals.DUPLICATE:
        return [[*table[n:], *table[:n]] for n in range(len(table))]
    return [table]


def _by_id(connection: sa.Connection, matches: Sequence[str]) -> tuple[LeagueMatch, ...]:
    found: list[LeagueMatch] = []
    for part in chunked(matches):
        query = MATCHES.where(schema.matches.c.id.in_(part)).order_by(schema.matches.c.position)
        found += read_matches(connection, query)
    return tuple(found)
