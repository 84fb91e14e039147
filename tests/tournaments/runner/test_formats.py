"""Swiss and knock-out tournaments as people run them: real bots, real processes, and kill -9."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments.runner.torture import (
    BOT,
    command,
    played,
    run_to_end,
    store_of,
    wait_for_matches,
)
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

FORMATS = ("swiss", "knock_out", "double_knock_out")
SECRET = "5ec2e7" * 8


def write_cup(path: Path, format_: str, entrants: int, more: str = "", **bots: str) -> None:
    """Write a tournament of steady bots, or of the sample bots that are named."""
    tables = "".join(
        f'[[entrants]]\nname = "bot-{n:02}"\ncommand = ["{sys.executable}", "{BOT}", "{n}"]\n'
        for n in range(entrants - len(bots))
    )
    tables += "".join(
        f'[[entrants]]\nname = "{name}"\nbot = "{bot}"\n' for name, bot in bots.items()
    )
    path.write_text(
        f'name = "Cup"\nsecret = "{SECRET}"\nformat = "{format_}"\n{more}[run]\ntables = 4\n'
        f"workers = 2\n[time_control]\nper_move = {PATIENCE}\n{tables}",
        encoding="utf-8",
    )


def highstreet(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, check=False, timeout=5 * PATIENCE
    )


def rounds(out: Path) -> Any:
    """Return the bracket or the table, as it was written."""
    return json.loads((out / "rounds.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("entrants", [5, 8, 11])
@pytest.mark.parametrize("format_", FORMATS)
def test_a_tournament_by_rounds_is_played_to_its_end_and_verified(
    tmp_path: Path, format_: str, entrants: int
) -> None:
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    write_cup(file, format_, entrants, greedy="greedy", random="random")
    ran = run_to_end(file, out)
    assert ran.returncode == 0, ran.stderr
    sets = len(played(out)) // 2
    if format_ == "swiss":
        expected = {5: 3 * 2, 8: 3 * 4, 11: 4 * 5}[entrants]
        assert sets == expected
        assert rounds(out)["complete_rounds"] == {5: 3, 8: 3, 11: 4}[entrants]
    elif format_ == "knock_out":
        assert entrants - 1 <= sets <= 3 * (entrants - 1)  # best of 1, with 2 extra sets at most
    else:
        assert 2 * entrants - 2 <= sets <= 3 * (2 * entrants - 1)
    if format_ != "swiss":
        assert f"{rounds(out)['winner']} has won the knock-out." in ran.stdout
    standings = json.loads((out / "standings.json").read_text(encoding="utf-8"))
    assert standings["claims"] == "anytime", "who meets whom was decided by looking at results"
    assert highstreet("tournament", "verify", out).returncode == 0
    again = run_to_end(file, out)
    assert again.returncode == 0, again.stderr
    assert len(played(out)) == 2 * sets, "a tournament that is over does not grow"


@pytest.mark.parametrize("format_", FORMATS)
def test_a_tournament_that_is_killed_goes_on_with_the_same_rounds(
    tmp_path: Path, format_: str
) -> None:
    file = tmp_path / "cup.toml"
    write_cup(file, format_, 5)
    assert run_to_end(file, tmp_path / "whole").returncode == 0
    out, total = tmp_path / "killed", len(played(tmp_path / "whole"))
    for matches in (1, total // 2, 3 * total // 4):
        running = subprocess.Popen(
            command("tournament", "run", file, "--out", out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for_matches(running, out, matches)
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
    ended = run_to_end(file, out)
    assert ended.returncode == 0, ended.stderr
    assert sorted(played(out)) == sorted(played(tmp_path / "whole"))
    assert rounds(out) == rounds(tmp_path / "whole")
    assert highstreet("tournament", "verify", out).returncode == 0


def test_what_a_round_depends_on_does_not_change_and_swiss_rounds_may_be_added(
    tmp_path: Path,
) -> None:
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    write_cup(file, "swiss", 4, "rounds = 1\n")
    assert run_to_end(file, out).returncode == 0
    write_cup(file, "swiss", 5, "rounds = 1\n")
    refused = run_to_end(file, out)
    assert refused.returncode != 0
    assert "the seeds were bot-00, bot-01, bot-02, bot-03" in refused.stderr
    write_cup(file, "swiss", 4, "rounds = 2\n")
    grew = run_to_end(file, out)
    assert grew.returncode == 0, grew.stderr
    assert len(played(out)) == 8
    assert rounds(out)["complete_rounds"] == 2
    assert highstreet("tournament", "verify", out).returncode == 0


def test_verify_finds_a_round_that_settings_and_results_do_not_give(tmp_path: Path) -> None:
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    write_cup(file, "knock_out", 4)
    assert run_to_end(file, out).returncode == 0
    with store_of(out) as database, database:
        ((text,),) = database.execute("select settings from competitions").fetchall()
        settings = json.loads(text)
        seeds = settings["identity"]["rounds"]["seeds"]
        seeds[2], seeds[3] = seeds[3], seeds[2]  # now the first and the third seed must have met
        database.execute("update competitions set settings = ?", (json.dumps(settings),))
    verified = highstreet("tournament", "verify", out)
    assert verified.returncode != 0
    assert "no round of this knock_out has it" in verified.stdout + verified.stderr
