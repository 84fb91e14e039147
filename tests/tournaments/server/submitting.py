"""A server that takes packages, with authors, uploads and submissions to test with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message
from highstreet.v1 import submission_pb2 as pb

from tests.tournaments.server.calling import Caller
from tests.tournaments.serving import LEAGUE, TWO, Running, league_server
from tournaments.model import Enrolment, LeagueSettings, Stage, StageReport, Submission
from tournaments.server.package_upload import LARGEST_CHUNK
from tournaments.store import Store
from tournaments.submissions import package_hash, receive_package

BY_APPROVAL = replace(TWO, enrolment=Enrolment.APPROVAL)
OPEN = replace(TWO, enrolment=Enrolment.OPEN)
INVALID = ("INVALID_ARGUMENT", "BAD_REQUEST")
AUTHORS = ("ann", "bob", "cid")
SERVER = "one"


@dataclass(frozen=True)
class Target:
    """An author with a bot that has passed all stages, and what a request names of them."""

    author: str
    packed: bytes
    submission: Submission


def passed(store: Store, packed: bytes, author: str) -> Submission:
    """Take a package through the stages, as a queue would, and activate it."""
    made = receive_package(store, LEAGUE, author, packed)
    store.claim_submission(SERVER, 60.0)
    for stage in list(Stage)[1:]:
        report = StageReport(stage, True, "well", f"log of {stage}", 0.5, 0.25, 2**20)
        assert store.report_stage(SERVER, made.id, report) is not None
    return store.activate(made.id)


@asynccontextmanager
async def asked(
    folder: Path, settings: LeagueSettings = OPEN, **more: Any
) -> AsyncIterator[tuple[Running, Caller]]:
    """Run a server that takes packages, with a league, and a caller of its service."""
    url = f"sqlite:///{folder / 'league.db'}"
    async with league_server(url, SERVER, packages=folder / "data", **more) as running:
        running.begin("entrant", settings=settings)
        async with grpc.aio.insecure_channel(running.address) as channel:
            yield running, Caller(channel, pb, "SubmissionService", running.address)


def header(packed: bytes, size: int | None = None, offset: int = 0) -> pb.UploadPackageRequest:
    """Return the first message of an upload."""
    return pb.UploadPackageRequest(
        header=pb.UploadHeader(
            league=LEAGUE,
            package=package_hash(packed),
            size=len(packed) if size is None else size,
            offset=offset,
        )
    )


def upload(packed: bytes, offset: int = 0, to: int | None = None) -> list[Message]:
    """Return the messages of an upload, or of a part of it."""
    end = len(packed) if to is None else to
    chunks = [
        pb.UploadPackageRequest(chunk=packed[start : min(end, start + LARGEST_CHUNK)])
        for start in range(offset, end, LARGEST_CHUNK)
    ]
    return [header(packed, offset=offset), *chunks]
