"""A league server that runs submitted bots, and packages to submit to it."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
import orjson
from highstreet.v1 import play_pb2

from referee.record import decompressed
from tests.tournaments.serving import LEAGUE, TWO, Running, league_server
from tournaments.model import (
    ConflictError,
    Enrolment,
    LeagueSettings,
    Role,
    RuntimeSettings,
    RuntimesSettings,
    Stage,
    StageReport,
    Submission,
)
from tournaments.runner import Slots
from tournaments.server import HostedBots, PackageIntake
from tournaments.store import Store
from tournaments.submissions import (
    AS_INSTALLED,
    PackageCache,
    SubmissionQueue,
    Uploads,
    pack,
    receive_package,
)

HOSTED = replace(TWO, enrolment=Enrolment.OPEN)
BOT = """
import json
import os
import signal
import sys

print("started", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "goodbye" in message:
        break
    if decision := message.get("decision"):
        print("decides in", decision["match"], file=sys.stderr, flush=True)
        BEFORE
        answer = {
            "match": decision["match"],
            "decision_id": decision["decision_id"],
            "move": decision["legal_moves"][0],
        }
        print(json.dumps({"submit_move": answer}), flush=True)
"""
"""A bot that plays the first legal move, and does something before each decision."""
ENDS = "raise SystemExit('I give up')"
KILLS_ITSELF = "os.kill(os.getpid(), signal.SIGKILL)"
TAKES_MEMORY = "hoard = bytearray(b'x') * 2**31"


SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
LIBRARIES = (Path(grpc.__file__).parents[1], Path(play_pb2.__file__).parents[2])
WITH_GRPC = RuntimesSettings(
    {
        "python": RuntimeSettings(
            program=Path(sys.executable),
            paths=LIBRARIES,
            environment={"PYTHONPATH": ":".join(map(str, LIBRARIES))},
        )
    }
)
"""The Python of these tests, with the libraries that a bot over gRPC imports."""


def package(folder: Path, name: str, before: str = "pass", more: str = "") -> bytes:
    """Return a package of a bot in Python; its command line has the path of the folder.

    ``more`` is appended to its manifest.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(BOT.replace("BEFORE", before), encoding="utf-8")
    return _packed(folder, name, "pipe", more)


def grpc_package(folder: Path, name: str) -> bytes:
    """Return a package of the random sample bot over gRPC."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("plumbing.py", "grpc_plumbing.py"):
        shutil.copy(SAMPLES / file, folder)
    shutil.copy(SAMPLES / "random_bot.py", folder / "bot.py")
    return _packed(folder, name, "grpc")


def _packed(folder: Path, name: str, transport: str, more: str = "") -> bytes:
    (folder / "bot.toml").write_text(
        f'[bot]\nname = "{name}"\ngames = ["glastonbury"]\n'
        f'[run]\ncommand = ["python3", "bot.py", "{folder}"]\nruntime = "python"\n'
        f'transport = "{transport}"\n{more}',
        encoding="utf-8",
    )
    return pack(folder)


def submit(store: Store, author: str, packed: bytes) -> Submission:
    """Submit a package, and let it play without the stages, which have tests of their own."""
    with contextlib.suppress(ConflictError):  # it has an account
        store.sign_up(LEAGUE, author, by=Role.ORGANISER)
    submission = receive_package(store, LEAGUE, author, packed)
    assert store.claim_submission("test", 60.0) is not None
    for stage in list(Stage)[1:]:
        store.report_stage("test", submission.id, StageReport(stage, True, "", "", 0.0, 0.0, 0))
    return store.activate(submission.id)


@dataclass
class HostedLeague:
    """A server on this loop, its league, and the bots that it runs."""

    running: Running
    hosting: HostedBots
    cache: PackageCache
    folder: Path

    @property
    def store(self) -> Store:
        """The store of the server."""
        return self.running.store

    async def submit(self, name: str, before: str = "pass", label: str = "") -> Submission:
        """Let the bot of an author play, from a folder, and let the server know of it."""
        packed = package(self.folder / (label or name), name, before)
        active = await asyncio.to_thread(submit, self.store, f"author of {name}", packed)
        await self.running.server.manager.refresh(LEAGUE)
        return active

    def heads(self) -> list[dict[str, Any]]:
        """Return the first lines of all records."""
        found = self.store.records(LEAGUE)
        return [orjson.loads(decompressed(data).splitlines()[0]) for _, data in found]


@contextlib.asynccontextmanager
async def hosted_league(
    file: str,
    folder: Path,
    settings: LeagueSettings = HOSTED,
    slots: Slots | None = None,
    *,
    stages: bool = False,
    runtimes: RuntimesSettings = AS_INSTALLED,
) -> AsyncIterator[HostedLeague]:
    """Run a server that hosts the bots of a league; with ``stages`` packages go through them."""
    cache = PackageCache(folder / "packages", runtimes)
    with Store.open(file) as store:
        hosting = HostedBots(store, cache, folder / "hosted", slots)
        queue = SubmissionQueue(store, cache)
        intake = PackageIntake(queue, Uploads(folder / "uploads")) if stages else None
        async with league_server(file, hosting=hosting, intake=intake) as running:
            running.begin(settings=settings)
            await running.open()
            yield HostedLeague(running, hosting, cache, folder)
