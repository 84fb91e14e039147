"""Serve a folder of records until killed: python record_server.py FOLDER [UNIX|CERT KEY]."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from referee.match_service import MatchService
from referee.record import FolderRepository
from referee.transports import RefereeServer, Tls


async def serve(folder: Path, *rest: Path) -> None:
    """Listen on any free port, and on a unix socket or with TLS if that is asked for."""
    tls = Tls(*(path.read_bytes() for path in rest)) if len(rest) == 2 else None
    server = RefereeServer(tls=tls)
    unix = rest[0] if len(rest) == 1 else None
    await server.start(
        "127.0.0.1", 0, unix, add_services=MatchService(FolderRepository(folder)).add_to
    )
    sys.stdout.write(f"listening on {server.address}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(*map(Path, sys.argv[1:])))
