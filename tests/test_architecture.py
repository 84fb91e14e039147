"""docs/architecture.md names what exists, and its walks go through each layer once."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
MOST_STEPS = 15
STEP = re.compile(r"^\d+\. `([\w/]+\.py)` `([\w.]+)`", re.MULTILINE)


def walks() -> dict[str, list[tuple[str, str]]]:
    """Return the file and the qualified name of each step, by the title of the walk."""
    _, *sections = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {section.partition("\n")[0]: STEP.findall(section) for section in sections}
    return {title: steps for title, steps in found.items() if steps}


@cache
def names_in(path: str) -> frozenset[str]:
    """Return the qualified names of all classes, functions and methods in a file."""
    found = set[str]()

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found.add(prefix + child.name)
                visit(child, f"{prefix}{child.name}.")

    visit(ast.parse((ROOT / path).read_text(encoding="utf-8")), "")
    return frozenset(found)


def test_there_are_three_walks_of_at_most_fifteen_steps() -> None:
    assert len(walks()) == 3
    for title, steps in walks().items():
        assert 3 <= len(steps) <= MOST_STEPS, title


@pytest.mark.parametrize("title", walks())
def test_every_function_on_a_walk_exists(title: str) -> None:
    for path, name in walks()[title]:
        assert (ROOT / path).is_file(), path
        assert name in names_in(path), f"{path} has no {name}"


def test_every_function_that_a_step_mentions_exists() -> None:
    for path, name in re.findall(r"`([\w/]+\.py)` `([\w.]+)`", PAGE.read_text(encoding="utf-8")):
        assert name in names_in(path), f"{path} has no {name}"


@pytest.mark.parametrize("root", ["engine", "referee", "tournaments"])
def test_the_tree_has_every_package(root: str) -> None:
    tree = PAGE.read_text(encoding="utf-8").split("```")[1]
    for path in (ROOT / root).iterdir():
        if path.is_dir() and any(path.glob("*.py")):
            assert f" {path.name}/ " in tree.replace("\n", " "), path


@pytest.mark.parametrize("title", walks())
def test_a_walk_never_returns_to_a_package_that_it_has_left(title: str) -> None:
    packages = [str(Path(path).parent) for path, _ in walks()[title]]
    visited = [package for package, _ in groupby(packages)]
    assert len(visited) == len(set(visited)), visited


def test_every_path_on_the_page_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    roots = "engine|referee|tournaments|sample_bots|tests|proto"
    for path in re.findall(rf"`((?:{roots})/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path


def test_every_moved_file_has_its_new_place() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, table = text.split("## Moved files")
    rows = re.findall(r"^\| `[^`]+` \| `([^`]+)`", table.partition("\n## ")[0], re.MULTILINE)
    assert len(rows) > 100
    for path in rows:
        assert (ROOT / path).is_file(), path
