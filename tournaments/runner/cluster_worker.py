"""A worker of a cluster as the runner sees it: its host, its messages, its figures."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tournaments.model import Job, PlayedMatch
from tournaments.runner.worker_jobs import WorkerHandle
from tournaments.worker import PlayJobs, ToWorker

RECENT: Final = 20
"""Among how many of the last matches of a worker void ones are counted."""
MOST_VOID: Final = 10
"""With more void matches than that among them, a worker is left out."""


class Outbox:
    """Messages for a host, which the next exchange takes along."""

    def __init__(self, play: Callable[[tuple[Job, ...]], None]) -> None:
        """Take the function that makes a task of jobs."""
        self._play = play
        self._messages: list[ToWorker] = []
        self._changed = asyncio.Event()

    def send(self, message: ToWorker) -> None:
        """Send a message with the next exchange; jobs become a task at once."""
        if isinstance(message, PlayJobs):
            self._play(message.jobs)
            return
        self._messages.append(message)
        self._changed.set()

    def take(self) -> list[ToWorker]:
        """Return the messages, which are sent now."""
        messages, self._messages = self._messages, []
        self._changed.clear()
        return messages

    async def wait(self, seconds: float) -> None:
        """Wait for a message, for some time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()


@dataclass(slots=True)
class WorkerFigures:
    """What a worker did in a run, over all hosts that it had under its name."""

    name: str
    speed: float = 0.0
    """Games of random moves in a CPU second."""
    matches: int = 0
    forfeits: int = 0
    voids: int = 0
    lost: int = 0
    """How often the worker or its process was lost."""
    refused: int = 0
    """How many of its records were wrong."""
    lag: float = 0.0
    """How many seconds late its event loop was at most."""
    seconds: float = 0.0
    """How long its matches took together."""
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=RECENT))
    """Whether each of the last matches was void."""

    def add(self, played: PlayedMatch) -> None:
        """Count a match."""
        self.matches += 1
        self.forfeits += len(played.result.forfeits)
        self.seconds += played.seconds
        self.recent.append(False)

    def add_void(self) -> None:
        """Count a void match."""
        self.voids += 1
        self.recent.append(True)

    @property
    def fails(self) -> bool:
        """Whether too many of its last matches were void."""
        return sum(self.recent) > MOST_VOID

    def sentence(self) -> str:
        """Return the figures in one line."""
        each = self.seconds / self.matches if self.matches else 0.0
        return (
            f"worker {self.name}: {self.matches} matches of {each:.2f} s, {self.forfeits} "
            f"forfeits, {self.voids} void, {self.refused} refused, lost {self.lost} times, lag "
            f"{self.lag * 1000:.0f} ms at most, speed {self.speed:g}"
        )


@dataclass(slots=True, eq=False, kw_only=True)
class ClusterWorker(WorkerHandle):
    """A worker of the cluster, with its host."""

    channel: Outbox
    address: str
    mark: str
    actor: Any
    """The host; an actor of Dask."""
    future: Any
    """Keeps the actor."""
    figures: WorkerFigures
    tasks: set[Any] = field(default_factory=set)
    """The tasks of Dask that it has."""
    packages: set[str] = field(default_factory=set)
    """The hashes of the packages that it has."""
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its worker process has ended."""

    @property
    def name(self) -> str:
        """The name that Dask has for it."""
        return self.figures.name
