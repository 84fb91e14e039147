"""The batch run over a dispatcher without processes: what is submitted, committed and benched."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.tournaments.tournament_files import SMALL
from tournaments.cli.tournament.progress_display import PlainDisplay
from tournaments.model import FaultNote, Job, PlayedMatch, Result, VoidAttempt
from tournaments.model.match import ScheduledMatch
from tournaments.runner.batch import DEATHS_IN_A_ROW, BatchRunner, RunError, RunResult
from tournaments.runner.dispatch import Capacity, DispatchListener, ProcessDeath
from tournaments.runner.tournament_folder import TournamentFolder, begun
from tournaments.worker.messages import MatchVoided

FILE = f"sets_per_table = 6\ntable_sizes = [2]\n{SMALL}[policy]\nbench_after = 3\n"
"""Two entrants, twelve matches."""
Answer = PlayedMatch | MatchVoided | ProcessDeath


def played(job: Job, *faults: tuple[str, str, str]) -> PlayedMatch:
    """Return a match that the first seat won, or that entrants forfeited."""
    names = [name for name, _, _ in faults]
    forfeits = tuple(n for n, name in enumerate(job.match.entrants) if name in names)
    match, now = job.match, datetime.now(UTC)
    result = Result(
        match.id, match.set_id, match.game, match.variant, match.entrants, (1, 2), (5, 0), forfeits,
        (0.0, 0.0), 9,
    )  # fmt: skip
    notes = [FaultNote(match.id, name, fault, "bot", detail, now) for name, fault, detail in faults]
    return PlayedMatch(result, job.attempt, 0.01, b"", faults=tuple(notes))


def b_crashes(job: Job) -> PlayedMatch:
    """Return a match that b forfeits, because it crashes or is benched."""
    return played(job, ("b", "benched" if "b" in job.benched else "crash", "a detail"))


class ScriptedDispatcher:
    """Answers jobs with what a function returns, one after the other, and keeps what was done."""

    whole_sets = False

    def __init__(
        self, folder: TournamentFolder, answer: Callable[[Job], Answer], places: int = 1
    ) -> None:
        self._folder = folder
        self._answer = answer
        self._places = places
        self.listener: DispatchListener | None = None
        self.runner: BatchRunner
        self.jobs: list[Job] = []
        """Everything that was submitted."""
        self.open: dict[str, Job] = {}
        self.calls: list[str] = []
        self.prefetch: list[bool] = []

    def attach(self, listener: DispatchListener) -> ScriptedDispatcher:
        """Take the runner."""
        self.listener = listener
        return self

    async def start(self) -> None:
        """Start nothing."""
        self.calls.append("start")

    def capacity(self, *, prefetch: bool) -> Capacity:
        """Return the number of free places."""
        self.prefetch.append(prefetch)
        return Capacity(self._places - len(self.open))

    def submit(self, jobs: Sequence[Job]) -> None:
        """Answer each job in a later turn of the loop."""
        for job in jobs:
            self.jobs.append(job)
            self.open[job.match.id] = job
            asyncio.get_running_loop().call_soon(self._play, job)

    def _play(self, job: Job) -> None:
        assert self.listener is not None
        self.listener.on_match_started(job.match)
        answer = self._answer(job)
        self.open.pop(job.match.id)
        if isinstance(answer, PlayedMatch):
            self.listener.on_match_played(answer)
        elif isinstance(answer, MatchVoided):
            self.listener.on_match_voided(answer)
        else:
            self.calls.append(f"replace {self.listener.on_process_died(answer)}")
        self.listener.on_capacity()

    def recall(self) -> None:
        """Return nothing: every job has begun."""
        self.calls.append("recall")

    def acknowledge(self, matches: Sequence[ScheduledMatch]) -> None:
        """Check that the results are in the store."""
        kept = self._folder.store.played()
        assert {match.id for match in matches} <= kept, "committed before its bots are told"

    def isolate(self, *, isolated: bool) -> None:
        """Note it."""
        self.calls.append("isolate" if isolated else "join")

    async def stop(self, grace: float) -> None:
        """Note it."""
        self.calls.append(f"stop {grace:g}")


def run(
    path: Path,
    answer: Callable[[Job], Answer],
    places: int = 1,
    interrupt_after: int | None = None,
    text: str = FILE,
) -> tuple[RunResult, ScriptedDispatcher]:
    """Run or resume a tournament; interrupt it after a number of attempts."""
    file = path / "cup.toml"
    file.write_text(text)
    with begun(path / "cup", file) as folder:

        def counted(job: Job) -> Answer:
            if len(dispatcher.jobs) == interrupt_after:
                dispatcher.runner.interrupt()
            return answer(job)

        dispatcher = ScriptedDispatcher(folder, counted, places)

        async def story() -> RunResult:
            dispatcher.runner = BatchRunner(
                folder, PlainDisplay(print), workers=1, tables=1, dispatcher=dispatcher.attach
            )
            return await dispatcher.runner.run()

        result = asyncio.run(story())
        assert result.interrupted or folder.progress().complete
        return result, dispatcher


def test_everything_is_played_once_in_the_order_of_the_folder(tmp_path: Path) -> None:
    result, dispatcher = run(tmp_path, played, places=4)
    assert not result.interrupted
    assert not result.given_up
    assert set(Counter(job.match.id for job in dispatcher.jobs).values()) == {1}
    assert all(dispatcher.prefetch)
    assert dispatcher.calls == ["start", "stop 3"]


def test_a_resumed_run_benches_after_the_remaining_forfeits(tmp_path: Path) -> None:
    result, first = run(tmp_path, b_crashes, interrupt_after=2)
    assert result.interrupted
    assert [bool(job.benched) for job in first.jobs] == [False, False]
    _, second = run(tmp_path, b_crashes)
    assert not second.prefetch[0], "nothing is sent ahead while the next forfeit may bench"
    benched = [dict(job.benched) for job in second.jobs]
    last = second.jobs[0].match.id
    reason = f"it forfeited 3 times in a row; the last time, in {last}, by crash"
    assert benched == [{}] + 9 * [{"b": reason}]
    assert "recall" in second.calls


def test_a_match_without_a_forfeit_ends_the_streak(tmp_path: Path) -> None:
    def answer(job: Job) -> PlayedMatch:
        return played(job) if job.match.id.endswith("-2") else b_crashes(job)

    _, dispatcher = run(tmp_path, answer)
    in_a_row, most = 0, 0
    for job in dispatcher.jobs:
        in_a_row = 0 if job.match.id.endswith("-2") else in_a_row + 1
        most = max(most, in_a_row)
    assert any(job.benched for job in dispatcher.jobs) == (most >= 3)


def test_a_void_match_is_played_again_as_another_attempt(tmp_path: Path) -> None:
    def answer(job: Job) -> Answer:
        if job.attempt == 1:
            return MatchVoided(VoidAttempt(job.match.id, 1, "referee", "a fault of ours"))
        return played(job)

    result, dispatcher = run(tmp_path, answer)
    assert not result.given_up
    assert Counter(job.attempt for job in dispatcher.jobs) == {1: 12, 2: 12}


def test_who_is_always_there_when_the_referee_stands_still_is_suspended_over_all_runs(
    tmp_path: Path,
) -> None:
    """By chance a would be at eight of eight with a probability of (1/3)**8."""
    names = "abcdef"
    entrants = "".join(f'[[entrants]]\nname = "{name}"\nbot = "greedy"\n' for name in names)
    text = f'name = "x"\nsets_per_table = 3\ntable_sizes = [2]\n{entrants}'

    def answer(job: Job) -> Answer:
        if "a" in job.match.entrants and not job.benched:
            void = VoidAttempt(job.match.id, job.attempt, "referee", "it did not listen")
            return MatchVoided(void)
        return played(job)

    first, before = run(tmp_path, answer, interrupt_after=12, text=text)
    assert first.interrupted
    last, after = run(tmp_path, answer, text=text)
    assert not last.given_up
    void = [
        "a" in job.match.entrants and not job.benched for job in (*before.jobs, *after.jobs)
    ].count(True)
    assert 0 < sum("a" in job.match.entrants for job in before.jobs) < void
    assert void <= 20, "of 30 matches of a"
    reasons = {job.benched["a"] for job in after.jobs if job.benched}
    reason = f"it was playing at {void} of the {void} failures of worker processes"
    assert reasons == {f"{reason}, more often than chance explains"}
    assert after.calls[1:3] == ["isolate", "recall"], "one match at a time after the first"


def test_the_matches_of_a_process_that_dies_are_played_last(tmp_path: Path) -> None:
    deaths = 0

    def answer(job: Job) -> Answer:
        nonlocal deaths
        if deaths:
            return played(job)
        deaths = 1
        return ProcessDeath("it died", [job], [])

    _, dispatcher = run(tmp_path, answer)
    first, last = dispatcher.jobs[0], dispatcher.jobs[-1]
    assert first.match == last.match
    assert (first.attempt, last.attempt) == (1, 2)
    assert dispatcher.calls[:4] == ["start", "isolate", "recall", "replace True"]


def test_a_run_ends_if_processes_die_again_and_again(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"die again and again.*a \(6 times\), b \(6 times\)"):
        run(tmp_path, lambda job: ProcessDeath("it died", [job], []))
    assert DEATHS_IN_A_ROW == 5


def test_jobs_with_remote_bots_take_the_places_of_the_process_that_listens() -> None:
    match = ScheduledMatch("s-1", "s", "glastonbury", "plain", ())
    capacity = Capacity(3, 1)
    assert capacity.take(match, remote=True)
    assert not capacity.take(match, remote=True)
    assert capacity.take(match, remote=False)
    assert capacity.take(match, remote=False)
    assert not capacity.take(match, remote=False)
    capacity = Capacity(2, 2)
    assert capacity.take(match, remote=False)
    assert capacity.take(match, remote=True)
    assert not capacity.take(match, remote=True)


def test_a_duplicate_set_that_has_begun_is_taken_completely() -> None:
    first, second = (
        [ScheduledMatch(f"{name}-{n}", name, "glastonbury", "plain", ()) for n in range(3)]
        for name in "st"
    )
    capacity = Capacity(2, whole_sets=True)
    assert all(capacity.take(match, remote=False) for match in first)
    assert not capacity.is_used_up, "the set may have more matches"
    assert not capacity.take(second[0], remote=False)
    assert capacity.is_used_up
