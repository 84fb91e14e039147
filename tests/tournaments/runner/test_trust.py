"""What docs/guides/trust.md promises of bots that are started, with real processes."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import DYING, PATIENCE, wait_until

HIGHSTREET = str(Path(sys.executable).parent / "highstreet")
RANDOM = Path(__file__).parents[3] / "sample_bots" / "python" / "random_bot.py"
PASSED_ON = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"}
REPORTING = """
import json, os, runpy, sys

with open("/proc/self/environ", "rb") as file:  # what it was given, whatever Python adds
    given = dict(item.split("=", 1) for item in file.read().decode().split(chr(0)) if item)
with open(given.get("NOTE") or sys.argv[1], "a") as notes:
    print(json.dumps({"given": given, "folder": os.getcwd()}), file=notes)
"""
TWO_WORKERS = f"""
import time

for _ in range({PATIENCE:.0f} * 20):  # no match goes on before both workers have one
    with open(sys.argv[1]) as notes:
        if len({{json.loads(line)["given"]["HIGHSTREET_RUN"] for line in notes}}) == 2:
            break
    time.sleep(0.05)
"""
PLAYING = f"""
sys.path.insert(0, {str(RANDOM.parent)!r})
runpy.run_path({str(RANDOM)!r}, run_name="__main__")
"""
FULL = {name: "/tmp" if name == "TMPDIR" else "C.UTF-8" for name in PASSED_ON - {"PATH", "HOME"}}  # noqa: S108
OURS = {"SECRET": "of the organiser", "HIGHSTREET_DATABASE": "postgresql://…", "SYSTEMROOT": "/x"}


def run(
    *arguments: str | Path, cwd: Path | str = ".", **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HIGHSTREET, *map(str, arguments)],
        cwd=cwd,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE,
        check=False,
    )


def notes(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def reporting(path: Path, more: str = "") -> Path:
    """Write a bot that notes its environment and its folder, and plays."""
    path.write_text(REPORTING + more + PLAYING)
    return path


@pytest.mark.parametrize(
    ("transport", "tls", "more"),
    [
        ("pipe", False, set()),
        ("grpc", False, {"HIGHSTREET_TARGET", "HIGHSTREET_TOKEN"}),
        ("grpc", True, {"HIGHSTREET_TARGET", "HIGHSTREET_TOKEN", "HIGHSTREET_CA"}),
    ],
    ids=["pipe", "grpc", "tls"],
)
def test_a_bot_gets_the_listed_variables_and_no_other(
    transport: str, tls: bool, more: set[str], tmp_path: Path
) -> None:
    options: list[str | Path] = []
    if tls:
        assert run("make-cert", tmp_path).returncode == 0
        options = ["--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem"]
    bot = (
        f"{transport}:{sys.executable} {reporting(tmp_path / 'reporting.py')} {tmp_path / 'notes'}"
    )
    ran = run("play", bot, "random", "--env", "LEVEL=3", *options, **FULL, **OURS)
    assert ran.returncode == 0, ran.stderr
    (note,) = notes(tmp_path / "notes")
    assert note["given"].keys() == PASSED_ON | {"LEVEL", "HIGHSTREET_TRIES"} | more
    assert note["given"].items() >= FULL.items()


TOURNAMENT = """\
name = "x"
table_sizes = [3]
[run]
workers = 2
tables = 2
[time_control]
per_move = {patience}
[[entrants]]
name = "plain"
command = ["{python}", "plain.py", "{notes}/plain"]
[[entrants]]
name = "moved"
command = ["{python}", "../moved.py", "{notes}/moved"]
folder = "inside"
[[entrants]]
name = "sample"
bot = "random"
environment = {{ PYTHONPATH = "{folder}/site", NOTE = "{notes}/sample" }}
"""


@pytest.mark.slow
def test_a_tournament_starts_bots_where_it_says_and_marks_each_run_and_worker(
    tmp_path: Path,
) -> None:
    """The sample bot notes its folder by a sitecustomize.py that Python imports first."""
    folder, elsewhere, noted = (tmp_path / name for name in ("files", "elsewhere", "notes"))
    for path in (folder, elsewhere, noted, folder / "inside", folder / "site"):
        path.mkdir()
    reporting(folder / "plain.py", TWO_WORKERS)
    reporting(folder / "moved.py")
    (folder / "site" / "sitecustomize.py").write_text(REPORTING)
    text = TOURNAMENT.format(patience=PATIENCE, python=sys.executable, notes=noted, folder=folder)
    (folder / "cup.toml").write_text(text)
    marks = []
    for out in ("one", "two"):
        asked = ("tournament", "run", folder / "cup.toml", "--out", tmp_path / out)
        ran = run(*asked, cwd=elsewhere, **FULL, **OURS)
        assert ran.returncode == 0, ran.stderr
        found = {name: notes(noted / name) for name in ("plain", "moved", "sample")}
        marks.append({note["given"]["HIGHSTREET_RUN"] for note in found["plain"]})
        (noted / "plain").unlink()
        assert {note["folder"] for note in found["plain"]} == {str(folder)}
        assert {note["folder"] for note in found["moved"]} == {str(folder / "inside")}
        assert {note["folder"] for note in found["sample"]} == {str(elsewhere)}
        always = PASSED_ON | {"HIGHSTREET_TRIES", "HIGHSTREET_RUN"}
        for name, own in {"plain": set(), "sample": {"PYTHONPATH", "NOTE"}}.items():
            for note in found[name]:
                assert note["given"].keys() == always | own
    first, second = marks
    assert (len(first), len(second)) == (2, 2), "one for each worker"
    assert first.isdisjoint(second)


LEAVING = """
import subprocess, sys

subprocess.Popen(["sleep", "3600"], start_new_session=True)
"""


def processes_with(mark: str) -> Iterator[Path]:
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                yield path.parent
        except OSError:  # it has ended
            continue


@pytest.mark.slow
def test_a_tournament_ends_a_process_that_left_its_group(tmp_path: Path) -> None:
    mark = secrets.token_hex(8)
    (tmp_path / "leaving.py").write_text(
        LEAVING + PLAYING.replace("runpy.", "__import__('runpy').")
    )
    (tmp_path / "cup.toml").write_text(
        f'name = "x"\ntable_sizes = [2]\n[time_control]\nper_move = {PATIENCE}\n'
        f'[[entrants]]\nname = "leaving"\ncommand = ["{sys.executable}", "leaving.py"]\n'
        f'environment = {{ MARK = "{mark}" }}\n'
        '[[entrants]]\nname = "random"\nbot = "random"\n'
    )
    ran = run("tournament", "run", tmp_path / "cup.toml", "--out", tmp_path / "cup")
    assert ran.returncode == 0, ran.stderr
    wait_until(lambda: not list(processes_with(mark)), DYING)


def test_a_bot_is_asked_to_end_before_it_is_killed(tmp_path: Path) -> None:
    """It ignores the goodbye and the end of its input, and a child of it ignores SIGTERM."""
    mark, asked = secrets.token_hex(8), tmp_path / "asked"
    script = tmp_path / "busy.sh"
    script.write_text(
        "sh -c 'trap \"\" TERM; while :; do sleep 0.1; done' &\n"
        f"trap 'touch {asked}; exit 0' TERM\n"
        "while :; do sleep 0.1; done\n"
    )
    quick = ("--per-move", "0.05", "--start-up", "0", "--policy", "strikes=0")
    ran = run("play", f"sh {script}", "random", "--env", f"MARK={mark}", *quick)
    assert ran.returncode == 1, ran.stderr
    assert asked.exists()
    wait_until(lambda: not list(processes_with(mark)), DYING)


LISTENING = """
import json, sys

for line in sys.stdin:
    said = json.loads(line)
    for kind in ("match_started", "decision", "match_ended"):
        if kind in said:
            told = {name: said[kind].get(name) for name in ("match", "commitment", "seed")}
            print(json.dumps({"kind": kind, **told}), file=sys.stderr, flush=True)
    if "decision" in said:
        decision = said["decision"]
        answer = {name: decision[name] for name in ("match", "decision_id")}
        answer["move"] = decision["legal_moves"][0]
        print(json.dumps({"submit_move": answer}), flush=True)
"""


def test_a_bot_knows_the_commitment_before_its_first_decision_and_the_record_opens_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "listening.py").write_text(LISTENING)
    bot = f"{sys.executable} {tmp_path / 'listening.py'}"
    assert run("play", bot, "random", "--matches", "3", "--out", tmp_path).returncode == 0
    told = notes(tmp_path / "listening.stderr.log")
    for path in tmp_path.glob("*.jsonl"):
        head, deal, *_ = map(json.loads, path.read_text().splitlines())
        opened = bytes.fromhex(deal["seed"] + deal["salt"])
        assert hashlib.sha256(opened).hexdigest() == head["commitment"]
        own = [each for each in told if each["match"] == head["match"]]
        assert own[0]["kind"] == "match_started", "before the first decision"
        assert own[0]["commitment"] == head["commitment"]
        assert {each["seed"] for each in own if each["kind"] != "match_ended"} == {None}


@pytest.mark.slow
def test_a_tournament_speaks_tls_and_nothing_else(tmp_path: Path) -> None:
    assert run("make-cert", tmp_path).returncode == 0
    file = tmp_path / "cup.toml"
    file.write_text(
        'name = "x"\ntable_sizes = [2]\n[run]\nlisten = "localhost:0"\ntls_cert = "cert.pem"\n'
        f'tls_key = "key.pem"\n[time_control]\nper_move = {PATIENCE}\n'
        '[[entrants]]\nname = "guest"\nremote = true\n'
        '[[entrants]]\nname = "random"\nbot = "random"\n'
    )
    out = tmp_path / "cup"
    (told,) = run("tournament", "tokens", file, "--out", out).stdout.splitlines()
    organiser = subprocess.Popen(
        [HIGHSTREET, "tournament", "run", file, "--out", out], stderr=subprocess.PIPE, text=True
    )
    try:
        assert organiser.stderr is not None
        line = next(line for line in organiser.stderr if "listening for remote bots" in line)
        bot = [sys.executable, str(RANDOM)]
        dial = {
            "HIGHSTREET_TARGET": f"localhost:{line.strip().rpartition(':')[2]}",
            "HIGHSTREET_TOKEN": told.rpartition(" ")[2],
        }
        plain = subprocess.run(bot, env=os.environ | dial, capture_output=True, check=False)
        assert plain.returncode != 0, "the same address and token without TLS"
        dial["HIGHSTREET_CA"] = str(tmp_path / "cert.pem")
        subprocess.run(bot, env=os.environ | dial, timeout=5 * PATIENCE, check=True)
        organiser.communicate(timeout=PATIENCE)
        assert organiser.returncode == 0
    finally:
        organiser.kill()
        organiser.communicate()
    (row,) = [row for row in (out / "standings.csv").read_text().splitlines() if "guest" in row]
    assert row
    assert run("tournament", "verify", out).returncode == 0
