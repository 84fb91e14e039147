"""How long a sample bot looks for a server that is away: a league server may be updated."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import grpc
import pytest
from highstreet.v1 import play_pb2

from tests.sample_bots import games
from tests.waiting import wait_until

AT_FIRST = [0.2, 0.4, 0.8, 1.6, 3.2, 6.4]
"""The pauses of a bot that has never reached anybody, in seconds: then it gives up."""


def welcome(requests: Iterator[bytes], _context: Any) -> Iterator[bytes]:
    """Welcome whoever joins, and say no more."""
    next(requests)
    yield play_pb2.PlayResponse(welcome=play_pb2.Welcome(resume_id="r")).SerializeToString()


@pytest.fixture
def plumbing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the plumbing, in an environment that says nothing."""
    for name in ("HIGHSTREET_TOKEN", "HIGHSTREET_TRIES"):
        monkeypatch.delenv(name, raising=False)
    return games.load("grpc_plumbing")


def pauses(plumbing: ModuleType, monkeypatch: pytest.MonkeyPatch, *, welcomed: bool) -> list[float]:
    """Let a bot look for a server that is gone; return its pauses until it gives up."""
    found: list[float] = []
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
        if not welcomed:
            server.stop(None).wait()

        def pause(_session: Any, seconds: float) -> None:
            server.stop(None).wait()
            found.append(seconds)

        monkeypatch.setattr(plumbing, "on_stop_signal", lambda _stop: None)
        monkeypatch.setattr(plumbing.GrpcSession, "pause", pause)
        with pytest.raises(SystemExit) as end:
            plumbing.GrpcSession({}, play_pb2.Join()).play(f"127.0.0.1:{port}")
    assert str(end.value).startswith("UNAVAILABLE")
    return found


def test_a_bot_that_never_reached_anybody_soon_says_so(
    plumbing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pauses(plumbing, monkeypatch, welcomed=False) == pytest.approx(AT_FIRST)


def test_a_bot_that_was_welcomed_looks_for_an_hour(
    plumbing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = threading.active_count()
    found = pauses(plumbing, monkeypatch, welcomed=True)
    assert found[1:7] == pytest.approx(AT_FIRST), "quickly at first: a match may be under way"
    assert 3600 <= sum(found) <= 4000
    assert max(found) < 15, "it is back soon after the server is"
    wait_until(lambda: threading.active_count() <= before)


def test_a_bot_does_not_outlive_the_referee_that_has_started_it(
    plumbing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told so; see what the environment of a bot is."""
    monkeypatch.setenv("HIGHSTREET_TRIES", "6")
    found = pauses(plumbing, monkeypatch, welcomed=True)
    assert found[1:] == pytest.approx(AT_FIRST)
