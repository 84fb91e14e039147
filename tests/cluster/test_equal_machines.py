"""Machines that must be equal: which workers are left out."""

from __future__ import annotations

import asyncio
from pathlib import Path
from unittest.mock import Mock

import pytest

from tournaments.model import ClusterSettings
from tournaments.runner import TournamentJobs, begun
from tournaments.runner.cluster_host import HostError
from tournaments.runner.dask_cluster import DaskCluster

CUP = 'name = "x"\ntable_sizes = [2]\n' + "".join(
    f'[[entrants]]\nname = "{name}"\nbot = "random"\n' for name in "ab"
)


@pytest.mark.parametrize(
    ("settings", "refused"),
    [
        (ClusterSettings(), []),
        (ClusterSettings(equal_machines=True), [880.0, 1120.0]),
        (ClusterSettings(equal_machines=True, tolerance=0.2), []),
    ],
)
def test_a_worker_may_differ_from_the_first_one_by_the_tolerance(
    tmp_path: Path, settings: ClusterSettings, refused: list[float]
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    found = []

    async def speeds(*measured: float) -> None:
        with begun(tmp_path / "cup", file) as folder:
            cluster = DaskCluster(
                TournamentJobs(folder), Mock(), address="tcp://x:1", settings=settings
            )
            for speed in measured:
                try:
                    cluster._check_speed(speed)
                except HostError:
                    found.append(speed)

    asyncio.run(speeds(1000.0, 950.0))
    asyncio.run(speeds(880.0, 1050.0, 1120.0))  # a resumed run compares with the same one
    assert found == refused
