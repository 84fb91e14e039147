"""Play a tournament on jobs of SLURM, which dask-jobqueue submits; needs dask-jobqueue.

python tournaments/examples/cluster/slurm.py --jobs 4 tournament.toml --out tournament

Each job is a worker that plays as many matches at once as it has cores. A job that ends early, or
is cancelled, loses nothing: its matches are played by the others. Options for sbatch follow
``--sbatch``, once for each.
"""

from __future__ import annotations

import argparse
import sys

from dask_jobqueue import SLURMCluster
from play import play


def main() -> None:
    """Play the tournament; end with the exit code of the run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cores", type=int, default=1, help="cores of each job")
    parser.add_argument("--memory", default="2GB", help="memory of each job")
    parser.add_argument("--walltime", default="08:00:00")
    parser.add_argument("--queue", help="the partition")
    parser.add_argument("--interface", help="the network interface of nodes, such as ib0")
    parser.add_argument("--sbatch", action="append", default=[], metavar="OPTION")
    parser.add_argument("file")
    asked, more = parser.parse_known_args()
    with SLURMCluster(
        cores=asked.cores, processes=1, memory=asked.memory, walltime=asked.walltime,
        queue=asked.queue, interface=asked.interface, job_extra_directives=asked.sbatch,
        scheduler_options={"dashboard_address": None},
    ) as cluster:  # fmt: skip
        cluster.adapt(minimum_jobs=asked.jobs, maximum_jobs=asked.jobs)  # replaces lost jobs
        code = play(asked.file, cluster.scheduler_address, more)
    sys.exit(code)


if __name__ == "__main__":
    main()
