"""``bot.toml``: what it means, and every mistake at its line."""

from __future__ import annotations

import pytest

from referee.model import Transport
from tournaments.config import SettingsFileError, parse_manifest
from tournaments.model import Manifest

WHOLE = """
[bot]
name = "my-bot"
version = "1.2"
games = ["glastonbury", "festo"]
public = true

[build]
command = ["go", "build", "-o", "bot", "."]

[run]
command = ["./bot"]
transport = "grpc"
runtime = "go"
"""
LEAST = """[bot]
name = "x"
games = ["gargon"]
[run]
command = ["python3", "bot.py"]
runtime = "python"
"""


def test_every_key_is_read() -> None:
    assert parse_manifest(WHOLE, "bot.toml") == Manifest(
        name="my-bot",
        version="1.2",
        games=("glastonbury", "festo"),
        public=True,
        build=("go", "build", "-o", "bot", "."),
        run=("./bot",),
        transport=Transport.GRPC,
        runtime="go",
    )


def test_most_keys_have_defaults() -> None:
    assert parse_manifest(LEAST, "bot.toml") == Manifest(
        "x", ("gargon",), ("python3", "bot.py"), "python"
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = "x"', 'nmae = "x"', '2: there is no key "nmae" in [bot]. Did you mean "name"?'),
        ('name = "x"', "", "1: [bot] has no name: write"),
        ('name = "x"', 'name = "../x"', '2: name is "../x", but must be letters'),
        ('games = ["gargon"]', "", "1: [bot] has no games: write"),
        ("gargon", "gargom", '3: "gargom" is no game. Did you mean "gargon"?'),
        ('["gargon"]', "[]", "3: games is an empty list, but must be a list with"),
        ('["python3", "bot.py"]', "[]", "5: command is an empty list"),
        ('["python3", "bot.py"]', '"./bot"', '5: command is "./bot", but must be a list, as in'),
        ('runtime = "python"', "", "4: [run] has no runtime: write"),
        ("[run]", "[runs]", '4: there is no key "runs" at the top. Did you mean "run"?'),
        (
            'runtime = "python"',
            'runtime = "python"\ntransport = "remote"',
            '7: transport is "remote", but must be "pipe" or "grpc".',
        ),
        ('name = "x"', 'runtime = "x"', '2: "runtime" belongs in [run], not in [bot].'),
        ("[bot]", "bot = 1\n[b]", "1: bot is 1, but must be a table: [bot]."),
        ("[bot]", "[bot", "1: this is no TOML"),
    ],
)
def test_a_mistake_is_named_at_its_line(old: str, new: str, problem: str) -> None:
    assert old in LEAST
    with pytest.raises(SettingsFileError) as refusal:
        parse_manifest(LEAST.replace(old, new), "bot.toml")
    assert f"bot.toml:{problem}" in str(refusal.value)
