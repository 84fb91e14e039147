"""Bodies of requests, read within limits of size, time and speed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from tournaments.submissions import PackageLimits

LINGER: Final = 5.0
"""Seconds for which the rest of a refused upload is read: a client that is still sending would
otherwise see a cut connection, and not the refusal."""


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """What the upload of a package may have at most."""

    size: int = PackageLimits().packed
    """Bytes."""
    seconds: float = 600.0
    """For the whole upload."""
    first_seconds: float = 10.0
    """Before the speed counts."""
    speed: float = 16 * 1024.0
    """The least bytes a second, on average."""
    at_once: int = 8
    """How many uploads a server takes at once: each is kept in memory."""
    at_once_per_author: int = 2

    def deadline(self, began: float, received: int) -> float:
        """Return when the next bytes must be there."""
        return began + min(self.seconds, self.first_seconds + received / self.speed)


UPLOADS: Final = UploadLimits()


class Upload:
    """The body of a request while it is read."""

    def __init__(self, request: Request, limits: UploadLimits) -> None:
        self._request = request
        self._limits = limits
        self._complete = False
        """Whether nothing more is expected of the client."""

    async def read(self) -> bytes:
        """Return the body; raises HTTPException 408 and 413, and 400 if the client stops."""
        began, body = asyncio.get_running_loop().time(), bytearray()
        chunks = self._request.stream()
        try:
            while True:
                async with asyncio.timeout_at(self._limits.deadline(began, len(body))):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    self._complete = True
                    return bytes(body)
                body += chunk
                if len(body) > self._limits.size:
                    raise too_large(self._limits.size)
        except TimeoutError:
            self._complete = True
            raise HTTPException(
                408, "The request body came too slowly: try again on a faster connection."
            ) from None
        except ClientDisconnect:
            self._complete = True
            raise HTTPException(400, "The request body was cut short, or is too large.") from None

    async def discard(self) -> None:
        """Read and drop the rest of a refused upload for a moment.

        A client that waits for the permission to send gets the refusal without sending anything.
        """
        if self._complete or self._request.headers.get("expect", "").lower() == "100-continue":
            return
        try:
            async with asyncio.timeout(LINGER):
                left, more = self._limits.size, True
                while left > 0 and more:
                    message = await self._request.receive()
                    left -= len(message.get("body", b""))
                    more = message.get("more_body", False)
        except TimeoutError:
            return


def too_large(size: int) -> HTTPException:
    """Return the refusal of a body that has more than ``size`` bytes."""
    shown = f"{size / 2**20:g} MiB" if size >= 2**20 else f"{size / 2**10:g} KiB"
    return HTTPException(413, f"The request body is too large: at most {shown} are taken.")
