"""The documents of the pages: the HTML and the JSON form of a page show the same document."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

import orjson

from engine import find_game
from tournaments.model import (
    SHOWN_VERSIONS,
    Competition,
    Entrant,
    FaultNote,
    JournalEntry,
    LeagueActivity,
    PublishedFinal,
    ScheduledMatch,
    Season,
    SeatResult,
    all_items,
    split_rated_name,
)
from tournaments.replay import view_document
from tournaments.runner import LiveTable
from tournaments.store import Store

Document = dict[str, Any]

ROWS: Final = 200
"""How many rows of the standings a page has."""
_PER_VERSION: Final = ("history", "above", "head_to_head")
"""What a table has for each version, beside its line."""
SHOWN_PAIRS: Final = 5
"""How many residuals of pairs are shown, striking or not."""
MOST_NOT_SEEN: Final = 50
"""How many entrants that have never connected are named."""


def activity_document(activity: LeagueActivity) -> Document:
    """Return what a league does now, and why."""
    return {
        "state": str(activity.state),
        "since": activity.since,
        "why": activity.why,
        "wakes": activity.wakes,
    }


def league_document(league: Competition) -> Document:
    """Return the settings and the state of a league."""
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
        "trueskill": settings.trueskill.as_dict(),
        "draw_probability": settings.draw_probability(),
        "separate_authors": settings.separate_authors,
        "separate_addresses": settings.separate_addresses,
        "count_striking_pairs": settings.count_striking_pairs,
        "pace": settings.pace.as_dict(),
        "retention": settings.retention.as_dict(),
        "max_entrants": settings.max_entrants,
        "enrolment": str(settings.enrolment),
        "bots_per_author": settings.bots_per_author,
        "versions_per_day": settings.versions_per_day,
        "submissions_per_day": settings.submissions_per_day,
        "storage_per_author": settings.storage_per_author,
        "season": league.season or None,
        "division_sizes": list(settings.division_sizes),
        "promote": settings.promote,
        "relegate": settings.relegate,
        "carry_over": settings.carry_over,
        "season_days": settings.season_days,
        "commitment": league.commitment,
        "secret": league.secret or None,
    }


def season_document(season: Season) -> Document:
    """Return a season with its entrants by division and rank."""
    return {
        "number": season.number,
        "state": season.state,
        "started_at": season.started_at,
        "ends_at": season.ends_at,
        "ended_at": season.ended_at,
        "divisions": season.divisions,
        "entrants": [each._asdict() | {"move": each.move.value} for each in season.entrants],
    }


def final_document(final: PublishedFinal) -> Document:
    """Return a final with its bracket or its table."""
    about: Document = orjson.loads(final.document)
    return {
        "number": final.number,
        "season": final.season,
        "published_at": final.published_at,
        **about,
    }


def match_document(match: ScheduledMatch) -> Document:
    """Return the public facts of a match, without its record."""
    return {
        "id": match.id,
        "league": match.competition,
        "set": match.set_id,
        "position": match.position,
        "round": match.round,
        "season": match.season,
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
        "thinned_at": match.thinned_at,
        "record_hash": match.record_hash,
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
    """Return an entrant of a league and its number of connections."""
    return {
        "name": entrant.name,
        "author": entrant.author,
        "state": entrant.state,
        "reason": entrant.reason,
        "entered_at": entrant.entered_at,
        "versions": list(entrant.versions),
        "version_count": entrant.version_count,
        "connections": connections,
    }


def fault_document(note: FaultNote) -> Document:
    """Return a fault in a match, with its cause."""
    return {
        "match": note.match,
        "fault": note.fault,
        "cause": note.cause,
        "detail": note.detail,
        "at": note.at,
    }


def journal_document(entry: JournalEntry) -> Document:
    """Return an entry of the journal."""
    return {"at": entry.at, "kind": entry.kind, "text": entry.text}


def table_document(table: LiveTable) -> Document:
    """Return a running table without its position."""
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
    """Return a running table with the position as a spectator sees it."""
    return {**table_document(table), **view_document(find_game(table.game), table.view)}


def entrants_document(
    store: Store, league: str, connections: Mapping[str, int], tables: Iterable[Document]
) -> Document:
    """Return the entrants on pages of standings, some that never connected, and counts."""
    shown_lines = (each["table"]["standings"] for each in tables if each["table"])
    names = {line["entrant"] for lines in shown_lines for line in lines}
    entrants = list(all_items(partial(store.entrants, league, 1000)))
    shown = [entrant for entrant in entrants if entrant.name in names]
    others = (each for each in entrants if each.name not in names and not each.versions)
    return {
        "entrants": [
            entrant_document(entrant, connections.get(entrant.name, 0))
            for entrant in (*shown, *islice(others, MOST_NOT_SEEN))
        ],
        "entered": len(entrants),
        "connected": sum(bool(connections.get(entrant.name)) for entrant in entrants),
    }


def residuals_document(residuals: Mapping[str, Any]) -> Document:
    """Return the residuals of pairs: how many were tested, and the most striking ones."""
    pairs = residuals.get("pairs", [])
    striking = sum(pair["striking"] for pair in pairs)
    return {
        "tested": residuals.get("tested", 0),
        "striking": striking,
        "pairs": pairs[: max(striking, SHOWN_PAIRS)],
    }


def standings_document(table: Mapping[str, Any] | None, first: int) -> Document:
    """Return a page of the standings from a row on, with its history and where the next begins."""
    if not table:
        return {"table": None, "rows": 0, "first": first, "next": "", "history": {}}
    lines: Sequence[Any] = table["standings"]
    shown = lines[first : first + ROWS]
    names = dict.fromkeys(line["rated"] for line in shown)
    rest = {key: value for key, value in table.items() if key not in _PER_VERSION}
    history, told = table["history"], table.get("told_apart") or {}
    return {
        "table": {
            **rest,
            "standings": shown,
            "groups": _among(names, table["groups"]),
            "told_apart": _among(names, {name: told[name] for name in names if name in told}),
        },
        "rows": len(lines),
        "first": first,
        "next": str(first + ROWS) if first + ROWS < len(lines) else "",
        "history": {name: history[name] for name in names if name in history},
    }


def _among(names: Collection[str], listed: Mapping[str, Iterable[str]]) -> Document:
    """Return lists of names without those that are not among some."""
    return {key: [each for each in members if each in names] for key, members in listed.items()}


def versions_document(standings: Mapping[str, Any]) -> Document:
    """Return the newest versions of an entrant, with their lines and histories."""
    every = standings.get("versions", [])
    recent = every[-SHOWN_VERSIONS:]
    own = sorted(version["rated"] for version in recent)
    met, histories = standings.get("head_to_head", {}), standings.get("history", {})
    return {
        "versions": recent,
        "older_versions": len(every) - len(recent),
        "head_to_head": {rated: met[rated] for rated in own if rated in met},
        "history": {rated: histories[rated] for rated in own if rated in histories},
    }
