"""The task of a server that takes submitted packages through the stages, one after the other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Final

from tournaments.model import LeagueError, Stage, StageReport, Submission
from tournaments.store import Store, StoreError
from tournaments.submissions.cache import PackageCache
from tournaments.submissions.trial import PackageTrial, Room, StageError, TrialPlan, at_once

log = logging.getLogger(__name__)

LEASE: Final = 60.0
"""For how many seconds a submission is held after the lease was last renewed."""
POLL: Final = 10.0
"""Seconds between two looks for submissions of other servers, and after an error."""


class SubmissionQueue:
    """Takes submissions through the stages, and activates those that pass."""

    def __init__(self, store: Store, cache: PackageCache, room: Room | None = None) -> None:
        """Take the store and the cache; with ``room`` it waits for room on the machine."""
        self._room = room or at_once
        self._store = store
        self._cache = cache
        self.on_playing_changed: Callable[[str], None] = lambda _league: None
        """Called on the event loop with a league in which other versions play from now on."""
        self._server = ""
        self._wake = asyncio.Event()
        self._changed = asyncio.Event()
        """Set, and replaced, whenever a submission has changed."""
        self._task: asyncio.Task[None] | None = None

    async def start(self, server: str) -> None:
        """Go on with what a server of that name left behind."""
        self._server = server
        left = await asyncio.to_thread(self._store.release_submissions, server)
        if left:
            log.warning("%d submissions go on that were under way when this server ended", left)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop; what is under way begins again with the next server."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            with contextlib.suppress(StoreError):
                await asyncio.to_thread(self._store.release_submissions, self._server)

    def notify(self) -> None:
        """Look for submissions now."""
        self._wake.set()

    async def wait_for_change(self, known: Submission, seconds: float) -> Submission:
        """Return a submission when its stage or state differs from ``known``, or after a time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while True:
            changed = self._changed
            found = await asyncio.to_thread(self._store.submission, known.id)
            if (found.stage, found.state) != (known.stage, known.state) or loop.time() >= end:
                return found
            with contextlib.suppress(TimeoutError):  # another server may have changed it
                async with asyncio.timeout(min(1.0, max(0.0, end - loop.time()))):
                    await changed.wait()

    # The task -----------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                found = await asyncio.to_thread(self._store.claim_submission, self._server, LEASE)
                if found is not None:
                    await self._process(found)
                    continue
            except StoreError as error:
                log.error("the store does not answer: %s", error)  # noqa: TRY400
            except Exception:
                log.exception("a submission could not be processed")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL):
                    await self._wake.wait()

    async def _process(self, submission: Submission) -> None:
        """Take one submission through the stages, and activate it if it passes."""
        renewing = asyncio.create_task(self._renew(submission))
        about = {"league": submission.league, "entrant": submission.bot}
        try:
            league = await asyncio.to_thread(self._store.league, submission.league)
            packed = await asyncio.to_thread(self._store.package, submission.package)
            reports: asyncio.Queue[StageReport | None] = asyncio.Queue()
            writing = asyncio.create_task(self._write(submission, reports))
            try:
                await PackageTrial(self._cache, reports.put_nowait, room=self._room).run(
                    packed, lambda manifest: TrialPlan.of_league(league.settings, manifest)
                )
            finally:
                reports.put_nowait(None)
                await writing
            await self._activate(submission)
            log.info("%s: %s is active", submission.league, submission.bot, extra=about)
        except StageError as error:
            log.info("%s: %s failed: %s", submission.league, submission.bot, error, extra=about)
        except LeagueError as error:
            await self._fail(submission, str(error))
        finally:
            renewing.cancel()
            self._announce()

    async def _write(
        self, submission: Submission, reports: asyncio.Queue[StageReport | None]
    ) -> None:
        """Write reports in the order in which they come."""
        while (report := await reports.get()) is not None:
            await asyncio.to_thread(self._store.report_stage, self._server, submission.id, report)
            self._announce()

    async def _activate(self, submission: Submission) -> None:
        await asyncio.to_thread(self._store.activate, submission.id)
        self.on_playing_changed(submission.league)

    async def _fail(self, submission: Submission, reason: str) -> None:
        """Fail a submission for a reason outside its stages, such as a bot that was withdrawn."""
        known = await asyncio.to_thread(self._store.submission, submission.id)
        stage = known.stage.next or Stage.TRIED
        report = StageReport(stage, False, reason, "", 0.0, 0.0, 0)
        await asyncio.to_thread(self._store.report_stage, self._server, submission.id, report)

    async def _renew(self, submission: Submission) -> None:
        while True:
            await asyncio.sleep(LEASE / 3)
            with contextlib.suppress(StoreError):
                await asyncio.to_thread(
                    self._store.renew_submission, self._server, submission.id, LEASE
                )

    def _announce(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
