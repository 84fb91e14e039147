"""A league server whose submitted bots play on a Dask cluster."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from referee.record import decompressed
from tests.cluster.dask_processes import DaskProcesses, free_port
from tests.sandbox.arena import processes_with
from tests.sandbox.hosted_league import HOSTED, package, submit
from tests.tournaments.serving import (
    LEAGUE,
    Place,
    all_matches,
    check_everything_once,
    highstreet,
    stop,
    wait_until,
)
from tournaments.model import Enrolment, MatchState
from tournaments.runner.league_cluster import without_code
from tournaments.store import Store

THINKS = "import sys, time; time.sleep(0.05); print('thinking', file=sys.stderr, flush=True)"
"""What a bot does before each decision, so that a match takes some seconds."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that other users can enter, as sandboxes need it."""
    path = Path(tempfile.mkdtemp(prefix="cluster-league-"))
    path.chmod(0o755)
    yield path
    for parent, _, _ in os.walk(path):
        Path(parent).chmod(0o700)  # built packages are read-only
    shutil.rmtree(path)


class League:
    """A server as a process, with a league in which ann and bob are submitted."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder / 'place' / 'data' / 'league.db'}"
        self.place = Place(folder / "place", self.url, stack)
        self.store = stack.enter_context(Store.open(self.url))
        self.store.create_league(LEAGUE, HOSTED)
        for name in ("ann", "bob"):
            submit(self.store, name, package(folder / name, name, THINKS))

    def heads(self) -> list[dict[str, Any]]:
        """Return the first lines of all records."""
        return [
            orjson.loads(decompressed(data).splitlines()[0])
            for _, data in self.store.records(LEAGUE)
        ]

    def played_by(self) -> Counter[str]:
        """Return how many matches each worker has played; the server has an empty name."""
        return Counter(head.get("machine", {}).get("worker", "") for head in self.heads())

    def has_played_more(self, worker: str, matches: int) -> bool:
        """Return whether a worker has played more than some matches."""
        return self.played_by()[worker] > matches

    def hosted_on_server(self) -> int:
        """Return how many matches between ann and bob the server has played itself."""
        return sum(
            "machine" not in head and entrants_of(head) == {"ann", "bob"} for head in self.heads()
        )

    def lost_with(self, worker: str) -> list[str]:
        """Return the matches that were lost with a worker, and have been played again."""
        lost = f"{worker} was lost"
        played = {match.id for match in all_matches(self.store, "played")}
        return [
            each.match
            for each in self.store.voids()
            if lost in each.detail and each.match in played
        ]

    def check(self, server: subprocess.Popen[str]) -> None:
        """Stop the server, and check that each match counts once and no process is left."""
        stop(server)
        for name in ("ann", "bob"):
            mark = str(self.folder / name)
            wait_until(partial(no_process_with, mark), f"no {name} is left")
        check_everything_once(self.store, self.folder)
        verified = highstreet("verify", "--database", self.url)
        assert verified.returncode == 0, verified.stdout + verified.stderr


def no_process_with(mark: str) -> bool:
    """Return whether no command line has a mark."""
    return not processes_with(mark)


def entrants_of(head: dict[str, Any]) -> set[str]:
    """Return the entrants of a record, without their versions."""
    return {seat["entrant"].partition("@")[0] for seat in head["seats"]}


def test_submitted_bots_play_on_workers_and_nothing_is_lost_with_one(folder: Path) -> None:
    with contextlib.ExitStack() as stack:
        league = League(folder, stack)
        dask = stack.enter_context(DaskProcesses(folder / "dask"))
        server = league.place.start("--cluster", dask.address)
        wait_until(lambda: {"w0", "w1"} <= league.played_by().keys(), "both workers played")
        while not league.lost_with("w0"):  # between two matches none is lost
            before = league.played_by()["w0"]
            dask.workers[0].kill_all()
            wait_until(partial(league.has_played_more, "w0", before), "it is back and plays")
        lost = league.lost_with("w0")
        league.check(server)

        for head in league.heads():
            assert head["time_control"]["clock"] == "cpu"
            for seat in head["seats"]:
                assert seat["sandbox"]["kind"] == "bubblewrap"
                assert len(seat["package"]) == 64
        matches = {match.id: match for match in all_matches(league.store)}
        for match in lost:
            assert matches[match].state == MatchState.PLAYED
            assert matches[match].attempt > 1
        for name in ("ann", "bob"):
            assert league.store.entrant(LEAGUE, name).state == "active"
            check_logs(league, name)


def check_logs(league: League, name: str) -> None:
    """Check that the author of a bot can read what it wrote in matches on workers."""
    decisions = {
        match.id: match.decisions for match in all_matches(league.store) if match.decisions
    }
    logs = dict(league.store.match_logs(LEAGUE, name))
    assert logs
    written = [text.count("thinking") for match, text in logs.items() if match in decisions]
    assert sum(written) > 0
    for match, text in logs.items():
        if match in decisions:
            assert 0 < text.count("thinking") < decisions[match], "its own decisions only"


def test_a_server_plays_on_its_own_machine_while_there_is_no_scheduler(folder: Path) -> None:
    """A bot that connects stays there in any case."""
    with contextlib.ExitStack() as stack:
        league = League(folder, stack)
        port = free_port()
        address = f"tcp://127.0.0.1:{port}"
        server = league.place.start("--cluster", address, "--house", f"{LEAGUE}/cy=random")
        wait_until(partial(league.has_played_more, "", 0), "a match on the server")
        with DaskProcesses(folder / "dask", port=port):
            wait_until(lambda: league.played_by().keys() & {"w0", "w1"}, "a worker has played")
            wait_until(
                lambda: any("cy" in entrants_of(head) for head in league.heads()), "cy plays"
            )
        before = league.hosted_on_server()
        wait_until(lambda: league.hosted_on_server() > before, "ann and bob go on without it")
        league.check(server)
        assert all(
            entrants_of(head) == {"ann", "bob"} for head in league.heads() if "machine" in head
        )


def test_workers_do_not_get_the_code_for_authors() -> None:
    settings = replace(HOSTED, enrolment=Enrolment.CODE, enrolment_code="swordfish")
    assert b"swordfish" in pickle.dumps(settings)
    assert b"swordfish" not in pickle.dumps(without_code(settings))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cluster", "tcp://127.0.0.1:1"], "--data FOLDER"),
        (["--without-worker", "w0"], "--without-worker is for a server with --cluster"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: list[str], message: str) -> None:
    refused = highstreet("serve", *options)
    assert refused.returncode == 2
    assert message in refused.stderr
