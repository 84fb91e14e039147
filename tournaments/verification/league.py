"""A league: the records of its matches, against its settings, results, secret and standings.

The league is read from its database, or from its server, whose records are downloaded first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from referee.record import RecordError, Verified
from tournaments.model import (
    LeagueSettings,
    MatchState,
    Result,
    ScheduledMatch,
    Version,
    all_items,
    commitment_to_secret,
    package_version,
    rated_name,
)
from tournaments.ratings import HEAD, STANDINGS_VERSION, recompute_sections
from tournaments.server import LeagueClient
from tournaments.store import Store
from tournaments.verification.checks import Problem, Task, differences, result_of, settings_problems
from tournaments.verification.record_files import check_deal

NOT_COMPUTED: Final = (
    "the stored section is not what the results give; the server computes it anew."
)

NAMED: Final = 5
"""How many records that were removed are named."""


@dataclass(slots=True)
class LeagueRecords:
    """The released records of a league, and what the league states about them."""

    league: str
    settings: LeagueSettings
    commitment: str
    secret: str
    """Empty until it is published."""
    stated: Mapping[str, Mapping[str, object]]
    """The fields of the result of each match whose record is released."""
    records: Callable[[], Iterable[Task]]
    standings: StoredStandings | None = None
    """None where they are not compared."""
    thinned: Sequence[str] = ()
    """The matches whose records were removed by the retention rule of the league."""
    seen: set[str] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.stated)

    def tasks(self) -> Iterable[Task]:
        """Return the records."""
        for match, record in self.records():
            self.seen.add(match)
            yield match, record

    def problems(self, where: str, verified: Verified) -> Iterator[str]:
        """Compare a record with settings and results of the league, and with its secret."""
        try:
            shown = result_of(verified)
            if self.secret:
                check_deal(verified, bytes.fromhex(self.secret))
        except RecordError as error:
            yield str(error)
            return
        origin = verified.origin
        if origin is None or (origin.kind, origin.name) != ("league", self.league):
            yield "the record is of another league."
        stated = self.stated.get(where)
        if stated is None:
            yield "this match is not one of the league."
            return
        by_seat = replace(shown, forfeits=tuple(sorted(shown.forfeits)))
        yield from differences(by_seat, stated, "the league")
        control = self.settings.time_control_of(hosted=all(verified.packages))
        yield from settings_problems(verified, shown, self.settings, control, "league")
        yield from _package_problems(verified)

    def conclude(self) -> Iterator[Problem]:
        """Check that no record is missing, the published secret, and the stored standings."""
        for match in self.stated:
            if match not in self.seen:
                yield Problem(match, "the record is missing.")
        if self.secret and commitment_to_secret(bytes.fromhex(self.secret)) != self.commitment:
            yield Problem(self.league, "SHA-256 of the secret is not the commitment.")
        if self.standings is not None:
            wrong = self.standings.wrong_sections(self.settings)
            yield from (Problem(f"standings {name}", NOT_COMPUTED) for name in wrong)

    @property
    def summary(self) -> str:
        """What has been checked."""
        deals = (
            "every deal follows from the secret"
            if self.secret
            else "the deals can be checked when the league is closed and publishes its secret"
        )
        return (
            f"league {self.league}: {len(self.stated)} matches; every record was played again and "
            f"gives the result that the league states; {deals}; {self._standings_summary}."
            f"{self._thinned_summary}"
        )

    @property
    def _thinned_summary(self) -> str:
        if not self.thinned:
            return ""
        named, more = self.thinned[:NAMED], len(self.thinned) - NAMED
        noun = "record was" if len(self.thinned) == 1 else "records were"
        others = f" and {more} others" if more > 0 else ""
        return (
            f" {len(self.thinned)} {noun} thinned out, and could not be played again: "
            f"{', '.join(named)}{others}."
        )

    @property
    def _standings_summary(self) -> str:
        if self.standings is None:
            return "the standings were not compared"
        if not self.standings.is_complete:
            return "the stored standings lack the last results, and were not compared"
        return "the stored standings are what the results give"


def _package_problems(verified: Verified) -> Iterator[str]:
    """Compare the package of each submitted bot with its version, which is made of the hash."""
    for entrant, package in zip(verified.summary.entrants, verified.packages, strict=True):
        if package and Version.of(entrant).version != package_version(package):
            yield f"the package of {entrant} is {package}, which is that of another version."


@dataclass(frozen=True, slots=True)
class StoredStandings:
    """The standings that a league has stored, and what they are computed from."""

    sections: Mapping[str, str]
    """By name, as JSON."""
    results: Sequence[Result]
    entered: Collection[str]
    """The versions of the entrants, as ratings name them."""
    is_complete: bool
    """Whether the stored standings have all results, computed by this version."""

    def wrong_sections(self, settings: LeagueSettings) -> list[str]:
        """Return the names of the sections that are not what the results give."""
        if not self.is_complete:
            return []
        try:
            stored = {name: json.loads(text) for name, text in self.sections.items()}
            right = recompute_sections(stored, settings, self.results)
        except (KeyError, TypeError, ValueError, AttributeError):
            return [HEAD]
        right = json.loads(json.dumps(right))
        played = {name for result in self.results for name in result.entrants}
        return sorted(
            name
            for name in stored.keys() | right.keys()
            if stored.get(name) != right.get(name)
            or not {each["rated"] for each in right[name].get("versions", ())}
            <= {*played, *self.entered}
        )


def league_of_store(store: Store, league: str) -> LeagueRecords:
    """Return a league of a database."""
    found = store.league(league)
    matches = all_items(lambda token: store.matches(league, page_size=1000, page_token=token))
    over = [match for match in matches if match.released]
    stated = {match.id: _of_match(match) for match in over if match.has_record}
    thinned = [match.id for match in over if not match.has_record]
    return LeagueRecords(
        league,
        found.settings,
        found.commitment,
        found.secret,
        stated,
        lambda: store.records(league, list(stated)),
        _stored_standings(store, league),
        thinned,
    )


def _stored_standings(store: Store, league: str) -> StoredStandings | None:
    position, sections = store.stored_standings(league)
    if not position:
        return None
    counts = store.counts(league)
    entered = [
        rated_name(entrant.name, version)
        for entrant in all_items(partial(store.entrants, league, 1000))
        for version in entrant.versions
    ]
    return StoredStandings(
        sections,
        store.results(league),
        entered,
        position == counts[MatchState.PLAYED] + counts[MatchState.ANNULLED]
        and _standings_version(sections.get(HEAD, "")) == STANDINGS_VERSION,
    )


def _standings_version(head: str) -> int:
    """Return the version in a head; that of today if the head is damaged, which is then found."""
    try:
        return int(json.loads(head)["standings_version"])
    except (KeyError, TypeError, ValueError):
        return STANDINGS_VERSION


def leagues_of_store(store: Store) -> Iterator[str]:
    """Return the ids of all leagues of a database."""
    return (league.id for league in all_items(lambda token: store.leagues(page_token=token)))


def league_of_server(client: LeagueClient, league: str, folder: Path) -> LeagueRecords:
    """Return a league of a server; its records have been downloaded into a folder."""
    found = client.league(league)
    files = {path.name.partition(".")[0]: path for path in sorted(folder.glob("*.jsonl*"))}
    matches = list(client.matches(league))
    stated = {
        match["match"]: _of_message(match)
        for match in matches
        if match["record_released"] and match["match"] in files
    }
    return LeagueRecords(
        league,
        client.settings(league),
        found["commitment"],
        found["secret"],
        stated,
        files.items,
        thinned=[match["match"] for match in matches if match.get("record_thinned_time")],
    )


def _of_match(match: ScheduledMatch) -> dict[str, object]:
    return {
        "match": match.id,
        "set_id": match.set_id,
        "game": match.game,
        "variant": match.variant,
        "entrants": tuple(str(Version(seat.entrant, seat.version)) for seat in match.seats),
        "places": tuple(seat.place for seat in match.seats),
        "scores": tuple(seat.score for seat in match.seats),
        "forfeits": _forfeits(seat.forfeit for seat in match.seats),
        "used": tuple(seat.used for seat in match.seats),
        "decisions": match.decisions,
    }


def _of_message(match: Mapping[str, Any]) -> dict[str, object]:
    seats = match["seats"]
    return {
        "match": match["match"],
        "game": match["game"],
        "variant": match["variant"],
        "entrants": tuple(str(Version(seat["entrant"], seat["version"])) for seat in seats),
        "places": tuple(seat["place"] for seat in seats),
        "scores": tuple(seat["score"] for seat in seats),
        "forfeits": _forfeits(seat["forfeit"] for seat in seats),
        "decisions": match["decisions"],
    }


def _forfeits(seats: Iterable[bool]) -> tuple[int, ...]:
    return tuple(number for number, forfeit in enumerate(seats) if forfeit)
