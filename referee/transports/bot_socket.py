"""How a started bot reaches the referee: its address and token, and the unix socket of a sandbox.

A bot in a sandbox has no network. It gets a server of its own, on a unix socket that its sandbox
mounts: so the limits of that server are its alone, and no token but its own is known there.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from referee.model import BotCommand, Mount, SandboxKind
from referee.transports.grpc_connection import Limits
from referee.transports.grpc_server import RefereeServer

INSIDE: Final = Path("/run/highstreet/referee.sock")
"""Where a bot in a sandbox sees its socket."""
LIMITS: Final = Limits(keepalive_seconds=None, clients=8)
"""The limits for a bot in a sandbox, which is frozen while it has no decision to make."""
UNIX: Final = "unix:"


def connecting(
    command: BotCommand, address: str, token: str, certificate: Path | None = None
) -> BotCommand:
    """Return a command whose bot connects to an address with a token.

    The address for a sandbox is that of a unix socket, which is mounted there.
    """
    told = {"HIGHSTREET_TARGET": address, "HIGHSTREET_TOKEN": token}
    sandbox = command.sandbox
    if sandbox.kind is not SandboxKind.NONE:
        socket = Mount(Path(address.removeprefix(UNIX)), INSIDE)
        sandbox = replace(sandbox, mounts=(*sandbox.mounts, socket))
        told["HIGHSTREET_TARGET"] = f"{UNIX}{INSIDE}"
    elif certificate is not None:
        told["HIGHSTREET_CA"] = str(certificate)
    environment = {**(command.environment or {}), **told}
    return replace(command, environment=environment, sandbox=sandbox)


@contextmanager
def socket_path() -> Iterator[Path]:
    """Yield a path for a socket, in a folder that no other user can enter."""
    with tempfile.TemporaryDirectory(prefix="highstreet-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / INSIDE.name


@asynccontextmanager
async def sandbox_server() -> AsyncIterator[RefereeServer]:
    """Yield a server for one bot in a sandbox."""
    server = RefereeServer(LIMITS)
    with socket_path() as path:
        await server.start(host=None, unix=path)
        open_to_sandboxes(path)
        try:
            yield server
        finally:
            await server.stop(grace=0)


def open_to_sandboxes(path: Path) -> None:
    """Let every user write to a socket: a sandbox has one of its own, which can reach it."""
    path.chmod(0o666)
