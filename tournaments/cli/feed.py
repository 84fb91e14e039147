"""``highstreet feed``: put the questions of a recorded match to a bot again."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import click
import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine import Seat, UsageError
from referee import BotSpec, BotStartError, NoShowError, Transport, read_record
from referee.loop import run_async
from tournaments.cli.check_bot import one_bot
from tournaments.cli.common import INTERRUPTED
from tournaments.examinee import Examinee, Hall, standard_error
from tournaments.feed import LONGEST_WAIT, BotFailedError, Fed, Recording, feed

JOIN_SECONDS = 30.0


@dataclass(slots=True)
class _Session:
    """What is fed to whom, and what came of it."""

    recording: Recording
    seat: Seat
    first: int
    wait: float
    as_json: bool
    compared: list[Fed] = field(default_factory=list)
    problem: str = ""
    errors: list[str] = field(default_factory=list)

    def take(self, fed: Fed) -> None:
        """Note an answer, unless it comes before the first that counts."""
        if fed.asked.played.n < self.first:
            return
        self.compared.append(fed)
        if self.as_json:
            click.echo(_json(fed))


@click.command("feed")
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("bot", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--seat", type=int, required=True, help="Whose questions the bot gets, from 0.")
@click.option(
    "first",
    "--from",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Compare from decision N on; the bot gets the earlier ones too, for its memory.",
)
@click.option(
    "--transport",
    type=click.Choice([Transport.PIPE.value, Transport.GRPC.value]),
    default=Transport.PIPE.value,
    show_default=True,
    help="How the bot is spoken with.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0, min_open=True),
    default=LONGEST_WAIT,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for an answer, whatever the clock of the match says.",
)
@click.option("as_json", "--json", is_flag=True, help="Print one JSON object per decision.")
def command(
    record: Path,
    bot: tuple[str, ...],
    seat: int,
    first: int,
    transport: str,
    wait: float,
    as_json: bool,  # noqa: FBT001  click passes it by name
) -> None:
    """Ask a bot what a seat was asked in a recorded match, and compare the answers.

    The bot gets the same decisions with the same views, events, legal moves and clocks; the
    recorded moves are played on, whatever it answers. The exit code is 0 also if answers differ,
    and 1 if the bot fails.

    \b
    Examples:
      highstreet feed m1.jsonl --seat 2 -- python my_bot.py
      highstreet feed m1.jsonl --seat 0 --from 40 --json -- ./my_bot
    """  # noqa: D301  click's mark for "keep the lines"
    spec = one_bot(bot, Transport(transport))
    recording = Recording.read(read_record(record))
    session = _Session(recording, Seat(seat), first, wait, as_json)
    _check_beginning(session)
    try:
        run_async(_run(spec, session))
    except KeyboardInterrupt:
        click.echo("interrupted; the bot was ended.", err=True)
        raise SystemExit(INTERRUPTED) from None
    _show(session)
    if session.problem or any(fed.problem for fed in session.compared):
        raise click.exceptions.Exit(1)


def _check_beginning(session: _Session) -> None:
    asked = session.recording.questions(session.seat)
    if not asked:
        raise UsageError(f"seat {session.seat} was never asked: all its moves were forced.")
    if asked[-1].played.n < session.first:
        raise UsageError(
            f"there is nothing to compare from decision {session.first} on: the last one of "
            f"seat {session.seat} is {asked[-1].played.n}."
        )


async def _run(spec: BotSpec, session: _Session) -> None:
    assert spec.command is not None  # noqa: S101  one_bot sees to that
    game = session.recording.plan.game.spec.name
    with tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
        async with Hall(spec.command, spec.transport, game, Path(folder)) as hall:
            try:
                examinee = await hall.start()
            except BotStartError as error:
                session.problem = str(error)
                return
            await _feed(examinee, session)


async def _feed(examinee: Examinee, session: _Session) -> None:
    try:
        await examinee.join(JOIN_SECONDS)
        player = examinee.player()
        async for fed in feed(session.recording, session.seat, player, session.wait):
            session.take(fed)
    except (BotFailedError, NoShowError) as error:
        session.problem = f"the bot failed: {error}"
        session.errors = standard_error(examinee.errors)


def _show(session: _Session) -> None:
    different = [fed for fed in session.compared if not fed.same]
    same = len(session.compared) - len(different)
    if different and not session.as_json:
        Console(highlight=False, soft_wrap=True).print(_table(different))
    if session.problem:
        click.echo("\n    ".join([session.problem, *session.errors]), err=True)
    summary = f"{same} of {len(session.compared)} answers are the same"
    click.echo(summary, err=session.as_json)


def _table(different: list[Fed]) -> Table:
    table = Table("decision", "recorded", "answered", "time", box=None)
    for fed in different:
        answered = f"{fed.answered} ({fed.problem})" if fed.problem else fed.answered
        table.add_row(str(fed.asked.played.n), Text(_recorded(fed)), Text(answered), _time(fed))
    return table


def _recorded(fed: Fed) -> str:
    return f"{fed.asked.played.move}{' (by the referee)' if fed.asked.by_referee else ''}"


def _time(fed: Fed) -> str:
    late = " (late)" if fed.used > fed.asked.question.clock.limit else ""
    return f"{fed.used.total_seconds() * 1000:.1f} ms{late}"


def _json(fed: Fed) -> str:
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
