"""``python -m tournaments.worker FD``: a worker process with its channel at a file descriptor.

Its settings come pickled over the standard input. This is how a host of a cluster starts a worker:
it is a daemon process, which multiprocessing does not let have children.
"""

from __future__ import annotations

import os
import pickle
import sys
from socket import socket

from tournaments.worker.worker import work


def main() -> None:
    """Run a worker until its host stops it or has ended."""
    settings = pickle.load(sys.stdin.buffer)  # noqa: S301  of our own process
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    work(socket(fileno=int(sys.argv[1])), settings)


if __name__ == "__main__":
    main()
