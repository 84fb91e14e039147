"""What is installed: a wheel has everything that the programs read, and nothing that was built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from engine import GAMES

ROOT = Path(__file__).parent.parent
PACKAGES = ("engine", "referee", "tournaments", "sample_bots", "proto", "docs/rules")
RULES = "tournaments/web/docs/rules/"
"""Where the wheel has the rules of the games, which are in docs/ here."""
FILES = ("pyproject.toml", "README.md", "LICENSE", ".gitignore")
BUILT = ("__pycache__", "build", "node_modules", "target")
"""Folders that the tools of some language make inside of ours."""
DECOYS = (
    "sample_bots/cpp/build/bot",
    "sample_bots/go/build/bot",
    "sample_bots/java/target/bot.jar",
    "sample_bots/rust/target/release/bot",
    "sample_bots/stdio/c/build/bot",
    "sample_bots/typescript/build/main.js",
    "sample_bots/typescript/node_modules/x/index.js",
    "sample_bots/typescript/src/gen/play_pb.ts",
)
TRIED = """
import sys
from pathlib import Path
import engine, highstreet, referee, tournaments
folder = Path(sys.argv[1])
for package in (engine, highstreet, referee, tournaments):
    assert Path(package.__file__).is_relative_to(folder), package
from tournaments.cli import main
from tournaments.model import GameSettings
from tournaments.model import LeagueSettings
from tournaments.store import Store
from tournaments.report import report_html
from tournaments.ratings import StandingsRequest, compute_standings
from tournaments.web.rendering import render
from importlib.resources import files
with Store.open(f"sqlite:///{folder / 'league.db'}") as store:  # the migrations
    store.create_league("spring", LeagueSettings("Spring", (GameSettings("glastonbury", (2,)),)))
page = render("front", {"leagues": [], "playing": [], "latest": []}, "/index.json")
assert b"Who is best" in page
static = files("tournaments.web") / "static"
assert all((static / name).is_file() for name in ("site.css", "replay.js", "games/gargon.js"))
from tournaments.web.game_rules import rules_path
assert rules_path("gargon").is_relative_to(folder)
assert "<html" in report_html(compute_standings([], StandingsRequest("t")), [], generated_at="now")
main(["league", "init", str(folder / "spring.toml")])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the sources in which every language has been built."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in FILES:
        shutil.copy(ROOT / name, source)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns(*BUILT))
    for name in DECOYS:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("built")
    build = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    subprocess.run([sys.executable, *build, "--wheel-dir", out, source], check=True)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    """Return what the wheel holds."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def sources(package: str) -> set[str]:
    """Return the files of a package as they are in the wheel."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / package).rglob("*")
        if path.is_file() and not set(BUILT) & set(path.relative_to(ROOT).parts)
    }


@pytest.mark.parametrize("package", ["engine", "referee", "tournaments"])
def test_every_file_of_a_package_is_in_the_wheel(names: set[str], package: str) -> None:
    own = {name for name in names if name.startswith(f"{package}/")}
    rules = {name for name in own if name.startswith(RULES)}
    assert own - rules == sources(package)


def test_rules_of_every_game_are_in_the_wheel(names: set[str]) -> None:
    rules = {name.removeprefix(RULES) for name in names if name.startswith(RULES)}
    assert rules == {f"{game}.md" for game in GAMES}


def test_what_programs_read_is_in_the_wheel(names: set[str]) -> None:
    """By name, so that a file that nobody has any more is missed."""
    assert names >= {
        "tournaments/config/tournament_template.toml",
        "tournaments/config/league_template.toml",
        "tournaments/store/migrations/env.py",
        "tournaments/store/migrations/versions/r0001_first_tables.py",
        "tournaments/web/templates/base.html.jinja",
        "tournaments/web/templates/league.html.jinja",
        "tournaments/web/static/site.css",
        "tournaments/web/static/replay.js",
        "tournaments/web/static/games/glastonbury.js",
        "tournaments/report/page.html.jinja",
        "tournaments/report/script.js",
        "tournaments/report/style.css",
        "sample_bots/go/gen/highstreetv1/play.pb.go",
        "sample_bots/python/greedy_bot.py",
        "sample_bots/rust/src/main.rs",
        "sample_bots/templates/README.md",
        "sample_bots/templates/bot.toml",
        "sample_bots/templates/rust/src/bot.rs",
        "sample_bots/proto/highstreet/v1/play.proto",
        "highstreet/v1/play_pb2.py",
    }


def test_nothing_that_was_built_is_in_the_wheel(wheel: Path, names: set[str]) -> None:
    assert [name for name in names if set(BUILT) & set(Path(name).parts)] == []
    assert not [name for name in names if name.startswith("sample_bots/typescript/src/gen/")]
    assert names.isdisjoint(DECOYS)
    assert not any(name.startswith(("tests/", "benchmarks/", "docs/")) for name in names)
    assert wheel.stat().st_size < 3_000_000


def test_programs_run_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", TRIED, tmp_path],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "spring.toml is written" in done.stdout
