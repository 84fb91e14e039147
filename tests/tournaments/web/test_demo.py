"""``make demo-league``: bots dial in, there is something to see, and Ctrl-C ends everything."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import wait_until

ROOT = Path(__file__).parents[3]
PATIENCE = 240.0
"""Seconds that a loaded machine may take for what takes a few."""


def read(address: str) -> Any:
    """Read a document."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310  our own server
        return json.load(answer)


@contextlib.contextmanager
def demo_league(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Run the demo, and end it with all that it started."""
    demo = subprocess.Popen(
        [sys.executable, "tournaments/examples/demo_league.py", str(folder), *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield demo
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(demo.pid, signal.SIGTERM)
        demo.wait(PATIENCE)
        if demo.stdout is not None:
            demo.stdout.close()


def processes_of(folder: Path) -> list[int]:
    """Return what runs with the folder on its command line, or dials its server."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            told = (path / "environ").read_bytes() + (path / "cmdline").read_bytes()
            if str(folder).encode() in told:
                found.append(int(path.name))
    return found


@pytest.mark.slow
def test_demo_league_shows_something_and_ends(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    options = ("--web-port", "0", "--only", "random", "greedy", "search")
    with demo_league(folder, *options) as demo:
        assert demo.stdout is not None
        said = [next(demo.stdout) for _ in range(4)]
        assert "3 bots dial in: random, greedy, search" in said[1]
        league = said[2].split()[2]
        latest: list[Any] = []
        table, end = None, time.monotonic() + PATIENCE
        while not (latest and table):
            assert time.monotonic() < end, (folder / "server.log").read_text()
            latest = read(f"{league}/live.json")["latest"]
            table = read(f"{league}.json")["table"]
            time.sleep(0.2)
        base = league.partition("/leagues/")[0]
        replay = read(f"{base}/matches/{latest[0]['id']}/replay.json")
        assert len(replay["frames"]) == latest[0]["decisions"] + 1
        demo.send_signal(signal.SIGINT)
        rest, _ = demo.communicate(timeout=PATIENCE)
        assert re.fullmatch(
            r"stopping: waiting for the server.* 10 seconds to finish.*Ctrl-C again.*\n"
            r"the league is over\n",
            rest,
        )
        assert demo.returncode == 0
        # Nobody listens there any more; or by now another program, which has no such league.
        with pytest.raises(OSError, match=r"refused|404"):
            read(f"{league}.json")
        wait_until(lambda: not processes_of(folder))


@pytest.mark.slow
def test_second_ctrl_c_ends_the_demo_at_once(tmp_path: Path) -> None:
    """The server is frozen, so that nothing but the second Ctrl-C can end the demo."""
    folder = tmp_path / "demo"
    with demo_league(folder, "--web-port", "0", "--only", "random", "greedy") as demo:
        assert demo.stdout is not None
        for _ in range(4):
            next(demo.stdout)
        (server,) = [pid for pid in processes_of(folder) if pid != demo.pid]
        os.kill(server, signal.SIGSTOP)
        demo.send_signal(signal.SIGINT)
        assert next(demo.stdout).startswith("stopping: waiting for the server")
        demo.send_signal(signal.SIGINT)
        rest, _ = demo.communicate(timeout=PATIENCE)
        assert rest == "ending everything at once\nthe league is over\n"
        wait_until(lambda: not processes_of(folder))


def test_demo_names_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with demo_league(tmp_path / "demo", "--web-port", port) as demo:
            said, _ = demo.communicate(timeout=PATIENCE)
    assert demo.returncode == 1
    assert f"127.0.0.1:{port}: another program listens there" in said
    assert "make demo-league PORT=" in said
    assert "Traceback" not in said
    assert not (tmp_path / "demo").exists()


def test_make_passes_the_port_on() -> None:
    """Nothing is run: make only prints what it would do."""
    make = shutil.which("make")
    if make is None:
        pytest.skip("no make here")
    command = [make, "--dry-run", "--no-print-directory", "demo-league"]
    for words, expected in (([], "build/demo-league"), (["PORT=8123"], "--web-port 8123")):
        done = subprocess.run(
            [*command, *words], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.rstrip().endswith(expected)
