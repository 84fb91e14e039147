"""What pages show, as plain values: the page and its JSON twin are made from the same document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine import find_game
from tournaments.league.live import LiveTable
from tournaments.league.model import (
    Entrant,
    FaultNote,
    JournalEntry,
    League,
    LeagueMatch,
    SeatResult,
    split_rated_name,
)
from tournaments.league.store import LeagueStore
from tournaments.web.replay import view_document

Document = dict[str, Any]


def league_document(league: League) -> Document:
    """Return what an organiser decided, and since when it goes on."""
    settings = league.settings
    return {
        "id": league.id,
        "title": settings.title,
        "state": league.state,
        "created_at": league.created_at,
        "games": [rules.as_dict() for rules in settings.games],
        "scheduler": str(settings.scheduler),
        "deals": str(settings.deals),
        "time_control": settings.time_control.as_dict(),
        "policy": settings.policy.as_dict(),
        "max_tables": settings.max_tables,
        "bench_after": settings.bench_after,
        "rating": settings.rating,
        "commitment": league.commitment,
    }


def match_document(match: LeagueMatch) -> Document:
    """Return what everybody may know of a match; the record is another matter."""
    return {
        "id": match.id,
        "league": match.league,
        "set": match.set_id,
        "position": match.position,
        "round": match.round,
        "game": match.game,
        "variant": match.variant,
        "state": match.state,
        "attempt": match.attempt,
        "scheduled_at": match.scheduled_at,
        "started_at": match.started_at,
        "ended_at": match.ended_at,
        "ending": match.ending,
        "decisions": match.decisions,
        "why": match.why,
        "annulled": match.annulled,
        "released": match.released,
        "seats": list(map(_seat, match.seats)),
    }


def _seat(seat: SeatResult) -> Document:
    return {
        "entrant": seat.entrant,
        "version": seat.version,
        "place": seat.place,
        "score": seat.score,
        "forfeit": seat.forfeit,
        "seconds_used": round(seat.used, 3),
    }


def entrant_document(entrant: Entrant, connections: int) -> Document:
    """Return a bot's name in a league, and whether it is there."""
    return {
        "name": entrant.name,
        "author": entrant.author,
        "state": entrant.state,
        "reason": entrant.reason,
        "entered_at": entrant.entered_at,
        "versions": list(entrant.versions),
        "connections": connections,
    }


def fault_document(note: FaultNote) -> Document:
    """Return something that went wrong, and whose doing it was."""
    return {
        "match": note.match,
        "fault": note.fault,
        "cause": note.cause,
        "detail": note.detail,
        "at": note.at,
    }


def journal_document(entry: JournalEntry) -> Document:
    """Return a line of the journal."""
    return {"at": entry.at, "kind": entry.kind, "text": entry.text}


def table_document(table: LiveTable) -> Document:
    """Return a running table in a few words."""
    names = [split_rated_name(rated) for rated in table.entrants]
    return {
        "match": table.match,
        "league": table.league,
        "game": table.game,
        "title": find_game(table.game).spec.title,
        "variant": table.variant,
        "seats": [{"entrant": name, "version": version} for name, version in names],
        "decisions": table.decision,
        "since": table.since,
    }


def board_document(table: LiveTable) -> Document:
    """Return a running table with all that a spectator may see of it."""
    return {**table_document(table), **view_document(find_game(table.game), table.view)}


def every_entrant(
    store: LeagueStore, league: str, present: Mapping[str, int]
) -> Iterator[Document]:
    """Return everybody who has entered a league, in that order."""
    token = ""
    while True:
        page = store.entrants(league, 1000, token)
        for entrant in page.items:
            yield entrant_document(entrant, present.get(entrant.name, 0))
        token = page.next
        if not token:
            return
