"""Kill a tournament again and again, resume it, and see that every match counts exactly once.

    python -m benchmarks.exactly_once [--sets 6] [--kills 20] [--seed N]

Plays a tournament of 336 matches twice: once in peace, and once with SIGKILL at random moments to
the runner, a worker, a bot, or all of them at once. Then both must have the same standings.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.tournaments.runner.torture import (
    bots,
    command,
    mark_of,
    played,
    run_to_end,
    standings,
    torture,
    write_league,
)


def main() -> int:
    """Play both tournaments and compare them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=int, default=6, help="sets per table; 6 make 336 matches")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "league.toml"
        write_league(file, sets=asked.sets)
        peace = run_to_end(file, folder / "peace")
        if peace.returncode:
            print(peace.stderr)
            return 1
        print(f"in peace: {len(played(folder / 'peace'))} matches; seed {asked.seed}", flush=True)
        story = torture(file, folder / "war", asked.kills, asked.seed)
        last = run_to_end(file, folder / "war")
        print(f"{dict(story.kills)} in {story.runs} runs; the last one: exit {last.returncode}")
        ids = played(folder / "war")
        same = standings(folder / "peace") == standings(folder / "war")
        once = sorted(ids) == sorted(played(folder / "peace")) and len(set(ids)) == len(ids)
        check = subprocess.run(command("tournament", "verify", folder / "war"), check=False)
        left = bots(mark_of(folder / "war"))
        print(f"each match once: {once}; same standings: {same}; processes left: {len(left)}")
        return int(not (same and once) or check.returncode or last.returncode or bool(left))


if __name__ == "__main__":
    sys.exit(main())
