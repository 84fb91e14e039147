"""The endpoints of the web application: every page in HTML and in JSON, records, and operations.

Pages are read from the store and rendered in threads of their own, so that readers delay neither
the clocks of the matches nor the reads and writes of the runner. The state of running leagues is
read on the event loop before, which is quick.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tournaments.model import (
    Competition,
    Deals,
    MatchState,
    NotFoundError,
    ScheduledMatch,
    SubmissionState,
    all_items,
)
from tournaments.ratings import Part
from tournaments.replay import replay_json
from tournaments.runner import LeagueManager, LiveTable, worker_pool
from tournaments.store import Store
from tournaments.web.concurrency_limits import ConcurrencyLimit, LimitedResponse
from tournaments.web.documents import (
    Document,
    activity_document,
    board_document,
    entrant_document,
    entrants_document,
    fault_document,
    final_document,
    journal_document,
    league_document,
    match_document,
    residuals_document,
    season_document,
    standings_document,
    table_document,
    versions_document,
)
from tournaments.web.error_handlers import accepts_json, wants_json
from tournaments.web.health import OK, HealthCheck
from tournaments.web.metrics import WebMetrics
from tournaments.web.middleware import CLIENT
from tournaments.web.query import (
    MatchFilter,
    read_first_row,
    read_page,
    read_part,
    read_season,
)
from tournaments.web.records import (
    league_file,
    record_response,
    released_record,
    selected_records,
    thinned_note,
    zip_chunks,
)
from tournaments.web.responses import NO_STORE, REVALIDATE, PageThreads, json_response
from tournaments.web.stream import EventStreams, StreamFilter
from tournaments.web.submission_documents import public_submission

MOST_LEAGUES: Final = 30
"""On the front page."""
LATEST: Final = 8
"""The number of latest results on a page."""
JOURNAL: Final = 100
FAULTS: Final = 50
OWN_MATCHES: Final = 20
"""On the page of a bot."""
SNAPSHOT_AGE: Final = 0.5
"""For how many seconds a snapshot of all tables is reused."""
MOST_ZIPS: Final = 16
"""At once; each keeps a few records in memory."""
MOST_ZIPS_PER_CLIENT: Final = 2
CACHED_REPLAYS: Final = 64


class Pages:
    """All endpoints but the static files."""

    def __init__(
        self,
        store: Store,
        leagues: LeagueManager,
        metrics: WebMetrics,
        threads: PageThreads,
        streams: EventStreams,
    ) -> None:
        self._store = store
        self._leagues = leagues
        self._metrics = metrics
        self._streams = streams
        self._in_thread, self._page = threads.run, threads.page
        self._health = HealthCheck(store)
        self._replay_pool: ProcessPoolExecutor | None = None
        self._replays: OrderedDict[str, asyncio.Future[bytes]] = OrderedDict()
        """Replays that are done or being made, the last requested at the end."""
        refusal = "too many downloads at once; try again in a moment."
        self._zips = ConcurrencyLimit(MOST_ZIPS, MOST_ZIPS_PER_CLIENT, refusal)
        self._snapshot: tuple[float, tuple[LiveTable, ...]] = (-SNAPSHOT_AGE, ())

    def close(self) -> None:
        """End threads and processes."""
        self._health.close()
        if self._replay_pool is not None:
            self._replay_pool.shutdown(wait=False, cancel_futures=True)

    # Pages --------------------------------------------------------------------------------------

    async def front(self, request: Request) -> Response:
        """Show all leagues, running matches, and the latest results."""
        leagues = (await self._in_thread(self._store.leagues, MOST_LEAGUES)).items
        leaders = {league.id: await self._leagues.leaders(league.id) for league in leagues}
        tables = self._tables()

        def document() -> Document:
            shown = []
            for league in leagues:
                own = {
                    "matches": self._store.counts(league.id),
                    "leaders": leaders[league.id],
                    "activity": activity_document(self._leagues.activity(league)),
                }
                shown.append({**league_document(league), **own})
            return {
                "leagues": shown,
                "playing": [table_document(table) for table in tables],
                "latest": self._latest([league.id for league in leagues]),
            }

        return await self._page(request, "front", document)

    async def league(self, request: Request) -> Response:
        """Show the standings of a league, or of a part of it."""
        id_, chosen = request.path_params["league"], read_part(request.query_params)
        first = read_first_row(request.query_params)
        season, division = read_season(request.query_params)
        table = await self._leagues.standings(id_, chosen, season=season, division=division)
        divided = [] if division else await self._by_division(id_, chosen, season)
        residuals = await self._leagues.residuals(id_)
        connections = self._leagues.present(id_)

        def document() -> Document:
            league = self._store.league(id_)
            chosen.check(league.settings)
            shown = standings_document(table, first)
            return {
                "league": league_document(league),
                "activity": activity_document(self._leagues.activity(league)),
                "residuals": residuals_document(residuals),
                "filter": {**chosen._asdict(), "season": season, "division": division},
                **self._seasons(league, season),
                "finals": self._finals(league, season),
                **shown,
                "divisions": divided,
                **entrants_document(self._store, id_, connections, (shown, *divided)),
                "matches": self._store.counts(id_),
                "journal": list(map(journal_document, self._store.journal(id_, JOURNAL))),
            }

        return await self._page(request, "league", document)

    async def _by_division(self, league: str, part: Part, season: int) -> list[Document]:
        """Return the table of each division of a season, if it has several."""
        try:
            found = await self._in_thread(self._store.season, league, season or None)
        except NotFoundError:
            return []  # a league without seasons
        numbers = range(1, found.divisions + 1) if found.divisions > 1 else ()
        read = partial(self._leagues.standings, league, part, season=season)
        tables = [(number, await read(division=number)) for number in numbers]
        return [{"division": number, **standings_document(table, 0)} for number, table in tables]

    def _finals(self, league: Competition, season: int) -> list[Document]:
        """Return the finals of the season that is shown, the newest first."""
        shown = (None, season or league.season or None)
        found = (each for each in self._store.finals(league.id) if each.season in shown)
        return list(map(final_document, found))

    def _seasons(self, league: Competition, number: int) -> Document:
        """Return the season that is shown, and the numbers of all seasons."""
        if not league.season:
            return {"season": None, "seasons": []}
        shown = self._store.season(league.id, number or None)
        return {"season": season_document(shown), "seasons": [*range(league.season, 0, -1)]}

    async def bot(self, request: Request) -> Response:
        """Show an entrant of a league."""
        league, name = request.path_params["league"], request.path_params["name"]
        name, is_json = await self._in_thread(self._entrant_name, league, name)
        standings = await self._leagues.entrant_standings(league, name) or {}
        connections = self._leagues.present(league).get(name, 0)

        def document() -> Document:
            matches = self._store.matches(league, entrant=name, page_size=OWN_MATCHES)
            return {
                "league": league_document(self._store.league(league)),
                "entrant": entrant_document(self._store.entrant(league, name), connections),
                "submission": self._playing(league, name),
                **versions_document(standings),
                "faults": list(map(fault_document, self._store.faults(league, name, FAULTS))),
                "matches": list(map(match_document, matches.items)),
                "more": bool(matches.next),
            }

        is_json = is_json or accepts_json(request.headers.get("accept", ""))
        return await self._page(request, "bot", document, is_json=is_json)

    def _playing(self, league: str, name: str) -> Document | None:
        """Return the public facts of the version that plays, of a bot that was submitted."""
        own = all_items(lambda token: self._store.submissions(league, bot=name, page_token=token))
        active = (each for each in own if each.state is SubmissionState.ACTIVE)
        return next(map(public_submission, active), None)

    def _entrant_name(self, league: str, text: str) -> tuple[str, bool]:
        """Return the name in a path, and whether it is for JSON; a name may end with .json."""
        try:
            return self._store.entrant(league, text).name, False
        except NotFoundError:
            if not text.endswith(".json"):
                raise
            return self._store.entrant(league, text.removesuffix(".json")).name, True

    async def matches(self, request: Request) -> Response:
        """Show a page of the matches of a league."""
        league, chosen = request.path_params["league"], MatchFilter.read(request.query_params)
        size, token = read_page(request.query_params)

        def document() -> Document:
            page = self._store.matches(league, **chosen.as_dict(), page_size=size, page_token=token)
            return {
                "league": league_document(self._store.league(league)),
                "filter": chosen.as_dict(),
                "size": size,
                "matches": list(map(match_document, page.items)),
                "next": page.next,
                "is_first": not token,
            }

        return await self._page(request, "matches", document)

    async def match(self, request: Request) -> Response:
        """Show a match: its replay, or when there will be one."""
        id_ = request.path_params["match"]
        is_live = self._table(id_) is not None
        match = await self._in_thread(self._store.match, id_)
        if match.has_record and not wants_json(request.scope):
            self._begin_replay(id_)  # the page will request it in a moment

        def document() -> Document:
            return {
                "league": league_document(self._store.league(match.competition)),
                "match": match_document(match),
                "set": [{"id": each.id, "state": each.state} for each in self._set_of(match)],
                "record": self._record_facts(match),
                "thinned": self._thinned_note(match),
                "is_live": is_live,
            }

        return await self._page(request, "match", document)

    def _set_of(self, match: ScheduledMatch) -> Iterator[ScheduledMatch]:
        """Yield all matches with the deal of this one."""
        for number in range(1, len(match.seats) + 1):
            try:
                yield self._store.match(f"{match.set_id}-{number}")
            except NotFoundError:
                return

    def _record_facts(self, match: ScheduledMatch) -> Document | None:
        record = self._store.record(match.id) if match.has_record else None
        if record is None:
            return None
        return {"bytes": len(record), "sha256": hashlib.sha256(record).hexdigest()}

    def _thinned_note(self, match: ScheduledMatch) -> str | None:
        """Return what is left of a record that was removed."""
        thinned = self._store.thinned_record(match.id) if match.thinned_at is not None else None
        return None if thinned is None else thinned_note(thinned)

    async def live(self, request: Request) -> Response:
        """Show the running matches of a league."""
        id_ = request.path_params["league"]
        tables = [table for table in self._tables() if table.league == id_]

        def document() -> Document:
            league = self._store.league(id_)
            shown = {table.match for table in tables}
            hidden = [match for match in self._store.running(id_) if match.id not in shown]
            is_duplicate = league.settings.deals == Deals.DUPLICATE
            return {
                "league": league_document(league),
                "tables": list(map(board_document, tables)),
                "hidden": len(hidden) if is_duplicate else 0,
                "latest": self._latest([id_]),
            }

        return await self._page(request, "live", document)

    async def table(self, request: Request) -> Response:
        """Show one running match; after its end, a link to its replay."""
        id_ = request.path_params["match"]
        table = self._table(id_)

        def document() -> Document:
            match = self._store.match(id_)
            return {
                "league": league_document(self._store.league(match.competition)),
                "match": match_document(match),
                "table": board_document(table) if table is not None else None,
            }

        return await self._page(request, "table", document)

    def _latest(self, leagues: list[str]) -> list[Document]:
        """Return the matches that ended last and whose records are released."""
        found = [
            match
            for league in leagues
            for match in self._store.matches(
                league, state=MatchState.PLAYED, page_size=2 * LATEST
            ).items
            if match.has_record and match.ended_at is not None
        ]
        found.sort(key=lambda match: (match.ended_at, match.id), reverse=True)
        return list(map(match_document, found[:LATEST]))

    # Events, records and replays ----------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        """Stream the events of a league or of one match."""
        if "match" in request.path_params:
            match = await self._in_thread(self._store.match, request.path_params["match"])
            chosen = StreamFilter(match.competition, match.id)
        else:
            league = await self._in_thread(self._store.league, request.path_params["league"])
            chosen = StreamFilter(league.id)
        return self._streams.open(chosen, request.scope[CLIENT])

    async def record(self, request: Request) -> Response:
        """Send a record, compressed or plain."""
        return await self._in_thread(
            record_response,
            self._store,
            request.path_params["match"],
            plain=request.query_params.get("plain") == "1",
            known_tag=request.headers.get("if-none-match", ""),
        )

    async def records(self, request: Request) -> Response:
        """Send a zip of many records, written while it is sent."""
        league, chosen = request.path_params["league"], MatchFilter.read(request.query_params)
        await self._in_thread(self._store.league, league)
        if chosen.entrant is not None:
            await self._in_thread(self._store.entrant, league, chosen.entrant)
        about = await self._in_thread(league_file, self._store, league)
        chunks = zip_chunks(selected_records(self._store, league, chosen), about)
        return self._zip(request, f"{league}-records.zip", chunks)

    async def final_records(self, request: Request) -> Response:
        """Send a zip of all records of a final."""
        league, number = request.path_params["league"], request.path_params["number"]
        await self._in_thread(self._store.league, league)
        finals = await self._in_thread(self._store.finals, league)
        final = next((each for each in finals if each.number == number), None)
        if final is None:
            raise NotFoundError(f'the league "{league}" has no final {number}.')
        records = self._store.final_records(league, number)
        chunks = zip_chunks(records, final.document.encode(), "final.json")
        return self._zip(request, f"{league}-final-{number}.zip", chunks)

    def _zip(self, request: Request, name: str, chunks: Iterator[bytes]) -> Response:
        headers = {"Content-Disposition": f'attachment; filename="{name}"', **NO_STORE}
        body, kind = partial(self._paced, chunks), "application/zip"
        return LimitedResponse(self._zips, request.scope[CLIENT], body, headers, kind)

    async def _paced(self, chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
        while (chunk := await self._leagues.pace.next(chunks)) is not None:
            yield chunk

    async def replay(self, request: Request) -> Response:
        """Send the replay of a match as JSON."""
        replay = await self._begin_replay(request.path_params["match"])
        return Response(replay, headers=REVALIDATE, media_type="application/json")

    def _begin_replay(self, match: str) -> asyncio.Future[bytes]:
        """Return the replay of a match, which is made once for all requests."""
        replay = self._replays.pop(match, None)
        if replay is None or (replay.done() and (replay.cancelled() or replay.exception())):
            replay = asyncio.ensure_future(self._make_replay(match))
            replay.add_done_callback(lambda each: each.cancelled() or each.exception())
        self._replays[match] = replay
        if len(self._replays) > CACHED_REPLAYS:
            self._replays.popitem(last=False)
        return asyncio.shield(replay)

    async def _make_replay(self, match: str) -> bytes:
        record = await self._in_thread(released_record, self._store, match)
        if self._replay_pool is None:
            self._replay_pool = worker_pool()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._replay_pool, replay_json, record)
        except BrokenProcessPool:
            self._replay_pool = None  # a process was killed; the next request starts another pool
            raise HTTPException(503, "The replay cannot be made now; try again.") from None

    # For operations -----------------------------------------------------------------------------

    async def metrics(self, request: Request) -> Response:
        """Send the metrics for Prometheus."""
        del request
        headers = {"Content-Type": CONTENT_TYPE_LATEST, **NO_STORE}
        return Response(generate_latest(self._metrics.registry), headers=headers)

    async def healthz(self, request: Request) -> Response:
        """Send whether the database can be written, with status 503 if it cannot."""
        del request
        state = await self._health.state()
        return json_response({"state": state}, 200 if state == OK else 503)

    # Helpers ------------------------------------------------------------------------------------

    def _tables(self) -> tuple[LiveTable, ...]:
        """Return the running tables that spectators may see, as of half a second ago at most."""
        now = time.monotonic()
        if now - self._snapshot[0] >= SNAPSHOT_AGE:
            self._snapshot = now, self._leagues.snapshot()
        return self._snapshot[1]

    def _table(self, match: str) -> LiveTable | None:
        return next((table for table in self._tables() if table.match == match), None)
