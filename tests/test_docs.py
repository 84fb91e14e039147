"""What the documents say is true: their commands run, their links lead somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from engine import GAMES
from engine.__about__ import __version__
from tournaments.cli import main

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("proto/*.md"),
        *ROOT.glob("sample_bots/**/*.md"),
    ]
)
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
every_page = pytest.mark.parametrize("page", PAGES, ids=NAMES)

BY_HAND = ("make demo", "make test")
"""Commands that `.ci/run` runs; a test cannot run itself."""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


COMMANDS = [
    pytest.param(command, id=f"{page.name}: {command}")
    for page in PAGES
    for block in blocks(page, "console")
    for command in block.splitlines()
    if command and command not in BY_HAND
]
PROGRAMS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page, "python"))
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_in_the_documents_runs(command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/highstreet"
    installed = Path(sys.executable).parent / "highstreet"
    done = subprocess.run(
        [installed, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_in_the_documents_runs(program: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_position_in_the_readme_is_what_the_command_prints() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```\n(Glastonbury, .*?)```", text, re.DOTALL)
    command = next(c.values[0] for c in COMMANDS if "--seed 7 --moves 20" in str(c.values[0]))
    installed = Path(sys.executable).parent / "highstreet"
    done = subprocess.run(
        [installed, *shlex.split(str(command))[1:]], capture_output=True, text=True, check=True
    )
    assert done.stdout == shown


def test_the_bot_in_the_readme_is_the_one_that_runs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    tiny = (ROOT / "sample_bots" / "python" / "tiny_bot.py").read_text(encoding="utf-8")
    assert f"```python no-run\n{tiny}```" in text


@every_page
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_is_documented_as_it_is(update: bool) -> None:
    """docs/reference/cli.md is what --help prints."""
    path = ROOT / "docs" / "reference" / "cli.md"
    context = click.Context(main, info_name="highstreet", **main.context_settings)
    parts = ["# The command line\n", f"```\n{main.get_help(context)}\n```\n"]
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, terminal_width=100)
        parts += [f"## highstreet {name}\n", f"```\n{command.get_help(inner)}\n```\n"]
    written = "\n".join(parts)
    if update:
        path.write_text(written, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == written


def test_every_game_has_a_row_and_a_rules_page() -> None:
    rows = (ROOT / "docs" / "games.md").read_text(encoding="utf-8")
    for name, game in GAMES.items():
        assert (ROOT / "docs" / "rules" / f"{name}.md").exists()
        assert f"(rules/{name}.md), rules version {game.spec.rules_version} |" in rows


def test_every_paragraph_that_the_engine_cites_exists() -> None:
    for name in GAMES:
        page = (ROOT / "docs" / "rules" / f"{name}.md").read_text(encoding="utf-8")
        sources = [p.read_text(encoding="utf-8") for p in (ROOT / "engine" / name).glob("*.py")]
        cited = {c for text in sources for c in re.findall(rf"{name}#(\d+\.\d+)", text)}
        assert len(cited) > 5
        for paragraph in cited:
            assert f"**{paragraph}**" in page


def test_every_game_is_in_the_contract_that_keeps_games_apart() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in GAMES:
        assert f'"engine.{name}"' in settings


def test_the_changelog_knows_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in text or f"## [{__version__}]" in text
