"""Slots: how many matches with hosted bots this machine carries at once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final, Self

MEMORY_SHARE: Final = 0.5
"""The share of the machine's memory that hosted bots may use up to their limits."""


@dataclass(slots=True)
class Slots:
    """The matches and the processes of hosted bots that may run, and those that are held.

    A match that needs more processes than there may be is played alone, or it would never be.
    """

    matches: int
    processes: int
    _held: list[int] = field(default_factory=list)
    """The number of hosted bots in each match."""

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
        """How many processes may run, with those of matches that are held."""
        return max(self.processes, sum(self._held))

    @property
    def free(self) -> int:
        """How many more matches of a hosted bot fit now."""
        return self.matches - self.held if self.fit(1) else 0

    def fit(self, bots: int) -> bool:
        """Return whether a match with that number of hosted bots can begin now."""
        if not bots or not self._held:
            return True
        return self.held < self.matches and sum(self._held) + bots <= self.processes

    def hold(self, bots: int) -> None:
        """Hold a slot for a match with that number of hosted bots."""
        if bots:
            self._held.append(bots)

    def release(self, bots: int) -> None:
        """Release the slot of a match with that number of hosted bots."""
        if bots:
            self._held.remove(bots)
