"""Refereed decisions per transport, beside bare transports, fastchess and Kaggle's environments.

For each number of tables: a bare grpc.aio echo with as many streams and messages of the same size,
the referee with gRPC bots (a stream for each seat), a bare echo over pipes, the referee with pipe
bots; and the referee with players in its own process. Two seats at each table. The bots are
trivial. The streams of the echo end in one other process, and so do those of the gRPC bots; pipe
bots are a process each, so they are compared with gRPC bots that are a process each as well
("apart"). CPU is that of the referee's process; of Kaggle's environments, that of theirs. A referee
is scheduled as a batch process (referee/runtime/cpu_scheduling.py), the bare echoes as any server;
one more echo shows what the scheduling alone does.

The referee's own share of a decision is what lies between two questions at a table beyond the time
that the bot is charged with: the answer is judged, applied and recorded, and the next question made
and sent. Whatever the event loop was late by is in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial, wraps
from itertools import count, cycle, pairwise
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import grpc

from benchmarks import fastchess, peers
from benchmarks.measuring import (
    Asked,
    Chapter,
    Contestant,
    NotMeasuredError,
    Sample,
    apart,
    progress,
)
from benchmarks.questions import plan, usual_sizes
from referee.match import LagMeter, Match, Player, Question
from referee.model import BotCommand
from referee.runtime import default_scheduling, run_async, tuned_process
from referee.transports import GrpcPlayer, InProcessPlayer, PipeBot, PipePlayer, RefereeServer

CLIENTS = (sys.executable, "-m", "benchmarks.clients")
PIPES = (sys.executable, str(Path(__file__).parent / "pipe_client.py"))
ROOT = Path(__file__).parent.parent

Work = Callable[[int, float], Coroutine[Any, Any, Sample]]
"""Plays at a number of tables for a number of seconds, and returns what it measured."""

PATIENCE = 120.0
"""How long a measurement may take beyond its own time before it is given up, in seconds."""

RATE = "decisions/s"
CPU = "referee CPU µs"
HALF = "own share ms, median"
MOST = "own share ms, 99 %"
KAGGLE = "kaggle-connectx"


def measure(asked: Asked) -> Chapter:
    """Measure everything in turn, at each number of tables."""
    chapter = Chapter(
        "referee",
        "Referee: decisions per transport",
        "Decisions per second that were asked and answered, and the CPU of the referee's process "
        "for each. Two seats at each table, trivial bots.",
    )
    tables = [4] if asked.tiny else [1, 4, 16] if asked.full else [4, 16]
    seconds = asked.seconds(0.8, 2.0)
    contestants: dict[str, Contestant] = {}
    for number in tables:
        for name, work in CONTESTANTS.items():
            contestants[f"{name}, {number} tables"] = partial(run, work, number, seconds)
            contestants |= _beside(name, number, asked, chapter)
    chapter.take_turns(contestants, asked.how_often(2, 9))
    for number in tables:
        for of, to in RATIOS:
            chapter.compare(f"{of}, {number} tables", f"{to}, {number} tables", RATE)
    _goals(chapter)
    return chapter


def _beside(name: str, tables: int, asked: Asked, chapter: Chapter) -> dict[str, Contestant]:
    """Return whom else to measure right after a contestant that is compared with it."""
    if name == "pipe bots":
        if asked.fastchess is None:
            chapter.not_measured["fastchess"] = "give its binary with --fastchess PATH"
            return {}
        rounds = max(2, asked.choose(48, 100) // tables)
        work = partial(fastchess.plies_per_second, asked.fastchess, tables, rounds)
        return {f"fastchess, {tables} tables": work}
    if name == "in process" and tables == 4 and asked.peers:
        wanted = [peer for peer in peers.PEERS if peer.name == KAGGLE]
        reason = peers.prepare(progress, wanted)[KAGGLE]
        if reason is None:
            return {KAGGLE: partial(_kaggle, asked.seconds(1.0, 2.0))}
        chapter.not_measured[KAGGLE] = reason
    return {}


def _goals(chapter: Chapter) -> None:
    of_echo = chapter.compare("gRPC bots, 16 tables", "bare gRPC echo, 16 tables", RATE)
    for part in (0.7, 0.8):
        chapter.want(f"gRPC bots reach {part} of the bare echo at 16 tables", of_echo, least=part)
    chapter.want(
        "the referee's own share of a decision, 99 %, with gRPC bots at 4 tables, under 1 ms",
        chapter.median("gRPC bots, 4 tables", MOST),
        most=1.0,
        unit="ms",
    )
    chapter.want(
        "pipe bots at least as fast as fastchess, Python on both sides, 4 at once",
        chapter.compare("pipe bots, 4 tables", "fastchess, 4 tables", RATE),
        least=1.0,
    )
    chapter.want(
        "pipe bots 3 times gRPC bots, a process each, at 4 tables",
        chapter.compare("pipe bots, 4 tables", "gRPC bots apart, 4 tables", RATE),
        least=3.0,
    )
    chapter.want(
        "in process 30 times kaggle-environments (CPU of a step there to CPU of a decision here)",
        chapter.compare(KAGGLE, "in process, 4 tables", CPU),
        least=30.0,
    )


def _kaggle(seconds: float) -> Sample:
    try:
        run = peers.measure(KAGGLE, seconds)
    except peers.PeerError as error:
        raise NotMeasuredError(str(error)) from None
    return {RATE: run.steps / run.seconds, CPU: run.cpu / run.steps * 1e6}


def run(work: Work, tables: int, seconds: float) -> Sample:
    """Measure once, in a process of its own."""
    return apart(_run, work, tables, seconds)


def _run(work: Work, tables: int, seconds: float) -> Sample:
    try:
        return run_async(asyncio.wait_for(work(tables, seconds), PATIENCE + seconds))
    except TimeoutError:
        raise NotMeasuredError("a bot never came, or the machine is too busy") from None


def _tuned(work: Work) -> Work:
    """Measure as our commands referee: gRPC's echo and the other peers get nothing of it."""

    @wraps(work)
    async def measured(tables: int, seconds: float) -> Sample:
        with tuned_process():
            return await work(tables, seconds)

    return measured


class Meter:
    """Counts for a while, after warming up."""

    def __init__(self, tables: int, seconds: float) -> None:
        self._warm = 100 * tables
        self._seconds = seconds
        self.count = 0
        self.running = False

    def now(self) -> int:
        """Return how much has been done so far."""
        return self.count

    async def run(self) -> Sample:
        """Let things run, and return how much was done and what it cost."""
        while self.now() < self._warm:  # noqa: ASYNC110  counting must not cost anything
            await asyncio.sleep(0.05)
        gc.collect()
        before, wall, cpu = self.now(), time.perf_counter(), time.process_time()
        self.running = True
        await asyncio.sleep(self._seconds)
        self.running = False
        done = self.now() - before
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        if not done:
            raise NotMeasuredError("nothing was answered: the machine is too busy")
        return {RATE: done / wall, CPU: cpu / done * 1e6}


class TableMeter(Meter):
    """Counts what tables have decided: by asking them at the beginning and at the end."""

    def __init__(self, tables: int, seconds: float) -> None:
        super().__init__(tables, seconds)
        self.playing: dict[int, Match] = {}

    def now(self) -> int:
        """Return how many decisions there were, forced ones left out."""
        return self.count + sum(table.answered for table in self.playing.values())


@contextlib.asynccontextmanager
async def client(*arguments: str) -> AsyncIterator[None]:
    """Run the other side while the block runs."""
    with default_scheduling():
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
    meter, message = Meter(tables, seconds), b"m" * usual_sizes()[0]

    async def serve(_requests: Any, context: Any) -> None:
        await context.read()
        while True:
            await context.write(message)
            if await context.read() is grpc.aio.EOF:
                return
            meter.count += 1

    server, address = await _echo_server(serve)
    async with client("echo", address, str(tables)):
        sample = await meter.run()
    await server.stop(0)
    return sample


@_tuned
async def grpc_echo_tuned(tables: int, seconds: float) -> Sample:
    """Measure bare streams of a server that is scheduled as ours is."""
    return await grpc_echo(tables, seconds)


@_tuned
async def grpc_echo_in_turn(tables: int, seconds: float) -> Sample:
    """Measure bare streams, two for each table and in turn, each to a process of its own."""
    meter, message = Meter(tables, seconds), b"m" * usual_sizes()[0]
    arrived: asyncio.Queue[Any] = asyncio.Queue()

    async def serve(_requests: Any, context: Any) -> None:
        await context.read()
        arrived.put_nowait(context)
        await asyncio.Event().wait()

    async def one() -> None:
        for context in cycle([await arrived.get(), await arrived.get()]):
            await context.write(message)
            await context.read()
            meter.count += 1

    server, address = await _echo_server(serve)
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(2 * tables):
            await stack.enter_async_context(client("echo", address, "1"))
        sample = await _while_running([one() for _ in range(tables)], meter)
    await server.stop(0)
    return sample


async def _echo_server(serve: Callable[[Any, Any], Coroutine[Any, Any, None]]) -> tuple[Any, str]:
    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(serve, bytes, bytes)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("bench.Echo", {"Echo": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    return server, f"127.0.0.1:{port}"


@_tuned
async def grpc_bots(tables: int, seconds: float) -> Sample:
    """Measure the referee with bots that dial in."""
    server = RefereeServer()
    await server.start()
    names = [(f"a{i}", f"b{i}") for i in range(tables)]
    tokens = [server.tokens.issue(name) for pair in names for name in pair]
    async with client("bots", server.address, *tokens):
        sessions = [[await server.wait_for_bot(name) for name in pair] for pair in names]
        sample = await play_on([partial(_seated, GrpcPlayer, pair) for pair in sessions], seconds)
    await server.stop(grace=0)
    return sample


@_tuned
async def grpc_bots_apart(tables: int, seconds: float) -> Sample:
    """Measure the referee with bots that dial in, each of them a process of its own."""
    server = RefereeServer()
    await server.start()
    names = [(f"a{i}", f"b{i}") for i in range(tables)]
    async with contextlib.AsyncExitStack() as stack:
        for pair in names:
            for name in pair:
                token = server.tokens.issue(name)
                await stack.enter_async_context(client("bots", server.address, token))
        sessions = [[await server.wait_for_bot(name) for name in pair] for pair in names]
        sample = await play_on([partial(_seated, GrpcPlayer, pair) for pair in sessions], seconds)
    await server.stop(grace=0)
    return sample


@_tuned
async def pipe_echo_in_turn(tables: int, seconds: float) -> Sample:
    """Measure bare pipes, two for each table and in turn."""
    return await pipe_echo(tables, seconds, 2)


async def pipe_echo(tables: int, seconds: float, seats: int = 1) -> Sample:
    """Measure bare pipes, or with several seats as many of them in turn for each table."""
    meter, line = Meter(tables, seconds), b"l" * usual_sizes()[1] + b"\n"

    async def one() -> None:
        with default_scheduling():
            processes = [
                await asyncio.create_subprocess_exec(
                    *PIPES, "echo", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
                )
                for _ in range(seats)
            ]
        try:
            for process in cycle(processes):
                assert process.stdin is not None  # noqa: S101  both were asked for
                assert process.stdout is not None  # noqa: S101
                process.stdin.write(line)
                await process.stdout.readline()
                meter.count += 1
        finally:
            for process in processes:
                process.kill()
                await process.wait()

    return await _while_running([one() for _ in range(tables)], meter)


@_tuned
async def pipe_bots(tables: int, seconds: float) -> Sample:
    """Measure the referee with bots over pipes."""
    command = BotCommand((*PIPES, "bot"))
    pairs = [[await PipeBot.start(command) for _ in range(2)] for _ in range(tables)]
    try:
        return await play_on([partial(_seated, PipePlayer, pair) for pair in pairs], seconds)
    finally:
        await asyncio.gather(*(bot.close(grace=0.05) for pair in pairs for bot in pair))


@_tuned
async def in_process(tables: int, seconds: float) -> Sample:
    """Measure the referee with players of its own process."""

    def players() -> list[Player]:
        return [InProcessPlayer(lambda question: question.legal[0]) for _ in range(2)]

    return await play_on([players] * tables, seconds)


def _seated(kind: Callable[[Any], Player], pair: list[Any]) -> list[Player]:
    return [kind(bot) for bot in pair]


async def play_on(seatings: list[Callable[[], list[Any]]], seconds: float) -> Sample:
    """Play match after match at every table, count decisions and find the referee's share.

    The share is that at the first table: watching takes time, too.
    """
    meter, lag = TableMeter(len(seatings), seconds), LagMeter()
    played: list[tuple[dict[int, tuple[float, float]], bytes]] = []

    async def one(seating: Callable[[], list[Any]], table: int) -> None:
        for number in count(table, 1000):
            asked: dict[int, tuple[float, float]] = {}
            players = seating()
            if table == 0:
                players = [_Watched(player, asked) for player in players]
            meter.playing[table] = Match(plan(number), players, lag)
            result = await meter.playing[table].play()
            meter.count += meter.playing.pop(table).answered
            if meter.running and table == 0:
                played.append((asked, result.record))

    try:
        sample = await _while_running([one(s, i) for i, s in enumerate(seatings)], meter)
    finally:
        lag.stop()
    shares = [share for asked, record in played for share in own_shares(asked, record)]
    if len(shares) < 2:
        return sample
    return {**sample, HALF: median(shares), MOST: quantiles(shares, n=100)[98]}


def own_shares(asked: dict[int, tuple[float, float]], record: bytes) -> list[float]:
    """Return what lay between each two questions of a match beyond the bot's time, in ms.

    A question is asked at the first of its two times and sent at the second.
    """
    lines = (json.loads(line) for line in record.splitlines())
    used = {line["n"]: line["ms"] for line in lines if line["kind"] == "decision"}
    numbers = sorted(asked)
    return [
        (asked[after][1] - asked[before][0]) * 1000 - used[before]
        for before, after in pairwise(numbers)
    ]


class _Watched:
    """A player whose questions are timed."""

    def __init__(self, player: Player, asked: dict[int, tuple[float, float]]) -> None:
        self._player = player
        self._asked = asked
        self.begin, self.inbox = player.begin, player.inbox
        self.absence, self.reject, self.end = player.absence, player.reject, player.end

    def ask(self, question: Question) -> None:
        start = time.monotonic()
        self._player.ask(question)
        self._asked[question.decision] = (start, time.monotonic())


async def _while_running(work: list[Any], meter: Meter) -> Sample:
    tasks = [asyncio.ensure_future(job) for job in work]
    try:
        return await meter.run()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


CONTESTANTS: dict[str, Work] = {
    "bare gRPC echo": grpc_echo,
    "gRPC echo, scheduled as we are": grpc_echo_tuned,
    "gRPC bots": grpc_bots,
    "gRPC bots apart": grpc_bots_apart,
    "bare pipe echo": pipe_echo,
    "pipe bots": pipe_bots,
    "in process": in_process,
}
RATIOS = (
    ("gRPC bots", "bare gRPC echo"),
    ("gRPC bots", "gRPC echo, scheduled as we are"),
    ("pipe bots", "bare pipe echo"),
    ("pipe bots", "gRPC bots apart"),
    ("pipe bots", "gRPC bots"),
    ("pipe bots", "fastchess"),
    ("in process", "gRPC bots"),
)
