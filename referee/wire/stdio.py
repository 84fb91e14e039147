"""The same messages as lines of JSON, for bots that read and write standard streams.

This is the canonical JSON mapping of protobuf with original field names and all defaults printed,
written straight from the fields: protobuf's own printer takes longer than everything else that a
decision costs. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any, NamedTuple

import orjson
from google.protobuf import json_format
from google.protobuf.message import Message
from highstreet.v1 import play_pb2 as pb

from engine import Event, GameSpec, Options
from referee.clock import TimeControl
from referee.news import News
from referee.player import MatchPlan, Question, Rejection, Result, Submitted, Unreadable
from referee.policy import Policy
from referee.wire.codec import Codec, Group, WireError, find_codec, form_of
from referee.wire.flat import (
    ByKind,
    Encode,
    EncodeRow,
    json_defaults,
    json_encoder,
    json_plain_encoder,
    json_row_encoder,
    remembering,
    remembering_all,
)
from referee.wire.messages import (
    CACHED,
    CHOICES,
    HAPPENINGS,
    duration,
    read_submission,
    terms,
)

Json = dict[str, Any]

SHOWN = 200
"""How much of a line, or of what is wrong with it, is repeated."""
_INT32 = 2**31


def started_line(plan: MatchPlan, seat: int, commitment: str) -> bytes:
    """Tell a player that it is seated."""
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
    """Return what is the same for every seat, and in its place, empty, what is not."""
    agreed = _fields(terms(spec, options, control, policy))
    names = [field.name for field in pb.MatchStarted.DESCRIPTOR.fields]
    return {name: agreed[name] for name in names if name in agreed}


def decision_line(question: Question) -> bytes:
    """Put a question."""
    plan, seat, number, view, news, legal, clock = question
    form = _form(plan.game.spec.name)
    return (
        b'{"decision":{"match":%b,"decision_id":%d,"clock":{"remaining":"%b","bank":"%b"},'
        b'"legal_moves":[%b],"seat":%d,"%b":%b}}\n'
    ) % (
        orjson.dumps(plan.match),
        number,
        _duration(clock.limit),
        _duration(clock.bank),
        form.legal_moves(legal),
        seat,
        form.name,
        _situation(form, view, news),
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
        "seed": result.seed,
    }
    if result.view is not None:
        situation = _situation(_form(game), result.view, result.news)
        ended[game] = orjson.Fragment(situation)
    return orjson.dumps({"match_ended": ended}) + b"\n"


def goodbye_line(reason: str) -> bytes:
    """Say that there is nothing more to play."""
    return orjson.dumps({"goodbye": {"reason": reason}}) + b"\n"


def message_line(message: Message) -> bytes:
    """Write any message as a line, by protobuf's own printer."""
    return orjson.dumps(_fields(message)) + b"\n"


def _fields(message: Message) -> Json:
    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


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
        return answer._replace(said=_shown(line)) if isinstance(answer, Unreadable) else answer
    if parsed.WhichOneof("message") is None:
        return Unreadable("this request has no message in it.", _shown(line), at)
    return None


def _plain_submission(request: Json, game: str, at: float) -> Submitted | None:
    """Read the usual form of an answer; nothing if it has another form."""
    submit = request.get("submit_move")
    if type(submit) is not dict or len(request) != 1 or len(submit) != 3:
        return None
    match, decision, move = submit.get("match"), submit.get("decision_id"), submit.get("move")
    if type(match) is not str or type(decision) is not int or type(move) is not dict:
        return None
    fields = move.get(game)
    if not -_INT32 <= decision < _INT32 or type(fields) is not dict:
        return None
    if len(move) != 1 or len(fields) != 1:
        return None
    ((field, value),) = fields.items()
    read = find_codec(game).read_plain_move(field, value)
    return None if read is None else Submitted(match, decision, read, at)


def _sentence(error: Exception) -> str:
    """Return what a library says as one short line: it quotes what was sent, however long."""
    said = " ".join(str(error).split())[:SHOWN]
    return f"{said.rstrip('. ')}."


def _shown(line: bytes) -> str:
    return line[:SHOWN].decode("utf-8", "replace")


class _Form(NamedTuple):
    """How the parts of a decision in one game are written."""

    name: bytes
    now_values: Callable[[Any], tuple[Any, ...]]
    now: EncodeRow
    view_groups: Callable[[Any], Sequence[Group]]
    group: Encode
    news: Callable[[News], bytes]
    legal_moves: Callable[[Sequence[Any]], bytes]


@cache
def _form(game: str) -> _Form:
    codec = find_codec(game)
    events, move = _event_encoders(codec), remembering(CACHED, _move_encoder(game, codec))
    return _Form(
        game.encode(),
        codec.now_values,
        json_row_encoder(form_of(codec, "view"), codec.now),
        codec.view_groups,
        json_encoder(form_of(codec, "view")),
        remembering_all(HAPPENINGS, events.encode, b","),
        remembering(CHOICES, lambda legal: b",".join(map(move, legal))),
    )


def _situation(form: _Form, view: Any, news: News) -> bytes:
    return b'{"view":{%b},"events":[%b]}' % (_view(form, view), form.news(news))


def _view(form: _Form, view: Any) -> bytes:
    parts = [form.now(form.now_values(view))]
    for group in form.view_groups(view):
        if group.json is None:
            group.json = form.group(group.fields)
        parts.append(group.json)
    return b",".join(parts)


def _event_encoders(codec: Codec) -> ByKind:
    descriptor = form_of(codec, "events")
    encode_fields, defaults = json_encoder(descriptor), json_defaults(descriptor)

    def encode(event: Event) -> bytes:
        return b",".join(
            b"{%b}" % encode_fields({**defaults, **fields}) for fields in codec.event_fields(event)
        )

    plain = {
        kind: json_plain_encoder(descriptor, form) for kind, form in codec.plain_events.items()
    }
    return ByKind(plain, encode)


def _move_encoder(game: str, codec: Codec) -> Callable[[Any], bytes]:
    @lru_cache(maxsize=CACHED)
    def encode(move: Any) -> bytes:
        return message_line(pb.Move(**{game: codec.move_fields(move)})).strip()

    return encode


@lru_cache(maxsize=1024)
def _duration(value: timedelta) -> bytes:
    return duration(value).encode()
