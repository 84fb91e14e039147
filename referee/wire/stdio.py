"""The same messages as lines of JSON, for bots that read and write standard streams.

This is the canonical JSON mapping of protobuf with original field names and all defaults printed,
written straight from the fields: protobuf's own printer takes longer than everything else that a
decision costs. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import orjson
from google.protobuf import json_format
from google.protobuf.message import Message
from highstreet.v1 import play_pb2 as pb

from engine import Event
from referee.player import MatchPlan, Question, Rejection, Result, Submitted, Unreadable
from referee.wire.codec import Fields, WireError, find_codec
from referee.wire.flat import Encode, json_defaults, json_encoder
from referee.wire.messages import CACHED, duration, read_submission, started_message

Json = dict[str, Any]

SHOWN = 200
"""How much of a line, or of what is wrong with it, is repeated."""
_INT32 = 2**31


def started_line(plan: MatchPlan, seat: int, commitment: str) -> bytes:
    """Tell a player that it is seated."""
    return message_line(pb.PlayResponse.FromString(started_message(plan, seat, commitment)))


def decision_line(question: Question) -> bytes:
    """Put a question."""
    game = question.plan.game.spec.name
    clock = question.clock
    return (
        b'{"decision":{"match":%b,"decision_id":%d,"clock":{"remaining":"%b","bank":"%b"},'
        b'"legal_moves":[%b],"%b":%b}}\n'
    ) % (
        orjson.dumps(question.plan.match),
        question.decision,
        duration(clock.limit).encode(),
        duration(clock.bank).encode(),
        b",".join([_move_json(game, move) for move in question.legal]),
        game.encode(),
        _situation(game, question.view, question.events),
    )


def rejected_line(rejection: Rejection) -> bytes:
    """Tell a player that its answer was not accepted."""
    rejected = {
        "match": rejection.question.plan.match,
        "decision_id": rejection.question.decision,
        "rule": rejection.violation.rule if rejection.violation else "",
        "message": rejection.message,
        "rejections_left": rejection.rejections_left,
        "strikes_left": rejection.strikes_left,
    }
    return orjson.dumps({"move_rejected": rejected}) + b"\n"


def ended_line(result: Result) -> bytes:
    """Tell a player how the match ended."""
    game = result.plan.game.spec.name
    ended: Json = {
        "match": result.plan.match,
        "ending": result.ending,
        "scores": result.scores,
        "places": result.places,
        "forfeits": result.forfeits,
        "seed": result.plan.seed.hex() if result.plan.reveal_seed else "",
    }
    if result.view is not None:
        situation = _situation(game, result.view, result.events)
        ended[game] = orjson.Fragment(situation)
    return orjson.dumps({"match_ended": ended}) + b"\n"


def goodbye_line(reason: str) -> bytes:
    """Say that there is nothing more to play."""
    return orjson.dumps({"goodbye": {"reason": reason}}) + b"\n"


def message_line(message: Message) -> bytes:
    """Write any message as a line, by protobuf's own printer."""
    fields = json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return orjson.dumps(fields) + b"\n"


def read_line(line: bytes, game: str, at: float) -> Submitted | Unreadable | None:
    """Read what a bot wrote; a join or a leave says nothing to a table."""
    try:
        request = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Unreadable(f"this line is not JSON: {error}.", _shown(line), at)
    if not isinstance(request, dict):
        return Unreadable("this line is not a JSON object.", _shown(line), at)
    try:
        submitted = _plain_submission(request, game, at)
        if submitted is not None:
            return submitted
        parsed = json_format.ParseDict(request, pb.PlayRequest())
    except WireError as error:
        return Unreadable(str(error), _shown(line), at)
    except (json_format.ParseError, AttributeError, TypeError, RecursionError) as error:
        problem = f"this line is not a PlayRequest: {_sentence(error)}"
        return Unreadable(problem, _shown(line), at)
    if parsed.WhichOneof("message") == "submit_move":
        answer = read_submission(game, parsed.submit_move, at)
        return replace(answer, said=_shown(line)) if isinstance(answer, Unreadable) else answer
    if parsed.WhichOneof("message") is None:
        return Unreadable("this request has no message in it.", _shown(line), at)
    return None


def _plain_submission(request: Json, game: str, at: float) -> Submitted | None:
    """Read the usual form of an answer; nothing if it has another form."""
    match request:
        case {"submit_move": {"match": str(match), "decision_id": int(decision), "move": move}} if (
            len(request) == 1
            and len(request["submit_move"]) == 3
            and type(decision) is int
            and -_INT32 <= decision < _INT32
        ):
            pass
        case _:
            return None
    match move:
        case dict() if len(move) == 1 and isinstance(take := move.get(game), dict):
            cell = take.get("take")
            if len(take) == 1 and type(cell) is int:
                return Submitted(match, decision, find_codec(game).read_move(take), at)
    return None


def _sentence(error: Exception) -> str:
    """Return what a library says as one short line: it quotes what was sent, however long."""
    said = " ".join(str(error).split())[:SHOWN]
    return f"{said.rstrip('. ')}."


def _shown(line: bytes) -> str:
    return line[:SHOWN].decode("utf-8", "replace")


def _situation(game: str, view: Any, events: Sequence[Event]) -> bytes:
    return b'{"view":{%b},"events":[%b]}' % (
        _view(game, view),
        b",".join([_event_json(game, event) for event in events]),
    )


def _view(game: str, view: Any) -> bytes:
    parts = []
    for group in find_codec(game).view_groups(view):
        if group.json is None:
            group.json = _encoders(game)[0](group.fields)
        parts.append(group.json)
    return b",".join(parts)


@lru_cache(maxsize=CACHED)
def _event_json(game: str, event: Event) -> bytes:
    _, encode, defaults = _encoders(game)
    return b",".join(
        b"{%b}" % encode({**defaults, **fields}) for fields in find_codec(game).event_fields(event)
    )


@cache
def _encoders(game: str) -> tuple[Encode, Encode, Fields]:
    """Return how views and events are encoded, and the fields of an event with nothing in them."""
    fields = find_codec(game).situation.DESCRIPTOR.fields_by_name
    view, event = fields["view"].message_type, fields["events"].message_type
    return json_encoder(view), json_encoder(event), json_defaults(event)


@lru_cache(maxsize=CACHED)
def _move_json(game: str, move: Any) -> bytes:
    message = pb.Move(**{game: find_codec(game).move_fields(move)})
    return message_line(message).strip()
