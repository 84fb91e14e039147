"""The web application of a league server.

    application = create_app(store, leagues)
    uvicorn.run(application)

It is read-only: leagues are changed over gRPC, by the command line. There are no cookies.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from referee.transports import Rate
from tournaments.runner import LeagueManager
from tournaments.store import Store
from tournaments.web.error_handlers import HANDLERS
from tournaments.web.metrics import WebMetrics
from tournaments.web.middleware import REQUESTS, ClientAddressMiddleware, LimitsMiddleware
from tournaments.web.pages import ErrorLog, Pages

Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(
    store: Store,
    leagues: LeagueManager,
    error_log: ErrorLog = lambda *_: None,
    *,
    rate: Rate = REQUESTS,
    proxies: Collection[str] = (),
) -> Starlette:
    """Return the application.

    ``error_log`` returns the file with the standard error of a bot that the server runs.
    ``proxies`` are addresses or networks of reverse proxies whose X-Forwarded-For is trusted.
    """
    metrics = WebMetrics(leagues)
    pages = Pages(store, leagues, metrics, error_log)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        pages.close()

    application = Starlette(
        routes=list(_routes(pages)),
        middleware=[
            Middleware(ClientAddressMiddleware, proxies=proxies),
            Middleware(LimitsMiddleware, metrics=metrics, rate=rate),
        ],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    application.router.redirect_slashes = False
    application.state.pages = pages
    return application


def _routes(pages: Pages) -> Iterator[BaseRoute]:
    yield from _with_json("/", pages.front)
    yield Route("/index.json", pages.front)
    yield from _with_json("/leagues/{league}", pages.league)
    yield from _with_json("/leagues/{league}/matches", pages.matches)
    yield from _with_json("/leagues/{league}/live", pages.live)
    yield Route("/leagues/{league}/live/events", pages.events)
    yield Route("/leagues/{league}/records.zip", pages.records)
    yield Route("/leagues/{league}/bots/{name}", pages.bot)
    yield Route("/leagues/{league}/bots/{name}/stderr", pages.stderr)
    yield from _with_json("/matches/{match}", pages.match)
    yield from _with_json("/matches/{match}/live", pages.table)
    yield Route("/matches/{match}/live/events", pages.events)
    yield Route("/matches/{match}/record", pages.record)
    yield Route("/matches/{match}/replay.json", pages.replay)
    yield Route("/metrics", pages.metrics)
    yield Route("/healthz", pages.healthz)
    yield Mount("/static", StaticFiles(packages=[("tournaments.web", "static")]))


def _with_json(path: str, endpoint: Endpoint) -> Iterator[Route]:
    """Yield the route of the JSON form of a page, then that of the page, which matches both."""
    yield Route(f"{path}.json", endpoint)
    yield Route(path, endpoint)
