"""What goes wrong, as a page or as JSON."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ExceptionHandler

from engine import UsageError
from tournaments.league.gate import TooFastError
from tournaments.league.model import NotFoundError
from tournaments.store import StoreError
from tournaments.web.looks import render

log = logging.getLogger(__name__)

RETRY_AFTER: Final = "10"
"""Seconds after which somebody who was refused may try again."""

POLICY: Final = (
    "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""Of every answer."""


def wants_json(path: str, accept: str) -> bool:
    """Tell whether somebody asks for the JSON twin: by the address, or by saying so."""
    return path.endswith(".json") or accept.partition(",")[0].strip() == "application/json"


def refusal(
    path: str, accept: str, status: int, sentence: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an answer that says what is wrong."""
    document = {"status": status, "title": HTTPStatus(status).phrase, "error": sentence}
    sent = {**(headers or {}), "Cache-Control": "no-store"}
    if wants_json(path, accept):
        return Response(orjson.dumps(document), status, sent, "application/json")
    return Response(render("error", document, ""), status, sent, "text/html")


def _refused(request: Request, status: int, sentence: str, **headers: str) -> Response:
    accept = request.headers.get("accept", "")
    return refusal(request.scope["path"], accept, status, sentence, headers)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  registered for it
    status, sentence = error.status_code, error.detail
    if sentence == HTTPStatus(status).phrase:
        sentence = _SENTENCES.get(status, sentence)
    return _refused(request, status, sentence, **dict(error.headers or {}))


async def _missing(request: Request, error: Exception) -> Response:
    return _refused(request, 404, _sentence(error))


async def _unusable(request: Request, error: Exception) -> Response:
    return _refused(request, 400, _sentence(error))


async def _too_fast(request: Request, error: Exception) -> Response:
    return _refused(request, 429, _sentence(error), **{"Retry-After": RETRY_AFTER})


async def _store(request: Request, error: Exception) -> Response:
    log.error("the store does not answer: %s", error)
    sentence = "The database does not answer; try again in a moment."
    return _refused(request, 503, sentence, **{"Retry-After": RETRY_AFTER})


async def _broken(request: Request, error: Exception) -> Response:
    reference = secrets.token_hex(4)
    log.error("a page failed, reference %s", reference, exc_info=error)
    sentence = f"Something went wrong on our side, reference {reference}."
    return _refused(request, 500, sentence, **HEADERS)  # nobody else adds them now


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]


_SENTENCES: Final = {
    404: "There is nothing at this address.",
    405: "Pages are for reading; leagues are changed with the command line.",
}

HANDLERS: Final[Mapping[Any, ExceptionHandler]] = {
    HTTPException: _http,
    NotFoundError: _missing,
    UsageError: _unusable,
    TooFastError: _too_fast,
    StoreError: _store,
    Exception: _broken,
}
