"""A gRPC interceptor that applies the rate limits to every service."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, Final

import grpc

from referee.transports.rate_limit import (
    OF_ADDRESS,
    OF_TOKEN,
    RateLimitError,
    TokenBuckets,
    address_of,
)
from referee.transports.status import Reason, refuse
from referee.transports.tokens import hashed

Context = grpc.aio.ServicerContext[Any, Any]

PENALTY: Final = 1.0
"""The delay of a refusal in seconds: a refusal costs nearly as much as an answer, so clients that
retry at once must be slowed down."""
MOST_PER_PAGE: Final = 1000
PER_PAGE: Final = 100
"""The default number of entries on a page of a list."""
UNUSUAL: Final = 5
"""The cost of a rare request: a call of an unknown method, or a request in a stream of the
reflection service, whose every response is a whole file of the protocol."""
ENTRIES_PER_REQUEST: Final = 25
"""The number of entries of a list that cost as much as one request."""
_MAKERS: Final[dict[tuple[bool, bool], tuple[str, Any]]] = {
    (False, False): ("unary_unary", grpc.unary_unary_rpc_method_handler),
    (False, True): ("unary_stream", grpc.unary_stream_rpc_method_handler),
    (True, False): ("stream_unary", grpc.stream_unary_rpc_method_handler),
    (True, True): ("stream_stream", grpc.stream_stream_rpc_method_handler),
}
"""By whether requests and responses are streams: the attribute with the method, and the function
that makes a handler."""


class RequestLimiter(grpc.aio.ServerInterceptor):
    """Counts requests by address and by token: every call, and every request of a stream.

    Requests that a handler reads with ``context.read`` are not counted here.
    """

    def __init__(self, play: str) -> None:
        """Count for a server; calls of the service ``play`` are refused with UNAVAILABLE."""
        self._play = f"/{play}/"
        self._addresses = TokenBuckets(OF_ADDRESS)
        self._tokens = TokenBuckets(OF_TOKEN)

    async def intercept_service(
        self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any
    ) -> Any:
        """Return a handler that counts first."""
        handler = await continuation(handler_call_details)
        if handler is None:
            handler = _UNKNOWN
        name, make = _MAKERS[handler.request_streaming, handler.response_streaming]
        code = grpc.StatusCode.RESOURCE_EXHAUSTED
        if handler_call_details.method.startswith(self._play):
            code = grpc.StatusCode.UNAVAILABLE
        count = partial(self._count, code)
        if handler.request_streaming:
            count = partial(self._count_stream, code, UNUSUAL if handler is _UNKNOWN else 1)
        return make(
            _counted(count, getattr(handler, name)),
            handler.request_deserializer,
            handler.response_serializer,
        )

    async def _count(self, code: grpc.StatusCode, request: Any, context: Context) -> Any:
        await self._wait(code, context, _cost(request))
        return request

    async def _count_stream(
        self, code: grpc.StatusCode, cost: int, requests: AsyncIterator[Any], context: Context
    ) -> Any:
        await self._wait(code, context, cost)
        return self._counted_requests(code, requests, context)

    async def _counted_requests(
        self, code: grpc.StatusCode, requests: AsyncIterator[Any], context: Context
    ) -> AsyncIterator[Any]:
        async for request in requests:
            await self._wait(code, context, UNUSUAL)
            yield request

    async def _wait(self, code: grpc.StatusCode, context: Context, cost: int = 1) -> None:
        token = token_of(context)
        try:
            wait = self._addresses.take(address_of(context.peer()), cost)
            if token is not None:
                wait = max(wait, self._tokens.take(hashed(token).hex(), cost))
        except RateLimitError as error:
            await asyncio.sleep(PENALTY)
            await refuse(context, code, Reason.ERROR_REASON_TOO_MANY_REQUESTS, str(error))
        if wait:
            await asyncio.sleep(wait)


async def _unknown(_requests: AsyncIterator[bytes], context: Context) -> None:
    """Refuse a call of an unknown method as gRPC does, but counted."""
    await context.abort(grpc.StatusCode.UNIMPLEMENTED, "there is no such method here.")


_UNKNOWN: Final = grpc.stream_stream_rpc_method_handler(_unknown, bytes, bytes)


def _cost(request: Any) -> int:
    """Return the cost of a request: more for a page of a list."""
    size = getattr(request, "page_size", None)
    if size is None:
        return 1
    return 1 + min(max(0, size or PER_PAGE), MOST_PER_PAGE) // ENTRIES_PER_REQUEST


def _counted(count: Callable[[Any, Context], Awaitable[Any]], answer: Any) -> Any:
    """Return a method that counts first; gRPC needs a generator where the method is one."""

    async def respond(request: Any, context: Context) -> Any:
        return await answer(await count(request, context), context)

    async def generate(request: Any, context: Context) -> AsyncIterator[Any]:
        async for response in answer(await count(request, context), context):
            yield response

    return generate if inspect.isasyncgenfunction(answer) else respond


def token_of(context: Context) -> str | None:
    """Return the token in the metadata of a call, if there is one."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = (value if isinstance(value, str) else "").partition(" ")
            if scheme.lower() == "bearer":
                return token.strip()
    return None
