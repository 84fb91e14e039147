"""Measure what a tournament costs beyond its matches, in one run.

    python -m benchmarks.tournament [--rounds 3] [--matches 200] [--scaling]

For pipe bots and gRPC bots, with one worker and with two: matches per second and CPU per match of
the runner and its workers; beside them the referee alone (the same matches at the same number of
tables on one event loop, with the same bots, and no runner, no store and no report) and the bare
transport (as many messages of the same size as the matches have decisions). Four seats, trivial
bots. ``--scaling`` plays 100, 1,000 and 10,000 matches instead, and shows time and memory.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from referee import LagMeter, MatchPlan, RefereeServer, Stage, Table
from tournaments.folder import TournamentFolder, begun
from tournaments.runner.jobs import Job
from tournaments.runner.pool import BotPool
from tournaments.runner.run import Runner
from tournaments.schedule import ScheduledMatch

HERE = Path(__file__).parent
TABLES = 4


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement."""

    matches: int
    seconds: float
    cpu: float
    """Of the runner and its workers, without the bots."""
    decisions: int = 0


class Silence:
    """A watcher that does nothing but notice the peak."""

    def began(self, matches: int, played: int) -> None:
        """Do nothing."""

    def listening(self, address: str) -> None:
        """Do nothing."""

    def table_began(self, match: ScheduledMatch) -> None:
        """Do nothing."""

    def table_ended(self, match: ScheduledMatch) -> None:
        """Do nothing."""

    def committed(self, matches: int) -> None:
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
def tournament(transport: str, matches: int) -> Iterator[TournamentFolder]:
    """Set a tournament up in a folder that goes away again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with begun(folder / "out", league(folder, transport, matches)) as opened:
            yield opened


def with_runner(transport: str, matches: int, workers: int) -> Sample:
    """Play a tournament as `highstreet tournament run` does, up to the last commit."""
    with tournament(transport, matches) as folder, _cpu_of_workers() as cpu:
        start = time.perf_counter()
        runner = Runner(folder, Silence(), workers=workers, tables=TABLES)
        asyncio.run(runner.run())
        seconds = time.perf_counter() - start
        decisions = sum(result.decisions for result in folder.results())
        return Sample(folder.progress().played, seconds, cpu(), decisions)


@contextlib.contextmanager
def _cpu_of_workers() -> Iterator:  # type: ignore[type-arg]
    """Measure the CPU of this process and of its worker processes, but not of the bots.

    A bot is a child of a worker, and ends before it; what a worker has used itself is read while
    it lives.
    """
    used: dict[int, float] = {}
    done = threading.Event()
    own = time.process_time()

    def watch() -> None:
        while not done.wait(0.05):
            for path in Path("/proc").glob("[0-9]*/stat"):
                with contextlib.suppress(OSError):
                    fields = path.read_text().rpartition(")")[2].split()
                    if int(fields[1]) == os.getpid():
                        ticks = int(fields[11]) + int(fields[12])
                        used[int(path.parent.name)] = ticks / os.sysconf("SC_CLK_TCK")

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: time.process_time() - own + sum(used.values())
    finally:
        done.set()
        thread.join()


def referee_alone(transport: str, matches: int) -> Sample:
    """Play the same matches on one event loop, and keep nothing."""
    with tournament(transport, matches) as folder:
        return asyncio.run(_alone(folder))


async def _alone(folder: TournamentFolder) -> Sample:
    jobs = iter([folder.job(match, 1) for match in folder.pending()])
    server = RefereeServer()
    await server.start()
    specs = {entrant.name: entrant.spec() for entrant in folder.tournament.entrants}
    pool = BotPool(Stage(server), specs, 64)
    lag, done, decisions = LagMeter(), 0, 0
    start, cpu = time.perf_counter(), time.process_time()

    async def table() -> None:
        nonlocal done, decisions
        for job in jobs:
            result = await _play(folder, job, pool, lag)
            decisions += result
            done += 1

    await asyncio.gather(*(table() for _ in range(TABLES)))
    sample = Sample(done, time.perf_counter() - start, time.process_time() - cpu, decisions)
    await pool.close()
    await server.stop(grace=0)
    lag.stop()
    return sample


async def _play(folder: TournamentFolder, job: Job, pool: BotPool, lag: LagMeter) -> int:
    tournament = folder.tournament
    names = job.match.entrants
    pooled = await asyncio.gather(*(pool.take(name, job.seed) for name in names))
    game = tournament.discipline(job.match.game).game
    plan = MatchPlan(
        job.wire_id, game, tournament.options_of(job.match), job.seed, job.salt, names,
        tournament.time_control, tournament.policy, reveal_seed=False,
    )  # fmt: skip
    result = await Table(plan, [each.bot.player() for each in pooled], lag).play()
    for name, each in zip(names, pooled, strict=True):
        pool.give_back(name, each)
    return result.decisions


def compare(rounds: int, matches: int) -> None:
    """Measure in turn, several times, and print the medians."""
    contestants = {
        f"{transport}, {name}": (transport, play)
        for transport in ("pipe", "grpc")
        for name, play in (
            ("referee alone", referee_alone),
            ("1 worker", lambda t, m: with_runner(t, m, 1)),
            ("2 workers", lambda t, m: with_runner(t, m, 2)),
        )
    }
    samples: dict[str, list[Sample]] = {name: [] for name in contestants}
    for number in range(1, rounds + 1):
        for name, (transport, play) in contestants.items():
            print(f"round {number} of {rounds}: {name}", file=sys.stderr)
            samples[name].append(play(transport, matches))
    print(f"{'':<22}{'matches/s':>10}{'CPU/match':>12}{'decisions/s':>13}")
    rates, cpus = {}, {}
    for name, found in samples.items():
        rates[name] = median(s.matches / s.seconds for s in found)
        cpus[name] = median(s.cpu / s.matches for s in found)
        decisions = median(s.decisions / s.seconds for s in found)
        print(f"{name:<22}{rates[name]:>10.1f}{cpus[name] * 1000:>9.1f} ms{decisions:>13,.0f}")
    for transport in ("pipe", "grpc"):
        alone, one = f"{transport}, referee alone", f"{transport}, 1 worker"
        two = f"{transport}, 2 workers"
        print(f"{transport}: CPU of 1 worker / referee alone: {cpus[one] / cpus[alone]:.2f}")
        print(f"{transport}: time of 1 worker / referee alone: {rates[alone] / rates[one]:.2f}")
        print(f"{transport}: matches/s of 2 workers / 1 worker: {rates[two] / rates[one]:.2f}")


def scaling() -> None:
    """Show that ten times as many matches take ten times as long, and no more memory."""
    print(f"{'matches':>8}{'seconds':>10}{'per match':>12}{'runner memory':>15}")
    for matches in (100, 1000, 10_000):
        pid = os.fork()
        if pid == 0:  # a process of its own, for its memory
            sample = with_runner("pipe", matches, 2)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            each = sample.seconds / sample.matches * 1000
            print(
                f"{sample.matches:>8,}{sample.seconds:>10.1f}{each:>9.1f} ms{peak:>11.0f} MiB",
                flush=True,
            )
            os._exit(0)
        os.waitpid(pid, 0)


def main() -> int:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--scaling", action="store_true")
    asked = parser.parse_args()
    if asked.scaling:
        scaling()
    else:
        compare(asked.rounds, asked.matches)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
