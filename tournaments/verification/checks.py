"""Verification of records, alike for files, tournaments and leagues.

Each record is played again, and what it shows is compared with what its source states.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from rich.console import Console
from rich.progress import Progress

from engine import HighstreetError
from referee.model import TimeControl
from referee.record import RecordError, Verified, decompressed, read_record, verify_whole
from tournaments.model import Result, Settings

FEW: Final = 50
"""This number of records is checked sooner than worker processes start."""

Task = tuple[str, Path | bytes]
"""What is printed of a record, and its file or its compressed bytes."""


class Problem(NamedTuple):
    """A record, a file or a document that is wrong."""

    where: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a verification."""

    records: int
    wrong: int
    """The number of records that are wrong."""
    problems: tuple[Problem, ...]
    summary: str


class Source(Protocol):
    """Where records come from, and what is stated about them beside them."""

    def __len__(self) -> int:
        """Return the number of records."""

    def tasks(self) -> Iterable[Task]:
        """Return the records."""

    def problems(self, where: str, verified: Verified) -> Iterable[str]:
        """Compare a record that is correct by itself with what is stated about it."""

    def conclude(self) -> Iterable[Problem]:
        """Check what does not concern a single record, after all of them."""

    @property
    def summary(self) -> str:
        """What has been checked if there is no problem; may be empty."""


def verify(source: Source, workers: int, console: Console) -> Report:
    """Check all records of a source, and all that it states about them."""
    problems: list[Problem] = []
    wrong = total = 0
    with _checked(source, workers) as found, _progress(console, len(source)) as progress:
        for where, verified in progress.track(found, len(source), description="records"):
            total += 1
            said = (
                [verified]
                if isinstance(verified, str)
                else list(dict.fromkeys(source.problems(where, verified)))
            )
            problems += [Problem(where, sentence) for sentence in said]
            wrong += bool(said)
    problems += source.conclude()
    return Report(total, wrong, tuple(problems), source.summary)


def result_of(verified: Verified) -> Result:
    """Return what a record shows of a scheduled match; raises RecordError."""
    summary, origin = verified.summary, verified.origin
    if origin is None:
        raise RecordError("the record does not say which match of a competition it is.", 1)
    if origin.match is None or origin.set_id is None or origin.variant is None:
        raise RecordError(f"{origin.kind} must have match, set and variant.", 1)
    return Result(
        origin.match,
        origin.set_id,
        summary.game,
        origin.variant,
        summary.entrants,
        summary.places,
        summary.scores,
        tuple(summary.forfeits),
        tuple(micro / 1_000_000 for micro in verified.used),
        summary.decisions,
    )


def differences(shown: Result, stated: Mapping[str, object], where: str) -> Iterator[str]:
    """Compare the fields of a result with what is stated of it."""
    for name, value in stated.items():
        if getattr(shown, name) != value:
            yield f"{name} is {value} in {where}, but the record gives {getattr(shown, name)}."


def settings_problems(
    verified: Verified, shown: Result, settings: Settings, control: TimeControl, kind: str
) -> Iterator[str]:
    """Compare the options, the time control and the policy of a record with what is right."""
    game = next((each for each in settings.games if each.game == shown.game), None)
    if game is None or shown.variant not in game.variants:
        yield f"{shown.game}, {shown.variant} is not played in the {kind}."
    elif verified.options != dict(game.options_of(shown.variant, shown.seats)):
        yield "the options of the record are not those of its variant."
    if verified.terms != (control, settings.policy):
        yield f"time control and policy are not those of the {kind}."


# Playing records again, here or in processes ------------------------------------------------------


@contextmanager
def _checked(source: Source, workers: int) -> Iterator[Iterator[tuple[str, Verified | str]]]:
    if len(source) <= FEW or workers == 1:
        yield map(_check, source.tasks())
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _ignore_interrupts)
    try:
        yield pool.map(_check, source.tasks(), chunksize=8)
    except BrokenProcessPool:
        raise HighstreetError("a worker process died; try again with --workers 1.") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that prints."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _check(task: Task) -> tuple[str, Verified | str]:
    """Play a record again; return what it shows, or what is wrong with it."""
    where, record = task
    try:
        data = read_record(record) if isinstance(record, Path) else decompressed(record)
        return where, verify_whole(data)
    except HighstreetError as error:
        return where, str(error)


def _progress(console: Console, total: int) -> Progress:
    shown = total > FEW and console.is_terminal
    return Progress(console=console, transient=True, disable=not shown)
