"""Tournaments as people run them: real processes, a real store, and everything that goes wrong."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.tournaments.runner.torture import (
    BOT,
    children,
    command,
    no_bot_is_left,
    played,
    run_to_end,
    standings,
    store_of,
    torture,
    wait_for_matches,
    write_league,
)
from tests.tournaments.standings_programs import (
    TOURNAMENT_BY_MATCH,
    WHOLE_HISTORY,
    Rate,
    rate_of_page,
)
from tests.waiting import PATIENCE, wait_until
from tournaments.bot_commands import sample_command
from tournaments.cli.tournament.progress_display import PlainDisplay
from tournaments.model import MOST_OWN_DEATHS
from tournaments.runner.batch import BatchRunner
from tournaments.runner.tournament_folder import begun

pytestmark = pytest.mark.slow

PYTHON = sys.executable
TIMEOUT = 5 * PATIENCE
SECRET = f'secret = "{"5ec2e7" * 8}"\n'
"""So that the same cards are dealt in every run."""
NO_HURRY = f"[time_control]\nper_move = {PATIENCE}\n"
"""So that a machine that is busy plays as one that is not."""


def league(*entrants: str, sizes: str = "[2]", more: str = "", run: str = "") -> str:
    """Write a small tournament; each entrant is given as its name and the lines of its table."""
    top = f'name = "Cup"\n{SECRET}table_sizes = {sizes}\n{more}\n'
    return f"{top}[run]\ntables = 4\n{run}\n{NO_HURRY}{entered(*entrants)}"


def entered(*entrants: str) -> str:
    return "".join(f"[[entrants]]\n{entrant}\n" for entrant in entrants)


def steady(number: int) -> str:
    return f'name = "steady-{number}"\ncommand = ["{PYTHON}", "{BOT}", "{number}"]'


def script(name: str, path: Path, *arguments: str) -> str:
    words = ", ".join(f'"{word}"' for word in [PYTHON, str(path), *arguments])
    return f'name = "{name}"\ncommand = [{words}]'


def highstreet(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, check=False, timeout=TIMEOUT
    )


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    file = folder / "cup.toml"
    file.write_text(text, encoding="utf-8")
    return highstreet("tournament", "run", file, "--out", folder / "cup")


def records(folder: Path) -> dict[str, list[dict[str, object]]]:
    """Return the released records of a folder, line by line."""
    found = {}
    for path in sorted((folder / "cup" / "records").iterdir()):
        data = zstandard.ZstdDecompressor().decompress(path.read_bytes(), max_output_size=2**24)
        found[path.name] = [json.loads(line) for line in data.splitlines()]
    return found


# Everything is played once, and comes out ---------------------------------------------------------


def test_a_small_tournament_leaves_everything_that_was_promised(tmp_path: Path) -> None:
    ran = run(tmp_path, league(steady(0), steady(1), steady(2), sizes="[2, 3]"))
    assert ran.returncode == 0, ran.stderr
    cup = tmp_path / "cup"
    assert {path.name for path in cup.iterdir()} >= {
        "tournament.db",
        "tournament.toml",
        "standings.json",
        "standings.csv",
        "matches.csv",
        "report.html",
        "records",
        "logs",
    }
    table = standings(cup)
    assert table["competition"] == "Cup"
    # Three pairs with two seatings and one table of three with three, without recipes: 9 matches,
    # of which each entrant plays four for two and three for three.
    assert len(played(cup)) == 9
    assert [line["matches"] for line in table["standings"]] == [7, 7, 7]
    assert [line["rank"] for line in table["standings"]] == sorted(
        line["rank"] for line in table["standings"]
    )
    for line in table["standings"]:
        assert line["rating"] == pytest.approx(line["mu"] - 3 * line["sigma"], abs=1e-5)
    found = records(tmp_path)
    assert sorted(found) == sorted(f"{match}.jsonl.zst" for match in played(cup))
    deals = Counter(
        (str(lines[0]["tournament"]), str(lines[1]["seed"])) for lines in found.values()
    )
    assert set(deals.values()) == {1}
    seeds = Counter(str(lines[1]["seed"]) for lines in found.values())
    assert sorted(seeds.values()) == [2, 2, 2, 3], "one deal for each set"
    verified = highstreet("tournament", "verify", cup)
    assert verified.returncode == 0, verified.stderr
    assert "9 of 9" in verified.stdout
    no_bot_is_left(cup)


def test_no_process_sees_a_deal_twice(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    witness = Path(__file__).parents[1] / "bots" / "witness.py"
    entrants = [script(name, witness, str(notes)) for name in ("a", "b", "c", "d")]
    ran = run(tmp_path, league(*entrants, sizes="[2, 4]", more="sets_per_table = 2"))
    assert ran.returncode == 0, ran.stderr
    seen = [path.read_text().splitlines() for path in notes.iterdir()]
    lines = [line for process in seen for line in process]
    assert len(lines) == 2 * 24 + 4 * 8, "everybody noted every match"
    assert len({line.split(" ", 1)[1] for line in lines}) < len(lines) / 2, "deals do come again"
    for process in seen:
        boards = [line.split(" ", 1)[1] for line in process]
        assert len(boards) == len(set(boards))
    assert max(map(len, seen)) > 1, "processes are used for more than one match"


KUPFERKESSEL = """\
[[games]]
game = "kupferkessel"
sets_per_table = {sets}
variants = {{ recipes = "both" }}
options = {{ symbols = "all2" }}
"""
GARGON = """\
[[games]]
game = "gargon"
table_sizes = [3]
sets_per_table = {sets}
"""
LEAGUES: dict[str, dict[str, Any]] = {
    "glastonbury": {},
    "kupferkessel": {"games": KUPFERKESSEL},
    "two games": {"games": KUPFERKESSEL + GARGON, "steady": 2},
}


@pytest.mark.parametrize("kind", LEAGUES)
def test_kill_it_and_resume_it_and_nothing_is_lost_or_doubled(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "league.toml"
    write_league(file, sets=1 if kind != "two games" else 2, **LEAGUES[kind])
    peace = run_to_end(file, tmp_path / "peace")
    assert peace.returncode == 0, peace.stderr
    story = torture(file, tmp_path / "war", kills=5, seed=len(kind))
    last = run_to_end(file, tmp_path / "war")
    assert last.returncode == 0, f"{story}\n{last.stderr}"
    assert sorted(played(tmp_path / "war")) == sorted(played(tmp_path / "peace")), story
    assert standings(tmp_path / "war") == standings(tmp_path / "peace"), story
    verified = highstreet("tournament", "verify", tmp_path / "war")
    assert verified.returncode == 0, f"{story}\n{verified.stderr}"
    no_bot_is_left(tmp_path / "war")


MORTAL = """
count=0
while [ "$count" -lt "$2" ]; do
  count=$((count + 1))
  if mkdir "$1-$count" 2>/dev/null; then kill -9 $$; fi
done
shift 2
exec "$@"
"""
"""A bot that is ended by SIGKILL at its first starts: where to count them, how many, a bot.

A folder is made for each: of two that start at the same moment, only one can make it.
"""


def mortal(folder: Path, transport: str, kills: int) -> str:
    path = folder / "mortal.sh"
    path.write_text(MORTAL, encoding="utf-8")
    bot = [PYTHON, str(BOT), "1"] if transport == "pipe" else sample_command("greedy").arguments
    words = ["sh", str(path), str(folder / "starts"), str(kills), *bot]
    return f'name = "mortal"\ncommand = {words}\ntransport = "{transport}"'


@pytest.mark.parametrize("transport", ["pipe", "grpc"])
def test_a_bot_that_is_killed_plays_again_even_if_it_was_still_on_its_way(
    tmp_path: Path, transport: str
) -> None:
    done = run(tmp_path, league(mortal(tmp_path, transport, 3), steady(1), run="workers = 1"))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("SIGKILL") == 3
    table = json.loads((tmp_path / "cup" / "standings.json").read_text(encoding="utf-8"))
    assert [entrant["forfeits"] for entrant in table["standings"]] == [0, 0]


@pytest.mark.parametrize("transport", ["pipe", "grpc"])
def test_a_bot_that_kills_itself_is_not_believed_for_ever(tmp_path: Path, transport: str) -> None:
    more = "sets_per_table = 3\n[policy]\nbench_after = 0"
    text = league(mortal(tmp_path, transport, 999), steady(1), more=more, run="workers = 1")
    done = run(tmp_path, text.replace("tables = 4", "tables = 1"))
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("is void") == MOST_OWN_DEATHS
    table = json.loads((tmp_path / "cup" / "standings.json").read_text(encoding="utf-8"))
    forfeits = {entrant["entrant"]: entrant["forfeits"] for entrant in table["standings"]}
    assert forfeits == {"mortal": 6, "steady-1": 0}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_cleanly_and_resume_goes_on(tmp_path: Path, number: int) -> None:
    file = tmp_path / "league.toml"
    write_league(file, sets=3)
    out = tmp_path / "league"
    runner = subprocess.Popen(
        command("tournament", "run", file),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_matches(runner, out, 3)
    runner.send_signal(number)
    said, errors = runner.communicate(timeout=PATIENCE)
    assert runner.returncode == 130, errors
    assert f"highstreet tournament resume {out}" in said
    before = played(out)
    assert 3 <= len(before) < 168
    assert sum(line["matches"] for line in standings(out)["standings"]) > 0
    assert standings(out)["claims"] == "anytime", "it is not complete"
    no_bot_is_left(out)
    resumed = highstreet("tournament", "resume", out)
    assert resumed.returncode == 0, resumed.stderr
    assert len(set(played(out))) == len(played(out)) == 168
    assert set(before) <= set(played(out))
    assert standings(out)["claims"] == "fixed"


def begin_run(folder: Path, *, stdout: int, stderr: int) -> subprocess.Popen[str]:
    """Start a run of gRPC bots as a terminal does: in a process group of its own."""
    entrants = [f'name = "{name}"\nbot = "greedy"\ntransport = "grpc"' for name in "ab"]
    text = league(*entrants, more="sets_per_table = 99", run="workers = 2")
    (folder / "cup.toml").write_text(text, encoding="utf-8")
    return subprocess.Popen(
        command("tournament", "run", folder / "cup.toml"),
        stdout=stdout,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )


def test_a_closed_terminal_stops_it_and_leaves_no_bot_behind(tmp_path: Path) -> None:
    runner = begin_run(tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_for_matches(runner, tmp_path / "cup", 3)
    os.killpg(runner.pid, signal.SIGHUP)
    said, _ = runner.communicate(timeout=PATIENCE)
    assert runner.returncode == 130
    assert "highstreet tournament resume" in said
    no_bot_is_left(tmp_path / "cup")


def knows_ctrl_c(pid: int) -> bool:
    """Tell whether a process is a Python that has begun: it has a handler for SIGINT.

    Or it has ignored it since, if it was faster than we.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    masks = re.findall(r"^Sig(?:Cgt|Ign):\s*([0-9a-f]+)$", status, re.MULTILINE)
    return any(int(mask, 16) & 1 << (signal.SIGINT - 1) for mask in masks)


def test_ctrl_c_while_workers_start_is_quiet(tmp_path: Path) -> None:
    runner = begin_run(tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_until(lambda: sum(map(knows_ctrl_c, children(runner.pid))) == 2, pause=0.01)
    os.killpg(runner.pid, signal.SIGINT)
    _, errors = runner.communicate(timeout=PATIENCE)
    assert runner.returncode == 130
    assert "Traceback" not in errors


def test_a_run_goes_on_when_nobody_reads_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(league(steady(0), steady(1)), encoding="utf-8")
    reader, writer = os.pipe()
    os.close(reader)
    runner = subprocess.Popen(
        command("tournament", "run", tmp_path / "cup.toml"),
        stdout=subprocess.DEVNULL,
        stderr=writer,
    )
    os.close(writer)
    assert runner.wait(timeout=PATIENCE) == 0
    assert len(played(tmp_path / "cup")) == 2


def test_a_run_ends_if_results_cannot_be_kept_for_whatever_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = league(steady(0), steady(1), more="sets_per_table = 99")
    (tmp_path / "cup.toml").write_text(text, encoding="utf-8")

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    with begun(tmp_path / "cup", tmp_path / "cup.toml") as folder:
        monkeypatch.setattr(folder.store, "commit", broken)
        runner = BatchRunner(folder, PlainDisplay(print), workers=1, tables=4)
        began = time.monotonic()
        with pytest.raises(ZeroDivisionError):
            asyncio.run(asyncio.wait_for(runner.run(), 2 * PATIENCE))
        assert time.monotonic() - began < PATIENCE, "it ended by itself"


# Files that change --------------------------------------------------------------------------------


def test_entrants_and_sets_can_be_added_and_what_was_played_stays(tmp_path: Path) -> None:
    ran = run(tmp_path, league(steady(0), steady(1)))
    assert ran.returncode == 0, ran.stderr
    first = records(tmp_path)
    ran = run(tmp_path, league(steady(0), steady(1), steady(2), more="sets_per_table = 2"))
    assert ran.returncode == 0, ran.stderr
    second = records(tmp_path)
    assert len(first) == 2
    assert len(second) == 12
    assert {name: second[name] for name in first} == first
    assert highstreet("tournament", "verify", tmp_path / "cup").returncode == 0


def test_new_sets_are_not_dealt_from_a_secret_that_is_known(tmp_path: Path) -> None:
    run(tmp_path, league(steady(0), steady(1)).replace(SECRET, ""))
    report = (tmp_path / "cup" / "report.html").read_text()
    assert standings(tmp_path / "cup")["claims"] == "fixed"
    again = league(steady(0), steady(1), more="sets_per_table = 2")
    run(tmp_path, again.replace(SECRET, ""))
    with store_of(tmp_path / "cup") as database:
        (first, second) = database.execute("select secret from secrets order by number").fetchall()
    assert first[0].hex() in report, "a tournament that is over tells its secret"
    assert second[0] != first[0]
    assert standings(tmp_path / "cup")["claims"] == "anytime", "it went on after it was complete"


def test_a_changed_file_is_refused_and_says_what_changed(tmp_path: Path) -> None:
    run(tmp_path, league(steady(0), steady(1)))
    before = records(tmp_path)
    ran = run(tmp_path, league(steady(0), script("steady-1", BOT, "7")))
    assert ran.returncode == 2
    assert "steady-1" in ran.stderr
    assert "command" in ran.stderr
    assert records(tmp_path) == before


def test_two_runs_of_one_folder_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    write_league(file, sets=20)  # more than can be played meanwhile
    runner = subprocess.Popen(command("tournament", "run", file), stderr=subprocess.DEVNULL)
    try:
        wait_for_matches(runner, tmp_path / "league", 1)
        second = highstreet("tournament", "run", file)
        assert second.returncode == 2
        assert "another program" in second.stderr
        shown = highstreet("tournament", "standings", tmp_path / "league")
        assert shown.returncode == 0, "to look is always allowed"
        assert "greedy" in shown.stdout
    finally:
        runner.send_signal(signal.SIGTERM)
        runner.wait(timeout=PATIENCE)


# Several games ------------------------------------------------------------------------------------

TWO_GAMES = f"""\
name = "Cup"
{SECRET}
[[games]]
game = "glastonbury"
table_sizes = [2]
draw_probability = 0.3
variants = {{ recipes = "both" }}
[[games]]
game = "kupferkessel"
table_sizes = [2, 3]
options = {{ symbols = "all2" }}
{NO_HURRY}
[run]
tables = 4
"""


def results_of(folder: Path) -> list[tuple[str, str, list[str], list[int]]]:
    """Read game, set, entrants and places from the records, in the order of matches.csv."""
    with (folder / "cup" / "matches.csv").open(encoding="utf-8", newline="") as file:
        order = list(dict.fromkeys(row["match"] for row in csv.DictReader(file)))
    known: dict[str, Any] = records(folder)
    found = [(known[f"{match}.jsonl.zst"][0], known[f"{match}.jsonl.zst"][-1]) for match in order]
    return [
        (
            head["game"],
            head["tournament"]["set"],
            [seat["entrant"] for seat in head["seats"]],
            end["places"],
        )
        for head, end in found
    ]


def assert_rated_as_by_page(table: Any, results: list[Any], rate: Rate) -> None:
    """Compare the table of all games and those of each game with a program of the page."""
    for lines, part in (
        (table["standings"], results),
        *(
            (table["by_game"][game]["standings"], [each for each in results if each[0] == game])
            for game in ("glastonbury", "kupferkessel")
        ),
    ):
        expected = rate(part, table["draw_probability"])
        assert {line["entrant"]: (line["mu"], line["sigma"]) for line in lines} == {
            name: pytest.approx(tuple(rating), abs=1e-5) for name, rating in expected.items()
        }


def test_two_games_are_played_rated_and_verified_together(tmp_path: Path) -> None:
    ran = run(tmp_path, TWO_GAMES + entered(steady(0), steady(1), steady(2)))
    assert ran.returncode == 0, ran.stderr
    cup = tmp_path / "cup"
    # Three pairs of two seatings: once for each variant of one game, once for the other; and three
    # matches at its table of three.
    heads = [lines[0] for lines in records(tmp_path).values()]
    kinds = Counter((head["game"], json.dumps(head["options"])) for head in heads)
    assert kinds == {
        ("glastonbury", '{"seats": 2, "recipes": false}'): 6,
        ("glastonbury", '{"seats": 2, "recipes": true}'): 6,
        ("kupferkessel", '{"seats": 2, "recipes": false, "symbols": "all2"}'): 6,
        ("kupferkessel", '{"seats": 3, "recipes": false, "symbols": "all2"}'): 3,
    }
    results = results_of(tmp_path)
    table = standings(cup)
    assert table["draw_probability"] == {"glastonbury": 0.3, "kupferkessel": 0.01}
    assert_rated_as_by_page(table, results, rate_of_page(WHOLE_HISTORY))
    assert {line["mean_score"] for line in table["standings"]} == {None}
    assert "Cup: 21 matches of 2 games, TrueSkill" in ran.stdout
    assert "Glastonbury: 12 matches" in ran.stdout
    assert (
        "The ranking over all games (Glastonbury and Kupferkessel Co.) is one rating" in ran.stdout
    )
    report = (cup / "report.html").read_text(encoding="utf-8")
    assert "over all games (Glastonbury and Kupferkessel Co.)" in report
    verified = highstreet("tournament", "verify", cup)
    assert verified.returncode == 0, verified.stderr
    shown = highstreet("tournament", "standings", cup)
    assert "Kupferkessel Co.: 9 matches" in shown.stdout
    planned = highstreet("tournament", "plan", tmp_path / "cup.toml", "--out", cup)
    assert re.search(r"kupferkessel\s+all\s+4\s+9\b", planned.stdout)
    assert re.search(r"\n all\s+10\s+21\b", planned.stdout)
    exported = highstreet("records", "export", cup, "--csv")
    assert exported.returncode == 0, exported.stderr
    with (cup / "csv" / "matches.csv").open(encoding="utf-8", newline="") as file:
        games = Counter(row["game"] for row in csv.DictReader(file))
    assert games == {"glastonbury": 12, "kupferkessel": 9}
    # The same matches, rated match by match: the four lines with the package trueskill.
    by_match = 'rating = "trueskill-sequential"\n' + TWO_GAMES
    again = run(tmp_path, by_match + entered(steady(0), steady(1), steady(2)))
    assert again.returncode == 0, again.stderr
    table = standings(cup)
    assert (table["rating_system"], table["matches"]) == ("trueskill-sequential", 21)
    plain = [(game, names, places) for game, _, names, places in results]
    assert_rated_as_by_page(table, plain, rate_of_page(TOURNAMENT_BY_MATCH))


def test_a_game_can_be_added_and_what_was_played_stays(tmp_path: Path) -> None:
    """It began in the short form, with one game; then there are two."""
    alone = (
        f'name = "Cup"\n{SECRET}table_sizes = [2]\ndraw_probability = 0.3\n{NO_HURRY}'
        '[variants]\nrecipes = "both"\n'
    )
    ran = run(tmp_path, alone + entered(steady(0), steady(1)))
    assert ran.returncode == 0, ran.stderr
    first, before = records(tmp_path), standings(tmp_path / "cup")
    text = TWO_GAMES.replace("[2, 3]", "[2]") + entered(steady(0), steady(1))
    ran = run(tmp_path, text)
    assert ran.returncode == 0, ran.stderr
    assert "6 matches, 4 of them played already" in ran.stderr
    second, after = records(tmp_path), standings(tmp_path / "cup")
    assert {name: second[name] for name in first} == first
    played, still_played = before["by_game"]["glastonbury"], after["by_game"]["glastonbury"]
    assert still_played["standings"] == played["standings"]
    assert before["standings"] == played["standings"]
    # Games were added after results could be read: from now on claims hold at any time.
    assert (played["claims"], still_played["claims"]) == ("fixed", "anytime")
    for part in ("by_seats", "by_variant"):
        assert still_played[part].keys() == played[part].keys()
        for name, table in played[part].items():
            assert still_played[part][name]["standings"] == table["standings"]
    assert highstreet("tournament", "verify", tmp_path / "cup").returncode == 0
    refused = run(tmp_path, alone + entered(steady(0), steady(1)))
    assert refused.returncode == 2
    assert 'the game "kupferkessel" is gone' in refused.stderr


def test_verify_finds_matches_that_were_played_with_other_options(tmp_path: Path) -> None:
    """A forger claims afterwards that another kind of game was played."""
    run(tmp_path, TWO_GAMES.replace("[2, 3]", "[2]") + entered(steady(0), steady(1)))
    with store_of(tmp_path / "cup") as database, database:
        database.execute("update competitions set settings = replace(settings, 'all2', 'neutral2')")
    verified = highstreet("tournament", "verify", tmp_path / "cup")
    assert verified.returncode == 1
    assert verified.stderr.count("the options of the record are not those of its variant.") == 2


def test_standings_of_an_earlier_version_are_named_and_written_anew(tmp_path: Path) -> None:
    run(tmp_path, league(steady(0), steady(1)))
    path = tmp_path / "cup" / "standings.json"
    table = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(table | {"standings_version": 3}), encoding="utf-8")
    verified = highstreet("tournament", "verify", tmp_path / "cup")
    assert verified.returncode == 1
    assert "as in version 3 of the document" in verified.stderr
    assert highstreet("tournament", "standings", tmp_path / "cup", "--write").returncode == 0
    assert highstreet("tournament", "verify", tmp_path / "cup").returncode == 0


def listening(runner: subprocess.Popen[str]) -> tuple[str, list[str]]:
    """Wait until a run listens for remote bots; return where, and what else it has said."""
    assert runner.stderr is not None
    heard = []
    for line in runner.stderr:
        heard.append(line)
        if found := re.search(r"listening for remote bots on (\S+)", line):
            return found[1], heard
    raise AssertionError("".join(heard))


def test_a_remote_bot_that_plays_one_game_of_two_forfeits_the_other_only(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    guest = 'name = "guest"\nremote = true'
    text = TWO_GAMES.replace("tables = 4", "tables = 6\nworkers = 1\nremote_seconds = 10")
    file.write_text(text.replace("[2, 3]", "[2]") + entered(steady(0), guest), encoding="utf-8")
    token = highstreet("tournament", "tokens", file).stdout.strip().rpartition(" ")[2]
    bot = subprocess.Popen(
        [PYTHON, str(Path(__file__).parents[1] / "bots" / "one_game.py"), "glastonbury"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert bot.stdout is not None
    assert bot.stdout.readline() == "ready\n"
    runner = subprocess.Popen(
        command("tournament", "run", file),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    address, heard = listening(runner)
    bot.communicate(f"{address} {token}\n", timeout=TIMEOUT)
    why = "guest says that it plays glastonbury, but it is scheduled for kupferkessel: let its join"
    heard += runner.communicate(timeout=TIMEOUT)[1].splitlines()
    assert runner.returncode == 0, heard
    assert any(line.startswith(why) for line in heard)
    forfeits = {
        game: {line["entrant"]: line["forfeits"] for line in table["standings"]}
        for game, table in standings(tmp_path / "cup")["by_game"].items()
    }
    assert forfeits["glastonbury"] == {"guest": 0, "steady-0": 0}
    assert forfeits["kupferkessel"]["steady-0"] == 0
    assert forfeits["kupferkessel"]["guest"] > 0
    causes = [
        cause["detail"]
        for lines in records(tmp_path).values()
        for cause in lines[-1]["causes"]  # type: ignore[attr-defined]
    ]
    assert causes[0].startswith(why)


# Bots that fail -----------------------------------------------------------------------------------


def test_a_bot_that_fails_again_and_again_is_benched(tmp_path: Path) -> None:
    crash = Path(__file__).parents[3] / "sample_bots" / "misbehaving" / "crash_at_start.py"
    ran = run(
        tmp_path,
        league(
            steady(0),
            steady(1),
            script("broken", crash),
            more="sets_per_table = 4\n[policy]\nbench_after = 3",
            run="workers = 1",
        ).replace("tables = 4", "tables = 1"),
    )
    assert ran.returncode == 1, ran.stderr
    assert "broken is benched" in ran.stderr
    assert "broken is benched" in ran.stdout
    table = {line["entrant"]: line for line in standings(tmp_path / "cup")["standings"]}
    assert table["broken"]["rank"] == 3
    assert table["broken"]["forfeits"] == table["broken"]["matches"] == 16
    causes = Counter(
        cause["fault"]
        for lines in records(tmp_path).values()
        for cause in lines[-1]["causes"]  # type: ignore[attr-defined]
    )
    assert causes == {"crash": 3, "benched": 13}
    assert highstreet("tournament", "verify", tmp_path / "cup").returncode == 0
    assert "broken" in (tmp_path / "cup" / "report.html").read_text()


CURIOUS = """
import os, runpy, sys
names = ["/proc/self/fd/" + fd for fd in os.listdir("/proc/self/fd")]
files = {name: os.readlink(name) for name in names if os.path.exists(name)}
own = [files["/proc/self/fd/" + fd] for fd in "012"]
with open(sys.argv[2], "a") as file:
    print("looked", *[one for one in files.values() if one not in own], file=file)
runpy.run_path(sys.argv[3], run_name="__main__")
"""


def test_a_bot_is_given_nothing_of_ours_but_its_pipes(tmp_path: Path) -> None:
    """A process with the worker's connection to its runner would know all deals."""
    (tmp_path / "curious.py").write_text(CURIOUS)
    found = tmp_path / "found"
    curious = script("curious", tmp_path / "curious.py", "7", str(found), str(BOT))
    ran = run(tmp_path, league(steady(0), curious))
    assert ran.returncode == 0, ran.stderr
    assert set(found.read_text().splitlines()) == {"looked"}


def test_a_command_that_cannot_be_started_forfeits(tmp_path: Path) -> None:
    missing = 'name = "missing"\ncommand = ["no-such-program-anywhere"]'
    ran = run(tmp_path, league(steady(0), missing))
    assert ran.returncode == 0, ran.stderr
    table = {line["entrant"]: line for line in standings(tmp_path / "cup")["standings"]}
    assert table["missing"]["forfeits"] == 2
    assert "no-such-program-anywhere" in ran.stderr


# Remote bots --------------------------------------------------------------------------------------


def test_remote_bots_dial_in_with_their_tokens(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(
        league(
            steady(0),
            'name = "guest"\nremote = true',
            'name = "other"\nremote = true',
            sizes="[2, 3]",
            run=f'listen = "127.0.0.1:0"\nremote_seconds = {PATIENCE}',
        ),
        encoding="utf-8",
    )
    told = highstreet("tournament", "tokens", file)
    tokens = dict(re.findall(r"^(\w+): (\w+)$", told.stdout, re.MULTILINE))
    assert tokens.keys() == {"guest", "other"}
    again = highstreet("tournament", "tokens", file)
    assert again.stdout == told.stdout, "a token stays the same"
    runner = subprocess.Popen(
        command("tournament", "run", file),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    address, _ = listening(runner)
    bot = Path(__file__).parents[3] / "sample_bots" / "python" / "greedy_bot.py"
    guests = [
        subprocess.Popen(
            [PYTHON, str(bot)],
            env={**os.environ, "HIGHSTREET_TARGET": address, "HIGHSTREET_TOKEN": token},
        )
        for token in tokens.values()
    ]
    try:
        _, errors = runner.communicate(timeout=TIMEOUT)
        assert runner.returncode == 0, errors
        assert [guest.wait(timeout=PATIENCE) for guest in guests] == [0, 0]
    finally:
        for guest in guests:
            guest.kill()
    table = standings(tmp_path / "cup")
    assert [line["forfeits"] for line in table["standings"]] == [0, 0, 0]
    seeds = [str(lines[1]["seed"]) for lines in records(tmp_path).values()]
    assert len(seeds) == len(set(seeds)) == 9, "nobody can check what a remote bot remembers"
    assert highstreet("tournament", "verify", tmp_path / "cup").returncode == 0


# Disks --------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of one and a half megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1500k", "none", str(disk)],  # noqa: S607
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)  # noqa: S607


def test_a_full_disk_loses_nothing_and_resume_works_after_room_was_made(
    tmp_path: Path, small_disk: Path
) -> None:
    file = tmp_path / "league.toml"
    write_league(file, sets=2)
    out = small_disk / "league"
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(900_000))
    full = run_to_end(file, out)
    assert full.returncode == 2
    assert "disk is full" in full.stderr or "No space left" in full.stderr
    assert "resume" in full.stderr
    safe = set(played(out))
    assert 0 < len(safe) < 112
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)  # noqa: S607
    resumed = highstreet("tournament", "resume", out)
    assert resumed.returncode == 0, resumed.stderr
    assert safe <= set(played(out))
    assert len(played(out)) == 112
    assert highstreet("tournament", "verify", out).returncode == 0


def test_a_folder_that_cannot_be_written_is_refused_and_stays_whole(
    tmp_path: Path, small_disk: Path
) -> None:
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)  # noqa: S607
    file = tmp_path / "league.toml"
    write_league(file, sets=1)
    out = small_disk / "league"
    runner = subprocess.Popen(command("tournament", "run", file, "--out", out), stderr=-3)
    wait_until(lambda: len(played(out)) >= 5)
    runner.send_signal(signal.SIGINT)
    runner.wait(timeout=PATIENCE)
    safe = played(out)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)  # noqa: S607
    refused = run_to_end(file, out)
    assert refused.returncode == 2
    assert "Read-only" in refused.stderr
    assert str(out) in refused.stderr
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)  # noqa: S607
    assert played(out) == safe
    assert run_to_end(file, out).returncode == 0
    assert len(played(out)) == 56


# What verify finds --------------------------------------------------------------------------------


def changed_place(database: sqlite3.Connection) -> None:
    """Whatever the deals gave: the first match gets places that it did not have."""
    database.execute(
        "update match_seats set place = 3 - place where match = (select min(id) from matches)"
    )


def changed_record(database: sqlite3.Connection) -> None:
    row = database.execute("select match, record from records limit 1").fetchone()
    data = zstandard.ZstdDecompressor().decompress(row[1], max_output_size=2**24)
    forged = zstandard.ZstdCompressor().compress(data.replace(b'"legal":', b'"legal":1', 1))
    database.execute("update records set record = ? where match = ?", (forged, row[0]))


def changed_secret(database: sqlite3.Connection) -> None:
    database.execute("update secrets set secret = ?", (b"another secret of many bytes",))


def lost_match(database: sqlite3.Connection) -> None:
    database.execute(
        "update matches set state = 'scheduled' where id = (select min(id) from matches)"
    )


TAMPERING = {
    "a place in the store": (changed_place, "places"),
    "a line of a record": (changed_record, "line"),
    "the secret": (changed_secret, "secret"),
    "a match that is gone": (lost_match, "standings.json"),
}


def test_verify_finds_what_somebody_changed(tmp_path: Path) -> None:
    run(tmp_path, league(steady(0), steady(1), steady(2)))
    cup = tmp_path / "cup"
    original = (cup / "tournament.db").read_bytes()

    def restore() -> None:
        """Put the store back, and nothing of what was written beside another one."""
        for leftover in cup.glob("tournament.db-*"):
            leftover.unlink()
        (cup / "tournament.db").write_bytes(original)

    for name, (tamper, phrase) in TAMPERING.items():
        restore()
        with store_of(cup) as database, database:
            tamper(database)
        verified = highstreet("tournament", "verify", cup)
        assert verified.returncode == 1, name
        assert phrase in verified.stderr, name
    restore()
    record = min((cup / "records").iterdir())
    record.write_bytes(record.read_bytes()[:-1])
    text = (cup / "standings.json").read_text().replace('"rank": 1,', '"rank": 2,', 1)
    (cup / "standings.json").write_text(text)
    verified = highstreet("tournament", "verify", cup)
    assert verified.returncode == 1
    assert record.name in verified.stderr
    assert "standings.json" in verified.stderr


# The other commands -------------------------------------------------------------------------------


def test_init_writes_a_file_that_can_be_planned(tmp_path: Path) -> None:
    made = subprocess.run(
        command("tournament", "init"), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert made.stdout == "wrote tournament.toml; next: highstreet tournament run tournament.toml\n"
    file = tmp_path / "tournament.toml"
    assert "league" not in file.read_text().lower()
    again = highstreet("tournament", "init", file)
    assert again.returncode == 2
    assert "exists: choose another name" in again.stderr
    planned = highstreet("tournament", "plan", file)
    assert planned.returncode == 0, planned.stderr
    # Three entrants: three pairs of two seatings and one table of three, with and without recipes.
    assert re.search(r"all\s+8\s+18\b", planned.stdout)


def plan_of(tmp_path: Path, more: str, names: str) -> str:
    """Return what ``plan`` prints, in one line, of a tournament of random bots."""
    tables = "".join(f'[[entrants]]\nname = "{name}"\nbot = "random"\n' for name in names)
    (tmp_path / "cup.toml").write_text(f'name = "Cup"\n{more}{tables}', encoding="utf-8")
    ran = highstreet("tournament", "plan", tmp_path / "cup.toml")
    assert ran.returncode == 0, ran.stderr
    return " ".join(ran.stdout.split())


def test_plan_warns_where_some_always_sit_after_the_same_others(tmp_path: Path) -> None:
    """In one set a sits before b, b before c and c before a in all matches; two sets even it."""
    warning = "warning: at tables of 3 of glastonbury (plain) an entrant sits directly before"
    once = plan_of(tmp_path, "table_sizes = [3]\n", "abc")
    assert f"{warning} another in 0-3 matches" in once
    assert "sets_per_table = 2 evens that out" in once
    assert "warning" not in plan_of(tmp_path, "table_sizes = [3]\nsets_per_table = 2\n", "abc")


def test_plan_warns_where_a_swiss_table_always_has_one_order(tmp_path: Path) -> None:
    """Six entrants are two tables of three; seven are a table of four and one of three."""
    swiss = 'format = "swiss"\nrounds = 2\n'
    three = f"{swiss}table_sizes = [3]\n"
    once = plan_of(tmp_path, three, "abcdef")
    assert "at tables of 3 of glastonbury (plain) an entrant sits directly before" in once
    assert "another in 0-3 matches of a round" in once
    assert "sets_per_table = 2 evens that out" in once
    assert "warning" not in plan_of(tmp_path, f"{three}sets_per_table = 2\n", "abcdef")
    assert "warning" not in plan_of(tmp_path, f"{swiss}table_sizes = [2]\n", "abcdef")
    both = plan_of(tmp_path, f"{swiss}table_sizes = [3, 4]\nsets_per_table = 2\n", "abcdefg")
    assert "warning: at tables of 4 of glastonbury" in both
    assert "warning: at tables of 3" not in both


def test_plan_says_what_to_expect_of_a_tournament_that_stops_by_itself(tmp_path: Path) -> None:
    """Two entrants at one table, two matches in a set: claims begin with 8 sets, and end at 60."""
    more = 'table_sizes = [2]\nstop_when = "leader"\nmax_sets = 60\n'
    said = plan_of(tmp_path, more, "ab")
    assert (
        "It stops when it is settled who is first, at 95 % confidence: after 16 matches at the "
        "earliest, and after 120 in any case."
    ) in said
    found = re.search(
        r"as below it: 1\.5 times: over 60 sets, 2 times: (\d+) sets \((\d+) matches\), 4 times: "
        r"(\d+) sets \((\d+) matches\)\. about .* at \d+ tables up to the limit",
        said,
    )
    assert found, said
    twice, matches, four_times, fewer = map(int, found.groups())
    assert 8 <= four_times < 25 < twice <= 60
    assert (matches, fewer) == (2 * twice, 2 * four_times)


def test_resuming_what_is_no_tournament_is_refused(tmp_path: Path) -> None:
    refused = highstreet("tournament", "resume", tmp_path)
    assert refused.returncode == 2
    assert "holds no tournament" in refused.stderr
