"""Submitted bots that a server runs itself: in the sandbox, on its own machine.

A hosted bot plays when its package is built and its version is active in the store. Its processes
come from a pool: one plays a match at a time, stays for the next one, and never sees a deal twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from engine import Seed, UsageError
from referee.match import Absence, MatchPlan
from referee.model import BotSpec, Fault, SandboxKind, SandboxLimits
from referee.sandbox import SANDBOXES
from referee.transports import BotNotConnectedError, BotStartError
from tournaments.model import RuntimesSettings, ScheduledMatch, Submission, Version
from tournaments.runner import NOT_STARTED, MatchCluster, Slots
from tournaments.store import Store, StoreError
from tournaments.submissions import PackageCache, bot_command, read_manifest
from tournaments.worker import (
    BotLeftError,
    BotPool,
    LoggedBot,
    LoggingLauncher,
    PooledBot,
    SeatedBot,
)

log = logging.getLogger(__name__)

HOSTED_LIMITS: Final = SandboxLimits()
"""What each process of a hosted bot may use."""
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 60.0
"""Seconds until a bot is tried again that this machine could not start."""


class HostedBot:
    """The active version of a submitted bot."""

    hosted = True
    address = ""
    """It is connected from nowhere."""

    def __init__(self, host: HostedBots, submission: Submission) -> None:
        self.version = Version(submission.bot, submission.version)
        self.league = submission.league
        self.package = submission.package
        self.games = frozenset(submission.games)
        self.ready = False
        """Whether its package is built, and this machine could start it the last time."""
        self.leaving = False
        self.failures = 0
        """How often in a row this machine could not prepare or start it."""
        self.preparing: asyncio.Task[None] | None = None
        self._host = host

    @property
    def name(self) -> str:
        """Its name among all hosted bots of the server."""
        return f"{self.league}/{self.version}"

    @property
    def present(self) -> bool:
        """Whether it stays; one that is not ready is waited for."""
        return not self.leaving

    @property
    def max_matches(self) -> int:
        """As many as there are slots, if it is ready."""
        if not self.ready:
            return 0
        cluster = self._host.cluster
        return max(self._host.slots.matches, 0 if cluster is None else cluster.slots)

    async def seat(self, match: ScheduledMatch, plan: MatchPlan) -> SeatedBot | Absence:
        """Seat a process that has not seen the deal.

        Raises BotStartError if the machine cannot start one, and BotLeftError.
        """
        try:
            pooled = await self._host.take(self, plan.seed)
        except BotNotConnectedError as error:
            return Absence(Fault.CRASH.value, str(error))
        process = pooled.bot
        assert isinstance(process, LoggedBot)  # noqa: S101  the pool has no others
        process.begin(match.id, self._keep_log)
        return SeatedBot(
            process.player(), pooled, on_end=lambda: self._host.on_match_ended(pooled, process)
        )

    def _keep_log(self, match: str, text: str) -> None:
        """Store the standard error of a match; in a thread."""
        try:
            self._host.store.keep_match_log(match, self.league, self.version.entrant, text)
        except (StoreError, UsageError) as error:
            about = {"league": self.league, "entrant": self.version.entrant, "match": match}
            log.warning("the log of %s is not kept: %s", self.name, error, extra=about)

    def drain(self, reason: str) -> None:  # noqa: ARG002  a hosted bot reads no reason
        """Begin no more matches, and end the processes after those under way."""
        self.leaving = True
        self._host.end(self)


class HostedBots:
    """Runs the active versions of submitted bots."""

    def __init__(
        self,
        store: Store,
        cache: PackageCache,
        logs: Path,
        slots: Slots | None = None,
        cluster: MatchCluster | None = None,
    ) -> None:
        """Take the built packages, a folder for the logs of processes, and the slots.

        With a cluster, matches in which all bots are hosted are played there.
        """
        self.store = store
        self.cluster = cluster
        self.slots = slots or Slots.of_machine(HOSTED_LIMITS.memory_bytes)
        self._cache = cache
        self._logs = logs
        self._specs: dict[str, BotSpec] = {}
        """The bots that are ready, by name."""
        self._pool = BotPool(
            LoggingLauncher(logs, HOSTED_LIMITS.log_bytes), self._specs, self.slots.processes
        )
        self._bots: dict[str, list[HostedBot]] = {}
        """By league."""
        self._drained: set[HostedBot] = set()
        """Bots that begin no more matches, and may have processes in some."""
        cache.add_user(self._packages)
        self._on_change: Callable[[str], None] = lambda _league: None
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading = asyncio.Lock()
        self._preparing = asyncio.Lock()
        self._stopping = False

    # For the runner of leagues -------------------------------------------------------------------

    def start(self, on_change: Callable[[str], None]) -> None:
        """Begin, without the logs that a server which was killed left behind."""
        self._on_change = on_change
        shutil.rmtree(self._logs, ignore_errors=True)
        self._logs.mkdir(mode=0o700, parents=True)
        if self.cluster is not None:
            self.cluster.start(self._on_cluster_change)

    def _on_cluster_change(self) -> None:
        for league in self._bots:
            self._on_change(league)

    def bots(self, league: str) -> Sequence[HostedBot]:
        """Return the bots of a league that play."""
        return self._bots.get(league, ())

    @property
    def processes(self) -> int:
        """How many processes there are, with those that are being started or ended."""
        return self._pool.processes

    async def refresh(self, league: str) -> None:
        """Read the active versions from the store; prepare new ones, and end the others."""
        async with self._reading:  # an older answer must not be applied last
            playing = await asyncio.to_thread(self.store.playing, league)
            if self._stopping:
                return
            known = {(bot.version, bot.package): bot for bot in self.bots(league) if bot.present}
            kept = []
            for submission in playing:
                key = Version(submission.bot, submission.version), submission.package
                kept.append(known.pop(key) if key in known else self._added(submission))
            self._bots[league] = kept
            for bot in known.values():
                bot.drain("another version plays, or none")

    async def stop(self) -> None:
        """End all bots; their matches are over."""
        self._stopping = True
        for bot in [each for bots in self._bots.values() for each in bots]:
            bot.drain("the server stops")
        if self.cluster is not None:
            await self.cluster.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._pool.close()

    def _packages(self) -> set[str]:
        """Return the packages of bots that play, or that have processes."""
        self._drained = {bot for bot in self._drained if self._pool.runs(bot.name)}
        playing = {bot for bots in self._bots.values() for bot in bots}
        return {bot.package for bot in playing | self._drained}

    @contextlib.asynccontextmanager
    async def room(self, memory_bytes: int) -> AsyncIterator[None]:
        """Wait until this machine has room for a build or a trial, and hold it in the context."""
        if not memory_bytes:
            yield
            return
        processes = -(-memory_bytes // HOSTED_LIMITS.memory_bytes)
        async with self.slots.stage(processes):
            await self._pool.make_room(self.slots.most_processes + 1)
            yield
        for league in self._bots:
            self._on_change(league)

    # For hosted bots -----------------------------------------------------------------------------

    async def take(self, bot: HostedBot, deal: Seed) -> PooledBot:
        """Return a process that has not seen a deal; raises BotStartError and BotLeftError."""
        pooled = self._pool.take_idle(bot.name, deal)
        if pooled is not None:
            return pooled
        await self._pool.make_room(self.slots.most_processes)
        if bot.name not in self._specs:
            raise BotLeftError(f"{bot.version} plays no more")
        try:
            pooled = await self._pool.take(bot.name, deal)
        except BotNotConnectedError:
            raise
        except (UsageError, OSError) as error:
            # The bot has run no instruction yet, so this is the machine's failure.
            self._note_failure(bot, error)
            self._prepare_later(bot)
            detail = f"{NOT_STARTED} {bot.version}; the log of the server has the reason"
            raise BotStartError(detail, machine=True) from None
        bot.failures = 0
        return pooled

    def on_match_ended(self, pooled: PooledBot, process: LoggedBot) -> None:
        """Keep the log of a match; a process whose log is nearly full does not play again."""
        pooled.again = process.log_is_short
        self._spawn(process.end_match())

    def end(self, bot: HostedBot) -> None:
        """End the processes of a bot that play no match; the others end after it."""
        bot.ready = False
        self._drained.add(bot)
        self._specs.pop(bot.name, None)
        self._pool.retire_idle(bot.name)
        if bot.preparing is not None:
            bot.preparing.cancel()

    # Preparing bots ------------------------------------------------------------------------------

    def _added(self, submission: Submission) -> HostedBot:
        bot = HostedBot(self, submission)
        self._prepare_later(bot)
        return bot

    def _prepare_later(self, bot: HostedBot) -> None:
        bot.ready = False
        if not bot.leaving and (bot.preparing is None or bot.preparing.done()):
            bot.preparing = self._spawn(self._prepare(bot))

    async def _prepare(self, bot: HostedBot) -> None:
        """Make a bot ready; try again with longer pauses while this machine cannot."""
        while not bot.ready:
            if bot.failures:
                await asyncio.sleep(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (bot.failures - 1)))
            try:
                spec = await self._spec(bot)
            except (UsageError, StoreError, OSError) as error:
                self._note_failure(bot, error)
            else:
                self._specs[bot.name] = spec
                bot.ready = True
                self._on_change(bot.league)

    def _note_failure(self, bot: HostedBot, error: Exception) -> None:
        bot.failures += 1
        about = {"league": bot.league, "entrant": bot.version.entrant}
        log.error("%s cannot play on this machine: %s", bot.name, error, extra=about)

    async def _spec(self, bot: HostedBot) -> BotSpec:
        """Return how a bot is started; its package is built if the cache lacks it.

        One bot after the other: when the server starts, all of them are prepared while tables play.
        """
        async with self._preparing:
            await asyncio.to_thread(SANDBOXES[SandboxKind.BUBBLEWRAP].check)
            built = await asyncio.to_thread(self._cache.find, bot.package)
            if built is None:
                built = await self._build(bot.package)
            return await asyncio.to_thread(_spec_of, bot, built, self._cache.runtimes)

    async def _build(self, package: str) -> Path:
        packed = await asyncio.to_thread(self.store.package, package)
        path = self._logs / f"build-{package}.log"
        try:
            async with self._cache.unpacked(packed) as unpacked:
                async with self.room(unpacked.build_memory):
                    await unpacked.build(path)
                return unpacked.built
        finally:
            path.unlink(missing_ok=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _spec_of(bot: HostedBot, built: Path, runtimes: RuntimesSettings) -> BotSpec:
    """Return how a bot of a built package is started; in a thread, for it asks a toolchain."""
    manifest = read_manifest(built)
    command = bot_command(manifest, built, runtimes)
    sandbox = replace(command.sandbox, limits=HOSTED_LIMITS)
    return BotSpec(bot.name, manifest.transport, replace(command, sandbox=sandbox))
