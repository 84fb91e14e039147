"""The files in the folder of a tournament, how they are written, and how far it is."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine import UsageError
from referee.runtime import TEMPORARY, write_whole
from tournaments.export import csv_cell
from tournaments.model import GameSettings
from tournaments.store import StoreError


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is."""

    matches: int
    played: int
    sets: int
    complete_sets: int
    grows: bool = False
    """Whether more rounds follow when every scheduled match has been played."""

    @property
    def complete(self) -> bool:
        """Whether every match has been played, and no more follow."""
        return self.played == self.matches and not self.grows


def write_file(path: Path, data: bytes, *, durable: bool = True, private: bool = False) -> None:
    """Write a file so that it is there completely or not at all; raises StoreError."""
    try:
        write_whole(path, data, durable=durable, private=private)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}. What was committed is safe; put this right, "
            "and go on with `highstreet tournament resume`."
        ) from None


def clear_temporary(*folders: Path) -> None:
    """Remove what a program that was killed has left half written."""
    for folder in folders:
        for path in folder.glob(".*"):
            if TEMPORARY.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    path.unlink()


def make_folder(path: Path) -> None:
    """Make a folder unless it is there; raises UsageError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {path}: {error.strerror}.") from None


def json_bytes(value: object) -> bytes:
    """Return a value as JSON."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def csv_bytes(rows: Sequence[Sequence[object]]) -> bytes:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(csv_cell, row) for row in rows)
    return text.getvalue().encode()


def game_facts(games: Sequence[GameSettings]) -> dict[str, str]:
    """Return what is played, as facts: one game in several of them, several games in one each."""
    facts = {
        game.rules.spec.title: {
            "Rules": f"rules version {game.rules.spec.rules_version}",
            "Tables": ", ".join(f"{size} seats" for size in game.table_sizes),
            "Variants": ", ".join(game.variants),
            "Options": ", ".join(game.options_said()),
        }
        for game in games
    }
    if len(facts) > 1:
        return {title: "; ".join(filter(None, own.values())) for title, own in facts.items()}
    ((title, own),) = facts.items()
    named = {"Game": f"{title}, {own.pop('Rules')}"} | own
    return {label: text for label, text in named.items() if text}
