"""Responses of the endpoints: documents as HTML or JSON, made in threads of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, ParamSpec, TypeVar
from urllib.parse import quote

import orjson
from starlette.requests import Request
from starlette.responses import Response

from tournaments.web.documents import Document
from tournaments.web.error_handlers import wants_json
from tournaments.web.query import link
from tournaments.web.rendering import render

P = ParamSpec("P")
T = TypeVar("T")

THREADS: Final = 4
REVALIDATE: Final = {"Cache-Control": "no-cache", "Vary": "Accept"}
NO_STORE: Final = {"Cache-Control": "no-store"}


class PageThreads:
    """The threads that read the store and render pages, so that readers delay no match."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "pages")

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a task that blocks."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: task(*args, **kwargs))

    async def page(
        self,
        request: Request,
        template: str,
        document: Callable[[], Document],
        *,
        is_json: bool | None = None,
    ) -> Response:
        """Make a document in a thread, and send it as HTML or as JSON."""
        path = request.scope["path"]
        is_json = wants_json(request.scope) if is_json is None else is_json
        address = link(f"{quote(path) if path != '/' else '/index'}.json", **request.query_params)

        def body() -> bytes:
            made = document()
            if is_json:
                return orjson.dumps(made)
            return render(template, made, address)

        sent = await self.run(body)
        if is_json:
            return Response(sent, headers=REVALIDATE, media_type="application/json")
        return Response(sent, headers=REVALIDATE, media_type="text/html")


def json_response(
    document: Any, status: int = 200, headers: Mapping[str, str] = NO_STORE
) -> Response:
    """Return a document that no cache may keep, unless the headers allow it."""
    return Response(orjson.dumps(document), status, headers, "application/json")
