"""The web application of a league server.

    application = app(store, host)
    uvicorn.run(application)

It only reads: leagues are changed over gRPC, by the command line. There are no cookies.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tournaments.league.gate import Rate
from tournaments.league.store import LeagueStore
from tournaments.web.guard import REQUESTS, Guard
from tournaments.web.hosts import Host
from tournaments.web.metrics import WebFigures
from tournaments.web.pages import ErrorLog, Pages, no_errors
from tournaments.web.refusals import HANDLERS
from tournaments.web.statics import static

Endpoint = Callable[[Request], Awaitable[Response]]


def app(
    store: LeagueStore,
    host: Host,
    error_log: ErrorLog = no_errors,
    *,
    rate: Rate = REQUESTS,
    proxies: Collection[str] = (),
) -> Starlette:
    """Return the application.

    ``error_log`` says where the standard error of a bot of the house goes. ``proxies`` are the
    addresses of reverse proxies, or networks of them, whose X-Forwarded-For is believed when
    requests and streams are counted.
    """
    figures = WebFigures(host)
    pages = Pages(store, host, figures, error_log)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        pages.close()

    made = Starlette(
        routes=list(_routes(pages)),
        middleware=[Middleware(Guard, figures=figures, rate=rate, proxies=proxies)],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    made.router.redirect_slashes = False
    made.state.pages = pages
    return made


def _routes(pages: Pages) -> Iterator[Route]:
    yield from _with_twin("/", pages.front)
    yield Route("/index.json", pages.front)
    yield from _with_twin("/leagues/{league}", pages.league)
    yield from _with_twin("/leagues/{league}/matches", pages.matches)
    yield from _with_twin("/leagues/{league}/live", pages.live)
    yield Route("/leagues/{league}/live/events", pages.events)
    yield Route("/leagues/{league}/records.zip", pages.records)
    yield Route("/leagues/{league}/bots/{name}", pages.bot)
    yield Route("/leagues/{league}/bots/{name}/stderr", pages.stderr)
    yield from _with_twin("/matches/{match}", pages.match)
    yield from _with_twin("/matches/{match}/live", pages.table)
    yield Route("/matches/{match}/live/events", pages.events)
    yield Route("/matches/{match}/record", pages.record)
    yield Route("/matches/{match}/replay.json", pages.replay)
    yield Route("/metrics", pages.metrics)
    yield Route("/healthz", pages.healthz)
    yield Route("/static/{name:path}", static)


def _with_twin(path: str, endpoint: Endpoint) -> Iterator[Route]:
    """Return the routes of a page and of its twin, which comes first: a name may match both."""
    yield Route(f"{path}.json", endpoint)
    yield Route(path, endpoint)
