"""A relay between bots and the server, to test how bots handle a cut connection."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from referee.transports import open_to_sandboxes


class Relay:
    """Copies bytes between bots and the server, and can cut all connections."""

    def __init__(self, port: int) -> None:
        self.connections = 0
        """The number of connections so far."""
        self.address = ""
        self._port = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Start to listen on a free port."""
        self._server = await asyncio.start_server(self._relay_connection, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start_unix(self, path: Path) -> None:
        """Start to listen on a unix socket, for bots in a sandbox."""
        self._server = await asyncio.start_unix_server(self._relay_connection, path)
        self.address = f"unix:{path}"
        open_to_sandboxes(path)

    def cut(self) -> None:
        """Cut all connections; new ones are accepted."""
        for writer in self._writers:
            writer.transport.abort()

    async def close(self) -> None:
        """Stop listening and cut all connections."""
        if self._server is not None:
            self._server.close()
        self.cut()
        while self._writers:  # noqa: ASYNC110  the copying tasks remove them
            await asyncio.sleep(0.01)

    async def _relay_connection(
        self, near: asyncio.StreamReader, to_bot: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        far, to_referee = await asyncio.open_connection("127.0.0.1", self._port)
        writers = {to_bot, to_referee}
        self._writers |= writers
        try:
            await asyncio.gather(_copy(near, to_referee), _copy(far, to_bot))
        finally:
            self._writers -= writers


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(64 * 1024):
            target.write(data)
            await target.drain()
    target.close()
