"""Tournaments and comparisons that stop by themselves: real bots, a real store, kill -9."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.record.reader import read_record
from tests.tournaments.packages import bot_folder
from tests.tournaments.runner.torture import (
    BOT,
    command,
    no_bot_is_left,
    played,
    run_to_end,
    standings,
    store_of,
    wait_for_matches,
)
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

TOP = f"""\
name = "Cup"
secret = "{"5ec2e7" * 8}"
table_sizes = [2]
"""
RUN = f"[run]\ntables = 4\nworkers = 2\n[time_control]\nper_move = {PATIENCE}\n"


def samples(*bots: str) -> str:
    return "".join(
        f'[[entrants]]\nname = "{bot}-{number}"\nbot = "{bot}"\n' for number, bot in enumerate(bots)
    )


def steady(count: int) -> str:
    """Return bots that always play the same."""
    return "".join(
        f'[[entrants]]\nname = "steady-{n}"\ncommand = ["{sys.executable}", "{BOT}", "{n}"]\n'
        for n in range(count)
    )


def write(path: Path, more: str, entrants: str) -> Path:
    path.write_text(f"{TOP}{more}{RUN}{entrants}", encoding="utf-8")
    return path


def highstreet(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, check=False, timeout=10 * PATIENCE
    )


def numbers(out: Path) -> list[int]:
    """Return the number of each set at its table, in the order in which they were added."""
    with store_of(out) as database:
        return [row[0] for row in database.execute("select table_set from sets order by number")]


def stop_of(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = standings(out)["stop"]
    return found


def verify(out: Path) -> None:
    done = highstreet("tournament", "verify", out)
    assert done.returncode == 0, done.stdout + done.stderr


def test_greedy_against_random_stops_when_greedy_is_ahead(tmp_path: Path) -> None:
    more = 'stop_when = "leader"\nmax_sets = 60\n'
    file = write(tmp_path / "cup.toml", more, samples("random", "greedy"))
    done = run_to_end(file, tmp_path / "cup")
    assert done.returncode == 0, done.stderr
    stop = stop_of(tmp_path / "cup")
    assert stop["settled"]
    assert stop["first"] == ["greedy-1"]
    assert stop["not_told_apart"] == []
    assert 8 <= stop["sets"] < 60
    assert len(played(tmp_path / "cup")) == 2 * stop["sets"]
    sentence = f"Settled after {stop['sets']} sets of each table: greedy-1 is ahead of all others"
    assert sentence in done.stdout
    assert sentence in (tmp_path / "cup" / "report.html").read_text()
    verify(tmp_path / "cup")
    again = run_to_end(file, tmp_path / "cup")
    assert again.returncode == 0
    assert len(played(tmp_path / "cup")) == 2 * stop["sets"], "it is over"
    no_bot_is_left(tmp_path / "cup")


def test_two_equal_bots_play_to_the_limit_which_may_be_raised(tmp_path: Path) -> None:
    out = tmp_path / "cup"
    file = write(
        tmp_path / "cup.toml", 'stop_when = "all"\nmax_sets = 3\n', samples("random", "random")
    )
    done = run_to_end(file, out)
    assert done.returncode == 0, done.stderr
    assert "Not settled after 3 sets of each table, the limit: random-" in done.stdout
    assert not stop_of(out)["settled"]
    assert sorted(stop_of(out)["not_told_apart"][0]) == ["random-0", "random-1"]
    assert numbers(out) == [1, 2, 3]
    verify(out)
    write(file, 'stop_when = "all"\nmax_sets = 5\n', samples("random", "random"))
    assert run_to_end(file, out).returncode == 0
    assert numbers(out) == [1, 2, 3, 4, 5]
    verify(out)
    write(file, 'stop_when = "leader"\nmax_sets = 5\n', samples("random", "random"))
    refused = run_to_end(file, out)
    assert refused.returncode == 2
    assert 'stop_when was "all" and is "leader"' in refused.stderr


def killed(arguments: list[str], out: Path, after: int) -> None:
    """Run a command until that many matches are committed, and end it by SIGKILL."""
    runner = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_matches(runner, out, after)
    finally:
        runner.kill()
        runner.wait()
    assert runner.returncode == -signal.SIGKILL


def test_after_kill_9_the_same_rounds_follow(tmp_path: Path) -> None:
    """The bots are deterministic: the whole tournament must be as if nothing had happened."""
    more = 'stop_when = "all"\nsets_per_table = 2\nmax_sets = 9\n'
    file = write(tmp_path / "cup.toml", more, steady(3))
    assert run_to_end(file, tmp_path / "whole").returncode == 0
    out = tmp_path / "cup"
    for after in (5, 17, 26, 40):
        killed(command("tournament", "run", file, "--out", out), out, after)
    done = run_to_end(file, out)
    assert done.returncode == 0, done.stderr
    assert numbers(out) == numbers(tmp_path / "whole")
    assert standings(out) == standings(tmp_path / "whole")
    assert len(played(out)) == len(set(played(out))) == 6 * max(numbers(out))
    verify(out)
    no_bot_is_left(out)


# Comparisons --------------------------------------------------------------------------------------


def test_compare_says_better_and_worse_by_its_exit_code(tmp_path: Path) -> None:
    better = highstreet("compare", "greedy", "random", "--seed", "1")
    assert better.returncode == 0, better.stderr
    assert "greedy is better than random: +" in better.stdout
    assert "4 sets" in better.stderr, "the live line, after the first sets"
    out = tmp_path / "out"
    worse = highstreet(
        *("compare", "random", "greedy", "--opponents", "random", "--seats", "3", "--seed", "1"),
        *("--recipes", "--out", out),
    )
    assert worse.returncode == 1, worse.stderr
    assert "random is worse than greedy: \N{MINUS SIGN}" in worse.stdout
    stop = stop_of(out)
    assert (stop["verdict"], stop["settled"]) == ("worse", True)
    assert stop["high"] < 0
    assert len(played(out)) == 6 * stop["sets"], "three rotations with each of the two"
    verify(out)


def test_two_equal_bots_are_not_told_apart(tmp_path: Path) -> None:
    limit = highstreet("compare", "random", "random", "--max-sets", "5", "--seed", "1")
    assert limit.returncode == 1, limit.stderr
    assert "Not decided after 5 sets, the limit: random-new and random-old" in limit.stdout
    out = tmp_path / "out"
    margin = highstreet(
        *("compare", "random", "random", "--margin", "0.9", "--seed", "1", "--out", out),
        *("--opponents", "random,random", "--head-to-head"),
    )
    assert margin.returncode == 1, margin.stderr
    assert "differ by at most 0.9 points" in margin.stdout
    assert stop_of(out)["verdict"] == "no difference"
    verify(out)


def test_a_comparison_goes_on_after_kill_9(tmp_path: Path) -> None:
    bots = [f'"{sys.executable}" "{BOT}" {n}' for n in range(3)]
    arguments = [
        *("compare", bots[0], bots[1], "--opponents", bots[2], "--seats", "2", "--seed", "3"),
        *("--max-sets", "12", "--per-move", str(PATIENCE), "--out"),
    ]
    whole, out = tmp_path / "whole", tmp_path / "out"
    expected = highstreet(*arguments, whole)
    assert expected.returncode in (0, 1), expected.stderr
    killed(command(*arguments, out), out, 5)
    again = highstreet(*arguments, out)
    assert again.returncode == expected.returncode, again.stderr
    assert standings(out) == standings(whole)
    assert again.stdout.splitlines()[0] == expected.stdout.splitlines()[0]
    other = highstreet(*arguments, out, "--confidence", "0.9")
    assert other.returncode == 2
    assert "confidence was 0.95 and is 0.9" in other.stderr
    assert json.loads((out / "standings.json").read_text())["stop"] == stop_of(whole)


def test_ctrl_c_keeps_what_was_played(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = command("compare", "random", "random", "--out", out, "--max-sets", "500")
    runner = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for_matches(runner, out, 3)
        runner.send_signal(signal.SIGINT)
        said = runner.communicate(timeout=5 * PATIENCE)
    finally:
        runner.kill()
    assert runner.returncode == 130
    assert f"the same command with --out {out} continues" in said[1]
    verify(out)
    no_bot_is_left(out)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is missing")
def test_packages_are_compared_in_the_sandbox(tmp_path: Path) -> None:
    """A folder and an archive of the same bot, which are two packages with different contents."""
    new = bot_folder(tmp_path / "v2", "tiny", runtime="python", content=b"2")
    old = bot_folder(tmp_path / "v1", "tiny", runtime="python", content=b"1")
    archive, out = tmp_path / "tiny.tar.gz", tmp_path / "out"
    packed = highstreet("bot", "pack", old, "--out", archive)
    assert packed.returncode == 0, packed.stderr
    done = highstreet(
        *("compare", new, archive, "--opponents", "random", "--max-sets", "2", "--seed", "1"),
        *("--out", out),
    )
    assert done.returncode == 1, done.stderr
    assert "Not decided after 2 sets, the limit: tiny-new and tiny-old" in done.stdout
    assert len(played(out)) == 2 * 2 * 2, "two rotations of each deal with each of the two"
    heads = [json.loads(read_record(path).split(b"\n")[0]) for path in (out / "records").iterdir()]
    packages = {
        (seat["entrant"], seat["package"])
        for head in heads
        for seat in head["seats"]
        if seat["entrant"] != "random"
    }
    assert ("tiny-old", hashlib.sha256(archive.read_bytes()).hexdigest()) in packages
    assert {name for name, _ in packages} == {"tiny-new", "tiny-old"}
    assert len(packages) == 2
    verify(out)


def test_a_path_that_is_no_package_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "bot.toml").write_text("[bot", encoding="utf-8")
    for name, sentence in (
        ("missing", f"there is no program and no package {tmp_path}/missing."),
        ("empty", f"{tmp_path}/empty is no package: a folder of a bot has a bot.toml."),
        ("broken", f"the package {tmp_path}/broken is refused: bot.toml:1: this is no TOML"),
    ):
        done = highstreet("compare", tmp_path / name, "random")
        assert (done.returncode, sentence in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("greedy", "remote"), "compare needs bots that can be started here"),
        (("greedy", "random", "--seats", "3"), "a table of 3 needs opponents"),
        (("greedy", "random", "--opponents", "greedy,"), "names an empty bot"),
        (("greedy", "randm"), "Did you mean"),
        (
            ("greedy", "random", "--opponents", "greedy", "--head-to-head", "--seats", "2"),
            "no seat is left",
        ),
        (("greedy", "random", "--clock", "cpu"), "--clock cpu needs --sandbox"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: tuple[str, ...], sentence: str) -> None:
    done = highstreet("compare", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
