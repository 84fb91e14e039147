"""Where a token comes from: the environment, a file or a prompt, with real processes."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.tournaments.serving import Place
from tests.waiting import PATIENCE

HIGHSTREET = str(Path(sys.executable).parent / "highstreet")
RANDOM = Path(__file__).parents[3] / "sample_bots" / "python" / "random_bot.py"
WITHOUT = {name: value for name, value in os.environ.items() if name != "HIGHSTREET_TOKEN"}


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=WITHOUT | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE,
        check=False,
    )


@pytest.fixture
def referee() -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Run a referee that waits for one bot; give it with its address and the bot's token."""
    arguments = [HIGHSTREET, "play", "remote", "random", "--per-move", f"{PATIENCE:g}"]
    process = subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(r"HIGHSTREET_TARGET=(\S+) HIGHSTREET_TOKEN=(\S+)", line):
                yield process, found[1], found[2]
                break
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def test_a_bridge_takes_the_token_from_a_file(
    referee: tuple[subprocess.Popen[str], str, str], tmp_path: Path
) -> None:
    process, target, token = referee
    file = tmp_path / "bot.token"
    file.write_text(f"{token}\n")
    bridged = run(
        HIGHSTREET, "bridge", "--target", target, "--token-file", str(file), "--", "random"
    )
    assert bridged.returncode == 0, bridged.stderr
    assert "goodbye after 1 matches" in bridged.stderr
    assert process.wait(timeout=PATIENCE) == 0


def test_a_bridge_asks_a_terminal_for_the_token_and_does_not_show_it(
    referee: tuple[subprocess.Popen[str], str, str],
) -> None:
    process, target, token = referee
    ours, theirs = pty.openpty()
    arguments = [HIGHSTREET, "bridge", "--target", target, "--", "random"]
    bridge = subprocess.Popen(
        arguments, env=WITHOUT, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    try:
        shown = b""
        while b"Token of the bot" not in shown:
            shown += os.read(ours, 4096)
        os.write(ours, f"{token}\n".encode())
        assert process.wait(timeout=PATIENCE) == 0
        assert bridge.wait(timeout=PATIENCE) == 0
        shown += os.read(ours, 65536)
    finally:
        bridge.kill()
        bridge.wait()
        os.close(ours)
    assert b"goodbye" in shown
    assert token.encode() not in shown


def test_a_token_on_the_command_line_is_taken_with_a_warning(
    referee: tuple[subprocess.Popen[str], str, str],
) -> None:
    _, target, token = referee
    bridged = run(HIGHSTREET, "bridge", "--target", target, "--token", token, "--", "random")
    assert bridged.returncode == 0, bridged.stderr
    assert "can be read by every user of this machine: set HIGHSTREET_TOKEN" in bridged.stderr


@pytest.mark.parametrize("content", ["", "two words", "\x1b[2J"], ids=["empty", "words", "codes"])
def test_a_file_without_a_token_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "bot.token"
    file.write_text(content)
    refused = run(
        *(HIGHSTREET, "bridge", "--target", "127.0.0.1:1", "--token-file", str(file)),
        *("--", "random"),
    )
    assert refused.returncode == 2
    assert "token" in refused.stderr
    assert "\x1b" not in refused.stderr


def test_a_bridge_without_a_token_says_how_to_give_one() -> None:
    refused = run(HIGHSTREET, "bridge", "--target", "127.0.0.1:1", "--", "random")
    assert refused.returncode == 2
    assert "set HIGHSTREET_TOKEN" in refused.stderr
    assert "--token-file" in refused.stderr


def test_a_bot_that_joins_without_a_token_learns_which_variable_to_set(
    referee: tuple[subprocess.Popen[str], str, str],
) -> None:
    _, target, _ = referee
    refused = run(sys.executable, str(RANDOM), HIGHSTREET_TARGET=target)
    assert refused.returncode != 0
    assert "set HIGHSTREET_TOKEN" in refused.stderr
    unknown = run(sys.executable, str(RANDOM), HIGHSTREET_TARGET=target, HIGHSTREET_TOKEN="another")
    assert "this token is not known here" in unknown.stderr


@pytest.mark.slow
def test_a_league_command_without_a_token_says_how_to_give_one(tmp_path: Path) -> None:
    with ExitStack() as stack:
        place = Place(tmp_path, f"sqlite:///{tmp_path / 'league.db'}", stack)
        place.start()
        close = (HIGHSTREET, "league", "close", "spring", "--server", place.address)
        empty = {"XDG_CONFIG_HOME": str(tmp_path)}
        refused = run(*close, **empty)
        assert refused.returncode == 2
        assert "only an organiser may do that. No token was given: set HIGHSTREET_TOKEN" in (
            refused.stderr
        )
        wrong = run(*close, HIGHSTREET_TOKEN="another", **empty)
        assert "this token is not known here" in wrong.stderr
