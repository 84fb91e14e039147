"""Arguments and options that several commands share, and how they become values."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from engine import (
    GAMES,
    AnyGame,
    NotationError,
    Options,
    OptionsError,
    OptionValue,
    Seat,
    UsageError,
    did_you_mean,
    find_game,
)
from referee.model import LONGEST, ClockKind, Policy, Reaction, SandboxKind, TimeControl
from referee.runtime import read_text

if TYPE_CHECKING:
    from types import ModuleType

    from referee.transports import Tls
    from tournaments.model import RuntimesSettings

FIRST_GAME: Final = next(iter(GAMES))
"""The game of commands without --game."""
DATABASE: Final = "league.db"
"""The name of the database file in the folder of a server."""
LONGEST_NUMBER: Final = 9

FILE: Final = click.Path(dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)
EXISTING_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
EXISTING_FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


def combined(name: str, read: Callable[..., Any], *options: Decorator[Any]) -> Decorator[Any]:
    """Add options; the command gets ``read`` of their values as the parameter ``name``."""
    names = inspect.signature(read).parameters

    def decorate(command: Any) -> Any:
        @wraps(command)
        def with_value(*args: Any, **given: Any) -> Any:
            values = {each: given.pop(each) for each in names}
            return command(*args, **given, **{name: read(**values)})

        return _added(with_value, options)

    return decorate


def _added(command: Any, options: Sequence[Decorator[Any]]) -> Any:
    for option in reversed(options):  # as decorators: the last one is applied first
        command = option(command)
    return command


# Bots and games ---------------------------------------------------------------------------------

bot_argument = click.argument(
    "bot", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED
)
seed_option = click.option(
    "--seed", default="0", show_default=True, help="A number, or 64 hex digits."
)


def transport_option(summary: str) -> Decorator[Any]:
    """Add --transport, for bots that are started here."""
    ways = click.Choice(["pipe", "grpc"])
    return click.option("--transport", type=ways, default="pipe", show_default=True, help=summary)


sandbox_option = click.option(
    "--sandbox",
    type=click.Choice([kind.value for kind in SandboxKind]),
    default=SandboxKind.NONE.value,
    show_default=True,
    help="Run every bot that is started in this sandbox, where it sees only its own files.",
)
clock_option = click.option(
    "--clock",
    type=click.Choice([kind.value for kind in ClockKind]),
    default=ClockKind.WALL.value,
    show_default=True,
    help="Charge the time that passes, or the CPU time of bots in a sandbox.",
)


def read_clock(control: TimeControl, clock: str, sandbox: str) -> TimeControl:
    """Return a time control with the clock of --clock; raises UsageError where it cannot be."""
    if ClockKind(clock) is ClockKind.CPU and SandboxKind(sandbox) is SandboxKind.NONE:
        raise UsageError("--clock cpu needs --sandbox bubblewrap: only there is CPU time measured.")
    return replace(control, clock=ClockKind(clock))


def game_option(summary: str) -> Decorator[Any]:
    """Add --game; the command gets the game."""
    return click.option(
        "--game",
        default=FIRST_GAME,
        show_default=True,
        callback=lambda _context, _option, name: find_game(name),
        help=summary,
    )


def game_options(command: F) -> F:
    """Add --game, --option, and a flag for each variant that is a switch of any game.

    The command gets all of them as ``options``, in pairs NAME=VALUE.
    """
    switches: dict[str, list[str]] = {}
    for game in GAMES.values():
        for option in game.spec.options_offered:
            if option.variant and isinstance(option.default, bool):
                switches.setdefault(option.name, []).append(game.spec.name)

    @wraps(command)
    def with_flags(*args: Any, options: tuple[str, ...], **rest: Any) -> Any:
        given = {name: rest.pop(name) for name in switches}
        short = [f"{name}={str(on).lower()}" for name, on in given.items() if on is not None]
        return command(*args, options=(*options, *short), **rest)

    flags = []
    for name, games in switches.items():
        flag = name.replace("_", "-")
        summary = f"Short for --option {name}=true or false ({', '.join(games)})."
        flags.append(click.option(name, f"--{flag}/--no-{flag}", default=None, help=summary))
    every = click.option(
        "options",
        "--option",
        "-o",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set an option of the game; `highstreet games` lists them. Repeatable.",
    )
    decorated: F = _added(with_flags, [game_option("Which game."), *flags, every])
    return decorated


def read_options(game: AnyGame, seats: int, options: tuple[str, ...]) -> Options:
    """Return the options of a match; raises OptionsError."""
    return game.spec.options(seats, read_values(game, options))


def read_values(game: AnyGame, options: tuple[str, ...]) -> dict[str, OptionValue]:
    """Read NAME=VALUE pairs, each as its option reads it; raises OptionsError."""
    values: dict[str, OptionValue] = {}
    for text in options:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionsError(f'cannot read --option "{text}": write it as NAME=VALUE.')
        values[name] = game.spec.option(name).read(value)
    return values


def read_move(game: AnyGame, state: Any, text: str) -> Any:
    """Read a move of the seat to decide; raises NotationError, which names the legal moves."""
    seats = game.to_act(state)
    try:
        move = game.parse_move(text)
    except NotationError as error:
        raise NotationError(f"{error}{_legal_here(game, state)}") from None
    if not seats:
        raise NotationError(f'cannot play "{text}": the game is over.')
    if violation := game.check(state, seats[0], move):
        raise NotationError(
            f'"{text}" is illegal: {violation.message} ({violation.rule}){_legal_here(game, state)}'
        )
    return move


def _legal_here(game: AnyGame, state: Any) -> str:
    seats = game.to_act(state)
    moves = game.legal_moves(state, seats[0]) if seats else ()
    if not moves:
        return ""
    named = ", ".join(game.format_move(move) for move in moves[:12])
    return f" Legal here: {named}{', …' if len(moves) > 12 else ''}."


def read_seat(text: str, seats: int, *words: str) -> Seat:
    """Read the seat of --viewer; raises OptionsError, which names ``words`` as other values."""
    if text.isascii() and text.isdecimal() and len(text) < 3 and int(text) < seats:
        return Seat(int(text))
    others = f"{', '.join(words[:-1])} or {words[-1]}"
    raise OptionsError(
        f'cannot show the view of "{text}": give a seat from 0 to {seats - 1}, {others}.'
    )


# Time control and policy ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchRules:
    """The time control and the policy of matches."""

    time_control: TimeControl
    policy: Policy


def _seconds(name: str, summary: str) -> Decorator[Any]:
    default = getattr(TimeControl(), name.replace("-", "_")).total_seconds()
    return click.option(
        f"--{name}",
        type=click.FloatRange(min=0, max=LONGEST.total_seconds()),
        default=default,
        show_default=True,
        metavar="SECONDS",
        help=summary,
    )


def _match_rules(
    policy: tuple[str, ...],
    per_move: float,
    bank: float,
    increment: float,
    start_up: float,
    latency: float,
) -> MatchRules:
    """Read the options of the time control and the policy; raises UsageError."""
    times = (per_move, bank, increment, start_up, latency)
    if any(map(math.isnan, times)):
        raise UsageError("nan is not a number of seconds.")
    control = TimeControl(*(timedelta(seconds=seconds) for seconds in times))
    return MatchRules(control, _policy(policy))


def _policy(pairs: Sequence[str]) -> Policy:
    """Read FAULT=REACTION pairs; raises UsageError."""
    known = Policy().as_dict()
    given: dict[str, Any] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name == "ponder":
            if value not in ("true", "false"):
                raise UsageError(f'ponder is "{value}", but must be true or false.')
            given[name] = value == "true"
            continue
        if name not in known:
            raise UsageError(
                f'a policy has no "{name}".{did_you_mean(name, known)} It has {", ".join(known)}.'
            )
        if isinstance(known[name], int):
            if not value.isdecimal() or len(value) > LONGEST_NUMBER:
                raise UsageError(
                    f'{name} is "{value}", but must be a number of at most {LONGEST_NUMBER} digits.'
                )
            given[name] = int(value)
        elif value in list(Reaction):
            given[name] = Reaction(value)
        else:
            raise UsageError(f'{name} is "{value}", but must be reject, strike or forfeit.')
    return Policy(**given)


match_rules_options = combined(
    "rules",
    _match_rules,
    click.option(
        "--policy",
        multiple=True,
        metavar="FAULT=REACTION",
        help=(
            "The reaction to illegal_move, malformed, time_out, disconnect or crash: reject, "
            "strike or forfeit; or strikes=N, rejections=N, ponder=true. Repeatable."
        ),
    ),
    _seconds("per-move", "Free time for each decision."),
    _seconds(
        "bank", "Time for the whole match, used when a decision takes longer than --per-move."
    ),
    _seconds("increment", "Added to the bank after each decision."),
    _seconds("start-up", "Extra time for the first decision of a match."),
    _seconds("latency", "Part of each decision that is never charged."),
)
"""Adds the options of the time control and the policy; the command gets them as ``rules``."""

# Servers and databases --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listen:
    """Where a referee listens, and with which certificate."""

    host: str
    port: int
    certificate: Path | None
    tls: Tls | None


def _listen(host: str, port: int, tls_cert: Path | None, tls_key: Path | None) -> Listen:
    if (tls_cert is None) != (tls_key is None):
        raise UsageError("--tls-cert and --tls-key belong together: give both or none.")
    if tls_cert is None or tls_key is None:
        return Listen(host, port, None, None)
    from referee.transports import Tls  # noqa: PLC0415  loads gRPC, not needed for --help

    return Listen(host, port, tls_cert, Tls(tls_cert.read_bytes(), tls_key.read_bytes()))


listen_options = combined(
    "listen",
    _listen,
    click.option("--host", default="127.0.0.1", show_default=True, help="The listening address."),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=0,
        help="The port to listen on; default: any free one.",
    ),
    click.option("--tls-cert", type=EXISTING_FILE, help="A certificate, to use TLS."),
    click.option("--tls-key", type=EXISTING_FILE, help="The private key of the certificate."),
)
"""Adds the options of a server; the command gets them as ``listen``."""


def database_options(command: F) -> F:
    """Add --data and --database."""
    folder = click.option(
        "--data",
        type=FOLDER,
        help="The folder of the league server, with its database and the logs of house bots.",
    )
    url = click.option(
        "--database",
        envvar="HIGHSTREET_DATABASE",
        metavar="URL",
        help=(
            "The database of the leagues, sqlite:///PATH or postgresql+psycopg://USER@HOST/NAME; "
            "or HIGHSTREET_DATABASE, which keeps a password out of the list of processes."
        ),
    )
    return folder(url(command))


def database_url(folder: Path | None, database: str | None) -> str:
    """Return the database that --data and --database mean."""
    if database is not None:
        return database
    if folder is None:
        raise UsageError("say where the leagues are kept: --data FOLDER or --database URL.")
    return f"sqlite:///{folder.resolve() / DATABASE}"


def existing_database_url(folder: Path | None, database: str | None) -> str:
    """Return the database that --data and --database mean; refuse a file that does not exist."""
    url = database_url(folder, database)
    found = re.fullmatch(r"sqlite(?:\+\w+)?:///(.+)", url)
    if found and not Path(found[1]).exists():
        raise UsageError(
            f"there is no database {found[1]}: make it with `highstreet serve --init`."
        )
    return url


# Runtimes ---------------------------------------------------------------------------------------


def _runtimes(config: Path | None) -> RuntimesSettings:
    """Return the runtimes of a server file, or all that are installed."""
    from tournaments.config import parse_server  # noqa: PLC0415  slow to load
    from tournaments.model import RuntimesSettings  # noqa: PLC0415

    if config is None:
        return RuntimesSettings()
    return parse_server(read_text(config), str(config)).runtimes


runtimes_option = combined(
    "runtimes",
    _runtimes,
    click.option(
        "--config",
        type=EXISTING_FILE,
        help="The server file that says which runtimes packages of bots may use.",
    ),
)
"""Adds --config; the command gets the settings of the runtimes as ``runtimes``."""


def cluster_module(name: str) -> ModuleType:
    """Return a module of the runner that needs Dask; raises UsageError where there is none."""
    try:
        return import_module(f"tournaments.runner.{name}")
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise UsageError(
            "--cluster needs Dask, which is not installed. Install it with: "
            "pip install 'highstreet[cluster]'"
        ) from None
