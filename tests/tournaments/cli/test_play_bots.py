"""``highstreet play``: how bots are started, why they forfeit, and the index of the matches."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from referee.record.reader import read_record
from referee.record.verify import verify_record
from tests.tournaments.cli.test_play_cli import SAMPLES, bot, index, records, run


def test_each_bot_may_have_a_transport_of_its_own(tmp_path: Path) -> None:
    """One speaks lines alone; the other says on standard error that it was told where to dial."""
    lines = bot(tmp_path, "lines")
    dialling = tmp_path / "dialling.py"
    sample = SAMPLES / "python" / "random_bot.py"
    dialling.write_text(
        "import os, runpy, sys\n"
        "print('target', os.environ.get('HIGHSTREET_TARGET'), file=sys.stderr, flush=True)\n"
        f"sys.path.insert(0, {str(sample.parent)!r})\n"
        f"runpy.run_path({str(sample)!r}, run_name='__main__')\n"
    )
    dials = f"{sys.executable} {dialling}"
    for number, (usual, bots) in enumerate(
        {"grpc": (f"pipe:{lines}", dials), "pipe": (lines, f"grpc:{dials}")}.items()
    ):
        out = tmp_path / f"out{number}"
        shown = run("play", *bots, "--transport", usual, "--out", out)
        assert shown.exit_code == 0, shown.output
        summary = verify_record(read_record(records(out)[0]))
        assert summary.entrants == ("lines", "dialling")
        assert summary.forfeits == ()
        assert re.search(r"target 127.0.0.1:\d+", (out / "dialling.stderr.log").read_text())


def test_bots_are_given_the_variables_that_the_command_line_names(tmp_path: Path) -> None:
    extra = "print([sys.modules['os'].environ.get(n) for n in ('A', 'B', 'C')], file=sys.stderr)"
    telling = bot(tmp_path, "telling", extra)
    asked = ("play", telling, "grpc:random", "--out", tmp_path, "--env", "A=1=2", "--env", "B")
    shown = run(*asked, B="key", C="not passed on")
    assert shown.exit_code == 0, shown.output
    assert set((tmp_path / "telling.stderr.log").read_text().splitlines()) == {
        "['1=2', 'key', None]"
    }


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check-bot", "feed"])
def test_a_bot_that_is_checked_or_fed_gets_its_variables_too(command: str, tmp_path: Path) -> None:
    needy = bot(tmp_path, "needy", "sys.modules['os'].environ['KEY'] == '7' or sys.exit(9)")
    assert run("play", "random", "random", "--out", tmp_path).exit_code == 0
    what = [str(records(tmp_path)[0]), "--seat", "0"] if command == "feed" else []
    assert run(command, *what, "--env", "KEY", "--", *needy.split(), KEY="7").exit_code == 0
    assert run(command, *what, "--", *needy.split(), KEY="7").exit_code == 1


FAILING = """n = globals().get("n", 0) + ("decision" in said)
    print(f"thought\\x1b[2J {n}", file=sys.stderr, flush=True)
    n < 15 or sys.exit("out of ideas")"""


def test_a_bot_that_forfeits_shows_its_last_lines_of_standard_error(tmp_path: Path) -> None:
    failing = bot(tmp_path, "failing", FAILING)
    alone = run("play", failing, "greedy", "--per-move", 60)
    assert alone.exit_code == 1
    assert re.search(
        r"^failing forfeited 1 of 1 matches at decision \d+: ", alone.output, re.MULTILINE
    )
    assert "    thought\\u001b[2J 15\n    out of ideas\n" in alone.output
    assert "[2J 1\n" not in alone.output, "only the last lines"
    assert "--out FOLDER, and read FOLDER/failing.stderr.log" in alone.output
    assert f"highstreet check-bot -- {failing}" in alone.output
    log = tmp_path / "out" / "failing.stderr.log"
    log.parent.mkdir()
    log.write_text("of an earlier run\n")
    kept = run("play", failing, "greedy", "--matches", 2, "--out", log.parent, "--per-move", 60)
    assert kept.exit_code == 1
    assert "failing forfeited 2 of 2 matches, the latest at decision" in kept.output
    assert f"  more: {log}\n" in kept.output


def test_a_bot_that_wrote_nothing_shows_no_lines_of_an_earlier_run(tmp_path: Path) -> None:
    mute = bot(tmp_path, "mute", "sys.exit(3)")
    log = tmp_path / "mute.stderr.log"
    log.write_text("of an earlier run\n")
    shown = run("play", mute, "greedy", "--out", tmp_path)
    assert shown.exit_code == 1
    assert "it wrote nothing on standard error" in shown.output
    assert "of an earlier run" not in shown.output
    assert log.read_text() == "of an earlier run\n"


def test_a_bot_that_does_not_dial_in_shows_why(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_module\n")
    shown = run("play", f"grpc:{sys.executable} {broken}", "random")
    assert shown.exit_code == 2
    assert "broken did not dial in: the process ended with exit code 1." in shown.output
    assert "ModuleNotFoundError: No module named 'no_such_module'" in shown.output
    assert "write pipe:COMMAND" in shown.output


def test_a_folder_of_records_has_an_index_of_its_matches(tmp_path: Path) -> None:
    brief = bot(tmp_path, "brief", "sys.exit()")
    out = tmp_path / "out"
    assert run("play", brief, "random", "--matches", 2, "--seed", 7, "--out", out).exit_code == 1
    more = ("play", "--game", "gargon", "random", "random", "greedy", "--out", out)
    assert run(*more).exit_code == 0
    rows = index(out)
    assert [row["file"] for row in rows] == [path.name for path in records(out)]
    for row in rows:
        head, deal, *_, end = map(json.loads, (out / row["file"]).read_text().splitlines())
        assert row["match"] == head["match"]
        assert row["game"] == head["game"]
        assert json.loads(row["options"]).items() >= head["options"].items()
        assert json.loads(row["entrants"]) == [seat["entrant"] for seat in head["seats"]]
        assert int(row["seats"]) == len(head["seats"])
        assert row["seed"] == deal["seed"]
        assert row["ending"] == end["ending"]
        assert int(row["decisions"]) == len((out / row["file"]).read_text().splitlines()) - 3
        for name in ("scores", "places", "forfeits"):
            assert json.loads(row[name]) == end[name]
    assert [row["forfeits"] for row in rows] == ["[0]", "[1]", "[]"]
    assert run("verify", out).output == "3 records: 3 correct, 0 wrong\n"


def test_an_index_goes_on_behind_a_row_that_a_power_cut_left_incomplete(tmp_path: Path) -> None:
    assert run("play", "random", "random", "--out", tmp_path).exit_code == 0
    path = tmp_path / "index.csv"
    whole = path.read_text()
    path.write_text(whole + "0123,01")
    assert run("play", "random", "random", "--out", tmp_path).exit_code == 0
    lines = path.read_text().splitlines()
    assert lines[:3] == [*whole.splitlines(), "0123,01"]
    assert lines[3].startswith(records(tmp_path)[1].stem)


def test_another_index_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "index.csv"
    path.write_text("my,own\n")
    refused = run("play", "random", "random", "--out", tmp_path)
    assert refused.exit_code == 2
    assert "is not an index of matches: move it away, or name another folder" in refused.output
    assert [path.name for path in tmp_path.iterdir()] == ["index.csv"]
    assert path.read_text() == "my,own\n"
