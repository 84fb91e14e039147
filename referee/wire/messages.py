"""The messages of a match in binary protobuf: encode those of the referee, parse those of a bot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any, Final

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError
from highstreet.v1 import play_pb2 as pb

from engine import GameSpec, Options
from referee.match import MatchPlan, Question, Rejection, Result, Submitted, Unreadable
from referee.model import ClockKind, Policy, Reaction, TimeControl
from referee.wire.codec import Codec, ScalarEvent, WireError, find_codec
from referee.wire.encoders import (
    Encode,
    EncodeEvent,
    EncodeRow,
    GameEncoder,
    VarintField,
    binary_encoder,
    binary_event_encoder,
    binary_row_encoder,
    game_encoder,
    length_delimited,
)

PROTOCOL_VERSION = 1
LONGEST_ANSWER = 4096
"""The most bytes of a message from a bot that has joined. The longest answer has about 300."""
CACHED_ANSWERS = 4096
"""The number of parsed moves that are cached; nearly every move occurs again."""

_DECISION = VarintField.length(pb.PlayResponse.DECISION_FIELD_NUMBER)
_MATCH_STARTED = pb.PlayResponse.MATCH_STARTED_FIELD_NUMBER
_MATCH_ENDED = pb.PlayResponse.MATCH_ENDED_FIELD_NUMBER
_SUBMIT_MOVE = pb.PlayRequest.SUBMIT_MOVE_FIELD_NUMBER << 3 | 2
_MOVE = pb.SubmitMove.MOVE_FIELD_NUMBER << 3 | 2
_TWO_BYTES = 128
"""The lowest length that takes two bytes."""
_DECISION_ID = VarintField.value(pb.Decision.DECISION_ID_FIELD_NUMBER)
_SEAT = VarintField.value(pb.Decision.SEAT_FIELD_NUMBER)
_LEGAL_MOVES = pb.Decision.LEGAL_MOVES_FIELD_NUMBER
_VIEW = VarintField.length(1)
_EVENTS = 2
"""The fields for view and events in the Situation of every game."""

_REACTION: Final[Mapping[Any, Any]] = {r.value: i for i, r in enumerate(Reaction, 1)}


class _BinaryEncoding:
    """The binary format of protobuf."""

    number = 0
    separator = b""

    def fields_encoder(self, view: Descriptor) -> Encode:
        return binary_encoder(view)

    def row_encoder(self, view: Descriptor, names: Sequence[str]) -> EncodeRow:
        return binary_row_encoder(view, names)

    def event_encoder(self, event: Descriptor) -> Encode:
        encode = binary_encoder(event)
        return lambda fields: length_delimited(_EVENTS, encode(fields))

    def scalar_event_encoder(
        self, event: Descriptor, layout: ScalarEvent, fallback: EncodeEvent
    ) -> EncodeEvent:
        return binary_event_encoder(event, _EVENTS, layout, fallback)

    def move_encoder(self, game: str, codec: Codec) -> Callable[[Any], bytes]:
        def encode(move: Any) -> bytes:
            message = pb.Move(**{game: codec.move_fields(move)})
            return length_delimited(_LEGAL_MOVES, message.SerializeToString())

        return encode


@cache
def _encoder(game: str) -> tuple[GameEncoder, VarintField]:
    """Return the encoder of a game, and the prefixes of its Situation field."""
    situation = pb.Decision.DESCRIPTOR.fields_by_name[game].number
    return (
        game_encoder(game, find_codec(game), _BinaryEncoding()),
        VarintField.length(situation),
    )


# From the referee ---------------------------------------------------------------------------------


def started_message(plan: MatchPlan, seat: int, commitment: str) -> bytes:
    """Return the message that starts a match."""
    own = pb.MatchStarted(
        match=plan.match,
        seat=seat,
        seats=[pb.SeatInfo(entrant=name) for name in plan.entrants],
        commitment=commitment,
    )
    agreed = terms(plan.game.spec, plan.options, plan.time_control, plan.policy)
    # The concatenation of two serialised messages is their merge.
    return length_delimited(_MATCH_STARTED, agreed.SerializeToString() + own.SerializeToString())


@lru_cache(maxsize=64)
def terms(
    spec: GameSpec, options: Options, control: TimeControl, policy: Policy
) -> pb.MatchStarted:
    """Return the fields that are the same for every seat, and for many matches."""
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
            clock=pb.CLOCK_KIND_CPU if control.clock is ClockKind.CPU else None,
        ),
        policy=pb.Policy(
            **{name: _REACTION.get(value, value) for name, value in policy.as_dict().items()}
        ),
    )
    getattr(message, spec.name).MergeFrom(codec.options(**codec.options_fields(options)))
    return message


def decision_message(question: Question) -> bytes:
    """Return the message that asks for a decision."""
    plan, seat, number, view, batches, legal, clock = question
    encoder, situation_prefix = _encoder(plan.game.spec.name)
    encoded_view, events = encoder.view(view), encoder.events(batches)
    view_prefix = _VIEW[len(encoded_view)]
    decision = b"".join(
        (
            _match_field(plan.match),
            _DECISION_ID[number],
            _clock_field(clock.limit, clock.bank),
            encoder.legal_moves(legal),
            _SEAT[seat],
            situation_prefix[len(view_prefix) + len(encoded_view) + len(events)],
            view_prefix,
            encoded_view,
            events,
        )
    )
    return _DECISION[len(decision)] + decision


def rejected(rejection: Rejection) -> pb.MoveRejected:
    """Return the fields of the message that an answer was not accepted."""
    return pb.MoveRejected(
        match=rejection.question.plan.match,
        decision_id=rejection.question.decision,
        rule=rejection.violation.rule if rejection.violation else "",
        message=rejection.message,
        rejections_left=rejection.rejections_left,
        strikes_left=rejection.strikes_left,
    )


def rejected_message(rejection: Rejection) -> bytes:
    """Return the message that an answer was not accepted."""
    return pb.PlayResponse(move_rejected=rejected(rejection)).SerializeToString()


def ended(result: Result) -> pb.MatchEnded:
    """Return the fields of the message with the result of a match, without its situation."""
    return pb.MatchEnded(
        match=result.plan.match,
        ending=result.ending,
        scores=result.scores,
        places=result.places,
        forfeits=result.forfeits,
        seed=result.seed,
    )


def ended_message(result: Result) -> bytes:
    """Return the message with the result of a match."""
    message = ended(result).SerializeToString()
    if result.view is not None:
        encoder, situation_prefix = _encoder(result.plan.game.spec.name)
        view = encoder.view(result.view)
        situation = _VIEW[len(view)] + view + encoder.events(result.event_batches)
        # MatchEnded has the situation under the same field number as Decision.
        message += situation_prefix[len(situation)] + situation
    return length_delimited(_MATCH_ENDED, message)


def goodbye_message(reason: str) -> bytes:
    """Return the last message of a stream."""
    return pb.PlayResponse(goodbye=pb.Goodbye(reason=reason)).SerializeToString()


def welcome_message(entrant: str, resume_id: str, limits: pb.Limits, *, resumed: bool) -> bytes:
    """Return the answer to a join."""
    welcome = pb.Welcome(
        entrant=entrant,
        protocol_version=PROTOCOL_VERSION,
        resume_id=resume_id,
        limits=limits,
        resumed=resumed,
    )
    return pb.PlayResponse(welcome=welcome).SerializeToString()


@lru_cache(maxsize=1024)
def _match_field(match: str) -> bytes:
    return pb.Decision(match=match).SerializeToString()


@lru_cache(maxsize=1024)
def _clock_field(remaining: timedelta, bank: timedelta) -> bytes:
    """Return the clock of a decision; without a bank it has few values."""
    return pb.Decision(clock=pb.Clock(remaining=remaining, bank=bank)).SerializeToString()


# From a bot ---------------------------------------------------------------------------------------


def read_request(data: bytes) -> pb.PlayRequest:
    """Parse a request; raises WireError."""
    try:
        return pb.PlayRequest.FromString(data)
    except DecodeError:
        raise WireError("this is not a PlayRequest.") from None


def peek_match(data: bytes) -> bytes:
    """Return the match of a request in canonical serialisation; for others, arbitrary bytes."""
    return data[4 : 4 + data[3]] if len(data) > 4 else b""


def answer_prefix(question: Question) -> bytes:
    """Return the first fields of an answer to a question in canonical serialisation."""
    return _match_field(question.plan.match) + _DECISION_ID[question.decision]


def read_canonical_answer(data: bytes, prefix: bytes, game: str) -> Any | None:
    """Return the move of a request that is an answer with that prefix and nothing else.

    This is the fast path: nearly every request is such an answer, and so short that each length is
    one byte. The result is None for all others, whatever their content: protobuf must parse them.
    """
    start = len(prefix) + 4
    if (
        start <= len(data) < _TWO_BYTES
        and data.startswith(prefix, 2)
        and data[0] == _SUBMIT_MOVE
        and data[1] == len(data) - 2
        and data[start - 2] == _MOVE
        and data[start - 1] == len(data) - start
    ):
        return _read_move_bytes(game, data[start:])
    return None


@lru_cache(maxsize=CACHED_ANSWERS)
def _read_move_bytes(game: str, data: bytes) -> Any | None:
    """Return the move in these bytes; None if there is none."""
    try:
        return _read_move(game, pb.Move.FromString(data))
    except (DecodeError, WireError):
        return None


def read_submission(game: str, submitted: pb.SubmitMove, at: float) -> Submitted | Unreadable:
    """Parse an answer to a decision of that game."""
    try:
        move = _read_move(game, submitted.move)
    except WireError as error:
        return Unreadable(str(error), _shown(submitted), at)
    return Submitted(submitted.match, submitted.decision_id, move, at)


def _read_move(game: str, message: pb.Move) -> Any:
    """Return the move in a message; raises WireError."""
    kind = message.WhichOneof("game")
    if kind != game:
        raise WireError(f"this match is {game}, but the move is one of {kind or 'no game'}.")
    return find_codec(game).read_move(_set_fields(getattr(message, game)))


def _shown(submitted: pb.SubmitMove) -> str:
    """Return the move as text if it is short, else its size."""
    size = submitted.move.ByteSize()
    return " ".join(str(submitted.move).split()) if size < _TWO_BYTES else f"a move of {size} bytes"


def _set_fields(message: Any) -> dict[str, Any]:
    """Return the fields that are set, as nested dicts."""
    return {
        field.name: _set_fields(value) if field.message_type is not None else value
        for field, value in message.ListFields()
    }


def duration(value: timedelta) -> str:
    """Return a duration in protobuf's JSON mapping."""
    whole, micros = divmod(round(value.total_seconds() * 1_000_000), 1_000_000)
    if not micros:
        return f"{whole}s"
    return f"{whole}.{micros:06d}s" if micros % 1000 else f"{whole}.{micros // 1000:03d}s"
