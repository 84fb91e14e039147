"""The schedule: sets are added by a scheduler, and some matches are never played."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from tournaments.league import schema
from tournaments.league.errors import ConflictError, InvalidError
from tournaments.league.model import (
    Deals,
    EntrantState,
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

        With ``claim_for``, that server has the first match to itself at once, and keeps the others
        of the set: ``held`` returns what it is dealt from.
        """
        planned = PlannedSet(game, variant, tuple(table), why, round)
        (added,) = self.add_sets(
            league, [planned], claim_for=claim_for, lease_seconds=lease_seconds
        )
        return added

    def add_sets(
        self,
        league: str,
        planned: Sequence[PlannedSet],
        *,
        claim_for: str | None = None,
        lease_seconds: float = 60.0,
    ) -> list[tuple[LeagueMatch, ...]]:
        """Add several sets, all of them or none; return the matches of each."""
        with self._database.write() as connection:
            added = self._add(connection, league, planned, claim_for, lease_seconds)
            if claim_for is not None:
                first = [matches[0] for matches in added]
                claimed = sa.update(schema.matches).where(schema.matches.c.id.in_(first))
                connection.execute(
                    claimed.values(state=MatchState.RUNNING.value, started_at=self._now())
                )
            found = _by_id(connection, list(chain.from_iterable(added)))
        return [tuple(matches) for _, matches in groupby(found, attrgetter("set_id"))]

    def add_round(
        self,
        league: str,
        planned: Sequence[PlannedSet],
        *,
        keeper: str | None = None,
        lease_seconds: float = 60.0,
    ) -> tuple[LeagueMatch, ...]:
        """Add the sets of a round, all of them or none: a round is never half planned.

        Nor is it planned twice: a number that is not higher than those of all rounds so far raises
        ConflictError. Two servers that plan at the same moment come one after the other, because
        the league is locked.
        """
        number = _number(planned)
        with self._database.write() as connection:
            open_league_row(connection, league)
            if number <= (last := _last_round(connection, league)):
                raise ConflictError(f"round {last} has been planned, so this is no round {number}.")
            added = self._add(connection, league, planned, keeper, lease_seconds)
            return _by_id(connection, list(chain.from_iterable(added)))

    def last_round(self, league: str) -> int:
        """Return the number of the newest round, or 0."""
        with self._database.read() as connection:
            return _last_round(connection, league)

    def _add(
        self,
        connection: sa.Connection,
        league: str,
        planned: Sequence[PlannedSet],
        keeper: str | None,
        lease_seconds: float,
    ) -> list[list[str]]:
        """Write sets, matches and seats; all at once, for a round may have thousands.

        Return the ids of the matches of each set.
        """
        row = open_league_row(connection, league)
        until = self._now() + timedelta(seconds=lease_seconds)
        kept = {"server": keeper, "lease_until": until if keeper is not None else None}
        settings = LeagueSettings.from_json(row.settings)
        entrants = _Entrants(
            connection, league, {name for each in planned for name, _ in each.table}
        )
        number, position = row.sets, row.matches
        sets, matches, seats = list[_Row](), list[_Row](), list[_Row]()
        added: list[list[str]] = []
        for each in planned:
            _check(settings, each)
            table = [(entrants.seated(*who), who[1]) for who in each.table]
            number += 1
            set_id = digest(league, number, each.game, each.variant, each.table)[:16]
            sets.append(_set_row(set_id, league, number, settings.deals, each))
            added.append([])
            for place, seating in enumerate(_seatings(table, settings.deals), 1):
                position += 1
                match = f"{set_id}-{place}"
                added[-1].append(match)
                matches.append({**self._match_row(match, league, set_id, position, each), **kept})
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
        return added

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

    def drop(self, matches: Sequence[str], keeper: str | None = None) -> frozenset[str]:
        """Give up matches that nobody has begun; return which these were.

        With a keeper, only those that are its own to give up. What somebody else changes at this
        moment is left as it is.
        """
        table, dropped = schema.matches, set[str]()
        waits = table.c.state == MatchState.SCHEDULED
        ours = waits if keeper is None else sa.and_(waits, table.c.server == keeper)
        with self._database.write() as connection:
            for part in chunked(sorted(filter(storable, matches))):
                found = sa.select(table.c.id).where(table.c.id.in_(part), ours)
                locked = found.with_for_update(key_share=True, skip_locked=True)
                ids = list(connection.execute(locked).scalars())
                given_up = sa.update(table).where(table.c.id.in_(ids))
                connection.execute(given_up.values(state=MatchState.DROPPED.value))
                dropped.update(ids)
        return frozenset(dropped)

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
    """Who may be seated, asked for all at once."""

    def __init__(self, connection: sa.Connection, league: str, names: Collection[str]) -> None:
        self._connection = connection
        self._league = league
        self._known: dict[tuple[str, str], int] = {}
        entrants, versions = schema.entrants, schema.versions
        query = (
            sa.select(entrants.c.id, entrants.c.name, versions.c.version)
            .join(versions, versions.c.entrant == entrants.c.id)
            .where(entrants.c.league == league, entrants.c.state == EntrantState.ACTIVE)
        )
        for part in chunked(sorted(filter(storable, names))):
            for row in connection.execute(query.where(entrants.c.name.in_(part))):
                self._known[row.name, row.version] = row.id

    def seated(self, name: str, version: str) -> int:
        """Return the id of an entrant who may be seated in that version; or say why not."""
        if (name, version) not in self._known:
            found = seated(self._connection, self._league, name, version)
            self._known[name, version] = found
        return self._known[name, version]


def _number(planned: Sequence[PlannedSet]) -> int:
    """Return the number of a round."""
    numbers = {each.round for each in planned}
    if len(numbers) != 1 or None in numbers:
        raise InvalidError("a round has sets, and all of them have its number.")
    return min(number for number in numbers if number is not None)


def _last_round(connection: sa.Connection, league: str) -> int:
    newest = sa.select(sa.func.max(schema.sets.c.round)).where(schema.sets.c.league == league)
    return connection.execute(newest).scalar_one() or 0


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
