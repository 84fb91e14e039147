"""How long a sample bot looks for a server that is away: a league server may be updated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

AT_FIRST = [0.2, 0.4, 0.8, 1.6, 3.2, 6.4]
"""The pauses of a bot that has never reached anybody, in seconds: then it gives up."""


def pauses(server: str, **environment: str) -> list[float]:
    """Let a bot look for a server that is gone; return its pauses until it gives up."""
    unset = ("HIGHSTREET_TOKEN", "HIGHSTREET_TRIES")
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        [sys.executable, "-m", "tests.sample_bots.look_for_server", server],
        env={**inherited, **environment}, capture_output=True, text=True, check=False,
        timeout=5 * PATIENCE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["end"].startswith("UNAVAILABLE")
    return list(found["pauses"])


def test_a_bot_that_never_reached_anybody_soon_says_so() -> None:
    assert pauses("never") == pytest.approx(AT_FIRST)


def test_a_bot_that_was_welcomed_looks_for_an_hour() -> None:
    found = pauses("welcomed")
    assert found[1:7] == pytest.approx(AT_FIRST), "quickly at first: a match may be under way"
    assert 3600 <= sum(found) <= 4000
    assert max(found) < 15, "it is back soon after the server is"


def test_a_bot_does_not_outlive_the_referee_that_has_started_it() -> None:
    """It is told so; see what the environment of a bot is."""
    assert pauses("welcomed", HIGHSTREET_TRIES="6")[1:] == pytest.approx(AT_FIRST)
