"""The schedule: sets are added, and some matches are never played."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from tournaments.model import (
    ConflictError,
    Deals,
    DuplicateSet,
    EntrantState,
    InvalidError,
    LeagueSettings,
    MatchState,
    PlannedSet,
    ScheduledMatch,
    Seatings,
    Secret,
)
from tournaments.store import schema
from tournaments.store.base import (
    Base,
    check_reason,
    chunked,
    competition_row,
    digest,
    match_row,
    open_competition_row,
    storable,
)
from tournaments.store.competitions import TOURNAMENT, add_secret, read_secrets
from tournaments.store.database import execute_many
from tournaments.store.entrants import NO_VERSION, seated
from tournaments.store.incomplete_sets import drop_matches
from tournaments.store.queries import matches_by_id
from tournaments.store.seasons import check_season, is_archived

_Row = dict[str, Any]
_sets, _matches = schema.sets, schema.matches
_seats, _entrants = schema.match_seats, schema.entrants


class SchedulePart(Base):
    """The part of the store that knows what is to be played."""

    def add_sets(
        self,
        league: str,
        planned: Sequence[PlannedSet],
        *,
        claim_for: str | None = None,
        lease_seconds: float = 60.0,
    ) -> list[tuple[ScheduledMatch, ...]]:
        """Add sets to a league, all of them or none; return the matches of each.

        With ``claim_for``, that server has the first match of each set to itself at once, and keeps
        the others: ``held`` returns what it is dealt from.
        """
        with self._database.write() as connection:
            added = self._plan(connection, league, planned, claim_for, lease_seconds)
            if claim_for is not None:
                first = [matches[0] for matches in added]
                claimed = sa.update(_matches).where(_matches.c.id.in_(first))
                now = self._shared_now(connection)
                connection.execute(claimed.values(state=MatchState.RUNNING.value, started_at=now))
            found = matches_by_id(connection, [match for matches in added for match in matches])
        return [tuple(matches) for _, matches in groupby(found, attrgetter("set_id"))]

    def add_round(
        self,
        league: str,
        planned: Sequence[PlannedSet],
        *,
        keeper: str | None = None,
        lease_seconds: float = 60.0,
    ) -> tuple[ScheduledMatch, ...]:
        """Add the sets of a round, all of them or none: a round is never half planned.

        Nor is it planned twice: a number that is not higher than those of all rounds so far raises
        ConflictError. Two servers that plan at the same moment come one after the other, because
        the league is locked.
        """
        number = _number(planned)
        with self._database.write() as connection:
            open_competition_row(connection, league)
            if number <= (last := _last_round(connection, league)):
                raise ConflictError(f"round {last} has been planned, so this is no round {number}.")
            added = self._plan(connection, league, planned, keeper, lease_seconds)
            return matches_by_id(connection, [match for matches in added for match in matches])

    def last_round(self, league: str) -> int:
        """Return the number of the newest round, or 0."""
        with self._database.read() as connection:
            return _last_round(connection, league)

    def _plan(
        self,
        connection: sa.Connection,
        league: str,
        planned: Sequence[PlannedSet],
        keeper: str | None,
        lease_seconds: float,
    ) -> list[list[str]]:
        """Write the sets of a league; return the ids of the matches of each."""
        row = open_competition_row(connection, league)
        until = self._shared_now(connection) + timedelta(seconds=lease_seconds)
        kept = {"server": keeper, "lease_until": until if keeper is not None else None}
        settings = LeagueSettings.from_json(row.settings)
        tables = [[name for name, _ in each.table] for each in planned]
        season = check_season(connection, league, tables)
        entrants = _Seatable(
            connection, league, {name for each in planned for name, _ in each.table}
        )
        new = []
        for number, each in enumerate(planned, row.sets + 1):
            _check(settings, each)
            table = [(entrants.seated(*version), version.version) for version in each.table]
            set_id = digest(league, number, each.game, each.variant, each.table)[:16]
            about = {"deals": str(settings.deals), "why": each.why, "round": each.round}
            about["season"] = season
            turns = len(table) if settings.deals == Deals.DUPLICATE else 1
            seatings = [[*table[n:], *table[:n]] for n in range(turns)]
            new.append(_NewSet(set_id, each.game, each.variant, seatings, about))
        return _write(connection, row, new, {"scheduled_at": self._now(), **kept})

    def add_schedule(
        self,
        sets: Sequence[DuplicateSet],
        given: bytes | None,
        deals_at: Callable[[Sequence[str]], Deals] = lambda _: Deals.DUPLICATE,
    ) -> None:
        """Add sets to the tournament; they are dealt from a secret that is not public yet.

        ``given`` is the first secret, if the organiser chose it; ``deals_at`` returns which deals a
        table of entrants has.
        """
        with self._database.write() as connection:
            row = competition_row(connection, TOURNAMENT, lock=True)
            known = read_secrets(connection)
            if known and not sets:
                return
            number = next((secret.number for secret in known if not secret.published), None)
            if number is None:
                number = len(known) + 1
                fresh = given if given is not None and not known else secrets.token_bytes(32)
                add_secret(connection, TOURNAMENT, number, fresh)
            names = {name for each in sets for name in each.order}
            entrants = _Seatable(connection, TOURNAMENT, names)
            seat = {name: (entrants.seated(name, NO_VERSION), NO_VERSION) for name in names}
            new = []
            for each in sets:
                about = {
                    "deals": deals_at(each.order).value,
                    "secret": number,
                    "seatings": each.seatings.value,
                    "table_set": each.number,
                }
                seatings = [[seat[name] for name in order] for order in each.played()]
                new.append(_NewSet(each.id, each.game, each.variant, seatings, about))
            kept = {"server": None, "lease_until": None}
            _write(connection, row, new, {"scheduled_at": self._now(), **kept})

    def sets(self) -> dict[str, tuple[DuplicateSet, Secret]]:
        """Return every set of the tournament with the secret that it is dealt from, by id."""
        query = (
            sa.select(_sets, _matches.c.game, _matches.c.variant, _entrants.c.name)
            .join(_matches, _matches.c.id == _sets.c.id + "-1")
            .join(_seats, _seats.c.match == _matches.c.id)
            .join(_entrants, _entrants.c.id == _seats.c.entrant)
            .where(_sets.c.competition == TOURNAMENT)
            .order_by(_sets.c.number, _seats.c.seat)
        )
        with self._database.read() as connection:
            known = {secret.number: secret for secret in read_secrets(connection)}
            rows = connection.execute(query).all()
            substitutes = _substitutes(connection)
        found = {}
        for set_id, group in groupby(rows, attrgetter("id")):
            row, *others = group
            order = (row.name, *substitutes.get(set_id, ()), *(other.name for other in others))
            each = DuplicateSet(row.game, row.variant, order, row.table_set, Seatings(row.seatings))
            found[set_id] = each, known[row.secret]
        return found

    def drop(self, matches: Sequence[str], keeper: str | None = None) -> frozenset[str]:
        """Give up matches that have not begun; return which these were.

        What was played of their duplicate sets does not count any more.

        With a keeper, only those that are its own to give up. What another transaction changes at
        this moment is left as it is.
        """
        dropped = set[str]()
        waits = _matches.c.state == MatchState.SCHEDULED
        ours = waits if keeper is None else sa.and_(waits, _matches.c.server == keeper)
        with self._database.write() as connection:
            for part in chunked(sorted(filter(storable, matches))):
                found = sa.select(_matches.c.id).where(_matches.c.id.in_(part), ours)
                locked = found.with_for_update(key_share=True, skip_locked=True)
                ids = list(connection.execute(locked).scalars())
                drop_matches(connection, _matches.c.id.in_(ids))
                dropped.update(ids)
        return frozenset(dropped)

    def annul(self, match_id: str, reason: str) -> ScheduledMatch:
        """Take a match that was played out of the standings, for a reason that is public."""
        check_reason(reason)
        with self._database.write() as connection:
            row = match_row(connection, match_id)
            competition_row(connection, row.competition, lock=True)
            if is_archived(connection, row.set_id):
                raise ConflictError(
                    f"the match {match_id} belongs to a season that is archived: its results stay."
                )
            annulled = (
                sa.update(_matches)
                .where(_matches.c.id == match_id, _matches.c.state == MatchState.PLAYED)
                .values(state=MatchState.ANNULLED.value, annulled=reason)
            )
            if not connection.execute(annulled).rowcount:
                raise ConflictError(
                    f"the match {match_id} is {row.state}: only what was played can be annulled."
                )
            text = f"The match {match_id} was annulled: {reason}"
            self._note(connection, row.competition, "annulled", text)
            return matches_by_id(connection, [match_id])[0]


class _NewSet(NamedTuple):
    """A set that is to be scheduled, with the rows of its entrants."""

    id: str
    game: str
    variant: str
    seatings: Sequence[Sequence[tuple[int, str]]]
    """For each match and seat: the entrant and its version."""
    about: Mapping[str, Any]
    """Further columns of the set."""


def _insert(table: sa.Table, **constants: object) -> sa.Insert:
    """Return a statement whose parameters are the columns of a table that are not constant."""
    values: dict[str, Any] = {
        name: sa.null() if value is None else sa.literal_column(repr(value))
        for name, value in constants.items()
    }
    names = [column.name for column in table.c if column.name not in values]
    return sa.insert(table).values({name: sa.bindparam(name) for name in names} | values)


_NEW_SETS = _insert(schema.sets)
_OF_A_SET = {
    "round": None,
    "why": "",
    "secret": 1,
    "seatings": None,
    "table_set": None,
    "season": None,
}
"""The columns that tournaments or leagues leave out."""
_NEW_MATCHES = _insert(
    schema.matches,
    state=MatchState.SCHEDULED.value,
    attempt=1,
    started_at=None,
    ended_at=None,
    ending="",
    decisions=0,
    annulled="",
)
_NEW_SEATS = _insert(schema.match_seats, place=None, score=None, used=0.0).values(
    forfeit=sa.false()
)


def _write(
    connection: sa.Connection, competition: Any, new: Sequence[_NewSet], about: Mapping[str, Any]
) -> list[list[str]]:
    """Write sets with matches and seats, many at once; return the ids of the matches of each set.

    The competition is its row, which must be locked; ``about`` has further columns of the matches.
    """
    position = competition.matches
    sets, matches, seats = list[_Row](), list[_Row](), list[_Row]()
    added: list[list[str]] = []
    for number, each in enumerate(new, competition.sets + 1):
        own = {"id": each.id, "competition": competition.id, "number": number}
        sets.append({**_OF_A_SET, **each.about, **own})
        added.append([])
        for place, seating in enumerate(each.seatings, 1):
            position += 1
            match = f"{each.id}-{place}"
            added[-1].append(match)
            matches.append(
                {
                    **about,
                    "id": match,
                    "competition": competition.id,
                    "set_id": each.id,
                    "position": position,
                    "game": each.game,
                    "variant": each.variant,
                    "seats": len(seating),
                }
            )
            seats += [
                {"match": match, "seat": seat, "entrant": entrant, "version": version}
                for seat, (entrant, version) in enumerate(seating)
            ]
    execute_many(connection, _NEW_SETS, sets)
    execute_many(connection, _NEW_MATCHES, matches)
    execute_many(connection, _NEW_SEATS, seats)
    counted = sa.update(schema.competitions).where(schema.competitions.c.id == competition.id)
    connection.execute(counted.values(sets=competition.sets + len(sets), matches=position))
    return added


class _Seatable:
    """The entrants that may be seated, read with one query."""

    def __init__(self, connection: sa.Connection, competition: str, names: Collection[str]) -> None:
        self._connection = connection
        self._competition = competition
        self._known: dict[tuple[str, str], int] = {}
        versions = schema.versions
        query = (
            sa.select(_entrants.c.id, _entrants.c.name, versions.c.version)
            .join(versions, versions.c.entrant == _entrants.c.id)
            .where(_entrants.c.competition == competition)
            .where(_entrants.c.state == EntrantState.ACTIVE)
        )
        for part in chunked(sorted(filter(storable, names))):
            for row in connection.execute(query.where(_entrants.c.name.in_(part))):
                self._known[row.name, row.version] = row.id

    def seated(self, name: str, version: str) -> int:
        """Return the id of an entrant who may be seated in that version; or say why not."""
        if (name, version) not in self._known:
            found = seated(self._connection, self._competition, name, version)
            self._known[name, version] = found
        return self._known[name, version]


def _substitutes(connection: sa.Connection) -> dict[str, tuple[str]]:
    """Return the second of the two entrants that share a place, by set of the tournament.

    Its matches come after those of the first, so that it has the first seat in the first of them.
    """
    number = sa.cast(_matches.c.seats + 1, sa.Text)
    query = (
        sa.select(_sets.c.id, _entrants.c.name)
        .join(_matches, _matches.c.id == _sets.c.id + "-" + number)
        .join(_seats, _seats.c.match == _matches.c.id)
        .join(_entrants, _entrants.c.id == _seats.c.entrant)
        .where(_sets.c.competition == TOURNAMENT, _sets.c.seatings == Seatings.SUBSTITUTION.value)
        .where(_matches.c.set_id == _sets.c.id, _seats.c.seat == 0)
    )
    return {row.id: (row.name,) for row in connection.execute(query)}


def _number(planned: Sequence[PlannedSet]) -> int:
    """Return the number of a round."""
    numbers = {each.round for each in planned}
    if len(numbers) != 1 or None in numbers:
        raise InvalidError("a round has sets, and all of them have its number.")
    return min(number for number in numbers if number is not None)


def _last_round(connection: sa.Connection, league: str) -> int:
    newest = sa.select(sa.func.max(_sets.c.round)).where(_sets.c.competition == league)
    return connection.execute(newest).scalar_one() or 0


def _check(settings: LeagueSettings, planned: PlannedSet) -> None:
    """Refuse a table that the league does not play; raises LeagueError."""
    rules = settings.game(planned.game)
    if len(planned.table) not in rules.table_sizes or planned.variant not in rules.variants:
        raise InvalidError(
            f'the league plays no tables of {len(planned.table)} in "{planned.variant[:60]}".'
        )
    if len({name for name, _ in planned.table}) != len(planned.table):
        raise InvalidError("nobody sits at a table twice, in whatever versions.")
