"""The line between the runner and a worker: whole messages both ways, in order; nobody waits."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from socket import socket
from typing import Any, Final, cast

HEAD: Final = 4
"""How many bytes say how long a message is."""


class Line(asyncio.Protocol):
    """One end of it, for an event loop.

    What the other end does not read waits here. That is little: a worker is given so many matches
    and no more until it has answered, and what it says of one is a few kilobytes.
    """

    def __init__(self, end: socket, hear: Callable[[Any], None], lost: Callable[[], None]) -> None:
        """Take an end of a socket pair, whom to tell of messages, and whom of the line's end."""
        self._end = end
        self._hear = hear
        self._lost = lost
        self._transport: asyncio.Transport | None = None
        self._early = b""
        """What was said before the line was open."""
        self._heard = bytearray()
        """What has come in of a message that is not whole."""
        self._over = asyncio.Event()

    async def open(self) -> None:
        """Begin to listen, and send what was said before."""
        loop = asyncio.get_running_loop()
        await loop.create_unix_connection(lambda: self, sock=self._end)

    def put(self, message: object) -> None:
        """Send a message; if there is nobody at the other end, nobody hears it."""
        data = pickle.dumps(message)
        frame = len(data).to_bytes(HEAD, "big") + data
        if self._transport is None:
            self._early += frame
        elif not self._over.is_set():
            self._transport.write(frame)

    async def close(self) -> None:
        """Send what waits, and hang up; who cannot be reached any more has hung up already."""
        if self._transport is not None:
            self._transport.close()
            await self._over.wait()

    def abort(self) -> None:
        """Hang up at once."""
        if self._transport is None:
            self._end.close()
        elif not self._over.is_set():
            self._transport.abort()

    # What follows is called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send what was said before there was a line."""
        self._transport = cast("asyncio.Transport", transport)
        if self._early:
            self._transport.write(self._early)

    def data_received(self, data: bytes) -> None:
        """Tell of every message that is whole now."""
        heard = self._heard
        heard += data
        start = 0
        while len(heard) >= start + HEAD:
            end = start + HEAD + int.from_bytes(heard[start : start + HEAD], "big")
            if len(heard) < end:
                break
            message = pickle.loads(heard[start + HEAD : end])  # noqa: S301  of our own process
            start = end
            self._hear(message)
        del heard[:start]

    def connection_lost(self, _error: Exception | None) -> None:
        """Tell that nothing will come any more."""
        self._over.set()
        self._lost()
