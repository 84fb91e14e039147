"""``highstreet verify`` and ``highstreet replay`` as a person uses them."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.game import Seat
from engine.registry import find_game
from engine.shuffle import seed_from_text
from referee.devkit.random_play import random_game
from referee.record.writer import Recorder, write_record
from tournaments.cli import main

GAME = find_game("glastonbury")
HIGHSTREET = Path(sys.executable).parent / "highstreet"


UNREADABLE = {"fault": "malformed", "reaction": "reject", "said": "?", "detail": "no", "ms": 1}


def record(seed: int) -> bytes:
    """Return the record of a random game; its first answer was unreadable."""
    kind = GAME.spec.options(3, {"recipes": True})
    played = random_game(GAME, kind, seed_from_text(str(seed)))
    seats = [{"entrant": name} for name in ("ada", "ben", "c\x1b[31m")]
    recorder = Recorder(GAME, kind, played.seed, b"salt", f"m{seed}", seats, {}, {})
    for n, (seat, legal, move) in enumerate(played.decisions, 1):
        verdicts = [UNREADABLE] if n == 1 else ()
        ms = 0 if legal == 1 else 1.5
        recorder.decision(n, seat, GAME.format_move(move), ms, legal, verdicts)
    outcome = played.outcome
    recorder.end(str(outcome.ending), outcome.scores, outcome.places, tiebreaks=outcome.tiebreaks)
    return recorder.data()


RECORD = record(0)
DECISIONS = RECORD.count(b'"decision"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with three correct records, one of them further down."""
    (tmp_path / "set-1").mkdir()
    write_record(tmp_path, "m0", RECORD)
    write_record(tmp_path, "m1", record(1), compress=True)
    write_record(tmp_path / "set-1", "m2", record(2))
    (tmp_path / "notes.txt").write_text("no record", encoding="utf-8")
    return tmp_path


def damage(path: Path) -> None:
    """Make decision 3, which is line 5, illegible to its hash."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b'"ms":1.5', b'"ms":1.4')
    path.write_bytes(b"".join(lines))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


# verify -----------------------------------------------------------------------------------------


def test_correct_records_are_counted(folder: Path) -> None:
    done = run("verify", folder)
    assert (done.exit_code, done.output) == (0, "3 records: 3 correct, 0 wrong\n")
    done = run("verify", folder / "m0.jsonl", folder / "m1.jsonl.zst", folder / "m0.jsonl")
    assert (done.exit_code, done.output) == (0, "2 records: 2 correct, 0 wrong\n")
    done = run("verify", folder / "m0.jsonl")
    assert (done.exit_code, done.output) == (0, "1 record: 1 correct, 0 wrong\n")


def test_a_wrong_record_is_printed_with_its_line(folder: Path) -> None:
    damage(folder / "set-1" / "m2.jsonl")
    done = run("verify", folder)
    wrong, summary = done.output.splitlines()
    assert done.exit_code == 1
    assert wrong.startswith(f"{folder}/set-1/m2.jsonl: line 5: hash is ")
    assert summary == "3 records: 2 correct, 1 wrong"


def test_quiet_prints_wrong_records_only(folder: Path) -> None:
    assert run("verify", "--quiet", folder).output == ""
    damage(folder / "m0.jsonl")
    done = run("verify", "-q", folder)
    assert done.exit_code == 1
    assert done.output.count("\n") == 1


def test_bytes_that_are_no_record_are_a_wrong_record(folder: Path) -> None:
    done = run("verify", folder / "notes.txt")
    assert done.exit_code == 1
    assert "notes.txt: line 1: the line breaks off" in done.output
    (folder / "m9.jsonl.zst").write_bytes(b"no zstd")
    done = run("verify", folder)
    assert done.exit_code == 1
    assert "m9.jsonl.zst: cannot be decompressed" in done.output


def test_nothing_to_check_is_exit_code_2(tmp_path: Path) -> None:
    for arguments, sentence in (
        ([tmp_path / "none"], "there is no file or folder"),
        ([tmp_path], "no records in"),
        ([], "Missing argument"),
        (["--workers", "0", tmp_path], "--workers"),
    ):
        done = run("verify", *arguments)
        assert done.exit_code == 2
        assert sentence in done.output
        assert "Traceback" not in done.output


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_many_records_are_checked_in_order_by_any_number_of_workers(
    tmp_path: Path, workers: int
) -> None:
    for i in range(60):
        (tmp_path / f"m{i:02}.jsonl").write_bytes(RECORD)
    damage(tmp_path / "m07.jsonl")
    damage(tmp_path / "m55.jsonl")
    done = run("verify", tmp_path, "--workers", workers)
    first, second, summary = done.output.splitlines()
    assert done.exit_code == 1
    assert "m07.jsonl: line 5:" in first
    assert "m55.jsonl: line 5:" in second
    assert summary == "60 records: 58 correct, 2 wrong"


@pytest.mark.slow
def test_a_progress_bar_leaves_standard_output_alone(tmp_path: Path) -> None:
    for i in range(60):
        (tmp_path / f"m{i:02}.jsonl").write_bytes(RECORD)
    damage(tmp_path / "m07.jsonl")
    inner, outer = pty.openpty()
    done = subprocess.Popen(
        [HIGHSTREET, "verify", tmp_path, "--workers", "1"], stdout=subprocess.PIPE, stderr=outer
    )
    os.close(outer)
    bar = everything(inner)
    output = done.communicate()[0].decode()
    assert done.returncode == 1
    assert "records" in bar
    assert output.count("\n") == 2
    assert output.endswith("60 records: 59 correct, 1 wrong\n")


# replay -----------------------------------------------------------------------------------------


def test_without_a_terminal_every_position_is_printed(folder: Path) -> None:
    done = run("replay", folder / "m0.jsonl")
    assert done.exit_code == 0
    assert done.output == run("replay", "--all", folder / "m0.jsonl").output
    for decisions in range(DECISIONS + 1):
        assert f"match m0, after {decisions} of {DECISIONS} decisions\n" in done.output
    assert "the match ended: " in done.output
    assert done.output.count("place 1\n") >= 1


def test_a_position_says_who_played_what_and_how(folder: Path) -> None:
    done = run("replay", folder / "m0.jsonl", "--at", "2")
    assert done.exit_code == 0
    title, played, verdict, *_, following = done.output.splitlines()
    assert title == f"match m0, after 1 of {DECISIONS} decisions"
    assert played.startswith('decision 1: seat 0 (ada) played "take c')
    assert played.endswith('", in 1.5 ms, one of 6 moves')
    assert verdict == "  verdict: fault malformed, reaction reject, said ?, detail no, ms 1"
    assert following.startswith('next: seat 1 (ben) plays "')
    assert "the deal\n" in run("replay", folder / "m0.jsonl", "--at", "1").output


def test_at_reaches_the_end_and_not_beyond(folder: Path) -> None:
    last = run("replay", folder / "m0.jsonl", "--at", DECISIONS + 1)
    assert "the match ended" in last.output
    beyond = run("replay", folder / "m0.jsonl", "--at", DECISIONS + 2)
    assert beyond.exit_code == 2
    assert f"the match has {DECISIONS} decisions" in beyond.output


@pytest.mark.parametrize(("viewer", "hidden"), [("spectator", 3), ("2", 2)])
def test_the_viewer_sees_what_it_may_know(folder: Path, viewer: str, hidden: int) -> None:
    shown = run("replay", folder / "m0.jsonl", "--at", "5", "--viewer", viewer)
    assert shown.output.count("hidden") == hidden


@pytest.mark.parametrize("viewer", ["3", "-1", "mover", "²", ""])
def test_nobody_else_is_a_viewer(folder: Path, viewer: str) -> None:
    refused = run("replay", folder / "m0.jsonl", "--viewer", viewer)
    assert refused.exit_code == 2
    assert "give a seat from 0 to 2, spectator or everything." in refused.output


def test_an_entrant_cannot_control_the_terminal(folder: Path) -> None:
    shown = run("replay", folder / "m0.jsonl").output
    assert "\x1b" not in shown
    assert "(c\\u001b[31m)" in shown


def test_a_wrong_record_is_shown_as_far_as_it_goes(folder: Path) -> None:
    path = folder / "m0.jsonl"
    lines = RECORD.splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:6], b"{}\n"]))
    done = run("replay", path)
    assert done.exit_code == 1
    assert "after 4 of 4 decisions" in done.output
    assert f"the record is wrong from here on: {path}: line 7: " in done.output
    page = folder / "m0.html"
    drawn = run("replay", path, "--html", page)
    assert drawn.exit_code == 1
    assert f"the page ends where the record is wrong: {path}: line 7: " in drawn.output
    assert page.exists()


@pytest.mark.parametrize("options", [(), ("--html", "page.html")])
def test_a_record_that_cannot_begin_is_named_with_its_line(
    folder: Path, options: tuple[str, ...]
) -> None:
    path = folder / "m0.jsonl"
    path.write_bytes(b"{}\n")
    refused = run("replay", path, *options)
    assert refused.exit_code == 2
    assert f"{path}: line 1: " in refused.output
    missing = run("replay", folder / "none", *options)
    assert missing.exit_code == 2
    assert f"{folder / 'none'}: cannot be read: No such file or directory." in missing.output
    packed = folder / "m1.jsonl.zst"
    packed.write_bytes(packed.read_bytes()[:100])
    broken = run("replay", packed, *options)
    assert broken.exit_code == 2
    assert f"{packed}: cannot be decompressed: it breaks off." in broken.output


# replay: what is secret -------------------------------------------------------------------------

GARGON = find_game("gargon")


def secret_record() -> tuple[bytes, int, str]:
    """Return the record of a match of Gargon, its first pick, and the move of that."""
    kind = GARGON.spec.options(3)
    played = random_game(GARGON, kind, seed_from_text("3"))
    seats = [{"entrant": name} for name in ("ada", "ben", "cid")]
    recorder = Recorder(GARGON, kind, played.seed, b"salt", "g", seats, {}, {})
    moves = [GARGON.format_move(move) for _, _, move in played.decisions]
    first = next(n for n, move in enumerate(moves, 1) if move.startswith("pick"))
    for n, (seat, legal, _) in enumerate(played.decisions, 1):
        said = {"fault": "illegal_move", "reaction": "reject", "said": "pick V99", "detail": "no"}
        recorder.decision(n, seat, moves[n - 1], 2.5, legal, [said] if n == first else ())
    outcome = played.outcome
    recorder.end(str(outcome.ending), outcome.scores, outcome.places, tiebreaks=outcome.tiebreaks)
    return recorder.data(), first, moves[first - 1]


SECRET, PICK, PICKED = secret_record()


def picker() -> int:
    """Return the seat that picks."""
    line = json.loads(SECRET.splitlines()[PICK + 1])
    assert line["move"] == PICKED
    return int(line["seat"])


@pytest.mark.parametrize("viewer", ["spectator", "other", "own", "everything"])
def test_a_secret_move_is_covered_for_all_but_its_seat(tmp_path: Path, viewer: str) -> None:
    path = write_record(tmp_path, "g", SECRET)
    seat = {"own": picker(), "other": (picker() + 1) % 3}.get(viewer, viewer)
    before, after = (
        run("replay", path, "--at", at, "--viewer", seat).output for at in (PICK, PICK + 1)
    )
    following, told = before.splitlines()[-1], after.splitlines()[1]
    assert following.startswith(f"next: seat {picker()} ")
    assert told.startswith(f"decision {PICK}: seat {picker()} ")
    if viewer in ("own", "everything"):
        assert following.endswith(f'plays "{PICKED}"')
        assert f'played "{PICKED}", ' in told
        assert "said pick V99" in after
    else:
        assert following.endswith("plays pick (covered)")
        assert told.endswith("played pick (covered), in 2.5 ms")
        assert after.splitlines()[2] == "  verdict: fault illegal_move, reaction reject"
        assert f'"{PICKED}"' not in before + after


def test_no_secret_move_of_a_whole_match_is_told(tmp_path: Path) -> None:
    path = write_record(tmp_path, "g", SECRET)
    spectator = run("replay", path).output
    assert "pick (covered)" in spectator
    assert "play (covered)" in spectator
    assert not re.search(r'play(?:s|ed) "(?:pick|play) ', spectator)
    everything_told = run("replay", path, "--viewer", "everything").output
    assert "(covered), " not in everything_told
    assert "(covered)\n" not in everything_told
    for seat in range(3):
        assert f"what seat {seat} " in everything_told


def test_a_stopped_match_is_shown(tmp_path: Path) -> None:
    kind = GAME.spec.options(2)
    seats = [{"entrant": "a"}, {"entrant": "b"}]
    recorder = Recorder(GAME, kind, seed_from_text("0"), b"", "m", seats, {}, {})
    recorder.decision(1, Seat(0), "take c2", 1, 6)
    recorder.end("stopped", causes=[{"seat": None, "fault": "stopped", "cause": "machine"}])
    shown = run("replay", write_record(tmp_path, "m", recorder.data()))
    assert shown.exit_code == 0
    assert shown.output.endswith("the match ended: stopped\n\n")


def everything(terminal: int, until: str | None = None) -> str:
    """Read what a program writes to its terminal, until some words or its end."""
    seen = b""
    while until is None or until.encode() not in seen:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that nobody writes any more
            break
        if not part:
            break
        seen += part
    return seen.decode()


AT_A_TERMINAL = """
import os, sys
os.close(os.open(os.ttyname(0), os.O_RDWR))
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Start a program that is sent the Ctrl-C of its terminal: opening it makes it ours."""


def typed(path: Path, keys: str) -> tuple[int, str]:
    """Replay at a terminal; return the exit code, and what it showed after these keys."""
    inner, outer = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", AT_A_TERMINAL, HIGHSTREET, "replay", path],
        stdin=outer,
        stdout=outer,
        stderr=outer,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
    ) as program:
        os.close(outer)
        assert "the deal" in everything(inner, until="q quits: ")
        os.write(inner, keys.encode())
        shown = everything(inner)
    os.close(inner)
    return program.returncode, shown


KEYS = {
    "forwards": ("n \r\x1b[C\x1bOC", 5),
    "back": ("nnnb\x1b[D", 1),
    "not before the deal": ("b", 0),
    "last": ("l", DECISIONS),
    "not beyond the last": ("ln", DECISIONS),
    "first": ("lf", 0),
    "a number": ("17\r", 17),
    "a corrected number": ("18\x7f7\n", 17),
    "too large a number": ("99999\r", DECISIONS),
    "a number forgotten": ("17n", 1),
    "an unknown key": ("nxé", 1),
}


@pytest.mark.parametrize(("keys", "reached"), KEYS.values(), ids=KEYS)
def test_keys_step_through_a_match(folder: Path, keys: str, reached: int) -> None:
    code, shown = typed(folder / "m0.jsonl", f"{keys}q")
    assert code == 0
    *_, page = shown.split("match m0, after ")
    assert page.startswith(f"{reached} of {DECISIONS} decisions")


@pytest.mark.parametrize("leave", ["q", "\x03", "\x04"], ids=["q", "Ctrl-C", "Ctrl-D"])
def test_a_replay_can_be_left_in_any_way(folder: Path, leave: str) -> None:
    code, shown = typed(folder / "m0.jsonl", leave)
    assert (code, shown.strip()) == (0, "")
