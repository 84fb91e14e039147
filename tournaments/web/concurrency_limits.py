"""Limits on what may be open at once: in all, and for each client."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from referee.transports import RateLimitError


class ConcurrencyLimit:
    """Counts what is open. For use on the event loop only."""

    def __init__(self, most: int, most_per_client: int, refusal: str = "") -> None:
        self._most = most
        self._most_per_client = most_per_client
        self._refusal = refusal
        self._open: Counter[str] = Counter()

    def acquire(self, client: str) -> None:
        """Count one more; raises RateLimitError.

        A client with an empty name, such as a proxy, has no limit of its own.
        """
        own = self._open[client] if client else 0
        if self._open.total() >= self._most or own >= self._most_per_client:
            raise RateLimitError(self._refusal)
        self._open[client] += 1

    def release(self, client: str) -> None:
        """Count one less."""
        self._open[client] -= 1
        if not self._open[client]:
            del self._open[client]


class LimitedResponse(StreamingResponse):
    """A streamed response that counts against a limit from its creation until it has been sent.

    Check and count are one step: the event loop runs nothing else between this and the sending.
    """

    def __init__(
        self,
        limit: ConcurrencyLimit,
        client: str,
        content: Callable[[], AsyncIterator[bytes]],
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        """Count it; raises RateLimitError."""
        limit.acquire(client)
        self._limit = limit
        self._client = client
        super().__init__(content(), headers=headers, media_type=media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the content, and release the limit however that ends."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._limit.release(self._client)
