"""Middleware of every request: the client's address, limits, and the headers of every response."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Collection, Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from engine import UsageError
from referee.transports import Rate, RateLimitError, TokenBuckets, client_network
from tournaments.submissions import PackageLimits
from tournaments.web.error_handlers import HEADERS, RETRY_AFTER, error_response
from tournaments.web.metrics import WebMetrics
from tournaments.web.upload import too_large

CLIENT: Final = "highstreet.client"
"""The key of a scope for the client that a request counts for: an address, in IPv6 a /64."""
_PEER: Final = "highstreet.peer"
"""The key of a scope for the address of the connection."""
REQUESTS: Final = Rate(per_second=30, burst=400, patience=0)
"""Of one client: a page and what it needs are about ten."""
REFUSED_AFTER: Final = 1.0
"""Seconds before a request beyond the rate is refused: a refusal costs a third of a millisecond,
and a client that could cause thousands a second would take the event loop from the matches."""
LONGEST_BODY: Final = 16 * 1024
LONGEST_QUERY: Final = 4 * 1024
_UPLOAD: Final = re.compile(r"/leagues/[^/]+/packages/[^/]*")


def read_proxies(texts: Iterable[str]) -> list[IPv4Network | IPv6Network]:
    """Read addresses or networks of reverse proxies; raises UsageError.

    An IPv4 network is returned in its IPv6 form too, which a socket for both protocols reports.
    """
    networks: list[IPv4Network | IPv6Network] = []
    for text in texts:
        try:
            network = ip_network(text)
        except ValueError as error:
            raise UsageError(
                f'cannot read --proxy "{text}": {error}. Write an address such as 127.0.0.1, or a '
                "network such as 10.0.0.0/8."
            ) from None
        networks.append(network)
        if isinstance(network, IPv4Network):
            mapped = f"::ffff:{network.network_address}/{96 + network.prefixlen}"
            networks.append(IPv6Network(mapped))
    return networks


class ClientAddressMiddleware:
    """Sets the client that a request counts for.

    Any client can write X-Forwarded-For, so uvicorn reads it only from trusted proxies, and takes
    the last address that is not a proxy itself. Where that is no address, the proxy counts.
    """

    def __init__(self, app: ASGIApp, proxies: Collection[str] = ()) -> None:
        self._app = app
        forwarded: Any = self._forwarded  # uvicorn has types of its own for the same protocol
        self._proxy_headers: Any = ProxyHeadersMiddleware(
            forwarded, [str(network) for network in read_proxies(proxies)]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the headers of the proxy, if there is one."""
        scope[_PEER] = _host(scope)
        await self._proxy_headers(scope, receive, send)

    async def _forwarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = scope[_PEER]
        scope[CLIENT] = client_network(_host(scope)) or client_network(peer) or peer
        await self._app(scope, receive, send)


def _host(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""


class LimitsMiddleware:
    """Refuses requests beyond the limits, counts responses, and adds the common headers."""

    def __init__(self, app: ASGIApp, metrics: WebMetrics, rate: Rate = REQUESTS) -> None:
        self._app = app
        self._metrics = metrics
        self._buckets = TokenBuckets(rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-cache")  # static files have an ETag
            await send(message)

        try:
            response = await self._refusal(scope) or self._app
            received = receive if _is_upload(scope) else _bounded(receive)
            await response(scope, received, send_with_headers)
        finally:
            self._metrics.count_response(scope, status, time.monotonic() - began)

    async def _refusal(self, scope: Scope) -> ASGIApp | None:
        """Return an error response if a request is beyond a limit."""
        headers = Headers(scope=scope)
        try:
            self._buckets.take(scope[CLIENT])
        except RateLimitError as error:
            self._metrics.refused.inc()
            await asyncio.sleep(REFUSED_AFTER)
            return error_response(scope, 429, str(error), {"Retry-After": RETRY_AFTER})
        if len(scope["query_string"]) > LONGEST_QUERY:
            return error_response(scope, 414, "The address is too long.")
        length = headers.get("content-length", "0")
        most = PackageLimits().packed if _is_upload(scope) else LONGEST_BODY
        if not (length.isascii() and length.isdecimal()) or len(length) > 9 or int(length) > most:
            return error_response(scope, 413, too_large(most).detail)
        return None


def _is_upload(scope: Scope) -> bool:
    """Return whether a request brings a package, whose endpoint has limits of its own."""
    return scope["method"] in ("PUT", "POST") and _UPLOAD.fullmatch(scope["path"]) is not None


def _bounded(receive: Receive) -> Receive:
    """Return a receive function that ends the request after the longest body."""
    left = LONGEST_BODY

    async def received() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    return received
