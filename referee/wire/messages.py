"""What the table says, as protobuf messages; what a bot says, read from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from google.protobuf.message import DecodeError
from highstreet.v1 import play_pb2 as pb

from engine import Event, GameSpec, Options
from referee.clock import TimeControl
from referee.news import News
from referee.player import MatchPlan, Question, Rejection, Result, Submitted, Unreadable
from referee.policy import Policy, Reaction
from referee.wire.codec import Codec, Group, WireError, find_codec, form_of
from referee.wire.flat import (
    ByKind,
    Encode,
    EncodeRow,
    Tagged,
    binary_encoder,
    binary_plain_encoder,
    binary_row_encoder,
    length_delimited,
    remembering,
    remembering_all,
)

PROTOCOL_VERSION = 1
CACHED = 4096
"""How many moves are kept encoded; nearly all of them come again and again."""
CHOICES = 256
"""How many sets of legal moves are kept encoded; a large one takes some kilobytes."""
HAPPENINGS = 1024
"""How many decisions have what they led to kept encoded, until every seat has been told."""

_DECISION = Tagged.length(pb.PlayResponse.DECISION_FIELD_NUMBER)
_MATCH_STARTED = pb.PlayResponse.MATCH_STARTED_FIELD_NUMBER
_MATCH_ENDED = pb.PlayResponse.MATCH_ENDED_FIELD_NUMBER
_SUBMIT_MOVE = pb.PlayRequest.SUBMIT_MOVE_FIELD_NUMBER << 3 | 2
_MOVE = pb.SubmitMove.MOVE_FIELD_NUMBER << 3 | 2
_LONG = 128
"""The first length that takes two bytes."""
_DECISION_ID = Tagged.number(pb.Decision.DECISION_ID_FIELD_NUMBER)
_SEAT = Tagged.number(pb.Decision.SEAT_FIELD_NUMBER)
_LEGAL_MOVES = pb.Decision.LEGAL_MOVES_FIELD_NUMBER
_VIEW = Tagged.length(1)
_EVENTS = 2
"""View and events in every game's Situation."""

_REACTION: Final[Mapping[Any, Any]] = {r.value: i for i, r in enumerate(Reaction, 1)}


def started_message(plan: MatchPlan, seat: int, commitment: str) -> bytes:
    """Tell a player that it is seated."""
    own = pb.MatchStarted(
        match=plan.match,
        seat=seat,
        seats=[pb.SeatInfo(entrant=name) for name in plan.entrants],
        commitment=commitment,
    )
    agreed = terms(plan.game.spec, plan.options, plan.time_control, plan.policy)
    # Messages are merged by writing one behind the other.
    return length_delimited(_MATCH_STARTED, agreed.SerializeToString() + own.SerializeToString())


@lru_cache(maxsize=64)
def terms(
    spec: GameSpec, options: Options, control: TimeControl, policy: Policy
) -> pb.MatchStarted:
    """Return what is the same for every seat, and for many matches."""
    codec = find_codec(spec.name)
    message = pb.MatchStarted(
        game=spec.name,
        rules_version=spec.rules_version,
        time_control=pb.TimeControl(
            per_move=control.per_move,
            bank=control.bank,
            increment=control.increment,
            start_up=control.start_up,
            latency=control.latency,
        ),
        policy=pb.Policy(
            **{name: _REACTION.get(value, value) for name, value in policy.as_dict().items()}
        ),
    )
    getattr(message, spec.name).MergeFrom(codec.options(**codec.options_fields(options)))
    return message


def decision_message(question: Question) -> bytes:
    """Put a question."""
    plan, seat, number, view, news, legal, clock = question
    form = _form(plan.game.spec.name)
    shown, events = _view(form, view), form.news(news)
    head = _VIEW[len(shown)]
    decision = b"".join(
        (
            _match_field(plan.match),
            _DECISION_ID[number],
            _clock_field(clock.limit, clock.bank),
            form.legal_moves(legal),
            _SEAT[seat],
            form.situation[len(head) + len(shown) + len(events)],
            head,
            shown,
            events,
        )
    )
    return _DECISION[len(decision)] + decision


def rejected_message(rejection: Rejection) -> bytes:
    """Tell a player that its answer was not accepted."""
    message = pb.MoveRejected(
        match=rejection.question.plan.match,
        decision_id=rejection.question.decision,
        rule=rejection.violation.rule if rejection.violation else "",
        message=rejection.message,
        rejections_left=rejection.rejections_left,
        strikes_left=rejection.strikes_left,
    )
    return pb.PlayResponse(move_rejected=message).SerializeToString()


def ended_message(result: Result) -> bytes:
    """Tell a player how the match ended."""
    message = pb.MatchEnded(
        match=result.plan.match,
        ending=result.ending,
        scores=result.scores,
        places=result.places,
        forfeits=result.forfeits,
        seed=result.seed,
    ).SerializeToString()
    if result.view is not None:
        message += _situation_field(_form(result.plan.game.spec.name), result.view, result.news)
    return length_delimited(_MATCH_ENDED, message)


def goodbye_message(reason: str) -> bytes:
    """Say why the stream ends."""
    return pb.PlayResponse(goodbye=pb.Goodbye(reason=reason)).SerializeToString()


def welcome_message(entrant: str, resume_id: str, limits: pb.Limits, *, resumed: bool) -> bytes:
    """Say that a bot is in."""
    welcome = pb.Welcome(
        entrant=entrant,
        protocol_version=PROTOCOL_VERSION,
        resume_id=resume_id,
        limits=limits,
        resumed=resumed,
    )
    return pb.PlayResponse(welcome=welcome).SerializeToString()


def read_request(data: bytes) -> pb.PlayRequest:
    """Read what a bot sent; raises WireError."""
    try:
        return pb.PlayRequest.FromString(data)
    except DecodeError:
        raise WireError("this is not a PlayRequest.") from None


def match_in(data: bytes) -> bytes:
    """Return the match that a request is about, if it is a plain answer; else anything."""
    return data[4 : 4 + data[3]] if len(data) > 4 else b""


def answer_head(question: Question) -> bytes:
    """Return how an answer to a question begins, if it is written as protobuf's libraries do."""
    return _match_field(question.plan.match) + _DECISION_ID[question.decision]


def read_plain_answer(data: bytes, head: bytes, game: str) -> Any | None:
    """Return the move of a request that answers the question with that head, and does no more.

    Nearly every request does, and is so short that each length is one byte. Nothing is returned
    for all others, whatever is in them: they have to be read.
    """
    start = len(head) + 4
    if (
        start <= len(data) < _LONG
        and data.startswith(head, 2)
        and data[0] == _SUBMIT_MOVE
        and data[1] == len(data) - 2
        and data[start - 2] == _MOVE
        and data[start - 1] == len(data) - start
    ):
        return _read_plain_move(game, data[start:])
    return None


@lru_cache(maxsize=CACHED)
def _read_plain_move(game: str, data: bytes) -> Any | None:
    try:
        said = pb.Move.FromString(data)
    except DecodeError:
        return None
    answer = read_submission(game, pb.SubmitMove(move=said), 0.0)
    return answer.move if isinstance(answer, Submitted) else None


def read_submission(game: str, submitted: pb.SubmitMove, at: float) -> Submitted | Unreadable:
    """Read an answer to a decision of that game."""
    kind = submitted.move.WhichOneof("game")
    if kind != game:
        problem = f"this match is {game}, but the move is one of {kind or 'no game'}."
        return Unreadable(problem, _shown(submitted), at)
    try:
        move = _read_move(game, submitted.move.SerializeToString())
    except WireError as error:
        return Unreadable(str(error), _shown(submitted), at)
    return Submitted(submitted.match, submitted.decision_id, move, at)


@lru_cache(maxsize=CACHED)
def _read_move(game: str, data: bytes) -> Any:
    """Read a move; the same few come again and again."""
    message = getattr(pb.Move.FromString(data), game)
    return find_codec(game).read_move(_set_fields(message))


def _shown(submitted: pb.SubmitMove) -> str:
    return " ".join(str(submitted.move).split())


def _set_fields(message: Any) -> dict[str, Any]:
    """Return the fields that are set, messages in them likewise."""
    return {
        field.name: _set_fields(value) if field.message_type is not None else value
        for field, value in message.ListFields()
    }


@lru_cache(maxsize=1024)
def _match_field(match: str) -> bytes:
    return pb.Decision(match=match).SerializeToString()


@lru_cache(maxsize=1024)
def _clock_field(remaining: timedelta, bank: timedelta) -> bytes:
    """Return the clock of a decision; without a bank it is the same again and again."""
    return pb.Decision(clock=pb.Clock(remaining=remaining, bank=bank)).SerializeToString()


class _Form(NamedTuple):
    """How the parts of a decision in one game are encoded."""

    now_values: Callable[[Any], tuple[Any, ...]]
    now: EncodeRow
    view_groups: Callable[[Any], Sequence[Group]]
    group: Encode
    news: Callable[[News], bytes]
    legal_moves: Callable[[Sequence[Any]], bytes]
    situation: Tagged


@cache
def _form(game: str) -> _Form:
    codec = find_codec(game)
    events, move = _event_encoders(codec), remembering(CACHED, _move_encoder(game, codec))
    return _Form(
        codec.now_values,
        binary_row_encoder(form_of(codec, "view"), codec.now),
        codec.view_groups,
        binary_encoder(form_of(codec, "view")),
        remembering_all(HAPPENINGS, events.encode, b""),
        remembering(CHOICES, lambda legal: b"".join(map(move, legal))),
        Tagged.length(pb.Decision.DESCRIPTOR.fields_by_name[game].number),
    )


def _situation_field(form: _Form, view: Any, news: News) -> bytes:
    """Return the situation as a field of a decision; match_ended has it under the same number."""
    shown = _view(form, view)
    situation = b"".join((_VIEW[len(shown)], shown, form.news(news)))
    return form.situation[len(situation)] + situation


def _view(form: _Form, view: Any) -> bytes:
    parts = [form.now(form.now_values(view))]
    for group in form.view_groups(view):
        if group.binary is None:
            group.binary = form.group(group.fields)
        parts.append(group.binary)
    return b"".join(parts)


def _event_encoders(codec: Codec) -> ByKind:
    descriptor = form_of(codec, "events")
    encode_fields = binary_encoder(descriptor)

    def encode(event: Event) -> bytes:
        return b"".join(
            length_delimited(_EVENTS, encode_fields(fields)) for fields in codec.event_fields(event)
        )

    plain = {
        kind: binary_plain_encoder(descriptor, _EVENTS, form, encode)
        for kind, form in codec.plain_events.items()
    }
    return ByKind(plain, encode)


def _move_encoder(game: str, codec: Codec) -> Callable[[Any], bytes]:
    @lru_cache(maxsize=CACHED)
    def encode(move: Any) -> bytes:
        message = pb.Move(**{game: codec.move_fields(move)})
        return length_delimited(_LEGAL_MOVES, message.SerializeToString())

    return encode


def duration(value: timedelta) -> str:
    """Write a duration as the JSON mapping of protobuf does."""
    whole, micros = divmod(round(value.total_seconds() * 1_000_000), 1_000_000)
    if not micros:
        return f"{whole}s"
    return f"{whole}.{micros:06d}s" if micros % 1000 else f"{whole}.{micros // 1000:03d}s"
