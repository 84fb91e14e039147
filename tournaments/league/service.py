"""LeagueService: leagues over gRPC.

Reading is for everybody. Writing asks for a token in the metadata, and looks up what it is good
for. Every call of the store happens beside the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, NoReturn, Protocol, TypeVar

import grpc
from highstreet.v1 import error_pb2
from highstreet.v1 import league_pb2 as pb

from engine import UsageError
from referee.server import refuse
from referee.tokens import hashed
from tournaments.league import wire
from tournaments.league.gate import OF_ADDRESS, OF_TOKEN, Buckets, TooFastError, address_of
from tournaments.league.model import (
    NOBODY,
    ConflictError,
    Identity,
    InvalidError,
    LeagueState,
    NotFoundError,
    Role,
)
from tournaments.league.store import LeagueStore, StoreError

log = logging.getLogger(__name__)

SERVICE: Final = pb.DESCRIPTOR.services_by_name["LeagueService"].full_name
MOST_PER_PAGE: Final = 1000
PER_PAGE: Final = 100
LONGEST_REQUEST_ID: Final = 100

Reason = error_pb2.ErrorReason
Context = grpc.aio.ServicerContext[Any, Any]
T = TypeVar("T")
Answer = Callable[[Any, Identity], Awaitable[Any]]


class Refusal(Exception):  # noqa: N818  it is the answer, and no error of ours
    """What a request is refused with."""

    def __init__(self, code: grpc.StatusCode, reason: Any, detail: str) -> None:
        super().__init__(detail)
        self.code, self.reason, self.detail = code, reason, detail


class Hall(Protocol):
    """Whoever runs the leagues: told what changes, and asked who is there."""

    def connections(self, league: str, name: str) -> int:
        """Return how many connections a bot has."""

    async def opened(self, league: str) -> None:
        """Learn that there is a new league."""

    async def closed(self, league: str) -> None:
        """Learn that a league has ended."""

    async def dismiss(self, league: str, name: str, reason: str) -> None:
        """Send a bot away that takes part no more."""

    async def recount(self, league: str) -> None:
        """Learn that results have been taken away."""

    async def standings(self, league: str) -> Mapping[str, Any] | None:
        """Return the standings of a league as they were last counted."""


class LeagueService:
    """Answers for the leagues of a store."""

    def __init__(self, store: LeagueStore, hall: Hall, *, open_entry: bool = False) -> None:
        self._store = store
        self._hall = hall
        self._open_entry = open_entry
        """Whether everybody may enter a bot."""

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
                getattr(pb, method.output_type.name).SerializeToString,
            )
            for method in methods
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))

    # Around every answer ------------------------------------------------------------------------

    async def _answer(self, answer: Answer, request: Any, context: Context) -> Any:
        try:
            return await answer(request, await self._identity(context))
        except Refusal as refusal:
            return await refuse(context, refusal.code, refusal.reason, refusal.detail)
        except StoreError as error:
            log.error("the store does not answer: %s", error)  # noqa: TRY400  it says it all
            detail = "the database of this server does not answer; try again later."
            return await refuse(
                context, grpc.StatusCode.UNAVAILABLE, Reason.ERROR_REASON_INTERNAL, detail
            )
        except (InvalidError, UsageError, ValueError) as error:
            return await refuse(
                context,
                grpc.StatusCode.INVALID_ARGUMENT,
                Reason.ERROR_REASON_BAD_REQUEST,
                str(error),
            )
        except (asyncio.CancelledError, grpc.aio.AbortError):
            raise
        except Exception:
            reference = secrets.token_hex(4)
            log.exception("a request broke, reference %s", reference)
            return await refuse(
                context,
                grpc.StatusCode.INTERNAL,
                Reason.ERROR_REASON_INTERNAL,
                f"a fault of the server; its reference is {reference}.",
            )

    async def _identity(self, context: Context) -> Identity:
        """Return who asks; a token that nobody has is refused whatever is asked for."""
        token = token_of(context)
        if token is None:
            return NOBODY
        identity = await asyncio.to_thread(self._store.identify, token)
        if identity.role == Role.ANYONE:
            raise Refusal(
                grpc.StatusCode.UNAUTHENTICATED,
                Reason.ERROR_REASON_BAD_TOKEN,
                "this token is not known here.",
            )
        return identity

    # Leagues ------------------------------------------------------------------------------------

    async def _create(self, request: pb.CreateLeagueRequest, who: Identity) -> Any:
        _organisers_only(who)
        settings = wire.read_settings(request.settings)
        create = partial(
            self._store.create_league,
            request.league,
            settings,
            request_id=_request_id(request.request_id),
        )
        league = await _taken(create)
        await self._hall.opened(league.id)
        return pb.CreateLeagueResponse(league=wire.league_message(league))

    async def _get(self, request: pb.GetLeagueRequest, _who: Identity) -> Any:
        league = await _league(partial(self._store.league, request.league))
        return pb.GetLeagueResponse(league=wire.league_message(league))

    async def _list(self, request: pb.ListLeaguesRequest, _who: Identity) -> Any:
        page = await asyncio.to_thread(
            self._store.leagues, _page_size(request.page_size), request.page_token
        )
        return pb.ListLeaguesResponse(
            leagues=map(wire.league_message, page.items), next_page_token=page.next
        )

    async def _close(self, request: pb.CloseLeagueRequest, who: Identity) -> Any:
        _organisers_only(who)
        await _league(partial(self._store.close_league, request.league))
        await self._hall.closed(request.league)
        league = await asyncio.to_thread(self._store.league, request.league)
        return pb.CloseLeagueResponse(league=wire.league_message(league))

    # Entrants -----------------------------------------------------------------------------------

    async def _enter(self, request: pb.EnterBotRequest, who: Identity) -> Any:
        if not self._open_entry:
            _organisers_only(who)
        league = await _league(partial(self._store.league, request.league))
        if league.state == LeagueState.CLOSED:
            raise Refusal(
                grpc.StatusCode.FAILED_PRECONDITION,
                Reason.ERROR_REASON_LEAGUE_CLOSED,
                f'the league "{league.id}" is closed.',
            )
        enter = partial(
            self._store.enter,
            request.league,
            request.name,
            request.author,
            request_id=_request_id(request.request_id),
        )
        entrant, token = await _taken(enter)
        message = wire.entrant_message(
            entrant, self._hall.connections(entrant.league, entrant.name)
        )
        return pb.EnterBotResponse(entrant=message, token=token)

    async def _withdraw(self, request: pb.WithdrawBotRequest, who: Identity) -> Any:
        _organisers_and(who, request.league, request.name)
        reason = request.reason or "withdrawn by its author."
        await _entrant(partial(self._store.withdraw, request.league, request.name, reason))
        await self._hall.dismiss(request.league, request.name, f"you were withdrawn: {reason}")
        return pb.WithdrawBotResponse(entrant=await self._shown(request.league, request.name))

    async def _disqualify(self, request: pb.DisqualifyBotRequest, who: Identity) -> Any:
        _organisers_only(who)
        reason = _given_reason(request.reason)
        await _entrant(partial(self._store.disqualify, request.league, request.name, reason))
        await self._hall.dismiss(request.league, request.name, f"you were disqualified: {reason}")
        await self._hall.recount(request.league)
        return pb.DisqualifyBotResponse(entrant=await self._shown(request.league, request.name))

    async def _unbench(self, request: pb.UnbenchBotRequest, who: Identity) -> Any:
        _organisers_and(who, request.league, request.name)
        await _entrant(partial(self._store.unbench, request.league, request.name))
        return pb.UnbenchBotResponse(entrant=await self._shown(request.league, request.name))

    async def _entrants(self, request: pb.ListEntrantsRequest, _who: Identity) -> Any:
        page = await _league(
            partial(
                self._store.entrants,
                request.league,
                _page_size(request.page_size),
                request.page_token,
            )
        )
        shown = [
            wire.entrant_message(entrant, self._hall.connections(entrant.league, entrant.name))
            for entrant in page.items
        ]
        return pb.ListEntrantsResponse(entrants=shown, next_page_token=page.next)

    async def _shown(self, league: str, name: str) -> pb.Entrant:
        entrant = await asyncio.to_thread(self._store.entrant, league, name)
        return wire.entrant_message(entrant, self._hall.connections(league, name))

    # Matches and standings ----------------------------------------------------------------------

    async def _annul(self, request: pb.AnnulMatchRequest, who: Identity) -> Any:
        _organisers_only(who)
        reason = _given_reason(request.reason)
        await _found(
            partial(self._store.annul, request.match, reason), Reason.ERROR_REASON_NO_SUCH_MATCH
        )
        match = await asyncio.to_thread(self._store.match, request.match)
        await self._hall.recount(match.league)
        return pb.AnnulMatchResponse(match=wire.match_message(match))

    async def _matches(self, request: pb.LeagueServiceListMatchesRequest, _who: Identity) -> Any:
        await _league(partial(self._store.league, request.league))
        page = await asyncio.to_thread(
            partial(
                self._store.matches,
                request.league,
                entrant=request.entrant or None,
                game=request.game or None,
                state=wire.read_state(request.state),
                page_size=_page_size(request.page_size),
                page_token=request.page_token,
            )
        )
        return pb.LeagueServiceListMatchesResponse(
            matches=map(wire.match_message, page.items), next_page_token=page.next
        )

    async def _standings(self, request: pb.GetStandingsRequest, _who: Identity) -> Any:
        league = await _league(partial(self._store.league, request.league))
        part = wire.read_part(request)
        part.check(league.settings)
        table = part.of(await self._hall.standings(request.league))
        rows, matches = wire.standing_messages(table or {})
        size, first = _page_size(request.page_size), _row_number(request.page_token)
        following = first + size
        return pb.GetStandingsResponse(
            standings=rows[first:following],
            next_page_token=str(following) if following < len(rows) else "",
            matches=matches,
        )


# Who may ----------------------------------------------------------------------------------------


def token_of(context: Context) -> str | None:
    """Return the token in the metadata of a call, if there is one."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = (value if isinstance(value, str) else "").partition(" ")
            if scheme.lower() == "bearer":
                return token.strip()
    return None


def _organisers_only(who: Identity) -> None:
    if who.role != Role.ORGANISER:
        _not_allowed(who, "only an organiser may do that.")


def _organisers_and(who: Identity, league: str, name: str) -> None:
    own = who.role == Role.ENTRANT and (who.league, who.entrant) == (league, name)
    if not own and who.role != Role.ORGANISER:
        _not_allowed(who, "only an organiser and the bot itself may do that.")


def _not_allowed(who: Identity, detail: str) -> NoReturn:
    if who.role == Role.ANYONE:
        raise Refusal(
            grpc.StatusCode.UNAUTHENTICATED,
            Reason.ERROR_REASON_BAD_TOKEN,
            f'{detail} Send a token in the metadata: "authorization: Bearer TOKEN".',
        )
    raise Refusal(
        grpc.StatusCode.PERMISSION_DENIED,
        Reason.ERROR_REASON_NOT_ALLOWED,
        f"your token is not good for this: {detail}",
    )


# What is asked for ------------------------------------------------------------------------------


def _page_size(asked: int) -> int:
    if not 0 <= asked <= MOST_PER_PAGE:
        raise ValueError(f"page_size is {asked}; it goes from 0 to {MOST_PER_PAGE}.")
    return asked or PER_PAGE


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


async def _found(call: Callable[[], T], missing: Any) -> T:
    """Ask the store; say what is missing, or that the state does not fit."""
    try:
        return await asyncio.to_thread(call)
    except NotFoundError as error:
        raise Refusal(grpc.StatusCode.NOT_FOUND, missing, str(error)) from None
    except ConflictError as error:
        raise Refusal(
            grpc.StatusCode.FAILED_PRECONDITION, Reason.ERROR_REASON_WRONG_STATE, str(error)
        ) from None


async def _league(call: Callable[[], T]) -> T:
    return await _found(call, Reason.ERROR_REASON_NO_SUCH_LEAGUE)


async def _entrant(call: Callable[[], T]) -> T:
    return await _found(call, Reason.ERROR_REASON_NO_SUCH_ENTRANT)


async def _taken(call: Callable[[], T]) -> T:
    """Make something that has a name of its own; a name that is taken is refused."""
    try:
        return await asyncio.to_thread(call)
    except NotFoundError as error:
        raise Refusal(
            grpc.StatusCode.NOT_FOUND, Reason.ERROR_REASON_NO_SUCH_LEAGUE, str(error)
        ) from None
    except ConflictError as error:
        raise Refusal(
            grpc.StatusCode.ALREADY_EXISTS, Reason.ERROR_REASON_ALREADY_EXISTS, str(error)
        ) from None


# Rate limits ------------------------------------------------------------------------------------


class Throttle(grpc.aio.ServerInterceptor):
    """Counts requests by token and by address; streams of bots are counted at the door."""

    def __init__(self) -> None:
        self._addresses = Buckets(OF_ADDRESS)
        self._tokens = Buckets(OF_TOKEN)

    async def intercept_service(
        self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any
    ) -> Any:
        """Put ourselves in front of every answer to a single request."""
        handler = await continuation(handler_call_details)
        if handler is None or handler.request_streaming:
            return handler
        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(
                partial(self._stream, handler.unary_stream),
                handler.request_deserializer,
                handler.response_serializer,
            )
        return grpc.unary_unary_rpc_method_handler(
            partial(self._single, handler.unary_unary),
            handler.request_deserializer,
            handler.response_serializer,
        )

    async def _single(self, answer: Any, request: Any, context: Context) -> Any:
        await self._wait(context)
        return await answer(request, context)

    async def _stream(self, answer: Any, request: Any, context: Context) -> Any:
        await self._wait(context)
        async for part in answer(request, context):
            yield part

    async def _wait(self, context: Context) -> None:
        token = token_of(context)
        try:
            wait = self._addresses.take(address_of(context.peer()))
            if token is not None:
                wait = max(wait, self._tokens.take(hashed(token).hex()))
        except TooFastError as error:
            await refuse(
                context,
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                Reason.ERROR_REASON_TOO_MANY_REQUESTS,
                str(error),
            )
        if wait:
            await asyncio.sleep(wait)
