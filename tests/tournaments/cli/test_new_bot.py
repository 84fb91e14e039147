"""``highstreet new-bot``: what it writes plays as it stands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import GAMES
from sample_bots.languages import languages, templates
from tests.waiting import PATIENCE
from tournaments.model import RUNTIMES
from tournaments.submissions import read_manifest

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


GRPC = ("--transport", "grpc")
SPEAK_GRPC = [key for key, own in languages().items() if own.transport == "grpc"]


def test_a_package_in_python_plays(tmp_path: Path) -> None:
    """The templates of the other languages are tested by tests/languages."""
    folder = tmp_path / "my first bot"
    made = highstreet("new-bot", "python", folder)
    assert made.returncode == 0, made.stderr
    own = f"{sys.executable} '{folder / 'bot.py'}'"
    ran = highstreet("play", "--per-move", f"{PATIENCE:g}", own, "random")
    assert ran.returncode == 0, ran.stderr
    assert "rejected" not in ran.stdout


@pytest.mark.parametrize("key", [*templates(), "typescript"])
def test_a_package_is_complete(key: str, tmp_path: Path) -> None:
    """Its manifest is right, what it names is there, and nothing that only a template has."""
    folder = tmp_path / "my first bot"
    assert highstreet("new-bot", key, folder).returncode == 0
    manifest = read_manifest(folder)
    assert manifest.name == "my first bot"
    assert manifest.games == tuple(GAMES)
    assert manifest.runtime in RUNTIMES
    assert not (folder / "language.toml").exists()
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "highstreet bot check ." in text
    assert "$" not in text + (folder / "bot.toml").read_text(encoding="utf-8")
    assert "chooses the moves: begin here" in text


def test_a_folder_whose_name_no_bot_can_have_gives_the_name_my_bot(tmp_path: Path) -> None:
    folder = tmp_path / "-$x"
    assert highstreet("new-bot", "c", "--", folder).returncode == 0
    assert read_manifest(folder).name == "my-bot"


def test_typescript_says_that_its_template_is_javascript(tmp_path: Path) -> None:
    made = highstreet("new-bot", "typescript", tmp_path / "x")
    assert "typescript: JavaScript with types in comments" in made.stdout


@pytest.mark.parametrize("key", ["perl", "javascript"])
def test_a_language_without_grpc_is_refused_over_grpc(key: str, tmp_path: Path) -> None:
    refused = highstreet("new-bot", key, tmp_path / "x", *GRPC)
    assert refused.returncode == 2
    assert f"there is no {key} bot over gRPC, but in python, cpp, go" in refused.stderr
    assert "highstreet bridge" in refused.stderr
    assert not (tmp_path / "x").exists()


def test_a_sample_in_python_plays(tmp_path: Path) -> None:
    folder = tmp_path / "my-bot"
    made = highstreet("new-bot", "python", folder, *GRPC)
    assert made.returncode == 0, made.stderr
    assert (folder / "README.md").exists()
    assert not list(folder.rglob("__pycache__"))
    own = f"{sys.executable} {folder / 'greedy_bot.py'}"
    ran = highstreet("play", "--per-move", f"{PATIENCE:g}", own, "random")
    assert ran.returncode == 0, ran.stderr
    assert "forfeit" not in ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("over_grpc", [False, True], ids=["pipe", "grpc"])
def test_the_commands_of_the_guide_work_for_python(
    over_grpc: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of the other languages do; tests/languages runs them."""
    guide = (ROOT / "docs" / "guides" / "write-a-bot.md").read_text(encoding="utf-8")
    found = re.findall(r"```sh\n(highstreet new-bot python .*?)```", guide, re.DOTALL)
    assert len(found) == 2
    (commands,) = [block for block in found if ("--transport grpc" in block) is over_grpc]
    if not over_grpc and shutil.which("bwrap") is None:
        pytest.skip("bwrap is missing: apt install bubblewrap")
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
    assert ("steps passed" if over_grpc else "passed: package") in ran.stdout


@pytest.mark.parametrize("key", SPEAK_GRPC)
def test_a_project_holds_its_sources_and_the_protocol_and_nothing_that_was_built(
    key: str, tmp_path: Path
) -> None:
    folder = tmp_path / key
    assert highstreet("new-bot", key, folder, *GRPC).returncode == 0
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    texts = {path.relative_to(folder): path.read_bytes() for path in files}
    assert not [path for path, data in texts.items() if b"../../proto" in data]
    assert (folder / "proto" / "highstreet" / "v1" / "play.proto").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("chapter one")
    refused = highstreet("new-bot", "python", tmp_path)
    assert refused.returncode == 2
    assert "not empty" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_an_unknown_language_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    for key, hint in (("cobol", ""), ("pyhton", ' Did you mean "python"?')):
        refused = highstreet("new-bot", key, tmp_path / "x")
        assert refused.returncode == 2
        assert f'there is no "{key}" with a template.{hint}' in refused.stderr
    assert not (tmp_path / "x").exists()
