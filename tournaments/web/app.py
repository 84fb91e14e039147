"""The web application of a league server.

    application = create_app(store, leagues)
    uvicorn.run(application)

Readers change nothing. Authors sign up, submit bots and choose the versions that play, with a token
as a bearer token; leagues are changed over gRPC, by the command line. There are no cookies.
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
from tournaments.submissions import SubmissionQueue
from tournaments.web.error_handlers import HANDLERS
from tournaments.web.game_rules import rules
from tournaments.web.metrics import WebMetrics
from tournaments.web.middleware import REQUESTS, ClientAddressMiddleware, LimitsMiddleware
from tournaments.web.pages import Pages
from tournaments.web.responses import PageThreads
from tournaments.web.stream import EventStreams, stream_limit
from tournaments.web.submission_pages import ErrorLog, SubmissionPages
from tournaments.web.upload import UPLOADS, UploadLimits

Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(
    store: Store,
    leagues: LeagueManager,
    error_log: ErrorLog = lambda *_: None,
    *,
    rate: Rate = REQUESTS,
    proxies: Collection[str] = (),
    queue: SubmissionQueue | None = None,
    address: str = "",
    upload_limits: UploadLimits = UPLOADS,
) -> Starlette:
    """Return the application.

    ``error_log`` returns the file with the standard error of a bot that the server runs.
    ``proxies`` are addresses or networks of reverse proxies whose X-Forwarded-For is trusted.
    Without a ``queue`` no packages are taken. ``address`` is that of the gRPC services, if known.
    """
    metrics, threads, streams = WebMetrics(leagues), PageThreads(), stream_limit()
    pages = Pages(store, leagues, metrics, threads, EventStreams(leagues, metrics, streams))
    submissions = SubmissionPages(
        store,
        metrics,
        threads,
        streams,
        error_log=error_log,
        queue=queue,
        address=address,
        limits=upload_limits,
    )
    resources = contextlib.ExitStack()
    for part in (pages, submissions, threads):
        resources.callback(part.close)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        resources.close()

    application = Starlette(
        routes=[*_for_authors(submissions), *_routes(pages)],
        middleware=[
            Middleware(ClientAddressMiddleware, proxies=proxies),
            Middleware(LimitsMiddleware, metrics=metrics, rate=rate),
        ],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    application.router.redirect_slashes = False
    application.state.resources = resources
    return application


def _routes(pages: Pages) -> Iterator[BaseRoute]:
    yield from _with_json("/", pages.front)
    yield Route("/index.json", pages.front)
    yield from _with_json("/leagues/{league}", pages.league)
    yield from _with_json("/leagues/{league}/matches", pages.matches)
    yield from _with_json("/leagues/{league}/live", pages.live)
    yield Route("/leagues/{league}/live/events", pages.events)
    yield Route("/leagues/{league}/records.zip", pages.records)
    yield Route("/leagues/{league}/finals/{number:int}/records.zip", pages.final_records)
    yield Route("/leagues/{league}/bots/{name}", pages.bot)
    yield from _with_json("/matches/{match}", pages.match)
    yield from _with_json("/matches/{match}/live", pages.table)
    yield Route("/matches/{match}/live/events", pages.events)
    yield Route("/matches/{match}/record", pages.record)
    yield Route("/matches/{match}/replay.json", pages.replay)
    yield Route("/rules/{game}", rules)
    yield Route("/metrics", pages.metrics)
    yield Route("/healthz", pages.healthz)
    yield Mount("/static", StaticFiles(packages=[("tournaments.web", "static")]))


def _for_authors(pages: SubmissionPages) -> Iterator[BaseRoute]:
    yield from _with_json("/leagues/{league}/take-part", pages.take_part)
    yield Route("/leagues/{league}/accounts", pages.sign_up, methods=["POST"])
    yield Route("/leagues/{league}/account.json", pages.account)
    for path in ("/leagues/{league}/packages/", "/leagues/{league}/packages/{file}"):
        yield Route(path, pages.upload, methods=["PUT", "POST"])
    yield Route("/leagues/{league}/bots/{name}/stderr", pages.stderr)
    yield Route("/leagues/{league}/bots/{name}/retire", pages.retire, methods=["POST"])
    yield Route("/submissions/{number}.json", pages.submission)
    yield Route("/submissions/{number}/events", pages.events)
    yield Route("/submissions/{number}/log", pages.log)
    yield Route("/submissions/{number}/activate", pages.activate, methods=["POST"])
    yield Route("/packages/{hash}.tar.gz", pages.package)


def _with_json(path: str, endpoint: Endpoint) -> Iterator[Route]:
    """Yield the route of the JSON form of a page, then that of the page, which matches both."""
    yield Route(f"{path}.json", endpoint)
    yield Route(path, endpoint)
