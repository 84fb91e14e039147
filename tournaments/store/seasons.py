"""Seasons of a league: they start, end and are archived, each in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from tournaments.model import (
    UNFINISHED,
    ConflictError,
    EntrantState,
    InvalidError,
    LeagueSettings,
    MatchState,
    Move,
    NotFoundError,
    Season,
    SeasonEntrant,
    SeasonState,
)
from tournaments.pairing import divided, next_divisions
from tournaments.store import schema
from tournaments.store.base import Base, competition_row, open_competition_row, storable

_seasons, _members = schema.seasons, schema.season_entrants
_sections, _entrants = schema.season_sections, schema.entrants
_sets, _matches = schema.sets, schema.matches
_siblings = schema.matches.alias("siblings")
_PLAYING: Final = (EntrantState.ACTIVE, EntrantState.BENCHED)


class SeasonPart(Base):
    """The part of the store that knows seasons."""

    def start_season(
        self, league: str, order: Sequence[str] = (), ends_at: datetime | None = None
    ) -> Season:
        """Start the next season; raises ConflictError while another one is not archived.

        The divisions of the first season follow ``order``, from the best entrant to the last, and
        then the order in which they entered; those of a later one follow the season before.
        """
        with self._database.write() as connection:
            row = open_competition_row(connection, league)
            last = newest_season(connection, league)
            if last is not None and last.state != SeasonState.ARCHIVED:
                sentence = f"season {last.number} of {league} is {last.state}: end it first."
                raise ConflictError(sentence)
            if ends_at is not None and ends_at <= self._now():
                raise InvalidError("a season ends after it has started: give a later date.")
            self._start(connection, row, last, order, ends_at)
            return _read(connection, league)

    def end_season(self, league: str, *, another: bool) -> Season:
        """End the season that is open: what has not begun is dropped, the rest is finished.

        ``another`` says whether the next season starts when this one is archived. Ending it again
        changes only that.
        """
        with self._database.write() as connection:
            competition_row(connection, league, lock=True)
            last = newest_season(connection, league)
            if last is None or last.state == SeasonState.ARCHIVED:
                raise ConflictError(f"no season of {league} is open.")
            changed = sa.update(_seasons).where(_of(league, last.number))
            state = SeasonState.FINAL.value
            connection.execute(changed.values(state=state, another=another))
            if last.state == SeasonState.OPEN:
                _drop_sets_not_begun(connection, league)
                text = f"Season {last.number} ends: what has begun is played to its end."
                self._note(connection, league, "season", text)
            return _read(connection, league)

    def archive_season(
        self, league: str, played: int, order: Sequence[str], sections: Mapping[str, str]
    ) -> Season:
        """Archive the season that is final, with promotion and relegation.

        ``order`` are its entrants from the best to the last, from standings after ``played``
        matches; ``sections`` are these standings. Raises ConflictError if a match is not over, or
        if the number of matches is another one now.
        """
        with self._database.write() as connection:
            row = competition_row(connection, league, lock=True)
            last = newest_season(connection, league)
            if last is None or last.state != SeasonState.FINAL:
                raise ConflictError(f"no season of {league} has ended.")
            counts = _counts(connection, league, last.number)
            if any(counts[state] for state in UNFINISHED):
                raise ConflictError(f"matches of season {last.number} are still played.")
            if counts[MatchState.PLAYED] != played:
                raise ConflictError(f"the results of season {last.number} have changed.")
            self._archive(connection, row, last, order, sections)
            if last.another:
                archived = newest_season(connection, league)
                self._start(connection, row, archived, (), None)
            return _read(connection, league, last.number)

    def season(self, league: str, number: int | None = None) -> Season:
        """Return a season of a league, the newest one by default; raises NotFoundError."""
        with self._database.read() as connection:
            competition_row(connection, league)
            return _read(connection, league, number)

    def seasons(self, league: str) -> tuple[Season, ...]:
        """Return all seasons of a league with their entrants, the newest first."""
        with self._database.read() as connection:
            competition_row(connection, league)
            numbers = sa.select(_seasons.c.number).where(_seasons.c.competition == league)
            newest = connection.execute(numbers.order_by(_seasons.c.number.desc())).scalars().all()
            return tuple(_read(connection, league, number) for number in newest)

    def season_counts(self, league: str, number: int) -> dict[str, int]:
        """Return how many matches of a season are in each state."""
        with self._database.read() as connection:
            return _counts(connection, league, number)

    def season_section(self, league: str, number: int, section: str) -> str | None:
        """Return a section of the standings of an archived season, or None."""
        if not (storable(league) and storable(section)):
            return None
        query = sa.select(_sections.c.document).where(
            _sections.c.competition == league,
            _sections.c.season == number,
            _sections.c.section == section,
        )
        with self._database.read() as connection:
            return connection.execute(query).scalar_one_or_none()

    def _archive(
        self,
        connection: sa.Connection,
        row: Any,
        season: Any,
        order: Sequence[str],
        sections: Mapping[str, str],
    ) -> None:
        """Write ranks, moves and standings of a season."""
        settings = LeagueSettings.from_json(row.settings)
        known = {each.name: each.division for each in _entrants_of(connection, season)}
        place = {name: number for number, name in enumerate(order)}
        active = _active(connection, row.id)
        ranked: list[list[str]] = [[] for _ in range(season.divisions)]
        for name in sorted(active, key=lambda name: place.get(name, len(place))):
            ranked[known.get(name, season.divisions) - 1].append(name)
        following = next_divisions(
            ranked, settings.division_sizes, settings.promote, settings.relegate
        )
        next_of = {name: n for n, division in enumerate(following, 1) for name in division}
        members = [
            SeasonEntrant(name, number, rank, next_of[name])
            for number, division in enumerate(ranked, 1)
            for rank, name in enumerate(division, 1)
        ]
        mine = {"competition": row.id, "season": season.number}
        went_on = [active[each.name] for each in members]
        stays = sa.and_(_members.c.competition == row.id, _members.c.season == season.number)
        connection.execute(sa.delete(_members).where(stays, _members.c.entrant.in_(went_on)))
        _write_members(connection, row.id, season.number, active, members)
        kept = [{**mine, "section": name, "document": text} for name, text in sections.items()]
        if kept:
            connection.execute(sa.insert(_sections), kept)
        changed = sa.update(_seasons).where(_of(row.id, season.number))
        values = {"state": SeasonState.ARCHIVED.value, "ended_at": self._now()}
        connection.execute(changed.values(values))
        self._note(connection, row.id, "season", _outcome(season.number, members))

    def _start(
        self,
        connection: sa.Connection,
        row: Any,
        last: Any,
        order: Sequence[str],
        ends_at: datetime | None,
    ) -> None:
        """Write the next season with its divisions."""
        settings = LeagueSettings.from_json(row.settings)
        active = _active(connection, row.id)
        before = _entrants_of(connection, last) if last is not None else ()
        if before:
            order = _by_next_division(before, len(settings.division_sizes) + 1, active)
        ordered = dict.fromkeys(name for name in (*order, *active) if name in active)
        divisions = divided(ordered, settings.division_sizes)
        number = 1 if last is None else last.number + 1
        if ends_at is None and settings.season_days:
            ends_at = self._now() + timedelta(days=settings.season_days)
        values = {
            "competition": row.id,
            "number": number,
            "state": SeasonState.OPEN.value,
            "started_at": self._now(),
            "ends_at": ends_at,
            "another": bool(settings.season_days),
            "divisions": len(divisions),
        }
        connection.execute(sa.insert(_seasons).values(values))
        members = [
            SeasonEntrant(name, place)
            for place, division in enumerate(divisions, 1)
            for name in division
        ]
        _write_members(connection, row.id, number, active, members)
        if last is None:
            _drop_sets_not_begun(connection, row.id)
        count = f"{len(divisions)} divisions" if len(divisions) > 1 else "one division"
        self._note(connection, row.id, "season", f"Season {number} starts, with {count}.")


def newest_season(connection: sa.Connection, league: str) -> Any:
    """Return the row of the newest season of a league, or None."""
    query = sa.select(_seasons).where(_seasons.c.competition == league)
    newest = query.order_by(_seasons.c.number.desc()).limit(1)
    return connection.execute(newest).one_or_none()


def check_season(connection: sa.Connection, league: str, tables: Iterable[Sequence[str]]) -> Any:
    """Return the number of the season in which tables are scheduled; None without seasons.

    Raises ConflictError if no season is open, or if a table has entrants of two divisions.
    """
    last = newest_season(connection, league)
    if last is None:
        return None
    if last.state != SeasonState.OPEN:
        raise ConflictError(f"season {last.number} of {league} is over, and none is open.")
    known = {each.name: each.division for each in _entrants_of(connection, last)}
    for table in tables:
        if len({known.get(name, last.divisions) for name in table}) > 1:
            raise ConflictError(f"{' and '.join(table)} are not in the same division.")
    return last.number


def season_numbers(connection: sa.Connection, leagues: Sequence[str]) -> dict[str, int]:
    """Return the number of the newest season of each league that has one."""
    newest = sa.select(_seasons.c.competition, sa.func.max(_seasons.c.number))
    query = newest.where(_seasons.c.competition.in_(leagues)).group_by(_seasons.c.competition)
    return {row[0]: row[1] for row in connection.execute(query)}


def is_archived(connection: sa.Connection, set_id: str) -> bool:
    """Return whether a set belongs to a season that is archived."""
    query = (
        sa.select(_seasons.c.state)
        .join(_sets, sa.and_(
            _sets.c.competition == _seasons.c.competition, _sets.c.season == _seasons.c.number
        ))
        .where(_sets.c.id == set_id)
    )  # fmt: skip
    return connection.execute(query).scalar_one_or_none() == SeasonState.ARCHIVED


def _of(league: str, number: int) -> sa.ColumnElement[bool]:
    return sa.and_(_seasons.c.competition == league, _seasons.c.number == number)


def _read(connection: sa.Connection, league: str, number: int | None = None) -> Season:
    if number is None:
        row = newest_season(connection, league)
    else:
        row = connection.execute(sa.select(_seasons).where(_of(league, number))).one_or_none()
    if row is None:
        which = "has had no season" if number is None else f"has no season {number}"
        raise NotFoundError(f'the league "{league}" {which}.')
    values = row._asdict()
    del values["competition"]
    return Season(league, **values, entrants=_entrants_of(connection, row))


def _entrants_of(connection: sa.Connection, season: Any) -> tuple[SeasonEntrant, ...]:
    """Return the entrants of a season by division and rank; then as they entered."""
    columns = (_entrants.c.name, *(_members.c[name] for name in SeasonEntrant._fields[1:]))
    query = (
        sa.select(*columns)
        .join(_entrants, _entrants.c.id == _members.c.entrant)
        .where(_members.c.competition == season.competition, _members.c.season == season.number)
        .order_by(_members.c.division, sa.func.coalesce(_members.c.rank, 1 << 30), _entrants.c.id)
    )
    return tuple(SeasonEntrant(*row) for row in connection.execute(query))


def _by_next_division(
    before: Sequence[SeasonEntrant], divisions: int, active: Iterable[str]
) -> list[str]:
    """Return who goes on, from the first of the highest division to the last of the lowest.

    Those that entered after the last season was archived come last.
    """
    following = {each.name: each.next_division or divisions for each in before}
    ranks = {each.name: (each.division, each.rank or 0) for each in before}
    last = (divisions, 1 << 30)
    return sorted(
        active, key=lambda name: (following.get(name, divisions + 1), ranks.get(name, last))
    )


def _active(connection: sa.Connection, league: str) -> dict[str, int]:
    """Return the ids of the entrants that take part, in the order in which they entered."""
    query = sa.select(_entrants.c.name, _entrants.c.id).where(
        _entrants.c.competition == league, _entrants.c.state.in_(_PLAYING)
    )
    return {row.name: row.id for row in connection.execute(query.order_by(_entrants.c.id))}


def _write_members(
    connection: sa.Connection,
    league: str,
    season: int,
    ids: Mapping[str, int],
    members: Sequence[SeasonEntrant],
) -> None:
    mine = {"competition": league, "season": season}
    rows = [
        {
            **mine,
            "entrant": ids[each.name],
            "division": each.division,
            "rank": each.rank,
            "next_division": each.next_division,
        }
        for each in members
    ]
    if rows:
        connection.execute(sa.insert(_members), rows)


def _drop_sets_not_begun(connection: sa.Connection, league: str) -> None:
    """Drop the matches of sets of which none has begun."""
    begun = sa.exists().where(
        _siblings.c.set_id == _matches.c.set_id, _siblings.c.state != MatchState.SCHEDULED
    )
    waiting = sa.and_(_matches.c.competition == league, _matches.c.state == MatchState.SCHEDULED)
    dropped = sa.update(_matches).where(waiting, ~begun).values(state=MatchState.DROPPED.value)
    connection.execute(dropped)


def _counts(connection: sa.Connection, league: str, number: int) -> defaultdict[str, int]:
    query = (
        sa.select(_matches.c.state, sa.func.count())
        .join(_sets, _sets.c.id == _matches.c.set_id)
        .where(_sets.c.competition == league, _sets.c.season == number)
        .group_by(_matches.c.state)
    )
    return defaultdict(int, {row[0]: row[1] for row in connection.execute(query)})


def _outcome(number: int, members: Sequence[SeasonEntrant]) -> str:
    """Return the journal's sentence about a season that is archived."""
    first = next((each.name for each in members if each.rank == 1), None)
    parts = [f"Season {number} is over"]
    if first is not None:
        parts.append(f"{first} is first")
    for move in (Move.PROMOTED, Move.RELEGATED):
        names = [each.name for each in members if each.move is move]
        if names:
            parts.append(f"{move.value}: {', '.join(names)}")
    return "; ".join(parts) + "."
