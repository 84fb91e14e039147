"""A client of LeagueService.

    with LeagueClient("league.example:7000", token) as client:
        for entrant in client.entrants("spring"):
            …

Answers are plain values, as in JSON: enums as words, time stamps as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, Self

import grpc
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from highstreet.v1 import league_pb2 as pb
from highstreet.v1 import play_pb2
from highstreet.v1.league_pb2_grpc import LeagueServiceStub

from engine import HighstreetError
from referee.record import printable
from tournaments.model import LeagueSettings
from tournaments.server.league_messages import read_settings, settings_message, word

SECONDS: Final = 30.0
"""The deadline of a call."""
PER_PAGE: Final = 500
MOST_PAGES: Final = 10_000
AUTHENTICATE: Final = (
    "No token was given: set HIGHSTREET_TOKEN, or name a file that holds it with --token-file."
)

_METHODS: Final = pb.DESCRIPTOR.services_by_name["LeagueService"].methods_by_name
_WORDS: Final = {
    value.name: word(enum, value.number)
    for file in (pb.DESCRIPTOR, play_pb2.DESCRIPTOR)
    for enum in file.enum_types_by_name.values()
    for value in enum.values
    if value.number
}
Values = dict[str, Any]


class LeagueClientError(HighstreetError):
    """A request that the server refused, or did not answer."""


class NoLeagueServerError(LeagueClientError):
    """A server without leagues: the referee of a tournament."""


class LeagueClient:
    """Calls the methods of one league server."""

    def __init__(self, server: str, token: str | None = None, ca: bytes | None = None) -> None:
        self._server = server
        self._metadata = [("authorization", f"Bearer {token}")] if token else []
        if ca is None:
            self._channel = grpc.insecure_channel(server)
        else:
            self._channel = grpc.secure_channel(server, grpc.ssl_channel_credentials(ca))
        self._stub: Any = LeagueServiceStub(self._channel)  # type: ignore[no-untyped-call]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    # Leagues ------------------------------------------------------------------------------------

    def create(self, league: str, settings: LeagueSettings, request_id: str = "") -> Values:
        """Make a league."""
        message = settings_message(settings)
        said = self._call("CreateLeague", league=league, settings=message, request_id=request_id)
        return _values(said.league)

    def league(self, league: str) -> Values:
        """Return a league."""
        return _values(self._call("GetLeague", league=league).league)

    def settings(self, league: str) -> LeagueSettings:
        """Return the settings of a league."""
        return read_settings(self._call("GetLeague", league=league).league.settings)

    def leagues(self) -> Iterator[Values]:
        """Return all leagues."""
        return self._all("ListLeagues", "leagues")

    def close(self, league: str) -> Values:
        """End a league."""
        return _values(self._call("CloseLeague", league=league).league)

    # Entrants -----------------------------------------------------------------------------------

    def enter(
        self, league: str, name: str, author: str, request_id: str = ""
    ) -> tuple[Values, str]:
        """Enter a bot; return it with its token."""
        said = self._call(
            "EnterBot", league=league, name=name, author=author, request_id=request_id
        )
        return _values(said.entrant), said.token

    def withdraw(self, league: str, name: str, reason: str) -> Values:
        """Take a bot out."""
        said = self._call("WithdrawBot", league=league, name=name, reason=reason)
        return _values(said.entrant)

    def disqualify(self, league: str, name: str, reason: str) -> Values:
        """Take a bot and its results out."""
        said = self._call("DisqualifyBot", league=league, name=name, reason=reason)
        return _values(said.entrant)

    def unbench(self, league: str, name: str) -> Values:
        """Let a bot play again."""
        return _values(self._call("UnbenchBot", league=league, name=name).entrant)

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
        return _values(self._call("AnnulMatch", match=match, reason=reason).match)

    def matches(
        self, league: str, *, entrant: str = "", game: str = "", state: str = ""
    ) -> Iterator[Values]:
        """Return matches, the newest first."""
        wanted = f"LEAGUE_MATCH_STATE_{state.upper()}" if state else None
        filters = {"league": league, "entrant": entrant, "game": game, "state": wanted}
        return self._all("ListMatches", "matches", **filters)

    def standings(
        self, league: str, *, game: str = "", seats: int = 0, variant: str = ""
    ) -> tuple[list[Values], int]:
        """Return the table of a league, or of a part of it, and how many matches it counts."""
        filters = {"league": league, "game": game, "seats": seats, "variant": variant}
        pages = list(self._pages("GetStandings", **filters))
        return [_values(row) for page in pages for row in page.standings], pages[-1].matches

    # Calls --------------------------------------------------------------------------------------

    def _all(self, method: str, field: str, **fields: Any) -> Iterator[Values]:
        for page in self._pages(method, **fields):
            yield from map(_values, getattr(page, field))

    def _pages(self, method: str, **fields: Any) -> Iterator[Any]:
        token = ""
        for _ in range(MOST_PAGES):
            page = self._call(method, **fields, page_size=PER_PAGE, page_token=token)
            yield page
            token = page.next_page_token
            if not token:
                return

    def _call(self, method: str, **fields: Any) -> Any:
        request = getattr(pb, _METHODS[method].input_type.name)(**fields)
        call = getattr(self._stub, method)
        try:
            return call(request, timeout=SECONDS, metadata=self._metadata)
        except grpc.RpcError as error:
            code: Any = error.code()
            if code is grpc.StatusCode.UNIMPLEMENTED:
                raise NoLeagueServerError(f"{self._server} is no league server.") from None
            raise LeagueClientError(self._explained(error)) from None

    def _explained(self, error: Any) -> str:
        code, detail = error.code(), printable(error.details() or "").rstrip(".")
        if code is grpc.StatusCode.UNAVAILABLE:
            hint = "Is the address right, is a server there, and does it use TLS?"
            return f"{self._server} does not answer: {detail}. {hint}"
        if code is grpc.StatusCode.UNAUTHENTICATED and not self._metadata:
            return f"{self._server} refuses: {detail.split('. ')[0]}. {AUTHENTICATE}"
        return f"{self._server} refuses: {detail}."


def _values(message: Message) -> Values:
    """Return a message as plain values, with words for enums."""
    text = MessageToJson(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    values: Values = json.loads(text, object_hook=_worded)
    return values


def _worded(values: Values) -> Values:
    return {
        key: _WORDS.get(value, value) if isinstance(value, str) else value
        for key, value in values.items()
    }
