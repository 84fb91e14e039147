"""A client of LeagueService.

with LeagueClient("league.example:7000", token) as client:
    for entrant in client.entrants("spring"):
        …
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tournaments.model import LeagueSettings
from tournaments.server.league_messages import read_shown_settings, settings_message
from tournaments.server.service_client import ServiceClient, Values, plain_values


class LeagueClient(ServiceClient):
    """Calls the methods of LeagueService."""

    # Leagues ------------------------------------------------------------------------------------

    def create(self, league: str, settings: LeagueSettings, request_id: str = "") -> Values:
        """Make a league."""
        said = self._call(
            "CreateLeague",
            league=league,
            settings=settings_message(settings),
            request_id=request_id,
            enrolment_code=settings.enrolment_code,
        )
        return plain_values(said.league)

    def league(self, league: str) -> Values:
        """Return a league."""
        return plain_values(self._call("GetLeague", league=league).league)

    def settings(self, league: str) -> LeagueSettings:
        """Return the settings of a league."""
        return read_shown_settings(self._call("GetLeague", league=league).league.settings)

    def leagues(self) -> Iterator[Values]:
        """Return all leagues."""
        return self._all("ListLeagues", "leagues")

    def close(self, league: str) -> Values:
        """End a league."""
        return plain_values(self._call("CloseLeague", league=league).league)

    # Seasons ------------------------------------------------------------------------------------

    def start_season(self, league: str, ends_at: datetime | None = None) -> Values:
        """Start the next season."""
        said = self._call("StartSeason", league=league, ends_at=ends_at)
        return plain_values(said.season)

    def end_season(self, league: str, *, another: bool = False) -> Values:
        """End the season that is open."""
        return plain_values(self._call("EndSeason", league=league, another=another).season)

    def seasons(self, league: str) -> list[Values]:
        """Return the seasons of a league, the newest first."""
        return [plain_values(each) for each in self._call("ListSeasons", league=league).seasons]

    def season(self, league: str, number: int = 0) -> Values:
        """Return a season of a league, the newest one by default."""
        return plain_values(self._call("GetSeason", league=league, number=number).season)

    # Entrants -----------------------------------------------------------------------------------

    def enter(
        self, league: str, name: str, author: str, request_id: str = ""
    ) -> tuple[Values, str]:
        """Enter a bot; return it with its token."""
        said = self._call(
            "EnterBot", league=league, name=name, author=author, request_id=request_id
        )
        return plain_values(said.entrant), said.token

    def withdraw(self, league: str, name: str, reason: str) -> Values:
        """Take a bot out."""
        said = self._call("WithdrawBot", league=league, name=name, reason=reason)
        return plain_values(said.entrant)

    def disqualify(self, league: str, name: str, reason: str) -> Values:
        """Take a bot and its results out."""
        said = self._call("DisqualifyBot", league=league, name=name, reason=reason)
        return plain_values(said.entrant)

    def unbench(self, league: str, name: str) -> Values:
        """Let a bot play again."""
        return plain_values(self._call("UnbenchBot", league=league, name=name).entrant)

    def reissue_token(self, league: str, name: str) -> str:
        """Return a new token of a bot; its old ones are revoked."""
        token: str = self._call("ReissueToken", league=league, name=name).token
        return token

    def entrants(self, league: str) -> Iterator[Values]:
        """Return the entrants of a league."""
        return self._all("ListEntrants", "entrants", league=league)

    # Matches and standings ----------------------------------------------------------------------

    def annul(self, match: str, reason: str) -> Values:
        """Take the result of a match away."""
        return plain_values(self._call("AnnulMatch", match=match, reason=reason).match)

    def matches(
        self, league: str, *, entrant: str = "", game: str = "", state: str = "", season: int = 0
    ) -> Iterator[Values]:
        """Return matches, the newest first."""
        wanted = f"LEAGUE_MATCH_STATE_{state.upper()}" if state else None
        filters: dict[str, Any] = {
            "league": league,
            "entrant": entrant,
            "game": game,
            "state": wanted,
        }
        filters["season"] = season
        return self._all("ListMatches", "matches", **filters)

    def standings(
        self,
        league: str,
        *,
        game: str = "",
        seats: int = 0,
        variant: str = "",
        season: int = 0,
        division: int = 0,
    ) -> tuple[list[Values], int]:
        """Return the table of a league, or of a part of it, and how many matches it counts."""
        filters: dict[str, Any] = {
            "league": league,
            "game": game,
            "seats": seats,
            "variant": variant,
        }
        filters |= {"season": season, "division": division}
        pages = list(self._pages("GetStandings", **filters))
        return [plain_values(row) for page in pages for row in page.standings], pages[-1].matches

    def residuals(self, league: str) -> tuple[list[Values], int]:
        """Return the residuals of pairs, the most striking first, and how many were tested."""
        pages = list(self._pages("ListResiduals", league=league))
        return [plain_values(row) for page in pages for row in page.residuals], pages[-1].pairs
