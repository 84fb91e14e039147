"""The health check, for load balancers and supervisors that poll it every few seconds."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from tournaments.store import DatabaseError, Store, StoreError, Trouble

log = logging.getLogger(__name__)

OK: Final = "ok"
MAX_AGE: Final = 5.0
"""For how many seconds the result of a check is reused."""
LOCKED_FOR: Final = 3.0
"""A database that is locked for longer is unhealthy, in seconds."""
WITHIN: Final = 5.0
"""A database that takes longer to answer is unhealthy, in seconds."""


class HealthCheck:
    """Checks the database on request, in a thread of its own, and one check at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "health")
        self._check: asyncio.Future[str] | None = None
        self._began = 0.0

    async def state(self) -> str:
        """Return "ok", or a description of the problem that may be published."""
        loop = asyncio.get_running_loop()
        check, now = self._check, loop.time()
        if check is None or (check.done() and now - self._began >= MAX_AGE):
            check = self._check = loop.run_in_executor(self._thread, self._state)
            self._began = now
        try:
            async with asyncio.timeout(WITHIN):
                return await asyncio.shield(check)
        except TimeoutError:
            return _sentence(Trouble.OTHER)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _state(self) -> str:
        try:
            self._store.check_health(LOCKED_FOR)
        except StoreError as error:
            log.error("the database cannot be written: %s", error)  # noqa: TRY400  the message is complete
            return _sentence(error.trouble if isinstance(error, DatabaseError) else Trouble.OTHER)
        return OK


def _sentence(trouble: Trouble) -> str:
    return f"the database cannot be used: {trouble.value}"
