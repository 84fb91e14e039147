"""A hundred matches of each kind over real TCP, refereed, recorded and verified."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

HIGHSTREET = Path(sys.executable).parent / "highstreet"
RANDOM_BOT = Path(__file__).parent.parent / "sample_bots" / "python" / "random_bot.py"


@pytest.mark.slow
@pytest.mark.parametrize("recipes", ["--recipes", "--no-recipes"])
@pytest.mark.parametrize("seats", [2, 4])
def test_a_hundred_matches_over_tcp_are_all_correct(
    seats: int, recipes: str, tmp_path: Path
) -> None:
    bots = [f"env BOT_SEED={seat} {sys.executable} {RANDOM_BOT}" for seat in range(seats)]
    played = subprocess.run(
        [
            *(HIGHSTREET, "play", "--transport", "grpc", "--matches", "100", "--seed", "100"),
            *("--per-move", f"{PATIENCE:g}", recipes, "--out", str(tmp_path), *bots),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert played.returncode == 0, played.stderr
    assert len(list(tmp_path.glob("*.jsonl"))) == 100
    verified = subprocess.run(
        [HIGHSTREET, "verify", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0
    assert "100 records: 100 correct, 0 wrong" in verified.stdout
