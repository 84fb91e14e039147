"""An entrant plays the games that it says it plays: it is scheduled, ranked and benched by game."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tournaments.runner.torture import (
    BENCHED,
    BOT,
    command,
    played,
    run_to_end,
    standings,
    store_of,
)
from tests.tournaments.tournament_files import read, refusal
from tests.waiting import PATIENCE
from tournaments.bot_commands import SAMPLES
from tournaments.model import Entrant, Format, GameRequest, Request
from tournaments.pairing.round_robin import count_matches, schedule

GAMES = (
    GameRequest("glastonbury", (2, 3), ("plain",), 2),
    GameRequest("gargon", (3,), ("plain",), 1),
)


def entries(**games: tuple[str, ...] | None) -> tuple[Entrant, ...]:
    return tuple(Entrant(name, games=played) for name, played in games.items())


ALL = entries(a=None, b=None, c=None, d=None)
SOME = entries(a=None, b=("glastonbury", "gargon"), c=("glastonbury",), d=None, e=("gargon",))


def test_an_entrant_is_scheduled_for_its_games_only() -> None:
    made = schedule(Request(SOME, GAMES))
    at: dict[str, set[str]] = {"glastonbury": set(), "gargon": set()}
    for each in made.sets:
        at[each.game] |= set(each.order)
    assert at == {"glastonbury": set("abcd"), "gargon": set("abde")}
    # Four play glastonbury: 6 pairs of 2 matches and 4 tables of 3, two sets each; four play
    # gargon: 4 tables of 3.
    assert count_matches(Request(SOME, GAMES)) == len(made.matches) == 2 * (12 + 12) + 12


def test_saying_that_one_plays_every_game_changes_nothing() -> None:
    """Neither in the full schedule nor in a selection: the ids of all sets stay."""
    said = entries(**dict.fromkeys("abcd", ("gargon", "glastonbury", "kupferkessel")))
    for limit in (None, 30):
        plain = schedule(Request(ALL, GAMES, limit))
        assert schedule(Request(said, GAMES, limit)).sets == plain.sets


def test_an_entrant_that_plays_one_game_leaves_the_sets_of_the_other_as_they_are() -> None:
    plain = {each.id for each in schedule(Request(ALL, GAMES)).sets}
    more = schedule(Request((*ALL, Entrant("e", games=("gargon",))), GAMES)).sets
    assert plain < {each.id for each in more}
    assert {each.game for each in more if each.id not in plain} == {"gargon"}


def test_a_selection_is_even_among_those_who_play_a_game() -> None:
    many = entries(
        **dict.fromkeys("abcdef", None), **dict.fromkeys("gh", ("gargon",)), i=("glastonbury",)
    )
    balance = schedule(Request(many, GAMES, 120)).balance
    # Seven play glastonbury and eight gargon: nobody of them more than a set above another.
    for even in balance.games.values():
        assert even.sets_each.low > 0
        assert even.sets_each.spread <= 1


def test_sets_that_are_scheduled_stay_when_an_entrant_gives_up_a_game() -> None:
    plain = schedule(Request(ALL, GAMES)).sets
    fewer = entries(a=None, b=None, c=None, d=("glastonbury",))
    assert schedule(Request(fewer, GAMES), plain).sets == plain
    grown = schedule(Request((*fewer, Entrant("e")), GAMES), plain).sets
    new = [each for each in grown if each not in plain]
    assert new
    assert all("e" in each.order for each in new)
    assert not any(each.game == "gargon" and "d" in each.order for each in new)


def test_a_game_that_too_few_play_and_a_challenger_that_does_not_play_are_refused() -> None:
    few = entries(a=None, b=None, c=("glastonbury",))
    with pytest.raises(Exception, match="needs 3 entrants that play gargon, but there are 2"):
        schedule(Request(few, GAMES))
    gauntlet = Request(SOME, GAMES, format=Format.GAUNTLET, challenger="c")
    with pytest.raises(Exception, match='challenger "c" does not play gargon'):
        schedule(gauntlet)


# The file -----------------------------------------------------------------------------------------

TWO_GAMES = """\
name = "x"
[[games]]
game = "glastonbury"
[[games]]
game = "kupferkessel"
"""
BOTS = "".join(f'[[entrants]]\nname = "{name}"\nbot = "{name}"\n' for name in ("random", "greedy"))
SEARCH = '[[entrants]]\nname = "search"\nbot = "search"\n'


@pytest.fixture
def search_plays_one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a sample bot play one game only."""
    monkeypatch.setitem(SAMPLES, "search", ("glastonbury",))


@pytest.mark.usefixtures("search_plays_one_game")
def test_the_games_of_the_sample_bots_are_known() -> None:
    tournament = read(TWO_GAMES + BOTS + SEARCH)
    assert tournament.players_of("glastonbury") == ["random", "greedy", "search"]
    assert tournament.players_of("kupferkessel") == ["random", "greedy"]
    assert [game.table_sizes for game in tournament.games] == [(2, 3), (2,)]
    assert tournament.not_playing() == [
        "search does not play kupferkessel, and has no match there."
    ]


def test_a_file_says_which_games_an_entrant_plays() -> None:
    text = TWO_GAMES + BOTS + '[[entrants]]\nname = "c"\nremote = true\ngames = ["kupferkessel"]\n'
    assert read(text).players_of("kupferkessel") == ["random", "greedy", "c"]
    assert read(text).players_of("glastonbury") == ["random", "greedy"]


REFUSED = {
    'games = ["glastonbry"]': 'is no game. Did you mean "glastonbury"?',
    "games = [3]": "3 is no game.",
    "games = []": "games is an empty list",
    'games = "glastonbury"': "but must be a list",
    'games = ["kupferkessel"]': "this sample bot does not play kupferkessel",
}


@pytest.mark.usefixtures("search_plays_one_game")
@pytest.mark.parametrize("line", REFUSED)
def test_games_that_make_no_sense_are_refused(line: str) -> None:
    assert REFUSED[line] in str(refusal(TWO_GAMES + BOTS + SEARCH + line))


@pytest.mark.usefixtures("search_plays_one_game")
def test_an_entrant_that_plays_none_of_the_games_is_refused() -> None:
    text = 'name = "x"\ngame = "kupferkessel"\n' + BOTS + SEARCH
    assert '"search" plays glastonbury, but the tournament has only kupferkessel' in str(
        refusal(text)
    )


# A run --------------------------------------------------------------------------------------------

ONE_GAME = """
import json, runpy, sys
for line in sys.stdin:
    said = json.loads(line)
    if "match_started" in said and said["match_started"]["game"] != "glastonbury":
        sys.exit("I play glastonbury only")
    if asked := said.get("decision"):
        answer = {k: asked[k] for k in ("match", "decision_id")} | {"move": asked["legal_moves"][0]}
        print(json.dumps({"submit_move": answer}), flush=True)
"""
"""A pipe bot, which does not join and so cannot say what it plays."""


def write_file(folder: Path, sets: int) -> Path:
    (folder / "one.py").write_text(ONE_GAME)
    words = {
        "one": [sys.executable, "one.py"],
        "steady-1": [sys.executable, str(BOT), "1"],
        "steady-2": [sys.executable, str(BOT), "2"],
    }
    file = folder / "cup.toml"
    file.write_text(
        f'name = "Cup"\n[[games]]\ngame = "glastonbury"\ntable_sizes = [2]\nsets_per_table = {sets}'
        f'\n[[games]]\ngame = "kupferkessel"\ntable_sizes = [2]\nsets_per_table = {sets}\n'
        f"[policy]\nbench_after = 3\n[time_control]\nper_move = {PATIENCE}\n"
        + "".join(
            f'[[entrants]]\nname = "{name}"\ncommand = {json.dumps(command)}\n'
            for name, command in words.items()
        ),
        encoding="utf-8",
    )
    return file


@pytest.mark.slow
def test_a_bot_that_fails_in_one_game_is_benched_there_and_plays_the_other(tmp_path: Path) -> None:
    file = write_file(tmp_path, 3)
    ran = run_to_end(file, tmp_path / "cup")
    assert ran.returncode == 1, ran.stderr
    assert "one is benched in kupferkessel" in ran.stderr
    assert len(played(tmp_path / "cup")) == 2 * 3 * 3 * 2
    by_game = standings(tmp_path / "cup")["by_game"]
    forfeits = {
        game: {line["entrant"]: line["forfeits"] for line in table["standings"]}
        for game, table in by_game.items()
    }
    assert forfeits == {
        "glastonbury": {"one": 0, "steady-1": 0, "steady-2": 0},
        "kupferkessel": {"one": 12, "steady-1": 0, "steady-2": 0},
    }
    with store_of(tmp_path / "cup") as database:
        benched = database.execute(BENCHED).fetchall()
    assert [row[:2] for row in benched] == [("one", "kupferkessel")]


@pytest.mark.slow
def test_an_entrant_with_games_is_ranked_in_those_and_plan_and_run_say_so(tmp_path: Path) -> None:
    file = write_file(tmp_path, 2)
    text = file.read_text().replace('name = "one"\n', 'name = "one"\ngames = ["glastonbury"]\n')
    file.write_text(text)
    planned = subprocess.run(
        command("tournament", "plan", file), capture_output=True, text=True, check=False
    )
    said = "one does not play kupferkessel, and has no match there."
    assert f"warning: {said}" in planned.stdout
    unstated = "the file does not say which games {} plays, so it plays all of them."
    warned = [name for name in ("one", "steady-1", "steady-2")
              if f"warning: {unstated.format(name)}" in planned.stdout]  # fmt: skip
    assert warned == ["steady-1", "steady-2"]
    ran = run_to_end(file, tmp_path / "cup")
    assert ran.returncode == 0, ran.stderr
    assert said in ran.stderr
    assert unstated.format("steady-1") in ran.stderr
    assert unstated.format("one") not in ran.stderr
    table = standings(tmp_path / "cup")
    matches = {line["entrant"]: line["matches"] for line in table["standings"]}
    assert matches == {"one": 8, "steady-1": 12, "steady-2": 12}
    assert {line["entrant"] for line in table["by_game"]["glastonbury"]["standings"]} == set(
        matches
    )
    assert {line["entrant"] for line in table["by_game"]["kupferkessel"]["standings"]} == {
        "steady-1",
        "steady-2",
    }
    assert (tmp_path / "cup" / "report.html").read_text().count(said) == 1
    verified = subprocess.run(
        command("tournament", "verify", tmp_path / "cup"),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert verified.returncode == 0, verified.stderr
