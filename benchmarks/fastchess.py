"""Plies per second of fastchess, a tournament manager for chess engines, with Python on both sides.

Its engines are ``uci_client.py``, which answers as fast as our trivial pipe bot. What fastchess
takes to start is measured by a short run and left out, as it is left out for the referee.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import NotMeasuredError, Sample

ENGINE = Path(__file__).parent / "uci_client.py"
PLIES = re.compile(r'^\[PlyCount "(\d+)"\]', re.MULTILINE)
PATIENCE = 120.0


def plies_per_second(binary: Path, at_once: int, rounds: int) -> Sample:
    """Play rounds of two games for each game that is played at once."""
    few, start_up = _run(binary, at_once, 1)
    plies, seconds = _run(binary, at_once, 1 + rounds)
    if seconds < 2 * start_up:  # on a busy machine the two cannot be told apart
        return {"decisions/s": plies / seconds}
    return {"decisions/s": (plies - few) / (seconds - start_up)}


def _run(binary: Path, at_once: int, rounds: int) -> tuple[int, float]:
    """Return how many plies were played in how many seconds."""
    engine = [f"cmd={sys.executable}", f"args={ENGINE}"]
    with tempfile.TemporaryDirectory() as folder:
        games = Path(folder) / "games.pgn"
        command = [
            str(binary.resolve()),
            *("-engine", "name=a", *engine, "-engine", "name=b", *engine),
            *("-each", "tc=60+1", "-rounds", str(rounds * at_once), "-games", "2"),
            *("-concurrency", str(at_once), "-force-concurrency", "-pgnout", f"file={games}"),
        ]
        start = time.perf_counter()
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotMeasuredError(f"fastchess does not run: {error}") from None
        seconds = time.perf_counter() - start
        text = games.read_text(encoding="utf-8") if games.exists() else ""
    found = [int(plies) for plies in PLIES.findall(text)]
    if done.returncode or len(found) != 2 * rounds * at_once or "illegal" in text:
        raise NotMeasuredError(f"fastchess does not run: {(done.stdout + done.stderr)[-200:]!r}")
    return sum(found), seconds
