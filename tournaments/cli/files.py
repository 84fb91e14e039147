"""What commands share: files, folders, a progress bar, the exit after Ctrl-C."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from engine import UsageError

if TYPE_CHECKING:
    from rich.progress import Progress

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as a shell has it."""
RECORDS: Final = ("*.jsonl", "*.jsonl.zst")
"""The names of record files."""


@contextmanager
def exit_when_interrupted(message: str = "interrupted; the bot was ended.") -> Iterator[None]:
    """End the program with a message and exit code 130 after Ctrl-C or a cancelled task."""
    try:
        yield
    except (KeyboardInterrupt, asyncio.CancelledError):
        click.echo(message, err=True)
        raise SystemExit(INTERRUPTED) from None


@contextmanager
def file_errors(task: str, path: object) -> Iterator[None]:
    """Turn an OSError into a UsageError, such as "cannot write FILE: No space left on device."."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot {task} {path}: {error.strerror}.") from None


def read_file(path: Path) -> bytes:
    """Return the bytes of a file; raises UsageError."""
    with file_errors("read", path):
        return path.read_bytes()


def refuse_existing(path: Path | None) -> None:
    """Raise UsageError if a file to be written exists."""
    if path is not None and path.exists():
        raise UsageError(f"{path} is there already: name another file.")


def make_folder(path: Path) -> Path:
    """Create a folder unless it exists; raises UsageError."""
    with file_errors("make the folder", path):
        path.mkdir(parents=True, exist_ok=True)
    return path


def records_in(folder: Path) -> list[Path]:
    """Return the records of a folder and its subfolders, sorted; raises UsageError for none."""
    found = [path for form in RECORDS for path in folder.rglob(form) if path.is_file()]
    if not found:
        raise UsageError(
            f"no records in {click.format_filename(folder)}: there is neither "
            f"{' nor '.join(RECORDS)} in it."
        )
    return sorted(found)


def progress_bar() -> Progress:
    """Return a progress bar on standard error, which vanishes at the end."""
    from rich.console import Console  # noqa: PLC0415  slow to load, and not needed for --help
    from rich.progress import Progress  # noqa: PLC0415

    return Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
