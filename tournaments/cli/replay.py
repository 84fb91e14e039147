"""``highstreet replay``: step through a recorded match."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import termios
import tty
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from engine import Seat, UsageError
from referee.record import Played, RecordError, Replay, printable, read_record, replay_record
from referee.runtime import write_whole
from tournaments.cli.files import file_errors
from tournaments.cli.options import FILE, read_seat
from tournaments.replay import find_presentation, replay_document, replay_html

_HELP = "n forwards, b back, f first, l last, a number and Enter jumps, q quits"
_KEYS = re.compile(r"\x1b[\[O][A-D]|.", re.DOTALL)
_FORWARDS = ("n", " ", "\r", "\n", "\x1b[C", "\x1bOC")
_BACK = ("b", "\x1b[D", "\x1bOD")
_QUIT = ("q", "\x03", "\x04")
_ERASE = ("\x7f", "\x08")


@click.command("replay")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("everything", "--all", is_flag=True, help="Print every position, without a prompt.")
@click.option(
    "--at",
    type=click.IntRange(min=1),
    metavar="N",
    help="Print the position before decision N only.",
)
@click.option(
    "--viewer",
    default="spectator",
    show_default=True,
    metavar="SEAT",
    help="Whose view is shown: a seat number, spectator, or everything.",
)
@click.option(
    "page",
    "--html",
    type=FILE,
    metavar="OUT",
    help="Write one HTML file with a drawn board and every view instead.",
)
def command(
    path: Path,
    everything: bool,  # noqa: FBT001  click passes by name
    at: int | None,
    viewer: str,
    page: Path | None,
) -> None:
    """Step through a recorded match.

    Keys: n, space, Enter or → forwards; b or ← back; f first; l last; a number and Enter jumps
    to the position after that decision; q quits. Without a terminal every position is printed.
    A secret move is covered unless --viewer is its seat or everything. The moves are checked
    against the rules; `highstreet verify` also checks the hashes.

    \b
    Examples:
      highstreet replay m1.jsonl
      highstreet replay m1.jsonl --at 17 --viewer 2
      highstreet replay m1.jsonl --viewer everything
      highstreet replay m1.jsonl --html m1.html
    """  # noqa: D301  click's mark for "keep the lines"
    if page is not None:
        _write_page(path, page)
        return
    with _naming(path):
        replay = replay_record(read_record(path))
    shown = _Shown(replay, click.format_filename(path), _viewpoint(viewer, replay))
    if at is not None:
        if at > shown.last + 1:
            raise UsageError(f"there is no decision {at}: the match has {shown.last} decisions.")
        click.echo(shown.page(at - 1))
    elif everything or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for decisions in range(shown.last + 1):
            click.echo(f"{shown.page(decisions)}\n")
        if replay.problem is not None:
            raise click.exceptions.Exit(1)
    else:
        _step_through(shown)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Add the name of the file to errors in its record."""
    try:
        yield
    except RecordError as error:
        raise UsageError(f"{click.format_filename(path)}: {error}") from None


def _write_page(path: Path, page: Path) -> None:
    with _naming(path):
        document = replay_document(read_record(path))
    with file_errors("write", page):
        write_whole(page, replay_html(document).encode())
    click.echo(f"{page}: {len(document['frames']) - 1} decisions; open it in a browser.")
    if document["problem"]:
        name = click.format_filename(path)
        click.echo(
            f"the page ends where the record is wrong: {name}: {document['problem']}", err=True
        )
        raise click.exceptions.Exit(1)


@dataclass(frozen=True, slots=True)
class _Viewpoint:
    """Whose view is shown."""

    viewers: tuple[Seat | None, ...]
    """The seats whose views are printed; None is a spectator."""
    knows_all: bool = False

    def knows(self, seat: Seat) -> bool:
        """Return whether secret moves of a seat are shown."""
        return self.knows_all or self.viewers == (seat,)


def _viewpoint(text: str, replay: Replay) -> _Viewpoint:
    seats = replay.options.seats
    if text == "spectator":
        return _Viewpoint((None,))
    if text == "everything":
        return _Viewpoint(tuple(map(Seat, range(seats))), knows_all=True)
    return _Viewpoint((read_seat(text, seats, "spectator", "everything"),))


@dataclass(frozen=True, slots=True)
class _Shown:
    """A replay as text."""

    replay: Replay
    file: str
    viewpoint: _Viewpoint

    @property
    def last(self) -> int:
        """The number of decisions."""
        return len(self.replay.positions) - 1

    def page(self, decisions: int) -> str:
        """Return the position after a number of decisions, with the last decision."""
        position = self.replay.positions[decisions]
        title = f"match {printable(self.replay.match)}, after {decisions} of {self.last} decisions"
        lines = [title, *self._played(position.played)]
        lines += ["", *self._boards(position.state)]
        lines += self._end() if decisions == self.last else [self._next(decisions)]
        return "\n".join(lines)

    def _boards(self, state: object) -> Iterator[str]:
        """Return the position in each of the views that are printed."""
        game = self.replay.game
        for viewer in self.viewpoint.viewers:
            if self.viewpoint.knows_all and viewer is not None:
                yield f"what {self._name(viewer)} knows:\n"
            yield f"{game.render(game.view(state, viewer))}\n"

    def _played(self, played: Played | None) -> list[str]:
        """Return the lines of a decision; of a secret move only its public part."""
        if played is None:
            return ["the deal"]
        covered = self._covered(played) is not None
        how = "forced" if played.legal == 1 else f"in {played.ms} ms, one of {played.legal} moves"
        how = f"in {played.ms} ms" if covered else how
        verdicts = [_public(verdict) if covered else verdict for verdict in played.verdicts]
        return [
            f"decision {played.n}: {self._name(played.seat)} played {self._move(played)}, {how}",
            *(f"  verdict: {_text(verdict)}" for verdict in verdicts),
        ]

    def _move(self, played: Played) -> str:
        covered = self._covered(played)
        return f'"{played.move}"' if covered is None else f"{covered} (covered)"

    def _covered(self, played: Played) -> str | None:
        """Return the public description of a move that the viewer may not see, or None."""
        game = self.replay.game
        presentation = find_presentation(game.spec.name)
        if presentation is None or self.viewpoint.knows(played.seat):
            return None
        return presentation.covered(game.parse_move(played.move))

    def _next(self, decisions: int) -> str:
        following = self.replay.positions[decisions + 1].played
        assert following is not None  # noqa: S101  only the deal has none
        return f"next: {self._name(following.seat)} plays {self._move(following)}"

    def _end(self) -> list[str]:
        if self.replay.problem is not None:
            return [f"the record is wrong from here on: {self.file}: {self.replay.problem}"]
        end = self.replay.summary
        assert end is not None  # noqa: S101  without a problem there is an end
        lines = [f"the match ended: {end.ending}"]
        for seat, (score, place) in enumerate(zip(end.scores, end.places, strict=True)):
            lines.append(f"{self._name(Seat(seat))}: {score} points, place {place}")
        return lines

    def _name(self, seat: Seat) -> str:
        return f"seat {seat} ({printable(self.replay.entrants[seat])})"


def _public(verdict: Mapping[str, object]) -> Mapping[str, object]:
    """Return the public part of a verdict: the detail may name the secret move."""
    return {key: verdict[key] for key in ("fault", "reaction") if key in verdict}


def _text(verdict: object) -> str:
    fields = verdict.items() if isinstance(verdict, dict) else ()
    return printable(", ".join(f"{key} {value}" for key, value in fields))


def _step_through(shown: _Shown) -> None:
    decisions, number = 0, ""
    with _terminal() as keys, contextlib.suppress(KeyboardInterrupt):
        _show(shown, decisions, number)
        for key in keys:
            if key in _QUIT:
                break
            decisions, number = _moved(key, decisions, number, shown.last)
            _show(shown, decisions, number)
    click.echo()


def _moved(key: str, decisions: int, number: str, last: int) -> tuple[int, str]:
    """Return the position after a key, and the number typed so far."""
    if key.isascii() and key.isdigit():
        return decisions, (number + key)[-6:]
    if number and key in _ERASE:
        return decisions, number[:-1]
    if number and key in ("\r", "\n"):
        return min(int(number), last), ""
    if key in _FORWARDS:
        return min(decisions + 1, last), ""
    if key in _BACK:
        return max(decisions - 1, 0), ""
    return {"f": 0, "l": last}.get(key, decisions), ""


def _show(shown: _Shown, decisions: int, number: str) -> None:
    click.clear()
    click.echo(shown.page(decisions))
    click.echo(f"\n{_HELP}: {number}", nl=False)


@contextlib.contextmanager
def _terminal() -> Iterator[Iterator[str]]:
    """Yield the pressed keys one by one, and restore the terminal at the end."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        yield _keys(terminal)
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _keys(terminal: int) -> Iterator[str]:
    """Yield keys until the terminal is closed."""
    with contextlib.suppress(OSError):
        while typed := os.read(terminal, 64):
            yield from _KEYS.findall(typed.decode("utf-8", "replace"))
