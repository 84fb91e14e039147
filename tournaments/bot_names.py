"""The sample bots by name, and commands as people write them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import sample_bots
from engine import UsageError
from engine.errors import did_you_mean
from referee import BotCommand

SAMPLES = ("random", "greedy", "search")


def sample_command(name: str) -> BotCommand:
    """Return how a sample bot is started; raises UsageError for one that there is not."""
    if name not in SAMPLES:
        raise UsageError(
            f'there is no sample bot "{name}".{did_you_mean(name, SAMPLES)}'
            f" The sample bots are {', '.join(SAMPLES)}."
        )
    path = Path(sample_bots.__file__).parent / "python" / f"{name}_bot.py"
    return BotCommand((sys.executable, str(path)))


def split_command(text: str) -> tuple[str, ...]:
    """Split a command into words as a shell would; raises UsageError."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f'cannot read the command "{text}": {error}.') from None
