"""Observations of a bot under test: its decisions, faults and last messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

import orjson

from referee.match import Answer, Gone, Idle, StaleAnswer, Unreadable
from referee.record import printable
from referee.wire import find_codec

SHORT: Final = 160
"""The most characters of a line that are quoted."""


@dataclass(slots=True)
class ObservedDecision:
    """One decision that the bot was asked for, and its answer."""

    kind: str
    match: str
    decision: int
    limit: timedelta
    used: timedelta | None = None
    """How long the answer took; None without an answer."""
    gone: Gone | None = None
    """Why there was no answer."""
    last_messages: tuple[str, ...] = ()
    """The last messages of the bot, if there was no answer."""
    errors: Path | None = None
    """The file with its standard error, if there was no answer."""

    @property
    def late(self) -> bool:
        """Whether the answer was late."""
        return self.used is not None and self.used > self.limit


@dataclass(slots=True)
class Observations:
    """Everything that a check has observed of a bot."""

    echo: Callable[[str], None] = lambda _line: None
    asked: list[ObservedDecision] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """Unreadable messages and illegal moves."""
    stray_answers: list[str] = field(default_factory=list)
    """Answers to decisions that were not open."""
    last_messages: deque[str] = field(default_factory=lambda: deque(maxlen=3))
    """The last messages of the bot."""

    def sent(self, line: bytes) -> None:
        """Echo a message to the bot."""
        self.echo(f"→ {line.decode().strip()}")

    def received(self, text: str) -> None:
        """Record and echo a message from the bot."""
        self.last_messages.append(shortened(text))
        self.echo(f"← {printable(text)}")

    @property
    def answered(self) -> list[ObservedDecision]:
        """The decisions that were answered, in time or late."""
        return [asked for asked in self.asked if asked.used is not None]


def shortened(text: str) -> str:
    """Return text from a bot as one short line."""
    return printable(text, SHORT)


def as_line(answer: Answer, game: str) -> str:
    """Return the line of JSON for an answer."""
    if isinstance(answer, Gone):
        return f"({answer.detail})"
    if isinstance(answer, Unreadable):
        return answer.said
    if isinstance(answer, Idle):
        return ""
    if isinstance(answer, StaleAnswer):
        stray = {"match": answer.match, "decision_id": answer.decision, "move": "…"}
        return orjson.dumps({"submit_move": stray}).decode()
    move = {game: find_codec(game).move_fields(answer.move)}
    submitted = {"match": answer.match, "decision_id": answer.decision, "move": move}
    return orjson.dumps({"submit_move": submitted}).decode()
