"""Results: committed with their records, completely and once; read for standings and benching."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby, takewhile
from operator import itemgetter
from typing import Any, Final

import sqlalchemy as sa

from referee.record import LONGEST_QUOTE, printable
from tournaments.model import (
    Benched,
    Deals,
    Death,
    DeathKind,
    EntrantState,
    FaultNote,
    Forfeit,
    InvalidError,
    Kind,
    MatchState,
    PlayedMatch,
    Result,
    VoidAttempt,
    count_incidents,
    rated_name,
)
from tournaments.store import schema
from tournaments.store.base import (
    Base,
    competition_row,
    entrant_ids,
    entrant_row,
    match_row,
    put_rows,
)
from tournaments.store.claims import IS_UNFINISHED, write_voids
from tournaments.store.competitions import TOURNAMENT
from tournaments.store.database import StoreError, execute_many
from tournaments.store.incomplete_sets import annul_incomplete

MOST_AT_ONCE: Final = 64
"""How many matches of one entrant a cut connection may hit, and still be seen as one."""
TICK: Final = timedelta(microseconds=1)
"""Between two matches of one commit, so that their order can be read again."""

_matches, _seats, _entrants = schema.matches, schema.match_seats, schema.entrants
_faults, _sets = schema.faults, schema.sets
_Row = dict[str, Any]


class _ClaimLostError(Exception):
    """A match that cannot be committed, because it is committed or claimed by another server."""


class ResultPart(Base):
    """The part of the store that knows results."""

    def commit(
        self,
        server: str | None,
        played: Sequence[PlayedMatch],
        voids: Sequence[VoidAttempt] = (),
        benched: Sequence[Benched] = (),
        deaths: Sequence[Death] = (),
    ) -> bool:
        """Write matches with their records and faults, and notes, all of them or none.

        The server must have claimed the matches: if it has lost a claim, nothing is written, and
        False is returned. Without a server, for a tournament, a match that was committed before or
        is not scheduled raises StoreError.
        """
        try:
            with self._database.write() as connection:
                now = self._shared_now(connection)
                _write_results(connection, played, now, server)
                if server is not None:
                    ids = [each.result.match for each in played]
                    of = sa.select(_matches.c.set_id).where(_matches.c.id.in_(ids))
                    annul_incomplete(connection, connection.execute(of).scalars().all())
                write_voids(connection, voids, now, server)
                _write_benched(connection, benched, now)
                execute_many(connection, _DEATH, [{**_row(each), "at": now} for each in deaths])
        except _ClaimLostError:
            if server is None:
                raise StoreError(
                    f"{self._database.name} has that already, or it is not scheduled."
                ) from None
            return False
        return True

    def results(self, competition: str, season: int | None = None) -> list[Result]:
        """Return every match that counts, of a season or of all, in the order of the schedule.

        Entrants are named as ratings name them: by name in a tournament, as name@version in a
        league. Annulled matches do not count, nor matches of a disqualified entrant.
        """
        sent_away = (
            sa.select(_seats.c.match)
            .join(_entrants, _entrants.c.id == _seats.c.entrant)
            .where(
                _entrants.c.competition == competition,
                _entrants.c.state == EntrantState.DISQUALIFIED,
            )
        )
        matches = (
            sa.select(*(_matches.c[name] for name in _OF_A_RESULT), _sets.c.deals)
            .join(_sets, _sets.c.id == _matches.c.set_id)
            .where(_matches.c.competition == competition, _matches.c.state == MatchState.PLAYED)
            .where(_matches.c.id.not_in(sent_away))
            .order_by(_matches.c.position)
        )
        seats = (
            sa.select(*(_seats.c[name] for name in _OF_A_SEAT))
            .join(_matches, _matches.c.id == _seats.c.match)
            .where(_matches.c.competition == competition, _matches.c.state == MatchState.PLAYED)
            .order_by(_matches.c.position, _seats.c.seat)
        )
        if season is not None:
            ours = sa.select(schema.sets.c.id).where(
                schema.sets.c.competition == competition, schema.sets.c.season == season
            )
            matches = matches.where(_matches.c.set_id.in_(ours))
            seats = seats.where(_matches.c.set_id.in_(ours))
        with self._database.read() as connection:
            by_name = competition_row(connection, competition).kind == Kind.TOURNAMENT
            name_of = {id_: name for name, id_ in entrant_ids(connection, competition).items()}
            at_tables = {
                match: list(rows)
                for match, rows in groupby(connection.execute(seats), itemgetter(0))
            }
            return [
                _result(row, at_tables[row[0]], name_of, by_name=by_name)
                for row in connection.execute(matches)
            ]

    def played(self) -> set[str]:
        """Return the ids of the matches of the tournament that count."""
        with self._database.read() as connection:
            return set(connection.execute(_OF_TOURNAMENT).scalars())

    def seconds(self) -> float:
        """Return how long all matches of the tournament took together."""
        query = _OF_TOURNAMENT.with_only_columns(_matches.c.started_at, _matches.c.ended_at)
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return sum((ended - started for started, ended in rows), timedelta()).total_seconds()

    def benched(self) -> dict[tuple[str, str], Benched]:
        """Return the benched entrants of the tournament, by name and game.

        An empty game means that an entrant is suspended in all games.
        """
        table = schema.benchings
        columns = (_entrants.c.name, table.c.game, table.c.match, table.c.reason)
        query = sa.select(*columns).join(_entrants, _entrants.c.id == table.c.entrant)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(table.c.at, table.c.entrant, table.c.game))
            return {(row.name, row.game): Benched(*row) for row in rows}

    def deaths(self) -> list[Death]:
        """Return the deaths of processes that were charged to entrants, in their order."""
        query = sa.select(schema.deaths).order_by(schema.deaths.c.id)
        with self._database.read() as connection:
            return [_death(row) for row in connection.execute(query)]

    def note_death(self, league: str, death: Death, most: int) -> list[Death]:
        """Keep a death in a league; return the last ones that are not explained, at most ``most``.

        A death is explained by an entrant that was there and is not active any more, or was taken
        from the bench since.
        """
        table = schema.deaths
        newest = sa.select(table).where(table.c.competition == league).order_by(table.c.id.desc())
        with self._database.write() as connection:
            row = {**_row(death, league), "at": self._shared_now(connection)}
            execute_many(connection, _DEATH, [row])
            found = connection.execute(newest.limit(most)).all()
            about = sa.select(_entrants).where(_entrants.c.competition == league)
            explains = {
                each.name: each.forgiven_at if each.state == EntrantState.ACTIVE else row["at"]
                for each in connection.execute(about)
            }
        return [
            _death(each)
            for each in reversed(found)
            if not any(
                (until := explains.get(name)) is not None and each.at <= until
                for name in json.loads(each.entrants)
            )
        ]

    # Forfeits -----------------------------------------------------------------------------------

    def forfeits_in_a_row(self, competition: str, name: str, most: int = 100) -> int:
        """Return how often an entrant forfeited since the last match that it did not forfeit.

        Counted from the last time that it was taken from the bench. Matches that one cut connection
        hit count once: ``count_incidents``.
        """
        with self._database.read() as connection:
            row = entrant_row(connection, competition, name)
            query = _played_seats(_seats.c.entrant == row.id)
            newest = query.order_by(_matches.c.ended_at.desc(), _matches.c.position.desc())
            played = connection.execute(newest.limit(most * MOST_AT_ONCE)).all()
        forgiven = row.forgiven_at
        forfeits = takewhile(
            lambda match: match.forfeit and (forgiven is None or match.ended_at > forgiven), played
        )
        return count_incidents(reversed([_forfeit(each) for each in forfeits]))

    def forfeit_streaks(self, competition: str) -> dict[tuple[str, str], int]:
        """Return the forfeits in a row of each entrant in each game, by name and game."""
        query = _played_seats(_matches.c.competition == competition)
        streaks: defaultdict[tuple[str, str], list[Forfeit]] = defaultdict(list)
        with self._database.read() as connection:
            in_order = query.order_by(_matches.c.ended_at, _matches.c.position)
            for row in connection.execute(in_order):
                streak = streaks[row.name, row.game]
                if row.forfeit:
                    streak.append(_forfeit(row))
                else:
                    streak.clear()
        return {key: count_incidents(forfeits) for key, forfeits in streaks.items()}


def _played_seats(which: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Return the query for who forfeited which match by what."""
    of_seat = sa.and_(_faults.c.match == _matches.c.id, _faults.c.entrant == _seats.c.entrant)
    return (
        sa.select(
            _entrants.c.name,
            _matches.c.game,
            _seats.c.forfeit,
            _matches.c.started_at,
            _matches.c.ended_at,
            _faults.c.fault,
        )
        .select_from(_seats)
        .join(_matches, _matches.c.id == _seats.c.match)
        .join(_entrants, _entrants.c.id == _seats.c.entrant)
        .outerjoin(_faults, of_seat)
        .where(which, _matches.c.state == MatchState.PLAYED)
    )


def _forfeit(row: Any) -> Forfeit:
    return Forfeit(row.started_at, row.ended_at, row.fault or "")


# Writing ----------------------------------------------------------------------------------------


_ID: Final[sa.BindParameter[str]] = sa.bindparam("match_id")
_OF_TOURNAMENT: Final = sa.select(_matches.c.id).where(
    _matches.c.competition == TOURNAMENT, _matches.c.state == MatchState.PLAYED
)
_PLAYED: Final = (
    sa.update(_matches)
    .where(_matches.c.id == _ID, IS_UNFINISHED)
    .values(
        state=MatchState.PLAYED.value,
        lease_until=None,
        attempt=sa.bindparam("new_attempt"),
        ended_at=sa.bindparam("new_end"),
        ending=sa.bindparam("new_ending"),
        decisions=sa.bindparam("new_decisions"),
    )
)
_ALONE: Final = _PLAYED.values(started_at=sa.bindparam("new_start"))
"""Of a match that no server has claimed: when it began is known at its end."""
_CLAIMED: Final = _PLAYED.where(
    _matches.c.state == MatchState.RUNNING.value,
    _matches.c.server == sa.bindparam("of_server"),
    _matches.c.attempt == sa.bindparam("new_attempt"),
)
_SEATED: Final = (
    sa.update(_seats)
    .where(_seats.c.match == _ID, _seats.c.seat == sa.bindparam("of_seat"))
    .values(
        place=sa.bindparam("new_place"),
        score=sa.bindparam("new_score"),
        used=sa.bindparam("new_used"),
        forfeit=sa.bindparam("new_forfeit"),
    )
)
_RECORD: Final = sa.insert(schema.records).values(
    match=sa.bindparam("match"), record=sa.bindparam("record")
)
_DEATH: Final = sa.insert(schema.deaths).values(
    {
        name: sa.bindparam(name)
        for name in ("competition", "kind", "entrants", "expected", "detail", "at")
    }
)


def _write_results(
    connection: sa.Connection, played: Sequence[PlayedMatch], now: datetime, server: str | None
) -> None:
    """Write matches with seats, records and faults, many at once.

    Raises _ClaimLostError if one was committed before, is not scheduled, or is not claimed by the
    server any more.
    """
    matches, seats = list[_Row](), list[_Row]()
    for number, each in enumerate(played):
        result, end = each.result, now + number * TICK
        row = {
            "match_id": result.match,
            "new_attempt": each.attempt,
            "new_end": end,
            "new_ending": each.ending,
            "new_decisions": result.decisions,
        }
        if server is None:
            row["new_start"] = end - timedelta(seconds=each.seconds)
        else:
            _check_result(result, match_row(connection, result.match).seats)
            row["of_server"] = server
        matches.append(row)
        seats += [
            {
                "match_id": result.match,
                "of_seat": seat,
                "new_place": place,
                "new_score": score,
                "new_used": used,
                "new_forfeit": seat in result.forfeits,
            }
            for seat, (place, score, used) in enumerate(
                zip(result.places, result.scores, result.used, strict=True)
            )
        ]
    statement = _ALONE if server is None else _CLAIMED
    if execute_many(connection, statement, matches) != len(played):
        raise _ClaimLostError
    execute_many(connection, _SEATED, seats)
    records = [{"match": each.result.match, "record": each.record} for each in played]
    execute_many(connection, _RECORD, records)
    _write_faults(connection, [fault for each in played for fault in each.faults])


def _write_faults(connection: sa.Connection, faults: Sequence[FaultNote]) -> None:
    """Write faults; those of a match are by entrants of its competition."""
    for fault in faults:
        competition = match_row(connection, fault.match).competition
        row = {
            "match": fault.match,
            "entrant": entrant_row(connection, competition, fault.entrant).id,
            "fault": fault.fault,
            "cause": fault.cause,
            "detail": printable(fault.detail, LONGEST_QUOTE),  # a bot can have sent anything
            "at": fault.at,
        }
        connection.execute(sa.insert(_faults).values(row))


def _write_benched(connection: sa.Connection, benched: Sequence[Benched], now: datetime) -> None:
    ids = entrant_ids(connection, TOURNAMENT) if benched else {}
    rows = [
        {
            "entrant": ids[each.entrant],
            "game": each.game,
            "match": each.match,
            "reason": each.reason,
            "at": now,
        }
        for each in benched
    ]
    put_rows(connection, schema.benchings, rows)


def _death(row: Any) -> Death:
    entrants, expected = json.loads(row.entrants), json.loads(row.expected)
    return Death(DeathKind(row.kind), tuple(entrants), expected, row.detail)


def _row(death: Death, competition: str = TOURNAMENT) -> _Row:
    return {
        "competition": competition,
        "kind": death.kind.value,
        "entrants": json.dumps(death.entrants),
        "expected": json.dumps(death.expected),
        "detail": death.detail,
    }


def _check_result(result: Result, seats: int) -> None:
    for name in ("places", "scores", "used"):
        if len(getattr(result, name)) != seats:
            raise InvalidError(f"{name} must have one entry for each of {seats} seats.")
    if not set(result.forfeits) <= set(range(seats)):
        raise InvalidError("forfeits names a seat that there is not.")


# Reading ----------------------------------------------------------------------------------------

_OF_A_RESULT: Final = ("id", "set_id", "game", "variant", "decisions", "attempt")
_OF_A_SEAT: Final = ("match", "seat", "entrant", "version", "place", "score", "forfeit", "used")


def _result(
    match: Any, seats: Sequence[Any], name_of: Mapping[int, str], *, by_name: bool
) -> Result:
    """Make a result of the rows of a match and its seats."""
    match_id, set_id, game, variant, decisions, attempt, deals = match
    _, numbers, entrants, versions, places, scores, forfeits, used = zip(*seats, strict=True)
    names = tuple(name_of[entrant] for entrant in entrants)
    return Result(
        match_id,
        set_id,
        game,
        variant,
        names if by_name else tuple(map(rated_name, names, versions)),
        places,
        scores,
        tuple(seat for seat, forfeit in zip(numbers, forfeits, strict=True) if forfeit),
        used,
        decisions,
        # In a league the second attempt at a match of a duplicate set is dealt anew.
        deals == Deals.DUPLICATE and (by_name or attempt == 1),
    )
