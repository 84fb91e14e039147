"""Bots on the command line: sample bots, commands, remote bots, and their environment."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from engine import UsageError, did_you_mean
from referee.model import BotCommand, BotSpec, SandboxKind, Transport
from referee.sandbox import SANDBOXES, sandboxed
from tournaments.bot_commands import SAMPLES, sample_command, split_command, variable_problem
from tournaments.cli.options import Decorator

LONGEST_NAME: Final = 40
STARTED: Final = (Transport.PIPE.value, Transport.GRPC.value)
"""The transports of bots that are started here."""


def _environment(_context: object, _option: object, pairs: Sequence[str]) -> dict[str, str]:
    """Read --env: NAME=VALUE, or NAME alone for the value in the environment of this process."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if problem := variable_problem(name):
            raise UsageError(f"--env: {problem}")
        if not equals and name not in os.environ:
            raise UsageError(
                f"--env {name}: {name} is not set here. Set it, or write --env {name}=VALUE."
            )
        found[name] = value if equals else os.environ[name]
    return found


environment_option: Decorator[Any] = click.option(
    "--env",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_environment,
    help=(
        "Set an environment variable of every bot that is started; NAME alone copies the "
        "variable of this process. Repeatable."
    ),
)
"""Adds --env; the command gets a mapping."""


def one_bot(words: tuple[str, ...], transport: Transport, env: Mapping[str, str]) -> BotSpec:
    """Return the bot of a command or of the name of a sample bot; raises UsageError."""
    command = words[0] if len(words) == 1 else shlex.join(words)
    (spec,) = read_bots([command], transport, env)
    if spec.command is None:
        raise UsageError("this needs a bot that can be started here: give its command, not remote.")
    return spec


def read_bots(
    names: Sequence[str],
    transport: Transport,
    environment: Mapping[str, str] | None = None,
    sandbox: SandboxKind = SandboxKind.NONE,
) -> list[BotSpec]:
    """Return the bots that the arguments name; equal names get numbers. Raises UsageError.

    Every bot that is started gets the environment and runs in the sandbox.
    """
    specs: list[BotSpec] = []
    for text in names:
        name, kind, command = _bot(text, transport)
        if command is not None and environment:
            command = replace(command, environment=environment)
        if command is not None and sandbox is not SandboxKind.NONE:
            SANDBOXES[sandbox].check()
            command = sandboxed(command, sandbox)
        taken = {spec.name for spec in specs}
        numbered = (f"{name}-{number}" for number in itertools.count(2))
        free = next(n for n in itertools.chain([name], numbered) if n not in taken)
        specs.append(BotSpec(free, kind, command))
    return specs


def _bot(text: str, transport: Transport) -> tuple[str, Transport, BotCommand | None]:
    if text == "remote":
        return "remote", Transport.REMOTE, None
    prefix, colon, rest = text.partition(":")
    if colon and prefix in STARTED:
        transport, text = Transport(prefix), rest.strip()
        if text == "remote":
            raise UsageError(
                "a remote bot always connects over gRPC: write remote without a transport."
            )
    if text in SAMPLES:
        return text, transport, sample_command(text)
    arguments = split_command(text)
    if not arguments:
        raise UsageError(
            f"the command of a bot is empty: name a sample bot ({', '.join(SAMPLES)}), remote, or "
            'a command such as "python my_bot.py".'
        )
    _check_program(arguments[0])
    named = next((word for word in reversed(arguments) if not word.startswith("-")), arguments[0])
    name = re.sub(r"[^\w.+-]+", "_", Path(named).stem)[:LONGEST_NAME].strip("_.")
    return name or "bot", transport, BotCommand(arguments)


def _check_program(program: str) -> None:
    """Refuse a file without its folder, and a misspelt sample bot; raises UsageError."""
    if "/" in program or shutil.which(program):
        return
    if Path(program).is_file():
        raise UsageError(
            f'{program} is a file here, but not a program on the PATH: write "./{program}", or '
            f'name the program that runs it first, as in "python {program}".'
        )
    if hint := did_you_mean(program, SAMPLES):
        raise UsageError(f'there is neither a sample bot nor a program "{program}".{hint}')
