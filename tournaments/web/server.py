"""The HTTP server of the pages: uvicorn with limits on connections and on idle time.

A connection costs a file descriptor, and the bots need descriptors too. So connections are limited
in all and for each client; a request must arrive, and a response be read, within a time. uvicorn
itself limits neither the time of a request's headers nor that of reading a response.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Collection, Iterator
from ipaddress import ip_address
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from referee.runtime import raise_open_files
from referee.transports import RateLimitError, client_network
from tournaments.web.concurrency_limits import ConcurrencyLimit
from tournaments.web.middleware import read_proxies

REQUEST_WITHIN: Final = 10.0
"""Seconds from a connection, or from the last response on it, to the end of a request's headers."""
READ_WITHIN: Final = 30.0
"""Seconds that a client may take for the next 48 KiB of a response, or for the rest of one."""
MOST_CONNECTIONS: Final = 4096
MOST_PER_CLIENT: Final = 128
GRACE: Final = 2
"""Seconds that responses may take to end when the server stops."""
_TICKS_PER_SECOND: Final = 10  # of uvicorn
_REFUSED: Final = (
    b"HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 10\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\nContent-Length: 22\r\n\r\n"
    b"Too many connections.\n"
)


class ConnectionLimits(ConcurrencyLimit):
    """The limits of connections, and the number of open ones."""

    def __init__(self, proxies: Collection[str]) -> None:
        most = min(MOST_CONNECTIONS, raise_open_files() // 2)  # the rest is for bots and the store
        super().__init__(most, MOST_PER_CLIENT)
        self._proxies = read_proxies(proxies)

    def client(self, peer: str) -> str:
        """Return the client of a connection; empty for a proxy, which has many clients."""
        network = client_network(peer)
        if network is None:
            return peer
        address = ip_address(peer)
        return "" if any(address in proxy for proxy in self._proxies) else network


class LimitedProtocol(H11Protocol):
    """A connection that is closed when its client does not send or read in time."""

    limits: ConnectionLimits
    """Set by a subclass for each server."""

    def connection_made(self, transport: Any) -> None:
        """Count the connection, or refuse it."""
        super().connection_made(transport)
        self.waiting_since: float | None = self.loop.time()
        self.unread_since: float | None = None
        self.closing_since: float | None = None
        self._client_key = self.limits.client(self.client[0] if self.client else "")
        try:
            self.limits.acquire(self._client_key)
            self._counted = True
        except RateLimitError:
            self._counted = False
            transport.write(_REFUSED)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count one connection less."""
        super().connection_lost(exc)
        if self._counted:
            self._counted = False
            self.limits.release(self._client_key)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request, unless the connection is closing."""
        if not self.transport.is_closing():
            super().data_received(data)
            self._note_request()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.waiting_since = self.loop.time()
        super().on_response_complete()
        self._note_request()

    def _note_request(self) -> None:
        """Stop waiting while a request is being answered."""
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete:
            self.waiting_since = None

    def pause_writing(self) -> None:
        """Note since when the client has not read."""
        super().pause_writing()
        self.unread_since = self.loop.time()

    def resume_writing(self) -> None:
        """Note that the client has read."""
        super().resume_writing()
        self.unread_since = None

    def check(self, now: float) -> None:
        """Close the connection if its client has exceeded a time."""
        closing = self.transport.is_closing()
        if closing and self.closing_since is None:
            self.closing_since = now
        for since in (self.unread_since, self.closing_since):
            if since is not None and now - since >= READ_WITHIN:
                self.transport.abort()  # close() would wait until the client has read
                return
        waiting = self.waiting_since
        if not closing and waiting is not None and now - waiting >= REQUEST_WITHIN:
            self.transport.close()


class WebServer(uvicorn.Server):
    """A uvicorn server in the event loop of the league server, which handles the signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the owner of the loop."""
        yield

    async def on_tick(self, counter: int) -> bool:
        """Check all connections once a second."""
        if counter % _TICKS_PER_SECOND == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, LimitedProtocol):
                    connection.check(now)
        return await super().on_tick(counter)


def web_server(application: Starlette, proxies: Collection[str] = ()) -> WebServer:
    """Return a server for the pages, and raise the soft limit of open files.

    The connections of ``proxies``, which are addresses or networks, have no limit of their own.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # invalid requests are no errors
    config = uvicorn.Config(
        application,
        http=type("_Protocol", (LimitedProtocol,), {"limits": ConnectionLimits(proxies)}),
        ws="none",
        log_config=None,
        lifespan="off",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        proxy_headers=False,  # the application has ClientAddressMiddleware
        h11_max_incomplete_event_size=16 * 1024,
    )
    return WebServer(config)
