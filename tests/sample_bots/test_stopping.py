"""A signal stops a sample bot without a forfeit: it leaves, and plays its matches to their end."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.sample_bots import stopping
from tests.sample_bots.games import PYTHON_BOTS
from tests.tournaments.serving import HIGHSTREET, run

GREEDY = [sys.executable, str(PYTHON_BOTS / "greedy_bot.py")]
BRIDGED = {
    name: [*HIGHSTREET, "bridge", "--", sys.executable, str(PYTHON_BOTS / f"{name}_bot.py")]
    for name in ("tiny", "greedy")
}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
def test_a_python_bot_leaves(number: signal.Signals, tmp_path: Path) -> None:
    run(lambda: stopping.check_that_it_leaves(GREEDY, tmp_path, number))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
@pytest.mark.parametrize("name", BRIDGED)
def test_a_bridge_leaves(name: str, number: signal.Signals, tmp_path: Path) -> None:
    run(lambda: stopping.check_that_it_leaves(BRIDGED[name], tmp_path, number, tables=1))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
def test_a_python_bot_over_a_pipe_leaves(number: signal.Signals, tmp_path: Path) -> None:
    """It says so in a line, and the bridge does the same."""
    bot = BRIDGED["greedy"]
    run(lambda: stopping.check_that_it_leaves(bot, tmp_path, number, 1, stopping.bridged))


@pytest.mark.parametrize("command", [GREEDY, BRIDGED["tiny"]], ids=["python", "bridge"])
def test_a_second_signal_ends_a_bot_at_once(command: list[str], tmp_path: Path) -> None:
    run(lambda: stopping.check_that_a_second_signal_ends_it(command, tmp_path))


@pytest.mark.parametrize("command", [GREEDY, BRIDGED["tiny"]], ids=["python", "bridge"])
def test_a_signal_ends_a_bot_that_looks_for_a_referee(command: list[str], tmp_path: Path) -> None:
    stopping.check_that_it_ends_where_no_referee_is(command, tmp_path)
