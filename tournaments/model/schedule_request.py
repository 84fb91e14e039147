"""What a schedule is asked for, and which requests make no sense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, log2
from typing import Final

from engine import UsageError, did_you_mean
from referee.model import Transport
from tournaments.model.entrant import Entrant
from tournaments.model.match import Seatings
from tournaments.model.stop_rule import StopRule


class Format(StrEnum):
    """Which tables there are."""

    ROUND_ROBIN = "round_robin"
    """All of them."""
    GAUNTLET = "gauntlet"
    """Those with the challenger."""
    COMPARISON = "comparison"
    """The challenger and the baseline play the same deals, until their difference is known."""
    SWISS = "swiss"
    """In each round entrants with similar scores meet."""
    KNOCK_OUT = "knock_out"
    """Who loses a series is out."""
    DOUBLE_KNOCK_OUT = "double_knock_out"
    """Who loses two series is out."""


KNOCK_OUTS: Final = (Format.KNOCK_OUT, Format.DOUBLE_KNOCK_OUT)
BY_ROUNDS: Final = (Format.SWISS, *KNOCK_OUTS)
"""The formats whose later rounds depend on the results of the earlier ones."""


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
    """Everything that a schedule is a function of, with the results where there are rounds.

    The order of names and sizes plays no part, but for the formats that have seeds.
    """

    entries: tuple[Entrant, ...]
    """In Swiss and knock-outs in the order of their seeds, the best one first."""
    games: tuple[GameRequest, ...]
    max_matches: int | None = None
    """Of all games together."""
    seatings: Seatings = Seatings.ROTATIONS
    format: Format = Format.ROUND_ROBIN
    challenger: str | None = None
    """Who sits at every table of a gauntlet, or is compared with the baseline."""
    baseline: str | None = None
    same_table: bool = False
    """Whether the challenger and the baseline meet, and do not take each other's place."""
    stop: StopRule | None = None
    """If there is one, the schedule grows until its question is settled."""
    separate_authors: bool = False
    """Whether entrants of one author never share a table; one without an author is on its own."""
    rounds: int | None = None
    """The rounds of a Swiss tournament; ``swiss_rounds`` returns what None means."""
    best_of: int = 1
    """How many sets a series of a knock-out has at most, unless it is level after them."""
    extra_sets: int = 2
    """How many sets more a level series has at most; then the better seed wins it."""
    third_place: bool = False
    """Whether the losers of a knock-out's semi-finals play for the third place."""

    @property
    def swiss_rounds(self) -> int:
        """The rounds of a Swiss tournament: enough for one perfect score at tables of two."""
        return self.rounds or max(3, ceil(log2(len(self.entries))))

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
    if request.format is Format.COMPARISON:
        _check_comparison(request)
    else:
        _check_format(request)
    if request.format in BY_ROUNDS:
        _check_rounds(request)


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
    if request.format != Format.GAUNTLET:
        if challenger is not None:
            raise UsageError(
                f'"{challenger}" is a challenger, but a '
                f"{request.format.value.replace('_', ' ')} has none: leave the challenger"
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


def _check_comparison(request: Request) -> None:
    kinds = [
        (asked.game, size, variant)
        for asked in request.games
        for size in asked.table_sizes
        for variant in asked.variants
    ]
    if len(kinds) != 1:
        raise UsageError("a comparison has one game, one table size and one variant.")
    if request.seatings is not Seatings.ROTATIONS:
        raise UsageError('a comparison plays every rotation: leave seatings = "all" out.')
    if request.max_matches is not None or request.separate_authors:
        raise UsageError("a comparison has neither max_matches nor separate_authors.")
    ((_, seats, _),) = kinds
    opponents, free = len(request.entries) - 2, seats - (2 if request.same_table else 1)
    if opponents < free:
        raise UsageError(
            f"a table of {seats} needs {free} opponents for the two that are compared, but there "
            f"are {opponents}: add entrants, or give a smaller table size."
        )
    if opponents and not free:
        raise UsageError(
            f"at a table of {seats} no seat is left for opponents: leave them out, or give a "
            "larger table size."
        )
    remote = [entry.name for entry in request.entries if entry.transport is Transport.REMOTE]
    if remote:
        raise UsageError(
            f'"{remote[0]}" is remote, but a comparison plays every deal several times: its '
            "entrants are bots that are started here."
        )


def _check_rounds(request: Request) -> None:
    """Refuse what does not go with rounds that depend on results."""
    name = request.format.value
    if request.max_matches is not None:
        raise UsageError(f"max_matches does not go with {name}, whose rounds are played whole.")
    if request.separate_authors:
        raise UsageError(f"separate_authors does not go with {name}: any two entrants may meet.")
    for asked in request.games:
        absent = [entry.name for entry in request.entries if not entry.plays(asked.game)]
        if absent:
            raise UsageError(
                f'"{absent[0]}" does not play {asked.game}, but in {name} every entrant plays '
                "every game."
            )
        if request.format in KNOCK_OUTS and asked.table_sizes != (2,):
            raise UsageError(f"a series of {name} is played at tables of two: table_sizes = [2].")
        if set(asked.table_sizes) != set(request.games[0].table_sizes):
            raise UsageError(f"in {name} every game has the same table_sizes.")
