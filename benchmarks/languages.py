"""Measure a round trip per decision for the random bot of each language, beside a bare gRPC echo.

    python -m benchmarks.languages [--rounds 3] [--matches 20] [--json FILE]

One bot at a time, at a table of two against a player in the referee's own process; a round trip is
from the question to the answer as the referee's clock measures it. The echo is a bare grpc.aio
stream between two Python processes, with messages of the same size. Languages that are not built
are left out, and this is said.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import grpc

from benchmarks.referee import GAME, MESSAGE, OPTIONS, client
from engine import Seed
from referee import (
    BotCommand,
    BotSpec,
    InProcessPlayer,
    LagMeter,
    MatchPlan,
    Policy,
    RefereeServer,
    Stage,
    Table,
    TimeControl,
    Transport,
)
from tournaments.bot_names import sample_command
from tournaments.languages import languages

Times = list[float]


async def echo(trips: int) -> Times:
    """Return the round trips of a bare stream, in microseconds."""
    times: Times = []
    done = asyncio.Event()

    async def serve(_requests: Any, context: Any) -> None:
        await context.read()
        for _ in range(trips):
            start = time.perf_counter()
            await context.write(MESSAGE)
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
    bot = await Stage(server, arrival_seconds=30).bring(spec)
    lag, times = LagMeter(), list[float]()
    try:
        for number in range(matches + 1):
            plan = MatchPlan(
                f"{number:08x}", GAME, OPTIONS, Seed(secrets.token_bytes(32)), b"salt" * 4,
                ("bot", "other"), TimeControl(), Policy(),
            )  # fmt: skip
            other = InProcessPlayer(lambda question: question.legal[0])
            result = await Table(plan, [bot.player(), other], lag).play()
            lines = [json.loads(line) for line in result.record.splitlines()[2:-1]]
            if number:  # the first one warms up
                times += [x["ms"] * 1000 for x in lines if x["seat"] == 0 and x["legal"] > 1]
    finally:
        lag.stop()
        await bot.close()
        await server.stop(grace=0)
    return times


def contestants(matches: int) -> dict[str, Callable[[], Coroutine[Any, Any, Times]]]:
    """Return what can be measured here."""
    found: dict[str, Callable[[], Coroutine[Any, Any, Times]]] = {
        "bare echo, Python (gRPC)": lambda: echo(30 * matches)
    }
    for transport in (Transport.GRPC, Transport.PIPE):
        spec = BotSpec("bot", transport, sample_command("random"))
        found[f"Python ({transport.value})"] = lambda spec=spec: bot_times(spec, matches)  # type: ignore[misc]
    for own in languages().values():
        if own.missing():
            print(f"{own.name} is left out: there is no {own.missing()[0]} here", file=sys.stderr)
            continue
        spec = BotSpec("bot", own.transport, BotCommand(own.command("random")))
        found[f"{own.name} ({own.transport.value})"] = lambda spec=spec: bot_times(spec, matches)  # type: ignore[misc]
    return found


def main() -> int:
    """Measure in turn, several times, and print medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    measured: dict[str, list[Times]] = {}
    for number in range(1, asked.rounds + 1):
        for name, measure in contestants(asked.matches).items():
            print(f"round {number} of {asked.rounds}: {name}", file=sys.stderr)
            measured.setdefault(name, []).append(asyncio.run(measure()))
    rows = {
        name: (
            median(median(times) for times in rounds),
            median(quantiles(times, n=100)[98] for times in rounds),
        )
        for name, rounds in measured.items()
    }
    bare = rows["bare echo, Python (gRPC)"][0]
    print(f"{'':<28}{'median':>10}{'99 %':>10}{'to the echo':>13}")
    for name, (middle, most) in rows.items():
        print(f"{name:<28}{middle:>7.0f} µs{most:>7.0f} µs{middle / bare:>13.2f}")
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
