"""Sends what bots write to their log files to a runner on another machine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tournaments.worker.messages import BotLog

MOST_SENT: Final = 16 * 1024
"""The most bytes of a log that are sent after a match, the last ones."""


class LogRelay:
    """Follows the log files of entrants, each of which all processes of the entrant append to."""

    def __init__(self, folder: Path, send: Callable[[BotLog], None]) -> None:
        self._folder = folder
        self._send = send
        self._ends = Counter[str]()
        """Up to where each log has been read."""

    def relay(self, entrants: Iterable[str]) -> None:
        """Send what was written since the last call."""
        for name in entrants:
            try:
                with (self._folder / f"{name}.stderr.log").open("rb") as log:
                    end = os.fstat(log.fileno()).st_size
                    if end > self._ends[name]:
                        log.seek(max(self._ends[name], end - MOST_SENT))
                        self._send(BotLog(name, log.read(end - log.tell())))
                        self._ends[name] = end
            except OSError:
                continue  # it has written nothing
