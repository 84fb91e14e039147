"""Kill the parts of a cluster again and again, and see that every match counts exactly once.

    python -m benchmarks.cluster_torture [--sets 6] [--kills 20] [--seed N]

Plays a tournament twice: once in peace with local workers, and once on a cluster of this machine
with SIGKILL at random moments to the runner, the scheduler, a worker of Dask, or the process that
plays for it. Then both must have the same standings.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.cluster.cluster_torture import processes_of, torture, write_file
from tests.cluster.dask_processes import DaskProcesses
from tests.tournaments.runner.torture import command, played, run_to_end, standings


def main() -> int:
    """Play both tournaments and compare them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=int, default=6, help="sets per table; 6 make 336 matches")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file, war, peace = folder / "cup.toml", folder / "war", folder / "peace"
        write_file(file, sets=asked.sets)
        began = time.monotonic()
        with DaskProcesses(folder / "dask") as dask:
            story, code = torture(dask, file, war, asked.kills, asked.seed, folder / "log")
            seconds = time.monotonic() - began
            print(f"seed {asked.seed}: {dict(story.kills)} in {story.runs} runs, {seconds:.0f} s")
            left = processes_of(war)
        if code or run_to_end(file, peace).returncode:
            print((folder / "log").read_text()[-4000:])
            return 1
        ids = played(war)
        once = sorted(ids) == sorted(played(peace)) and len(set(ids)) == len(ids)
        same = standings(war) == standings(peace)
        check = subprocess.run(command("tournament", "verify", war), check=False)
        print(f"{len(ids)} matches, each once: {once}; same standings: {same}; left: {len(left)}")
        return int(not (same and once) or check.returncode or bool(left))


if __name__ == "__main__":
    sys.exit(main())
