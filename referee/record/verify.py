"""Checking records by playing their matches again, and replaying them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from engine import (
    AnyGame,
    Event,
    NotationError,
    Options,
    OptionValue,
    Seat,
    Seed,
    UsageError,
    find_game,
    seed_from_text,
)
from referee.record.about import check_about
from referee.record.format import (
    FULL_HASH,
    STOPPED,
    RecordError,
    commitment,
    places_with_forfeits,
)
from referee.record.reader import Line, Origin, Reading, check_format, origin_of
from referee.record.rulings import Asked, Rulings, microseconds
from referee.record.terms import Terms, read_terms


class Summary(NamedTuple):
    """The summary of a correct record."""

    match: str
    game: str
    entrants: tuple[str, ...]
    decisions: int
    ending: str
    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeits: tuple[Seat, ...]


class Played(NamedTuple):
    """One decision as it was recorded."""

    n: int
    seat: Seat
    move: str
    ms: float
    legal: int
    asked: bool
    """Whether the seat was asked, unless it had forfeited."""
    verdicts: Sequence[Mapping[str, Any]]


class Position(NamedTuple):
    """The state after a number of decisions, and the last of them.

    Sealed decisions take effect together: until the last one is there, the state stays the same.
    """

    state: Any
    played: Played | None
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Replay:
    """A record as positions: ``positions[k]`` is the one after k decisions."""

    match: str
    game: AnyGame
    options: Options
    entrants: tuple[str, ...]
    positions: Sequence[Position]
    summary: Summary | None
    problem: RecordError | None
    """Why the positions end early, or why the end is wrong."""
    head: Line
    deal: Line
    causes: Sequence[Mapping[str, Any]] = ()
    """Why seats forfeited or the match was stopped, as the last line states it."""


class _Head(NamedTuple):
    match: str
    game: AnyGame
    options: Options
    entrants: tuple[str, ...]
    commitment: str
    packages: tuple[str, ...]


class Verified(NamedTuple):
    """A correct record."""

    summary: Summary
    origin: Origin | None
    options: dict[str, OptionValue]
    """All of them, also those that the record leaves at their defaults."""
    seed: str
    """In hexadecimal digits, as the salt."""
    salt: str
    used: tuple[int, ...]
    """The microseconds that each seat used in all."""
    terms: Terms
    packages: tuple[str, ...]
    """The SHA-256 of the package of each seat; empty for a bot that comes from none."""


def verify_record(data: bytes) -> Summary:
    """Check everything, by playing the match again; raises RecordError for the first wrong line."""
    return verify_whole(data).summary


def verify_whole(data: bytes) -> Verified:
    """Check everything, and return what the head and the deal state; raises RecordError."""
    reading = Reading(data, check_hashes=True)
    first = reading.line("head")
    head, terms = _head(first), read_terms(first)
    origin = origin_of(first)
    check_about(first, origin, head.game.spec, head.options)
    deal = reading.line("deal")
    match = _Match(head.game, head.options, _seed(deal, head, trust=False))
    rulings = Rulings(head.game, terms, match.seats)
    while (line := reading.line("decision", "end")).fields["kind"] == "decision":
        match.decide(line)
        rulings.decide(match.decisions[-1])
    forfeits = rulings.forfeits(line, match.decisions)
    summary = _summary(line, head, match, forfeits)
    reading.finish()
    return Verified(
        summary,
        origin,
        dict(head.options),
        deal.text("seed"),
        deal.text("salt"),
        match.used(),
        terms,
        head.packages,
    )


def replay_record(data: bytes) -> Replay:
    """Return the positions of a record, as far as they go.

    Neither hashes nor verdicts, clocks and causes are checked: ``verify_record`` does that.
    """
    reading = Reading(data, check_hashes=False)
    first = reading.line("head")
    head = _head(first)
    deal = reading.line("deal")
    match = _Match(head.game, head.options, _seed(deal, head, trust=True))
    positions = [match.dealt]
    summary = problem = None
    causes: Sequence[Mapping[str, Any]] = ()
    try:
        while (line := reading.line("decision", "end")).fields["kind"] == "decision":
            positions.append(match.decide(line))
        causes = line.mappings("causes")
        summary = _summary(line, head, match, _stated_forfeits(line, match))
    except RecordError as error:
        problem = error
    return Replay(
        head.match,
        head.game,
        head.options,
        head.entrants,
        positions,
        summary,
        problem,
        first,
        deal,
        causes,
    )


def _head(line: Line) -> _Head:
    check_format(line)
    try:
        game = find_game(line.text("game"))
        stated = line.mapping("options")
        given = {name: value for name, value in stated.items() if name != "seats"}
        options = game.spec.options(stated.get("seats", 0), given)
    except UsageError as error:
        raise line.wrong(str(error)) from None
    version = line.text("rules_version")
    if version != game.spec.rules_version:
        raise line.wrong(
            f'rules_version is "{version}"; this program plays {game.spec.title} by '
            f'version "{game.spec.rules_version}".'
        )
    line.mapping("time_control")
    line.mapping("policy")
    return _Head(
        line.text("match"),
        game,
        options,
        _entrants(line, options),
        line.hexadecimal("commitment", FULL_HASH),
        tuple(_package(Line(line.number, fields)) for fields in line.mappings("seats")),
    )


def _package(seat: Line) -> str:
    """Return the hash of the package of a seat; empty if it has none."""
    return seat.hexadecimal("package", FULL_HASH) if "package" in seat.fields else ""


def _entrants(line: Line, options: Options) -> tuple[str, ...]:
    seats = line.mappings("seats")
    if len(seats) != options.seats:
        raise line.wrong(f"seats has {len(seats)} entries for {options.seats} seats.")
    # Games with coloured pawns have an option that says whose is which.
    for colour, fields in zip(str(options.get("colours", "")), seats, strict=False):
        if fields.get("colour", colour) != colour:
            raise line.wrong("the colours of the seats are not those of the options.")
    return tuple(Line(line.number, fields).text("entrant") for fields in seats)


def _seed(line: Line, head: _Head, *, trust: bool) -> Seed:
    seed = seed_from_text(line.hexadecimal("seed", FULL_HASH))
    committed = commitment(seed, bytes.fromhex(line.hexadecimal("salt")))
    if committed != head.commitment and not trust:
        raise line.wrong(
            f"the commitment of line 1 is {head.commitment}, but seed and salt give {committed}."
        )
    for key, dealt in head.game.describe_deal(head.options, seed).items():
        if key not in line.fields:
            raise line.wrong(f"{key} is missing.")
        if orjson.dumps(line.fields[key]) != orjson.dumps(dealt):
            raise line.wrong(f"{key} is not what the seed gives.")
    return seed


class _Match:
    """A match that is played again from its record."""

    def __init__(self, game: AnyGame, options: Options, seed: Seed) -> None:
        transition = game.deal(options, seed)
        self.game = game
        self.seats = options.seats
        self.state = transition.state
        self.dealt = Position(self.state, None, transition.events)
        self.decisions: list[Asked] = []
        self._groups = 1
        self._sealed: dict[Seat, Any] = {}
        self._to_act = sorted(game.to_act(self.state))

    def decide(self, line: Line) -> Position:
        """Check one decision, and play it."""
        seat = self._seat(line)
        legal, ms = self._legal(line, seat), line.milliseconds()
        asked = self._asked(line, seat, legal)
        move = self._move(line, seat)
        verdicts = line.mappings("verdicts") if "verdicts" in line.fields else ()
        n = len(self.decisions) + 1
        self.decisions.append(
            Asked(line, n, seat, self.state, move, legal, asked, ms, verdicts, self._groups)
        )
        self._sealed[seat] = move
        played = Played(n, seat, line.fields["move"], ms, legal, asked, verdicts)
        if len(self._sealed) < len(self._to_act):
            return Position(self.state, played, ())
        transition = self.game.apply(self.state, self._sealed)
        self.state = transition.state
        self._sealed = {}
        self._groups += 1
        self._to_act = sorted(self.game.to_act(self.state))
        return Position(self.state, played, transition.events)

    def used(self) -> tuple[int, ...]:
        """Return the microseconds that each seat used in all."""
        used = [0] * self.seats
        for asked in self.decisions:
            used[asked.seat] += microseconds(asked.ms)
        return tuple(used)

    def _seat(self, line: Line) -> Seat:
        n, seat = line.whole("n"), line.whole("seat")
        if n != len(self.decisions) + 1:
            raise line.wrong(f"n is {n}, but this is decision {len(self.decisions) + 1}.")
        if not self._to_act:
            raise line.wrong("the game is over, but a decision follows.")
        expected = self._to_act[len(self._sealed)]
        if seat != expected:
            raise line.wrong(f"seat is {seat}, but seat {expected} decides here.")
        return expected

    def _legal(self, line: Line, seat: Seat) -> int:
        legal, right = line.whole("legal"), len(self.game.legal_moves(self.state, seat))
        if legal != right:
            raise line.wrong(f"legal is {legal}, but the number of legal moves is {right}.")
        return legal

    def _asked(self, line: Line, seat: Seat, legal: int) -> bool:
        """Return whether a seat was asked; older programs never asked for a forced move."""
        if "asked" not in line.fields:
            return legal > 1
        if line.fields["asked"] is not True:
            raise line.wrong("asked is not true.")
        if legal > 1 or not self.game.secretly_forced(self.state, seat):
            raise line.wrong("asked is only for a forced move that looks like a choice.")
        return True

    def _move(self, line: Line, seat: Seat) -> Any:
        text = line.text("move")
        try:
            move = self.game.parse_move(text)
        except NotationError as error:
            raise line.wrong(str(error)) from None
        if violation := self.game.check(self.state, seat, move):
            raise line.wrong(f'"{text}" is illegal: {violation.message} ({violation.rule})')
        if self.game.format_move(move) != text:
            raise line.wrong(f'"{text}" must be written "{self.game.format_move(move)}".')
        return move


def _summary(line: Line, head: _Head, match: _Match, forfeits: Sequence[Seat]) -> Summary:
    """Check the last line against the game that was played again."""
    ending = line.text("ending")
    scores, places = line.wholes("scores"), line.wholes("places")
    outcome = match.game.outcome(match.state)
    if ending == STOPPED:
        if outcome is not None:
            raise line.wrong("ending is stopped, but the game was played to its end.")
        _check(line, "scores", scores, [])
        _check_tiebreaks(line, ())
        _check(line, "places", places, [])
    else:
        if outcome is None:
            raise line.wrong("the match ends here, but the game goes on.")
        _check(line, "ending", ending, str(outcome.ending))
        _check(line, "scores", scores, list(outcome.scores))
        _check_tiebreaks(line, outcome.tiebreaks)
        right_places = places_with_forfeits(outcome.scores, forfeits, outcome.tiebreaks)
        _check(line, "places", places, right_places)
    return Summary(
        head.match,
        head.game.spec.name,
        head.entrants,
        len(match.decisions),
        ending,
        tuple(scores),
        tuple(places),
        tuple(forfeits),
    )


def _check_tiebreaks(line: Line, right: Sequence[tuple[int, ...]]) -> None:
    """Compare what decided between equal scores; a game without tie-breaks has no such key."""
    key = "tiebreaks"
    if right:
        _check(line, key, line.lists_of_wholes(key), list(map(list, right)))
    elif key in line.fields:
        raise line.wrong(f"{key} must not be here: nothing decides between equal scores.")


def _check(line: Line, key: str, found: object, right: object) -> None:
    if found != right:
        raise line.wrong(f"{key} is {found}, but the game gives {right}.")


def _stated_forfeits(line: Line, match: _Match) -> list[Seat]:
    """Return the forfeits that the last line states."""
    forfeits = [Seat(seat) for seat in line.wholes("forfeits")]
    if len(set(forfeits)) != len(forfeits) or not set(forfeits) <= set(range(match.seats)):
        raise line.wrong("forfeits must be different seats of the table.")
    return forfeits
