"""LeagueService: leagues over gRPC.

Reading needs no token. Writing needs one in the metadata, whose role is looked up. Calls of the
store run in threads, beside the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, NoReturn

import grpc
from highstreet.v1 import league_pb2 as pb

from engine import UsageError
from referee.transports import (
    MOST_PER_PAGE,
    PER_PAGE,
    Rate,
    RateLimitError,
    Reason,
    TokenBuckets,
    address_of,
    refuse,
    token_of,
)
from tournaments.model import (
    ANONYMOUS,
    CompetitionState,
    ConflictError,
    FullError,
    Identity,
    InvalidError,
    NotFoundError,
    Role,
)
from tournaments.runner import LeagueManager
from tournaments.server.league_messages import (
    entrant_message,
    league_message,
    match_message,
    read_part,
    read_settings,
    read_state,
    standings_page,
)
from tournaments.store import Store, StoreError

log = logging.getLogger(__name__)

SERVICE: Final = pb.DESCRIPTOR.services_by_name["LeagueService"].full_name
LONGEST_REQUEST_ID: Final = 100
ENTRIES: Final = Rate(per_second=1 / 60, burst=10, patience=0)
"""How many bots may be entered from one address without the token of an organiser."""

Code = grpc.StatusCode
Context = grpc.aio.ServicerContext[Any, Any]
Answer = Callable[[Any, Identity], Awaitable[Any]]
Status = tuple[grpc.StatusCode, Any]

_CREATING: Final = (pb.CreateLeagueRequest, pb.EnterBotRequest)
_OF_ENTRANT: Final = (
    pb.WithdrawBotRequest,
    pb.DisqualifyBotRequest,
    pb.UnbenchBotRequest,
    pb.ReissueTokenRequest,
)


class Refusal(Exception):  # noqa: N818  it is an answer, not an error
    """What a request is refused with."""

    def __init__(self, code: grpc.StatusCode, reason: Any, detail: str) -> None:
        super().__init__(detail)
        self.status: Status = code, reason


class LeagueService:
    """Implements LeagueService for the leagues of a store."""

    def __init__(self, store: Store, manager: LeagueManager, *, open_entry: bool = False) -> None:
        self._store = store
        self._manager = manager
        self._open_entry = open_entry
        """Whether a bot may be entered without a token."""
        self._entries = TokenBuckets(ENTRIES)

    def add_to(self, server: grpc.aio.Server) -> None:
        """Add the service to a server."""
        answers: dict[str, Answer] = {
            "CreateLeague": self._create,
            "GetLeague": self._get,
            "ListLeagues": self._list,
            "CloseLeague": self._close,
            "EnterBot": self._enter,
            "WithdrawBot": self._withdraw,
            "DisqualifyBot": self._disqualify,
            "UnbenchBot": self._unbench,
            "ReissueToken": self._reissue,
            "AnnulMatch": self._annul,
            "ListEntrants": self._entrants,
            "GetStandings": self._standings,
            "ListMatches": self._matches,
        }
        methods = pb.DESCRIPTOR.services_by_name["LeagueService"].methods
        handlers = {
            method.name: grpc.unary_unary_rpc_method_handler(
                partial(self._answer, answers[method.name]),
                getattr(pb, method.input_type.name).FromString,
                _encoded,
            )
            for method in methods
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))

    async def _answer(self, answer: Answer, request: Any, context: Context) -> Any:
        """Answer a request, or refuse it with the status of the error."""
        try:
            who = await self._identity(context)
            if isinstance(request, pb.EnterBotRequest) and who.role != Role.ORGANISER:
                self._entries.take(address_of(context.peer()))
            return await answer(request, who)
        except (asyncio.CancelledError, grpc.aio.AbortError):
            raise
        except StoreError as error:
            log.error("the store does not answer: %s", error)  # noqa: TRY400  the message is enough
            status = Code.UNAVAILABLE, Reason.ERROR_REASON_INTERNAL
            detail = "the database of this server does not answer; try again later."
        except Exception as error:
            detail, known = str(error), _status(error, request)
            status = known or (Code.INTERNAL, Reason.ERROR_REASON_INTERNAL)
            if known is None:
                reference = secrets.token_hex(4)
                log.exception("a request failed, reference %s", reference)
                detail = f"a fault of the server; its reference is {reference}."
        return await refuse(context, *status, detail)

    async def _identity(self, context: Context) -> Identity:
        """Return the caller; an unknown token is refused, whatever the method."""
        token = token_of(context)
        if token is None:
            return ANONYMOUS
        identity = await asyncio.to_thread(self._store.identify, token)
        if identity.role == Role.ANYONE:
            detail = "this token is not known here."
            raise Refusal(Code.UNAUTHENTICATED, Reason.ERROR_REASON_BAD_TOKEN, detail)
        return identity

    # Leagues ------------------------------------------------------------------------------------

    async def _create(self, request: pb.CreateLeagueRequest, who: Identity) -> Any:
        _organisers_only(who)
        settings, request_id = read_settings(request.settings), _request_id(request.request_id)
        league = await asyncio.to_thread(
            self._store.create_league, request.league, settings, request_id=request_id
        )
        await self._manager.opened(league.id)
        return pb.CreateLeagueResponse(league=league_message(league))

    async def _get(self, request: pb.GetLeagueRequest, _who: Identity) -> Any:
        league = await asyncio.to_thread(self._store.league, request.league)
        return pb.GetLeagueResponse(league=league_message(league))

    async def _list(self, request: pb.ListLeaguesRequest, _who: Identity) -> Any:
        def answer() -> Any:
            page = self._store.leagues(_page_size(request.page_size), request.page_token)
            leagues = map(league_message, page.items)
            return pb.ListLeaguesResponse(leagues=leagues, next_page_token=page.next)

        return await _in_thread(answer)

    async def _close(self, request: pb.CloseLeagueRequest, who: Identity) -> Any:
        _organisers_only(who)
        await asyncio.to_thread(self._store.close_league, request.league)
        await self._manager.closed(request.league)
        league = await asyncio.to_thread(self._store.league, request.league)
        return pb.CloseLeagueResponse(league=league_message(league))

    # Entrants -----------------------------------------------------------------------------------

    async def _enter(self, request: pb.EnterBotRequest, who: Identity) -> Any:
        if not self._open_entry:
            _organisers_only(who)
        league = await asyncio.to_thread(self._store.league, request.league)
        if league.state == CompetitionState.CLOSED:
            detail = f'the league "{league.id}" is closed.'
            raise Refusal(Code.FAILED_PRECONDITION, Reason.ERROR_REASON_LEAGUE_CLOSED, detail)
        entrant, token = await asyncio.to_thread(
            self._store.enter,
            request.league,
            request.name,
            request.author,
            request_id=_request_id(request.request_id),
        )
        connections = self._manager.connections(entrant.competition, entrant.name)
        return pb.EnterBotResponse(entrant=entrant_message(entrant, connections), token=token)

    async def _withdraw(self, request: pb.WithdrawBotRequest, who: Identity) -> Any:
        _organisers_and(who, request.league, request.name)
        await asyncio.to_thread(
            self._store.withdraw, request.league, request.name, request.reason, Role(who.role)
        )
        by = "an organiser" if who.role == Role.ORGANISER else "your author"
        because = f"you were withdrawn by {by}{f': {request.reason}' if request.reason else '.'}"
        await self._manager.dismiss(request.league, request.name, because)
        return pb.WithdrawBotResponse(entrant=await self._shown(request))

    async def _disqualify(self, request: pb.DisqualifyBotRequest, who: Identity) -> Any:
        _organisers_only(who)
        reason = _given_reason(request.reason)
        await asyncio.to_thread(self._store.disqualify, request.league, request.name, reason)
        because = f"you were disqualified: {reason}"
        await self._manager.dismiss(request.league, request.name, because)
        await self._manager.recount(request.league)
        return pb.DisqualifyBotResponse(entrant=await self._shown(request))

    async def _unbench(self, request: pb.UnbenchBotRequest, who: Identity) -> Any:
        _organisers_and(who, request.league, request.name)
        by = Role(who.role)
        await asyncio.to_thread(self._store.unbench, request.league, request.name, by)
        return pb.UnbenchBotResponse(entrant=await self._shown(request))

    async def _reissue(self, request: pb.ReissueTokenRequest, who: Identity) -> Any:
        _organisers_and(who, request.league, request.name)
        reissue = self._store.reissue_entrant
        token = await asyncio.to_thread(reissue, request.league, request.name)
        return pb.ReissueTokenResponse(token=token)

    async def _entrants(self, request: pb.ListEntrantsRequest, _who: Identity) -> Any:
        present = self._manager.present(request.league)

        def answer() -> Any:
            size = _page_size(request.page_size)
            page = self._store.entrants(request.league, size, request.page_token)
            entrants = [entrant_message(each, present.get(each.name, 0)) for each in page.items]
            return pb.ListEntrantsResponse(entrants=entrants, next_page_token=page.next)

        return await _in_thread(answer)

    async def _shown(self, request: Any) -> pb.Entrant:
        """Return the entrant of a request as it is now."""
        entrant = await asyncio.to_thread(self._store.entrant, request.league, request.name)
        return entrant_message(entrant, self._manager.connections(request.league, request.name))

    # Matches and standings ----------------------------------------------------------------------

    async def _annul(self, request: pb.AnnulMatchRequest, who: Identity) -> Any:
        _organisers_only(who)
        reason = _given_reason(request.reason)
        await asyncio.to_thread(self._store.annul, request.match, reason)
        match = await asyncio.to_thread(self._store.match, request.match)
        await self._manager.recount(match.competition)
        return pb.AnnulMatchResponse(match=match_message(match))

    async def _matches(self, request: pb.LeagueServiceListMatchesRequest, _who: Identity) -> Any:
        def answer() -> Any:
            self._store.league(request.league)  # raises NotFoundError
            page = self._store.matches(
                request.league,
                entrant=request.entrant or None,
                game=request.game or None,
                state=read_state(request.state),
                page_size=_page_size(request.page_size),
                page_token=request.page_token,
            )
            matches = map(match_message, page.items)
            return pb.LeagueServiceListMatchesResponse(matches=matches, next_page_token=page.next)

        return await _in_thread(answer)

    async def _standings(self, request: pb.GetStandingsRequest, _who: Identity) -> Any:
        league = await asyncio.to_thread(self._store.league, request.league)
        part = read_part(request)
        try:
            part.check(league.settings)
        except NotFoundError as error:
            raise InvalidError(str(error)) from None
        size, first = _page_size(request.page_size), _row_number(request.page_token)
        table = await self._manager.standings(request.league, part)
        return await _in_thread(lambda: standings_page(table or {}, first, size))


def _status(error: Exception, request: Any) -> Status | None:
    """Return the status that an error is answered with; None for a fault of the server."""
    if isinstance(error, Refusal):
        return error.status
    if isinstance(error, RateLimitError):
        return Code.RESOURCE_EXHAUSTED, Reason.ERROR_REASON_TOO_MANY_REQUESTS
    if isinstance(error, NotFoundError):
        missing = Reason.ERROR_REASON_NO_SUCH_LEAGUE
        if isinstance(request, _OF_ENTRANT):
            missing = Reason.ERROR_REASON_NO_SUCH_ENTRANT
        elif isinstance(request, pb.AnnulMatchRequest):
            missing = Reason.ERROR_REASON_NO_SUCH_MATCH
        return Code.NOT_FOUND, missing
    if isinstance(error, FullError):
        return Code.RESOURCE_EXHAUSTED, Reason.ERROR_REASON_WRONG_STATE
    if isinstance(error, ConflictError):
        if isinstance(request, _CREATING):
            return Code.ALREADY_EXISTS, Reason.ERROR_REASON_ALREADY_EXISTS
        return Code.FAILED_PRECONDITION, Reason.ERROR_REASON_WRONG_STATE
    if isinstance(error, UsageError | ValueError):
        return Code.INVALID_ARGUMENT, Reason.ERROR_REASON_BAD_REQUEST
    return None


# Permissions ------------------------------------------------------------------------------------


def _organisers_only(who: Identity) -> None:
    if who.role != Role.ORGANISER:
        _not_allowed(who, "only an organiser may do that.")


def _organisers_and(who: Identity, league: str, name: str) -> None:
    own = who.role == Role.ENTRANT and (who.league, who.entrant) == (league, name)
    if not own and who.role != Role.ORGANISER:
        _not_allowed(who, "only an organiser and the bot itself may do that.")


def _not_allowed(who: Identity, detail: str) -> NoReturn:
    if who.role == Role.ANYONE:
        detail = f'{detail} Send a token in the metadata: "authorization: Bearer TOKEN".'
        raise Refusal(Code.UNAUTHENTICATED, Reason.ERROR_REASON_BAD_TOKEN, detail)
    detail = f"your token is not good for this: {detail}"
    raise Refusal(Code.PERMISSION_DENIED, Reason.ERROR_REASON_NOT_ALLOWED, detail)


# Fields of requests -----------------------------------------------------------------------------


def _page_size(size: int) -> int:
    if not 0 <= size <= MOST_PER_PAGE:
        raise ValueError(f"page_size is {size}; it goes from 0 to {MOST_PER_PAGE}.")
    return size or PER_PAGE


def _row_number(token: str) -> int:
    if token and not (token.isascii() and token.isdecimal() and len(token) < 10):
        raise ValueError("this page_token is none of ours.")
    return int(token or 0)


def _request_id(text: str) -> str:
    if len(text) > LONGEST_REQUEST_ID or not text.isprintable():
        raise ValueError(f"a request_id has at most {LONGEST_REQUEST_ID} printable characters.")
    return text


def _given_reason(text: str) -> str:
    if not text.strip():
        raise ValueError("a reason is missing: everybody will read it.")
    return text.strip()


def _encoded(answer: Any) -> bytes:
    """Return an answer as it is sent; a large one has been encoded already."""
    return answer if isinstance(answer, bytes) else answer.SerializeToString()


async def _in_thread(make: Callable[[], Any]) -> bytes:
    """Make and encode a large answer in a thread: the event loop keeps the clocks of matches."""
    return await asyncio.to_thread(lambda: _encoded(make()))
