"""A bot without gRPC plays on a remote referee, and the referee sees no difference."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

HIGHSTREET = [sys.executable, "-c", "from tournaments.cli import main; main()"]
GREEDY = Path(__file__).parents[3] / "sample_bots" / "python" / "greedy_bot.py"
STEADY = Path(__file__).parents[1] / "bots" / "steady.py"
NO_HURRY = ("--per-move", f"{PATIENCE:g}")


def highstreet(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HIGHSTREET, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=5 * PATIENCE,
        env={**os.environ, **environment},
    )


def told(referee: subprocess.Popen[str]) -> tuple[str, str]:
    """Return address and token that a referee tells, as soon as it does."""
    assert referee.stderr is not None
    for line in referee.stderr:
        if found := re.search(r"HIGHSTREET_TARGET=(\S+) HIGHSTREET_TOKEN=(\S+)", line):
            return found[1], found[2]
    raise AssertionError("the referee waits for nobody")


@pytest.mark.slow
def test_a_bridged_bot_passes_every_step_of_check_bot() -> None:
    """A rejected move, several matches, a cut connection, and a clean end among them."""
    bot = [*HIGHSTREET, "bridge", "--", sys.executable, str(GREEDY)]
    checked = highstreet("check-bot", *NO_HURRY, "--transport", "grpc", "--", *bot)
    assert checked.returncode == 0, checked.stdout
    assert "comes back after a cut" in checked.stdout
    assert "✓ leaves cleanly" in checked.stdout


@pytest.mark.slow
def test_a_bridged_bot_plays_on_a_referee_that_waits_for_it() -> None:
    """Deals and bots are such that greedy wins, this time and every time."""
    steady = f"{sys.executable} {STEADY} 1"
    referee = subprocess.Popen(
        [*HIGHSTREET, "play", *NO_HURRY, "--seed", "7", "--matches", "3", "remote", steady],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    target, token = told(referee)
    bridged = highstreet("bridge", "--target", target, "--token", token, "--", "greedy")
    said, _ = referee.communicate(timeout=PATIENCE)
    assert referee.returncode == 0
    assert bridged.returncode == 0, bridged.stderr
    assert "goodbye after 3 matches" in bridged.stderr
    (row,) = [row.split() for row in said.splitlines() if row.startswith(" remote")]
    assert row[1:3] == ["3", "100.0%"], "greedy wins"
    assert row[5] == "0", "without a forfeit"


@pytest.mark.slow
def test_the_standard_error_of_a_bot_is_that_of_its_bridge(tmp_path: Path) -> None:
    """Unless a file is named for it."""
    bot = tmp_path / "bot.py"
    bot.write_text("import sys\nprint('what I think', file=sys.stderr)\nsys.exit(3)\n")
    nowhere = ("bridge", "--target", "127.0.0.1:1")
    said = highstreet(*nowhere, "--", sys.executable, str(bot), HIGHSTREET_TOKEN="t")
    assert "what I think\n" in said.stderr
    log = tmp_path / "log"
    said = highstreet(
        *nowhere, "--stderr", str(log), "--", sys.executable, str(bot), HIGHSTREET_TOKEN="t"
    )
    assert "what I think" not in said.stderr
    assert log.read_text() == "what I think\n"


def test_what_cannot_be_bridged_is_said() -> None:
    nobody = highstreet("bridge", "--target", "127.0.0.1:1", "--token", "t", "--", "no-such-bot")
    assert nobody.returncode == 2
    assert "no-such-bot" in nobody.stderr
    without = highstreet("bridge", "--", "greedy", HIGHSTREET_TOKEN="t")
    assert without.returncode == 2
    assert "--target" in without.stderr


def test_a_token_that_nobody_knows_ends_the_bridge() -> None:
    referee = subprocess.Popen(
        [*HIGHSTREET, "play", "remote", "random"], stderr=subprocess.PIPE, text=True
    )
    try:
        target, _ = told(referee)
        refused = highstreet("bridge", "--target", target, "--token", "wrong", "--", "greedy")
        assert refused.returncode == 2
        assert "UNAUTHENTICATED" in refused.stderr
        assert "token" in refused.stderr
    finally:
        referee.terminate()
        referee.communicate(timeout=PATIENCE)
