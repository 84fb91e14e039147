"""The matches of a store as MatchService gives them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from referee.record import MatchEntry
from tournaments.model import MatchState, NotFoundError, ScheduledMatch, Version
from tournaments.store.store import Store

_STATES: Final = {
    MatchState.RUNNING: "playing",
    MatchState.PLAYED: "finished",
    MatchState.ANNULLED: "void",
}


class StoreMatchRepository:
    """All matches that have begun, of all leagues; records only of what is released."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, match: str) -> MatchEntry | None:
        """Return a match, if there is one with that id."""
        try:
            found = self._store.match(match)
        except NotFoundError:
            return None
        return _entry(found) if found.state in _STATES else None

    def list(
        self, after: str, count: int, game: str, entrant: str, league: str = ""
    ) -> Sequence[MatchEntry]:
        """Return matches in the order of their ids, those after an id, at most ``count``."""
        found = self._store.begun(after, count, game=game, entrant=entrant, league=league)
        return [_entry(match) for match in found]

    def record(self, match: str) -> tuple[str, bytes] | None:
        """Return file name and bytes of a record that is released."""
        try:
            record = self._store.record(match)
        except NotFoundError:
            return None
        return None if record is None else (f"{match}.jsonl.zst", record)

    def records(self, matches: Sequence[str]) -> Mapping[str, tuple[str, bytes]]:
        """Return file names and bytes of those records that are released."""
        found = self._store.released_records(matches)
        return {match: (f"{match}.jsonl.zst", record) for match, record in found.items()}


def _entry(match: ScheduledMatch) -> MatchEntry:
    over = match.state != MatchState.RUNNING
    return MatchEntry(
        match.id,
        match.game,
        _STATES[MatchState(match.state)],
        tuple(str(Version(seat.entrant, seat.version)) for seat in match.seats),
        match.ending,
        tuple(seat.score or 0 for seat in match.seats) if over else (),
        tuple(seat.place or 0 for seat in match.seats) if over else (),
        tuple(number for number, seat in enumerate(match.seats) if seat.forfeit),
        match.started_at,
        match.ended_at,
        released=match.has_record,
        league=match.competition,
    )
