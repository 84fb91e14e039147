"""The batch run of a tournament: decides what is played next, and commits the results."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

from engine import HighstreetError
from referee.model import Cause
from tournaments.model import DeathKind, Job, PlayedMatch, ScheduledMatch, VoidAttempt
from tournaments.runner.bench import TournamentBench
from tournaments.runner.dispatch import (
    Capacity,
    DeathScope,
    Dispatcher,
    DispatchListener,
    ProcessDeath,
    ProgressListener,
)
from tournaments.runner.local_processes import LocalProcesses
from tournaments.runner.tournament_folder import TournamentFolder
from tournaments.store import StoreError
from tournaments.worker import BotLog, MatchLog, MatchVoided

ATTEMPTS: Final = 3
"""How often a match is tried in one run."""
DEATHS_IN_A_ROW: Final = 5
"""How many processes may die without a match between them."""
MOST_DEATHS: Final = 20
"""How many processes may die in a run, besides one for every ten matches that are played."""
ISOLATED_MATCHES: Final = 100
"""For how many matches after the death or the failure of a process each plays one match at a time,
so that the next one is charged to few entrants."""
SEARCHED: Final = 1000
"""How many pending matches are searched for one that can begin now."""
MOST_UNCOMMITTED: Final = 256
"""How many results may wait to be committed before no new match is begun."""
GRACE: Final = 3.0
"""How long matches may go on after Ctrl-C, in seconds."""
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a polite kill, and a terminal that was closed."""


class RunError(HighstreetError):
    """A run that could not go on."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended."""

    interrupted: bool
    given_up: tuple[str, ...]
    """Matches that were void at every attempt."""


class BatchRunner:
    """Plays what is left of a tournament."""

    def __init__(
        self,
        folder: TournamentFolder,
        listener: ProgressListener,
        *,
        workers: int,
        tables: int,
        dispatcher: Callable[[DispatchListener], Dispatcher] | None = None,
    ) -> None:
        """Take how many worker processes there are, unless a dispatcher is given, and tables."""
        self._folder = folder
        self._listener = listener
        make = dispatcher or partial(LocalProcesses, folder, workers=workers, tables=tables)
        self._dispatcher: Dispatcher = make(self)
        void = {each.match for each in folder.store.voids()}
        pending = folder.pending(whole_sets=self._dispatcher.whole_sets)
        self._pending = deque(sorted(pending, key=lambda match: match.id in void))
        """Those that were void in an earlier run come last."""
        self._jobs: dict[str, Job] = {}
        """What was chosen or submitted and has not ended."""
        self._tries: Counter[str] = Counter()
        """How often each match was tried in this run."""
        self._attempts = Counter(folder.store.attempts())
        """The last attempt at each match, in earlier runs and this one."""
        self._remote = frozenset(folder.tokens())
        self._bench = TournamentBench(folder.store, folder.tournament.bench_after, listener)
        self._results: asyncio.Queue[PlayedMatch | None] = asyncio.Queue()
        """What is to be committed; None if there is something else to commit."""
        self._uncommitted = 0
        """How many results of matches are not committed."""
        self._growing = folder.progress().grows
        """Whether another round may follow."""
        self._closing = False
        """Whether nothing more comes into that queue."""
        self._voids: list[VoidAttempt] = []
        self._given_up: list[str] = []
        self._deaths_in_a_row = self._deaths = self._played = 0
        self._isolated = 0
        """For how many more matches each process plays one at a time."""
        self._interrupted = False
        self._stop = asyncio.Event()
        self._failure: HighstreetError | None = None
        self._changed = asyncio.Event()
        """Set when more may be submitted, or the run may be over."""

    async def run(self) -> RunResult:
        """Play until everything is played, a signal interrupts it, or it cannot go on."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self.interrupt)
        progress = self._folder.progress()
        self._listener.began(progress.matches, progress.played)
        writing = asyncio.create_task(self._write())
        writing.add_done_callback(lambda _: self._changed.set())
        try:
            await self._dispatcher.start()
            while not self._is_over() and not writing.done():
                self._changed.clear()
                await self._grow()
                await self._submit()
                await self._changed.wait()
        finally:
            await self._dispatcher.stop(GRACE if self._failure is None else 0.0)
            self._closing = True
            self._results.put_nowait(None)
            await writing
            for number in SIGNALS:
                loop.remove_signal_handler(number)
        if self._failure is not None:
            raise self._failure
        return RunResult(self._interrupted, tuple(self._given_up))

    def interrupt(self) -> None:
        """Begin no more matches, and end soon."""
        self._interrupted = True
        self._stop.set()
        self._changed.set()

    def _is_over(self) -> bool:
        return self._stop.is_set() or not (self._pending or self._jobs or self._growing)

    async def _grow(self) -> None:
        """Add the next round to what is pending, if every result is committed."""
        if not self._growing or self._pending or self._jobs or self._uncommitted:
            return
        try:
            more = await asyncio.to_thread(self._folder.grow)
        except StoreError as error:
            self._fail(error)
            return
        if more:
            whole_sets = self._dispatcher.whole_sets
            self._pending.extend(self._folder.pending(whole_sets=whole_sets))
        self._growing = bool(more)
        if more:
            self._listener.grew(len(more))
        else:
            self._changed.set()

    def _fail(self, failure: HighstreetError) -> None:
        self._failure = self._failure or failure
        self._stop.set()
        self._changed.set()

    # What is played next --------------------------------------------------------------------------

    async def _submit(self) -> None:
        """Submit as many jobs as the dispatcher takes.

        An attempt whose deal a bot may remember is noted in the store before: after a crash of this
        process the next attempt is another one, with another deal.
        """
        capacity = self._dispatcher.capacity(prefetch=not self._bench.is_pending)
        chosen: list[ScheduledMatch] = []
        begun: dict[str, int] = {}
        while self._results.qsize() < MOST_UNCOMMITTED and not self._stop.is_set():
            match = self._next_match(capacity)
            if match is None:
                break
            self._tries[match.id] += 1
            self._attempts[match.id] += 1
            self._jobs[match.id] = job = self._job(match)
            chosen.append(match)
            if not job.duplicate or self._has_remote(match):
                begun[match.id] = job.attempt
        if begun:
            try:
                await asyncio.to_thread(self._folder.store.begin, begun)
            except StoreError as error:
                self._fail(error)
                return
            for match in chosen:  # an entrant may have been benched meanwhile
                self._jobs[match.id] = self._job(match)
        if chosen:
            self._dispatcher.submit([self._jobs[match.id] for match in chosen])
            if capacity.whole_sets:  # which took more places than one worker had
                self._changed.set()

    def _next_match(self, capacity: Capacity) -> ScheduledMatch | None:
        """Take the next match that can begin from those that are pending.

        An entrant that plays one match at a time is in no other match now.
        """
        busy = self._busy()
        for i, match in enumerate(islice(self._pending, SEARCHED)):
            if capacity.is_used_up:
                break
            remote = self._has_remote(match)
            if busy.isdisjoint(match.entrants) and capacity.take(match, remote=remote):
                del self._pending[i]
                return match
        return None

    def _busy(self) -> frozenset[str]:
        """Return the entrants that play one match at a time, and play now."""
        names = self._bench.one_at_a_time
        if not names:
            return names
        return names.intersection(
            name for job in self._jobs.values() for name in job.match.entrants
        )

    def _has_remote(self, match: ScheduledMatch) -> bool:
        return not self._remote.isdisjoint(match.entrants)

    def _job(self, match: ScheduledMatch) -> Job:
        """Return the next attempt at a match, with the entrants that are benched now."""
        job = self._folder.job(match, self._attempts[match.id])
        absent = self._bench.absent(match)
        return job._replace(benched=absent) if absent else job

    # What becomes of it: called by the dispatcher -------------------------------------------------

    def on_capacity(self) -> None:
        """Submit more jobs, or end the run."""
        self._changed.set()

    def on_listening(self, address: str) -> None:
        """Report the address for remote bots."""
        self._listener.listening(address)

    def on_match_started(self, match: ScheduledMatch) -> None:
        """Report a match that begins."""
        self._bench.note_started(match)
        self._listener.table_began(match)

    def on_match_played(self, played: PlayedMatch) -> None:
        """Count forfeits, and commit the result."""
        self._deaths_in_a_row = 0
        self._played += 1
        if self._isolated:
            self._isolated -= 1
            if not self._isolated:
                self._dispatcher.isolate(isolated=False)
        match = self._end_job(played.result.match).match
        benched = self._bench.note_played(match, played)
        self._results.put_nowait(played)
        self._uncommitted += 1
        if benched:
            self._dispatcher.recall()

    def on_jobs_returned(self, matches: Sequence[str]) -> None:
        """Put jobs back that have not been tried."""
        for match in reversed(matches):
            self._pending.appendleft(self._end_job(match).match)
            self._tries[match] -= 1
            self._attempts[match] -= 1

    def on_match_voided(self, message: MatchVoided) -> None:
        """Charge deaths and failures to entrants, and play the match again after all others."""
        job = self._end_job(message.void.match)
        if message.stopped:
            return
        charged = [each for each in message.deaths if not self._bench.is_suspended(each[1])]
        for kind, name in charged:
            self._bench.note_process_death(kind, name, job.match)
        if message.void.cause == Cause.REFEREE:
            self._bench.note_failure(DeathKind.REFEREE, [job.match], message.void.detail)
            self._isolate()
        if charged or not message.deaths:
            self._void(message.void)
        if message.deaths:
            self._dispatcher.recall()
            self._postpone(job.match)
        elif self._tries[job.match.id] < ATTEMPTS:
            self._pending.append(job.match)
        else:
            self._given_up.append(job.match.id)

    def on_match_log(self, message: MatchLog) -> None:
        """Do nothing: these are of leagues."""

    def on_bot_log(self, message: BotLog) -> None:
        """Add what a bot wrote on another machine to its log."""
        if all(message.entrant != entrant.name for entrant in self._folder.tournament.entrants):
            return
        path = self._folder.logs / f"{message.entrant}.stderr.log"
        with contextlib.suppress(OSError), path.open("ab") as log:  # the disk may be full
            log.write(message.data)

    def on_bot_refused(self, message: str) -> None:
        """Report a bot that does not play a game."""
        self._listener.trouble(Cause.BOT, message)

    def on_process_died(self, death: ProcessDeath) -> bool:
        """Charge a death to the entrants that were present, and play their matches again."""
        if self._stop.is_set():
            return False
        if death.scope is not DeathScope.CLUSTER:
            present = [*(job.match for job in death.playing), *death.just_ended]
            self._bench.note_failure(DeathKind.WORKER, present, death.detail)
        for job in death.playing:
            self._end_job(job.match.id)
            void = VoidAttempt(job.match.id, job.attempt, Cause.MACHINE.value, death.detail)
            self._void(void)
            self._postpone(job.match)
        for job in reversed(death.waiting):
            del self._jobs[job.match.id]
            self._tries[job.match.id] -= 1
            self._pending.appendleft(job.match)
        return death.scope is not DeathScope.PROCESS or self._go_on_after(death)

    def _isolate(self) -> None:
        """Play one match at a time in each process for a while."""
        self._isolated = ISOLATED_MATCHES
        self._dispatcher.isolate(isolated=True)
        self._dispatcher.recall()

    def _go_on_after(self, death: ProcessDeath) -> bool:
        """Play one match at a time for a while; return whether not too many processes died."""
        self._isolate()
        self._deaths_in_a_row += 1
        self._deaths += 1
        most = MOST_DEATHS + self._played // 10
        if self._deaths_in_a_row > DEATHS_IN_A_ROW or self._deaths > most:
            self._fail(RunError(self._too_many_deaths(death.detail)))
        return self._failure is None

    def on_workers(self, number: int) -> None:
        """Report how many workers there are."""
        self._listener.workers(number)

    def on_note(self, sentence: str) -> None:
        """Report something about the workers."""
        self._listener.note(sentence)

    def on_failed(self, message: str) -> None:
        """End the run with an error."""
        self._fail(RunError(message))

    def _end_job(self, match: str) -> Job:
        job = self._jobs.pop(match)
        self._listener.table_ended(job.match)
        return job

    def _void(self, void: VoidAttempt) -> None:
        """Note an attempt that does not count."""
        self._voids.append(void)
        self._listener.trouble(void.cause, f"match {void.match} is void: {void.detail}")
        self._results.put_nowait(None)

    def _postpone(self, match: ScheduledMatch) -> None:
        """Play a match again after all others, by when the cause of the death may be known.

        Deaths are counted by themselves, and not among the tries of a match.
        """
        self._tries[match.id] -= 1
        self._pending.append(match)

    def _too_many_deaths(self, detail: str) -> str:
        there = self._bench.presence_at_worker_deaths()
        return (
            f"worker processes die again and again: {self._deaths} in this run, of the last "
            f"one {detail}. A bot may be the cause: playing when workers died were {there}. What "
            "was committed is safe; leave the bot out that does this, in a new tournament."
        )

    # The store ----------------------------------------------------------------------------------

    async def _write(self) -> None:
        """Commit results, with all that came while the last commit was written."""
        while True:
            batch = [await self._results.get()]
            while not self._results.empty():
                batch.append(self._results.get_nowait())
            results = [each for each in batch if each is not None]
            try:
                await self._commit(results)
            except StoreError as error:
                self._fail(error)
                return
            self._listener.committed(len(results))
            self._uncommitted -= len(results)
            self._changed.set()
            if self._closing and self._results.empty():
                return

    async def _commit(self, finished: Sequence[PlayedMatch]) -> None:
        """Commit results, voids, bench and deaths, and let the bots be notified."""
        bench, voids = self._bench, self._voids
        benched, deaths = bench.new_benched, bench.new_deaths
        self._voids, bench.new_benched, bench.new_deaths = [], [], []
        if not (finished or voids or benched or deaths):
            return
        await asyncio.to_thread(self._folder.store.commit, None, finished, voids, benched, deaths)
        self._dispatcher.acknowledge([self._folder.match(each.result.match) for each in finished])
        complete = self._folder.note_played([each.result for each in finished])
        await asyncio.to_thread(self._folder.release, complete)
