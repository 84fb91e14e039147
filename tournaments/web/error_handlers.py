"""Errors as pages or as JSON."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import orjson
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ExceptionHandler, Scope

from engine import UsageError
from referee.transports import RateLimitError
from tournaments.model import ConflictError, FullError, NotAllowedError, NotFoundError
from tournaments.store import StoreError
from tournaments.web.rendering import render

log = logging.getLogger(__name__)

RETRY_AFTER: Final = "10"
"""Seconds after which a refused request may be repeated."""
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""Of every response."""
_STATUS: Final = {
    NotFoundError: 404,
    NotAllowedError: 403,
    ConflictError: 409,
    FullError: 429,
    UsageError: 400,
    RateLimitError: 429,
}
"""The status of each expected error, the more special first."""
_SENTENCES: Final = {
    404: "There is nothing at this address.",
    405: "This address is not for that method; leagues are changed with the command line.",
}


def wants_json(scope: Scope) -> bool:
    """Return whether a request is for JSON, by its path or by its Accept header."""
    accept = Headers(scope=scope).get("accept", "")
    path: str = scope["path"]
    return path.endswith(".json") or accepts_json(accept)


def accepts_json(accept: str) -> bool:
    """Return whether an Accept header names JSON first."""
    return accept.partition(",")[0].strip() == "application/json"


def _wants_text(scope: Scope) -> bool:
    """Return whether a request is that of a program, which shows no HTML."""
    asks = scope["method"] in ("GET", "HEAD")
    for_programs = not asks or scope["path"].startswith(("/submissions/", "/packages/"))
    return for_programs and "text/html" not in Headers(scope=scope).get("accept", "")


def error_response(
    scope: Scope, status: int, sentence: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a response that states what is wrong."""
    document = {"status": status, "title": HTTPStatus(status).phrase, "error": sentence}
    sent = {**(headers or {}), "Cache-Control": "no-store"}
    if wants_json(scope):
        return Response(orjson.dumps(document), status, sent, "application/json")
    if _wants_text(scope):
        return Response(f"{sentence}\n", status, sent, "text/plain")
    return Response(render("error", document, ""), status, sent, "text/html")


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  registered for it
    status, sentence = error.status_code, error.detail
    if sentence == HTTPStatus(status).phrase:
        sentence = _SENTENCES.get(status, sentence)
    return error_response(request.scope, status, sentence, error.headers)


async def _expected_error(request: Request, error: Exception) -> Response:
    status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
    headers = {"Retry-After": RETRY_AFTER} if status == 429 else {}
    text = str(error)
    return error_response(request.scope, status, text[:1].upper() + text[1:], headers)


async def _store_error(request: Request, error: Exception) -> Response:
    log.error("the database cannot be used: %s", error)
    sentence = "The database does not answer; try again in a moment."
    return error_response(request.scope, 503, sentence, {"Retry-After": RETRY_AFTER})


async def _internal_error(request: Request, error: Exception) -> Response:
    reference = secrets.token_hex(4)
    log.error("a page failed, reference %s", reference, exc_info=error)
    sentence = f"The server failed to make this page, reference {reference}."
    return error_response(request.scope, 500, sentence, HEADERS)  # sent outside of the middleware


HANDLERS: Final[Mapping[Any, ExceptionHandler]] = {
    HTTPException: _http_error,
    **dict.fromkeys(_STATUS, _expected_error),
    StoreError: _store_error,
    Exception: _internal_error,
}
