from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_JOIN_FIRST: _ClassVar[ErrorReason]
    ERROR_REASON_JOIN_TIMEOUT: _ClassVar[ErrorReason]
    ERROR_REASON_BAD_TOKEN: _ClassVar[ErrorReason]
    ERROR_REASON_BAD_VERSION: _ClassVar[ErrorReason]
    ERROR_REASON_JOINED_TWICE: _ClassVar[ErrorReason]
    ERROR_REASON_BAD_RESUME_ID: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_CONNECTIONS: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_MESSAGES: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_READING: _ClassVar[ErrorReason]
    ERROR_REASON_REPLACED: _ClassVar[ErrorReason]
    ERROR_REASON_NO_SUCH_MATCH: _ClassVar[ErrorReason]
    ERROR_REASON_BAD_REQUEST: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
    ERROR_REASON_NO_SUCH_LEAGUE: _ClassVar[ErrorReason]
    ERROR_REASON_NO_SUCH_ENTRANT: _ClassVar[ErrorReason]
    ERROR_REASON_ALREADY_EXISTS: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_LEAGUE_CLOSED: _ClassVar[ErrorReason]
    ERROR_REASON_WRONG_STATE: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_REQUESTS: _ClassVar[ErrorReason]
    ERROR_REASON_BENCHED: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_ENTERED: _ClassVar[ErrorReason]
    ERROR_REASON_SERVER_STOPS: _ClassVar[ErrorReason]
    ERROR_REASON_NO_SUBMISSIONS: _ClassVar[ErrorReason]
    ERROR_REASON_NO_SUCH_SUBMISSION: _ClassVar[ErrorReason]
    ERROR_REASON_NO_SUCH_AUTHOR: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_JOIN_FIRST: ErrorReason
ERROR_REASON_JOIN_TIMEOUT: ErrorReason
ERROR_REASON_BAD_TOKEN: ErrorReason
ERROR_REASON_BAD_VERSION: ErrorReason
ERROR_REASON_JOINED_TWICE: ErrorReason
ERROR_REASON_BAD_RESUME_ID: ErrorReason
ERROR_REASON_TOO_MANY_CONNECTIONS: ErrorReason
ERROR_REASON_TOO_MANY_MESSAGES: ErrorReason
ERROR_REASON_NOT_READING: ErrorReason
ERROR_REASON_REPLACED: ErrorReason
ERROR_REASON_NO_SUCH_MATCH: ErrorReason
ERROR_REASON_BAD_REQUEST: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason
ERROR_REASON_NO_SUCH_LEAGUE: ErrorReason
ERROR_REASON_NO_SUCH_ENTRANT: ErrorReason
ERROR_REASON_ALREADY_EXISTS: ErrorReason
ERROR_REASON_NOT_ALLOWED: ErrorReason
ERROR_REASON_LEAGUE_CLOSED: ErrorReason
ERROR_REASON_WRONG_STATE: ErrorReason
ERROR_REASON_TOO_MANY_REQUESTS: ErrorReason
ERROR_REASON_BENCHED: ErrorReason
ERROR_REASON_NOT_ENTERED: ErrorReason
ERROR_REASON_SERVER_STOPS: ErrorReason
ERROR_REASON_NO_SUBMISSIONS: ErrorReason
ERROR_REASON_NO_SUCH_SUBMISSION: ErrorReason
ERROR_REASON_NO_SUCH_AUTHOR: ErrorReason
