"""A referee that only welcomes bots, to see how they join and how long they look for it."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from highstreet.v1 import play_pb2 as pb

from tests.sample_bots.stopping import started
from tests.waiting import wait_until

FIRST_TRIES_TAKE = 12.6
"""How many seconds the six pauses take after which a bot gives up that never reached a referee."""


class Welcomer:
    """A real server that welcomes every bot and says no more."""

    def __init__(self, server: grpc.Server) -> None:
        self._server = server
        self.joins: list[pb.Join] = []
        self.target = ""

    def play(self, requests: Iterator[bytes], _context: Any) -> Iterator[bytes]:
        """Welcome a bot, and wait until it goes."""
        self.joins.append(pb.PlayRequest.FromString(next(requests)).join)
        yield pb.PlayResponse(welcome=pb.Welcome(resume_id="r")).SerializeToString()
        with contextlib.suppress(Exception):
            next(requests)

    def stop(self) -> None:
        """Go away without a word."""
        self._server.stop(None).wait()


@contextlib.contextmanager
def welcomer() -> Iterator[Welcomer]:
    """Run the server on a free port."""
    with ThreadPoolExecutor() as pool:
        server = grpc.server(pool)
        found = Welcomer(server)
        handlers: dict[str, Any] = {"Play": grpc.stream_stream_rpc_method_handler(found.play)}
        service = grpc.method_handlers_generic_handler("highstreet.v1.PlayService", handlers)
        server.add_generic_rpc_handlers((service,))
        found.target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        try:
            yield found
        finally:
            found.stop()


@contextlib.contextmanager
def welcomed(
    command: Sequence[str], folder: Path, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], Welcomer]]:
    """Start a bot, and let a server welcome it."""
    with welcomer() as server:
        told = {"HIGHSTREET_TARGET": server.target, "HIGHSTREET_TOKEN": "t", **environment}
        with started(command, folder / "log", **told) as process:
            wait_until(lambda: server.joins or process.poll() is not None)
            assert server.joins, (folder / "log").read_text()
            yield process, server


def version_of(command: Sequence[str], folder: Path, **environment: str) -> str:
    """Return the version that a bot tells when it joins."""
    with welcomed(command, folder, **environment) as (_, server):
        return server.joins[0].bot_version


def check_how_long_it_looks(command: Sequence[str], folder: Path) -> None:
    """Check that a bot that was welcomed looks for its referee as long as HIGHSTREET_TRIES says."""
    with welcomed(command, folder, HIGHSTREET_TRIES="1") as (process, server):
        server.stop()
        wait_until(lambda: process.poll() is not None)
        assert process.returncode not in (0, None)
    with welcomed(command, folder) as (process, server):
        server.stop()
        # The end of this time is the promise: a bot without it would be gone by now.
        time.sleep(FIRST_TRIES_TAKE + 2)
        assert process.poll() is None, (folder / "log").read_text()
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: process.poll() is not None)
        assert process.returncode == 0, "no match is under way"
