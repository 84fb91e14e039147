"""A channel between two processes: pickled messages in order, over a socket pair."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from socket import socket
from typing import Any, Final, cast

HEADER: Final = 4
"""The length of a message's length field, in bytes."""


class Channel(asyncio.Protocol):
    """One end of a channel, for an event loop.

    ``send`` never waits; what the peer has not read is buffered here. The buffer stays small: a
    worker gets no new jobs before it has answered, and an answer has a few kilobytes.
    """

    def __init__(
        self, end: socket, on_message: Callable[[Any], None], on_close: Callable[[], None]
    ) -> None:
        """Take one end of a socket pair, and the callbacks for messages and for the end."""
        self._end = end
        self._on_message = on_message
        self._on_close = on_close
        self._transport: asyncio.Transport | None = None
        self._unsent = b""
        """Frames that were sent before the channel was open."""
        self._received = bytearray()
        """The first part of a message that is not complete."""
        self._closed = asyncio.Event()

    async def open(self) -> None:
        """Attach the channel to the running event loop, and send what was sent before."""
        loop = asyncio.get_running_loop()
        await loop.create_unix_connection(lambda: self, sock=self._end)

    def send(self, message: object) -> None:
        """Send a message; after the end of the channel it is discarded."""
        data = pickle.dumps(message)
        frame = len(data).to_bytes(HEADER, "big") + data
        if self._transport is None:
            self._unsent += frame
        elif not self._closed.is_set():
            self._transport.write(frame)

    async def close(self) -> None:
        """Close the channel after everything is sent; return once it is closed."""
        if self._transport is not None:
            self._transport.close()
            await self._closed.wait()

    def abort(self) -> None:
        """Close the channel at once, and discard what is not sent."""
        if self._transport is None:
            self._end.close()
        elif not self._closed.is_set():
            self._transport.abort()

    # Callbacks of the event loop ----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send what was sent before the channel was open."""
        self._transport = cast("asyncio.Transport", transport)
        if self._unsent:
            self._transport.write(self._unsent)

    def data_received(self, data: bytes) -> None:
        """Pass on every message that is complete now."""
        received = self._received
        received += data
        start = 0
        while len(received) >= start + HEADER:
            end = start + HEADER + int.from_bytes(received[start : start + HEADER], "big")
            if len(received) < end:
                break
            message = pickle.loads(received[start + HEADER : end])  # noqa: S301  of our own process
            start = end
            self._on_message(message)
        del received[:start]

    def connection_lost(self, _error: Exception | None) -> None:
        """Note the end of the channel."""
        self._closed.set()
        self._on_close()
