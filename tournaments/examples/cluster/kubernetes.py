"""Play a tournament on pods of Kubernetes; needs dask-kubernetes and its operator in the cluster.

python tournaments/examples/cluster/kubernetes.py --image IMAGE --workers 8 tournament.toml

The image has Highstreet with the extra ``cluster``, and bubblewrap if bots are packages. Run this
in the cluster, or where the service of the scheduler can be reached.
"""

from __future__ import annotations

import argparse
import sys

from dask_kubernetes.operator import KubeCluster
from play import play


def main() -> None:
    """Play the tournament; end with the exit code of the run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--image", required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--namespace")
    parser.add_argument("file")
    asked, more = parser.parse_known_args()
    with KubeCluster(
        name="highstreet", image=asked.image, n_workers=asked.workers, namespace=asked.namespace
    ) as cluster:
        code = play(asked.file, cluster.scheduler_address, more)
    sys.exit(code)


if __name__ == "__main__":
    main()
