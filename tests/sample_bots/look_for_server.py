"""A sample bot whose server goes away, as a process: prints its pauses until it gives up.

    python -m tests.sample_bots.look_for_server welcomed|never

It has a process of its own, in which no server of another test runs.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from highstreet.v1 import play_pb2

from tests.sample_bots import games
from tests.waiting import wait_until


def welcome(requests: Iterator[bytes], _context: Any) -> Iterator[bytes]:
    """Welcome every bot that joins, and say no more."""
    next(requests)
    yield play_pb2.PlayResponse(welcome=play_pb2.Welcome(resume_id="r")).SerializeToString()


def main() -> None:
    """Let the bot look for the server, and print what it did."""
    plumbing: Any = games.load("grpc_plumbing")
    before = threading.active_count()
    pauses: list[float] = []
    with ThreadPoolExecutor() as pool, socket.socket() as reserved:
        # The port stays ours when the server is gone: no program of another test answers there.
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        server = grpc.server(pool)
        handlers: dict[str, Any] = {"Play": grpc.stream_stream_rpc_method_handler(welcome)}
        service = grpc.method_handlers_generic_handler("highstreet.v1.PlayService", handlers)
        server.add_generic_rpc_handlers((service,))
        server.add_insecure_port(f"127.0.0.1:{port}")
        server.start()
        if sys.argv[1] == "never":
            server.stop(None).wait()

        def pause(_session: Any, seconds: float) -> None:
            server.stop(None).wait()
            pauses.append(seconds)

        plumbing.GrpcSession.pause = pause
        end = ""
        try:
            plumbing.GrpcSession({}, play_pb2.Join()).play(f"127.0.0.1:{port}")
        except SystemExit as error:
            end = str(error)
    wait_until(lambda: threading.active_count() <= before)
    sys.stdout.write(json.dumps({"pauses": pauses, "end": end}))


if __name__ == "__main__":
    main()
