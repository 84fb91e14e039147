"""What a tournament costs beyond its matches.

For pipe bots and gRPC bots, with one worker and with two: matches per second and CPU per match of
the runner and its workers; beside them the referee alone (the same matches at the same number of
tables on one event loop, with the same bots, and no runner, no store and no report). Four seats,
trivial bots. A full run also plays 100, 1,000 and 10,000 matches, and shows time and memory.

No folder is removed before everything is measured: ext4 avoids the inodes of files that were
deleted in the last minutes, and where there are many it takes 0.4 ms to create a file, in place of
15 µs. A tournament writes a file for each match, and deletes none.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import measuring
from benchmarks.measuring import Asked, Chapter, Contestant, apart
from referee.match import LagMeter, Match, MatchPlan
from referee.runtime import run_async, tuned_process
from referee.transports import BotLauncher, RefereeServer
from tournaments.model import Job, ScheduledMatch, attempt_id
from tournaments.runner import IDLE_BOTS, BatchRunner, TournamentFolder, begun
from tournaments.worker import BotPool

HERE = Path(__file__).parent
TABLES = 4
RATE = "matches/s"
CPU = "CPU ms a match"
DECISIONS = "decisions/s"


def measure(asked: Asked) -> Chapter:
    """Measure runner and bare referee in turn; in a full run, how both grow."""
    chapter = Chapter(
        "tournament",
        "Tournament: what it costs beyond its matches",
        "Tables of four, trivial bots, four tables at once; what the start takes is left out. CPU "
        "is that of the runner and its workers, without the bots.",
    )
    with tempfile.TemporaryDirectory() as name:
        _compare(chapter, asked, Path(name))
        if asked.full:
            _scaling(chapter, Path(name))
    chapter.want(
        "100 matches of four a second with trivial pipe bots and two workers",
        chapter.median("pipe, 2 workers", RATE),
        least=100.0,
        unit="/s",
    )
    return chapter


def _compare(chapter: Chapter, asked: Asked, folder: Path) -> None:
    """Measure the referee alone, one worker and two, in turn."""
    matches = 4 * asked.choose(24, 50)
    ways: dict[str, Play] = {
        "referee alone": referee_alone,
        "1 worker": partial(with_runner, workers=1),
        "2 workers": partial(with_runner, workers=2),
    }
    contestants: dict[str, Contestant] = {
        f"{transport}, {name}": partial(apart, _figures, partial(play, folder), transport, matches)
        for transport in ("pipe", "grpc")
        for name, play in ways.items()
    }
    chapter.take_turns(contestants, asked.how_often(2, 5))
    for transport in ("pipe", "grpc"):
        alone, one, two = (f"{transport}, {name}" for name in ways)
        added = chapter.compare(one, alone, CPU)
        chapter.compare(one, alone, RATE)
        chapter.compare(two, one, RATE)
        goal = f"the runner adds at most 10 % to the CPU of the referee alone, {transport} bots"
        chapter.want(goal, added, most=1.1)


def _figures(play: Callable[[str, int], Sample], transport: str, matches: int) -> measuring.Sample:
    """Play a tournament and one of a single set, and return what each further match took."""
    few, many = play(transport, 4), play(transport, 4 + matches)
    if many.seconds < 2 * few.seconds:  # on a busy machine the two cannot be told apart
        few = Sample(0, 0.0, 0.0)
    further, seconds = many.matches - few.matches, many.seconds - few.seconds
    return {
        RATE: further / seconds,
        CPU: (many.cpu - few.cpu) / further * 1000,
        DECISIONS: (many.decisions - few.decisions) / seconds,
    }


def _scaling(chapter: Chapter, folder: Path) -> None:
    """Show that ten times as many matches take ten times as long, and no more memory."""
    for matches in (100, 1000, 10_000):
        name = f"pipe, 2 workers, {matches:,} matches"
        measuring.progress(f"{chapter.name}: {name}")
        figures = apart(_one_size, folder, matches)  # of its own for its memory, too
        chapter.rows[name] = {what: measuring.Figure.of([x]) for what, x in figures.items()}


def _one_size(folder: Path, matches: int) -> dict[str, float]:
    sample = with_runner(folder, "pipe", matches, 2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {RATE: sample.matches / sample.seconds, "seconds": sample.seconds, "peak MiB": peak}


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement."""

    matches: int
    seconds: float
    cpu: float
    """Of the runner and its workers, without the bots."""
    decisions: int = 0


Play = Callable[[Path, str, int], Sample]
"""Plays a number of matches over a transport, below a folder."""


class Silence:
    """A watcher that does nothing but notice the peak."""

    def began(self, matches: int, played: int) -> None:
        """Do nothing."""

    def grew(self, matches: int) -> None:
        """Do nothing."""

    def listening(self, address: str) -> None:
        """Do nothing."""

    def table_began(self, match: ScheduledMatch) -> None:
        """Do nothing."""

    def table_ended(self, match: ScheduledMatch) -> None:
        """Do nothing."""

    def committed(self, matches: int) -> None:
        """Do nothing."""

    def workers(self, number: int) -> None:
        """Do nothing."""

    def note(self, sentence: str) -> None:
        """Do nothing."""

    def trouble(self, cause: str, sentence: str) -> None:
        """Say it: there should be none."""
        print(cause, sentence, file=sys.stderr)

    def benched(self, sentence: str) -> None:
        """Say it: there should be none."""
        print(sentence, file=sys.stderr)


def league(folder: Path, transport: str, matches: int) -> Path:
    """Write a tournament of four trivial bots at tables of four."""
    commands = {
        "pipe": [sys.executable, str(HERE / "pipe_client.py"), "bot"],
        "grpc": [sys.executable, str(HERE / "grpc_client.py")],
    }
    entrants = "".join(
        f'[[entrants]]\nname = "{name}"\ntransport = "{transport}"\n'
        f"command = {json.dumps(commands[transport])}\n"
        for name in "abcd"
    )
    path = folder / f"{transport}.toml"
    path.write_text(
        f'name = "bench"\ntable_sizes = [4]\nsets_per_table = {matches // 4}\n'
        f'[run]\ntables = {TABLES}\n[variants]\nrecipes = "on"\n{entrants}',
        encoding="utf-8",
    )
    return path


@contextlib.contextmanager
def tournament(folder: Path, transport: str, matches: int) -> Iterator[TournamentFolder]:
    """Set a tournament up below a folder."""
    own = Path(tempfile.mkdtemp(dir=folder))
    with begun(own / "out", league(own, transport, matches)) as opened:
        yield opened


def with_runner(place: Path, transport: str, matches: int, workers: int) -> Sample:
    """Play a tournament as `highstreet tournament run` does, up to the last commit."""
    with (
        tournament(place, transport, matches) as folder,
        _cpu_of_workers() as cpu,
        tuned_process(),
    ):
        start = time.perf_counter()
        runner = BatchRunner(folder, Silence(), workers=workers, tables=TABLES)
        run_async(runner.run())
        seconds = time.perf_counter() - start
        decisions = sum(result.decisions for result in folder.results())
        return Sample(folder.progress().played, seconds, cpu(), decisions)


@contextlib.contextmanager
def _cpu_of_workers() -> Iterator[Callable[[], float]]:
    """Measure the CPU of this process and of its worker processes, but not of the bots.

    A bot is a child of a worker, and ends before it; what a worker has used itself is read while
    it lives. What reading that takes is left out.
    """
    used: dict[int, float] = {}
    watching = 0.0
    done = threading.Event()
    own = time.process_time()

    def watch() -> None:
        nonlocal watching
        while not done.wait(0.05):
            watching = time.thread_time()
            for pid in _children():
                with contextlib.suppress(OSError):
                    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                    ticks = int(fields[11]) + int(fields[12])
                    used[pid] = ticks / os.sysconf("SC_CLK_TCK")

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: time.process_time() - own - watching + sum(used.values())
    finally:
        done.set()
        thread.join()


def _children() -> list[int]:
    """Return the processes that any thread of this one has started."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has just ended
            found += [int(pid) for pid in (task / "children").read_text().split()]
    return found


def referee_alone(place: Path, transport: str, matches: int) -> Sample:
    """Play the same matches on one event loop, and keep nothing."""
    with tournament(place, transport, matches) as folder, tuned_process():
        return run_async(_alone(folder))


async def _alone(folder: TournamentFolder) -> Sample:
    jobs = iter([folder.job(match, 1) for match in folder.pending()])
    server = RefereeServer()
    await server.start()
    specs = {entrant.name: entrant.spec() for entrant in folder.tournament.entrants}
    pool = BotPool(BotLauncher(server), specs, IDLE_BOTS)
    lag, done, decisions = LagMeter(), 0, 0
    start, cpu = time.perf_counter(), time.process_time()

    async def table() -> None:
        nonlocal done, decisions
        for job in jobs:
            result = await _play(folder, job, pool, lag)
            decisions += result
            done += 1

    await asyncio.gather(*(table() for _ in range(TABLES)))
    await pool.close()
    await server.stop(grace=0)
    lag.stop()
    return Sample(done, time.perf_counter() - start, time.process_time() - cpu, decisions)


async def _play(folder: TournamentFolder, job: Job, pool: BotPool, lag: LagMeter) -> int:
    tournament = folder.tournament
    names = job.match.entrants
    pooled = await asyncio.gather(*(pool.take(name, job.seed) for name in names))
    game = tournament.game(job.match.game).rules
    plan = MatchPlan(
        attempt_id(job.match.id, job.attempt), game, tournament.options_of(job.match),
        job.seed, job.salt, names, tournament.time_control, tournament.policy, reveal_seed=False,
    )  # fmt: skip
    result = await Match(plan, [each.bot.player() for each in pooled], lag).play()
    for each in pooled:
        each.give_back()
    return result.decisions
