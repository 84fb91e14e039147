"""How a started bot reaches the referee: its address and token, and the unix socket of a sandbox.

A bot in a sandbox has no network. It gets a server of its own, on a unix socket that its sandbox
mounts: so the limits of that server are its alone, and no token but its own is known there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from referee.model import BotCommand, Mount, SandboxKind
from referee.transports.grpc_connection import Limits
from referee.transports.grpc_server import RefereeServer

INSIDE: Final = Path("/run/highstreet/referee.sock")
"""Where a bot in a sandbox sees its socket."""
LIMITS: Final = Limits(keepalive_seconds=None, idle_seconds=None, clients=8)
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


class SandboxServer:
    """A server for one bot in a sandbox, as long as the context lasts.

    It is no generator: an event loop that ends would resume the generators that are left, and stop
    their servers when gRPC cannot do that any more.
    """

    def __init__(self) -> None:
        self._server = RefereeServer(LIMITS)
        self._folder = ExitStack()

    async def __aenter__(self) -> RefereeServer:
        """Listen."""
        with self._folder:
            path = self._folder.enter_context(socket_path())
            await self._server.start(host=None, unix=path)
            open_to_sandboxes(path)
            self._folder = self._folder.pop_all()
        return self._server

    async def __aexit__(self, *_: object) -> None:
        """Stop listening, and remove the socket."""
        with self._folder:
            await self._server.stop(grace=0)


def open_to_sandboxes(path: Path) -> None:
    """Let every user write to a socket: a sandbox has one of its own, which can reach it."""
    path.chmod(0o666)
