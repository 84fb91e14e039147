"""What every request passes: limits on the way in, and headers on the way out."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tournaments.league.gate import Buckets, Rate, TooFastError
from tournaments.web.metrics import WebFigures
from tournaments.web.readers import READER, Readers
from tournaments.web.refusals import HEADERS, RETRY_AFTER, refusal

REQUESTS: Final = Rate(per_second=30, burst=400, patience=0)
"""Of one reader: a page and what it needs are about ten."""
LONGEST_BODY: Final = 16 * 1024
LONGEST_QUERY: Final = 4 * 1024


class Guard:
    """Refuses what is too much, counts what is answered, and adds the headers of every answer."""

    def __init__(
        self,
        app: ASGIApp,
        figures: WebFigures,
        rate: Rate = REQUESTS,
        proxies: Collection[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._figures = figures
        self._buckets = Buckets(rate, clock)
        self._readers = Readers(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 500
        scope[READER] = self._readers.of(scope)

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            answer = self._refused(scope) or self._app
            await answer(scope, _bounded(receive), send_with_headers)
        finally:
            self._figures.answered(scope, status, time.monotonic() - began)

    def _refused(self, scope: Scope) -> ASGIApp | None:
        """Return a refusal if a request is too much."""
        headers = Headers(scope=scope)
        path, accept = scope["path"], headers.get("accept", "")
        try:
            self._buckets.take(scope[READER])
        except TooFastError as error:
            self._figures.refused.inc()
            return refusal(path, accept, 429, str(error), {"Retry-After": RETRY_AFTER})
        if len(scope["query_string"]) > LONGEST_QUERY:
            return refusal(path, accept, 414, "The address is too long.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LONGEST_BODY:
            return refusal(path, accept, 413, "The request is too large: nothing is taken here.")
        return None


def _bounded(receive: Receive) -> Receive:
    """Read no more of a body than there may be; nothing here reads one."""
    left = LONGEST_BODY

    async def received() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    return received
