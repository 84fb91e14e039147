"""What all dispatchers share: workers with the jobs that they have, and what becomes of these."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Final, Generic, Protocol, TypeVar

from tournaments.model import Job, PlayedMatch, ScheduledMatch
from tournaments.runner.dispatch import Capacity, DeathScope, DispatchListener, ProcessDeath
from tournaments.worker import (
    BotLog,
    BotRefused,
    Committed,
    FromWorker,
    Heartbeat,
    JobsReturned,
    MatchLog,
    PlayJobs,
    Ready,
    RecallJobs,
    ToWorker,
    WorkerFailed,
)

PAUSE: Final = 0.25
"""How long an isolated worker waits between two matches, in seconds: a bot that ends its worker
because of the result then does so while no other match is played."""
JUST_ENDED: Final = 1.0
"""For how long after the end of a match its entrants count as present in a worker, in seconds."""
IDLE_BOTS: Final = 32
"""How many bot processes of a worker may wait for their next match."""


class Sender(Protocol):
    """Brings messages to a worker."""

    def send(self, message: ToWorker) -> None:
        """Send a message, without waiting."""


@dataclass(slots=True, eq=False, kw_only=True)
class WorkerHandle:
    """A worker, and what it has been sent."""

    channel: Sender
    tables: int
    """How many matches it plays at once."""
    takes_remote: bool = False
    """Whether remote bots are connected to it."""
    ready: bool = False
    jobs: dict[str, Job] = field(default_factory=dict)
    """What it was sent and has not answered, in the order in which it plays them."""
    playing: set[str] = field(default_factory=set)
    """Which of them have begun, as far as is known."""
    prefetch: int = 0
    """How many jobs it is sent beyond those that it can play at once."""
    uncommitted: int = 0
    """How many of its results are not committed."""
    last_ended: ScheduledMatch | None = None
    """The last match whose bots were notified of the result."""
    last_ended_at: float = float("-inf")

    def seconds_since_end(self) -> float:
        """Return how long ago bots were last notified of a result."""
        return asyncio.get_running_loop().time() - self.last_ended_at

    def note_answered(self, match: str) -> Job:
        """Note that a job was played, void or returned."""
        self.playing.discard(match)
        return self.jobs.pop(match)


W = TypeVar("W", bound=WorkerHandle)


class WorkerJobs(Generic[W]):
    """A dispatcher without the part that starts workers, and ends them."""

    whole_sets = False

    def __init__(
        self,
        listener: DispatchListener,
        prefetch_seconds: float,
        most_prefetched: int,
        remote: Collection[str] = (),
    ) -> None:
        """Take for how many seconds a worker has jobs ahead, and how many it has at most.

        ``remote`` are the names of remote bots.
        """
        self._listener = listener
        self._prefetch_seconds = prefetch_seconds
        self._most_prefetched = most_prefetched
        self._remote = frozenset(remote)
        self._workers: list[W] = []
        self._free: dict[W, int] = {}
        """How many jobs each worker takes, since ``capacity`` was last called."""
        self._played_by: dict[str, W] = {}
        """The worker of each match that is not committed."""
        self._isolated = False

    # Jobs ---------------------------------------------------------------------------------------

    @property
    def tables(self) -> int:
        """How many matches the workers that are ready play at once."""
        return sum(self._tables_of(worker) for worker in self._workers if worker.ready)

    def capacity(self, *, prefetch: bool) -> Capacity:
        """Return how many jobs the workers take now."""
        self._free = {
            worker: self._free_places(worker, prefetch=prefetch) for worker in self._workers
        }
        remote = sum(places for worker, places in self._free.items() if worker.takes_remote)
        whole_sets = self.whole_sets and not self._isolated
        return Capacity(sum(self._free.values()), remote, whole_sets)

    def _free_places(self, worker: W, *, prefetch: bool) -> int:
        """Return how many jobs a worker takes; none while half of the prefetched ones last."""
        tables = self._tables_of(worker)
        sent, more = len(worker.jobs), worker.prefetch if prefetch and not self._isolated else 0
        if not worker.ready or sent > tables + more // 2:
            return 0
        if self._isolated and (worker.uncommitted or worker.seconds_since_end() < PAUSE):
            return 0
        return max(0, tables + more - sent)

    def _tables_of(self, worker: W) -> int:
        """Return how many matches a worker plays at once now."""
        return 1 if self._isolated else worker.tables

    def submit(self, jobs: Sequence[Job]) -> None:
        """Send jobs to the workers with the fewest; those with remote bots to the one for these."""
        sent: dict[W, list[Job]] = {}
        returned = []
        for together in self._grouped(jobs):
            worker = self._next_worker(remote=self._has_remote(together[0]), sent=sent)
            if worker is None:
                returned += [job.match.id for job in together]
            else:
                self._free[worker] -= len(together)
                sent.setdefault(worker, []).extend(together)
        for worker, its in sent.items():
            ordered = by_seating(its) if self.whole_sets else its
            worker.jobs |= {job.match.id: job for job in ordered}
            self._note_started(worker)
            worker.channel.send(PlayJobs(tuple(ordered)))
        if returned:
            self._listener.on_jobs_returned(returned)

    def _grouped(self, jobs: Sequence[Job]) -> Iterator[list[Job]]:
        """Yield the jobs that go to one worker: each by itself, or those of a duplicate set."""
        if self.whole_sets:
            for _, together in groupby(jobs, lambda job: job.match.set_id):
                yield list(together)
        else:
            yield from ([job] for job in sorted(jobs, key=self._has_remote, reverse=True))

    def _has_remote(self, job: Job) -> bool:
        return not self._remote.isdisjoint(job.match.entrants)

    def _next_worker(self, *, remote: bool, sent: Mapping[W, Sequence[Job]]) -> W | None:
        """Return a worker with free places: the one with the fewest jobs, with those to be sent."""
        free = [
            worker
            for worker in self._workers
            if self._free.get(worker, 0) > 0 and (worker.takes_remote or not remote)
        ]
        return min(free, key=lambda each: len(each.jobs) + len(sent.get(each, ())), default=None)

    def recall(self) -> None:
        """Ask all workers for the jobs that have not begun."""
        for worker in self._workers:
            worker.channel.send(RecallJobs())

    def acknowledge(self, matches: Sequence[ScheduledMatch]) -> None:
        """Let the workers notify bots of results that are committed; a worker may be gone."""
        committed: dict[W, list[ScheduledMatch]] = {}
        for match in matches:
            committed.setdefault(self._played_by.pop(match.id), []).append(match)
        for worker, its in committed.items():
            worker.channel.send(Committed(tuple(match.id for match in its)))
            worker.uncommitted -= len(its)
            worker.last_ended = its[-1]
            worker.last_ended_at = asyncio.get_running_loop().time()
        if self._isolated:
            self._report_capacity_later()

    def isolate(self, *, isolated: bool) -> None:
        """Let each worker play one match at a time, with a pause, or at all its tables."""
        self._isolated = isolated
        if isolated:
            self._report_capacity_later()

    def _report_capacity_later(self) -> None:
        """Call the listener after the pause, which ends without a message."""
        asyncio.get_running_loop().call_later(PAUSE + 0.01, self._listener.on_capacity)

    def _note_started(self, worker: W) -> None:
        """Note which jobs of a worker are being played: the first ones, one at each table."""
        free = max(0, self._tables_of(worker) - len(worker.playing))
        waiting = (job.match for job in worker.jobs.values() if job.match.id not in worker.playing)
        for match in list(islice(waiting, free)):
            worker.playing.add(match.id)
            self._listener.on_match_started(match)

    # Messages -----------------------------------------------------------------------------------

    def _on_message(self, worker: W, message: FromWorker) -> None:
        if isinstance(message, Heartbeat):
            return
        if isinstance(message, Ready):
            worker.ready = True
            if message.address:
                self._listener.on_listening(message.address)
        elif isinstance(message, WorkerFailed):
            self._listener.on_failed(message.message)
        elif isinstance(message, BotRefused):
            self._listener.on_bot_refused(message.message)
        elif isinstance(message, PlayedMatch):
            self._on_played(worker, message)
        elif isinstance(message, JobsReturned):
            for match in message.matches:
                worker.note_answered(match)
            self._listener.on_jobs_returned(message.matches)
        elif isinstance(message, MatchLog | BotLog):
            self._on_log(message)
        else:
            worker.note_answered(message.void.match)
            self._listener.on_match_voided(message)
        self._listener.on_capacity()

    def _on_log(self, message: MatchLog | BotLog) -> None:
        if isinstance(message, MatchLog):
            self._listener.on_match_log(message)
        else:
            self._listener.on_bot_log(message)

    def _on_played(self, worker: W, played: PlayedMatch) -> None:
        worker.note_answered(played.result.match)
        worker.uncommitted += 1
        self._played_by[played.result.match] = worker
        pace = worker.tables / max(played.seconds, 0.001)
        worker.prefetch = min(self._most_prefetched, int(self._prefetch_seconds * pace))
        self._listener.on_match_played(played)
        self._note_started(worker)

    # Deaths -------------------------------------------------------------------------------------

    def _death(
        self, worker: W, detail: str, scope: DeathScope = DeathScope.PROCESS
    ) -> ProcessDeath:
        """Return what a worker had when it ended."""
        jobs = worker.jobs.values()
        just_ended = worker.seconds_since_end() < JUST_ENDED and worker.last_ended
        return ProcessDeath(
            detail,
            [job for job in jobs if job.match.id in worker.playing],
            [job for job in jobs if job.match.id not in worker.playing],
            [just_ended] if just_ended else [],
            scope,
        )


def by_seating(jobs: Sequence[Job]) -> list[Job]:
    """Return jobs with all first seatings first, then all second ones.

    No bot process may see a deal twice, so the same processes serve for one seating of all sets.
    """
    return sorted(jobs, key=lambda job: int(job.match.id.rpartition("-")[2]))
