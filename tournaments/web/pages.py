"""The pages of a server, each with its JSON twin.

What a page shows is read and written in threads of its own, so that neither the clocks of the
tables nor the host's own reading and writing wait for readers. What must come from the host is
asked for on the loop before, and is quick.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar
from urllib.parse import quote

import orjson
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tournaments.league.gate import TooFastError
from tournaments.league.live import LiveTable
from tournaments.league.model import Deals, LeagueMatch, MatchState, NotFoundError, Role
from tournaments.league.parts import TABLE
from tournaments.league.store import LeagueStore
from tournaments.league.unread import with_unread
from tournaments.store import StoreError
from tournaments.web.choices import Selection, link, read_page, read_part
from tournaments.web.documents import (
    Document,
    board_document,
    entrant_document,
    every_entrant,
    fault_document,
    journal_document,
    league_document,
    match_document,
    table_document,
)
from tournaments.web.hosts import Host
from tournaments.web.looks import render
from tournaments.web.metrics import WebFigures
from tournaments.web.readers import READER
from tournaments.web.records import (
    NOT_YET,
    record_bytes,
    record_response,
    selected,
    zipped,
)
from tournaments.web.refusals import wants_json
from tournaments.web.replays import replay_json
from tournaments.web.stream import Streams, Wanted
from tournaments.worker_processes import worker_pool

P = ParamSpec("P")
T = TypeVar("T")

THREADS: Final = 4
MOST_LEAGUES: Final = 30
"""On the front page."""
LATEST: Final = 8
"""So many results are the latest ones."""
JOURNAL: Final = 100
FAULTS: Final = 50
OWN_MATCHES: Final = 20
"""On the page of a bot."""
FRESH: Final = 0.5
"""For so many seconds, a look at all tables serves everybody."""
MOST_ZIPS: Final = 4
"""At once."""
KEPT_REPLAYS: Final = 64
MOST_SAID: Final = 32 * 1024
"""So much of a standard error is shown, from the end."""
HEALTHY_WITHIN: Final = 5.0
"""A database that takes longer to answer is not well, in seconds."""

ErrorLog = Callable[[str, str], Path | None]
"""Where the standard error of an entrant goes, if it is a bot of the house."""


def no_errors(league: str, name: str) -> None:
    """Know nothing of a standard error."""
    del league, name


class Pages:
    """Answers everything that may be asked for."""

    def __init__(
        self, store: LeagueStore, host: Host, figures: WebFigures, error_log: ErrorLog = no_errors
    ) -> None:
        self._store = store
        self._host = host
        self._figures = figures
        self._error_log = error_log
        self._streams = Streams(host, figures)
        self._threads = ThreadPoolExecutor(THREADS, "pages")
        self._pool: ProcessPoolExecutor | None = None
        self._replays: OrderedDict[str, asyncio.Future[bytes]] = OrderedDict()
        """Those that were asked for last, made or being made."""
        self._zips = 0
        self._looked: tuple[float, tuple[LiveTable, ...]] = (-FRESH, ())

    def close(self) -> None:
        """Let go of threads and processes."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    # Pages --------------------------------------------------------------------------------------

    async def front(self, request: Request) -> Response:
        """Answer with leagues, what is being played, and the latest results."""
        leagues = (await self._beside(self._store.leagues, MOST_LEAGUES)).items
        known = {league.id: await self._host.standings(league.id) for league in leagues}
        tables = self._tables()

        def made() -> Document:
            found = []
            for league in leagues:
                table = (known[league.id] or {}).get("standings", [])
                leaders = [line for line in table if line["current"] and line["matches"]][:3]
                counts = self._store.counts(league.id)
                shown = league_document(league)
                found.append({**shown, "matches": counts, "leaders": leaders})
            return {
                "leagues": found,
                "playing": [table_document(table) for table in tables],
                "latest": self._latest([league.id for league in leagues]),
            }

        return await self._answer(request, "front", made)

    async def league(self, request: Request) -> Response:
        """Answer with the standings of a league, or of a part of it."""
        league, part = request.path_params["league"], read_part(request.query_params)
        standings, present = await self._host.standings(league), self._host.present(league)

        def made() -> Document:
            found = self._store.league(league)
            part.check(found.settings)
            table = part.of(standings)
            return {
                "league": league_document(found),
                "filter": part.as_dict(),
                "table": {key: table[key] for key in TABLE} if table else None,
                "history": table.get("history", {}) if table else {},
                "entrants": list(every_entrant(self._store, league, present)),
                "matches": self._store.counts(league),
                "journal": list(map(journal_document, self._store.journal(league, JOURNAL))),
            }

        return await self._answer(request, "league", made)

    async def bot(self, request: Request) -> Response:
        """Answer with all that is known of an entrant."""
        league, name = request.path_params["league"], request.path_params["name"]
        name, twin = await self._beside(self._whose, league, name)
        standings = await self._host.standings(league) or {}
        connections = self._host.present(league).get(name, 0)

        def made() -> Document:
            found = self._store.league(league)
            matches = self._store.matches(league, entrant=name, page_size=OWN_MATCHES)
            return {
                "league": league_document(found),
                "entrant": entrant_document(self._store.entrant(league, name), connections),
                **_versions(standings, name),
                "faults": list(map(fault_document, self._store.faults(league, name, FAULTS))),
                "matches": list(map(match_document, matches.items)),
                "more": bool(matches.next),
            }

        return await self._answer(request, "bot", made, is_twin=twin)

    def _whose(self, league: str, asked: str) -> tuple[str, bool]:
        """Return who is meant, and whether the twin is: a name may itself end with .json."""
        try:
            return self._store.entrant(league, asked).name, False
        except NotFoundError:
            if not asked.endswith(".json"):
                raise
            return self._store.entrant(league, asked.removesuffix(".json")).name, True

    async def matches(self, request: Request) -> Response:
        """Answer with a page of the matches of a league."""
        league, selection = request.path_params["league"], Selection.read(request.query_params)
        size, token = read_page(request.query_params)

        def made() -> Document:
            page = self._store.matches(
                league, **selection.as_dict(), page_size=size, page_token=token
            )
            return {
                "league": league_document(self._store.league(league)),
                "filter": selection.as_dict(),
                "size": size,
                "matches": list(map(match_document, page.items)),
                "next": page.next,
                "is_first": not token,
            }

        return await self._answer(request, "matches", made)

    async def match(self, request: Request) -> Response:
        """Answer with a match: its replay, or when there will be one."""
        id_ = request.path_params["match"]
        is_live = any(table.match == id_ for table in self._tables())
        match = await self._beside(self._store.match, id_)
        if match.released and not _is_json(request):
            self._begin_replay(id_)  # the browser will ask for it in a moment

        def made() -> Document:
            return {
                "league": league_document(self._store.league(match.league)),
                "match": match_document(match),
                "set": [{"id": each.id, "state": each.state} for each in self._set_of(match)],
                "record": self._about_record(match),
                "is_live": is_live,
            }

        return await self._answer(request, "match", made)

    def _set_of(self, match: LeagueMatch) -> Iterator[LeagueMatch]:
        """Return all matches with the deal of this one."""
        for number in range(1, len(match.seats) + 1):
            try:
                yield self._store.match(f"{match.set_id}-{number}")
            except NotFoundError:
                return

    def _about_record(self, match: LeagueMatch) -> Document | None:
        record = self._store.record(match.id) if match.released else None
        if record is None:
            return None
        return {"bytes": len(record), "sha256": hashlib.sha256(record).hexdigest()}

    async def live(self, request: Request) -> Response:
        """Answer with the running tables of a league."""
        league = request.path_params["league"]
        tables = [table for table in self._tables() if table.league == league]

        def made() -> Document:
            found = self._store.league(league)
            shown = {table.match for table in tables}
            running = [match for match in self._store.running(league) if match.id not in shown]
            again = found.settings.deals == Deals.DUPLICATE
            return {
                "league": league_document(found),
                "tables": list(map(board_document, tables)),
                "hidden": len(running) if again else 0,
                "latest": self._latest([league]),
            }

        return await self._answer(request, "live", made)

    async def table(self, request: Request) -> Response:
        """Answer with one running table; once it is over, with where its replay is."""
        id_ = request.path_params["match"]
        found = next((table for table in self._tables() if table.match == id_), None)

        def made() -> Document:
            match = self._store.match(id_)
            return {
                "league": league_document(self._store.league(match.league)),
                "match": match_document(match),
                "table": board_document(found) if found is not None else None,
            }

        return await self._answer(request, "table", made)

    def _latest(self, leagues: list[str]) -> list[Document]:
        """Return the matches that ended last and whose records everybody may read."""
        found = [
            match
            for league in leagues
            for match in self._store.matches(
                league, state=MatchState.PLAYED, page_size=2 * LATEST
            ).items
            if match.released and match.ended_at is not None
        ]
        found.sort(key=lambda match: (match.ended_at, match.id), reverse=True)
        return list(map(match_document, found[:LATEST]))

    # Events -------------------------------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        """Answer with what happens in a league, or at one table, as long as somebody reads."""
        if "match" in request.path_params:
            match = await self._beside(self._store.match, request.path_params["match"])
            wanted = Wanted(match.league, match.id)
        else:
            league = await self._beside(self._store.league, request.path_params["league"])
            wanted = Wanted(league.id)
        return self._streams.open(wanted, request.scope[READER])

    # Records ------------------------------------------------------------------------------------

    async def record(self, request: Request) -> Response:
        """Answer with a record, compressed or plain."""
        id_ = request.path_params["match"]
        plain = request.query_params.get("plain") == "1"
        known = request.headers.get("if-none-match", "")

        def made() -> Response:
            body = record_bytes(self._store, id_, plain=plain)
            return record_response(id_, body, plain=plain, known=known)

        return await self._beside(made)

    async def records(self, request: Request) -> Response:
        """Answer with a zip of many records, written while it is sent."""
        league, selection = request.path_params["league"], Selection.read(request.query_params)
        await self._beside(self._store.league, league)
        if selection.entrant is not None:
            await self._beside(self._store.entrant, league, selection.entrant)
        if self._zips >= MOST_ZIPS:
            raise TooFastError("too many downloads at once; try again in a moment.")
        headers = {
            "Content-Disposition": f'attachment; filename="{league}-records.zip"',
            "Cache-Control": "no-store",
        }
        pieces = zipped(selected(self._store, league, selection))
        return StreamingResponse(self._sent(pieces), headers=headers, media_type="application/zip")

    async def _sent(self, pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
        self._zips += 1
        try:
            while (piece := await self._beside(next, pieces, None)) is not None:
                yield piece
        finally:
            self._zips -= 1

    async def replay(self, request: Request) -> Response:
        """Answer with a match as the player of replays wants it."""
        made = await self._begin_replay(request.path_params["match"])
        return Response(made, media_type="application/json", headers=_FRESH_ALWAYS)

    def _begin_replay(self, match: str) -> asyncio.Future[bytes]:
        """Return the replay of a match, which is made once for all who ask."""
        made = self._replays.pop(match, None)
        if made is None or (made.done() and (made.cancelled() or made.exception())):
            made = asyncio.ensure_future(self._make_replay(match))
            made.add_done_callback(lambda each: each.cancelled() or each.exception())
        self._replays[match] = made
        if len(self._replays) > KEPT_REPLAYS:
            self._replays.popitem(last=False)
        return asyncio.shield(made)

    async def _make_replay(self, match: str) -> bytes:
        record = await self._beside(self._store.record, match)
        if record is None:
            raise NotFoundError(NOT_YET)
        if self._pool is None:
            self._pool = worker_pool()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._pool, replay_json, record)
        except BrokenProcessPool:
            self._pool = None  # somebody has ended it; the next question starts another one
            raise HTTPException(503, "The replay cannot be made now; try again.") from None

    # For its author -----------------------------------------------------------------------------

    async def stderr(self, request: Request) -> Response:
        """Answer its author, or an organiser, with the last of the standard error of a bot."""
        league, name = request.path_params["league"], request.path_params["name"]
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        challenge = {"WWW-Authenticate": "Bearer"}
        if kind.lower() != "bearer":
            raise HTTPException(
                401, "This is for its author: give the token of the bot.", challenge
            )
        identity = await self._beside(self._store.identify, token.strip())
        if identity.role == Role.ANYONE:
            raise HTTPException(401, "This token is not known here.", challenge)
        own = (identity.role, identity.league, identity.entrant) == (Role.ENTRANT, league, name)
        if not own and identity.role != Role.ORGANISER:
            raise HTTPException(403, "This is for the author of the bot, and for organisers.")
        await self._beside(self._store.entrant, league, name)
        said = await self._beside(_last_of, self._error_log(league, name))
        if said is None:
            raise NotFoundError("this bot does not run on the server's machine: ask its own log.")
        document = {"league": league, "entrant": name, "stderr": said}
        return _json(orjson.dumps(document), {"Cache-Control": "no-store"})

    # Operations ---------------------------------------------------------------------------------

    async def metrics(self, request: Request) -> Response:
        """Answer with figures for Prometheus."""
        del request
        text = generate_latest(self._figures.registry)
        headers = {"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"}
        return Response(text, headers=headers)

    async def healthz(self, request: Request) -> Response:
        """Answer whether the database answers."""
        del request
        try:
            async with asyncio.timeout(HEALTHY_WITHIN):
                await self._beside(self._store.leagues, 1)
        except (StoreError, TimeoutError):
            return _json(b'{"state":"the database does not answer"}', _NEVER_KEPT, 503)
        return _json(b'{"state":"ok"}', _NEVER_KEPT)

    # How ----------------------------------------------------------------------------------------

    def _tables(self) -> tuple[LiveTable, ...]:
        """Return what there is to see, looking at most twice a second."""
        now = time.monotonic()
        if now - self._looked[0] >= FRESH:
            self._looked = now, self._host.snapshot()
        return self._looked[1]

    async def _beside(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something in a thread of the pages."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: task(*args, **kwargs))

    async def _answer(
        self,
        request: Request,
        template: str,
        make: Callable[[], Document],
        *,
        is_twin: bool | None = None,
    ) -> Response:
        """Make a document, and show it as a page or as JSON."""
        path = request.scope["path"]
        as_json = _is_json(request) if is_twin is None else is_twin or _is_json(request, "")
        address = link(f"{quote(path) if path != '/' else '/index'}.json", **request.query_params)

        def made() -> bytes:
            document = make()
            if as_json:
                return orjson.dumps(document, default=with_unread)
            return render(template, document, address)

        body = await self._beside(made)
        if as_json:
            return _json(body, _FRESH_ALWAYS)
        return Response(body, headers=_FRESH_ALWAYS, media_type="text/html")


def _is_json(request: Request, path: str | None = None) -> bool:
    """Tell whether somebody asks for the twin."""
    path = request.scope["path"] if path is None else path
    return wants_json(path, request.headers.get("accept", ""))


_FRESH_ALWAYS: Final = {"Cache-Control": "no-cache", "Vary": "Accept"}
_NEVER_KEPT: Final = {"Cache-Control": "no-store"}


def _json(body: bytes, headers: Mapping[str, str], status: int = 200) -> Response:
    return Response(body, status, dict(headers), "application/json")


def _versions(standings: Mapping[str, Any], name: str) -> Document:
    """Return what the standings say about an entrant, version by version."""
    lines = {line["rated"]: line for line in standings.get("standings", [])}
    versions = [
        {**version, "line": lines.get(version["rated"])}
        for version in standings.get("entrants", {}).get(name, [])
    ]
    own = [version["rated"] for version in versions]
    met, paths = standings.get("head_to_head", {}), standings.get("history", {})
    return {
        "versions": versions,
        "head_to_head": {rated: met[rated] for rated in own if rated in met},
        "history": {rated: paths[rated] for rated in own if rated in paths},
    }


def _last_of(path: Path | None) -> str | None:
    """Return the end of a file as text."""
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            length = file.seek(0, 2)
            file.seek(max(0, length - MOST_SAID))
            return file.read(MOST_SAID).decode(errors="replace")
    except OSError:
        return None
