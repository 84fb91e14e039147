"""``highstreet serve``: a referee on a port."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from click.core import ParameterSource

from engine import AnyGame, Options, UsageError, find_game
from referee import MatchPlan, Policy, RefereeServer, TimeControl, Tls
from referee.files import write_whole
from referee.lobby import Lobby
from referee.loop import run_async
from referee.matches import MatchService
from referee.shelf import FolderShelf
from referee.tokens import Tokens
from referee.tuning import refereeing
from tournaments.cli.common import game_options, read_options
from tournaments.cli.league_options import LeagueChoice, league_options
from tournaments.cli.match_options import (
    LONGEST_NAME,
    make_folder,
    match_seed,
    new_match_id,
    read_policy,
    read_time_control,
    read_tls,
    server_options,
    time_options,
)


@dataclass(frozen=True, slots=True)
class Order:
    """What the command line asks for."""

    game: AnyGame
    options: Options
    entrants: Sequence[str]
    control: TimeControl
    policy: Policy
    host: str
    port: int
    unix: Path | None
    tls: Tls | None
    out: Path
    tables: int
    matches: int | None
    grace: float

    def plan(self, entrants: tuple[str, ...]) -> MatchPlan:
        """Make the plan of the next match."""
        return MatchPlan(
            new_match_id(),
            self.game,
            self.options,
            match_seed(None, 0),
            secrets.token_bytes(16),
            entrants,
            self.control,
            self.policy,
        )


@click.command("serve")
@league_options
@game_options
@click.option("--seats", type=int, help="How many seats; default: the fewest of the game.")
@click.option(
    "entrants",
    "--entrant",
    multiple=True,
    metavar="NAME",
    help="Who may play; a token is printed for everybody who has none yet. Repeatable.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("records"),
    show_default=True,
    help="The folder for records, and for tokens.json with the hashes of the tokens.",
)
@click.option("--unix", type=click.Path(path_type=Path), help="Listen on this socket too.")
@click.option("--tables", type=click.IntRange(min=1), default=4, show_default=True)
@click.option("--matches", type=click.IntRange(min=1), help="Stop after so many matches.")
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long matches may go on after SIGTERM or Ctrl-C before they are void.",
)
@server_options
@time_options
@click.pass_context
def command(
    context: click.Context,
    /,
    game: str,
    seats: int | None,
    options: tuple[str, ...],
    entrants: tuple[str, ...],
    out: Path,
    unix: Path | None,
    tables: int,
    matches: int | None,
    grace: float,
    host: str,
    port: int,
    tls_cert: Path | None,
    tls_key: Path | None,
    policy: tuple[str, ...],
    league: LeagueChoice,
    **times: float,
) -> None:
    """Run a referee that seats the bots that dial in, and keeps the records.

    Health checking and reflection are on; MatchService gives out results and records.

    With --data or --database it is a league server: its leagues are made with `highstreet league`
    and outlive it, and game, seats, time and policy are those of each league.

    \b
    Examples:
      highstreet serve --seats 2 --entrant ann --entrant bob --port 7000
      highstreet serve --data leagues --init
      highstreet serve --data leagues --port 7000 --web-port 8000
    """  # noqa: D301  click's mark for "keep the lines"
    _refuse_what_would_be_ignored(context, league=league.asked_for)
    if league.asked_for:
        league.run(host, port, unix, read_tls(tls_cert, tls_key), grace, matches)
        return
    rules = find_game(game)
    order = Order(
        rules,
        read_options(rules, min(rules.spec.seats) if seats is None else seats, options),
        entrants,
        read_time_control(**times),
        read_policy(policy),
        host,
        port,
        unix,
        read_tls(tls_cert, tls_key),
        make_folder(out),
        tables,
        matches,
        grace,
    )
    with refereeing():
        run_async(_serve(order))


def _refuse_what_would_be_ignored(context: click.Context, *, league: bool) -> None:
    """Refuse an option of a league server where there are no leagues, and the other way round."""
    everywhere = {"unix", "matches", "grace", "host", "port", "tls_cert", "tls_key"}
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        of_leagues = name in LeagueChoice.__dataclass_fields__
        if of_leagues == league or name in everywhere:
            continue
        raise UsageError(
            f"{parameter.opts[0]} is for leagues: give --data FOLDER or --database URL as well."
            if of_leagues
            else f"{parameter.opts[0]} is for a server without leagues. With --data, --database or "
            "HIGHSTREET_DATABASE, what is played is what the file of each league says."
        )


async def _serve(order: Order) -> None:
    server = RefereeServer(tls=order.tls)
    fresh = _tokens(order, server.tokens)
    shelf = await asyncio.to_thread(FolderShelf, order.out)
    await server.start(order.host, order.port, order.unix, MatchService(shelf).add_to)
    try:
        _keep(order, server.tokens)  # not before we listen: nobody would see the new ones
        await _host(order, server, shelf, fresh)
    finally:
        await server.stop()


async def _host(
    order: Order, server: RefereeServer, shelf: FolderShelf, fresh: Mapping[str, str]
) -> None:
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    click.echo(f"listening on {server.address}; records go to {order.out}")
    for entrant, token in fresh.items():
        click.echo(f"token of {entrant}: {token}")
    game = order.game.spec.name
    lobby = Lobby(server, shelf, order.plan, order.options.seats, game, order.tables)
    running = asyncio.create_task(lobby.run(order.matches))
    waiting = asyncio.create_task(stopped.wait())
    await asyncio.wait([running, waiting], return_when=asyncio.FIRST_COMPLETED)
    if stopped.is_set():
        click.echo(f"stopping; matches have {order.grace:g} seconds to finish")
    await lobby.stop(order.grace)
    waiting.cancel()
    await running
    click.echo(f"{lobby.played} matches played, {lobby.void} of them void")


def _tokens(order: Order, tokens: Tokens) -> dict[str, str]:
    """Take over the tokens that were given out before, and give out new ones."""
    path = order.out / "tokens.json"
    if path.exists():
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            tokens.holders.update({bytes.fromhex(known[name]): name for name in known})
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}.") from None
        except (ValueError, TypeError, AttributeError):
            raise UsageError(f"{path} is damaged; remove it to give out new tokens.") from None
    for name in order.entrants:
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise UsageError(f"an entrant's name has 1 to {LONGEST_NAME} printable characters.")
    known_names = set(tokens.holders.values())
    fresh = {name: tokens.issue(name) for name in order.entrants if name not in known_names}
    if len(tokens.holders) < order.options.seats:
        raise UsageError(
            f"{order.options.seats} seats need as many entrants: name them with --entrant."
        )
    return fresh


def _keep(order: Order, tokens: Tokens) -> None:
    """Write the hashes of the tokens, completely or not at all."""
    path = order.out / "tokens.json"
    kept = {name: digest.hex() for digest, name in tokens.holders.items()}
    try:
        write_whole(path, (json.dumps(kept, indent=2) + "\n").encode())
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}.") from None
