"""How a run looks: a live panel in a terminal, and plain lines anywhere else."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable
from typing import Final, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from referee.record import printable
from tournaments.schedule import ScheduledMatch

LINE_SECONDS: Final = 10.0
"""How often a line is written where there is no terminal."""
SHOWN_TABLES: Final = 8
SHOWN_TROUBLES: Final = 5
MANY_TROUBLES: Final = 20
"""After so many of one cause, only their number is told."""


class _Tally:
    """What there is to tell."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._began = now()
        self.total = 0
        self.before = 0
        self.played = 0
        self.playing: dict[str, ScheduledMatch] = {}
        self.troubles: Counter[str] = Counter()

    def began(self, matches: int, played: int) -> None:
        self.total, self.before, self.played = matches, played, played
        self._began = self._now()

    @property
    def pace(self) -> float:
        """Matches per second in this run."""
        seconds = self._now() - self._began
        return (self.played - self.before) / seconds if seconds > 0 else 0.0

    def summary(self) -> str:
        """Return one line that says how it goes."""
        parts = [f"{self.played} of {self.total} matches"]
        if self.pace:
            left = (self.total - self.played) / self.pace
            parts += [f"{self.pace:.1f} a second", f"{duration(left)} left"]
        parts += [f"{cause}: {count}" for cause, count in sorted(self.troubles.items())]
        return ", ".join(parts)


class PlainDisplay:
    """Lines for a log."""

    def __init__(
        self, write: Callable[[str], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._write = write
        self._now = now
        self._tally = _Tally(now)
        self._last = now()

    def began(self, matches: int, played: int) -> None:
        """Say how much there is to do."""
        self._tally.began(matches, played)
        done = f", {played} of them played already" if played else ""
        self._write(f"{matches} matches{done}")

    def listening(self, address: str) -> None:
        """Say where remote bots dial in."""
        self._write(f"listening for remote bots on {address}")

    def table_began(self, match: ScheduledMatch) -> None:
        """Keep quiet: there are too many of them."""

    def table_ended(self, match: ScheduledMatch) -> None:
        """Keep quiet, likewise."""

    def committed(self, matches: int) -> None:
        """Say how it goes, now and then and at the end."""
        self._tally.played += matches
        over = self._tally.played == self._tally.total and matches
        if over or self._now() - self._last >= LINE_SECONDS:
            self._last = self._now()
            self._write(self._tally.summary())

    def trouble(self, cause: str, sentence: str) -> None:
        """Say what went wrong, but not a thousand times."""
        self._tally.troubles[cause] += 1
        if self._tally.troubles[cause] <= MANY_TROUBLES:
            self._write(printable(sentence))
        if self._tally.troubles[cause] == MANY_TROUBLES:
            self._write(f"further trouble caused by the {cause} is counted, but not told")

    def benched(self, sentence: str) -> None:
        """Say it in any case."""
        self._write(printable(sentence))


class LiveDisplay:
    """A panel that is drawn anew as things happen."""

    def __init__(self, console: Console) -> None:
        self._tally = _Tally(time.monotonic)
        self._address = ""
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

    def began(self, matches: int, played: int) -> None:
        """Note how much there is to do."""
        self._tally.began(matches, played)
        self._bar.update(self._task, total=matches, completed=played)

    def listening(self, address: str) -> None:
        """Note where remote bots dial in."""
        self._address = address

    def table_began(self, match: ScheduledMatch) -> None:
        """Note it."""
        self._tally.playing[match.id] = match

    def table_ended(self, match: ScheduledMatch) -> None:
        """Note it."""
        self._tally.playing.pop(match.id, None)

    def committed(self, matches: int) -> None:
        """Note it."""
        self._tally.played += matches
        self._bar.update(self._task, completed=self._tally.played)

    def trouble(self, cause: str, sentence: str) -> None:
        """Note it; the last few are shown."""
        self._tally.troubles[cause] += 1
        self._show(sentence)

    def benched(self, sentence: str) -> None:
        """Show it among the troubles."""
        self._show(sentence)

    def _show(self, sentence: str) -> None:
        self._recent = [*self._recent, printable(sentence)][-SHOWN_TROUBLES:]

    def _drawn(self) -> Group:
        lines = [Text(self._tally.summary())]
        if self._address:
            lines.append(Text(f"remote bots dial in at {self._address}"))
        playing = list(self._tally.playing.values())
        lines += [
            Text(f"  {match.game}, {match.variant}: {', '.join(match.entrants)}")
            for match in playing[:SHOWN_TABLES]
        ]
        if len(playing) > SHOWN_TABLES:
            lines.append(Text(f"  and {len(playing) - SHOWN_TABLES} more tables"))
        lines += [Text(sentence, style="yellow") for sentence in self._recent]
        return Group(self._bar, *lines)


def duration(seconds: float) -> str:
    """Write a duration as people say it."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 48 * 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole / 86400:.1f} days"
