"""Odd addresses, queries, headers and methods: every one is answered, and none is a failure."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from referee.transports.rate_limit import Rate
from tests.tournaments.web.leagues_with_matches import LEAGUE, TWICE, Reader, Street, ask
from tournaments.web.pages import Pages
from tournaments.web.query import MatchFilter, link

UNLIMITED = Rate(per_second=1e9, burst=10**9)
ODD_VALUES = (
    "",
    "x",
    "0",
    "-1",
    "1e9",
    "9" * 4500,
    "%00",
    "%ff%fe",
    "%F0%9F%83%8F",
    "%ED%A0%80",
    "..%2f..%2fetc%2fpasswd",
    "'%20OR%201=1--",
    "{{7*7}}",
    "%0d%0aX-Injected:%201",
    "a" * 300,
    "\u0661\u0662",
)
ODD_HEADERS = {
    "accept": ("", ",", "application/json", "*/*;q=nan", "\x7f", "a" * 4000),
    "if-none-match": ("", '"', "*", '"' + "a" * 4000),
    "authorization": (
        "",
        "Bearer",
        "bearer  ",
        "Bearer \xff",
        "Basic Og==",
        "Bearer " + "a" * 4000,
    ),
    "content-length": ("-1", "1e3", "9" * 5000, "+5", "0x10", "99999999999"),
    "x-forwarded-for": ("", ",,,", "::", "1.2.3.4, x", "fe80::1%eth0", "\xff"),
    "range": ("bytes=0-", "bytes=5-1", "lines=1"),
    "accept-encoding": ("zstd;q=2", ""),
    "host": ("", "a b", "[::1", "evil.example"),
}
METHODS = ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND", "x")


def pages_of(street: Street) -> list[str]:
    """Return an address of every page, and of pages that there are not."""
    match = street.matches["glastonbury"].id
    held = street.matches["unreleased"].id
    league = f"/leagues/{LEAGUE}"
    return [
        "/",
        "/index.json",
        *(f"{league}{end}" for end in ("", ".json", "/matches", "/matches.json", "/live")),
        f"{league}/live.json",
        f"{league}/records.zip",
        f"{league}/bots/ann",
        f"{league}/bots/ann.json",
        f"{league}/bots/ann/stderr",
        f"/leagues/{TWICE}/records.zip",
        *(
            f"/matches/{each}{end}"
            for each in (match, held, "nothing")
            for end in ("", ".json", "/live", "/live.json", "/record", "/replay.json")
        ),
        "/metrics",
        "/healthz",
        "/static/pages.css",
        "/static/..%2f..%2fpages.py",
        "/leagues/%00",
        "/leagues/%ff/bots/%ff",
        "/leagues//bots//stderr",
        "/matches/%ED%A0%80/record",
        "//",
        "/%2e%2e/%2e%2e",
        "/nothing",
    ]


def names_of_parameters() -> list[str]:
    """Return every name that a function behind the pages has for one of its parameters."""
    functions: list[Any] = [link, MatchFilter.__init__]
    functions += [each for _, each in inspect.getmembers(Pages, inspect.isfunction)]
    found = {name for each in functions for name in inspect.signature(each).parameters}
    words = {"game", "seats", "variant", "state", "entrant", "size", "page", "plain", "status"}
    return sorted(found | words | {"**", "__class__", "template", "address", "headers", "scope"})


async def check(reader: Reader, method: str, address: str, **headers: str) -> None:
    """Ask, and look that the answer is none of ours that failed."""
    answer = await reader.client.request(
        method,
        address,
        headers=[(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
    )
    assert answer.status_code < 500, (method, address, headers, answer.text)


@pytest.mark.slow
def test_query_named_as_any_parameter_is_no_failure(file_street: Street) -> None:
    """`?path=x` is a question like any other: it changes nothing, and stands in the twin's link."""

    async def test(reader: Reader) -> None:
        for address in pages_of(file_street):
            for name in names_of_parameters():
                await check(reader, "GET", f"{address}?{name}=x")
        page = await reader.get(f"/leagues/{LEAGUE}?path=x")
        assert f'href="/leagues/{LEAGUE}.json?path=x"' in page.text

    ask(file_street, test, rate=UNLIMITED)


@pytest.mark.slow
def test_odd_queries_headers_and_methods_are_no_failure(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        asked = pages_of(file_street)
        for address in asked:
            for method in METHODS:
                await check(reader, method, address)
        for number, (name, values) in enumerate(ODD_HEADERS.items()):
            for address in asked[number % 3 :: 3]:
                for value in values:
                    await check(reader, "GET", address, **{name: value})
        league, match = f"/leagues/{LEAGUE}", f"/matches/{file_street.matches['glastonbury'].id}"
        for address in (league, f"{league}/matches", f"{league}/records.zip", f"{match}/record"):
            for name in ("game", "seats", "variant", "state", "entrant", "size", "page", "plain"):
                for value in ODD_VALUES:
                    await check(reader, "GET", f"{address}?{name}={value}")

    ask(file_street, test, rate=UNLIMITED)


def random_addresses(pages: list[str], number: int) -> Iterator[str]:
    """Return addresses that are nearly those of pages: cut, joined, and with bytes exchanged."""
    chance = Random(15)  # noqa: S311  the same addresses in every run
    alphabet = [chr(code) for code in range(33, 127) if chr(code) != "#"] + ["%00", "%ff", "/"]
    for _ in range(number):
        text = list(chance.choice(pages) + chance.choice(["", "?", "/", ".json", "?a=b&c"]))
        for _ in range(chance.randint(1, 4)):
            text[chance.randrange(len(text))] = chance.choice(alphabet)
        address = "".join(text)
        yield address if address.startswith("/") else f"/{address}"


def test_random_addresses_are_no_failure(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        for address in random_addresses(pages_of(file_street), 800):
            await check(reader, "GET", f"http://street{address}")

    ask(file_street, test, rate=UNLIMITED)
