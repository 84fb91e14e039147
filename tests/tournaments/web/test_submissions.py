"""Accounts and submissions over HTTP: sign-up, states, logs, versions that play, downloads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments.leagues import LEAGUE
from tests.tournaments.web.leagues_with_matches import Reader, bearer, in_folder
from tests.tournaments.web.test_stream import Stream
from tests.tournaments.web.workshop import Workshop, ask_with_queue, package, workshop
from tournaments.model import Enrolment, Stage
from tournaments.submissions import SubmissionQueue
from tournaments.web import stream

ACCOUNTS = f"/leagues/{LEAGUE}/accounts"
TAKE_PART = f"/leagues/{LEAGUE}/take-part"
CODE = "open sesame"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Workshop]:
    """Return a league with an author."""
    made = workshop(in_folder(tmp_path), Enrolment.OPEN)
    made.sign_up("ann")
    yield made
    made.store.close()


async def sign_up(reader: Reader, status: int, token: str = "", **given: Any) -> Any:
    """Sign up, and look at the status."""
    headers = {**bearer(token), "accept": "application/json"}
    answer = await reader.client.post(ACCOUNTS, json=given, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


# Accounts ---------------------------------------------------------------------------------------


def test_open_enrolment_gives_a_token_that_works_at_once(made: Workshop, tmp_path: Path) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        account = await sign_up(reader, 201, name="Zoë")
        assert (account["name"], account["state"]) == ("Zoë", "active")
        headers = bearer(account["token"])
        found = await reader.json(f"/leagues/{LEAGUE}/account.json", 200, **headers)
        assert (found["account"]["name"], found["bots"]) == ("Zoë", [])
        taken = await sign_up(reader, 409, name="zoë")
        assert "choose another" in taken["error"]
        assert account["token"] not in json.dumps(found)

    ask_with_queue(made, tmp_path / "cache", test)


@pytest.mark.parametrize(
    ("enrolment", "given", "status", "state"),
    [
        (Enrolment.CODE, {}, 403, ""),
        (Enrolment.CODE, {"code": "wrong"}, 403, ""),
        (Enrolment.CODE, {"code": CODE}, 201, "active"),
        (Enrolment.APPROVAL, {}, 201, "pending"),
        (Enrolment.CLOSED, {}, 403, ""),
    ],
)
def test_enrolment_decides_who_gets_an_account(
    tmp_path: Path, enrolment: Enrolment, given: dict[str, str], status: int, state: str
) -> None:
    code = CODE if enrolment is Enrolment.CODE else ""
    made = workshop(in_folder(tmp_path), enrolment, enrolment_code=code)

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        answer = await sign_up(reader, status, name="zoe", **given)
        assert answer.get("state", "") == state
        by_organiser = await sign_up(reader, 201, made.organiser, name="bob")
        assert by_organiser["state"] == "active"
        page, document = await reader.get(TAKE_PART), await reader.json(f"{TAKE_PART}.json")
        assert document["enrolment"]["sentence"] in page.text
        assert ('id="sign-up"' in page.text) == (enrolment is not Enrolment.CLOSED)
        league = await reader.get(f"/leagues/{LEAGUE}")
        assert (TAKE_PART in league.text) == (enrolment is not Enrolment.CLOSED)
        for text in (page.text, json.dumps(document), league.text):
            assert CODE not in text

    ask_with_queue(made, tmp_path / "cache", test)
    made.store.close()


def test_sign_ups_of_an_address_are_limited_and_those_of_an_organiser_are_not(
    made: Workshop, tmp_path: Path
) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        for number in range(10):
            await sign_up(reader, 201, name=f"author {number}")
        refused = await sign_up(reader, 429, name="one more")
        assert "too many requests" in refused["error"].lower()
        await sign_up(reader, 201, made.organiser, name="one more")

    ask_with_queue(made, tmp_path / "cache", test)


def test_form_of_another_site_cannot_sign_up(made: Workshop, tmp_path: Path) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            headers = {"content-type": kind}
            answer = await reader.client.post(ACCOUNTS, content=b'{"name": "z"}', headers=headers)
            assert answer.status_code == 415

    ask_with_queue(made, tmp_path / "cache", test)


# Submissions ------------------------------------------------------------------------------------


def test_stages_are_streamed_until_the_end(made: Workshop, tmp_path: Path) -> None:
    submission = made.submit("ann", "crow")

    async def test(reader: Reader, queue: SubmissionQueue) -> None:
        path, token = f"/submissions/{submission.id}/events", made.tokens["ann"]
        events = Stream(reader.application, path, token=token)
        assert (await events.next("submission"))["stage"] == "received"
        for stage in list(Stage)[1:]:
            await asyncio.to_thread(made.pass_stage, stage)
            queue._announce()
            event = await events.next("submission")
            assert (event["stage"], event["state"]) == (stage, "processing")
            assert event["reports"][-1]["sentence"] == f"{stage} was passed"
        await asyncio.to_thread(made.store.activate, submission.id)
        queue._announce()
        assert (await events.next("submission"))["state"] == "active"
        await events.running  # the server ends it
        assert events.headers[b"content-type"].startswith(b"text/event-stream")
        text = (await reader.get("/metrics")).text
        assert "highstreet_web_onlookers 0.0" in text.splitlines()

    ask_with_queue(made, tmp_path / "cache", test)


def test_streams_of_submissions_are_limited_together_with_the_others(
    made: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MOST_PER_CLIENT", 2)
    submission = made.submit("ann", "crow")

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        path, token = f"/submissions/{submission.id}/events", made.tokens["ann"]
        own = Stream(reader.application, path, token=token)
        await own.next("submission")
        tables = Stream(reader.application, f"/leagues/{LEAGUE}/live/events")
        await tables.next("tables")
        await reader.get(path, 429, **bearer(token))
        for each in (own, tables):
            await each.hang_up()

    ask_with_queue(made, tmp_path / "cache", test)


def test_failure_has_its_reason_and_its_log(made: Workshop, tmp_path: Path) -> None:
    submission = made.submit("ann", "crow")
    made.pass_stage(Stage.UNPACKED)
    made.fail(Stage.BUILT, "the build failed", "there is no compiler")

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        headers = bearer(made.tokens["ann"])
        document = await reader.json(f"/submissions/{submission.id}.json", 200, **headers)
        assert (document["state"], document["failed_at"]) == ("failed", "built")
        assert document["reason"] == "the build failed"
        assert "there is no compiler" not in json.dumps(document)
        log = await reader.get(f"/submissions/{submission.id}/log", 200, **headers)
        assert log.headers["content-type"] == "text/plain; charset=utf-8"
        assert "== built: failed (1.5 s, 0.5 s of CPU time)" in log.text
        assert log.text.endswith("the build failed\nthere is no compiler\n")
        answer = await reader.client.post(f"/submissions/{submission.id}/activate", headers=headers)
        assert answer.status_code == 409

    ask_with_queue(made, tmp_path / "cache", test)


def test_author_chooses_the_version_that_plays(made: Workshop, tmp_path: Path) -> None:
    first = made.activate("ann", "crow")
    made.enter(LEAGUE, "remote")

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        async def states() -> list[str]:
            found = await reader.json(f"/leagues/{LEAGUE}/account.json", 200, **headers)
            (bot,) = found["bots"]
            return [each["state"] for each in bot["submissions"]]

        headers = bearer(made.tokens["ann"])
        assert await states() == ["active"]
        retire = f"/leagues/{LEAGUE}/bots/crow/retire"
        assert (await reader.client.post(retire, headers=headers)).status_code == 200
        assert await states() == ["retired"]
        activate = f"/submissions/{first.id}/activate"
        answer = await reader.client.post(activate, headers=headers)
        assert answer.json()["state"] == "active"
        assert await states() == ["active"]
        other = f"/leagues/{LEAGUE}/bots/remote/retire"
        refused = await reader.client.post(other, headers=bearer(made.organiser))
        assert refused.status_code == 409
        assert "not submitted as a package" in refused.text

    ask_with_queue(made, tmp_path / "cache", test)


def test_standard_error_of_the_last_matches_is_for_the_author(
    made: Workshop, tmp_path: Path
) -> None:
    made.activate("ann", "crow")
    made.enter(LEAGUE, "remote", "1")
    version = made.submissions["crow"].version
    first, second = (
        made.seat("glastonbury", "plain", ("crow", version), ("remote", "1"), league=LEAGUE)[0].id
        for _ in range(2)
    )
    made.store.keep_match_log(first, LEAGUE, "crow", "an older complaint")
    made.store.keep_match_log(second, LEAGUE, "crow", "the newest complaint")

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        path = f"/leagues/{LEAGUE}/bots/crow/stderr"
        document = await reader.json(path, 200, **bearer(made.tokens["ann"]))
        assert [each["match"] for each in document["matches"]] == [second, first]
        assert document["stderr"].endswith(f"== {second}\nthe newest complaint\n")

    ask_with_queue(made, tmp_path / "cache", test)


# Packages and the page of a bot -----------------------------------------------------------------


def test_page_of_a_submitted_bot_names_its_package(made: Workshop, tmp_path: Path) -> None:
    made.activate("ann", "crow")
    public = made.activate("ann", "wren", public=True)
    made.submit("ann", "lark", public=True)

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        page = (await reader.get(f"/leagues/{LEAGUE}/bots/wren")).text
        assert public.package in page
        assert f'href="/packages/{public.package}.tar.gz"' in page
        answer = await reader.get(f"/packages/{public.package}.tar.gz")
        assert answer.content == package("wren", public=True)
        assert answer.headers["content-type"] == "application/gzip"
        assert answer.headers["etag"] == f'"{public.package}"'
        private = await reader.get(f"/leagues/{LEAGUE}/bots/crow")
        assert "not public" in private.text
        document = await reader.json(f"/leagues/{LEAGUE}/bots/wren.json")
        assert document["submission"]["author"] == "ann"
        # What has not passed the stages is not published, whatever its manifest says.
        waiting = await reader.json(f"/leagues/{LEAGUE}/bots/lark.json")
        assert waiting["submission"] is None
        await reader.get(f"/packages/{made.submissions['lark'].package}.tar.gz", 404)

    ask_with_queue(made, tmp_path / "cache", test)


def test_take_part_shows_what_an_author_needs(made: Workshop, tmp_path: Path) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        page = (await reader.get(TAKE_PART)).text
        for text in (
            'href="/rules/glastonbury"',
            "2&nbsp;s for a move",
            "1024&nbsp;MiB of memory",
            "at most 32&nbsp;MiB",
            "3 bots, 20 versions in 24 hours, 200&nbsp;MiB",
            "highstreet new-bot",
            "highstreet bot check my-bot",
            "highstreet submit my-bot --server league.example:443",
            "<code>league.example:443</code>",
        ):
            assert text in page
        rules = await reader.get("/rules/glastonbury")
        assert rules.text.startswith("# Glastonbury")
        assert rules.headers["content-type"] == "text/plain; charset=utf-8"
        await reader.get("/rules/chess", 404)

    ask_with_queue(made, tmp_path / "cache", test, address="league.example:443")
