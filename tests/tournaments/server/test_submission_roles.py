"""SubmissionService over a real socket: who may do what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from highstreet.v1 import submission_pb2 as pb

from referee.transports import new_token
from tests.tournaments.server.calling import NO, OK, WHO, Caller
from tests.tournaments.server.submitting import (
    AUTHORS,
    BY_APPROVAL,
    OPEN,
    Target,
    asked,
    passed,
    upload,
)
from tests.tournaments.serving import LEAGUE, league_server, run
from tournaments.store import Store
from tournaments.submissions import package_hash, receive_package

ROLES = ("anonymous", "wrong", "entrant", "other", "pending", "blocked", "author", "organiser")
"""Without a token, with one that is not known, and six holders of one."""
OWNER = (WHO, WHO, NO, NO, NO, NO, OK, OK)
ORGANISERS = (WHO, WHO, NO, NO, NO, NO, NO, OK)
ACTIVE_AUTHORS = (WHO, WHO, NO, OK, NO, NO, OK, NO)
ANYONE = (OK, WHO, OK, OK, OK, OK, OK, OK)

REQUESTS: dict[str, tuple[Callable[[Target, str], Any], Sequence[str]]] = {
    "SignUp": (lambda _, role: pb.SignUpRequest(league=LEAGUE, name=f"new {role}"), ANYONE),
    "ReissueAuthorToken": (
        lambda target, _: pb.ReissueAuthorTokenRequest(league=LEAGUE, name=target.author),
        OWNER,
    ),
    "ListAccounts": (lambda *_: pb.ListAccountsRequest(league=LEAGUE), ORGANISERS),
    "ApproveAccount": (
        lambda target, _: pb.ApproveAccountRequest(league=LEAGUE, name=target.author),
        ORGANISERS,
    ),
    "BlockAccount": (
        lambda target, _: pb.BlockAccountRequest(league=LEAGUE, name=target.author, reason="why"),
        ORGANISERS,
    ),
    "GetUpload": (
        lambda target, _: pb.GetUploadRequest(league=LEAGUE, package=package_hash(target.packed)),
        ACTIVE_AUTHORS,
    ),
    # The other author uploads ann's bot, whose name belongs to ann.
    "UploadPackage": (
        lambda target, _: upload(target.packed),
        (WHO, WHO, NO, NO, NO, NO, OK, NO),
    ),
    "GetSubmission": (lambda target, _: pb.GetSubmissionRequest(id=target.submission.id), OWNER),
    "WatchSubmission": (
        lambda target, _: pb.WatchSubmissionRequest(id=target.submission.id),
        OWNER,
    ),
    "ListSubmissions": (
        lambda target, _: pb.ListSubmissionsRequest(league=LEAGUE, author=target.author),
        OWNER,
    ),
    "GetSubmissionReports": (
        lambda target, _: pb.GetSubmissionReportsRequest(id=target.submission.id),
        OWNER,
    ),
    "ListMatchLogs": (
        lambda target, _: pb.ListMatchLogsRequest(league=LEAGUE, bot=target.submission.bot),
        OWNER,
    ),
    "ActivateVersion": (
        lambda target, _: pb.ActivateVersionRequest(id=target.submission.id),
        OWNER,
    ),
    "RetireBot": (
        lambda target, _: pb.RetireBotRequest(league=LEAGUE, bot=target.submission.bot),
        OWNER,
    ),
    "DownloadPackage": (
        lambda target, _: pb.DownloadPackageRequest(package=package_hash(target.packed)),
        OWNER,
    ),
}
"""Every method with a request for what an author has, and what it comes to for each role."""


def test_the_table_has_every_method() -> None:
    methods = pb.DESCRIPTOR.services_by_name["SubmissionService"].methods_by_name
    assert REQUESTS.keys() == set(methods)


@pytest.mark.parametrize("method", REQUESTS)
def test_every_method_against_every_role(
    method: str, packages: dict[str, bytes], tmp_path: Path
) -> None:
    async def test() -> None:
        async with asked(tmp_path, BY_APPROVAL) as (running, call):
            store = running.store
            tokens = {name: store.sign_up(LEAGUE, name)[1] for name in (*AUTHORS, "dan")}
            for name in AUTHORS:
                store.approve_account(LEAGUE, name)
            ann, _, cid = (
                Target(name, packages[name], passed(store, packages[name], name))
                for name in AUTHORS
            )
            store.block_account(LEAGUE, "cid", "spam")
            callers: dict[str, tuple[str | None, Target]] = {
                "anonymous": (None, ann),
                "wrong": (new_token(), ann),
                "entrant": (running.tokens["entrant"], ann),
                "other": (tokens["bob"], ann),
                "pending": (tokens["dan"], replace(ann, author="dan")),
                "blocked": (tokens["cid"], cid),
                "author": (tokens["ann"], ann),
                "organiser": (running.organiser, ann),
            }
            make, expected = REQUESTS[method]
            found = {
                role: await call.refused(method, make(target, role), token)
                for role, (token, target) in callers.items()
            }
            assert {role: code for role, (code, _) in found.items()} == dict(
                zip(ROLES, expected, strict=True)
            )
            reasons = {OK: "", WHO: "BAD_TOKEN", NO: "NOT_ALLOWED"}
            assert all(reason == reasons[code] for code, reason in found.values())

    run(test)


def test_a_server_without_an_intake_refuses_every_method(
    packages: dict[str, bytes], tmp_path: Path
) -> None:
    async def test() -> None:
        async with league_server(f"sqlite:///{tmp_path / 'league.db'}") as running:
            running.begin(settings=OPEN)
            made = receive_ann(running.store, packages["ann"])
            async with grpc.aio.insecure_channel(running.address) as channel:
                call = Caller(channel, pb, "SubmissionService", running.address)
                for method, (make, _) in REQUESTS.items():
                    refused = await call.refused(method, make(made, "any"), running.organiser)
                    assert refused == ("FAILED_PRECONDITION", "NO_SUBMISSIONS"), method

    run(test)


def receive_ann(store: Store, packed: bytes) -> Target:
    """Return what ann has submitted."""
    store.sign_up(LEAGUE, "ann")
    return Target("ann", packed, receive_package(store, LEAGUE, "ann", packed))
