"""Commands of bots: the sample bots by name, command lines, environment variables."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import engine
import sample_bots
from engine import UsageError, did_you_mean
from referee.model import BotCommand, Mount, SandboxSettings
from referee.record import printable

SAMPLES: dict[str, tuple[str, ...] | None] = {
    "random": None,
    "greedy": ("glastonbury", "kupferkessel", "gargon", "festo"),
    "search": ("glastonbury", "kupferkessel", "gargon", "festo"),
}
"""The sample bots with the games that each plays; None means all."""
SETTABLE = ("HIGHSTREET_BOT_VERSION",)
"""The variables with the prefix HIGHSTREET_ that may be set for a bot."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def sample_command(name: str) -> BotCommand:
    """Return the command of a sample bot; raises UsageError if there is none of that name."""
    if name not in SAMPLES:
        raise UsageError(
            f'there is no sample bot "{name}".{did_you_mean(name, SAMPLES)}'
            f" The sample bots are {', '.join(SAMPLES)}."
        )
    folder = Path(sample_bots.__file__).parent / "python"
    command = BotCommand((sys.executable, str(folder / f"{name}_bot.py")))
    messages = find_spec("highstreet.v1")
    needed = [folder, Path(engine.__file__).parent, Path(sys.prefix), Path(sys.base_prefix)]
    if messages is not None and messages.origin is not None:
        needed.append(Path(messages.origin).parent)
    mounts = tuple(Mount(path, path) for path in needed)
    return replace(command, sandbox=SandboxSettings(mounts=mounts))


def split_command(text: str) -> tuple[str, ...]:
    """Split a command into words as a shell does; raises UsageError."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f'cannot read the command "{text}": {error}.') from None


def variable_problem(name: str, value: object = "") -> str | None:
    """Return why an environment variable cannot be set for a bot, or None.

    The sentence never repeats the value, which may be secret.
    """
    if not _VARIABLE.fullmatch(name):
        return f'"{printable(name)}" is no name of a variable: use letters, digits and _.'
    if name.startswith("HIGHSTREET_") and name not in SETTABLE:
        return f"{name} cannot be set: HIGHSTREET_ is for the referee's own variables."
    if not isinstance(value, str) or "\0" in value:
        return f'{name} must be text in quotes, as in {name} = "3".'
    return None
