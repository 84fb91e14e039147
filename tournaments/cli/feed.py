"""``highstreet feed``: rerun the decisions of a recorded match with a bot."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import click
import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine import Seat, UsageError
from referee.devkit import (
    LONGEST_WAIT,
    BotFailedError,
    CheckBench,
    Probe,
    Recording,
    RerunDecision,
    rerun_decisions,
    standard_error,
)
from referee.model import BotSpec, Transport
from referee.record import read_record
from referee.runtime import run_async
from referee.transports import BotNotConnectedError, BotStartError
from tournaments.cli.bots import environment_option, one_bot
from tournaments.cli.files import exit_when_interrupted
from tournaments.cli.options import EXISTING_FILE, bot_argument, transport_option

JOIN_SECONDS = 30.0


@dataclass(slots=True)
class _Session:
    """What is rerun, and the answers of the bot."""

    recording: Recording
    seat: Seat
    first: int
    wait: float
    as_json: bool
    compared: list[RerunDecision] = field(default_factory=list)
    problem: str = ""
    errors: list[str] = field(default_factory=list)

    def take(self, fed: RerunDecision) -> None:
        """Keep an answer, unless its decision comes before the first to compare."""
        if fed.asked.played.n < self.first:
            return
        self.compared.append(fed)
        if self.as_json:
            click.echo(_json(fed))


@click.command("feed")
@click.argument("record", type=EXISTING_FILE)
@bot_argument
@click.option("--seat", type=int, required=True, help="The seat whose decisions are rerun, from 0.")
@click.option(
    "first",
    "--from",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Compare from decision N on; the bot gets the earlier decisions too.",
)
@transport_option("How the referee and the bot communicate.")
@environment_option
@click.option(
    "--wait",
    type=click.FloatRange(min=0, min_open=True),
    default=LONGEST_WAIT,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for an answer, instead of the clock of the match.",
)
@click.option("as_json", "--json", is_flag=True, help="Print one JSON object per decision.")
def command(
    record: Path,
    bot: tuple[str, ...],
    seat: int,
    first: int,
    transport: str,
    env: Mapping[str, str],
    wait: float,
    as_json: bool,  # noqa: FBT001  click passes it by name
) -> None:
    """Rerun the decisions of a seat of a recorded match with a bot, and compare moves.

    The bot gets the same views, events, legal moves and clocks. The match continues with the
    recorded moves, also where the bot answers differently. The exit code is 0 even if answers
    differ, and 1 if the bot fails.

    \b
    Examples:
      highstreet feed m1.jsonl --seat 2 -- python my_bot.py
      highstreet feed m1.jsonl --seat 0 --from 40 --json -- ./my_bot
    """  # noqa: D301  click's mark for "keep the lines"
    spec = one_bot(bot, Transport(transport), env)
    recording = Recording.read(read_record(record))
    session = _Session(recording, Seat(seat), first, wait, as_json)
    _check_first(session)
    with exit_when_interrupted():
        run_async(_run(spec, session))
    _show(session)
    if session.problem or any(fed.problem for fed in session.compared):
        raise click.exceptions.Exit(1)


def _check_first(session: _Session) -> None:
    asked = session.recording.questions(session.seat)
    if not asked:
        raise UsageError(f"seat {session.seat} was never asked: all its moves were forced.")
    if asked[-1].played.n < session.first:
        raise UsageError(
            f"there is nothing to compare from decision {session.first} on: the last one of "
            f"seat {session.seat} is {asked[-1].played.n}."
        )


async def _run(spec: BotSpec, session: _Session) -> None:
    assert spec.command is not None  # noqa: S101  checked by one_bot
    game = session.recording.plan.game.spec.name
    with tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
        async with CheckBench(spec.command, spec.transport, game, Path(folder)) as bench:
            try:
                probe = await bench.start()
            except BotStartError as error:
                session.problem = str(error)
                return
            await _rerun(probe, session)


async def _rerun(probe: Probe, session: _Session) -> None:
    try:
        await probe.join(JOIN_SECONDS)
        player = probe.player()
        async for fed in rerun_decisions(session.recording, session.seat, player, session.wait):
            session.take(fed)
    except (BotFailedError, BotNotConnectedError) as error:
        session.problem = f"the bot failed: {error}"
        session.errors = standard_error(probe.errors)


def _show(session: _Session) -> None:
    different = [fed for fed in session.compared if not fed.same]
    same = len(session.compared) - len(different)
    if different and not session.as_json:
        Console(highlight=False, soft_wrap=True).print(_table(different))
    if session.problem:
        click.echo("\n    ".join([session.problem, *session.errors]), err=True)
    summary = f"{same} of {len(session.compared)} answers are the same"
    click.echo(summary, err=session.as_json)


def _table(different: list[RerunDecision]) -> Table:
    table = Table("decision", "recorded", "answered", "time", box=None)
    for fed in different:
        answered = f"{fed.answered} ({fed.problem})" if fed.problem else fed.answered
        table.add_row(str(fed.asked.played.n), Text(_recorded(fed)), Text(answered), _time(fed))
    return table


def _recorded(fed: RerunDecision) -> str:
    return f"{fed.asked.played.move}{' (by the referee)' if fed.asked.by_referee else ''}"


def _time(fed: RerunDecision) -> str:
    late = " (late)" if fed.used > fed.asked.question.clock.limit else ""
    return f"{fed.used.total_seconds() * 1000:.1f} ms{late}"


def _json(fed: RerunDecision) -> str:
    played = fed.asked.played
    fields: dict[str, object] = {
        "n": played.n,
        "recorded": played.move,
        "answered": fed.answered,
        "same": fed.same,
        "ms": round(fed.used.total_seconds() * 1000, 3),
        "legal": played.legal,
        "by_referee": fed.asked.by_referee,
    }
    if fed.problem:
        fields["problem"] = fed.problem
    return orjson.dumps(fields).decode()
