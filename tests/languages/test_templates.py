"""What `highstreet new-bot` writes passes every check as it stands, in every language."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sample_bots.languages import Language, templates
from tests.languages.built import installed, skip_unless_wanted
from tests.sample_bots import stopping
from tests.tournaments.serving import HIGHSTREET, run

skip_unless_wanted()

pytestmark = pytest.mark.slow
TEMPLATES = templates()
TIMEOUT = 600


# Tests of one language run in one process (``--dist loadgroup``), which builds its bot once.
PARAMETERS = [
    pytest.param(key, marks=pytest.mark.xdist_group(f"template-{key}")) for key in TEMPLATES
]


@pytest.fixture(scope="module", params=PARAMETERS)
def language(request: pytest.FixtureRequest) -> Language:
    """Return a language whose toolchain is here."""
    return installed(TEMPLATES[request.param])


@pytest.fixture
def project(language: Language, tmp_path: Path) -> Path:
    """Return the folder of a new project."""
    return new_project(language, tmp_path / "my-bot")


def new_project(language: Language, folder: Path) -> Path:
    """Make a new project in a folder, and return it."""
    subprocess.run([*HIGHSTREET, "new-bot", language.key, str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def bot(language: Language, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Build a project outside of the sandbox, and return how its bot is started from anywhere."""
    project = new_project(language, tmp_path_factory.mktemp(language.key) / "my-bot")
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
    bot: list[str], number: signal.Signals, tmp_path: Path
) -> None:
    """It says so in a line, and plays its match to the end."""
    words = [*HIGHSTREET, "bridge", "--", *bot]
    run(lambda: stopping.check_that_it_leaves(words, tmp_path, number, 1, stopping.bridged))


def test_a_second_signal_ends_a_new_bot_at_once(bot: list[str], tmp_path: Path) -> None:
    words = [*HIGHSTREET, "bridge", "--", *bot]
    run(lambda: stopping.check_that_a_second_signal_ends_it(words, tmp_path, stopping.bridged))
