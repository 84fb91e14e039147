"""Processes that work for a server, so that no clock waits for what takes long."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait
from typing import Final

NICENESS: Final = 10
"""Clocks and bots come first."""
ONE_THREAD: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""How many threads the libraries behind numpy have."""


def worker_pool(processes: int = 1) -> ProcessPoolExecutor:
    """Return a pool whose processes give way to the server, and end when it is gone."""
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=spawn, initializer=settle)


def settle() -> None:
    """Leave signals to the server, give way to it, and end when it is gone.

    Before numpy is loaded: OpenBLAS would start a thread for each core, and these wait for each
    other in busy loops. Where other processes have the cores, solving two hundred unknowns then
    takes twenty times as long.
    """
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(NICENESS)
    threading.Thread(target=_end_with_the_server, daemon=True).start()


def _end_with_the_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        wait([server.sentinel])
    os._exit(0)
