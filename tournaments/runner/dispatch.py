"""Where the matches of a tournament are played: the interface between its runner and processes.

The runner decides what is played next and commits results. A dispatcher brings jobs to processes,
of this machine or of others, and reports what becomes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from tournaments.model import Job, PlayedMatch, ScheduledMatch
from tournaments.worker import BotLog, MatchLog, MatchVoided


@dataclass(slots=True)
class Capacity:
    """How many more jobs a dispatcher takes now."""

    total: int
    remote: int = 0
    """How many of them may have remote bots: these are connected to one process only."""
    whole_sets: bool = False
    """Whether a duplicate set that has been begun is taken completely, beyond the total."""
    _last_set: str = ""

    @property
    def is_used_up(self) -> bool:
        """Whether no job can be taken."""
        return self.total <= 0 and not self._last_set

    def take(self, match: ScheduledMatch, *, remote: bool) -> bool:
        """Take the place of a job for a match; return whether there was one."""
        if self.total <= 0 and self._last_set != match.set_id:
            self._last_set = ""
            return False
        if remote and not self.remote:
            return False
        self.total -= 1
        self.remote = min(self.remote - remote, self.total)
        self._last_set = match.set_id if self.whole_sets else ""
        return True


class DeathScope(Enum):
    """How much ended with a process."""

    PROCESS = auto()
    """The process alone."""
    HOST = auto()
    """All that was on a machine, or the connection to it; on a cluster this is expected."""
    CLUSTER = auto()
    """The connection to all machines, for which no entrant is responsible."""


@dataclass(frozen=True, slots=True)
class ProcessDeath:
    """A process that ended, or had to be ended, while it had jobs."""

    detail: str
    playing: Sequence[Job]
    """The matches that had begun, as far as is known."""
    waiting: Sequence[Job]
    """The jobs that had not begun."""
    just_ended: Sequence[ScheduledMatch] = ()
    """Matches whose bots were notified of the result just before."""
    scope: DeathScope = DeathScope.PROCESS


class DispatchListener(Protocol):
    """Receives what becomes of jobs; implemented by the runner."""

    def on_capacity(self) -> None:
        """Note that the dispatcher may take more jobs, or has stopped a process."""

    def on_listening(self, address: str) -> None:
        """Note the address to which remote bots connect."""

    def on_match_started(self, match: ScheduledMatch) -> None:
        """Note that a match is being played."""

    def on_match_played(self, played: PlayedMatch) -> None:
        """Take a result, which is to be committed."""

    def on_match_voided(self, message: MatchVoided) -> None:
        """Note that an attempt does not count."""

    def on_match_log(self, message: MatchLog) -> None:
        """Keep what a bot of a league wrote to its standard error."""

    def on_bot_log(self, message: BotLog) -> None:
        """Keep what a bot of a tournament wrote to its standard error on another machine."""

    def on_jobs_returned(self, matches: Sequence[str]) -> None:
        """Take back jobs that have not begun."""

    def on_bot_refused(self, message: str) -> None:
        """Note that a bot does not play a game for which it is scheduled."""

    def on_process_died(self, death: ProcessDeath) -> bool:
        """Take back the jobs of a process that died; return whether to start another one."""

    def on_workers(self, number: int) -> None:
        """Note how many workers of other machines take jobs now."""

    def on_note(self, sentence: str) -> None:
        """Note something that an organiser wants to know of the workers."""

    def on_failed(self, message: str) -> None:
        """Note that no match can be played any more."""


class Dispatcher(Protocol):
    """Brings jobs to processes that play them."""

    whole_sets: bool
    """Whether one process plays all matches of a duplicate set."""

    async def start(self) -> None:
        """Start the processes."""

    def capacity(self, *, prefetch: bool) -> Capacity:
        """Return how many jobs to submit now; with ``prefetch`` some more than can begin at once.

        Prefetched jobs save the round trip between short matches.
        """

    def submit(self, jobs: Sequence[Job]) -> None:
        """Bring jobs to processes; those that none can take now are returned."""

    def recall(self) -> None:
        """Ask for all jobs that have not begun; each is returned, or played after all."""

    def acknowledge(self, matches: Sequence[ScheduledMatch]) -> None:
        """Let the bots of matches be notified of their results, which are committed."""

    def isolate(self, *, isolated: bool) -> None:
        """Let each process play one match at a time, with a pause, or as many as it can.

        The death of an isolated process is charged to few entrants.
        """

    async def stop(self, grace: float) -> None:
        """End all processes; matches in play have some seconds to end and to be committed."""


class ProgressListener(Protocol):
    """Receives the progress of a run."""

    def began(self, matches: int, played: int) -> None:
        """Note how many matches there are, and how many were played before."""

    def grew(self, matches: int) -> None:
        """Note how many matches the next round adds."""

    def listening(self, address: str) -> None:
        """Note the address to which remote bots connect."""

    def table_began(self, match: ScheduledMatch) -> None:
        """Note that a match begins."""

    def table_ended(self, match: ScheduledMatch) -> None:
        """Note that a match has ended, or is void."""

    def committed(self, matches: int) -> None:
        """Note how many more matches are committed."""

    def workers(self, number: int) -> None:
        """Note how many workers of a cluster take jobs now."""

    def note(self, sentence: str) -> None:
        """Note something that an organiser wants to know of the workers of a cluster."""

    def trouble(self, cause: str, sentence: str) -> None:
        """Note a forfeit, a void match or another incident."""

    def benched(self, sentence: str) -> None:
        """Note that an entrant is benched or suspended, and why."""
