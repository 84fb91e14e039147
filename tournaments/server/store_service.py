"""What the services of a league server share: callers, permissions, the status of an error.

A token in the metadata says who calls. Calls of the store run in threads, beside the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Final, NoReturn

import grpc

from engine import UsageError
from referee.transports import (
    MOST_PER_PAGE,
    PER_PAGE,
    Rate,
    RateLimitError,
    Reason,
    TokenBuckets,
    address_of,
    refuse,
    token_of,
)
from tournaments.model import (
    ANONYMOUS,
    ConflictError,
    FullError,
    Identity,
    NotAllowedError,
    NotFoundError,
    Role,
)
from tournaments.store import Store, StoreError

log = logging.getLogger(__name__)

LONGEST_REQUEST_ID: Final = 100
ENTRIES: Final = Rate(per_second=1 / 60, burst=10, patience=0)
"""How many bots and accounts may be made from one address without the token of an organiser."""

Code = grpc.StatusCode
Context = grpc.aio.ServicerContext[Any, Any]
Answer = Callable[[Any, Identity], Awaitable[Any]]
StreamAnswer = Callable[[Any, Identity, Context], AsyncIterator[Any]]
Status = tuple[grpc.StatusCode, Any]
Handlers = dict[str, "grpc.RpcMethodHandler[Any, Any]"]


class Refusal(Exception):  # noqa: N818  it is an answer, not an error
    """What a request is refused with."""

    def __init__(self, code: grpc.StatusCode, reason: Any, detail: str) -> None:
        super().__init__(detail)
        self.status: Status = code, reason


class StoreService:
    """Answers the methods of a service with what a store says, or with the status of an error."""

    creating: ClassVar[tuple[type, ...]] = ()
    """The requests for which a ConflictError means that something is there already."""
    limited: ClassVar[tuple[type, ...]] = ()
    """The requests whose number from one address is limited, but for organisers."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._entries = TokenBuckets(ENTRIES)

    def _unary(self, module: Any, service: str, answers: Mapping[str, Answer]) -> Handlers:
        """Return the handlers of the methods of a service that have one request and one answer."""
        methods = module.DESCRIPTOR.services_by_name[service].methods_by_name
        return {
            name: grpc.unary_unary_rpc_method_handler(
                partial(self._answer, answer),
                getattr(module, methods[name].input_type.name).FromString,
                encoded,
            )
            for name, answer in answers.items()
        }

    async def _answer(self, answer: Answer, request: Any, context: Context) -> Any:
        """Answer a request, or refuse it with the status of the error."""
        try:
            return await answer(request, await self._caller(request, context))
        except (asyncio.CancelledError, grpc.aio.AbortError):
            raise
        except Exception as error:  # noqa: BLE001  a fault is logged there
            await self._refuse(error, request, context)

    async def _answer_stream(
        self, answer: StreamAnswer, request: Any, context: Context
    ) -> AsyncIterator[Any]:
        """Answer a request with a stream, or refuse it with the status of the error."""
        try:
            who = await self._caller(request, context)
            async for response in answer(request, who, context):
                yield response
        except (asyncio.CancelledError, grpc.aio.AbortError):
            raise
        except Exception as error:  # noqa: BLE001  a fault is logged there
            await self._refuse(error, request, context)

    async def _caller(self, request: Any, context: Context) -> Identity:
        """Return the caller; an unknown token is refused, whatever the method."""
        token = token_of(context)
        who = ANONYMOUS if token is None else await asyncio.to_thread(self._store.identify, token)
        if token is not None and who.role == Role.ANYONE:
            detail = "this token is not known here."
            raise Refusal(Code.UNAUTHENTICATED, Reason.ERROR_REASON_BAD_TOKEN, detail)
        if isinstance(request, self.limited) and who.role != Role.ORGANISER:
            self._entries.take(address_of(context.peer()))
        return who

    async def _refuse(self, error: Exception, request: Any, context: Context) -> NoReturn:
        """Refuse a request with the status of an error; faults of the server are logged."""
        if isinstance(error, StoreError):
            log.error("the store does not answer: %s", error)
            detail = "the database of this server does not answer; try again later."
            await refuse(context, Code.UNAVAILABLE, Reason.ERROR_REASON_INTERNAL, detail)
        status = self._status(error, request)
        if status is None:
            reference = secrets.token_hex(4)
            log.error("a request failed, reference %s", reference, exc_info=error)
            detail = f"a fault of the server; its reference is {reference}."
            await refuse(context, Code.INTERNAL, Reason.ERROR_REASON_INTERNAL, detail)
        await refuse(context, *status, str(error))

    def _status(self, error: Exception, request: Any) -> Status | None:
        """Return the status that an error is answered with; None for a fault of the server."""
        if isinstance(error, Refusal):
            return error.status
        if isinstance(error, RateLimitError):
            return Code.RESOURCE_EXHAUSTED, Reason.ERROR_REASON_TOO_MANY_REQUESTS
        if isinstance(error, NotFoundError):
            return Code.NOT_FOUND, self._missing(request)
        if isinstance(error, NotAllowedError):
            return Code.PERMISSION_DENIED, Reason.ERROR_REASON_NOT_ALLOWED
        if isinstance(error, FullError):
            return Code.RESOURCE_EXHAUSTED, Reason.ERROR_REASON_WRONG_STATE
        if isinstance(error, ConflictError):
            if isinstance(request, self.creating):
                return Code.ALREADY_EXISTS, Reason.ERROR_REASON_ALREADY_EXISTS
            return Code.FAILED_PRECONDITION, Reason.ERROR_REASON_WRONG_STATE
        if isinstance(error, UsageError | ValueError):
            return Code.INVALID_ARGUMENT, Reason.ERROR_REASON_BAD_REQUEST
        return None

    def _missing(self, request: Any) -> Any:  # noqa: ARG002  a service may distinguish requests
        """Return the reason if what a request names is not there."""
        return Reason.ERROR_REASON_NO_SUCH_LEAGUE


# Permissions ------------------------------------------------------------------------------------


def organisers_only(who: Identity) -> None:
    """Refuse all callers but organisers."""
    if who.role != Role.ORGANISER:
        not_allowed(who, "only an organiser may do that.")


def not_allowed(who: Identity, detail: str) -> NoReturn:
    """Refuse a caller: one without a token is told to send one."""
    if who.role == Role.ANYONE:
        detail = f'{detail} Send a token in the metadata: "authorization: Bearer TOKEN".'
        raise Refusal(Code.UNAUTHENTICATED, Reason.ERROR_REASON_BAD_TOKEN, detail)
    detail = f"your token is not good for this: {detail}"
    raise Refusal(Code.PERMISSION_DENIED, Reason.ERROR_REASON_NOT_ALLOWED, detail)


# Fields of requests and answers -----------------------------------------------------------------


def read_page_size(size: int) -> int:
    """Return how many entries a page has; raises ValueError."""
    if not 0 <= size <= MOST_PER_PAGE:
        raise ValueError(f"page_size is {size}; it goes from 0 to {MOST_PER_PAGE}.")
    return size or PER_PAGE


def read_row_number(token: str) -> int:
    """Return the row at which a page of a table begins; raises ValueError."""
    if token and not (token.isascii() and token.isdecimal() and len(token) < 10):
        raise ValueError("this page_token is none of ours.")
    return int(token or 0)


def read_request_id(text: str) -> str:
    """Return the id that a client gave a request; raises ValueError."""
    if len(text) > LONGEST_REQUEST_ID or not text.isprintable():
        raise ValueError(f"a request_id has at most {LONGEST_REQUEST_ID} printable characters.")
    return text


def read_reason(text: str, readers: str = "everybody") -> str:
    """Return a reason that must be given; raises ValueError."""
    if not text.strip():
        raise ValueError(f"a reason is missing: {readers} will read it.")
    return text.strip()


def encoded(answer: Any) -> bytes:
    """Return an answer as it is sent; a large one has been encoded already."""
    return answer if isinstance(answer, bytes) else answer.SerializeToString()


async def in_thread(make: Callable[[], Any]) -> bytes:
    """Make and encode a large answer in a thread: the event loop keeps the clocks of matches."""
    return await asyncio.to_thread(lambda: encoded(make()))
