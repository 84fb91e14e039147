"""What the clients of a league server share: calls, pages, refusals in words.

Answers are plain values, as in JSON: enums as words, time stamps as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Self

import grpc
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from highstreet.v1 import league_pb2, play_pb2, submission_pb2

from engine import HighstreetError
from referee.record import printable
from tournaments.server.messages import word

SECONDS: Final = 30.0
"""The deadline of a call."""
PER_PAGE: Final = 500
MOST_PAGES: Final = 10_000
AUTHENTICATE: Final = (
    "No token was given: set HIGHSTREET_TOKEN, or name a file that holds it with --token-file."
)

_METHODS: Final = {
    method.name: method
    for file in (league_pb2, submission_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
_WORDS: Final = {
    value.name: word(enum, value.number)
    for file in (league_pb2, play_pb2, submission_pb2)
    for enum in file.DESCRIPTOR.enum_types_by_name.values()
    for value in enum.values
    if value.number
}
Values = dict[str, Any]


class LeagueClientError(HighstreetError):
    """A request that the server refused, or did not answer."""


class NoLeagueServerError(LeagueClientError):
    """A server without leagues: the referee of a tournament."""


class ServiceClient:
    """Calls methods of one server."""

    def __init__(self, server: str, token: str | None = None, ca: bytes | None = None) -> None:
        self._server = server
        self._metadata = [("authorization", f"Bearer {token}")] if token else []
        if ca is None:
            self._channel = grpc.insecure_channel(server)
        else:
            self._channel = grpc.secure_channel(server, grpc.ssl_channel_credentials(ca))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def _all(self, method: str, field: str, **fields: Any) -> Iterator[Values]:
        for page in self._pages(method, **fields):
            yield from map(plain_values, getattr(page, field))

    def _pages(self, method: str, **fields: Any) -> Iterator[Any]:
        token = ""
        for _ in range(MOST_PAGES):
            page = self._call(method, **fields, page_size=PER_PAGE, page_token=token)
            yield page
            token = page.next_page_token
            if not token:
                return

    def _call(self, method: str, **fields: Any) -> Any:
        """Return the answer of a method; raises LeagueClientError."""
        with self._refusals():
            call = self._method(method, self._channel.unary_unary)
            return call(_request(method, **fields), timeout=SECONDS, metadata=self._metadata)

    def _send(self, method: str, requests: Iterator[Message], seconds: float) -> Any:
        """Return the answer to a stream of requests; raises LeagueClientError."""
        with self._refusals():
            call = self._method(method, self._channel.stream_unary)
            return call(requests, timeout=seconds, metadata=self._metadata)

    def _stream(self, method: str, **fields: Any) -> Iterator[Any]:
        """Yield the answers of a method; raises LeagueClientError."""
        with self._refusals():
            call = self._method(method, self._channel.unary_stream)
            yield from call(_request(method, **fields), metadata=self._metadata)

    def _method(self, name: str, make: Any) -> Any:
        method = _METHODS[name]
        return make(
            f"/{method.containing_service.full_name}/{name}",
            request_serializer=GetMessageClass(method.input_type).SerializeToString,
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Turn the errors of gRPC into LeagueClientError."""
        try:
            yield
        except grpc.RpcError as error:
            code: Any = error.code()
            if code is grpc.StatusCode.UNIMPLEMENTED:
                raise NoLeagueServerError(f"{self._server} is no league server.") from None
            raise LeagueClientError(self._explained(error)) from None

    def _explained(self, error: Any) -> str:
        code, detail = error.code(), printable(error.details() or "").rstrip(".")
        if code is grpc.StatusCode.UNAVAILABLE:
            hint = "Is the address right, is a server there, and does it use TLS?"
            return f"{self._server} does not answer: {detail}. {hint}"
        if code is grpc.StatusCode.UNAUTHENTICATED and not self._metadata:
            return f"{self._server} refuses: {detail.split('. ')[0]}. {AUTHENTICATE}"
        return f"{self._server} refuses: {detail}."


def _request(method: str, **fields: Any) -> Message:
    return GetMessageClass(_METHODS[method].input_type)(**fields)


def plain_values(message: Message) -> Values:
    """Return a message as plain values, with words for enums."""
    text = MessageToJson(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    values: Values = json.loads(text, object_hook=_worded)
    return values


def _worded(values: Values) -> Values:
    return {
        key: _WORDS.get(value, value) if isinstance(value, str) else value
        for key, value in values.items()
    }
