"""The messages of a match as lines of JSON, for bots that read and write standard streams.

This is protobuf's JSON mapping with original field names and all defaults printed. A decision is
written from its fields: protobuf's own printer takes longer than all other work of a decision. A
test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any

import orjson
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message as ProtobufMessage
from highstreet.v1 import play_pb2 as pb

from engine import GameSpec, Options
from referee.match import (
    Idle,
    MatchPlan,
    Message,
    Question,
    Rejection,
    Result,
    StaleAnswer,
    Submitted,
    Unreadable,
)
from referee.model import Policy, TimeControl
from referee.wire import messages
from referee.wire.codec import Codec, ScalarEvent, find_codec
from referee.wire.encoders import (
    Encode,
    EncodeEvent,
    EncodeRow,
    GameEncoder,
    game_encoder,
    json_defaults,
    json_encoder,
    json_event_encoder,
    json_row_encoder,
)

Json = dict[str, Any]
DecisionKey = tuple[str, int]
"""A match, and the number of a decision in it."""

SHOWN = 200
"""The most characters of a line, or of an error about it, that are quoted."""
MOST_COMMAS = 64
"""The most commas of a line that protobuf parses: its JSON parser is slow."""
_INT32 = 2**31


class _JsonEncoding:
    """The JSON mapping of protobuf."""

    number = 1
    separator = b","

    def fields_encoder(self, view: Descriptor) -> Encode:
        return json_encoder(view)

    def row_encoder(self, view: Descriptor, names: Sequence[str]) -> EncodeRow:
        return json_row_encoder(view, names)

    def event_encoder(self, event: Descriptor) -> Encode:
        encode, defaults = json_encoder(event), json_defaults(event)
        return lambda fields: b"{%b}" % encode({**defaults, **fields})

    def scalar_event_encoder(
        self,
        event: Descriptor,
        layout: ScalarEvent,
        fallback: EncodeEvent,  # noqa: ARG002  JSON has no limit for numbers
    ) -> EncodeEvent:
        return json_event_encoder(event, layout)

    def move_encoder(self, game: str, codec: Codec) -> Callable[[Any], bytes]:
        return lambda move: orjson.dumps(_fields(pb.Move(**{game: codec.move_fields(move)})))


@cache
def _encoder(game: str) -> GameEncoder:
    return game_encoder(game, find_codec(game), _JsonEncoding())


# From the referee ---------------------------------------------------------------------------------


def started_line(plan: MatchPlan, seat: int, commitment: str) -> bytes:
    """Return the line that starts a match."""
    own = {
        "match": plan.match,
        "seat": seat,
        "seats": [{"entrant": name} for name in plan.entrants],
        "commitment": commitment,
    }
    agreed = _terms(plan.game.spec, plan.options, plan.time_control, plan.policy)
    return orjson.dumps({"match_started": agreed | own}) + b"\n"


@lru_cache(maxsize=64)
def _terms(spec: GameSpec, options: Options, control: TimeControl, policy: Policy) -> Json:
    """Return the fields that are the same for every seat, and defaults for the others."""
    return _ordered_fields(messages.terms(spec, options, control, policy))


def decision_line(question: Question) -> bytes:
    """Return the line that asks for a decision."""
    plan, seat, number, view, batches, legal, clock = question
    game = plan.game.spec.name
    encoder = _encoder(game)
    return (
        b'{"decision":{"match":%b,"decision_id":%d,"clock":{"remaining":"%b","bank":"%b"},'
        b'"legal_moves":[%b],"seat":%d,"%b":{"view":{%b},"events":[%b]}}}\n'
    ) % (
        orjson.dumps(plan.match),
        number,
        _duration(clock.limit),
        _duration(clock.bank),
        encoder.legal_moves(legal),
        seat,
        game.encode(),
        encoder.view(view),
        encoder.events(batches),
    )


def rejected_line(rejection: Rejection) -> bytes:
    """Return the line that an answer was not accepted."""
    return orjson.dumps({"move_rejected": _ordered_fields(messages.rejected(rejection))}) + b"\n"


def ended_line(result: Result) -> bytes:
    """Return the line with the result of a match."""
    game, ended = result.plan.game.spec.name, _ordered_fields(messages.ended(result))
    if result.view is not None:
        encoder = _encoder(game)
        situation = encoder.view(result.view), encoder.events(result.event_batches)
        ended[game] = orjson.Fragment(b'{"view":{%b},"events":[%b]}' % situation)
    return orjson.dumps({"match_ended": ended}) + b"\n"


def goodbye_line(reason: str) -> bytes:
    """Return the last line."""
    return orjson.dumps({"goodbye": {"reason": reason}}) + b"\n"


def message_line(message: ProtobufMessage) -> bytes:
    """Return any message as a line, with protobuf's printer."""
    return orjson.dumps(_fields(message)) + b"\n"


def _fields(message: ProtobufMessage) -> Json:
    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def _ordered_fields(message: ProtobufMessage) -> Json:
    """Return the fields in the order of the message; protobuf prints defaults last."""
    fields = _fields(message)
    return {f.name: fields[f.name] for f in message.DESCRIPTOR.fields if f.name in fields}


# From a bot ---------------------------------------------------------------------------------------


def read_line(line: bytes, game: str, at: float, expected: DecisionKey | None = None) -> Message:
    """Parse a line of a bot; a join or a leave is idle.

    The move of an answer to another decision than the expected one is not parsed.
    """
    try:
        request = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Unreadable(f"this line is not JSON: {error}.", _quoted(line), at)
    if not isinstance(request, dict):
        return Unreadable("this line is not a JSON object.", _quoted(line), at)
    key = _decision_key(request)
    if key is not None:
        if expected is not None and key != expected:
            return StaleAnswer(*key, at)
        submitted = _usual_submission(request["submit_move"], game, at)
        if submitted is not None:
            return submitted
    return _read_request(line, request, game, at, expected)


def _read_request(
    line: bytes, request: Json, game: str, at: float, expected: DecisionKey | None
) -> Message:
    """Parse a request that is not in the usual form, with protobuf's parser."""
    if line.count(b",") > MOST_COMMAS:
        return Unreadable("this line has more values than any request.", _quoted(line), at)
    try:
        parsed = json_format.ParseDict(request, pb.PlayRequest())
    except (json_format.ParseError, AttributeError, TypeError, RecursionError) as error:
        problem = f"this line is not a PlayRequest: {_sentence(error)}"
        return Unreadable(problem, _quoted(line), at)
    kind = parsed.WhichOneof("message")
    if kind is None:
        return Unreadable("this request has no message in it.", _quoted(line), at)
    if kind != "submit_move":
        return Idle(at)
    submitted = parsed.submit_move
    if expected is not None and (submitted.match, submitted.decision_id) != expected:
        return StaleAnswer(submitted.match, submitted.decision_id, at)
    answer = messages.read_submission(game, submitted, at)
    return answer._replace(said=_quoted(line)) if isinstance(answer, Unreadable) else answer


def _decision_key(request: Json) -> DecisionKey | None:
    """Return match and decision of an answer in the usual form; None for other requests."""
    submit = request.get("submit_move")
    if type(submit) is not dict or len(request) != 1 or len(submit) != 3:
        return None
    match, decision = submit.get("match"), submit.get("decision_id")
    if type(match) is not str or type(decision) is not int or not -_INT32 <= decision < _INT32:
        return None
    return match, decision


def _usual_submission(submit: Json, game: str, at: float) -> Submitted | None:
    """Parse an answer whose move has the usual form; None if it has another form."""
    move = submit.get("move")
    if type(move) is not dict:
        return None
    fields = move.get(game)
    if type(fields) is not dict or len(move) != 1 or len(fields) != 1:
        return None
    ((field, value),) = fields.items()
    parsed = find_codec(game).read_json_move(field, value)
    if parsed is None:
        return None
    return Submitted(submit["match"], submit["decision_id"], parsed, at)


def _sentence(error: Exception) -> str:
    """Return the message of a library as one short line; it may quote a long input."""
    text = " ".join(str(error).split())[:SHOWN]
    return f"{text.rstrip('. ')}."


def _quoted(line: bytes) -> str:
    return line[:SHOWN].decode("utf-8", "replace")


@lru_cache(maxsize=1024)
def _duration(value: timedelta) -> bytes:
    return messages.duration(value).encode()
