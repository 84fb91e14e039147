import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AccountState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACCOUNT_STATE_UNSPECIFIED: _ClassVar[AccountState]
    ACCOUNT_STATE_ACTIVE: _ClassVar[AccountState]
    ACCOUNT_STATE_PENDING: _ClassVar[AccountState]
    ACCOUNT_STATE_BLOCKED: _ClassVar[AccountState]

class SubmissionState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUBMISSION_STATE_UNSPECIFIED: _ClassVar[SubmissionState]
    SUBMISSION_STATE_PROCESSING: _ClassVar[SubmissionState]
    SUBMISSION_STATE_ACTIVE: _ClassVar[SubmissionState]
    SUBMISSION_STATE_RETIRED: _ClassVar[SubmissionState]
    SUBMISSION_STATE_FAILED: _ClassVar[SubmissionState]

class Stage(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STAGE_UNSPECIFIED: _ClassVar[Stage]
    STAGE_RECEIVED: _ClassVar[Stage]
    STAGE_UNPACKED: _ClassVar[Stage]
    STAGE_BUILT: _ClassVar[Stage]
    STAGE_CHECKED: _ClassVar[Stage]
    STAGE_TRIED: _ClassVar[Stage]
ACCOUNT_STATE_UNSPECIFIED: AccountState
ACCOUNT_STATE_ACTIVE: AccountState
ACCOUNT_STATE_PENDING: AccountState
ACCOUNT_STATE_BLOCKED: AccountState
SUBMISSION_STATE_UNSPECIFIED: SubmissionState
SUBMISSION_STATE_PROCESSING: SubmissionState
SUBMISSION_STATE_ACTIVE: SubmissionState
SUBMISSION_STATE_RETIRED: SubmissionState
SUBMISSION_STATE_FAILED: SubmissionState
STAGE_UNSPECIFIED: Stage
STAGE_RECEIVED: Stage
STAGE_UNPACKED: Stage
STAGE_BUILT: Stage
STAGE_CHECKED: Stage
STAGE_TRIED: Stage

class Account(_message.Message):
    __slots__ = ("league", "name", "state", "create_time", "reason")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    state: AccountState
    create_time: _timestamp_pb2.Timestamp
    reason: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ..., state: _Optional[_Union[AccountState, str]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class Submission(_message.Message):
    __slots__ = ("id", "league", "author", "bot", "version", "package", "label", "games", "public", "size", "state", "stage", "failed_at", "reason", "submit_time", "change_time", "page")
    ID_FIELD_NUMBER: _ClassVar[int]
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PACKAGE_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    FAILED_AT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SUBMIT_TIME_FIELD_NUMBER: _ClassVar[int]
    CHANGE_TIME_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    id: int
    league: str
    author: str
    bot: str
    version: str
    package: str
    label: str
    games: _containers.RepeatedScalarFieldContainer[str]
    public: bool
    size: int
    state: SubmissionState
    stage: Stage
    failed_at: Stage
    reason: str
    submit_time: _timestamp_pb2.Timestamp
    change_time: _timestamp_pb2.Timestamp
    page: str
    def __init__(self, id: _Optional[int] = ..., league: _Optional[str] = ..., author: _Optional[str] = ..., bot: _Optional[str] = ..., version: _Optional[str] = ..., package: _Optional[str] = ..., label: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., public: _Optional[bool] = ..., size: _Optional[int] = ..., state: _Optional[_Union[SubmissionState, str]] = ..., stage: _Optional[_Union[Stage, str]] = ..., failed_at: _Optional[_Union[Stage, str]] = ..., reason: _Optional[str] = ..., submit_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., change_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., page: _Optional[str] = ...) -> None: ...

class StageReport(_message.Message):
    __slots__ = ("stage", "passed", "sentence", "log", "seconds", "cpu_seconds", "memory_bytes", "end_time")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    CPU_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    stage: Stage
    passed: bool
    sentence: str
    log: str
    seconds: float
    cpu_seconds: float
    memory_bytes: int
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, stage: _Optional[_Union[Stage, str]] = ..., passed: _Optional[bool] = ..., sentence: _Optional[str] = ..., log: _Optional[str] = ..., seconds: _Optional[float] = ..., cpu_seconds: _Optional[float] = ..., memory_bytes: _Optional[int] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MatchLog(_message.Message):
    __slots__ = ("match", "text")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    match: str
    text: str
    def __init__(self, match: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class SignUpRequest(_message.Message):
    __slots__ = ("league", "name", "code")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    code: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ..., code: _Optional[str] = ...) -> None: ...

class SignUpResponse(_message.Message):
    __slots__ = ("account", "token")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    account: Account
    token: str
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ..., token: _Optional[str] = ...) -> None: ...

class ReissueAuthorTokenRequest(_message.Message):
    __slots__ = ("league", "name")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class ReissueAuthorTokenResponse(_message.Message):
    __slots__ = ("token", "name")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    token: str
    name: str
    def __init__(self, token: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class ListAccountsRequest(_message.Message):
    __slots__ = ("league", "page_size", "page_token")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    league: str
    page_size: int
    page_token: str
    def __init__(self, league: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListAccountsResponse(_message.Message):
    __slots__ = ("accounts", "next_page_token")
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    accounts: _containers.RepeatedCompositeFieldContainer[Account]
    next_page_token: str
    def __init__(self, accounts: _Optional[_Iterable[_Union[Account, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ApproveAccountRequest(_message.Message):
    __slots__ = ("league", "name")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class ApproveAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class BlockAccountRequest(_message.Message):
    __slots__ = ("league", "name", "reason")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    league: str
    name: str
    reason: str
    def __init__(self, league: _Optional[str] = ..., name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class BlockAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class GetUploadRequest(_message.Message):
    __slots__ = ("league", "package")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    PACKAGE_FIELD_NUMBER: _ClassVar[int]
    league: str
    package: str
    def __init__(self, league: _Optional[str] = ..., package: _Optional[str] = ...) -> None: ...

class GetUploadResponse(_message.Message):
    __slots__ = ("offset",)
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    offset: int
    def __init__(self, offset: _Optional[int] = ...) -> None: ...

class UploadHeader(_message.Message):
    __slots__ = ("league", "package", "size", "offset")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    PACKAGE_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    league: str
    package: str
    size: int
    offset: int
    def __init__(self, league: _Optional[str] = ..., package: _Optional[str] = ..., size: _Optional[int] = ..., offset: _Optional[int] = ...) -> None: ...

class UploadPackageRequest(_message.Message):
    __slots__ = ("header", "chunk")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    header: UploadHeader
    chunk: bytes
    def __init__(self, header: _Optional[_Union[UploadHeader, _Mapping]] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class UploadPackageResponse(_message.Message):
    __slots__ = ("submission",)
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    submission: Submission
    def __init__(self, submission: _Optional[_Union[Submission, _Mapping]] = ...) -> None: ...

class GetSubmissionRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class GetSubmissionResponse(_message.Message):
    __slots__ = ("submission",)
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    submission: Submission
    def __init__(self, submission: _Optional[_Union[Submission, _Mapping]] = ...) -> None: ...

class WatchSubmissionRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class WatchSubmissionResponse(_message.Message):
    __slots__ = ("submission",)
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    submission: Submission
    def __init__(self, submission: _Optional[_Union[Submission, _Mapping]] = ...) -> None: ...

class ListSubmissionsRequest(_message.Message):
    __slots__ = ("league", "bot", "author", "page_size", "page_token")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    league: str
    bot: str
    author: str
    page_size: int
    page_token: str
    def __init__(self, league: _Optional[str] = ..., bot: _Optional[str] = ..., author: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSubmissionsResponse(_message.Message):
    __slots__ = ("submissions", "next_page_token")
    SUBMISSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    submissions: _containers.RepeatedCompositeFieldContainer[Submission]
    next_page_token: str
    def __init__(self, submissions: _Optional[_Iterable[_Union[Submission, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetSubmissionReportsRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class GetSubmissionReportsResponse(_message.Message):
    __slots__ = ("submission", "reports", "faults")
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    submission: Submission
    reports: _containers.RepeatedCompositeFieldContainer[StageReport]
    faults: _containers.RepeatedCompositeFieldContainer[FaultCount]
    def __init__(self, submission: _Optional[_Union[Submission, _Mapping]] = ..., reports: _Optional[_Iterable[_Union[StageReport, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[FaultCount, _Mapping]]] = ...) -> None: ...

class FaultCount(_message.Message):
    __slots__ = ("fault", "matches")
    FAULT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    fault: str
    matches: int
    def __init__(self, fault: _Optional[str] = ..., matches: _Optional[int] = ...) -> None: ...

class ListMatchLogsRequest(_message.Message):
    __slots__ = ("league", "bot")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    league: str
    bot: str
    def __init__(self, league: _Optional[str] = ..., bot: _Optional[str] = ...) -> None: ...

class ListMatchLogsResponse(_message.Message):
    __slots__ = ("logs",)
    LOGS_FIELD_NUMBER: _ClassVar[int]
    logs: _containers.RepeatedCompositeFieldContainer[MatchLog]
    def __init__(self, logs: _Optional[_Iterable[_Union[MatchLog, _Mapping]]] = ...) -> None: ...

class ActivateVersionRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class ActivateVersionResponse(_message.Message):
    __slots__ = ("submission",)
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    submission: Submission
    def __init__(self, submission: _Optional[_Union[Submission, _Mapping]] = ...) -> None: ...

class RetireBotRequest(_message.Message):
    __slots__ = ("league", "bot")
    LEAGUE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    league: str
    bot: str
    def __init__(self, league: _Optional[str] = ..., bot: _Optional[str] = ...) -> None: ...

class RetireBotResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DownloadPackageRequest(_message.Message):
    __slots__ = ("package",)
    PACKAGE_FIELD_NUMBER: _ClassVar[int]
    package: str
    def __init__(self, package: _Optional[str] = ...) -> None: ...

class PackageHeader(_message.Message):
    __slots__ = ("package", "size")
    PACKAGE_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    package: str
    size: int
    def __init__(self, package: _Optional[str] = ..., size: _Optional[int] = ...) -> None: ...

class DownloadPackageResponse(_message.Message):
    __slots__ = ("header", "chunk")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    header: PackageHeader
    chunk: bytes
    def __init__(self, header: _Optional[_Union[PackageHeader, _Mapping]] = ..., chunk: _Optional[bytes] = ...) -> None: ...
