"""No bot is dealt cards that it may know from an attempt that did not count."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tournaments.runner.torture import (
    bots,
    command,
    kill,
    mark_of,
    no_bot_is_left,
    played,
    run_to_end,
    wait_for_matches,
)
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

WITNESS = Path(__file__).parents[1] / "bots" / "witness.py"


def write_file(folder: Path, deals: str, sets: int) -> Path:
    """Write a tournament of bots that note every board that they see, each in a folder."""
    entrants = ""
    for name in "abc":
        (folder / name).mkdir()
        words = [sys.executable, str(WITNESS), str(folder / name)]
        entrants += f'[[entrants]]\nname = "{name}"\ncommand = {json.dumps(words)}\n'
    file = folder / "cup.toml"
    file.write_text(
        f'name = "Cup"\nsecret = "{"5ec2e7" * 8}"\ntable_sizes = [2]\nsets_per_table = {sets}\n'
        f'deals = "{deals}"\n[run]\ntables = 4\nworkers = 2\n'
        f"[time_control]\nper_move = {PATIENCE}\n{entrants}",
        encoding="utf-8",
    )
    return file


def boards(folder: Path) -> list[list[str]]:
    """Return what each process of an entrant has seen, one board for each match."""
    notes = [path.read_text().splitlines() for path in folder.iterdir()]
    return [[line.split(" ", 1)[1] for line in lines] for lines in notes]


def run_with_kills(file: Path, out: Path) -> None:
    """Play a tournament whose runner is killed twice, and a bot of each run too."""
    for number in (3, 12):
        runner = subprocess.Popen(command("tournament", "run", file), stderr=subprocess.DEVNULL)
        try:
            wait_for_matches(runner, out, number)
            assert kill(bots(mark_of(out))[0])
            wait_for_matches(runner, out, len(played(out)) + 1)
        finally:
            runner.kill()
            runner.wait()
    last = run_to_end(file, out)
    assert last.returncode == 0, last.stderr
    no_bot_is_left(out)


def test_with_fresh_deals_a_killed_runner_never_begins_a_deal_again(tmp_path: Path) -> None:
    file = write_file(tmp_path, "fresh", 15)
    run_with_kills(file, tmp_path / "cup")
    assert len(played(tmp_path / "cup")) == 90
    for name in "abc":
        seen = [board for process in boards(tmp_path / name) for board in process]
        assert len(seen) > 60, "it also saw boards of attempts that do not count"
        assert len(seen) == len(set(seen))
    verified = subprocess.run(
        command("tournament", "verify", tmp_path / "cup"), capture_output=True, check=False
    )
    assert verified.returncode == 0, verified.stderr


def test_with_duplicate_deals_no_process_sees_a_deal_again_that_was_void(tmp_path: Path) -> None:
    """A set keeps its deal, so every process is ended that has seen it in a void attempt."""
    file = write_file(tmp_path, "duplicate", 15)
    run_with_kills(file, tmp_path / "cup")
    assert len(played(tmp_path / "cup")) == 90
    for name in "abc":
        for process in boards(tmp_path / name):
            assert len(process) == len(set(process))
