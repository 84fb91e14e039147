"""What it takes to make the messages of a decision and to read the answer.

Each measurement encodes the questions of games that were never encoded before: much of a message is
remembered from the decision before it, and a second round over the same questions would find more
remembered than a referee does. Beside it, what protobuf's own JSON printer and parser take.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from google.protobuf import json_format
from highstreet.v1 import play_pb2 as pb

from benchmarks.measuring import Asked, Chapter, Contestant, Sample
from benchmarks.questions import questions
from engine import GAMES, AnyGame, Options
from referee.match import Question
from referee.wire import messages, stdio

MICROS = "µs"
BYTES = "bytes"
FRESH = count(1000)
"""Which games come next; no two measurements have the same."""


def measure(asked: Asked) -> Chapter:
    """Measure every game's codec in turn."""
    chapter = Chapter(
        "codec",
        "Codec: the messages of a decision",
        "Microseconds for one decision or answer, and the size of a decision.",
    )
    games = asked.choose(4, 12)
    contestants: dict[str, Contestant] = {}
    for game in GAMES.values():
        options = max(game.spec.kinds(), key=lambda kind: kind.seats)
        name = f"{game.spec.name}, {options.seats} seats"
        for what, work in JOBS.items():
            contestants[f"{name}: {what}"] = partial(_measured, work, game, options, games)
    chapter.take_turns(contestants, asked.how_often(5, 15))
    for game in GAMES.values():
        name = f"{game.spec.name}, {max(game.spec.seats)} seats"
        chapter.compare(f"{name}: protobuf's JSON printer", f"{name}: decision as JSON", MICROS)
    return chapter


def _measured(
    job: Callable[[Sequence[Question]], Sample], game: AnyGame, options: Options, games: int
) -> Sample:
    return job(list(questions(game, options, games, next(FRESH) * games)))


def _each(work: Callable[[Any], object], items: Sequence[Any]) -> float:
    start = time.process_time()
    for item in items:
        work(item)
    return (time.process_time() - start) / len(items) * 1e6


def _encode(encode: Callable[[Question], bytes], asked: Sequence[Question]) -> Sample:
    micros = _each(encode, asked)
    return {MICROS: micros, BYTES: sum(len(encode(each)) for each in asked) / len(asked)}


def _print_json(asked: Sequence[Question]) -> Sample:
    """Let protobuf print what we print ourselves; the message is there already."""
    made = [pb.PlayResponse.FromString(messages.decision_message(each)) for each in asked]
    return {MICROS: _each(stdio.message_line, made)}


def _read_message(asked: Sequence[Question]) -> Sample:
    """Read answers as protobuf's libraries write them; others are read by protobuf."""
    name = asked[0].plan.game.spec.name
    data = [each.SerializeToString() for each in _answers(asked)]
    said = list(zip(data, map(messages.answer_prefix, asked), strict=True))
    return {
        MICROS: _each(lambda pair: messages.read_canonical_answer(pair[0], pair[1], name), said)
    }


def _read_line(asked: Sequence[Question]) -> Sample:
    name = asked[0].plan.game.spec.name
    lines = [json_format.MessageToJson(each, True, None).encode() for each in _answers(asked)]
    return {MICROS: _each(lambda line: stdio.read_line(line, name, 0.0), lines)}


def _answers(asked: Sequence[Question]) -> list[pb.PlayRequest]:
    """Answer every question with its first legal move."""
    made = [pb.PlayResponse.FromString(messages.decision_message(each)).decision for each in asked]
    return [
        pb.PlayRequest(
            submit_move=pb.SubmitMove(
                match=each.match, decision_id=each.decision_id, move=each.legal_moves[0]
            )
        )
        for each in made
    ]


JOBS: dict[str, Callable[[Sequence[Question]], Sample]] = {
    "decision as gRPC message": partial(_encode, messages.decision_message),
    "decision as JSON": partial(_encode, stdio.decision_line),
    "protobuf's JSON printer": _print_json,
    "answer read from gRPC": _read_message,
    "answer read from JSON": _read_line,
}
