"""``highstreet serve`` without a database: the default league, in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.record.reader import Record, read_record
from referee.record.verify import verify_record
from tests.tournaments.serving import HIGHSTREET, PATIENCE, highstreet, wait_until

RANDOM_BOT = Path(__file__).parents[3] / "sample_bots" / "python" / "random_bot.py"


class Served:
    """A server in a process of its own, and the bots that connect to it."""

    def __init__(self, process: subprocess.Popen[str], stack: contextlib.ExitStack) -> None:
        self.process = process
        self._stack = stack
        self.address = self.line(r"listening on (\S+)$")

    def line(self, pattern: str) -> str:
        """Read lines up to one that matches, and return its group."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(pattern, line.rstrip("\n")):
                return found[1]
        raise AssertionError(f"no line like {pattern}")

    def bot(self, token: str) -> subprocess.Popen[bytes]:
        """Start a bot with a token."""
        bot = subprocess.Popen(
            [sys.executable, str(RANDOM_BOT)],
            env={
                **os.environ,
                "HIGHSTREET_TARGET": self.address,
                "HIGHSTREET_TOKEN": token,
            },
        )
        self._stack.callback(bot.wait, PATIENCE)
        self._stack.callback(bot.kill)
        return bot

    def stop(self) -> str:
        """Stop the server as an operator does; return what it printed last."""
        assert self.process.stdout is not None
        self.process.send_signal(signal.SIGTERM)
        rest = self.process.stdout.read()
        assert self.process.wait(PATIENCE) == 0
        return rest


@contextlib.contextmanager
def served(*options: str) -> Iterator[Served]:
    with contextlib.ExitStack() as stack:
        process = subprocess.Popen(
            [*HIGHSTREET, "serve", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        stack.callback(process.communicate)
        stack.callback(process.kill)
        yield Served(process, stack)


@pytest.mark.slow
def test_bots_with_printed_tokens_are_seated_and_records_are_copied(tmp_path: Path) -> None:
    """One table is used again and again, with the options of the command line."""
    out = tmp_path / "out"
    options = ("--seats", "2", "--recipes", "--tables", "1", "--grace", "5", "--per-move", "9")
    with served(*options, "--entrant", "ann", "--entrant", "bob", "--out", str(out)) as server:
        tokens = [server.line(rf"token of {name}: (\S+)") for name in ("ann", "bob")]
        for token in tokens:
            server.bot(token)
        wait_until(lambda: len(list(out.glob("*.jsonl"))) >= 3, "records are copied")
        assert re.search(r"\d+ matches played", server.stop())
    for path in out.iterdir():
        summary = verify_record(read_record(path))
        assert {name.partition("@")[0] for name in summary.entrants} == {"ann", "bob"}
        head = Record.read(path).head
        assert head.mapping("options") == {"seats": 2, "recipes": True}
        assert head.mapping("time_control")["per_move"] == 9
        assert path.stem == summary.match


@pytest.mark.slow
def test_everybody_may_enter_where_no_entrant_is_named() -> None:
    """The records can be downloaded and verified while the server runs."""
    with served("--house", "default/house=greedy") as server:
        entered = highstreet("league", "enter", "default", "guest", "--server", server.address)
        assert entered.returncode == 0, entered.stderr
        server.bot(entered.stdout.split()[-1])

        def matches() -> int:
            shown = highstreet("league", "standings", "default", "--server", server.address)
            return int(re.findall(r"(\d+) matches", shown.stdout)[-1])

        wait_until(lambda: matches() >= 2, "the guest plays the house bot")
        verified = highstreet("verify", "--server", server.address)
        assert verified.returncode == 0, verified.stdout + verified.stderr
        assert "league default: " in verified.stdout
        server.stop()


@pytest.mark.slow
def test_a_server_stops_after_a_number_of_matches(tmp_path: Path) -> None:
    house = ("--house", "default/a=greedy", "--house", "default/b=random")
    done = highstreet("serve", *house, "--matches", "2", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    (played,) = re.findall(r"^(\d+) matches played$", done.stdout, re.MULTILINE)
    assert 2 <= int(played) == len(list(tmp_path.glob("*.jsonl")))
    assert "records are removed" not in done.stdout
