"""Packages over HTTP: what is taken, the limits, and what is refused with a sentence."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.tournaments.leagues import LEAGUE
from tests.tournaments.web.leagues_with_matches import Reader, bearer, in_folder, reading
from tests.tournaments.web.test_odd_requests import ODD_VALUES
from tests.tournaments.web.workshop import (
    OTHER,
    Workshop,
    ask_with_queue,
    package,
    workshop,
)
from tests.waiting import PATIENCE, until
from tournaments.model import Enrolment
from tournaments.submissions import PackageCache, SubmissionQueue
from tournaments.web import web_server
from tournaments.web.upload import UPLOADS, UploadLimits

PACKAGES = f"/leagues/{LEAGUE}/packages/"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Workshop]:
    """Return a league with two authors."""
    made = workshop(in_folder(tmp_path), Enrolment.OPEN)
    for name in ("ann", "bob"):
        made.sign_up(name)
    yield made
    made.store.close()


async def put(
    reader: Reader, content: Any, token: str, status: int, path: str = PACKAGES, **headers: str
) -> httpx2.Response:
    """Upload something, and look at the status."""
    answer = await reader.client.put(path, content=content, headers={**bearer(token), **headers})
    assert answer.status_code == status, answer.text
    return answer


def test_a_package_is_received_and_its_state_is_where_the_answer_says(
    made: Workshop, tmp_path: Path
) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        token, packed = made.tokens["ann"], package("crow")
        answer = await put(reader, packed, token, 202, f"{PACKAGES}crow.tar.gz")
        document = await reader.json(answer.headers["location"], 200, **bearer(token))
        assert document == answer.json()
        assert (document["bot"], document["author"]) == ("crow", "ann")
        assert (document["state"], document["stage"]) == ("processing", "received")
        assert made.store.package(document["package"]) == packed
        again = await put(reader, packed, token, 202)
        assert again.json()["id"] == document["id"]

    ask_with_queue(made, tmp_path / "cache", test)


def test_refusals_are_sentences_as_text_and_as_json(made: Workshop, tmp_path: Path) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        token = made.tokens["ann"]
        await put(reader, package("crow"), token, 202)
        cases = [
            (b"", token, PACKAGES, 400, "no .tar.gz"),
            (b"x" * 5000, token, PACKAGES, 400, "no .tar.gz"),
            (package("a/b"), token, PACKAGES, 400, "name"),
            (package("crow"), made.tokens["bob"], PACKAGES, 403, "belongs to a bot of another"),
            (package("crow"), token, "/leagues/none/packages/", 404, "no league"),
            (package("crow"), token, f"/leagues/{OTHER}/packages/", 403, "authors of the league"),
            (package("crow"), "wrong", PACKAGES, 401, "not known"),
            (package("crow"), "", PACKAGES, 401, "Authorization: Bearer TOKEN"),
        ]
        for content, given, path, status, sentence in cases:
            answer = await put(reader, content, given, status, path)
            assert answer.headers["content-type"] == "text/plain; charset=utf-8"
            assert sentence in answer.text
            document = await put(reader, content, given, status, path, accept="application/json")
            assert sentence in document.json()["error"]
        made.store.close_league(LEAGUE)
        assert "closed" in (await put(reader, package("wren"), token, 409)).text

    ask_with_queue(made, tmp_path / "cache", test)


def test_limits_of_an_author_are_refused(tmp_path: Path) -> None:
    made = workshop(in_folder(tmp_path), Enrolment.OPEN, bots_per_author=1, submissions_per_day=2)
    made.sign_up("ann")

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        token = made.tokens["ann"]
        await put(reader, package("crow"), token, 202)
        assert "1 bots" in (await put(reader, package("wren"), token, 429)).text
        await put(reader, package("crow", extra="# 2\n"), token, 202)
        assert "24 hours" in (await put(reader, package("crow", extra="# 3\n"), token, 429)).text

    ask_with_queue(made, tmp_path / "cache", test)
    made.store.close()


def test_server_without_a_queue_takes_no_packages(made: Workshop) -> None:
    async def test() -> None:
        async with reading(made) as reader:
            answer = await put(reader, package("crow"), made.tokens["ann"], 409)
            assert "takes no packages" in answer.text
            page = await reader.get(f"/leagues/{LEAGUE}/take-part")
            assert "This server takes no packages" in page.text

    asyncio.run(test())


# Limits while it is read ------------------------------------------------------------------------


async def pieces(*content: bytes) -> AsyncIterator[bytes]:
    """Send a body without saying how long it is."""
    for each in content:
        yield each


def held(content: bytes, started: Callable[[], None], go: asyncio.Event) -> AsyncIterator[bytes]:
    """Send a body that stops after its first byte until it is told to go on."""

    async def sent() -> AsyncIterator[bytes]:
        yield content[:1]
        started()
        await go.wait()
        yield content[1:]

    return sent()


def test_too_large_by_its_length_and_while_it_is_read(made: Workshop, tmp_path: Path) -> None:
    limits = replace(UPLOADS, size=5000)

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        token = made.tokens["ann"]
        announced = {"content-length": str(UPLOADS.size + 1)}
        answer = await put(reader, b"", token, 413, **announced)
        assert answer.text == "The request body is too large: at most 32 MiB are taken.\n"
        sent: list[int] = []

        async def endless() -> AsyncIterator[bytes]:
            for number in range(100):
                sent.append(number)
                yield b"x" * 1000

        await put(reader, endless(), token, 413)
        assert len(sent) < 20
        await put(reader, pieces(*(bytes([each]) for each in package("crow"))), token, 202)

    ask_with_queue(made, tmp_path / "cache", test, upload_limits=limits)


@pytest.mark.parametrize(
    "limits",
    [
        UploadLimits(first_seconds=0.05),
        UploadLimits(seconds=0.05),
        UploadLimits(first_seconds=0.02, speed=20.0),
    ],
)
def test_slow_upload_is_refused(made: Workshop, tmp_path: Path, limits: UploadLimits) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        token, go = made.tokens["ann"], asyncio.Event()
        answer = await put(reader, held(package("crow"), lambda: None, go), token, 408)
        assert "too slowly" in answer.text
        assert made.store.submissions(LEAGUE).items == ()

    ask_with_queue(made, tmp_path / "cache", test, upload_limits=limits)


def test_bytes_buy_time() -> None:
    limits = UploadLimits(seconds=100, first_seconds=10, speed=1000)
    assert limits.deadline(5.0, 0) == 15.0
    assert limits.deadline(5.0, 20_000) == 35.0
    assert limits.deadline(5.0, 1_000_000) == 105.0


def test_uploads_at_once_are_limited_for_an_author_and_in_all(
    made: Workshop, tmp_path: Path
) -> None:
    limits = UploadLimits(at_once=3, at_once_per_author=2)

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        go, started = asyncio.Event(), []
        ann, bob = made.tokens["ann"], made.tokens["bob"]

        def begin(name: str, token: str) -> asyncio.Task[httpx2.Response]:
            body = held(package(name), lambda: started.append(name), go)
            return asyncio.create_task(put(reader, body, token, 202))

        running = [begin("crow", ann), begin("wren", ann)]
        await until(lambda: len(started) == 2)
        answer = await put(reader, package("lark"), ann, 429)
        assert "too many packages" in answer.text.lower()
        running.append(begin("hawk", bob))
        await until(lambda: len(started) == 3)
        await put(reader, package("rook"), bob, 429)
        go.set()
        await asyncio.gather(*running)
        await put(reader, package("lark"), ann, 202)

    ask_with_queue(made, tmp_path / "cache", test, upload_limits=limits)


# Over a real connection -------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def served(made: Workshop, cache: Path) -> AsyncIterator[int]:
    """Serve the pages on a port as a league server does."""
    queue = SubmissionQueue(made.store, PackageCache(cache))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        async with reading(made, queue=queue) as reader:
            server = web_server(reader.application)
            running = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                yield listening.getsockname()[1]
            finally:
                server.should_exit = True
                await running


def sent(port: int, content: Any, token: str) -> tuple[int, str]:
    """Upload something over a connection of its own, and return the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("PUT", PACKAGES, body=content, headers=dict(bearer(token)))
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_client_that_is_still_sending_reads_the_refusal(made: Workshop, tmp_path: Path) -> None:
    async def test() -> None:
        async with served(made, tmp_path / "cache") as port:
            large = b"x" * 4_000_000
            for content, token, status, sentence in (
                (large, "wrong", 401, "not known"),
                (large, made.tokens["ann"], 400, "no .tar.gz"),
                (iter([large] * 9), made.tokens["ann"], 413, "too large"),
                (package("crow"), made.tokens["ann"], 202, "crow"),
            ):
                answer = await asyncio.to_thread(sent, port, content, token)
                assert answer[0] == status
                assert sentence in answer[1]

    asyncio.run(test())


def test_upload_that_is_cut_leaves_nothing(made: Workshop, tmp_path: Path) -> None:
    async def test() -> None:
        async with served(made, tmp_path / "cache") as port:
            head = f"PUT {PACKAGES} HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n"
            for _ in range(UPLOADS.at_once_per_author + 1):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                token = f"Authorization: Bearer {made.tokens['ann']}\r\n"
                writer.write(f"{head}{token}Expect: 100-continue\r\n\r\n".encode())
                assert (await reader.readline()).startswith(b"HTTP/1.1 100")  # it is being read
                writer.write(b"x")
                writer.close()
                await writer.wait_closed()
            async with asyncio.timeout(PATIENCE):  # each has given its place back
                while (await asyncio.to_thread(sent, port, b"x", made.tokens["ann"]))[0] == 429:
                    await asyncio.sleep(0)

    asyncio.run(test())


# Odd input --------------------------------------------------------------------------------------

ODD_BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"name": 5}',
    b'{"name": null, "code": {}}',
    b'{"name": "\\ud800"}',
    b'{"name": "a\\u0000b"}',
    b'{"name": ""}',
    b'{"name": "' + b"x" * 5000 + b'"}',
    b"[" * 9000,
    b"\xff\xfe",
    b'{"name": "zoe", "code": 1e400}',
)


def test_odd_requests_are_no_failure(made: Workshop, tmp_path: Path) -> None:
    made.activate("ann", "crow")
    kind = {"content-type": "application/json"}

    async def test(reader: Reader, _: SubmissionQueue) -> None:
        async def check(method: str, path: str, content: bytes = b"", **headers: str) -> None:
            for token in (made.tokens["ann"], made.organiser):
                answer = await reader.client.request(
                    method, path, content=content, headers={**bearer(token), **headers}
                )
                assert 400 <= answer.status_code < 500, (method, path, content, answer.text)

        for body in ODD_BODIES:
            await check("POST", f"/leagues/{LEAGUE}/accounts", body, **kind)
            await check("PUT", PACKAGES, body)
        await check("POST", f"/leagues/{LEAGUE}/accounts", b'{"name": "zoe"}')  # a form's type
        for odd in (*filter(None, ODD_VALUES), "99999999999", "2147483648"):
            for path in (f"/submissions/{odd}.json", f"/submissions/{odd}/log"):
                await check("GET", path)
            await check("GET", f"/submissions/{odd}/events")
            await check("POST", f"/submissions/{odd}/activate")
            await check("GET", f"/packages/{odd}.tar.gz")
            await check("GET", f"/rules/{odd}")
            await check("GET", f"/leagues/{odd}/take-part")
            await check("GET", f"/leagues/{odd}/account.json")
            await check("PUT", f"/leagues/{odd}/packages/", b"x")
            await check("POST", f"/leagues/{odd}/accounts", b'{"name": "zoe"}', **kind)
            await check("POST", f"/leagues/{LEAGUE}/bots/{odd}/retire")

    ask_with_queue(made, tmp_path / "cache", test)
