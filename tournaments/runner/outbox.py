"""What a worker says to its runner: in order, and without letting the event loop wait."""

from __future__ import annotations

import logging
import select
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Final

from tournaments.runner.jobs import FromWorker

log = logging.getLogger(__name__)

ROOM: Final = 64 * 1024
"""What fits at once into a connection that can be written to: Linux says so of one that is no more
than a quarter full, and what is left is more than twice this."""


class Outbox:
    """Sends messages at once while the runner reads them, and beside the loop while it does not.

    A thread that sent everything would take the interpreter away from the loop for each result,
    which costs as much as a tenth of a match.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._thread = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None
        """The last message that the thread was given; it sends them in order."""

    def put(self, message: FromWorker) -> None:
        """Send a message; nobody hears it if the runner is gone."""
        data = bytes(ForkingPickler.dumps(message))
        waiting = self._last is not None and not self._last.done()
        if not waiting and len(data) <= ROOM and self._has_room():
            self._send(data)
        else:
            self._last = self._thread.submit(self._send, data)

    def close(self) -> None:
        """Wait until everything is sent."""
        self._thread.shutdown(wait=True)

    def _has_room(self) -> bool:
        poll = select.poll()
        poll.register(self._connection.fileno(), select.POLLOUT)
        return bool(poll.poll(0))

    def _send(self, data: bytes) -> None:
        try:
            self._connection.send_bytes(data)
        except OSError:
            log.warning("the runner is gone")
