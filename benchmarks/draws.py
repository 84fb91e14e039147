"""Measure how often neighbouring places are level: the default draw probability of each game.

    python -m benchmarks.draws            1,000 matches of each kind of each game, some minutes
    python -m benchmarks.draws 100        fewer

Three greedy and three random sample bots, or six random ones for a game that greedy does not play,
play a round robin with fresh deals at every number of seats and in every variant. The pooled share
of level neighbours, rounded to two decimals, is ``draw_probability`` in the ``GameSpec``.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from engine import GAMES, GameSpec
from tournaments.bot_commands import SAMPLES


def main() -> None:
    """Print the share of level neighbours for each kind of each game, and for the game."""
    per_kind = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for game in GAMES.values():
        with TemporaryDirectory() as folder:
            level, pairs = _measured(game.spec, per_kind, Path(folder))
        for kind in sorted(pairs):
            print(f"{game.spec.name} {kind}: {level[kind] / pairs[kind]:.4f} of {pairs[kind]}")
        pooled = level.total() / pairs.total()
        print(f"{game.spec.name}: {pooled:.4f}; in the specification {game.spec.draw_probability}")


def _measured(spec: GameSpec, per_kind: int, folder: Path) -> tuple[Counter[str], Counter[str]]:
    """Play a tournament; return the level pairs and all pairs of neighbours by kind."""
    bots = ("greedy", "random") if spec.name in (SAMPLES["greedy"] or ()) else ("random",)
    variants = [option.name for option in spec.options_offered if option.variant]
    file = folder / "draws.toml"
    file.write_text(
        f'name = "draws"\ngame = "{spec.name}"\ndeals = "fresh"\nsets_per_table = {per_kind}\n'
        f"max_matches = {per_kind * len(list(spec.kinds()))}\n"
        + "".join(f'variants.{name} = "both"\n' for name in variants)
        + "".join(
            f'[[entrants]]\nname = "{bot} {number}"\nbot = "{bot}"\n'
            for bot in bots
            for number in range(1, 1 + 6 // len(bots))
        ),
        encoding="utf-8",
    )
    command = (sys.executable, "-c", "from tournaments.cli import main; main()")
    run = (*command, "tournament", "run", file.name)
    subprocess.run(run, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with (folder / "draws" / "matches.csv").open(encoding="utf-8", newline="") as rows:
        return _counted(rows)


def _counted(rows: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    places: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for row in csv.DictReader(rows):
        places[row["match"], f"{row['seats']} seats, {row['variant']}"].append(row["place"])
    level, pairs = Counter[str](), Counter[str]()
    for (_, kind), table in places.items():
        level[kind] += len(table) - len(set(table))
        pairs[kind] += len(table) - 1
    return level, pairs


if __name__ == "__main__":
    main()
