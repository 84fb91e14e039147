"""Slots: how many matches with hosted bots this machine carries at once, builds and trials too."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final, Self

MEMORY_SHARE: Final = 0.5
"""The share of the machine's memory that hosted bots may use up to their limits."""
PAUSE: Final = 0.5
"""For how many seconds matches come first after a stage that left no slot to them."""


@dataclass(slots=True)
class Slots:
    """The matches and the processes of hosted bots that may run, and those that are held.

    A stage of a submission, such as its build, takes the place of a match. What needs more
    processes than there may be runs alone, or it would never run.
    """

    matches: int
    processes: int
    _held: list[int] = field(default_factory=list)
    """The number of hosted bots in each match."""
    _stages: list[int] = field(default_factory=list)
    """Of each stage that runs, as how many processes it counts."""
    _waiting: deque[tuple[int, asyncio.Future[None]]] = field(default_factory=deque)
    """The stages that wait, in the order in which they came."""
    _matches_first: bool = False

    @classmethod
    def of_machine(cls, memory_bytes: int, matches: int | None = None) -> Self:
        """Return the slots of this machine for bots with a limit of memory.

        There is one match for each core, unless the number of matches is given.
        """
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        cores = len(os.sched_getaffinity(0))
        return cls(matches or cores, max(1, int(memory * MEMORY_SHARE) // memory_bytes))

    @property
    def held(self) -> int:
        """The number of matches that are held."""
        return len(self._held)

    @property
    def most_processes(self) -> int:
        """How many processes of bots in matches may run, with those of matches that are held."""
        return max(self.processes - sum(self._stages), sum(self._held))

    @property
    def free(self) -> int:
        """How many more matches of a hosted bot fit now."""
        return self.matches - self._running if self.fit(1) else 0

    def fit(self, bots: int) -> bool:
        """Return whether a match with that number of hosted bots can begin now."""
        if bots and self._waiting and not self._matches_first:
            return False
        return not bots or self._fits(bots)

    def hold(self, bots: int) -> None:
        """Hold a slot for a match with that number of hosted bots."""
        if bots:
            self._held.append(bots)
            self._matches_first = False

    def release(self, bots: int) -> None:
        """Release the slot of a match with that number of hosted bots."""
        if bots:
            self._held.remove(bots)
            self._begin_stages()

    @contextlib.asynccontextmanager
    async def stage(self, processes: int) -> AsyncIterator[None]:
        """Wait until a stage may run that counts as a number of processes, and hold its slot.

        While it waits no match of hosted bots begins: it waits for those under way alone.
        """
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((processes, turn))
        self._begin_stages()
        try:
            await turn
            yield
        finally:
            if turn.cancelled():  # it still waited
                self._waiting.remove((processes, turn))
            else:
                self._end_stage(processes)
            self._begin_stages()

    @property
    def _running(self) -> int:
        return len(self._held) + len(self._stages)

    def _fits(self, processes: int) -> bool:
        if not self._running:
            return True
        held = sum(self._held) + sum(self._stages)
        return self._running < self.matches and held + processes <= self.processes

    def _begin_stages(self) -> None:
        while self._waiting and not self._matches_first and self._fits(self._waiting[0][0]):
            processes, turn = self._waiting.popleft()
            self._stages.append(processes)
            turn.set_result(None)

    def _end_stage(self, processes: int) -> None:
        self._matches_first = not self._fits(1)
        self._stages.remove(processes)
        if self._matches_first:
            asyncio.get_running_loop().call_later(PAUSE, self._end_pause)

    def _end_pause(self) -> None:
        self._matches_first = False
        self._begin_stages()
