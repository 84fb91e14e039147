"""What a schedule is asked for, and which requests make no sense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine import UsageError, did_you_mean
from tournaments.model.entrant import Entrant
from tournaments.model.match import Seatings


class Format(StrEnum):
    """Which tables there are: all of them, or those with the challenger."""

    ROUND_ROBIN = "round_robin"
    GAUNTLET = "gauntlet"


@dataclass(frozen=True, slots=True)
class GameRequest:
    """What is asked for of one game."""

    game: str
    table_sizes: tuple[int, ...]
    variants: tuple[str, ...]
    """By name; "plain" is the game without any."""
    sets_per_table: int = 1


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that a schedule is a function of; the order of names and sizes plays no part."""

    entries: tuple[Entrant, ...]
    games: tuple[GameRequest, ...]
    max_matches: int | None = None
    """Of all games together."""
    seatings: Seatings = Seatings.ROTATIONS
    format: Format = Format.ROUND_ROBIN
    challenger: str | None = None
    """Who sits at every table of a gauntlet."""
    separate_authors: bool = False
    """Whether entrants of one author never share a table; one without an author is on its own."""

    def circle(self, entry: Entrant) -> tuple[str, str]:
        """Return a key that is equal for entrants who may not share a table."""
        if self.separate_authors and entry.author:
            return "author", entry.author
        return "entrant", entry.name


def check_request(request: Request) -> None:
    """Refuse a request that cannot be met, and say what to change."""
    if not request.games:
        raise UsageError("there is no game to play: name at least one.")
    _refuse_twice("entrants", [entry.name for entry in request.entries])
    _refuse_twice("games", [asked.game for asked in request.games])
    for asked in request.games:
        _check_game(asked)
        _check_sizes(request, asked)
    _check_format(request)


def _refuse_twice(what: str, names: Sequence[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise UsageError(f'two {what} are called "{name}": each needs a name of its own.')


def _check_game(asked: GameRequest) -> None:
    if not asked.variants:
        raise UsageError('there is no variant to play: name at least one, such as "plain".')
    _refuse_twice("variants", asked.variants)
    if asked.sets_per_table < 1:
        raise UsageError(f"sets_per_table is {asked.sets_per_table}, but must be 1 or more.")


def _check_sizes(request: Request, asked: GameRequest) -> None:
    if not asked.table_sizes:
        raise UsageError("there is no table size: give at least one, such as 2.")
    entries = [entry for entry in request.entries if entry.plays(asked.game)]
    circles = len({request.circle(entry) for entry in entries})
    who = "entrants" if len(entries) == len(request.entries) else f"entrants that play {asked.game}"
    for size, times in sorted(Counter(asked.table_sizes).items()):
        if times > 1:
            raise UsageError(f"the table size {size} is given twice: give it once.")
        if size < 2:
            raise UsageError(f"{size} is no table size: it takes two to play.")
        if size > len(entries):
            raise UsageError(
                f"a table of {size} needs {size} {who}, but there are {len(entries)}:"
                " leave that table size out, or add entrants."
            )
        if size > circles:
            raise UsageError(
                f"no table of {size} is possible with separate_authors, because the entrants have"
                f" only {circles} authors: leave that table size out, or let bots of one author"
                " play each other."
            )


def _check_format(request: Request) -> None:
    challenger = request.challenger
    if request.format == Format.ROUND_ROBIN:
        if challenger is not None:
            raise UsageError(
                f'"{challenger}" is a challenger, but a round robin has none: leave the challenger'
                ' out, or make it a "gauntlet".'
            )
        return
    if challenger is None:
        raise UsageError("a gauntlet needs a challenger: name the entrant who meets all others.")
    entries = {entry.name: entry for entry in request.entries}
    if challenger not in entries:
        raise UsageError(
            f'the challenger "{challenger}" is not among the entrants.'
            f"{did_you_mean(challenger, entries)}"
        )
    for asked in request.games:
        if not entries[challenger].plays(asked.game):
            raise UsageError(
                f'the challenger "{challenger}" does not play {asked.game}, but it sits at every'
                " table of a gauntlet: leave that game out, or name another challenger."
            )
    for entry in request.entries:
        if entry.name != challenger and request.circle(entry) == request.circle(
            entries[challenger]
        ):
            raise UsageError(
                f'"{entry.name}" could never play: it has the same author as the challenger'
                f' "{challenger}", and separate_authors keeps them apart. Leave it out, or let'
                " bots of one author play each other."
            )
