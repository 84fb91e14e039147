"""The matches of ``highstreet play``: start the bots, play, write the records."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from engine import AnyGame, Options, Seat, Seed, UsageError, seed_from_text
from referee.match import LagMeter, Match, MatchPlan, MatchResult, Watch
from referee.model import BotSpec, SandboxKind, Transport
from referee.record import write_record
from referee.runtime import run_async, tuned_process
from referee.sandbox import SANDBOXES
from referee.transports import Bot, BotLauncher, BotNotConnectedError, RefereeServer
from tournaments.cli.files import exit_when_interrupted
from tournaments.cli.options import Listen, MatchRules
from tournaments.cli.play.index import add_to_index
from tournaments.cli.play.results import Tally, last_lines, log_size, show, stderr_notes
from tournaments.replay import find_presentation


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """The matches to play, and how."""

    game: AnyGame
    options: Options
    bots: Sequence[BotSpec]
    rules: MatchRules
    matches: int
    seed: str | None
    out: Path | None
    logs: Path
    listen: Listen
    rotate: bool
    watch: bool

    def log(self, spec: BotSpec) -> Path:
        """Return the path of the log of a bot's standard error."""
        return self.logs / f"{spec.name}.stderr.log"


def play_matches(order: PlayOptions) -> bool:
    """Play all matches and print the results; return whether any bot forfeited."""
    tally = Tally(log_starts={spec.name: log_size(order.log(spec)) for spec in order.bots})
    with exit_when_interrupted("interrupted; the finished matches are kept."):
        try:
            with tuned_process():
                run_async(_play(order, tally))
        finally:
            show(order.bots, tally, order.out)
    return tally.forfeited


async def _play(order: PlayOptions, tally: Tally) -> None:
    playing = asyncio.current_task()
    assert playing is not None  # noqa: S101  in a coroutine
    for ending in (signal.SIGTERM, signal.SIGHUP):  # as after Ctrl-C, all bots are ended
        asyncio.get_running_loop().add_signal_handler(ending, playing.cancel)
    for kind in {spec.command.sandbox.kind for spec in order.bots if spec.command}:
        if kind is not SandboxKind.NONE:
            click.echo(f"sandbox: {SANDBOXES[kind].describe()}", err=True)
    lag = LagMeter()
    try:
        async with _launcher(order) as launcher:
            session = _Session(order, launcher, lag, tally)
            async with session.bots():
                with Progress(console=Console(stderr=True), disable=order.matches == 1) as bar:
                    for number in bar.track(range(order.matches), description="matches"):
                        await session.replace_lost()
                        await session.play(number)
    finally:
        lag.stop()


@contextlib.asynccontextmanager
async def _launcher(order: PlayOptions) -> AsyncIterator[BotLauncher]:
    """Yield a launcher; it has a server if any bot uses gRPC."""
    server = None
    if any(spec.needs_server or spec.transport is Transport.REMOTE for spec in order.bots):
        server = RefereeServer(tls=order.listen.tls)
        await server.start(order.listen.host, order.listen.port)
    path = order.listen.certificate
    certificate = path.resolve() if path else None

    def announce(spec: BotSpec, address: str, token: str) -> None:
        trusted = f" HIGHSTREET_CA={certificate}" if certificate else ""
        click.echo(f"waiting for {spec.name}: start it with", err=True)
        click.echo(f"  HIGHSTREET_TARGET={address} HIGHSTREET_TOKEN={token}{trusted}", err=True)

    try:
        yield BotLauncher(server, order.logs, announce=announce, certificate=certificate)
    finally:
        if server is not None:
            await server.stop()


class _Session:
    """The bots that are running, and the matches between them."""

    def __init__(
        self, order: PlayOptions, launcher: BotLauncher, lag: LagMeter, tally: Tally
    ) -> None:
        self._order = order
        self._launcher = launcher
        self._lag = lag
        self._tally = tally
        self._bots: dict[str, Bot] = {}

    @contextlib.asynccontextmanager
    async def bots(self) -> AsyncIterator[None]:
        """Start all bots at once, and close them at the end."""
        starting = [asyncio.create_task(self._start(spec)) for spec in self._order.bots]
        try:
            try:
                await asyncio.gather(*starting)
            finally:
                for task in starting:  # if one fails, do not wait for the others
                    task.cancel()
                await asyncio.gather(*starting, return_exceptions=True)
            yield
        finally:
            await asyncio.gather(*(bot.close() for bot in self._bots.values()))

    async def _start(self, spec: BotSpec) -> None:
        """Start a bot, or wait for a remote one; the error has the end of its standard error."""
        try:
            self._bots[spec.name] = await self._launcher.launch(spec)
        except BotNotConnectedError as error:
            if spec.command is None:
                raise
            notes = stderr_notes(spec, self._last_lines(spec), self._order.out)
            hint = "write pipe:COMMAND for a bot that reads and writes lines and does not connect"
            raise UsageError("\n  ".join([str(error), *notes, hint])) from None

    def _last_lines(self, spec: BotSpec) -> list[str]:
        return last_lines(self._order.log(spec), self._tally.log_starts[spec.name])

    async def replace_lost(self) -> None:
        """Restart bots whose process has ended, and wait for remote bots that are disconnected."""
        for spec in self._order.bots:
            bot = self._bots[spec.name]
            if spec.transport is Transport.REMOTE:
                if bot.disconnected:
                    click.echo(f"waiting for {spec.name} to reconnect", err=True)
                    self._bots[spec.name] = await self._launcher.wait_for_remote(spec)
            elif bot.gone is not None:
                await bot.close()
                await self._start(spec)

    async def play(self, number: int) -> None:
        """Play one match, and write its record."""
        order, tally = self._order, self._tally
        shift = number % len(order.bots) if order.rotate else 0
        seated = [*order.bots[shift:], *order.bots[:shift]]
        plan = MatchPlan(
            f"{time.time_ns() // 1_000_000:011x}{secrets.token_hex(5)}",  # sorts by time
            order.game,
            order.options,
            _seed(order.seed, number),
            secrets.token_bytes(16),
            tuple(spec.name for spec in seated),
            order.rules.time_control,
            order.rules.policy,
            # The seeds of later deals follow from a given seed, so bots must not get it.
            reveal_seed=order.seed is None,
        )
        players = [self._bots[spec.name].player() for spec in seated]
        watch = _watcher(order.game, plan) if order.watch else None
        result = await Match(plan, players, self._lag, watch).play()
        tally.results.append(replace(result, record=b""))  # to save memory
        for seat in result.forfeits:
            tally.stderr[seated[seat].name] = self._last_lines(seated[seat])
        if order.out is not None:
            tally.paths.append(await asyncio.to_thread(_keep, order.out, result))


def _seed(first: str | None, number: int) -> Seed:
    """Return the seed of a match: counted up from the given one, or random."""
    if first is None:
        return Seed(secrets.token_bytes(32))
    given = int.from_bytes(seed_from_text(first), "big")
    return Seed(((given + number) % 2**256).to_bytes(32, "big"))


def _keep(folder: Path, result: MatchResult) -> Path:
    """Write the record of a match, and then its row in the index."""
    path = write_record(folder, result.plan.match, result.record)
    add_to_index(folder, result, path)
    return path


def _watcher(game: AnyGame, plan: MatchPlan) -> Watch:
    presentation = find_presentation(game.spec.name)

    def described(move: Any) -> str:
        """Return a move as a spectator may see it."""
        covered = presentation.covered(move) if presentation else None
        return game.format_move(move) if covered is None else f"{covered} (covered)"

    def show(moves: Mapping[Seat, Any], view: Any) -> None:
        if sys.stdout.isatty():
            click.clear()
        lines = [
            f"{plan.entrants[seat]} (seat {seat}) plays {described(move)}"
            for seat, move in moves.items()
        ]
        with contextlib.suppress(BrokenPipeError):  # the reader is gone; the match goes on
            click.echo("\n".join([*lines, game.render(view), ""]))

    return show
