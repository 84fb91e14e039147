"""What the documents say is true: their commands run, their links lead somewhere."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from engine.__about__ import __version__
from engine.registry import GAMES
from tests.tournaments.synthetic import standings, synthetic_results
from tournaments.cli import main
from tournaments.cli.play.index import COLUMNS
from tournaments.config.tournament_file import KEYS, parse_tournament
from tournaments.model import StopRule
from tournaments.ratings import StopState
from tournaments.ratings.documents import as_csv_rows, as_json, matches_csv_rows

ROOT = Path(__file__).parent.parent
FOREIGN = {"node_modules", "target", "build"}
"""Folders into which the tools of other languages put what is not ours."""
PAGES = sorted(
    page
    for form in ("*.md", "docs/**/*.md", "proto/*.md", "sample_bots/**/*.md")
    for page in ROOT.glob(form)
    if FOREIGN.isdisjoint(page.relative_to(ROOT).parts)
)
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
every_page = pytest.mark.parametrize("page", PAGES, ids=NAMES)

BY_HAND = ("make demo", "make test")
"""Commands that `.ci/run` runs; a test cannot run itself."""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


COMMANDS = {
    page: [
        command
        for block in blocks(page, "console")
        for command in block.splitlines()
        if command and command not in BY_HAND
    ]
    for page in PAGES
}
"""The commands of each page, in the order in which a reader types them."""
PROGRAMS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page, "python"))
]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Make a folder that looks like a fresh clone: all that is in this one, and no build."""
    for path in ROOT.iterdir():
        if path.name != "build":
            (tmp_path / path.name).symlink_to(path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name)
        for page, name in zip(PAGES, NAMES, strict=True)
        if COMMANDS[page]
    ],
)
def test_every_command_in_the_documents_runs(page: Path, clone: Path) -> None:
    installed = Path(sys.executable).parent / "highstreet"
    for command in COMMANDS[page]:
        program, *arguments = shlex.split(command)
        assert program == "highstreet"
        done = subprocess.run(
            [installed, *arguments], cwd=clone, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert done.stdout.strip(), command


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_in_the_documents_runs(program: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def written_commands(page: Path) -> Iterator[str]:
    """Give every command of ours that a page has in a block or within a sentence."""
    text = page.read_text(encoding="utf-8")
    fenced = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    blocks = [
        block for language, block in fenced.findall(text) if language in ("", "sh", "console")
    ]
    prose = fenced.sub("", text)
    for part in [*blocks, *re.findall(r"^    .*$", prose, re.MULTILINE)]:
        line = r"^ *(?:\$ )?(?:[A-Z_]+=(?:\$\(.*?\)|\S+) )*(highstreet .*)$"
        yield from re.findall(line, part, re.MULTILINE)
    yield from re.findall(r"`(highstreet [^`]+)`", prose)


@every_page
def test_every_command_that_is_written_has_the_options_it_is_written_with(page: Path) -> None:
    """Also where it cannot be run, since it needs a server or a bot of the reader."""
    if page.name == "CHANGELOG.md":
        return  # it tells of commands as they were
    for written in written_commands(page):
        _, *words = shlex.split(written, comments=True)
        command: click.Command = main
        context = click.Context(main, info_name="highstreet", **main.context_settings)
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            found = command.get_command(context, words.pop(0))
            assert found is not None, f"{page.name}: {written}"
            command = found
        try:
            command.make_parser(click.Context(command, parent=context)).parse_args(words)
        except click.UsageError as error:
            raise AssertionError(f"{page.name}: {written}: {error.message}") from None


def test_the_documents_name_the_command_alike_and_say_first_how_to_find_it() -> None:
    """The form is `highstreet …`; a page of the start says how it comes on the PATH."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for prefix in re.findall(r"(\S*/)highstreet [a-z]", text):
            # A unit of systemd needs a path.
            assert prefix == "ExecStart=/opt/highstreet/bin/", f"{page.name}: {prefix}highstreet"
    for start in ("README.md", "docs/quickstart.md"):
        text = (ROOT / start).read_text(encoding="utf-8")
        before, activated, _ = text.partition(". .venv/bin/activate")
        assert activated, start
        assert not re.search(r"^highstreet ", before, re.MULTILINE), start


IN_CLEAR = r"(?<!-)--token[ =]|HIGHSTREET_TOKEN=(?!\$\(cat [\w./-]+\)|…)"
"""A token on a command line that is neither read from a file nor left out."""


@every_page
def test_no_example_puts_a_token_on_the_command_line(page: Path) -> None:
    if page.name != "CHANGELOG.md":
        assert not re.findall(IN_CLEAR, page.read_text(encoding="utf-8"))


def test_the_position_in_the_quickstart_is_what_the_command_prints() -> None:
    page = ROOT / "docs" / "quickstart.md"
    text = page.read_text(encoding="utf-8")
    (shown,) = re.findall(r"```\n(Glastonbury, .*?)```", text, re.DOTALL)
    command = next(c for c in COMMANDS[page] if "--seed 7 --moves 20" in c)
    installed = Path(sys.executable).parent / "highstreet"
    done = subprocess.run(
        [installed, *shlex.split(command)[1:]], capture_output=True, text=True, check=True
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


def commands(group: click.Context) -> Iterator[click.Context]:
    """Return the commands of a group, each with the commands that it has itself."""
    assert isinstance(group.command, click.Group)
    for name in group.command.list_commands(group):
        command = group.command.get_command(group, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=group, terminal_width=100)
        yield inner
        if isinstance(command, click.Group):
            yield from commands(inner)


def test_every_command_is_documented_as_it_is(update: bool) -> None:
    """docs/reference/cli.md is what --help prints."""
    path = ROOT / "docs" / "reference" / "cli.md"
    context = click.Context(main, info_name="highstreet", **main.context_settings)
    parts = ["# The command line\n", f"```\n{main.get_help(context)}\n```\n"]
    for inner in commands(context):
        heading = "#" * inner.command_path.count(" ")
        parts += [f"#{heading} {inner.command_path}\n", f"```\n{inner.get_help()}\n```\n"]
    written = "\n".join(parts)
    if update:
        path.write_text(written, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == written


def rows(page: str, heading: str) -> dict[str, list[str]]:
    """Return the table below a heading: its rows by each key that their first cell names."""
    text = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
    _, found, rest = text.partition(f"\n## {heading}\n")
    assert found, f"{page} has no heading {heading}"
    lines = rest.partition("\n## ")[0].splitlines()
    table = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return {key: cells[1:] for cells in table for key in re.findall(r"`(\w+)`", cells[0])}


def test_every_key_of_a_tournament_file_is_documented() -> None:
    for place, keys in KEYS.items():
        assert list(rows("tournament-file.md", place[0].upper() + place[1:])) == list(keys)


def test_the_defaults_of_a_tournament_file_are_those_of_its_page() -> None:
    """A file that writes every default down says the same as one that leaves them out."""
    bots = [f'[[entrants]]\nname = "{name}"\nbot = "greedy"\n' for name in "ab"]
    told = {}
    for place in KEYS:
        found = rows("tournament-file.md", place[0].upper() + place[1:])
        given = {key: re.fullmatch(r"`([^`]+)`", cells[1]) for key, cells in found.items()}
        told[place] = "".join(f"{key} = {cell[1]}\n" for key, cell in given.items() if cell)
        assert told[place]
    of_games = f'[[games]]\ngame = "{next(iter(GAMES))}"\n{told.pop("in [[games]]")}'
    parts = ['name = "x"\n', told.pop("at the top"), bots[0], told.pop("in [[entrants]]"), bots[1]]
    parts += [f"{place.removeprefix('in ')}\n{lines}" for place, lines in told.items()]
    short = parse_tournament("".join(['name = "x"\n', *bots]), "short", ROOT)
    assert parse_tournament("".join(parts), "long", ROOT) == short
    assert parse_tournament("".join(['name = "x"\n', of_games, *bots]), "games", ROOT) == short


def test_every_field_of_the_standings_is_documented() -> None:
    results = synthetic_results(["ann", "bob", "cid", "dan"], sets=60)
    table = standings(results, "x", replicates=20)
    written: dict[str, Any] = as_json(table, "now", StopState(StopRule("leader"), sets=1))
    page = "standings.md"
    whole = rows(page, "standings.json")
    assert whole.keys() == written.keys()
    assert rows(page, "A line of the table").keys() == written["standings"][0].keys()
    assert all(f"`{key}`" in whole["duplicates"][0] for key in written["duplicates"])
    assert list(rows(page, "standings.csv")) == as_csv_rows(table)[0]
    assert list(rows(page, "matches.csv")) == matches_csv_rows(results)[0]


def test_every_test_that_the_page_on_trust_names_is_there() -> None:
    text = (ROOT / "docs" / "guides" / "trust.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:tests/|…|::|test_)[^`]*)`", text)
    assert len(named) > 15
    for name in named:
        found = re.fullmatch(r"(tests/[\w/]+\.py)::(test_\w+)(\[.+\])?", name)
        assert found, name
        path, function = found[1], found[2]
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert function in defined, name


def test_every_column_of_the_index_of_play_is_documented() -> None:
    text = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| `index\.csv` \| a row for each match: (.*?)\. ", text, re.MULTILINE)
    assert re.findall(r"`(\w+)`", row) == list(COLUMNS)


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
