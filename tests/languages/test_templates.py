"""What `highstreet new-bot` writes passes every check as it stands, in every language."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine import GAMES
from sample_bots.languages import Language, templates
from tests.languages.built import installed, lacks, skip_unless_wanted
from tests.sample_bots import stopping
from tests.tournaments.serving import HIGHSTREET, run

skip_unless_wanted()

pytestmark = pytest.mark.slow
TEMPLATES = templates()
TIMEOUT = 600


@pytest.fixture(params=TEMPLATES)
def language(request: pytest.FixtureRequest) -> Language:
    """Return a language whose toolchain is here."""
    return installed(TEMPLATES[request.param])


@pytest.fixture
def project(language: Language, tmp_path: Path) -> Path:
    """Return the folder of a new project."""
    folder = tmp_path / "my-bot"
    subprocess.run([*HIGHSTREET, "new-bot", language.key, str(folder)], check=True)
    return folder


def test_a_new_bot_passes_the_check_in_the_sandbox_at_every_game(project: Path) -> None:
    """Without one warning: it answers again after a rejected move, and ends by itself."""
    if shutil.which("bwrap") is None:
        lacks("bwrap is missing: apt install bubblewrap")
    words = [*HIGHSTREET, "bot", "check", str(project)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("answers again and plays on") == len(GAMES)
    assert "! " not in ran.stdout


def build(language: Language, project: Path) -> list[str]:
    """Build a project outside of the sandbox, and return how its bot is started from anywhere."""
    for command in language.build:
        made = subprocess.run(
            command, cwd=project, capture_output=True, text=True, check=False, timeout=TIMEOUT
        )
        assert made.returncode == 0, made.stdout + made.stderr
        assert "warning" not in made.stdout + made.stderr
    return ["env", "-C", str(project), *language.run]


def test_the_commands_of_its_readme_build_it_and_play(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (project / "README.md").read_text(encoding="utf-8")
    _, _, rest = text.partition("**Play**")
    lines = [line for line in rest.partition("**Check**")[0].splitlines() if line[:4] == "    "]
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    ran = subprocess.run(
        ["bash", "-euc", "\n".join(lines)],  # noqa: S607
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "winner" in ran.stdout or "place" in ran.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
def test_a_new_bot_leaves_on_a_signal(
    language: Language, project: Path, number: signal.Signals, tmp_path: Path
) -> None:
    """It says so in a line, and plays its match to the end."""
    words = [*HIGHSTREET, "bridge", "--", *build(language, project)]
    run(lambda: stopping.check_that_it_leaves(words, tmp_path, number, 1, stopping.bridged))


def test_a_second_signal_ends_a_new_bot_at_once(
    language: Language, project: Path, tmp_path: Path
) -> None:
    words = [*HIGHSTREET, "bridge", "--", *build(language, project)]
    run(lambda: stopping.check_that_a_second_signal_ends_it(words, tmp_path, stopping.bridged))
