"""Where the time of one decision goes: engine, view, codec, transport, clock, record, and the rest.

Each part is timed by itself, over the positions of random games, on the values that the referee
would have. Forced moves are not asked, but their cost is in the decisions that are. The transport
is what a bare echo costs the referee's process, asked in turn as the bots are and scheduled as the
referee is; the whole is what that process spends on a decision at four tables. What the parts do
not explain is the table and the event loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from benchmarks import codec, referee
from benchmarks.measuring import Asked, Chapter, Contestant, Figure, Sample
from benchmarks.questions import GAME, OPTIONS, plan, questions
from engine import Chance, seed_from_text
from referee.model import Clock
from referee.record import Recorder

TABLES = 4
MICROS = "µs"
GRPC, PIPE, INSIDE = "gRPC µs", "pipe µs", "in process µs"
FRESH = count(10_000)
WHOLE = {GRPC: referee.grpc_bots_apart, PIPE: referee.pipe_bots, INSIDE: referee.in_process}
BARE: dict[str, Callable[[int, float], Any]] = {
    GRPC: referee.grpc_echo_in_turn,
    PIPE: referee.pipe_echo_in_turn,
}


class Turn(NamedTuple):
    """A decision as it was made."""

    state: Any
    seats: Sequence[Any]
    moves: dict[Any, Any]
    asked: int
    """How many of the seats had a choice."""


def measure(asked: Asked) -> Chapter:
    """Time every part in turn, and the whole."""
    chapter = Chapter(
        "breakdown",
        "Where the time of one decision goes",
        "Microseconds of the referee's process for each decision that is asked; Glastonbury, two "
        "seats, four tables, a process for each bot.",
    )
    games, seconds = asked.choose(6, 20), asked.seconds(0.7, 2.0)
    parts: dict[str, Contestant] = {
        "engine": partial(_engine, games),
        "view": partial(_view, games),
        "decision as gRPC message": partial(_codec, "decision as gRPC message", games),
        "answer read from gRPC": partial(_codec, "answer read from gRPC", games),
        "decision as JSON": partial(_codec, "decision as JSON", games),
        "answer read from JSON": partial(_codec, "answer read from JSON", games),
        "clock": partial(_clock, games),
        "record": partial(_record, games),
    }
    for what, work in BARE.items():
        parts[f"bare {what}"] = partial(_cpu, work, seconds)
    for what, whole in WHOLE.items():
        parts[f"whole {what}"] = partial(_cpu, whole, seconds)
    chapter.take_turns(parts, asked.how_often(3, 5))
    chapter.rows = _by_transport(chapter)
    return chapter


def _by_transport(chapter: Chapter) -> dict[str, dict[str, Figure]]:
    """Lay the parts out with a column for each transport, and put what is left in a row."""
    found = {name: row[MICROS] for name, row in chapter.rows.items()}
    ways = (GRPC, PIPE, INSIDE)
    rows: dict[str, dict[str, Figure]] = {
        "engine: legal moves, check, apply": dict.fromkeys(ways, found["engine"]),
        "view": dict.fromkeys(ways, found["view"]),
        "codec: make the decision": {
            GRPC: found["decision as gRPC message"],
            PIPE: found["decision as JSON"],
        },
        "codec: read the answer": {
            GRPC: found["answer read from gRPC"],
            PIPE: found["answer read from JSON"],
        },
        "clock": dict.fromkeys(ways, found["clock"]),
        "record": dict.fromkeys(ways, found["record"]),
        "transport (bare echo)": {way: found[f"bare {way}"] for way in BARE},
    }
    whole = {way: found[f"whole {way}"] for way in ways}
    known = {way: sum(row[way].median for row in rows.values() if way in row) for way in ways}
    rows["table and event loop (what is left)"] = {
        way: Figure.of([max(0.0, whole[way].median - known[way])]) for way in ways
    }
    rows["the whole decision, measured"] = whole
    return rows


def _cpu(work: Callable[[int, float], Any], seconds: float) -> Sample:
    return {MICROS: referee.run(work, TABLES, seconds)[referee.CPU]}


def _codec(what: str, games: int) -> Sample:
    found = list(questions(games=games, first=next(FRESH) * games))
    return {MICROS: codec.JOBS[what](found)[codec.MICROS]}


def _turns(games: int) -> list[list[Turn]]:
    """Play games at random and return them turn by turn."""
    found = []
    for number in range(games):
        seed = seed_from_text(str(number))
        state, chance, turns = GAME.deal(OPTIONS, seed).state, Chance(seed, "bench"), []
        while seats := GAME.to_act(state):
            legal = {seat: GAME.legal_moves(state, seat) for seat in seats}
            moves = {seat: each[chance.below(len(each))] for seat, each in legal.items()}
            asked = sum(len(each) > 1 for each in legal.values())
            turns.append(Turn(state, seats, moves, asked))
            state = GAME.apply(state, moves).state
        found.append(turns)
    return found


def _each_asked(turns: list[list[Turn]], seconds: float) -> Sample:
    return {MICROS: seconds / sum(turn.asked for game in turns for turn in game) * 1e6}


def _engine(games: int) -> Sample:
    """Time what a table asks of the rules, the deal included."""
    turns = _turns(games)
    start = time.process_time()
    for number, game in enumerate(turns):
        state = GAME.deal(OPTIONS, seed_from_text(str(number))).state
        for turn in game:
            for seat in GAME.to_act(state):
                if len(GAME.legal_moves(state, seat)) > 1:
                    GAME.check(state, seat, turn.moves[seat])
            state = GAME.apply(state, turn.moves).state
        GAME.outcome(state)
    return _each_asked(turns, time.process_time() - start)


def _view(games: int) -> Sample:
    turns = _turns(games)
    start = time.process_time()
    for game in turns:
        for turn in game:
            if turn.asked:
                for seat in turn.seats:
                    GAME.view(turn.state, seat)
    return _each_asked(turns, time.process_time() - start)


def _clock(games: int) -> Sample:
    decisions = 60 * games
    clock = Clock.initial(plan(0).time_control)
    start = time.process_time()
    for _ in range(decisions):
        used = timedelta(0, 0.0005)
        clock.limit.total_seconds()
        if clock.in_time(used):
            clock = clock.after(used)
    return {MICROS: (time.process_time() - start) / decisions * 1e6}


def _record(games: int) -> Sample:
    """Time the lines of whole records, head and deal included."""
    turns = _turns(games)
    start = time.process_time()
    for number, game in enumerate(turns):
        planned = plan(number)
        recorder = Recorder(
            GAME, OPTIONS, planned.seed, planned.salt, planned.match, [{"entrant": "a"}] * 2,
            planned.time_control.as_dict(), planned.policy.as_dict(),
        )  # fmt: skip
        n = 0
        for turn in game:
            for seat, move in turn.moves.items():
                n += 1
                recorder.decision(n, seat, GAME.format_move(move), 0.5, 6)
        recorder.end("line_emptied", (1, 2), (2, 1))
        recorder.data()
    return _each_asked(turns, time.process_time() - start)
