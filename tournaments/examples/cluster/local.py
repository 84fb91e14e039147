"""Start a scheduler and workers on this machine, and play a tournament on them.

python tournaments/examples/cluster/local.py tournaments/examples/demo.toml --out build/demo
"""

from __future__ import annotations

import argparse
import logging
import sys

from distributed import LocalCluster
from play import play


def main() -> None:
    """Play the tournament; end with the exit code of the run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("file")
    asked, more = parser.parse_known_args()
    with LocalCluster(
        n_workers=asked.workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        code = play(asked.file, cluster.scheduler_address, more)
    sys.exit(code)


if __name__ == "__main__":
    main()
