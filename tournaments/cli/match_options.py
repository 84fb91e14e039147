"""Options of commands that play matches: time, policy, bots, and how they become values."""

from __future__ import annotations

import itertools
import math
import re
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import click

from engine import Seed, UsageError, seed_from_text
from engine.errors import did_you_mean
from referee import BotCommand, BotSpec, Policy, Reaction, TimeControl, Tls, Transport
from referee.clock import LONGEST
from tournaments.bot_names import SAMPLES, sample_command, split_command

F = TypeVar("F", bound=Callable[..., Any])

_POLICY = Policy().as_dict()
LONGEST_NAME = 40
LONGEST_NUMBER = 9


def time_options(command: F) -> F:
    """Add the options of the time control and the policy."""
    default = TimeControl()
    for name, summary in (
        ("latency", "Part of each decision that is never charged."),
        ("start-up", "Extra time for the first decision of a match."),
        ("increment", "Added to the bank after each decision."),
        ("bank", "Time for the whole match, used when a decision takes longer than --per-move."),
        ("per-move", "Free time for each decision."),
    ):
        seconds = getattr(default, name.replace("-", "_")).total_seconds()
        command = click.option(
            f"--{name}",
            type=click.FloatRange(min=0, max=LONGEST.total_seconds()),
            default=seconds,
            show_default=True,
            metavar="SECONDS",
            help=summary,
        )(command)
    return click.option(
        "--policy",
        multiple=True,
        metavar="FAULT=REACTION",
        help=(
            "What illegal_move, malformed, time_out, disconnect or crash lead to: reject, strike "
            "or forfeit; or strikes=N, rejections=N. Repeatable."
        ),
    )(command)


def server_options(command: F) -> F:
    """Add the options of a server."""
    certificate = click.Path(exists=True, dir_okay=False, path_type=Path)
    for option in (
        click.option("--tls-key", type=certificate, help="The key of the certificate."),
        click.option("--tls-cert", type=certificate, help="A certificate, to speak TLS."),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=0,
            help="On which port; default: any free one.",
        ),
        click.option("--host", default="127.0.0.1", show_default=True, help="Where bots dial in."),
    ):
        command = option(command)
    return command


def read_tls(certificate: Path | None, key: Path | None) -> Tls | None:
    """Read certificate and key, which belong together."""
    if (certificate is None) != (key is None):
        raise UsageError("--tls-cert and --tls-key belong together: give both or none.")
    return Tls(certificate.read_bytes(), key.read_bytes()) if certificate and key else None


def make_folder(path: Path) -> Path:
    """Make a folder if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {path}: {error.strerror}.") from None
    return path


def read_time_control(
    per_move: float, bank: float, increment: float, start_up: float, latency: float
) -> TimeControl:
    """Make a time control of seconds."""
    times = (per_move, bank, increment, start_up, latency)
    if any(map(math.isnan, times)):
        raise UsageError("nan is no number of seconds.")
    return TimeControl(*(timedelta(seconds=seconds) for seconds in times))


def read_policy(pairs: Sequence[str]) -> Policy:
    """Make a policy of FAULT=REACTION pairs."""
    given: dict[str, Any] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in _POLICY:
            raise UsageError(
                f'a policy has no "{name}".{did_you_mean(name, _POLICY)}'
                f" It has {', '.join(_POLICY)}."
            )
        if isinstance(_POLICY[name], int):
            if not value.isdecimal() or len(value) > LONGEST_NUMBER:
                raise UsageError(f'{name} is "{value}", but must be a number of few digits.')
            given[name] = int(value)
        elif value in list(Reaction):
            given[name] = Reaction(value)
        else:
            raise UsageError(f'{name} is "{value}", but must be reject, strike or forfeit.')
    return Policy(**given)


def read_bots(names: Sequence[str], transport: Transport) -> list[BotSpec]:
    """Make bots of what the command line calls them; equal names get numbers."""
    specs: list[BotSpec] = []
    for text in names:
        name, kind, command = _bot(text, transport)
        taken = {spec.name for spec in specs}
        numbered = (f"{name}-{number}" for number in itertools.count(2))
        free = next(n for n in itertools.chain([name], numbered) if n not in taken)
        specs.append(BotSpec(free, kind, command))
    return specs


def _bot(text: str, transport: Transport) -> tuple[str, Transport, BotCommand | None]:
    if text == "remote":
        return "remote", Transport.REMOTE, None
    if text in SAMPLES:
        return text, transport, sample_command(text)
    arguments = split_command(text)
    if not arguments:
        raise UsageError(
            f"an empty command is no bot: name a sample bot ({', '.join(SAMPLES)}), remote, or a "
            'command such as "python my_bot.py".'
        )
    named = next((word for word in reversed(arguments) if not word.startswith("-")), arguments[0])
    name = re.sub(r"[^\w.+-]+", "_", Path(named).stem)[:LONGEST_NAME].strip("_.")
    return name or "bot", transport, BotCommand(arguments)


def new_match_id() -> str:
    """Return an id that sorts by time and cannot be guessed."""
    return f"{time.time_ns() // 1_000_000:011x}{secrets.token_hex(5)}"


def match_seed(base: str | None, number: int) -> Seed:
    """Return the seed of a match: counted up from the given one, or random."""
    if base is None:
        return Seed(secrets.token_bytes(32))
    first = int.from_bytes(seed_from_text(base), "big")
    return Seed(((first + number) % 2**256).to_bytes(32, "big"))
