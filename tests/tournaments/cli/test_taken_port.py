"""A port that another program has: one sentence that says so, no traceback, exit code 2."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

CUP = """
name = "cup"
table_sizes = [2]
sets_per_table = 1
[run]
listen = "127.0.0.1:{port}"
[[entrants]]
name = "a"
bot = "greedy"
[[entrants]]
name = "b"
remote = true
"""


@pytest.fixture
def taken() -> Iterator[int]:
    """Return a port on which another program listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def refused(*arguments: str) -> str:
    """Run a command that must be refused; return what it says."""
    done = subprocess.run(
        [sys.executable, "-c", "from tournaments.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "add_port" not in done.stderr, "gRPC says nothing of its own"
    return done.stderr


def test_port_of_a_referee(taken: int, tmp_path: Path) -> None:
    options = ("--entrant", "a", "--entrant", "b", "--out", str(tmp_path))
    said = refused("serve", *options, "--port", str(taken))
    assert f"127.0.0.1:{taken}: another program listens there" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_ports_of_a_league_server(taken: int, tmp_path: Path) -> None:
    where = ("serve", "--data", str(tmp_path / "data"))
    subprocess.run(
        [sys.executable, "-c", "from tournaments.cli import main; main()", *where, "--init"],
        check=True,
        capture_output=True,
    )
    assert "another program listens there" in refused(*where, "--port", str(taken))
    said = refused(*where, "--port", "0", "--web-port", str(taken))
    assert f"cannot serve pages on 127.0.0.1:{taken} (--web-port): another program" in said
    said = refused(*where, "--port", str(taken), "--web-port", str(taken))
    assert f"--port and --web-port are both {taken}: bots and pages need one each" in said
    said = refused(*where, "--port", "0", "--web-port", "0", "--web-host", "192.0.2.1")
    assert "this machine does not have that address" in said


def test_port_of_a_tournament_with_remote_bots(taken: int, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP.format(port=taken), encoding="utf-8")
    said = refused("tournament", "run", str(file), "--out", str(tmp_path / "cup"))
    assert f"cannot listen on 127.0.0.1:{taken}: another program listens there" in said


def test_port_of_a_match(taken: int) -> None:
    said = refused("play", "--transport", "grpc", "--port", str(taken), "greedy", "random")
    assert f"cannot listen on 127.0.0.1:{taken}: another program listens there" in said
