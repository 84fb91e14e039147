"""What the tests of clusters share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.dask_processes import DaskProcesses


def pytest_ignore_collect() -> bool | None:
    """Leave all of it out where Dask is not installed."""
    try:
        import distributed  # noqa: F401, PLC0415
    except ImportError:
        return True
    return None


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[DaskProcesses]:
    """Start a scheduler and two workers, and end them."""
    with DaskProcesses(tmp_path / "dask") as processes:
        yield processes
