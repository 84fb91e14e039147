"""``highstreet play``, ``serve`` and ``make-cert``, as an organiser meets them."""

from __future__ import annotations

import csv
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import pytest

from referee.model.bot import Transport
from referee.record.reader import read_record
from referee.record.verify import verify_record
from tests.waiting import DYING, PATIENCE, wait_until
from tournaments.cli.bots import read_bots

HIGHSTREET = str(Path(sys.executable).parent / "highstreet")
SAMPLES = Path(__file__).parents[3] / "sample_bots"
FIRST_MOVE = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    {extra}
    if "decision" in said:
        decision = said["decision"]
        answer = {{name: decision[name] for name in ("match", "decision_id")}}
        answer["move"] = decision["legal_moves"][0]
        print(json.dumps({{"submit_move": answer}}), flush=True)
"""


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    exit_code: int
    output: str


def run(*arguments: str | int | Path, cwd: Path | str = ".", **environment: str) -> Done:
    """Run the command as a process of its own: servers and bots leave nothing in ours."""
    done = subprocess.run(
        [HIGHSTREET, *map(str, arguments)],
        cwd=cwd,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=5 * PATIENCE,
        check=False,
    )
    return Done(done.returncode, done.stdout)


def bot(folder: Path, name: str, extra: str = "pass") -> str:
    """Write a bot that plays the first legal move, and return its command."""
    path = folder / f"{name}.py"
    path.write_text(FIRST_MOVE.format(extra=extra))
    return f"{sys.executable} {path}"


def records(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


def index(folder: Path) -> list[dict[str, str]]:
    with (folder / "index.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@contextmanager
def started(*arguments: str | int | Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command; its bots inherit a PATH by which they can be found."""
    mark = f"/{secrets.token_hex(8)}"
    environment = os.environ | {"PATH": f"{os.environ['PATH']}:{mark}"}
    process = subprocess.Popen(
        [HIGHSTREET, *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, mark
    finally:
        process.kill()
        process.communicate()


def nobody_is_left(mark: str) -> None:
    """Check that no process has the mark; those that are ending have a moment to do so."""

    def gone() -> bool:
        return not any(has(path, mark) for path in Path("/proc").glob("[0-9]*/environ"))

    wait_until(gone, DYING)


def has(path: Path, mark: str) -> bool:
    try:
        return mark.encode() in path.read_bytes()
    except OSError:
        return False


def line_with(stream: IO[str] | None, pattern: str) -> re.Match[str]:
    assert stream is not None
    for line in stream:
        if found := re.search(pattern, line):
            return found
    raise AssertionError(f"no line with {pattern}")


@pytest.mark.parametrize("transport", ["pipe", "grpc"])
def test_the_result_is_shown_and_the_record_is_kept(transport: str, tmp_path: Path) -> None:
    shown = run("play", "greedy", "random", "--transport", transport, "--out", tmp_path)
    assert shown.exit_code == 0, shown.output
    (path,) = records(tmp_path)
    summary = verify_record(read_record(path))
    assert summary.entrants == ("greedy", "random")
    assert f"record: {path}" in shown.output.replace("\n", "")
    assert f"{summary.decisions} decisions; ended by {summary.ending}" in shown.output
    for seat, entrant in enumerate(summary.entrants):
        row = rf"{summary.places[seat]} +{entrant} +{seat} +{summary.scores[seat]} "
        assert re.search(row, shown.output)


def test_seats_rotate_and_a_seed_repeats_the_deals(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        shown = run(
            "play", "greedy", "random", "--matches", 2, "--seed", 7, "--out", tmp_path / folder
        )
        assert shown.exit_code == 0, shown.output
        assert re.search(r"entrant +matches +won", shown.output)
    seats = [verify_record(read_record(path)).entrants for path in records(tmp_path / "one")]
    assert seats == [("greedy", "random"), ("random", "greedy")]
    deals = [
        [json.loads(path.read_text().splitlines()[1])["seed"] for path in records(tmp_path / name)]
        for name in ("one", "two")
    ]
    assert deals[0] == deals[1]
    assert deals[0][0] != deals[0][1]


def test_a_given_seed_is_not_told_for_the_next_one_follows_from_it(tmp_path: Path) -> None:
    extra = "'match_ended' in said and print(said['match_ended']['seed'], file=sys.stderr)"
    told = bot(tmp_path, "told", extra)
    # A bot that plays a second match has heard how the first one ended, however slow it is.
    asked = ("play", told, "random", "--matches", 2, "--out", tmp_path)
    assert run(*asked, "--seed", 7).exit_code == 0
    log = tmp_path / "told.stderr.log"
    assert set(log.read_text().splitlines()) == {""}
    log.unlink()
    assert run(*asked).exit_code == 0
    assert {len(line) for line in log.read_text().splitlines()} == {64}


def test_watch_draws_the_board_after_each_move() -> None:
    shown = run("play", "random", "random", "--watch").output
    assert re.search(r"random-2 \(seat 1\) plays (take|pass|keep)", shown)
    assert shown.count("draw pile:") > 20


def test_watch_shows_no_card_that_is_still_covered() -> None:
    """In Gargon a play and its cards are secret until all have laid (gargon#4)."""
    arguments = ("play", "--game", "gargon", "--seats", 3, "random", "random", "random", "--watch")
    plays = [
        line.split(" plays ")[1]
        for line in run(*arguments).output.splitlines()
        if " plays " in line
    ]
    assert {play for play in plays if play.startswith("pick")} == {"pick (covered)"}
    assert {play for play in plays if play.startswith("play")} == {"play (covered)"}


def test_every_bot_has_a_name_of_its_own() -> None:
    """A name with a number may be taken already, and a command need not end with a file."""
    commands = ["python a-2.py", "python a.py", "python a.py", "a", "python -c 'x = [1]\ny'"]
    names = [spec.name for spec in read_bots(commands, Transport.PIPE)]
    assert names == ["a-2", "a", "a-3", "a-4", "x_1_y"]


def test_what_a_bot_says_is_shown_as_plain_text(tmp_path: Path) -> None:
    """Neither markup nor control codes of a bot reach the terminal."""
    said = json.dumps({"[/red]\x1b[2J": 1})
    rude = bot(tmp_path, "rude", f"print({said!r}, flush=True); continue")
    shown = run("play", rude, "greedy", "--policy", "malformed=forfeit")
    assert shown.exit_code == 1, shown.output
    assert "[/red]" in shown.output
    assert "\x1b[2J" not in shown.output


def test_a_bot_that_has_ended_is_started_again(tmp_path: Path) -> None:
    flag = str(tmp_path / "flag")
    failing = f"__import__('os').path.exists({flag!r}) or sys.exit(open({flag!r}, 'x').close())"
    brief = bot(tmp_path, "brief", failing)
    out = tmp_path / "out"
    shown = run("play", brief, "random", "--matches", 3, "--out", out)
    assert shown.exit_code == 1, shown.output
    summaries = [verify_record(read_record(path)) for path in records(out)]
    assert [summary.forfeits for summary in summaries] == [(0,), (), ()]


def test_what_was_played_is_shown_when_a_record_cannot_be_written(tmp_path: Path) -> None:
    """The bot takes the folder away, before its first answer, which is as bad as a full disk."""
    out = tmp_path / "out"
    move = f"__import__('os').rename({str(out)!r}, {str(out)!r} + '2')"
    moving = f"'match_started' in said and {move}"
    shown = run("play", bot(tmp_path, "thief", moving), "random", "--matches", 9, "--out", out)
    assert shown.exit_code == 2
    assert "ended by" in shown.output
    assert "cannot write" in shown.output


REFUSALS = {
    "one bot": (["play", "greedy"], "Glastonbury is for 2, 3 or 4 seats, not for 1."),
    "five bots": (["play", *["random"] * 5], "Glastonbury is for 2, 3 or 4 seats, not for 5."),
    "too few bots": (["play", "--seats", "3", "random", "random"], "3 seats need 3 bots, not 2."),
    "no such command": (["play", "random", "no-such-bot"], 'cannot start the bot "no-such-bot"'),
    "another one never comes": (["play", "remote", "no-such-bot"], "cannot start the bot"),
    "sample bot misspelt": (["play", "random", "gredy"], 'Did you mean "greedy"?'),
    "file without its folder": (["play", "random", "file.py x"], 'write "./file.py", or name the'),
    "open quote": (["play", "random", "python 'x"], "No closing quotation."),
    "empty command": (["play", "random", ""], "the command of a bot is empty"),
    "does not dial in": (
        ["play", "--transport", "grpc", "random", "true"],
        "true did not dial in: the process ended with exit code 0.",
    ),
    "prefix of a remote bot": (["play", "grpc:remote", "random"], "write remote without a transp"),
    "prefix without a command": (["play", "grpc:", "random"], "the command of a bot is empty"),
    "variable of ours": (
        ["play", "random", "random", "--env", "HIGHSTREET_TOKEN=x"],
        "HIGHSTREET_TOKEN cannot be set",
    ),
    "no variable": (["play", "random", "random", "--env", "A B=x"], "is no name of a variable"),
    "variable that is not set": (
        ["play", "random", "random", "--env", "NO_SUCH_VARIABLE"],
        "NO_SUCH_VARIABLE is not set here",
    ),
    "folder is no folder": (["play", "random", "random", "--out", "/dev/null/x"], "cannot make"),
    "folder is read-only": (["play", "random", "random", "--out", "/proc"], "cannot write the log"),
    "bad seed": (
        ["play", "random", "random", "--seed", "x"],
        "a whole number from 0 such as 7",
    ),
    "endless time": (["play", "random", "random", "--bank", "inf"], "'--bank'"),
    "no time": (["play", "random", "random", "--per-move", "0"], "leaves no time to think"),
    "time is no number": (["play", "random", "random", "--latency", "nan"], "nan is not a number"),
    "endless patience": (["play", "random", "random", "--policy", "strikes=9999999"], "strikes is"),
    "unknown fault": (["play", "random", "random", "--policy", "x=strike"], 'has no "x"'),
    "unknown reaction": (["play", "random", "random", "--policy", "crash=x"], "must be reject"),
    "no such port": (["play", "random", "remote", "--port", "70000"], "'--port'"),
    "no such host": (["play", "random", "remote", "--host", "192.0.2.1"], "one of this machine?"),
    "certificate without key": (
        ["play", "random", "remote", "--tls-cert", __file__],
        "--tls-cert and --tls-key belong together",
    ),
    "no certificate": (
        ["play", "random", "remote", "--tls-cert", __file__, "--tls-key", __file__],
        "Are certificate and key in PEM format",
    ),
    "too few entrants": (["serve", "--entrant", "ann", "--out", "{tmp}"], "2 seats need as many"),
    "nameless entrant": (
        ["serve", "--entrant", "", "--entrant", "b"],
        "must have 1 to 60 characters",
    ),
    "serve read-only": (
        ["serve", "--entrant", "a", "--entrant", "b", "--out", "/proc"],
        "cannot write into /proc",
    ),
    "socket path too long": (
        ["serve", "--entrant", "a", "--entrant", "b", "--out", "{tmp}", "--unix", "x" * 150],
        "longer than 107 characters?",
    ),
    "no host name": (["make-cert", "{tmp}", "--host", ""], "cannot make a certificate"),
    "foreign host name": (["make-cert", "{tmp}", "--host", "münchen"], "cannot make a certificate"),
    "valid for ever": (["make-cert", "{tmp}", "--days", "99999999"], "'--days'"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_bad_input_gets_a_clear_sentence_and_exit_code_2(
    arguments: list[str], sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "file.py").touch()
    refused = run(*(each.replace("{tmp}", str(tmp_path)) for each in arguments), cwd=tmp_path)
    assert refused.exit_code == 2, refused.output
    assert sentence in refused.output
    assert "Traceback" not in refused.output


@pytest.mark.parametrize("transport", ["pipe", "grpc"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["sigint", "sigterm"])
def test_an_interrupt_keeps_what_was_finished_and_leaves_no_process(
    number: int, transport: str, tmp_path: Path
) -> None:
    asked = ("play", "greedy", "random", "--matches", 5000, "--transport", transport)
    with started(*asked, "--out", tmp_path) as (process, mark):
        wait_until(lambda: len(records(tmp_path)) >= 2)
        process.send_signal(number)
        output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, errors
        assert "interrupted; the finished matches are kept." in errors
        assert "Traceback" not in errors
        assert re.search(r"greedy +\d+ ", output)
        nobody_is_left(mark)
    for path in records(tmp_path):
        verify_record(read_record(path))
    assert {row["file"] for row in index(tmp_path)} == {path.name for path in records(tmp_path)}
    assert not list(tmp_path.glob(".*")), "no half-written record"


def test_a_second_interrupt_leaves_no_process_either(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    stubborn = f"""bash -c "trap '' TERM; touch {ready}; sleep 3600 & sleep 3600" """
    with started("play", stubborn, "remote") as (process, mark):
        line_with(process.stderr, "HIGHSTREET_TOKEN")
        wait_until(ready.exists)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)  # two that come at once may be one
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, errors
        assert "Traceback" not in errors
        nobody_is_left(mark)


def test_a_remote_bot_is_told_how_to_dial_in_and_plays(tmp_path: Path) -> None:
    with started("play", "random", "remote", "--out", tmp_path) as (process, _):
        told = line_with(process.stderr, r"HIGHSTREET_TARGET=(\S+) HIGHSTREET_TOKEN=(\S+)")
        dial = {"HIGHSTREET_TARGET": told[1], "HIGHSTREET_TOKEN": told[2]}
        remote = [sys.executable, str(SAMPLES / "python" / "random_bot.py")]
        subprocess.run(remote, env=os.environ | dial, timeout=PATIENCE, check=True)
        output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
    assert verify_record(read_record(records(tmp_path)[0])).entrants == ("random", "remote")
    assert "forfeit" not in output


def test_tls_from_make_cert_to_the_last_move(tmp_path: Path) -> None:
    made = run("make-cert", tmp_path)
    assert made.exit_code == 0
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    assert key.stat().st_mode & 0o777 == 0o600
    assert "--force" in run("make-cert", tmp_path).output
    old = cert.read_bytes()
    assert run("make-cert", tmp_path, "--force").exit_code == 0
    assert cert.read_bytes() != old
    asked = ("play", "random", "random", "--transport", "grpc", "--tls-cert", cert)
    shown = run(*asked, "--tls-key", key)
    assert shown.exit_code == 0, shown.output
    assert "ended by" in shown.output
    assert "forfeit" not in shown.output


@pytest.mark.slow
def test_serve_prints_the_tokens_of_its_entrants_once_it_listens(tmp_path: Path) -> None:
    asked = ("serve", "--entrant", "ann", "--entrant", "bob", "--out", tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = run(*asked, "--port", taken.getsockname()[1])
    assert refused.exit_code == 2
    assert "another program listens there" in refused.output
    assert "token of" not in refused.output
    with started(*asked) as (process, _):
        assert process.stdout is not None
        line_with(process.stdout, "listening on")
        process.send_signal(signal.SIGINT)
        output = process.stdout.read()  # communicate would miss what is in the buffer already
        assert process.wait(timeout=PATIENCE) == 0
    for holder in ("ann", "bob", "the organiser"):
        assert output.count(f"token of {holder}: ") == 1
    assert "0 matches played" in output
    assert list(tmp_path.iterdir()) == [], "nothing but records is written there"
