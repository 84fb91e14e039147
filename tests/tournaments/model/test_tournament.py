"""What may change once a tournament has begun, and what may not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments.tournament_files import SECRET, SMALL, read
from tournaments.config.tournament_file import template
from tournaments.model import changes


def begun(text: str) -> Any:
    """Return the identity of a tournament as a store gives it back."""
    return json.loads(json.dumps(read(text).identity()))


def test_the_identity_survives_json() -> None:
    tournament = read(template())
    assert begun(template()) == tournament.identity()
    assert changes(begun(template()), tournament) == []


NEW_VERSION = (
    '{} of the entrant "{}" changed: a new version of a bot is a new entrant, with a name of its '
    "own."
)
OLD = f"""\
name = "x"
sets_per_table = 2
max_matches = 100
secret = "{SECRET}"
table_sizes = [2, 3]
variants.recipes = "off"
[options]
[time_control]
bank = 5
[policy]
strikes = 2
[run]
tables = 4
[[entrants]]
name = "a"
bot = "greedy"
[[entrants]]
name = "b"
command = ["python3", "b.py"]
environment = {{ LEVEL = "3" }}
author = "Ann"
[[entrants]]
name = "c"
remote = true
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name = "x"', 'name = "y"'),
        ("sets_per_table = 2", "sets_per_table = 3"),
        ("max_matches = 100", "max_matches = 101"),
        ("max_matches = 100", ""),
        ("table_sizes = [2, 3]", "table_sizes = [3, 2]"),
        ("table_sizes = [2, 3]", ""),
        ('recipes = "off"', 'recipes = "both"'),
        ("[options]", "[options]\ndead_end_counts_as_end = true"),
        ("bank = 5", "bank = 5.0\nlatency = 0.05"),
        ("strikes = 2", "strikes = 2\nbench_after = 5"),
        ("tables = 4", 'tables = 8\nworkers = 2\nlisten = "0.0.0.0:7"'),
        ('name = "x"', 'name = "x"\nrating = "openskill"'),
        ('author = "Ann"', 'author = "Bob"'),
        ("remote = true", 'remote = true\n[[entrants]]\nname = "d"\nbot = "random"'),
        ('["python3", "b.py"]', '"python3 b.py"'),
        (SECRET, SECRET.upper()),
    ],
)
def test_what_may_change(old: str, new: str) -> None:
    assert old in OLD
    assert changes(begun(OLD), read(OLD.replace(old, new, 1))) == []


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("per_table = 2", "per_table = 1", "sets_per_table was 2 and is 1: it may only grow."),
        ("s = 100", "s = 99", "max_matches was 100 and is 99: it may only grow."),
        ("[2, 3]", "[3]", "tables of 2 are gone from table_sizes: put 2 back."),
        ('"off"', '"on"', 'the variant "plain" is gone: put it back.'),
        (
            "[options]",
            "[options]\ndead_end_counts_as_end = false",
            "options.dead_end_counts_as_end was true and is false.",
        ),
        ("bank = 5", "bank = 6", "time_control.bank was 5.0 and is 6.0."),
        ("strikes = 2", "strikes = 3", "policy.strikes was 2 and is 3."),
        ("strikes = 2", "strikes = 2\nbench_after = 9", "policy.bench_after was 5 and is 9."),
        (
            "strikes = 2",
            'strikes = 2\ncrash = "strike"',
            'policy.crash was "forfeit" and is "strike".',
        ),
        ("name", 'deals = "fresh"\nname', 'deals was not given and is "fresh".'),
        ("name", 'seatings = "all"\nname', 'seatings was "rotations" and is "all".'),
        ("name", "separate_authors = true\nname", "separate_authors was false and is true."),
        (
            SECRET,
            "0" * 32,
            "secret is not the one that the tournament began with: put that one back.",
        ),
        (
            f'secret = "{SECRET}"',
            "",
            "secret is not the one that the tournament began with: put that one back.",
        ),
        (
            '[[entrants]]\nname = "c"\nremote = true\n',
            '[[entrants]]\nname = "C2"\nremote = true\n',
            'the entrant "c" is gone, whose matches count: put it back.',
        ),
        *[
            (
                old,
                new,
                NEW_VERSION.format(what, who),
            )
            for old, new, what, who in [
                ('"b.py"', '"b.py", "--fast"', "command", "b"),
                ('LEVEL = "3"', 'LEVEL = "4"', "environment", "b"),
                ('LEVEL = "3"', 'LEVEL = "3", X = ""', "environment", "b"),
                ('author = "Ann"', 'transport = "grpc"', "transport", "b"),
                ('author = "Ann"', 'folder = "data"', "folder", "b"),
                ('bot = "greedy"', 'bot = "search"', "bot", "a"),
                ('bot = "greedy"', 'command = "greedy"', "bot and command", "a"),
                ("remote = true", 'bot = "random"', "transport and bot and environment", "c"),
            ]
        ],
    ],
)
def test_what_must_not_change(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert old in OLD
    assert changes(begun(OLD), read(OLD.replace(old, new, 1), tmp_path)) == [sentence]


@pytest.mark.parametrize(
    ("old", "new", "sentences"),
    [
        (SMALL, f'secret = "{SECRET}"\n{SMALL}', ["secret was not given, and the tournament made"]),
        (SMALL, f"max_matches = 4\n{SMALL}", ["max_matches was without limit and is 4: it may on"]),
        (
            f'format = "gauntlet"\nchallenger = "a"\n{SMALL}',
            f'format = "gauntlet"\nchallenger = "b"\n{SMALL}',
            ['challenger was "a" and is "b".'],
        ),
        (
            f'format = "gauntlet"\nchallenger = "a"\n{SMALL}',
            SMALL,
            ['format was "gauntlet" and is "round_robin".', 'challenger was "a" and is not given.'],
        ),
        (
            f"separate_authors = true\n{SMALL}",
            f'separate_authors = true\n{SMALL}author = "Ann"',
            ['author of the entrant "b" was not given and is "Ann".'],
        ),
    ],
)
def test_further_changes(old: str, new: str, sentences: list[str]) -> None:
    found = changes(begun(old), read(new))
    assert len(found) == len(sentences)
    for sentence, start in zip(found, sentences, strict=True):
        assert sentence.startswith(start)


def test_another_game_or_other_rules_are_another_tournament() -> None:
    tournament = read(SMALL)
    known = begun(SMALL)
    own = known["games"]["glastonbury"]
    assert changes(known | {"games": {"go": own}}, tournament) == [
        'the game "go" is gone, whose matches count: put it back.'
    ]
    old_rules = known | {"games": {"glastonbury": own | {"rules_version": "0"}}}
    (sentence,) = changes(old_rules, tournament)
    assert sentence.startswith("the rules of Glastonbury were version 0 and are version 1: go on")


def test_a_store_from_when_there_was_one_game_is_understood() -> None:
    known = begun(OLD)
    (own,) = known.pop("games").values()
    old = known | {"game": "glastonbury"} | own
    assert changes(old, read(OLD)) == []
    fewer = OLD.replace("per_table = 2", "per_table = 1").replace("[2, 3]", "[3]")
    assert changes(old, read(fewer)) == [
        "sets_per_table was 2 and is 1: it may only grow.",
        "tables of 2 are gone from table_sizes: put 2 back.",
    ]
    assert changes(old | {"game": "go"}, read(OLD)) == [
        'the game "go" is gone, whose matches count: put it back.'
    ]


GAMES = """\
name = "x"
[[games]]
game = "glastonbury"
table_sizes = [2, 3]
sets_per_table = 2
variants = { recipes = "both" }
[[games]]
game = "kupferkessel"
options = { symbols = "all2" }
[[entrants]]
name = "a"
bot = "random"
[[entrants]]
name = "b"
bot = "random"
[[entrants]]
name = "c"
bot = "random"
"""
GLASTONBURY_ALONE = GAMES.partition("[[games]]")[2].partition("[[games]]")[0].strip()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[[entrants]]", '[[games]]\ngame = "gargon"\n[[entrants]]'),
        ("sets_per_table = 2", "sets_per_table = 3"),
        ('game = "kupferkessel"', 'game = "kupferkessel"\nsets_per_table = 4'),
        ("options = {", 'variants = { recipes = "both" }\noptions = {'),
        ("options = {", "table_sizes = [3, 2]\noptions = {"),
        ("table_sizes = [2, 3]\n", ""),
    ],
)
def test_what_may_change_in_one_of_several_games(old: str, new: str) -> None:
    assert old in GAMES
    assert changes(begun(GAMES), read(GAMES.replace(old, new, 1))) == []


def test_a_game_may_be_added_to_a_tournament_of_one() -> None:
    _, top, rest = GAMES.partition('name = "x"\n')
    alone = top + GLASTONBURY_ALONE + "\n" + rest[rest.index("[[entrants]]") :]
    assert [played.game for played in read(alone).games] == ["glastonbury"]
    assert changes(begun(alone), read(GAMES)) == []
    assert changes(begun(GAMES), read(alone)) == [
        'the game "kupferkessel" is gone, whose matches count: put it back.'
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "sets_per_table = 2\n",
            "",
            "Glastonbury: sets_per_table was 2 and is 1: it may only grow.",
        ),
        ("[2, 3]", "[3]", "Glastonbury: tables of 2 are gone from table_sizes: put 2 back."),
        ('"both"', '"on"', 'Glastonbury: the variant "plain" is gone: put it back.'),
        (
            'symbols = "all2"',
            'symbols = "neutral2"',
            'Kupferkessel Co.: options.symbols was "all2" and is "neutral2".',
        ),
    ],
)
def test_what_must_not_change_in_one_of_several_games(old: str, new: str, sentence: str) -> None:
    assert old in GAMES
    assert changes(begun(GAMES), read(GAMES.replace(old, new, 1))) == [sentence]


def test_a_tournament_may_move_with_its_folder(tmp_path: Path) -> None:
    text = f'{SMALL}[[entrants]]\nname = "c"\ncommand = "sh run"\nfolder = "bots"\n'
    for place in ("here", "there"):
        (tmp_path / place / "bots").mkdir(parents=True)
    here, there = read(text, tmp_path / "here"), read(text, tmp_path / "there")
    assert here != there
    assert changes(here.identity(), there) == []


def test_another_installation_has_the_same_sample_bots() -> None:
    tournament = read(SMALL)
    command = tournament.entrants[0].command
    assert command is not None
    moved = replace(tournament.entrants[0], command=replace(command, arguments=("py", "elsewhere")))
    moved_all = replace(tournament, entrants=(moved, tournament.entrants[1]))
    assert changes(tournament.identity(), moved_all) == []
