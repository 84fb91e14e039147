"""CSV files: no text of ours is a formula, and numbers are numbers."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE
from tournaments.export.tables import csv_cell
from tournaments.runner.folder_files import csv_bytes

NAMES = ("+1+1", "+a", "plain")
"""A tournament refuses a name that begins with = - @ or an apostrophe; a league does not."""


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "'a"])
def test_text_that_could_be_a_formula_is_marked(text: str) -> None:
    assert csv_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", [-4, -0.5, 0, None, True, "a=b", "", " x", "[-4,3]"])
def test_everything_else_stays_as_it_is(value: object) -> None:
    assert csv_cell(value) == value
    assert type(csv_cell(value)) is type(value)


def test_negative_scores_are_written_as_numbers() -> None:
    assert csv_bytes([["entrant", "score"], ["-x", -4], ["y", -0.5]]) == (
        b"entrant,score\n'-x,-4\ny,-0.5\n"
    )


@pytest.mark.slow
def test_files_of_a_tournament_hold_no_formula(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    entrants = "".join(f'[[entrants]]\nname = "{name}"\nbot = "random"\n' for name in NAMES)
    file.write_text(f'name = "=cup"\ntable_sizes = [2]\nsets_per_table = 1\n{entrants}')
    cup, highstreet = tmp_path / "cup", "from tournaments.cli import main; main()"
    for arguments in (
        ["tournament", "run", str(file), "--out", str(cup)],
        ["records", "export", str(cup), "--csv"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", highstreet, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    marked = {f"'{name}" if name != "plain" else name for name in NAMES}
    for path in ("standings.csv", "matches.csv", "csv/decisions.csv"):
        with (cup / path).open(encoding="utf-8", newline="") as text:
            rows = list(csv.DictReader(text))
        assert {row["entrant"] for row in rows} == marked, path
        for row in rows:
            for column, value in row.items():
                if value.startswith(("=", "+", "-", "@", "\t", "\r")):
                    float(value)
                    assert column in {"score", "mean_score", "rating", "skill", "skill_low"}
    with (cup / "csv" / "matches.csv").open(encoding="utf-8", newline="") as text:
        assert {row["tournament"] for row in csv.DictReader(text)} == {"'=cup"}
