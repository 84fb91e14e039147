"""The progress of a run: a live panel in a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, Self

import click
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from referee.record import printable
from tournaments.model import ScheduledMatch
from tournaments.runner import ProgressListener

LINE_SECONDS: Final = 10.0
"""The interval between lines of progress."""
SHOWN_TABLES: Final = 8
SHOWN_TROUBLES: Final = 5
LONGEST_STATUS: Final = 1000
MANY_TROUBLES: Final = 20
"""After this number of incidents of one cause, only their number is shown."""


class _Display:
    """The counts that both displays show; a ``ProgressListener`` of a run."""

    def __init__(self, now: Callable[[], float], status: Callable[[], str] = str) -> None:
        """Take a function that says how far a tournament is from its answer, if it asks for one."""
        self._now = now
        self._ask = status
        self._status = ""
        self._start = now()
        self._total = 0
        self._played_before = 0
        self._played = 0
        self._workers: int | None = None
        """How many workers of a cluster there are."""
        self._troubles: Counter[str] = Counter()

    def began(self, matches: int, played: int) -> None:
        """Set the number of matches, and how many of them were played in earlier runs."""
        self._total, self._played_before, self._played = matches, played, played
        self._start = self._now()

    def grew(self, matches: int) -> None:
        """Count the matches of the next round, and ask how far the tournament is."""
        self._total += matches
        self._status = printable(self._ask(), LONGEST_STATUS)

    def table_began(self, match: ScheduledMatch) -> None:
        """Ignore the start of a match."""

    def table_ended(self, match: ScheduledMatch) -> None:
        """Ignore the end of a match."""

    def committed(self, matches: int) -> None:
        """Count finished matches."""
        self._played += matches

    def workers(self, number: int) -> None:
        """Set the number of workers of a cluster."""
        self._workers = number

    def trouble(self, cause: str, sentence: str) -> None:  # noqa: ARG002  shown by subclasses
        """Count an incident by its cause."""
        self._troubles[cause] += 1

    def _summary(self) -> str:
        """Return progress, speed, remaining time and incidents in one line."""
        parts = [f"{self._played} of {self._total} matches"]
        seconds = self._now() - self._start
        if seconds > 0 and (pace := (self._played - self._played_before) / seconds):
            left = (self._total - self._played) / pace
            parts += [f"{pace:.1f} a second", f"{duration(left)} left"]
        if self._workers is not None:
            parts.append(f"{self._workers} worker{'s' if self._workers != 1 else ''}")
        parts += [f"{cause}: {count}" for cause, count in sorted(self._troubles.items())]
        return ", ".join(parts)


class PlainDisplay(_Display):
    """Lines for a log."""

    def __init__(
        self,
        write: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
        status: Callable[[], str] = str,
    ) -> None:
        super().__init__(now, status)
        self._write = write
        self._last = now()

    def began(self, matches: int, played: int) -> None:
        """Write the number of matches."""
        super().began(matches, played)
        done = f", {played} of them played already" if played else ""
        self._write(f"{matches} matches{done}")

    def grew(self, matches: int) -> None:
        """Write how far the tournament is before its next round."""
        super().grew(matches)
        if self._status:
            self._write(self._status)

    def listening(self, address: str) -> None:
        """Write the address for remote bots."""
        self._write(f"listening for remote bots on {address}")

    def committed(self, matches: int) -> None:
        """Write the progress at intervals and at the end."""
        super().committed(matches)
        over = self._played == self._total and matches
        if over or self._now() - self._last >= LINE_SECONDS:
            self._last = self._now()
            self._write(self._summary())

    def trouble(self, cause: str, sentence: str) -> None:
        """Write an incident, up to a number of incidents of one cause."""
        super().trouble(cause, sentence)
        if self._troubles[cause] <= MANY_TROUBLES:
            self._write(printable(sentence))
        if self._troubles[cause] == MANY_TROUBLES:
            self._write(f"further trouble caused by the {cause} is counted, but not shown")

    def note(self, sentence: str) -> None:
        """Write a sentence about the workers."""
        self._write(printable(sentence))

    def benched(self, sentence: str) -> None:
        """Write that an entrant was benched."""
        self._write(printable(sentence))


class LiveDisplay(_Display):
    """A panel in a terminal, drawn four times a second."""

    def __init__(self, console: Console, status: Callable[[], str] = str) -> None:
        super().__init__(time.monotonic, status)
        self._address = ""
        self._playing: dict[str, ScheduledMatch] = {}
        self._recent: list[str] = []
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=console
        )
        self._task = self._bar.add_task("matches", total=None)
        self._live = Live(get_renderable=self._drawn, console=console, refresh_per_second=4)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_error: object) -> None:
        with contextlib.suppress(OSError):  # the terminal was closed
            self._live.stop()

    def listening(self, address: str) -> None:
        """Show the address for remote bots."""
        self._address = address

    def table_began(self, match: ScheduledMatch) -> None:
        """Show a match among those that are being played."""
        self._playing[match.id] = match

    def table_ended(self, match: ScheduledMatch) -> None:
        """Remove a match from those that are being played."""
        self._playing.pop(match.id, None)

    def trouble(self, cause: str, sentence: str) -> None:
        """Show an incident among the latest ones."""
        super().trouble(cause, sentence)
        self.benched(sentence)

    def note(self, sentence: str) -> None:
        """Show a sentence about the workers, above the panel."""
        self._live.console.print(Text(printable(sentence)))

    def benched(self, sentence: str) -> None:
        """Show that an entrant was benched, among the latest incidents."""
        self._recent = [*self._recent, printable(sentence)][-SHOWN_TROUBLES:]

    def _drawn(self) -> Group:
        self._bar.update(self._task, total=self._total or None, completed=self._played)
        lines = [Text(line) for line in (self._status, self._summary()) if line]
        if self._address:
            lines.append(Text(f"remote bots connect to {self._address}"))
        playing = list(self._playing.values())
        lines += [
            Text(f"  {match.game}, {match.variant}: {', '.join(match.entrants)}")
            for match in playing[:SHOWN_TABLES]
        ]
        if len(playing) > SHOWN_TABLES:
            lines.append(Text(f"  and {len(playing) - SHOWN_TABLES} more tables"))
        lines += [Text(sentence, style="yellow") for sentence in self._recent]
        return Group(self._bar, *lines)


@contextlib.contextmanager
def progress_display(status: Callable[[], str] = str) -> Iterator[ProgressListener]:
    """Show the progress of a run on standard error, live if that is a terminal."""
    console = Console(stderr=True)
    if console.is_terminal:
        with LiveDisplay(console, status) as live:
            yield live
    else:
        yield PlainDisplay(log, status=status)


def log(line: str) -> None:
    """Write a line to standard error; a closed standard error does not end the run."""
    try:
        click.echo(line, err=True)
    except OSError:
        # The rest of the buffer would fail again when the program ends.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def duration(seconds: float) -> str:
    """Return a duration as text, in the two largest units."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 48 * 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole / 86400:.1f} days"
