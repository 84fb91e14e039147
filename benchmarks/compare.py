"""Compare this tree with another one, such as a work tree of an earlier commit.

    git worktree add ../before v0.1.0 && make -C ../before .venv/.ready
    python -m benchmarks.compare ../before --only referee,codec --rounds 9

The trees take turns: each round measures both, each with the Python of its own .venv, and the next
round begins with the other one. A ratio is the median of the ratios of the rounds, this tree to the
other one; what only one of them measures is left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.measuring import Figure, positive, progress, spread, table

Figures = dict[tuple[str, str, str], float]
"""What was measured, by chapter, row and column."""
HERE: Final = Path(__file__).parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, measure both trees in turn, and print a table."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("tree", type=_tree, help="the root of the other tree")
    parser.add_argument("--only", default="codec,referee,tournament,store", metavar="NAMES")
    parser.add_argument("--rounds", type=positive, default=9, help="9 if not given")
    given = parser.parse_args(arguments)
    measured: dict[Path, list[Figures]] = {HERE: [], given.tree: []}
    for number in range(given.rounds):
        for tree in sorted(measured, reverse=bool(number % 2)):
            progress(f"round {number + 1} of {given.rounds}: {tree}")
            measured[tree].append(_measure(tree, given.only))
    print(_show(measured[HERE], measured[given.tree]))
    return 0


def _tree(text: str) -> Path:
    tree = Path(text).resolve()
    if not (tree / ".venv/bin/python").exists():
        raise argparse.ArgumentTypeError(f"{tree} has no .venv: run make -C {tree} .venv/.ready")
    return tree


def _measure(tree: Path, chapters: str) -> Figures:
    """Run chapters of the benchmarks of a tree once."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(tree / ".venv/bin/python"), "-m", "benchmarks", "--only", chapters]
        command += ["--rounds", "1", "--no-peers", "--json", folder]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"the benchmarks of {tree} failed:\n{done.stderr}")
        return dict(_read(Path(folder)))


def _read(folder: Path) -> Iterator[tuple[tuple[str, str, str], float]]:
    for path in sorted(folder.glob("*.json")):
        for name, row in json.loads(path.read_text(encoding="utf-8"))["rows"].items():
            for column, figure in row.items():
                yield (path.stem, name, column), figure["median"]


def _show(here: Sequence[Figures], there: Sequence[Figures]) -> str:
    rows = []
    for key in here[0]:
        pairs = [
            (a[key], b[key]) for a, b in zip(here, there, strict=True) if key in a and key in b
        ]
        if pairs and all(b for _, b in pairs):
            sides = [spread(Figure.of(side)) for side in zip(*pairs, strict=True)]
            rows.append([": ".join(key), *sides, spread(Figure.of([a / b for a, b in pairs]))])
    return table(["", "this tree", "the other", "ratio"], rows)


if __name__ == "__main__":
    sys.exit(main())
