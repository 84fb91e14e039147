"""A thread that ends bots which use more than their limits."""

from __future__ import annotations

import threading
import time
from functools import lru_cache
from typing import Final, Protocol

INTERVAL: Final = 0.05
"""The seconds between two looks at a bot that runs."""


class Watched(Protocol):
    """A bot whose use of the machine is bounded."""

    running: bool
    """Whether it runs: it is neither frozen nor ended."""
    froze: bool
    """Whether it was frozen since the last look."""

    def check_limits(self) -> None:
        """End the bot if it exceeds a limit."""


class Watcher:
    """Looks at all bots that have run since the last look.

    It is a thread because reading the memory of a process waits for that process. A frozen bot
    cannot change what it uses, so it is not looked at again until it goes on. A bot that goes on
    does not wake the thread: that would cost a match more than the signal does.
    """

    def __init__(self) -> None:
        self._watched: set[Watched] = set()
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="sandbox-watcher", daemon=True).start()

    def add(self, bot: Watched) -> None:
        """Look at a bot from now on."""
        with self._changed:
            self._watched.add(bot)
            self._changed.notify()

    def remove(self, bot: Watched) -> None:
        """Look at a bot no more: it has ended."""
        with self._changed:
            self._watched.discard(bot)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._watched:
                    self._changed.wait()
                watched = list(self._watched)
            for bot in watched:
                if bot.running or bot.froze:
                    bot.froze = False  # before the look: it may go on and be frozen meanwhile
                    bot.check_limits()
            time.sleep(INTERVAL)


@lru_cache(maxsize=1)
def watcher() -> Watcher:
    """Return the watcher of this process."""
    return Watcher()
