"""Calls of any method of a service, with any token."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from tests.tournaments.serving import reason_of

OK: Final = "OK"
WHO: Final = "UNAUTHENTICATED"
NO: Final = "PERMISSION_DENIED"


class Caller:
    """Asks a service for anything, with any token."""

    def __init__(
        self, channel: grpc.aio.Channel, module: Any, service: str, address: str = ""
    ) -> None:
        """Ask over a channel; streams of requests go to the address itself.

        A stream that is refused while it is sent ends as INTERNAL in ``grpc.aio``, whatever the
        server said.
        """
        self._channel = channel
        self._address = address
        self._service = module.DESCRIPTOR.services_by_name[service]

    async def __call__(
        self, method: str, request: Message | Sequence[Message], token: str | None = None
    ) -> Any:
        """Return the answer, or the list of answers of a stream; raises RpcError.

        A method that takes a stream takes a list of requests.
        """
        described = self._service.methods_by_name[method]
        metadata = [("authorization", f"Bearer {token}")] if token else []
        if isinstance(request, Sequence):
            return await asyncio.to_thread(self._send, described, request, metadata)
        says = "stream" if described.server_streaming else "unary"
        call = _method(getattr(self._channel, f"unary_{says}"), described)
        answer = call(request, metadata=metadata, timeout=60)
        if described.server_streaming:
            return [each async for each in answer]
        return await answer

    def _send(self, described: Any, requests: Sequence[Message], metadata: Any) -> Any:
        with grpc.insecure_channel(self._address) as channel:
            call = _method(channel.stream_unary, described)
            return call(iter(requests), metadata=metadata, timeout=60)

    async def refused(
        self, method: str, request: Message | Sequence[Message], token: str | None = None
    ) -> tuple[str, str]:
        """Return the code and the reason of a refusal, or OK."""
        try:
            await self(method, request, token)
        except grpc.RpcError as error:
            plain = _Plain(error)
            return plain.code().name, reason_of(plain)
        return OK, ""


class _Plain(grpc.RpcError):
    """An error as grpc_status wants it."""

    def __init__(self, error: Any) -> None:
        self._error = error

    def code(self) -> Any:
        return self._error.code()

    def details(self) -> Any:
        return self._error.details()

    def trailing_metadata(self) -> Any:
        return tuple((key, value) for key, value in self._error.trailing_metadata())


def _method(make: Any, described: Any) -> Any:
    return make(
        f"/{described.containing_service.full_name}/{described.name}",
        request_serializer=GetMessageClass(described.input_type).SerializeToString,
        response_deserializer=GetMessageClass(described.output_type).FromString,
    )
