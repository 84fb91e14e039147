"""``highstreet new-bot``: what it writes plays as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sample_bots.languages import languages
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[3]
HIGHSTREET = [sys.executable, "-c", "from tournaments.cli import main; main()"]


def highstreet(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HIGHSTREET, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=5 * PATIENCE,
    )


def test_a_project_in_python_plays(tmp_path: Path) -> None:
    folder = tmp_path / "my-bot"
    made = highstreet("new-bot", "python", folder)
    assert made.returncode == 0, made.stderr
    assert (folder / "README.md").exists()
    assert not list(folder.rglob("__pycache__"))
    own = f"{sys.executable} {folder / 'greedy_bot.py'}"
    ran = highstreet("play", "--per-move", f"{PATIENCE:g}", own, "random")
    assert ran.returncode == 0, ran.stderr
    assert "forfeit" not in ran.stdout


@pytest.mark.slow
def test_the_commands_of_the_guide_work_for_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of the other languages do; tests/languages runs them."""
    guide = (ROOT / "docs" / "guides" / "write-a-bot.md").read_text(encoding="utf-8")
    (commands,) = re.findall(r"```sh\n(highstreet new-bot python .*?)```", guide, re.DOTALL)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],  # noqa: S607
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=5 * PATIENCE,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 correct, 0 wrong" in ran.stdout
    assert "steps passed" in ran.stdout


@pytest.mark.parametrize("key", languages())
def test_a_project_holds_its_sources_and_the_protocol_and_nothing_that_was_built(
    key: str, tmp_path: Path
) -> None:
    folder = tmp_path / key
    assert highstreet("new-bot", key, folder).returncode == 0
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    texts = {path.relative_to(folder): path.read_bytes() for path in files}
    assert not [path for path, data in texts.items() if b"../../proto" in data]
    speaks_grpc = languages()[key].transport == "grpc"
    assert (folder / "proto" / "highstreet" / "v1" / "play.proto").exists() is speaks_grpc


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("chapter one")
    refused = highstreet("new-bot", "python", tmp_path)
    assert refused.returncode == 2
    assert "not empty" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_an_unknown_language_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    refused = highstreet("new-bot", "cobol", tmp_path / "x")
    assert refused.returncode == 2
    assert "cobol" in refused.stderr
    assert not (tmp_path / "x").exists()
