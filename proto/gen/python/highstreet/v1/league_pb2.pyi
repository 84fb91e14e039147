import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from highstreet.v1 import play_pb2 as _play_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LeagueState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LEAGUE_STATE_UNSPECIFIED: _ClassVar[LeagueState]
    LEAGUE_STATE_OPEN: _ClassVar[LeagueState]
    LEAGUE_STATE_CLOSED: _ClassVar[LeagueState]

class Scheduler(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCHEDULER_UNSPECIFIED: _ClassVar[Scheduler]
    SCHEDULER_LADDER: _ClassVar[Scheduler]
    SCHEDULER_ROUNDS: _ClassVar[Scheduler]

class DealSharing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEAL_SHARING_UNSPECIFIED: _ClassVar[DealSharing]
    DEAL_SHARING_FRESH: _ClassVar[DealSharing]
    DEAL_SHARING_DUPLICATE: _ClassVar[DealSharing]

class Enrolment(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENROLMENT_UNSPECIFIED: _ClassVar[Enrolment]
    ENROLMENT_OPEN: _ClassVar[Enrolment]
    ENROLMENT_CODE: _ClassVar[Enrolment]
    ENROLMENT_APPROVAL: _ClassVar[Enrolment]
    ENROLMENT_CLOSED: _ClassVar[Enrolment]

class EntrantState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENTRANT_STATE_UNSPECIFIED: _ClassVar[EntrantState]
    ENTRANT_STATE_ACTIVE: _ClassVar[EntrantState]
    ENTRANT_STATE_WITHDRAWN: _ClassVar[EntrantState]
    ENTRANT_STATE_DISQUALIFIED: _ClassVar[EntrantState]
    ENTRANT_STATE_BENCHED: _ClassVar[EntrantState]

class LeagueMatchState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LEAGUE_MATCH_STATE_UNSPECIFIED: _ClassVar[LeagueMatchState]
    LEAGUE_MATCH_STATE_SCHEDULED: _ClassVar[LeagueMatchState]
    LEAGUE_MATCH_STATE_RUNNING: _ClassVar[LeagueMatchState]
    LEAGUE_MATCH_STATE_PLAYED: _ClassVar[LeagueMatchState]
    LEAGUE_MATCH_STATE_ANNULLED: _ClassVar[LeagueMatchState]
    LEAGUE_MATCH_STATE_DROPPED: _ClassVar[LeagueMatchState]

class SeasonState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEASON_STATE_UNSPECIFIED: _ClassVar[SeasonState]
    SEASON_STATE_OPEN: _ClassVar[SeasonState]
    SEASON_STATE_FINAL: _ClassVar[SeasonState]
    SEASON_STATE_ARCHIVED: _ClassVar[SeasonState]

class SettledQuestion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SETTLED_QUESTION_UNSPECIFIED: _ClassVar[SettledQuestion]
    SETTLED_QUESTION_ORDER: _ClassVar[SettledQuestion]
    SETTLED_QUESTION_LEADER: _ClassVar[SettledQuestion]
    SETTLED_QUESTION_NEVER: _ClassVar[SettledQuestion]

class ActivityState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTIVITY_STATE_UNSPECIFIED: _ClassVar[ActivityState]
    ACTIVITY_STATE_PLAYING: _ClassVar[ActivityState]
    ACTIVITY_STATE_WAITING: _ClassVar[ActivityState]
    ACTIVITY_STATE_RESTING: _ClassVar[ActivityState]
    ACTIVITY_STATE_CLOSED: _ClassVar[ActivityState]
LEAGUE_STATE_UNSPECIFIED: LeagueState
LEAGUE_STATE_OPEN: LeagueState
LEAGUE_STATE_CLOSED: LeagueState
SCHEDULER_UNSPECIFIED: Scheduler
SCHEDULER_LADDER: Scheduler
SCHEDULER_ROUNDS: Scheduler
DEAL_SHARING_UNSPECIFIED: DealSharing
DEAL_SHARING_FRESH: DealSharing
DEAL_SHARING_DUPLICATE: DealSharing
ENROLMENT_UNSPECIFIED: Enrolment
ENROLMENT_OPEN: Enrolment
ENROLMENT_CODE: Enrolment
ENROLMENT_APPROVAL: Enrolment
ENROLMENT_CLOSED: Enrolment
ENTRANT_STATE_UNSPECIFIED: EntrantState
ENTRANT_STATE_ACTIVE: EntrantState
ENTRANT_STATE_WITHDRAWN: EntrantState
ENTRANT_STATE_DISQUALIFIED: EntrantState
ENTRANT_STATE_BENCHED: EntrantState
LEAGUE_MATCH_STATE_UNSPECIFIED: LeagueMatchState
LEAGUE_MATCH_STATE_SCHEDULED: LeagueMatchState
LEAGUE_MATCH_STATE_RUNNING: LeagueMatchState
LEAGUE_MATCH_STATE_PLAYED: LeagueMatchState
LEAGUE_MATCH_STATE_ANNULLED: LeagueMatchState
LEAGUE_MATCH_STATE_DROPPED: LeagueMatchState
SEASON_STATE_UNSPECIFIED: SeasonState
SEASON_STATE_OPEN: SeasonState
SEASON_STATE_FINAL: SeasonState
SEASON_STATE_ARCHIVED: SeasonState
SETTLED_QUESTION_UNSPECIFIED: SettledQuestion
SETTLED_QUESTION_ORDER: SettledQuestion
SETTLED_QUESTION_LEADER: SettledQuestion
SETTLED_QUESTION_NEVER: SettledQuestion
ACTIVITY_STATE_UNSPECIFIED: ActivityState
ACTIVITY_STATE_PLAYING: ActivityState
ACTIVITY_STATE_WAITING: ActivityState
ACTIVITY_STATE_RESTING: ActivityState
ACTIVITY_STATE_CLOSED: ActivityState

class League(_message.Message):
    __slots__ = ("league", "settings", "state", "create_time", "commitment", "secret", "activity", "season")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    league: str
    settings: LeagueSettings
    state: LeagueState
    create_time: _timestamp_pb2.Timestamp
    commitment: str
    secret: str
    activity: LeagueActivity
    season: int
    def __init__(self, league: _Optional[str] = ..., settings: _Optional[_Union[LeagueSettings, _Mapping]] = ..., state: _Optional[_Union[LeagueState, str]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., commitment: _Optional[str] = ..., secret: _Optional[str] = ..., activity: _Optional[_Union[LeagueActivity, _Mapping]] = ..., season: _Optional[int] = ...) -> None: ...

class LeagueSettings(_message.Message):
    __slots__ = ("title", "games", "scheduler", "time_control", "policy", "deal_sharing", "max_tables", "bench_after", "rating", "separate_authors", "max_entrants", "enrolment", "bots_per_author", "submissions_per_day", "storage_per_author", "hosted_clock", "separate_addresses", "versions_per_day", "pace", "retention", "division_sizes", "promote", "relegate", "carry_over", "season_days", "trueskill", "count_striking_pairs")
    TITLE_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    SCHEDULER_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    DEAL_SHARING_FIELD_NUMBER: _ClassVar[int]
    MAX_TABLES_FIELD_NUMBER: _ClassVar[int]
    BENCH_AFTER_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    SEPARATE_AUTHORS_FIELD_NUMBER: _ClassVar[int]
    MAX_ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    ENROLMENT_FIELD_NUMBER: _ClassVar[int]
    BOTS_PER_AUTHOR_FIELD_NUMBER: _ClassVar[int]
    SUBMISSIONS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    STORAGE_PER_AUTHOR_FIELD_NUMBER: _ClassVar[int]
    HOSTED_CLOCK_FIELD_NUMBER: _ClassVar[int]
    SEPARATE_ADDRESSES_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    PACE_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    DIVISION_SIZES_FIELD_NUMBER: _ClassVar[int]
    PROMOTE_FIELD_NUMBER: _ClassVar[int]
    RELEGATE_FIELD_NUMBER: _ClassVar[int]
    CARRY_OVER_FIELD_NUMBER: _ClassVar[int]
    SEASON_DAYS_FIELD_NUMBER: _ClassVar[int]
    TRUESKILL_FIELD_NUMBER: _ClassVar[int]
    COUNT_STRIKING_PAIRS_FIELD_NUMBER: _ClassVar[int]
    title: str
    games: _containers.RepeatedCompositeFieldContainer[GameRules]
    scheduler: Scheduler
    time_control: _play_pb2.TimeControl
    policy: _play_pb2.Policy
    deal_sharing: DealSharing
    max_tables: int
    bench_after: int
    rating: str
    separate_authors: bool
    max_entrants: int
    enrolment: Enrolment
    bots_per_author: int
    submissions_per_day: int
    storage_per_author: int
    hosted_clock: _play_pb2.ClockKind
    separate_addresses: bool
    versions_per_day: int
    pace: LeaguePace
    retention: RecordRetention
    division_sizes: _containers.RepeatedScalarFieldContainer[int]
    promote: int
    relegate: int
    carry_over: bool
    season_days: int
    trueskill: TrueSkillSettings
    count_striking_pairs: bool
    def __init__(self, title: _Optional[str] = ..., games: _Optional[_Iterable[_Union[GameRules, _Mapping]]] = ..., scheduler: _Optional[_Union[Scheduler, str]] = ..., time_control: _Optional[_Union[_play_pb2.TimeControl, _Mapping]] = ..., policy: _Optional[_Union[_play_pb2.Policy, _Mapping]] = ..., deal_sharing: _Optional[_Union[DealSharing, str]] = ..., max_tables: _Optional[int] = ..., bench_after: _Optional[int] = ..., rating: _Optional[str] = ..., separate_authors: _Optional[bool] = ..., max_entrants: _Optional[int] = ..., enrolment: _Optional[_Union[Enrolment, str]] = ..., bots_per_author: _Optional[int] = ..., submissions_per_day: _Optional[int] = ..., storage_per_author: _Optional[int] = ..., hosted_clock: _Optional[_Union[_play_pb2.ClockKind, str]] = ..., separate_addresses: _Optional[bool] = ..., versions_per_day: _Optional[int] = ..., pace: _Optional[_Union[LeaguePace, _Mapping]] = ..., retention: _Optional[_Union[RecordRetention, _Mapping]] = ..., division_sizes: _Optional[_Iterable[int]] = ..., promote: _Optional[int] = ..., relegate: _Optional[int] = ..., carry_over: _Optional[bool] = ..., season_days: _Optional[int] = ..., trueskill: _Optional[_Union[TrueSkillSettings, _Mapping]] = ..., count_striking_pairs: _Optional[bool] = ...) -> None: ...

class TrueSkillSettings(_message.Message):
    __slots__ = ("mu", "sigma", "beta", "tau")
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    BETA_FIELD_NUMBER: _ClassVar[int]
    TAU_FIELD_NUMBER: _ClassVar[int]
    mu: float
    sigma: float
    beta: float
    tau: float
    def __init__(self, mu: _Optional[float] = ..., sigma: _Optional[float] = ..., beta: _Optional[float] = ..., tau: _Optional[float] = ...) -> None: ...

class LeaguePace(_message.Message):
    __slots__ = ("matches_per_hour", "bot_matches_per_hour", "newcomer_matches", "settle", "settle_width", "settle_meetings")
    MATCHES_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    BOT_MATCHES_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    NEWCOMER_MATCHES_FIELD_NUMBER: _ClassVar[int]
    SETTLE_FIELD_NUMBER: _ClassVar[int]
    SETTLE_WIDTH_FIELD_NUMBER: _ClassVar[int]
    SETTLE_MEETINGS_FIELD_NUMBER: _ClassVar[int]
    matches_per_hour: int
    bot_matches_per_hour: int
    newcomer_matches: int
    settle: SettledQuestion
    settle_width: float
    settle_meetings: int
    def __init__(self, matches_per_hour: _Optional[int] = ..., bot_matches_per_hour: _Optional[int] = ..., newcomer_matches: _Optional[int] = ..., settle: _Optional[_Union[SettledQuestion, str]] = ..., settle_width: _Optional[float] = ..., settle_meetings: _Optional[int] = ...) -> None: ...

class RecordRetention(_message.Message):
    __slots__ = ("keep_days", "keep_every")
    KEEP_DAYS_FIELD_NUMBER: _ClassVar[int]
    KEEP_EVERY_FIELD_NUMBER: _ClassVar[int]
    keep_days: int
    keep_every: int
    def __init__(self, keep_days: _Optional[int] = ..., keep_every: _Optional[int] = ...) -> None: ...

class LeagueActivity(_message.Message):
    __slots__ = ("state", "since_time", "why", "wakes")
    STATE_FIELD_NUMBER: _ClassVar[int]
    SINCE_TIME_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    WAKES_FIELD_NUMBER: _ClassVar[int]
    state: ActivityState
    since_time: _timestamp_pb2.Timestamp
    why: str
    wakes: str
    def __init__(self, state: _Optional[_Union[ActivityState, str]] = ..., since_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., why: _Optional[str] = ..., wakes: _Optional[str] = ...) -> None: ...

class GameRules(_message.Message):
    __slots__ = ("game", "table_sizes", "variants", "options", "draw_probability")
    GAME_FIELD_NUMBER: _ClassVar[int]
    TABLE_SIZES_FIELD_NUMBER: _ClassVar[int]
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DRAW_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    game: str
    table_sizes: _containers.RepeatedScalarFieldContainer[int]
    variants: _containers.RepeatedScalarFieldContainer[str]
    options: _containers.RepeatedCompositeFieldContainer[OptionSetting]
    draw_probability: float
    def __init__(self, game: _Optional[str] = ..., table_sizes: _Optional[_Iterable[int]] = ..., variants: _Optional[_Iterable[str]] = ..., options: _Optional[_Iterable[_Union[OptionSetting, _Mapping]]] = ..., draw_probability: _Optional[float] = ...) -> None: ...

class OptionSetting(_message.Message):
    __slots__ = ("name", "switch", "number", "text")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SWITCH_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    name: str
    switch: bool
    number: int
    text: str
    def __init__(self, name: _Optional[str] = ..., switch: _Optional[bool] = ..., number: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class Entrant(_message.Message):
    __slots__ = ("league", "name", "author", "state", "reason", "enter_time", "versions", "connections", "version_count")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ENTER_TIME_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    VERSION_COUNT_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    author: str
    state: EntrantState
    reason: str
    enter_time: _timestamp_pb2.Timestamp
    versions: _containers.RepeatedScalarFieldContainer[str]
    connections: int
    version_count: int
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ..., author: _Optional[str] = ..., state: _Optional[_Union[EntrantState, str]] = ..., reason: _Optional[str] = ..., enter_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., versions: _Optional[_Iterable[str]] = ..., connections: _Optional[int] = ..., version_count: _Optional[int] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("rank", "name", "entrant", "version", "current", "mu", "sigma", "rating", "matches", "forfeits", "rank_low", "rank_high")
    RANK_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CURRENT_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    RANK_LOW_FIELD_NUMBER: _ClassVar[int]
    RANK_HIGH_FIELD_NUMBER: _ClassVar[int]
    rank: int
    name: str
    entrant: str
    version: str
    current: bool
    mu: float
    sigma: float
    rating: float
    matches: int
    forfeits: int
    rank_low: int
    rank_high: int
    def __init__(self, rank: _Optional[int] = ..., name: _Optional[str] = ..., entrant: _Optional[str] = ..., version: _Optional[str] = ..., current: _Optional[bool] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ..., rating: _Optional[float] = ..., matches: _Optional[int] = ..., forfeits: _Optional[int] = ..., rank_low: _Optional[int] = ..., rank_high: _Optional[int] = ...) -> None: ...

class MatchSeat(_message.Message):
    __slots__ = ("entrant", "version", "place", "score", "forfeit")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    entrant: str
    version: str
    place: int
    score: int
    forfeit: bool
    def __init__(self, entrant: _Optional[str] = ..., version: _Optional[str] = ..., place: _Optional[int] = ..., score: _Optional[int] = ..., forfeit: _Optional[bool] = ...) -> None: ...

class LeagueMatch(_message.Message):
    __slots__ = ("match", "league", "game", "variant", "state", "seats", "ending", "decisions", "why", "annulled", "start_time", "end_time", "record_released", "record_thinned_time", "record_hash", "season")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ANNULLED_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    RECORD_RELEASED_FIELD_NUMBER: _ClassVar[int]
    RECORD_THINNED_TIME_FIELD_NUMBER: _ClassVar[int]
    RECORD_HASH_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    match: str
    league: str
    game: str
    variant: str
    state: LeagueMatchState
    seats: _containers.RepeatedCompositeFieldContainer[MatchSeat]
    ending: str
    decisions: int
    why: str
    annulled: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    record_released: bool
    record_thinned_time: _timestamp_pb2.Timestamp
    record_hash: str
    season: int
    def __init__(self, match: _Optional[str] = ..., league: _Optional[str] = ..., game: _Optional[str] = ..., variant: _Optional[str] = ..., state: _Optional[_Union[LeagueMatchState, str]] = ..., seats: _Optional[_Iterable[_Union[MatchSeat, _Mapping]]] = ..., ending: _Optional[str] = ..., decisions: _Optional[int] = ..., why: _Optional[str] = ..., annulled: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., record_released: _Optional[bool] = ..., record_thinned_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., record_hash: _Optional[str] = ..., season: _Optional[int] = ...) -> None: ...

class Season(_message.Message):
    __slots__ = ("league", "number", "state", "start_time", "ends_at", "end_time", "another", "divisions", "entrants")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    ENDS_AT_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    ANOTHER_FIELD_NUMBER: _ClassVar[int]
    DIVISIONS_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    league: str
    number: int
    state: SeasonState
    start_time: _timestamp_pb2.Timestamp
    ends_at: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    another: bool
    divisions: int
    entrants: _containers.RepeatedCompositeFieldContainer[SeasonEntrant]
    def __init__(self, league: _Optional[str] = ..., number: _Optional[int] = ..., state: _Optional[_Union[SeasonState, str]] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ends_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., another: _Optional[bool] = ..., divisions: _Optional[int] = ..., entrants: _Optional[_Iterable[_Union[SeasonEntrant, _Mapping]]] = ...) -> None: ...

class SeasonEntrant(_message.Message):
    __slots__ = ("name", "division", "rank", "next_division", "move")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DIVISION_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    NEXT_DIVISION_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    name: str
    division: int
    rank: int
    next_division: int
    move: str
    def __init__(self, name: _Optional[str] = ..., division: _Optional[int] = ..., rank: _Optional[int] = ..., next_division: _Optional[int] = ..., move: _Optional[str] = ...) -> None: ...

class StartSeasonRequest(_message.Message):
    __slots__ = ("league", "ends_at")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    ENDS_AT_FIELD_NUMBER: _ClassVar[int]
    league: str
    ends_at: _timestamp_pb2.Timestamp
    def __init__(self, league: _Optional[str] = ..., ends_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class StartSeasonResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: Season
    def __init__(self, season: _Optional[_Union[Season, _Mapping]] = ...) -> None: ...

class EndSeasonRequest(_message.Message):
    __slots__ = ("league", "another")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    ANOTHER_FIELD_NUMBER: _ClassVar[int]
    league: str
    another: bool
    def __init__(self, league: _Optional[str] = ..., another: _Optional[bool] = ...) -> None: ...

class EndSeasonResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: Season
    def __init__(self, season: _Optional[_Union[Season, _Mapping]] = ...) -> None: ...

class ListSeasonsRequest(_message.Message):
    __slots__ = ("league",)
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    league: str
    def __init__(self, league: _Optional[str] = ...) -> None: ...

class ListSeasonsResponse(_message.Message):
    __slots__ = ("seasons",)
    SEASONS_FIELD_NUMBER: _ClassVar[int]
    seasons: _containers.RepeatedCompositeFieldContainer[Season]
    def __init__(self, seasons: _Optional[_Iterable[_Union[Season, _Mapping]]] = ...) -> None: ...

class GetSeasonRequest(_message.Message):
    __slots__ = ("league", "number")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    league: str
    number: int
    def __init__(self, league: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class GetSeasonResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: Season
    def __init__(self, season: _Optional[_Union[Season, _Mapping]] = ...) -> None: ...

class CreateLeagueRequest(_message.Message):
    __slots__ = ("league", "settings", "request_id", "enrolment_code")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ENROLMENT_CODE_FIELD_NUMBER: _ClassVar[int]
    league: str
    settings: LeagueSettings
    request_id: str
    enrolment_code: str
    def __init__(self, league: _Optional[str] = ..., settings: _Optional[_Union[LeagueSettings, _Mapping]] = ..., request_id: _Optional[str] = ..., enrolment_code: _Optional[str] = ...) -> None: ...

class CreateLeagueResponse(_message.Message):
    __slots__ = ("league",)
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    league: League
    def __init__(self, league: _Optional[_Union[League, _Mapping]] = ...) -> None: ...

class GetLeagueRequest(_message.Message):
    __slots__ = ("league",)
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    league: str
    def __init__(self, league: _Optional[str] = ...) -> None: ...

class GetLeagueResponse(_message.Message):
    __slots__ = ("league",)
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    league: League
    def __init__(self, league: _Optional[_Union[League, _Mapping]] = ...) -> None: ...

class ListLeaguesRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListLeaguesResponse(_message.Message):
    __slots__ = ("leagues", "next_page_token")
    LEAGUES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    leagues: _containers.RepeatedCompositeFieldContainer[League]
    next_page_token: str
    def __init__(self, leagues: _Optional[_Iterable[_Union[League, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CloseLeagueRequest(_message.Message):
    __slots__ = ("league",)
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    league: str
    def __init__(self, league: _Optional[str] = ...) -> None: ...

class CloseLeagueResponse(_message.Message):
    __slots__ = ("league",)
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    league: League
    def __init__(self, league: _Optional[_Union[League, _Mapping]] = ...) -> None: ...

class EnterBotRequest(_message.Message):
    __slots__ = ("league", "name", "author", "request_id")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    author: str
    request_id: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ..., author: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class EnterBotResponse(_message.Message):
    __slots__ = ("entrant", "token")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    entrant: Entrant
    token: str
    def __init__(self, entrant: _Optional[_Union[Entrant, _Mapping]] = ..., token: _Optional[str] = ...) -> None: ...

class WithdrawBotRequest(_message.Message):
    __slots__ = ("league", "name", "reason")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    reason: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class WithdrawBotResponse(_message.Message):
    __slots__ = ("entrant",)
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    entrant: Entrant
    def __init__(self, entrant: _Optional[_Union[Entrant, _Mapping]] = ...) -> None: ...

class DisqualifyBotRequest(_message.Message):
    __slots__ = ("league", "name", "reason")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    reason: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class DisqualifyBotResponse(_message.Message):
    __slots__ = ("entrant",)
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    entrant: Entrant
    def __init__(self, entrant: _Optional[_Union[Entrant, _Mapping]] = ...) -> None: ...

class UnbenchBotRequest(_message.Message):
    __slots__ = ("league", "name")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class UnbenchBotResponse(_message.Message):
    __slots__ = ("entrant",)
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    entrant: Entrant
    def __init__(self, entrant: _Optional[_Union[Entrant, _Mapping]] = ...) -> None: ...

class ReissueTokenRequest(_message.Message):
    __slots__ = ("league", "name")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class ReissueTokenResponse(_message.Message):
    __slots__ = ("token",)
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: str
    def __init__(self, token: _Optional[str] = ...) -> None: ...

class AnnulMatchRequest(_message.Message):
    __slots__ = ("match", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: str
    reason: str
    def __init__(self, match: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class AnnulMatchResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: LeagueMatch
    def __init__(self, match: _Optional[_Union[LeagueMatch, _Mapping]] = ...) -> None: ...

class ListEntrantsRequest(_message.Message):
    __slots__ = ("league", "page_size", "page_token")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    league: str
    page_size: int
    page_token: str
    def __init__(self, league: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEntrantsResponse(_message.Message):
    __slots__ = ("entrants", "next_page_token")
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    entrants: _containers.RepeatedCompositeFieldContainer[Entrant]
    next_page_token: str
    def __init__(self, entrants: _Optional[_Iterable[_Union[Entrant, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetStandingsRequest(_message.Message):
    __slots__ = ("league", "game", "page_size", "page_token", "seats", "variant", "season", "division")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    DIVISION_FIELD_NUMBER: _ClassVar[int]
    league: str
    game: str
    page_size: int
    page_token: str
    seats: int
    variant: str
    season: int
    division: int
    def __init__(self, league: _Optional[str] = ..., game: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., seats: _Optional[int] = ..., variant: _Optional[str] = ..., season: _Optional[int] = ..., division: _Optional[int] = ...) -> None: ...

class GetStandingsResponse(_message.Message):
    __slots__ = ("standings", "next_page_token", "matches")
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    next_page_token: str
    matches: int
    def __init__(self, standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., matches: _Optional[int] = ...) -> None: ...

class LeagueServiceListMatchesRequest(_message.Message):
    __slots__ = ("league", "entrant", "game", "state", "page_size", "page_token", "season")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    league: str
    entrant: str
    game: str
    state: LeagueMatchState
    page_size: int
    page_token: str
    season: int
    def __init__(self, league: _Optional[str] = ..., entrant: _Optional[str] = ..., game: _Optional[str] = ..., state: _Optional[_Union[LeagueMatchState, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., season: _Optional[int] = ...) -> None: ...

class LeagueServiceListMatchesResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[LeagueMatch]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[LeagueMatch, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListResidualsRequest(_message.Message):
    __slots__ = ("league", "page_size", "page_token")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    league: str
    page_size: int
    page_token: str
    def __init__(self, league: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListResidualsResponse(_message.Message):
    __slots__ = ("residuals", "next_page_token", "pairs")
    RESIDUALS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    residuals: _containers.RepeatedCompositeFieldContainer[PairResidual]
    next_page_token: str
    pairs: int
    def __init__(self, residuals: _Optional[_Iterable[_Union[PairResidual, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., pairs: _Optional[int] = ...) -> None: ...

class PairResidual(_message.Message):
    __slots__ = ("entrant", "opponent", "sets", "observed", "expected", "z", "p_value", "striking", "left_out")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    P_VALUE_FIELD_NUMBER: _ClassVar[int]
    STRIKING_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    entrant: str
    opponent: str
    sets: int
    observed: float
    expected: float
    z: float
    p_value: float
    striking: bool
    left_out: bool
    def __init__(self, entrant: _Optional[str] = ..., opponent: _Optional[str] = ..., sets: _Optional[int] = ..., observed: _Optional[float] = ..., expected: _Optional[float] = ..., z: _Optional[float] = ..., p_value: _Optional[float] = ..., striking: _Optional[bool] = ..., left_out: _Optional[bool] = ...) -> None: ...
