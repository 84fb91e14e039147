"""Make the tables of docs/performance.md from the figures in build/bench/.

    python -m benchmarks.page            write them into the page
    python -m benchmarks.page --print    print them instead

What stands between ``<!-- figures: NAME -->`` and ``<!-- end -->`` is replaced; the text around it
is left as it is. A part that was not measured stays as it was, and this is said.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.__main__ import CHAPTERS, FOLDER, ON_DEMAND
from benchmarks.ceiling import League, both
from benchmarks.measuring import Figure, NotMeasuredError, columns, number, spread

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(text: str, folder: Path) -> str:
    """Replace every block of figures for which there are any."""

    def made(found: re.Match[str]) -> str:
        try:
            return f"{found[1]}\n{block(found[2], folder)}\n\n{found[3]}"
        except NotMeasuredError as error:
            print(f"{found[2]} stays as it was: {error}", file=sys.stderr)
            return found[0]

    return BLOCK.sub(made, text)


def block(name: str, folder: Path) -> str:
    """Write one block."""
    if name == "goals":
        return _goals(folder)
    if name == "ceiling":
        league = League()
        head = f"{league.bots:,} bots, {league.matches:,} matches of {league.seats}"
        return markdown([head, "pipe bots", "gRPC bots"], both(league, folder))
    return _chapter(_read(folder, name))


def _read(folder: Path, name: str) -> dict[str, Any]:
    path = folder / f"{name}.json"
    if not path.exists():
        raise NotMeasuredError(f"there is no {path}")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _goals(folder: Path) -> str:
    rows = []
    for name in CHAPTERS:
        try:
            found = _read(folder, name)
        except NotMeasuredError:
            continue
        for goal in found["goals"]:
            sign = "at least" if goal["at_least"] else "at most"
            wanted = f"{sign} {number(goal['wanted'])} {goal['unit']}"
            measured = f"{number(goal['measured'])} {goal['unit']}"
            busy = str(found["machine"]["load_average"])
            rows.append([goal["text"], wanted, measured, goal["verdict"], busy])
    if not rows:
        raise NotMeasuredError(f"there are no figures in {folder}")
    return markdown(["goal", "wanted", "measured", "", "load of the machine"], rows)


def _chapter(found: Mapping[str, Any]) -> str:
    parts = [found["about"], _circumstances(found)]
    rows: dict[str, dict[str, Any]] = found["rows"]
    heads = columns(rows)
    parts.append(
        markdown(
            ["", *heads],
            [
                [name, *(_spread(row[what]) if what in row else "" for what in heads)]
                for name, row in rows.items()
            ],
        )
    )
    if found["ratios"]:
        ratios = [[r["of"], r["to"], r["what"], _spread(r["ratio"])] for r in found["ratios"]]
        parts.append(markdown(["ratio of", "to", "in", ""], ratios))
    parts += [f"Not measured: {name} ({why})." for name, why in found["not_measured"].items()]
    return "\n\n".join(parts)


def _circumstances(found: Mapping[str, Any]) -> str:
    machine, versions = found["machine"], found["versions"]
    return (
        f"Measured on {found['when'][:16].replace('T', ' ')} UTC, {found['rounds']} rounds: "
        f"{machine['cpu']}, {machine['cores']} cores, load {machine['load_average']} at the start; "
        f"Python {versions['python']}."
    )


def _spread(figure: Mapping[str, float]) -> str:
    return spread(Figure(**figure))


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table as Markdown has it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the page, or print what it would hold."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks.page",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--figures", type=Path, default=FOLDER, metavar="DIR")
    parser.add_argument("--print", action="store_true", help="write nothing")
    given = parser.parse_args(arguments)
    if given.print:
        for name in ("goals", *CHAPTERS, *ON_DEMAND, "ceiling"):
            try:
                print(f"## {name}\n\n{block(name, given.figures)}\n")
            except NotMeasuredError as error:
                print(f"{name}: {error}", file=sys.stderr)
        return 0
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), given.figures), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
