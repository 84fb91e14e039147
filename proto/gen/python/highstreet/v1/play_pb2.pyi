import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from highstreet.v1 import festo_pb2 as _festo_pb2
from highstreet.v1 import gargon_pb2 as _gargon_pb2
from highstreet.v1 import glastonbury_pb2 as _glastonbury_pb2
from highstreet.v1 import kupferkessel_pb2 as _kupferkessel_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ClockKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CLOCK_KIND_UNSPECIFIED: _ClassVar[ClockKind]
    CLOCK_KIND_WALL: _ClassVar[ClockKind]
    CLOCK_KIND_CPU: _ClassVar[ClockKind]

class Reaction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REACTION_UNSPECIFIED: _ClassVar[Reaction]
    REACTION_REJECT: _ClassVar[Reaction]
    REACTION_STRIKE: _ClassVar[Reaction]
    REACTION_FORFEIT: _ClassVar[Reaction]
CLOCK_KIND_UNSPECIFIED: ClockKind
CLOCK_KIND_WALL: ClockKind
CLOCK_KIND_CPU: ClockKind
REACTION_UNSPECIFIED: Reaction
REACTION_REJECT: Reaction
REACTION_STRIKE: Reaction
REACTION_FORFEIT: Reaction

class PlayRequest(_message.Message):
    __slots__ = ("join", "submit_move", "leave")
    JOIN_FIELD_NUMBER: _ClassVar[int]
    SUBMIT_MOVE_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    join: Join
    submit_move: SubmitMove
    leave: Leave
    def __init__(self, join: _Optional[_Union[Join, _Mapping]] = ..., submit_move: _Optional[_Union[SubmitMove, _Mapping]] = ..., leave: _Optional[_Union[Leave, _Mapping]] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("welcome", "match_started", "decision", "move_rejected", "match_ended", "goodbye")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    MATCH_STARTED_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    MOVE_REJECTED_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDED_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    match_started: MatchStarted
    decision: Decision
    move_rejected: MoveRejected
    match_ended: MatchEnded
    goodbye: Goodbye
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., match_started: _Optional[_Union[MatchStarted, _Mapping]] = ..., decision: _Optional[_Union[Decision, _Mapping]] = ..., move_rejected: _Optional[_Union[MoveRejected, _Mapping]] = ..., match_ended: _Optional[_Union[MatchEnded, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ...) -> None: ...

class Join(_message.Message):
    __slots__ = ("token", "protocol_version", "bot_version", "games", "max_matches", "resume_id")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    BOT_VERSION_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    MAX_MATCHES_FIELD_NUMBER: _ClassVar[int]
    RESUME_ID_FIELD_NUMBER: _ClassVar[int]
    token: str
    protocol_version: int
    bot_version: str
    games: _containers.RepeatedScalarFieldContainer[str]
    max_matches: int
    resume_id: str
    def __init__(self, token: _Optional[str] = ..., protocol_version: _Optional[int] = ..., bot_version: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., max_matches: _Optional[int] = ..., resume_id: _Optional[str] = ...) -> None: ...

class SubmitMove(_message.Message):
    __slots__ = ("match", "decision_id", "move")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    match: str
    decision_id: int
    move: Move
    def __init__(self, match: _Optional[str] = ..., decision_id: _Optional[int] = ..., move: _Optional[_Union[Move, _Mapping]] = ...) -> None: ...

class Leave(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Move(_message.Message):
    __slots__ = ("glastonbury", "kupferkessel", "gargon", "festo")
    GLASTONBURY_FIELD_NUMBER: _ClassVar[int]
    KUPFERKESSEL_FIELD_NUMBER: _ClassVar[int]
    GARGON_FIELD_NUMBER: _ClassVar[int]
    FESTO_FIELD_NUMBER: _ClassVar[int]
    glastonbury: _glastonbury_pb2.Glastonbury.Move
    kupferkessel: _kupferkessel_pb2.Kupferkessel.Move
    gargon: _gargon_pb2.Gargon.Move
    festo: _festo_pb2.Festo.Move
    def __init__(self, glastonbury: _Optional[_Union[_glastonbury_pb2.Glastonbury.Move, _Mapping]] = ..., kupferkessel: _Optional[_Union[_kupferkessel_pb2.Kupferkessel.Move, _Mapping]] = ..., gargon: _Optional[_Union[_gargon_pb2.Gargon.Move, _Mapping]] = ..., festo: _Optional[_Union[_festo_pb2.Festo.Move, _Mapping]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("entrant", "protocol_version", "resume_id", "limits", "resumed")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    RESUME_ID_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    entrant: str
    protocol_version: int
    resume_id: str
    limits: Limits
    resumed: bool
    def __init__(self, entrant: _Optional[str] = ..., protocol_version: _Optional[int] = ..., resume_id: _Optional[str] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., resumed: _Optional[bool] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("max_message_bytes", "max_messages_per_decision")
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGES_PER_DECISION_FIELD_NUMBER: _ClassVar[int]
    max_message_bytes: int
    max_messages_per_decision: int
    def __init__(self, max_message_bytes: _Optional[int] = ..., max_messages_per_decision: _Optional[int] = ...) -> None: ...

class TimeControl(_message.Message):
    __slots__ = ("per_move", "bank", "increment", "start_up", "latency", "clock")
    PER_MOVE_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_FIELD_NUMBER: _ClassVar[int]
    START_UP_FIELD_NUMBER: _ClassVar[int]
    LATENCY_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    per_move: _duration_pb2.Duration
    bank: _duration_pb2.Duration
    increment: _duration_pb2.Duration
    start_up: _duration_pb2.Duration
    latency: _duration_pb2.Duration
    clock: ClockKind
    def __init__(self, per_move: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., bank: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., increment: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., start_up: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., latency: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., clock: _Optional[_Union[ClockKind, str]] = ...) -> None: ...

class Policy(_message.Message):
    __slots__ = ("illegal_move", "malformed", "time_out", "disconnect", "crash", "strikes", "rejections", "reconnect", "ponder")
    ILLEGAL_MOVE_FIELD_NUMBER: _ClassVar[int]
    MALFORMED_FIELD_NUMBER: _ClassVar[int]
    TIME_OUT_FIELD_NUMBER: _ClassVar[int]
    DISCONNECT_FIELD_NUMBER: _ClassVar[int]
    CRASH_FIELD_NUMBER: _ClassVar[int]
    STRIKES_FIELD_NUMBER: _ClassVar[int]
    REJECTIONS_FIELD_NUMBER: _ClassVar[int]
    RECONNECT_FIELD_NUMBER: _ClassVar[int]
    PONDER_FIELD_NUMBER: _ClassVar[int]
    illegal_move: Reaction
    malformed: Reaction
    time_out: Reaction
    disconnect: Reaction
    crash: Reaction
    strikes: int
    rejections: int
    reconnect: int
    ponder: bool
    def __init__(self, illegal_move: _Optional[_Union[Reaction, str]] = ..., malformed: _Optional[_Union[Reaction, str]] = ..., time_out: _Optional[_Union[Reaction, str]] = ..., disconnect: _Optional[_Union[Reaction, str]] = ..., crash: _Optional[_Union[Reaction, str]] = ..., strikes: _Optional[int] = ..., rejections: _Optional[int] = ..., reconnect: _Optional[int] = ..., ponder: _Optional[bool] = ...) -> None: ...

class SeatInfo(_message.Message):
    __slots__ = ("entrant",)
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    entrant: str
    def __init__(self, entrant: _Optional[str] = ...) -> None: ...

class MatchStarted(_message.Message):
    __slots__ = ("match", "game", "rules_version", "seat", "seats", "time_control", "policy", "commitment", "glastonbury", "kupferkessel", "gargon", "festo")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    GLASTONBURY_FIELD_NUMBER: _ClassVar[int]
    KUPFERKESSEL_FIELD_NUMBER: _ClassVar[int]
    GARGON_FIELD_NUMBER: _ClassVar[int]
    FESTO_FIELD_NUMBER: _ClassVar[int]
    match: str
    game: str
    rules_version: str
    seat: int
    seats: _containers.RepeatedCompositeFieldContainer[SeatInfo]
    time_control: TimeControl
    policy: Policy
    commitment: str
    glastonbury: _glastonbury_pb2.Glastonbury.Options
    kupferkessel: _kupferkessel_pb2.Kupferkessel.Options
    gargon: _gargon_pb2.Gargon.Options
    festo: _festo_pb2.Festo.Options
    def __init__(self, match: _Optional[str] = ..., game: _Optional[str] = ..., rules_version: _Optional[str] = ..., seat: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[SeatInfo, _Mapping]]] = ..., time_control: _Optional[_Union[TimeControl, _Mapping]] = ..., policy: _Optional[_Union[Policy, _Mapping]] = ..., commitment: _Optional[str] = ..., glastonbury: _Optional[_Union[_glastonbury_pb2.Glastonbury.Options, _Mapping]] = ..., kupferkessel: _Optional[_Union[_kupferkessel_pb2.Kupferkessel.Options, _Mapping]] = ..., gargon: _Optional[_Union[_gargon_pb2.Gargon.Options, _Mapping]] = ..., festo: _Optional[_Union[_festo_pb2.Festo.Options, _Mapping]] = ...) -> None: ...

class Clock(_message.Message):
    __slots__ = ("remaining", "bank")
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    remaining: _duration_pb2.Duration
    bank: _duration_pb2.Duration
    def __init__(self, remaining: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., bank: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("match", "decision_id", "clock", "legal_moves", "seat", "glastonbury", "kupferkessel", "gargon", "festo")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    LEGAL_MOVES_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    GLASTONBURY_FIELD_NUMBER: _ClassVar[int]
    KUPFERKESSEL_FIELD_NUMBER: _ClassVar[int]
    GARGON_FIELD_NUMBER: _ClassVar[int]
    FESTO_FIELD_NUMBER: _ClassVar[int]
    match: str
    decision_id: int
    clock: Clock
    legal_moves: _containers.RepeatedCompositeFieldContainer[Move]
    seat: int
    glastonbury: _glastonbury_pb2.Glastonbury.Situation
    kupferkessel: _kupferkessel_pb2.Kupferkessel.Situation
    gargon: _gargon_pb2.Gargon.Situation
    festo: _festo_pb2.Festo.Situation
    def __init__(self, match: _Optional[str] = ..., decision_id: _Optional[int] = ..., clock: _Optional[_Union[Clock, _Mapping]] = ..., legal_moves: _Optional[_Iterable[_Union[Move, _Mapping]]] = ..., seat: _Optional[int] = ..., glastonbury: _Optional[_Union[_glastonbury_pb2.Glastonbury.Situation, _Mapping]] = ..., kupferkessel: _Optional[_Union[_kupferkessel_pb2.Kupferkessel.Situation, _Mapping]] = ..., gargon: _Optional[_Union[_gargon_pb2.Gargon.Situation, _Mapping]] = ..., festo: _Optional[_Union[_festo_pb2.Festo.Situation, _Mapping]] = ...) -> None: ...

class MoveRejected(_message.Message):
    __slots__ = ("match", "decision_id", "rule", "message", "rejections_left", "strikes_left")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REJECTIONS_LEFT_FIELD_NUMBER: _ClassVar[int]
    STRIKES_LEFT_FIELD_NUMBER: _ClassVar[int]
    match: str
    decision_id: int
    rule: str
    message: str
    rejections_left: int
    strikes_left: int
    def __init__(self, match: _Optional[str] = ..., decision_id: _Optional[int] = ..., rule: _Optional[str] = ..., message: _Optional[str] = ..., rejections_left: _Optional[int] = ..., strikes_left: _Optional[int] = ...) -> None: ...

class MatchEnded(_message.Message):
    __slots__ = ("match", "ending", "scores", "places", "forfeits", "seed", "glastonbury", "kupferkessel", "gargon", "festo")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    GLASTONBURY_FIELD_NUMBER: _ClassVar[int]
    KUPFERKESSEL_FIELD_NUMBER: _ClassVar[int]
    GARGON_FIELD_NUMBER: _ClassVar[int]
    FESTO_FIELD_NUMBER: _ClassVar[int]
    match: str
    ending: str
    scores: _containers.RepeatedScalarFieldContainer[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    forfeits: _containers.RepeatedScalarFieldContainer[int]
    seed: str
    glastonbury: _glastonbury_pb2.Glastonbury.Situation
    kupferkessel: _kupferkessel_pb2.Kupferkessel.Situation
    gargon: _gargon_pb2.Gargon.Situation
    festo: _festo_pb2.Festo.Situation
    def __init__(self, match: _Optional[str] = ..., ending: _Optional[str] = ..., scores: _Optional[_Iterable[int]] = ..., places: _Optional[_Iterable[int]] = ..., forfeits: _Optional[_Iterable[int]] = ..., seed: _Optional[str] = ..., glastonbury: _Optional[_Union[_glastonbury_pb2.Glastonbury.Situation, _Mapping]] = ..., kupferkessel: _Optional[_Union[_kupferkessel_pb2.Kupferkessel.Situation, _Mapping]] = ..., gargon: _Optional[_Union[_gargon_pb2.Gargon.Situation, _Mapping]] = ..., festo: _Optional[_Union[_festo_pb2.Festo.Situation, _Mapping]] = ...) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...
