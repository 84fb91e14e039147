"""Who asks, by address and by what a proxy says."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from engine.errors import UsageError
from tests.tournaments.serving import HIGHSTREET, PATIENCE, highstreet, process, wait_for_line
from tournaments.model import GameSettings, LeagueSettings
from tournaments.store import Store
from tournaments.web.middleware import CLIENT, ClientAddressMiddleware
from tournaments.web.stream import MOST_PER_CLIENT

PROXIES = ("127.0.0.1", "10.0.0.0/8", "2001:db8:f::/48")


def reader(client: str | None, *forwarded: str) -> str:
    """Return who asks, with these lines of X-Forwarded-For."""
    lines = [(b"x-forwarded-for", line.encode()) for line in forwarded]
    scope = {"type": "http", "client": client and (client, 1), "headers": lines}
    seen: list[str] = []

    async def application(scope: Scope, *_: Receive | Send) -> None:
        seen.append(scope[CLIENT])

    async def unused(*_: object) -> Any:
        raise AssertionError

    asyncio.run(ClientAddressMiddleware(application, PROXIES)(scope, unused, unused))
    return seen[0]


@pytest.mark.parametrize(
    ("client", "forwarded", "expected"),
    [
        # Nobody in between.
        ("192.0.2.9", [], "192.0.2.9"),
        ("192.0.2.9", ["192.0.2.1"], "192.0.2.9"),
        ("::ffff:192.0.2.9", [], "192.0.2.9"),
        ("2001:db8:1:2:3:4:5:6", [], "2001:db8:1:2::/64"),
        ("fe80::1%eth0", [], "fe80::/64"),
        (None, ["192.0.2.1"], ""),
        ("testclient", ["192.0.2.1"], "testclient"),
        # One proxy: what it has seen itself is the last address.
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
        ("::ffff:127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["198.51.100.7, 192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["198.51.100.7", "192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["2001:db8:1:2::9"], "2001:db8:1:2::/64"),
        ("127.0.0.1", ["192.0.2.1:5000"], "192.0.2.1"),
        ("::ffff:10.1.1.1", ["192.0.2.1"], "192.0.2.1"),
        ("2001:db8:f::1", ["192.0.2.1"], "192.0.2.1"),
        # One behind the other, both trusted.
        ("127.0.0.1", ["198.51.100.7, 192.0.2.1, 10.3.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["10.1.1.1, 10.3.2.1"], "10.1.1.1"),
        # What no proxy writes is not believed.
        ("127.0.0.1", ["192.0.2.1, nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["192.0.2.1, "], "127.0.0.1"),
        ("127.0.0.1", ["unknown"], "127.0.0.1"),
    ],
)
def test_who_asks(client: str | None, forwarded: list[str], expected: str) -> None:
    assert reader(client, *forwarded) == expected


@pytest.mark.parametrize("text", ["localhost", "127.0.0.1:80", "10.0.0.1/8", "", "10.0.0.0/33"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="cannot read --proxy"):
        ClientAddressMiddleware(Starlette(), [text])


def test_server_refuses_what_is_no_address_before_it_starts() -> None:
    said = highstreet(
        "serve", "--data", "/nowhere", "--proxy", "127.0.0.1", "--proxy", "proxy.example"
    )
    assert said.returncode == 2
    assert 'cannot read --proxy "proxy.example"' in said.stderr


@pytest.mark.parametrize(("options", "others"), [(("--proxy", "127.0.0.1"), 200), ((), 429)])
def test_server_counts_readers_behind_the_proxies_it_was_told_of(
    tmp_path: Path, options: tuple[str, ...], others: int
) -> None:
    """One reader has as many streams as one may have; whether another may have one depends."""
    with Store.open(f"sqlite:///{tmp_path / 'league.db'}") as store:
        store.first_organiser()
        store.create_league(
            "spring", LeagueSettings("Spring", (GameSettings("glastonbury", (2,)),))
        )
    log = tmp_path / "log"
    command = ["serve", "--data", str(tmp_path), "--port", "0", "--web-port", "0", *options]
    with process([*HIGHSTREET, *command], log) as server, ExitStack() as stack:
        address = wait_for_line(server, "pages on http://", log)

        def status(forwarded: str) -> int:
            """Open a stream that stays open, and return what the server says."""
            connection = HTTPConnection(address, timeout=PATIENCE)
            stack.callback(connection.close)
            headers = {"X-Forwarded-For": forwarded}
            connection.request("GET", "/leagues/spring/live/events", headers=headers)
            answer = connection.getresponse()
            stack.callback(answer.close)
            if answer.status == 200:
                answer.readline()  # from now on it counts
            return answer.status

        assert [status("192.0.2.1") for _ in range(MOST_PER_CLIENT)] == [200] * MOST_PER_CLIENT
        assert status("192.0.2.1") == 429
        assert status("192.0.2.2") == others
