"""A round trip per decision for the random bot of each language, beside a bare gRPC echo.

One bot at a time, at a table of two against a player in the referee's own process; a round trip is
from the question to the answer as the referee's clock measures it. The echo is a bare grpc.aio
stream between two Python processes, with messages of the same size. Languages that are not built
are left out, and this is said.
"""

from __future__ import annotations

import asyncio
import json
import time
from functools import partial
from statistics import median, quantiles
from typing import Any

import grpc

from benchmarks.measuring import Asked, Chapter, Contestant, Sample
from benchmarks.questions import plan, usual_sizes
from benchmarks.referee import client
from referee.match import LagMeter, Match
from referee.model import BotCommand, BotSpec, Transport
from referee.runtime import run_async
from referee.transports import BotLauncher, InProcessPlayer, RefereeServer
from sample_bots.languages import languages
from tournaments.bot_commands import sample_command

Times = list[float]
MIDDLE = "median µs"
MOST = "99 % µs"
ECHO = "bare echo, Python (gRPC)"


def measure(asked: Asked) -> Chapter:
    """Measure every language that is built, in turn."""
    chapter = Chapter(
        "languages",
        "Languages: a round trip with the random bot",
        "Microseconds from the question to the answer, by the referee's clock.",
    )
    matches = asked.choose(15, 40)
    contestants: dict[str, Contestant] = {ECHO: lambda: _figures(run_async(echo(30 * matches)))}
    for transport in (Transport.GRPC, Transport.PIPE):
        spec = BotSpec("bot", transport, sample_command("random"))
        contestants[f"Python ({transport.value})"] = partial(_bot, spec, matches)
    for own in languages().values():
        if own.missing():
            chapter.not_measured[own.name] = f"there is no {own.missing()[0]} here"
            continue
        spec = BotSpec("bot", own.transport, BotCommand(own.command("random")))
        contestants[f"{own.name} ({own.transport.value})"] = partial(_bot, spec, matches)
    chapter.take_turns(contestants, asked.how_often(3, 7))
    for name in contestants:
        if name != ECHO:
            chapter.compare(name, ECHO, MIDDLE)
    return chapter


def _bot(spec: BotSpec, matches: int) -> Sample:
    return _figures(run_async(bot_times(spec, matches)))


def _figures(times: Times) -> Sample:
    return {MIDDLE: median(times), MOST: quantiles(times, n=100)[98]}


async def echo(trips: int) -> Times:
    """Return the round trips of a bare stream, in microseconds."""
    times: Times = []
    message = b"m" * usual_sizes()[0]
    done = asyncio.Event()

    async def serve(_requests: Any, context: Any) -> None:
        await context.read()
        for _ in range(trips):
            start = time.perf_counter()
            await context.write(message)
            if await context.read() is grpc.aio.EOF:
                break
            times.append((time.perf_counter() - start) * 1e6)
        done.set()

    server = grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(serve, bytes, bytes)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("bench.Echo", {"Echo": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with client("echo", f"127.0.0.1:{port}", "1"):
        await done.wait()
    await server.stop(0)
    return times


async def bot_times(spec: BotSpec, matches: int) -> Times:
    """Return the round trips of a bot, in microseconds."""
    server = RefereeServer()
    await server.start()
    bot = await BotLauncher(server, connect_seconds=30).launch(spec)
    lag, times = LagMeter(), list[float]()
    try:
        for number in range(matches + 1):
            other = InProcessPlayer(lambda question: question.legal[0])
            result = await Match(plan(number), [bot.player(), other], lag).play()
            lines = [json.loads(line) for line in result.record.splitlines()[2:-1]]
            if number:  # the first one warms up
                times += [x["ms"] * 1000 for x in lines if x["seat"] == 0 and x["legal"] > 1]
    finally:
        lag.stop()
        await bot.close()
        await server.stop(grace=0)
    return times
