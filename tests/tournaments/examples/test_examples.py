"""The tournaments in tournaments/examples: each plays as it is, and can be verified."""

from __future__ import annotations

import csv
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from engine.registry import GAMES
from tests.tournaments.runner.torture import command, no_bot_is_left, played, run_to_end, standings

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[3] / "tournaments" / "examples"
MATCHES = {
    # Three pairs of two seatings and a table of three, with and without recipes, two sets each.
    "kupferkessel": {"kupferkessel": 36},
    "gargon": {"gargon": 60},
    "festo": {"festo": 40},
    "all-games": {"gargon": 30, "glastonbury": 30, "kupferkessel": 30, "festo": 30},
}


@pytest.mark.parametrize("name", MATCHES)
def test_an_example_plays_and_can_be_verified(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    ran = run_to_end(EXAMPLES / f"{name}.toml", out)
    assert ran.returncode == 0, ran.stderr
    with (out / "matches.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    counted = Counter(row["game"] for row in rows if row["seat"] == "0")
    for game, matches in MATCHES[name].items():
        assert abs(counted[game] - matches) < max(GAMES[game].spec.seats), "whole sets only"
    assert counted.keys() == MATCHES[name].keys()
    assert counted.total() == len(played(out))
    assert all(row["forfeited"] == "0" for row in rows)
    assert list(standings(out)["by_game"]) == sorted(counted)
    verified = subprocess.run(
        command("tournament", "verify", out), capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0, verified.stderr
    no_bot_is_left(out)


def test_every_game_has_an_example() -> None:
    assert set(GAMES) <= {game for example in MATCHES.values() for game in example}
