"""``highstreet play``: matches between a few bots, here and now."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table as RichTable

from engine import AnyGame, HighstreetError, Options, Seat, UsageError, find_game
from referee import (
    Bot,
    BotSpec,
    LagMeter,
    MatchPlan,
    MatchResult,
    Policy,
    RefereeServer,
    Stage,
    Table,
    TimeControl,
    Tls,
    Transport,
    Watch,
    write_record,
)
from referee.loop import run_async
from referee.record import printable
from referee.tuning import refereeing
from tournaments.cli.common import INTERRUPTED, game_options, read_options
from tournaments.cli.match_options import (
    make_folder,
    match_seed,
    new_match_id,
    read_bots,
    read_policy,
    read_time_control,
    read_tls,
    server_options,
    time_options,
)
from tournaments.web.stories import find_story


@dataclass(frozen=True, slots=True)
class Order:
    """What the command line asks for."""

    game: AnyGame
    options: Options
    bots: Sequence[BotSpec]
    control: TimeControl
    policy: Policy
    matches: int
    seed: str | None
    out: Path | None
    logs: Path
    address: tuple[str, int]
    tls: Tls | None
    certificate: Path | None
    rotate: bool
    watch: bool


@dataclass(slots=True)
class Tally:
    """What has been played."""

    results: list[MatchResult] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)


@click.command("play")
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@game_options
@click.option("--seats", type=int, default=None, help="How many seats; default: one for each bot.")
@click.option(
    "--transport",
    type=click.Choice(["pipe", "grpc"]),
    default="pipe",
    show_default=True,
    help="How started bots are spoken with.",
)
@click.option("--matches", type=click.IntRange(min=1), default=1, help="How many matches.")
@click.option("--rotate/--no-rotate", default=True, help="Change seats from match to match.")
@click.option("--seed", default=None, help="The seed of the first deal; default: random.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Keep the records and the bots' standard errors in this folder.",
)
@click.option("--watch", is_flag=True, help="Draw the board after each move.")
@server_options
@time_options
def command(
    bots: tuple[str, ...],
    game: str,
    seats: int | None,
    options: tuple[str, ...],
    transport: str,
    matches: int,
    rotate: bool,  # noqa: FBT001
    seed: str | None,
    out: Path | None,
    host: str,
    port: int,
    tls_cert: Path | None,
    tls_key: Path | None,
    watch: bool,  # noqa: FBT001
    policy: tuple[str, ...],
    **times: float,
) -> None:
    """Play matches between bots and show the result.

    A BOT is the name of a sample bot (random, greedy, search), a command in quotes, or remote: then
    its token is printed, and the match waits until the bot has dialled in.

    \b
    Examples:
      highstreet play greedy random
      highstreet play --seats 3 --recipes --transport grpc greedy random random --out records
      highstreet play --matches 20 "python my_bot.py" greedy
    """  # noqa: D301  click's mark for "keep the lines"
    rules = find_game(game)
    chosen = read_options(rules, len(bots) if seats is None else seats, options)
    if len(bots) != chosen.seats:
        raise UsageError(f"{chosen.seats} seats need {chosen.seats} bots, not {len(bots)}.")
    tls = read_tls(tls_cert, tls_key)
    with contextlib.ExitStack() as stack:
        if out is None:
            logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="highstreet-")))
        else:
            logs = make_folder(out)
        order = Order(
            rules, chosen, read_bots(bots, Transport(transport)), read_time_control(**times),
            read_policy(policy), matches, seed, out, logs, (host, port), tls, tls_cert, rotate,
            watch,
        )  # fmt: skip
        tally = Tally()
        try:
            with refereeing():
                run_async(_play(order, tally))
        except HighstreetError:
            _show(order, tally)
            raise
        except (KeyboardInterrupt, asyncio.CancelledError):
            click.echo("interrupted; what was finished is kept.", err=True)
            _show(order, tally)
            raise SystemExit(INTERRUPTED) from None
        _show(order, tally)


async def _play(order: Order, tally: Tally) -> None:
    playing = asyncio.current_task()
    assert playing is not None  # noqa: S101  this is it
    for ending in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C does: no bot is left behind
        asyncio.get_running_loop().add_signal_handler(ending, playing.cancel)
    lag = LagMeter()
    try:
        async with _stage(order) as stage, contextlib.AsyncExitStack() as stack:
            there: dict[str, Bot] = {}
            await _bring_all(order, stage, there, stack)
            with Progress(console=Console(stderr=True), disable=order.matches == 1) as progress:
                for number in progress.track(range(order.matches), description="matches"):
                    await _replace_lost(order, stage, there)
                    await _play_one(order, number, there, lag, tally)
    finally:
        lag.stop()


@contextlib.asynccontextmanager
async def _stage(order: Order) -> AsyncIterator[Stage]:
    """Open a server if somebody dials in, and close it again."""
    server = None
    if any(spec.transport is not Transport.PIPE for spec in order.bots):
        server = RefereeServer(tls=order.tls)
        await server.start(*order.address)
    certificate = order.certificate.resolve() if order.certificate else None
    stage = Stage(server, order.logs, announce=_announce, certificate=certificate)
    try:
        yield stage
    finally:
        if server is not None:
            await server.stop()


def _announce(spec: BotSpec, address: str, token: str) -> None:
    click.echo(f"waiting for {spec.name}: start it with", err=True)
    click.echo(f"  HIGHSTREET_TARGET={address} HIGHSTREET_TOKEN={token}", err=True)


async def _bring_all(
    order: Order, stage: Stage, there: dict[str, Bot], stack: contextlib.AsyncExitStack
) -> None:
    """Bring all bots at once, and see to it that they are sent away again."""

    async def bring(spec: BotSpec) -> None:
        there[spec.name] = await stage.bring(spec)

    async def close() -> None:
        await asyncio.gather(*(bot.close() for bot in there.values()))

    stack.push_async_callback(close)
    coming = [asyncio.create_task(bring(spec)) for spec in order.bots]
    try:
        await asyncio.gather(*coming)
    finally:
        for task in coming:  # if one cannot come, nobody waits for the others
            task.cancel()
        await asyncio.gather(*coming, return_exceptions=True)


async def _replace_lost(order: Order, stage: Stage, there: dict[str, Bot]) -> None:
    """Start bots again whose process has ended, and wait for remote ones that were cut off."""
    for spec in order.bots:
        bot = there[spec.name]
        if spec.transport is Transport.REMOTE:
            if bot.away:
                click.echo(f"waiting for {spec.name} to come back", err=True)
                there[spec.name] = await stage.bring_back(spec)
        elif bot.gone is not None:
            await bot.close()
            there[spec.name] = await stage.bring(spec)


async def _play_one(
    order: Order, number: int, there: dict[str, Bot], lag: LagMeter, tally: Tally
) -> None:
    shift = number % len(order.bots) if order.rotate else 0
    seated = [*order.bots[shift:], *order.bots[:shift]]
    plan = MatchPlan(
        new_match_id(),
        order.game,
        order.options,
        match_seed(order.seed, number),
        secrets.token_bytes(16),
        tuple(spec.name for spec in seated),
        order.control,
        order.policy,
        # Seeds that are counted up from a given one would tell the bots the next deal.
        reveal_seed=order.seed is None,
    )
    players = [there[spec.name].player() for spec in seated]
    watch = _watcher(order.game, plan) if order.watch else None
    table = Table(plan, players, lag, watch)
    result = await table.play()
    tally.results.append(replace(result, record=b""))  # thousands of records would fill the memory
    if order.out is not None:
        path = await asyncio.to_thread(write_record, order.out, plan.match, result.record)
        tally.paths.append(path)


def _watcher(game: AnyGame, plan: MatchPlan) -> Watch:
    story = find_story(game.spec.name)

    def told(move: Any) -> str:
        """Write a move as a spectator may know it."""
        covered = story.covered(move) if story else None
        return game.format_move(move) if covered is None else f"{covered} (covered)"

    def show(moves: Mapping[Seat, Any], view: Any) -> None:
        if sys.stdout.isatty():
            click.clear()
        lines = [
            f"{plan.entrants[seat]} (seat {seat}) plays {told(move)}"
            for seat, move in moves.items()
        ]
        with contextlib.suppress(BrokenPipeError):  # nobody looks any more; the match goes on
            click.echo("\n".join([*lines, game.render(view), ""]))

    return show


def _show(order: Order, tally: Tally) -> None:
    if not tally.results:
        return
    console = Console(highlight=False, markup=False)  # what a bot said is no markup
    if len(tally.results) == 1:
        _show_one(console, tally.results[0])
    else:
        _show_many(console, order, tally.results)
    if order.out is not None and tally.paths:
        where = tally.paths[0] if len(tally.paths) == 1 else order.out
        click.echo(f"record: {where}" if len(tally.paths) == 1 else f"records: {where}")


def _show_one(console: Console, result: MatchResult) -> None:
    if result.void:
        console.print(f"the match is void: {result.causes[-1].detail}")
        return
    table = RichTable("place", "entrant", "seat", "score", "time", "", box=None)
    faults = {cause.seat: f"forfeit: {printable(cause.detail)}" for cause in result.causes}
    for seat in sorted(range(len(result.places)), key=lambda seat: result.places[seat]):
        table.add_row(
            str(result.places[seat]),
            result.plan.entrants[seat],
            str(seat),
            str(result.scores[seat]),
            _seconds(result.used[seat]),
            faults.get(Seat(seat), ""),
        )
    console.print(table)
    console.print(f"{result.decisions} decisions; ended by {result.ending}")


def _show_many(console: Console, order: Order, results: Sequence[MatchResult]) -> None:
    table = RichTable(
        "entrant", "matches", "won", "mean place", "mean score", "forfeits", "time", box=None
    )
    counted = [result for result in results if not result.void]
    rows = [_summary(spec.name, counted) for spec in order.bots]
    for row in sorted(rows, key=lambda row: row[3]):
        table.add_row(*row)
    console.print(table)
    if len(counted) < len(results):
        console.print(f"{len(results) - len(counted)} matches were void and do not count")


def _summary(name: str, results: Sequence[MatchResult]) -> tuple[str, ...]:
    at = [(result, result.plan.entrants.index(name)) for result in results]
    if not at:
        return (name, "0", "", "", "", "", "")
    won = sum(1 / result.places.count(1) for result, seat in at if result.places[seat] == 1)
    return (
        name,
        str(len(at)),
        f"{won / len(at):.1%}",
        f"{fmean(result.places[seat] for result, seat in at):.2f}",
        f"{fmean(result.scores[seat] for result, seat in at):.1f}",
        str(sum(seat in result.forfeits for result, seat in at)),
        _seconds(sum((result.used[seat] for result, seat in at), timedelta(0))),
    )


def _seconds(duration: timedelta) -> str:
    return f"{duration.total_seconds():.2f} s"
