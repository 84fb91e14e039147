"""SubmissionService over a real socket: accounts, uploads, submissions."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from highstreet.v1 import league_pb2
from highstreet.v1 import submission_pb2 as pb

from tests.tournaments.packages import bot_folder
from tests.tournaments.server.calling import NO, OK, WHO, Caller
from tests.tournaments.server.submitting import (
    AUTHORS,
    INVALID,
    OPEN,
    asked,
    header,
    passed,
    upload,
)
from tests.tournaments.serving import LEAGUE, TWO, Running, run, until
from tournaments.model import Enrolment, LeagueSettings
from tournaments.server import LeagueClientError
from tournaments.server.league_messages import read_settings, settings_message
from tournaments.server.package_upload import LARGEST_CHUNK, SMALLEST_CHUNK
from tournaments.server.store_service import ENTRIES
from tournaments.server.submission_client import SubmissionClient
from tournaments.submissions import pack, package_hash, receive_package

# Accounts ---------------------------------------------------------------------------------------


def test_an_author_of_another_league_is_a_stranger(tmp_path: Path) -> None:
    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            running.store.create_league("other", OPEN)
            _, token = running.store.sign_up("other", "ann")
            running.store.sign_up(LEAGUE, "ann")
            for method, request in (
                ("ListSubmissions", pb.ListSubmissionsRequest(league=LEAGUE)),
                ("GetUpload", pb.GetUploadRequest(league=LEAGUE, package="0" * 64)),
                ("ReissueAuthorToken", pb.ReissueAuthorTokenRequest(league=LEAGUE)),
                ("UploadPackage", [header(b"x")]),
            ):
                assert (await call.refused(method, request, token))[0] == NO, method

    run(test)


def test_an_author_takes_its_own_bot_from_the_bench_and_no_other(tmp_path: Path) -> None:
    async def test() -> None:
        async with asked(tmp_path) as (running, _):
            _, ann = running.store.sign_up(LEAGUE, "ann")
            _, bob = running.store.sign_up(LEAGUE, "bob")
            passed(running.store, pack(bot_folder(tmp_path / "crow", "crow")), "ann")
            running.store.bench(LEAGUE, "crow", "it crashed")
            for token in (bob, running.tokens["entrant"]):
                with pytest.raises(LeagueClientError, match="the bot itself and its author"):
                    await running.ask("unbench", LEAGUE, "crow", token=token)
            with pytest.raises(LeagueClientError, match="the bot itself and its author"):
                await running.ask("withdraw", LEAGUE, "entrant", "", token=ann)
            shown = await running.ask("unbench", LEAGUE, "crow", token=ann)
            assert shown["state"] == "active"
            shown = await running.ask("withdraw", LEAGUE, "crow", "", token=ann)
            assert shown["state"] == "withdrawn"

    run(test)


def test_the_code_of_a_league_is_needed_and_never_shown(tmp_path: Path) -> None:
    coded = replace(TWO, enrolment=Enrolment.CODE, enrolment_code="s3cret", bots_per_author=7)

    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            await running.manage("create", "coded", coded)
            assert running.store.league("coded").settings == coded
            async with grpc.aio.insecure_channel(running.address) as channel:
                leagues = Caller(channel, league_pb2, "LeagueService")
                request = league_pb2.GetLeagueRequest(league="coded")
                shown = await leagues("GetLeague", request, running.organiser)
                listed = await leagues("ListLeagues", league_pb2.ListLeaguesRequest())
            for answer in (shown, listed):
                assert b"s3cret" not in answer.SerializeToString()
            assert shown.league.settings.bots_per_author == 7
            wrong = pb.SignUpRequest(league="coded", name="ann", code="secret")
            assert await call.refused("SignUp", wrong) == (NO, "NOT_ALLOWED")
            right = pb.SignUpRequest(league="coded", name="ann", code="s3cret")
            assert (await call("SignUp", right)).token
            taken = await call.refused("SignUp", right)
            assert taken == ("ALREADY_EXISTS", "ALREADY_EXISTS")
            await until_settings(running, coded)

    run(test)


async def until_settings(running: Running, coded: LeagueSettings) -> None:
    """Check what a client reads of a league whose code it cannot know."""

    def read() -> LeagueSettings:
        with SubmissionClient(running.address) as client:
            return client.settings("coded")

    found = await asyncio.to_thread(read)
    assert found.enrolment == Enrolment.CODE
    assert replace(found, enrolment_code=coded.enrolment_code) == coded


def test_settings_of_authors_survive_the_wire() -> None:
    settings = replace(
        TWO,
        enrolment=Enrolment.CODE,
        enrolment_code="x",
        bots_per_author=9,
        submissions_per_day=8,
        storage_per_author=7,
    )
    assert read_settings(settings_message(settings), "x") == settings


def test_sign_ups_from_one_address_are_limited(tmp_path: Path) -> None:
    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            requests = [
                pb.SignUpRequest(league=LEAGUE, name=f"author {n}")
                for n in range(2 * ENTRIES.burst)
            ]
            codes = [(await call.refused("SignUp", each))[0] for each in requests]
            assert codes[: ENTRIES.burst] == [OK] * ENTRIES.burst
            assert codes[-1] == "RESOURCE_EXHAUSTED"
            assert (await call.refused("SignUp", requests[-1], running.organiser))[0] == OK

    run(test)


def test_a_reissued_token_ends_the_old_one(tmp_path: Path) -> None:
    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            _, old = running.store.sign_up(LEAGUE, "ann")
            said = await call(
                "ReissueAuthorToken", pb.ReissueAuthorTokenRequest(league=LEAGUE), old
            )
            assert said.name == "ann"
            mine = pb.ListSubmissionsRequest(league=LEAGUE)
            assert (await call.refused("ListSubmissions", mine, old))[0] == WHO
            assert (await call.refused("ListSubmissions", mine, said.token))[0] == OK
            missing = pb.ReissueAuthorTokenRequest(league=LEAGUE, name="zoe")
            refused = await call.refused("ReissueAuthorToken", missing, running.organiser)
            assert refused == ("NOT_FOUND", "NO_SUCH_AUTHOR")

    run(test)


# Uploads ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a package of many chunks."""
    content = os.urandom(5 * 2**20)
    return pack(bot_folder(tmp_path_factory.mktemp("large") / "bot", "crow", content=content))


def test_an_upload_that_was_cut_goes_on_and_is_no_flood(large: bytes, tmp_path: Path) -> None:
    """A package of 80 chunks comes in three streams; each counts as a few requests."""

    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            _, token = running.store.sign_up(LEAGUE, "ann")
            offset = 0
            for cut in (LARGEST_CHUNK, 3 * LARGEST_CHUNK):
                assert await call.refused("UploadPackage", upload(large, offset, cut), token) == (
                    INVALID
                )
                request = pb.GetUploadRequest(league=LEAGUE, package=package_hash(large))
                offset = (await call("GetUpload", request, token)).offset
                assert offset == cut
            again = await call.refused("UploadPackage", upload(large), token)
            assert again == ("OUT_OF_RANGE", "BAD_REQUEST")

            sent: list[int] = []

            def rest() -> Any:
                with SubmissionClient(running.address, token) as client:
                    return client.upload(LEAGUE, large, sent.append)

            made = await asyncio.to_thread(rest)
            assert (made["bot"], made["size"], made["state"]) == ("crow", len(large), "processing")
            assert sent[0] == offset
            assert sent[-1] == len(large)
            assert running.store.package(made["package"]) == large

    run(test)


def test_what_arrived_before_the_connection_broke_is_kept(large: bytes, tmp_path: Path) -> None:
    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            _, token = running.store.sign_up(LEAGUE, "ann")
            async with grpc.aio.insecure_channel(running.address) as channel:
                method = f"/{pb.DESCRIPTOR.services_by_name['SubmissionService'].full_name}/"
                stream: Any = channel.stream_unary(
                    f"{method}UploadPackage",
                    request_serializer=pb.UploadPackageRequest.SerializeToString,
                )
                going = stream(metadata=[("authorization", f"Bearer {token}")])
                for part in upload(large, to=2 * LARGEST_CHUNK):
                    await going.write(part)

                request = pb.GetUploadRequest(league=LEAGUE, package=package_hash(large))

                async def arrived() -> bool:
                    found: pb.GetUploadResponse = await call("GetUpload", request, token)
                    return found.offset == 2 * LARGEST_CHUNK

                await until(arrived, "two chunks arrive")
                going.cancel()
            assert (await call("GetUpload", request, token)).offset == 2 * LARGEST_CHUNK
            rest = upload(large, 2 * LARGEST_CHUNK)
            assert (await call.refused("UploadPackage", rest, token))[0] == OK

    run(test)


def test_uploads_that_make_no_sense_are_refused(
    packages: dict[str, bytes], large: bytes, tmp_path: Path
) -> None:
    no_archive = os.urandom(2 * SMALLEST_CHUNK)
    other = packages["bob"]
    chunk = pb.UploadPackageRequest(chunk=other)
    mebibyte = replace(OPEN, storage_per_author=1)
    cases: dict[str, tuple[list[Message], tuple[str, str]]] = {
        "not an archive": (upload(no_archive), INVALID),
        "another hash": ([header(packages["ann"], len(other)), chunk], INVALID),
        "no hash": (
            [pb.UploadPackageRequest(header=pb.UploadHeader(league=LEAGUE, package="x", size=9))],
            INVALID,
        ),
        "no header": ([chunk], INVALID),
        "nothing": ([], INVALID),
        "two headers": ([header(other), header(other)], INVALID),
        "more bytes than announced": ([header(other, len(other) - 1), chunk], INVALID),
        "small chunks": (
            [header(large[: 2**17]), pb.UploadPackageRequest(chunk=large[:100])],
            INVALID,
        ),
        "too large for any league": ([header(other, 33 * 2**20)], INVALID),
        "no bytes": ([header(b"")], INVALID),
        "too large for this author": (upload(large), ("RESOURCE_EXHAUSTED", "WRONG_STATE")),
    }

    async def test() -> None:
        async with asked(tmp_path, mebibyte) as (running, call):
            _, token = running.store.sign_up(LEAGUE, "ann")
            found = {
                name: await call.refused("UploadPackage", parts, token)
                for name, (parts, _) in cases.items()
            }
            assert found == {name: expected for name, (_, expected) in cases.items()}
            assert not running.store.submissions(LEAGUE).items

    run(test)


def test_an_author_submits_so_many_versions_a_day(
    packages: dict[str, bytes], tmp_path: Path
) -> None:
    async def test() -> None:
        async with asked(tmp_path, replace(OPEN, submissions_per_day=1)) as (running, call):
            _, token = running.store.sign_up(LEAGUE, "ann")
            assert (await call.refused("UploadPackage", upload(packages["ann"]), token))[0] == OK
            more = await call.refused("UploadPackage", upload(packages["bob"]), token)
            assert more == ("RESOURCE_EXHAUSTED", "WRONG_STATE")

    run(test)


# Submissions ------------------------------------------------------------------------------------


def test_a_submission_is_watched_to_its_end(packages: dict[str, bytes], tmp_path: Path) -> None:
    """The queue of this server fails it: there is no runtime of that name."""

    async def test() -> None:
        async with asked(tmp_path, pages="https://league.example/") as (running, call):
            _, token = running.store.sign_up(LEAGUE, "ann")
            made = (await call("UploadPackage", upload(packages["ann"]), token)).submission
            assert made.page == f"https://league.example/leagues/{LEAGUE}/bots/ann-bot"
            watched = await call("WatchSubmission", pb.WatchSubmissionRequest(id=made.id), token)
            last = watched[-1].submission
            assert last.state == pb.SUBMISSION_STATE_FAILED
            assert last.failed_at == pb.STAGE_BUILT
            assert 'no runtime "cobol"' in last.reason
            request = pb.GetSubmissionReportsRequest(id=made.id)
            said = await call("GetSubmissionReports", request, token)
            assert [each.stage for each in said.reports] == [pb.STAGE_UNPACKED, pb.STAGE_BUILT]
            assert [each.passed for each in said.reports] == [True, False]
            activate = pb.ActivateVersionRequest(id=made.id)
            refused = await call.refused("ActivateVersion", activate, token)
            assert refused == ("FAILED_PRECONDITION", "WRONG_STATE")
            missing = await call.refused("GetSubmission", pb.GetSubmissionRequest(id=99), token)
            assert missing == ("NOT_FOUND", "NO_SUCH_SUBMISSION")

    run(test)


def test_a_list_has_the_authors_own_submissions_page_by_page(
    packages: dict[str, bytes], tmp_path: Path
) -> None:
    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            tokens = {name: running.store.sign_up(LEAGUE, name)[1] for name in AUTHORS}
            for name in AUTHORS:
                passed(running.store, packages[name], name)

            async def bots(token: str, **fields: Any) -> list[str]:
                request = pb.ListSubmissionsRequest(league=LEAGUE, **fields)
                said = await call("ListSubmissions", request, token)
                return [each.bot for each in said.submissions]

            assert await bots(tokens["bob"]) == ["bob-bot"]
            assert await bots(tokens["bob"], bot="ann-bot") == []
            assert await bots(running.organiser) == ["cid-bot", "bob-bot", "ann-bot"]
            assert await bots(running.organiser, author="ann") == ["ann-bot"]
            assert await bots(running.organiser, page_size=2) == ["cid-bot", "bob-bot"]
            wrong = pb.ListSubmissionsRequest(league=LEAGUE, page_size=1001)
            assert await call.refused("ListSubmissions", wrong, running.organiser) == INVALID

    run(test)


def test_versions_are_activated_and_retired(packages: dict[str, bytes], tmp_path: Path) -> None:
    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            _, token = running.store.sign_up(LEAGUE, "ann")
            made = passed(running.store, packages["ann"], "ann")
            await call("RetireBot", pb.RetireBotRequest(league=LEAGUE, bot="ann-bot"), token)
            assert running.store.playing(LEAGUE) == ()
            said = await call("ActivateVersion", pb.ActivateVersionRequest(id=made.id), token)
            assert said.submission.state == pb.SUBMISSION_STATE_ACTIVE
            assert [each.id for each in running.store.playing(LEAGUE)] == [made.id]

    run(test)


def test_a_bot_that_was_entered_belongs_to_no_author(tmp_path: Path) -> None:
    """An author is not given what an organiser entered under the same name of an author."""

    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            _, token = running.store.sign_up(LEAGUE, "entrant's author")
            request = pb.RetireBotRequest(league=LEAGUE, bot="entrant")
            assert (await call.refused("RetireBot", request, token))[0] == NO

    run(test)


def test_a_public_package_is_for_everybody(large: bytes, tmp_path: Path) -> None:
    public = pack(bot_folder(tmp_path / "bot", "dove", content=os.urandom(2**17), public=True))

    async def test() -> None:
        async with asked(tmp_path) as (running, _):
            running.store.sign_up(LEAGUE, "ann")
            receive_package(running.store, LEAGUE, "ann", large)
            assert await running.manage("download", package_hash(large)) == large
            passed(running.store, public, "ann")
            assert await running.ask("download", package_hash(public)) == public

    run(test)


def test_a_public_package_is_for_its_author_until_it_has_passed(tmp_path: Path) -> None:
    """As over HTTP: what has not passed the stages is not published."""
    public = pack(bot_folder(tmp_path / "bot", "dove", public=True))
    request = pb.DownloadPackageRequest(package=package_hash(public))

    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            _, ann = running.store.sign_up(LEAGUE, "ann")
            _, bob = running.store.sign_up(LEAGUE, "bob")
            receive_package(running.store, LEAGUE, "ann", public)
            assert running.store.claim_submission("another server", 600.0) is not None
            assert (await call.refused("DownloadPackage", request, None))[0] == WHO
            assert (await call.refused("DownloadPackage", request, bob))[0] == NO
            assert (await call.refused("DownloadPackage", request, ann))[0] == OK

    run(test)


def test_watches_of_one_author_are_limited(packages: dict[str, bytes], tmp_path: Path) -> None:
    async def test() -> None:
        async with asked(tmp_path) as (running, call):
            _, token = running.store.sign_up(LEAGUE, "ann")
            made = receive_package(running.store, LEAGUE, "ann", packages["ann"])
            assert running.store.claim_submission("another server", 600.0) is not None
            request = pb.WatchSubmissionRequest(id=made.id)
            watches = [
                asyncio.create_task(call("WatchSubmission", request, token)) for _ in range(8)
            ]
            limit = running.server._submissions._watching

            async def all_begun() -> bool:
                return limit.total() == 8

            await until(all_begun, "eight watches")
            more = await call.refused("WatchSubmission", request, token)
            assert more == ("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS")
            for watch in watches:
                watch.cancel()
            await asyncio.gather(*watches, return_exceptions=True)

            async def none_left() -> bool:
                return limit.total() == 0

            await until(none_left, "the end of the watches")

    run(test)
