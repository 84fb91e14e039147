"""``make demo-league``: bots dial in, there is something to see, and Ctrl-C ends everything."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 240.0
"""Seconds that a loaded machine may take for what takes a few."""


def read(address: str) -> Any:
    """Read a document."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310  our own server
        return json.load(answer)


@pytest.mark.slow
def test_demo_league_shows_something_and_ends(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    command = [sys.executable, "sample_bots/demo_league.py", str(folder), "--web-port", "0"]
    demo = subprocess.Popen(
        [*command, "--only", "random", "greedy", "search"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
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
        assert rest == "the league is over\n"
        assert demo.returncode == 0
        # Nobody listens there any more; or by now somebody else, who has no such league.
        with pytest.raises(OSError, match=r"refused|404"):
            read(f"{league}.json")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(demo.pid, signal.SIGTERM)
        demo.wait(PATIENCE)
        if demo.stdout is not None:
            demo.stdout.close()
