"""The other side of LeagueService: ask a league server, and tell it what to do.

    with LeagueClient("league.example:7000", token) as client:
        for entrant in client.entrants("spring"):
            …

What comes back are plain values, as JSON has them: enums as words, moments as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Self

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from highstreet.v1 import league_pb2 as pb

from engine import HighstreetError
from referee.record import printable
from tournaments.league import wire
from tournaments.league.settings import LeagueSettings

SECONDS: Final = 30.0
"""How long an answer may take."""
PER_PAGE: Final = 500
MOST_PAGES: Final = 10_000

_METHODS: Final = f"/{pb.DESCRIPTOR.services_by_name['LeagueService'].full_name}/"
_PREFIXES: Final = (
    "LEAGUE_MATCH_STATE_",
    "LEAGUE_STATE_",
    "ENTRANT_STATE_",
    "DEAL_SHARING_",
    "SCHEDULER_",
    "REACTION_",
)
Values = dict[str, Any]


class LeagueClientError(HighstreetError):
    """What a server refuses, or that it does not answer."""


class LeagueClient:
    """Speaks with one league server."""

    def __init__(self, server: str, token: str | None = None, ca: bytes | None = None) -> None:
        self._server = server
        self._metadata = [("authorization", f"Bearer {token}")] if token else []
        if ca is None:
            self._channel = grpc.insecure_channel(server)
        else:
            self._channel = grpc.secure_channel(server, grpc.ssl_channel_credentials(ca))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    # Leagues ------------------------------------------------------------------------------------

    def create(self, league: str, settings: LeagueSettings, request_id: str = "") -> Values:
        """Make a league."""
        request = pb.CreateLeagueRequest(
            league=league, settings=wire.settings_message(settings), request_id=request_id
        )
        return self._one("CreateLeague", request, pb.CreateLeagueResponse, "league")

    def league(self, league: str) -> Values:
        """Return a league."""
        request = pb.GetLeagueRequest(league=league)
        return self._one("GetLeague", request, pb.GetLeagueResponse, "league")

    def leagues(self) -> Iterator[Values]:
        """Return all leagues."""
        return self._all("ListLeagues", pb.ListLeaguesRequest(), pb.ListLeaguesResponse, "leagues")

    def close(self, league: str) -> Values:
        """End a league."""
        request = pb.CloseLeagueRequest(league=league)
        return self._one("CloseLeague", request, pb.CloseLeagueResponse, "league")

    # Entrants -----------------------------------------------------------------------------------

    def enter(
        self, league: str, name: str, author: str, request_id: str = ""
    ) -> tuple[Values, str]:
        """Enter a bot; return it with its token."""
        request = pb.EnterBotRequest(league=league, name=name, author=author, request_id=request_id)
        said = self._ask("EnterBot", request, pb.EnterBotResponse)
        return _values(said.entrant), said.token

    def withdraw(self, league: str, name: str, reason: str) -> Values:
        """Take a bot out."""
        request = pb.WithdrawBotRequest(league=league, name=name, reason=reason)
        return self._one("WithdrawBot", request, pb.WithdrawBotResponse, "entrant")

    def disqualify(self, league: str, name: str, reason: str) -> Values:
        """Take a bot and its results out."""
        request = pb.DisqualifyBotRequest(league=league, name=name, reason=reason)
        return self._one("DisqualifyBot", request, pb.DisqualifyBotResponse, "entrant")

    def unbench(self, league: str, name: str) -> Values:
        """Let a bot play again."""
        request = pb.UnbenchBotRequest(league=league, name=name)
        return self._one("UnbenchBot", request, pb.UnbenchBotResponse, "entrant")

    def entrants(self, league: str) -> Iterator[Values]:
        """Return everybody in a league."""
        request = pb.ListEntrantsRequest(league=league)
        return self._all("ListEntrants", request, pb.ListEntrantsResponse, "entrants")

    # Matches and standings ----------------------------------------------------------------------

    def annul(self, match: str, reason: str) -> Values:
        """Take the result of a match away."""
        request = pb.AnnulMatchRequest(match=match, reason=reason)
        return self._one("AnnulMatch", request, pb.AnnulMatchResponse, "match")

    def matches(
        self, league: str, *, entrant: str = "", game: str = "", state: str = ""
    ) -> Iterator[Values]:
        """Return matches, the newest first."""
        wanted = f"LEAGUE_MATCH_STATE_{state.upper()}" if state else None
        request = pb.LeagueServiceListMatchesRequest(
            league=league, entrant=entrant, game=game, state=wanted
        )
        answer = pb.LeagueServiceListMatchesResponse
        return self._all("ListMatches", request, answer, "matches")

    def standings(
        self, league: str, *, game: str = "", seats: int = 0, variant: str = ""
    ) -> tuple[list[Values], int]:
        """Return the table of a league, or of a part of it, and how many matches it counts."""
        request = pb.GetStandingsRequest(league=league, game=game, seats=seats, variant=variant)
        rows: list[Values] = []
        matches = 0
        for page in self._pages("GetStandings", request, pb.GetStandingsResponse):
            rows += map(_values, page.standings)
            matches = page.matches
        return rows, matches

    # How ----------------------------------------------------------------------------------------

    def _one(self, method: str, request: Message, answer: Any, field: str) -> Values:
        return _values(getattr(self._ask(method, request, answer), field))

    def _all(self, method: str, request: Any, answer: Any, field: str) -> Iterator[Values]:
        for page in self._pages(method, request, answer):
            yield from map(_values, getattr(page, field))

    def _pages(self, method: str, request: Any, answer: Any) -> Iterator[Any]:
        request.page_size = PER_PAGE
        for _ in range(MOST_PAGES):
            page = self._ask(method, request, answer)
            yield page
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def _ask(self, method: str, request: Message, answer: Any) -> Any:
        call: Any = self._channel.unary_unary(
            f"{_METHODS}{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=answer.FromString,
        )
        try:
            return call(request, timeout=SECONDS, metadata=self._metadata)
        except grpc.RpcError as error:
            raise LeagueClientError(self._explained(error)) from None

    def _explained(self, error: Any) -> str:
        code, detail = error.code(), printable(error.details() or "").rstrip(".")
        if code is grpc.StatusCode.UNAVAILABLE:
            hint = "Is the address right, is a server there, and does it want TLS or not?"
            return f"{self._server} does not answer: {detail}. {hint}"
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return f"{self._server} is no league server."
        return f"{self._server} refuses: {detail}."


def _values(message: Message) -> Values:
    """Return a message as plain values, with words for enums."""
    said = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    worded = _worded(said)
    assert isinstance(worded, dict)  # noqa: S101  a message is one
    return worded


def _worded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _worded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_worded(each) for each in value]
    if isinstance(value, str):
        for prefix in _PREFIXES:
            if value.startswith(prefix):
                return value.removeprefix(prefix).lower()
    return value
