"""Play a tournament on hosts that are reached by ssh; needs asyncssh.

python tournaments/examples/cluster/ssh.py --host server1 --host server2 tournament.toml

The first host is that of the scheduler; each of the others has a worker. All have Highstreet with
the extra ``cluster`` in a Python that is named by ``--python``.
"""

from __future__ import annotations

import argparse
import sys

from distributed import SSHCluster
from play import play


def main() -> None:
    """Play the tournament; end with the exit code of the run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--host", action="append", required=True)
    parser.add_argument("--threads", type=int, default=1, help="matches at once on each host")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("file")
    asked, more = parser.parse_known_args()
    with SSHCluster(
        asked.host, remote_python=asked.python, worker_options={"nthreads": asked.threads},
        scheduler_options={"dashboard": False},
    ) as cluster:  # fmt: skip
        code = play(asked.file, cluster.scheduler_address, more)
    sys.exit(code)


if __name__ == "__main__":
    main()
