"""Processes that work for a server: how many threads they have, and whom they outlive."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tournaments.runner.standings_worker import NICENESS, worker_pool


def threads_of_algebra() -> int:
    """Solve equations, and return how many threads that has started."""
    before = len(list(Path("/proc/self/task").iterdir()))
    import numpy as np  # noqa: PLC0415  only now: it starts its threads when it is loaded

    assert np.linalg.solve(np.eye(300), np.ones(300)).sum() == 300
    return len(list(Path("/proc/self/task").iterdir())) - before


def niceness() -> int:
    return os.nice(0)


@pytest.mark.slow
def test_a_worker_gives_way_to_the_server() -> None:
    here = os.nice(0)
    with worker_pool() as pool:
        assert pool.submit(niceness).result() == min(19, here + NICENESS)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted on Linux")
def test_a_worker_calculates_in_one_thread() -> None:
    with worker_pool() as pool:
        assert pool.submit(threads_of_algebra).result() == 0
