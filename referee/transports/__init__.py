"""Transports: gRPC streams, pipes, callables in this process; tokens and rate limits."""

from __future__ import annotations

from referee.sandbox import BotProcess, BotStartError
from referee.transports.bot import Bot, BotLauncher, BotNotConnectedError
from referee.transports.bot_socket import connecting, open_to_sandboxes, socket_path
from referee.transports.bridge import TRIES, Bridge, files_version, program_files
from referee.transports.certificates import self_signed
from referee.transports.grpc_connection import Limits
from referee.transports.grpc_server import ListenError, RefereeServer, Tls
from referee.transports.grpc_session import GrpcPlayer, Session
from referee.transports.in_process import Chooser, InProcessPlayer
from referee.transports.long_calls import CallLimit, read_within
from referee.transports.pipe import PipeBot, PipePlayer
from referee.transports.ports import check_port, listening_socket
from referee.transports.rate_limit import (
    Rate,
    RateLimitError,
    TokenBuckets,
    address_of,
    client_network,
)
from referee.transports.request_limits import MOST_PER_PAGE, PER_PAGE, token_of
from referee.transports.status import Reason, refuse
from referee.transports.tokens import (
    AuthenticatedBot,
    JoinRefusedError,
    Tokens,
    derived_token,
    find_holder,
    hashed,
    new_token,
)

__all__ = [
    "MOST_PER_PAGE",
    "PER_PAGE",
    "TRIES",
    "AuthenticatedBot",
    "Bot",
    "BotLauncher",
    "BotNotConnectedError",
    "BotProcess",
    "BotStartError",
    "Bridge",
    "CallLimit",
    "Chooser",
    "GrpcPlayer",
    "InProcessPlayer",
    "JoinRefusedError",
    "Limits",
    "ListenError",
    "PipeBot",
    "PipePlayer",
    "Rate",
    "RateLimitError",
    "Reason",
    "RefereeServer",
    "Session",
    "Tls",
    "TokenBuckets",
    "Tokens",
    "address_of",
    "check_port",
    "client_network",
    "connecting",
    "derived_token",
    "files_version",
    "find_holder",
    "hashed",
    "listening_socket",
    "new_token",
    "open_to_sandboxes",
    "program_files",
    "read_within",
    "refuse",
    "self_signed",
    "socket_path",
    "token_of",
]
