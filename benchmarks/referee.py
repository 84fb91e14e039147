"""Measure refereed decisions against the bare transports, in one run.

    python -m benchmarks.referee [--rounds 5] [--seconds 2] [--tables 1,4,16] [--json FILE]

For each number of tables: a bare grpc.aio echo with as many streams and messages of the same size,
the referee with gRPC bots (a stream for each seat), a bare echo over pipes, the referee with pipe
bots; and the referee with players in its own process. Two seats at each table. The bots are
trivial. The streams of the echo end in one other process, and so do those of the gRPC bots; pipe
bots are a process each, so they are compared with gRPC bots that are a process each as well
("apart"). CPU is that of the referee's process.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import platform
import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import grpc

from benchmarks.clients import ANSWER
from engine import Chance, Seed, __version__, find_game, seed_from_text
from referee import (
    BotCommand,
    InProcessPlayer,
    LagMeter,
    MatchPlan,
    Player,
    Policy,
    RefereeServer,
    Table,
    TimeControl,
)
from referee.clock import Clock
from referee.garbage import collect_rarely
from referee.pipe import PipeBot, PipePlayer
from referee.player import Question
from referee.server import GrpcPlayer
from referee.wire import messages, stdio

GAME = find_game("glastonbury")
OPTIONS = GAME.spec.options(2, {"recipes": True})
CLIENTS = (sys.executable, "-m", "benchmarks.clients")
PIPES = (sys.executable, str(Path(__file__).parent / "pipe_client.py"))
ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement."""

    per_second: float
    cpu_micros: float


class Meter:
    """Counts for a while, after warming up."""

    def __init__(self, tables: int, seconds: float) -> None:
        self._warm = 100 * tables
        self._seconds = seconds
        self.count = 0

    async def run(self) -> Sample:
        """Let things run, and return how much was done and what it cost."""
        while self.count < self._warm:  # noqa: ASYNC110  counting must not cost anything
            await asyncio.sleep(0.05)
        gc.collect()
        count, wall, cpu = self.count, time.perf_counter(), time.process_time()
        await asyncio.sleep(self._seconds)
        done = self.count - count
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return Sample(done / wall, cpu / max(1, done) * 1e6)


def sample_questions() -> list[Question]:
    """Return the questions of a few games."""
    found: list[Question] = []
    plan = _plan(0)
    for number in range(5):
        seed = seed_from_text(str(number))
        transition = GAME.deal(OPTIONS, seed)
        events, told, chance = list(transition.events), [0, 0], Chance(seed, "bench")
        while seats := GAME.to_act(transition.state):
            moves = {}
            for seat in seats:
                legal = GAME.legal_moves(transition.state, seat)
                news = [event for event in events[told[seat] :] if event.visible_to(seat)]
                told[seat] = len(events)
                view = GAME.view(transition.state, seat)
                clock = Clock.wound_up(plan.time_control)
                found.append(Question(plan, seat, len(found) + 1, view, news, legal, clock))
                moves[seat] = legal[chance.below(len(legal))]
            transition = GAME.apply(transition.state, moves)
            events += transition.events
    return found


def _plan(number: int) -> MatchPlan:
    return MatchPlan(
        f"{number:016x}",
        GAME,
        OPTIONS,
        Seed(secrets.token_bytes(32)),
        b"salt" * 4,
        ("a", "b"),
        TimeControl(),
        Policy(),
    )


THRESHOLDS = gc.get_threshold()
"""As Python has them; whoever measures the referee sets those of the referee."""
QUESTIONS = sample_questions()
MESSAGE = b"m" * round(sum(len(messages.decision_message(q)) for q in QUESTIONS) / len(QUESTIONS))
LINE = b"l" * round(sum(len(stdio.decision_line(q)) for q in QUESTIONS) / len(QUESTIONS)) + b"\n"


@contextlib.asynccontextmanager
async def client(*arguments: str) -> AsyncIterator[None]:
    """Run the other side while the block runs."""
    process = await asyncio.create_subprocess_exec(
        *CLIENTS, *arguments, cwd=ROOT, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def grpc_echo(tables: int, seconds: float) -> Sample:
    """Measure bare streams."""
    meter = Meter(tables, seconds)

    async def serve(_requests: Any, context: Any) -> None:
        await context.read()
        while True:
            await context.write(MESSAGE)
            if await context.read() is grpc.aio.EOF:
                return
            meter.count += 1

    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(serve, bytes, bytes)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("bench.Echo", {"Echo": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with client("echo", f"127.0.0.1:{port}", str(tables)):
        sample = await meter.run()
    await server.stop(0)
    return sample


async def grpc_bots(tables: int, seconds: float) -> Sample:
    """Measure the referee with bots that dial in."""
    collect_rarely()
    server = RefereeServer()
    await server.start()
    names = [(f"a{i}", f"b{i}") for i in range(tables)]
    tokens = [server.tokens.issue(name) for pair in names for name in pair]
    async with client("bots", server.address, *tokens):
        sessions = [[await server.arrival(name) for name in pair] for pair in names]
        sample = await play_on([partial(_seated, GrpcPlayer, pair) for pair in sessions], seconds)
    await server.stop(grace=0)
    return sample


async def grpc_bots_apart(tables: int, seconds: float) -> Sample:
    """Measure the referee with bots that dial in, each of them a process of its own."""
    collect_rarely()
    server = RefereeServer()
    await server.start()
    names = [(f"a{i}", f"b{i}") for i in range(tables)]
    async with contextlib.AsyncExitStack() as stack:
        for pair in names:
            for name in pair:
                token = server.tokens.issue(name)
                await stack.enter_async_context(client("bots", server.address, token))
        sessions = [[await server.arrival(name) for name in pair] for pair in names]
        sample = await play_on([partial(_seated, GrpcPlayer, pair) for pair in sessions], seconds)
    await server.stop(grace=0)
    return sample


async def pipe_echo(tables: int, seconds: float) -> Sample:
    """Measure bare pipes."""
    meter = Meter(tables, seconds)

    async def one() -> None:
        process = await asyncio.create_subprocess_exec(
            *PIPES,
            "echo",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdin is not None  # noqa: S101  both were asked for
        assert process.stdout is not None  # noqa: S101
        try:
            while True:
                process.stdin.write(LINE)
                await process.stdout.readline()
                meter.count += 1
        finally:
            process.kill()
            await process.wait()

    return await _while_running([one() for _ in range(tables)], meter)


async def pipe_bots(tables: int, seconds: float) -> Sample:
    """Measure the referee with bots over pipes."""
    collect_rarely()
    command = BotCommand((*PIPES, "bot"))
    pairs = [[await PipeBot.start(command) for _ in range(2)] for _ in range(tables)]
    try:
        return await play_on([partial(_seated, PipePlayer, pair) for pair in pairs], seconds)
    finally:
        await asyncio.gather(*(bot.close(grace=0.05) for pair in pairs for bot in pair))


async def in_process(tables: int, seconds: float) -> Sample:
    """Measure the referee with players of its own process."""

    def players() -> list[Player]:
        return [InProcessPlayer(lambda question: question.legal[0]) for _ in range(2)]

    collect_rarely()
    return await play_on([players] * tables, seconds)


def _seated(kind: Callable[[Any], Player], pair: list[Any]) -> list[Player]:
    return [kind(bot) for bot in pair]


async def play_on(seatings: list[Callable[[], list[Any]]], seconds: float) -> Sample:
    """Play match after match at every table, and count decisions that were asked."""
    meter, lag = Meter(len(seatings), seconds), LagMeter()

    async def one(seating: Callable[[], list[Any]], number: int) -> None:
        while True:
            players = [_Counted(player, meter) for player in seating()]
            await Table(_plan(number), players, lag).play()
            number += 1000

    try:
        return await _while_running([one(s, i) for i, s in enumerate(seatings)], meter)
    finally:
        lag.stop()


class _Counted:
    """A player whose questions are counted."""

    def __init__(self, player: Player, meter: Meter) -> None:
        self._player = player
        self._meter = meter
        self.begin, self.inbox = player.begin, player.inbox
        self.absence, self.reject, self.end = player.absence, player.reject, player.end

    def ask(self, question: Question) -> None:
        self._meter.count += 1
        self._player.ask(question)


async def _while_running(work: list[Any], meter: Meter) -> Sample:
    tasks = [asyncio.ensure_future(job) for job in work]
    try:
        return await meter.run()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


CONTESTANTS: dict[str, Callable[[int, float], Coroutine[Any, Any, Sample]]] = {
    "bare gRPC echo": grpc_echo,
    "gRPC bots": grpc_bots,
    "gRPC bots apart": grpc_bots_apart,
    "bare pipe echo": pipe_echo,
    "pipe bots": pipe_bots,
    "in process": in_process,
}
RATIOS = (
    ("gRPC bots", "bare gRPC echo"),
    ("pipe bots", "bare pipe echo"),
    ("pipe bots", "gRPC bots apart"),
    ("pipe bots", "gRPC bots"),
    ("in process", "gRPC bots"),
)


def encoding() -> dict[str, float]:
    """Measure what it takes to make a message for a seat, in microseconds."""
    result = {}
    for name, encode in (
        ("gRPC message", messages.decision_message),
        ("line of JSON", stdio.decision_line),
    ):
        times = []
        for _ in range(9):
            start = time.perf_counter()
            for question in QUESTIONS:
                encode(question)
            times.append((time.perf_counter() - start) / len(QUESTIONS) * 1e6)
        result[name] = round(median(times), 1)
    return result


def run(rounds: int, seconds: float, tables: list[int]) -> dict[str, Any]:
    """Measure everything in turn, several times."""
    samples: dict[tuple[str, int], list[Sample]] = {}
    for number in range(1, rounds + 1):
        for count in tables:
            for name, measure in CONTESTANTS.items():
                print(f"round {number} of {rounds}: {name}, {count} tables", file=sys.stderr)
                sample = asyncio.run(measure(count, seconds))
                gc.unfreeze()
                gc.set_threshold(*THRESHOLDS)
                samples.setdefault((name, count), []).append(sample)
    rates = {key: median(s.per_second for s in found) for key, found in samples.items()}
    return {
        "highstreet": __version__,
        "python": platform.python_version(),
        "message_bytes": {"gRPC": len(MESSAGE), "JSON": len(LINE), "answer": len(ANSWER)},
        "encoding_micros": encoding(),
        "decisions": [
            {
                "name": name,
                "tables": count,
                "per_second": round(rates[name, count]),
                "lowest": round(min(s.per_second for s in found)),
                "highest": round(max(s.per_second for s in found)),
                "referee_cpu_micros": round(median(s.cpu_micros for s in found), 1),
            }
            for (name, count), found in samples.items()
        ],
        "ratios": [
            {"of": a, "to": b, "tables": n, "ratio": round(rates[a, n] / rates[b, n], 2)}
            for n in tables
            for a, b in RATIOS
        ],
    }


def print_table(result: dict[str, Any]) -> None:
    """Print the figures for a person."""
    print(f"{'':<18}{'tables':>7}{'decisions/s':>13}{'range':>20}{'referee CPU':>14}")
    for row in result["decisions"]:
        spread = f"{row['lowest']:,} to {row['highest']:,}"
        print(
            f"{row['name']:<18}{row['tables']:>7}{row['per_second']:>13,}{spread:>20}"
            f"{row['referee_cpu_micros']:>11,.0f} µs"
        )
    for row in result["ratios"]:
        print(f"{row['of']} / {row['to']}, {row['tables']} tables: {row['ratio']:.2f}")
    for name, micros in result["encoding_micros"].items():
        print(f"making a {name}: {micros} µs")


def main() -> int:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--tables", default="1,4,16")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    try:
        tables = [int(text) for text in asked.tables.split(",")]
        result = run(asked.rounds, asked.seconds, tables)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    print_table(result)
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
