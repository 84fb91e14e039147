"""Waiting for what will happen, however slow the machine is.

A time that is too short fails a test by chance, and one that is too long costs nothing as long as
all is well: it only ends a test in which something never happens.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 120.0
"""How many seconds to wait for what takes a moment on a machine that has nothing else to do."""
DYING: Final = 5.0
"""How long a process that was killed may be seen; one that was forgotten lives longer than that."""


def wait_until(
    happened: Callable[[], object], patience: float = PATIENCE, pause: float = 0.02
) -> None:
    """Look again and again until something has happened; it fails if that takes too long."""
    deadline = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < deadline, f"it has not happened in {patience:g} seconds"
        time.sleep(pause)


async def until(
    happened: Callable[[], object], patience: float = PATIENCE, pause: float = 0.005
) -> None:
    """Do the same without stopping the event loop; raises TimeoutError."""
    async with asyncio.timeout(patience):
        while not happened():
            await asyncio.sleep(pause)
