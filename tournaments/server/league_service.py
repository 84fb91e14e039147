"""LeagueService: leagues over gRPC. Reading needs no token, writing needs one."""

from __future__ import annotations

import asyncio
from datetime import UTC
from functools import partial
from typing import Any, ClassVar, Final

import grpc
from highstreet.v1 import league_pb2 as pb

from referee.transports import Reason
from tournaments.model import (
    CompetitionState,
    Identity,
    InvalidError,
    NotFoundError,
    Role,
    refuse_house,
)
from tournaments.ratings import Part
from tournaments.runner import LeagueManager
from tournaments.server.league_messages import (
    entrant_message,
    league_message,
    match_message,
    read_part,
    read_settings,
    read_state,
    residuals_page,
    season_message,
    standings_page,
)
from tournaments.server.store_service import (
    Answer,
    Code,
    Refusal,
    StoreService,
    in_thread,
    not_allowed,
    organisers_only,
    read_page_size,
    read_reason,
    read_request_id,
    read_row_number,
)
from tournaments.store import Store

SERVICE: Final = pb.DESCRIPTOR.services_by_name["LeagueService"].full_name

_OF_ENTRANT: Final = (
    pb.WithdrawBotRequest,
    pb.DisqualifyBotRequest,
    pb.UnbenchBotRequest,
    pb.ReissueTokenRequest,
)


class LeagueService(StoreService):
    """Implements LeagueService for the leagues of a store."""

    creating: ClassVar = (pb.CreateLeagueRequest, pb.EnterBotRequest)
    limited: ClassVar = (pb.EnterBotRequest,)

    def __init__(self, store: Store, manager: LeagueManager, *, open_entry: bool = False) -> None:
        super().__init__(store)
        self._manager = manager
        self._open_entry = open_entry
        """Whether a bot may be entered without a token."""

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
            "StartSeason": self._start_season,
            "EndSeason": self._end_season,
            "ListSeasons": self._seasons,
            "GetSeason": self._season,
            "GetStandings": self._standings,
            "ListMatches": self._matches,
            "ListResiduals": self._residuals,
        }
        handlers = self._unary(pb, "LeagueService", answers)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))

    def _missing(self, request: Any) -> Any:
        if isinstance(request, _OF_ENTRANT):
            return Reason.ERROR_REASON_NO_SUCH_ENTRANT
        if isinstance(request, pb.AnnulMatchRequest):
            return Reason.ERROR_REASON_NO_SUCH_MATCH
        return super()._missing(request)

    # Leagues ------------------------------------------------------------------------------------

    async def _create(self, request: pb.CreateLeagueRequest, who: Identity) -> Any:
        organisers_only(who)
        settings = read_settings(request.settings, request.enrolment_code)
        request_id = read_request_id(request.request_id)
        league = await asyncio.to_thread(
            self._store.create_league, request.league, settings, request_id=request_id
        )
        await self._manager.opened(league.id)
        return pb.CreateLeagueResponse(league=league_message(league))

    async def _get(self, request: pb.GetLeagueRequest, _who: Identity) -> Any:
        league = await asyncio.to_thread(self._store.league, request.league)
        activity = self._manager.activity(league)
        return pb.GetLeagueResponse(league=league_message(league, activity))

    async def _list(self, request: pb.ListLeaguesRequest, _who: Identity) -> Any:
        def answer() -> Any:
            page = self._store.leagues(read_page_size(request.page_size), request.page_token)
            leagues = map(league_message, page.items)
            return pb.ListLeaguesResponse(leagues=leagues, next_page_token=page.next)

        return await in_thread(answer)

    async def _close(self, request: pb.CloseLeagueRequest, who: Identity) -> Any:
        organisers_only(who)
        await asyncio.to_thread(self._store.close_league, request.league)
        await self._manager.closed(request.league)
        league = await asyncio.to_thread(self._store.league, request.league)
        return pb.CloseLeagueResponse(league=league_message(league))

    # Seasons ------------------------------------------------------------------------------------

    async def _start_season(self, request: pb.StartSeasonRequest, who: Identity) -> Any:
        organisers_only(who)
        ends_at = request.ends_at.ToDatetime(UTC) if request.HasField("ends_at") else None
        table = await self._manager.standings(request.league, Part()) or {"standings": ()}
        order = [line["entrant"] for line in table["standings"] if line["current"]]
        start = self._store.start_season
        season = await asyncio.to_thread(start, request.league, order, ends_at)
        await self._manager.recount(request.league)
        return pb.StartSeasonResponse(season=season_message(season))

    async def _end_season(self, request: pb.EndSeasonRequest, who: Identity) -> Any:
        organisers_only(who)
        end = partial(self._store.end_season, request.league, another=request.another)
        season = await asyncio.to_thread(end)
        await self._manager.refresh(request.league)
        return pb.EndSeasonResponse(season=season_message(season))

    async def _seasons(self, request: pb.ListSeasonsRequest, _who: Identity) -> Any:
        def answer() -> Any:
            seasons = map(season_message, self._store.seasons(request.league))
            return pb.ListSeasonsResponse(seasons=seasons)

        return await in_thread(answer)

    async def _season(self, request: pb.GetSeasonRequest, _who: Identity) -> Any:
        def answer() -> Any:
            season = self._store.season(request.league, request.number or None)
            return pb.GetSeasonResponse(season=season_message(season))

        return await in_thread(answer)

    # Entrants -----------------------------------------------------------------------------------

    async def _enter(self, request: pb.EnterBotRequest, who: Identity) -> Any:
        if not self._open_entry:
            organisers_only(who)
        if who.role != Role.ORGANISER:
            refuse_house(request.author)
        league = await asyncio.to_thread(self._store.league, request.league)
        if league.state == CompetitionState.CLOSED:
            detail = f'the league "{league.id}" is closed.'
            raise Refusal(Code.FAILED_PRECONDITION, Reason.ERROR_REASON_LEAGUE_CLOSED, detail)
        entrant, token = await asyncio.to_thread(
            self._store.enter,
            request.league,
            request.name,
            request.author,
            request_id=read_request_id(request.request_id),
        )
        connections = self._manager.connections(entrant.competition, entrant.name)
        return pb.EnterBotResponse(entrant=entrant_message(entrant, connections), token=token)

    async def _withdraw(self, request: pb.WithdrawBotRequest, who: Identity) -> Any:
        by = await self._side(who, request.league, request.name)
        await asyncio.to_thread(
            self._store.withdraw, request.league, request.name, request.reason, by
        )
        word = "an organiser" if by is Role.ORGANISER else "your author"
        because = f"you were withdrawn by {word}{f': {request.reason}' if request.reason else '.'}"
        await self._manager.dismiss(request.league, request.name, because)
        await self._manager.recount(request.league)
        return pb.WithdrawBotResponse(entrant=await self._shown(request))

    async def _disqualify(self, request: pb.DisqualifyBotRequest, who: Identity) -> Any:
        organisers_only(who)
        reason = read_reason(request.reason)
        await asyncio.to_thread(self._store.disqualify, request.league, request.name, reason)
        because = f"you were disqualified: {reason}"
        await self._manager.dismiss(request.league, request.name, because)
        await self._manager.recount(request.league)
        return pb.DisqualifyBotResponse(entrant=await self._shown(request))

    async def _unbench(self, request: pb.UnbenchBotRequest, who: Identity) -> Any:
        by = await self._side(who, request.league, request.name)
        await asyncio.to_thread(self._store.unbench, request.league, request.name, by)
        await self._manager.refresh(request.league)
        return pb.UnbenchBotResponse(entrant=await self._shown(request))

    async def _reissue(self, request: pb.ReissueTokenRequest, who: Identity) -> Any:
        await self._side(who, request.league, request.name)
        reissue = self._store.reissue_entrant
        token = await asyncio.to_thread(reissue, request.league, request.name)
        return pb.ReissueTokenResponse(token=token)

    async def _side(self, who: Identity, league: str, name: str) -> Role:
        """Return for whom a caller acts: the organisers, or an entrant; refuse all others.

        The author of a submitted bot acts for it, and so does its own token.
        """
        if who.role == Role.ORGANISER:
            return Role.ORGANISER
        own = (who.league, who.entrant) == (league, name)
        if who.role == Role.AUTHOR and who.league == league:
            author = await asyncio.to_thread(self._store.author_of, league, name)
            own = author == who.author
        if not own or who.role == Role.ANYONE:
            not_allowed(who, "only an organiser, the bot itself and its author may do that.")
        return Role.ENTRANT

    async def _entrants(self, request: pb.ListEntrantsRequest, _who: Identity) -> Any:
        present = self._manager.present(request.league)

        def answer() -> Any:
            size = read_page_size(request.page_size)
            page = self._store.entrants(request.league, size, request.page_token)
            entrants = [entrant_message(each, present.get(each.name, 0)) for each in page.items]
            return pb.ListEntrantsResponse(entrants=entrants, next_page_token=page.next)

        return await in_thread(answer)

    async def _shown(self, request: Any) -> pb.Entrant:
        """Return the entrant of a request as it is now."""
        entrant = await asyncio.to_thread(self._store.entrant, request.league, request.name)
        return entrant_message(entrant, self._manager.connections(request.league, request.name))

    # Matches and standings ----------------------------------------------------------------------

    async def _annul(self, request: pb.AnnulMatchRequest, who: Identity) -> Any:
        organisers_only(who)
        reason = read_reason(request.reason)
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
                season=request.season or None,
                page_size=read_page_size(request.page_size),
                page_token=request.page_token,
            )
            matches = map(match_message, page.items)
            return pb.LeagueServiceListMatchesResponse(matches=matches, next_page_token=page.next)

        return await in_thread(answer)

    async def _standings(self, request: pb.GetStandingsRequest, _who: Identity) -> Any:
        league = await asyncio.to_thread(self._store.league, request.league)
        part = read_part(request)
        try:
            part.check(league.settings)
        except NotFoundError as error:
            raise InvalidError(str(error)) from None
        size, first = read_page_size(request.page_size), read_row_number(request.page_token)
        table = await self._manager.standings(
            request.league, part, season=request.season, division=request.division
        )
        return await in_thread(lambda: standings_page(table or {}, first, size))

    async def _residuals(self, request: pb.ListResidualsRequest, _who: Identity) -> Any:
        await asyncio.to_thread(self._store.league, request.league)  # raises NotFoundError
        size, first = read_page_size(request.page_size), read_row_number(request.page_token)
        document = await self._manager.residuals(request.league)
        return residuals_page(document, first, size)
