"""Where the jobs of a cluster come from: a tournament, or the leagues of a server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from tournaments.model import Job, TournamentSettings
from tournaments.runner.cluster_host import LeaguePackages
from tournaments.runner.tournament_folder import TournamentFolder
from tournaments.submissions import packed_bytes


class JobSource(Protocol):
    """What a cluster must know of the matches that it plays, beside their jobs."""

    @property
    def tournament(self) -> TournamentSettings:
        """The settings with which workers start."""

    def note_run(self, run: str) -> str | None:
        """Keep the mark of this run, and return that of the last one; in a thread."""

    def left(self) -> int | None:
        """Return how many matches are not played; None if there is no end of them."""

    def first_speed(self, speed: float) -> float:
        """Return the speed of the first worker, this one if none is noted; in a thread."""

    def packages(self, jobs: Sequence[Job]) -> set[str]:
        """Return the hashes of the packages that play in jobs."""

    def packed(self, package: str) -> bytes:
        """Return a package by its hash; in a thread."""

    def needs_everywhere(self, package: str) -> bool:
        """Note that a worker cannot build a package; return whether to leave it out therefore."""

    def leagues(self, jobs: Sequence[Job]) -> tuple[LeaguePackages, ...]:
        """Return the versions of leagues that play in jobs; none for a tournament."""


class TournamentJobs:
    """The jobs of a tournament."""

    def __init__(self, folder: TournamentFolder) -> None:
        self._folder = folder
        self.tournament = folder.tournament

    def note_run(self, run: str) -> str | None:
        """Keep the mark in the store of the tournament."""
        store, here = self._folder.store, str(self._folder.path.resolve())
        last: str | None = store.setting("run")
        store.put(run=run, run_in=here)
        return last

    def left(self) -> int:
        """Return how many matches are not played, as far as they are scheduled."""
        progress = self._folder.progress()
        return 0 if progress.complete else max(1, progress.matches - progress.played)

    def first_speed(self, speed: float) -> float:
        """Return the speed of the first worker that the tournament ever had."""
        store = self._folder.store
        first: float | None = store.setting("cluster_speed")
        if first is None:
            store.put(cluster_speed=speed)
        return speed if first is None else first

    def packages(self, jobs: Sequence[Job]) -> set[str]:
        """Return the packages of the entrants."""
        names = {name for job in jobs for name in job.match.entrants}
        return {
            entrant.package.hash
            for entrant in self.tournament.entrants
            if entrant.package is not None and entrant.name in names
        }

    def packed(self, package: str) -> bytes:
        """Read a package as the tournament file names it."""
        base = Path(self._folder.store.setting("source")).parent
        path = next(
            each.package.path
            for each in self.tournament.entrants
            if each.package is not None and each.package.hash == package
        )
        return packed_bytes(base / path)

    def needs_everywhere(self, package: str) -> bool:  # noqa: ARG002
        """Return that the worker is left out: all entrants play on all workers."""
        return True

    def leagues(self, jobs: Sequence[Job]) -> tuple[LeaguePackages, ...]:  # noqa: ARG002
        """Return none."""
        return ()
