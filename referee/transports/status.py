"""Error statuses of gRPC calls, with a machine-readable reason."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status
from highstreet.v1 import error_pb2

Reason = error_pb2.ErrorReason


async def refuse(
    context: grpc.aio.ServicerContext[Any, Any], code: grpc.StatusCode, reason: Any, detail: str
) -> NoReturn:
    """End a call with a status: a reason for programs, a sentence for people."""
    name = Reason.Name(reason).removeprefix("ERROR_REASON_")
    info = error_details_pb2.ErrorInfo(reason=name, domain="highstreet")
    packed = any_pb2.Any()
    packed.Pack(info)
    status = rpc_status.to_status(
        status_pb2.Status(code=code.value[0], message=detail, details=[packed])
    )
    try:
        await context.abort(code, detail, status.trailing_metadata)
    except grpc.aio.AbortError:
        raise
    except grpc.aio.BaseError:
        # The client has disconnected: this is not an error to log.
        raise asyncio.CancelledError from None
    raise AssertionError("abort does not return")
