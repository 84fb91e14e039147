"""Every page and its twin: what they show, and that names are only names."""

from __future__ import annotations

import asyncio
import hashlib
import html
import io
import json
import re
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import zstandard
from sqlalchemy import make_url

from referee.record.verify import verify_record
from referee.transports.rate_limit import Rate
from tests.tournaments.postgres import PostgresServer
from tests.tournaments.web.leagues_with_matches import (
    HOSTILE,
    HOSTILE_AUTHOR,
    LEAGUE,
    ODD,
    PATIENCE,
    TWICE,
    Reader,
    Street,
    ask,
    filled,
    in_folder,
    reading,
)
from tournaments.replay.document import replay_document

SAFE = {"content-security-policy", "x-content-type-options", "referrer-policy"}
INLINE = re.compile(
    r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", re.IGNORECASE
)
PAGES = [
    "/",
    "/leagues/autumn",
    "/leagues/autumn?game=gargon",
    "/leagues/autumn?game=glastonbury&seats=3",
    "/leagues/autumn?variant=recipes",
    "/leagues/autumn?seats=3&variant=recipes",
    "/leagues/twice",
    "/leagues/autumn/bots/ann",
    "/leagues/autumn/bots/late",
    "/leagues/autumn/bots/clumsy",
    f"/leagues/autumn/bots/{quote(HOSTILE, safe='')}",
    f"/leagues/autumn/bots/{quote(ODD, safe='')}",
    "/leagues/autumn/matches",
    f"/leagues/autumn/matches?entrant={quote(HOSTILE, safe='')}",
    "/leagues/autumn/live",
    "/leagues/twice/live",
    *(f"match {kind}" for kind in ("glastonbury", "recipes", "forfeited", "annulled")),
    *(f"match {kind}" for kind in ("scheduled", "unreleased", "to come")),
    "live scheduled",
]


def path_of(street: Street, page: str) -> str:
    """Return the address of a page of the list."""
    what, _, kind = page.partition(" ")
    if what == "match":
        return f"/matches/{street.matches[kind].id}"
    return f"/matches/{street.matches[kind].id}/live" if what == "live" else page


def twin_of(path: str) -> str:
    """Return the address of its twin."""
    before, mark, after = path.partition("?")
    return f"{before}.json{mark}{after}"


@pytest.mark.parametrize("page", PAGES)
def test_page_is_html_without_anything_inline_and_has_a_twin(street: Street, page: str) -> None:
    async def test(reader: Reader) -> None:
        path = path_of(street, page)
        answer = await reader.get(path)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert set(answer.headers) >= SAFE
        assert answer.headers["content-security-policy"].startswith("default-src 'self'; ")
        assert "set-cookie" not in answer.headers
        assert not INLINE.search(answer.text)
        assert "<b>boom" not in answer.text
        assert "<i>should" not in answer.text
        assert "<hall>" not in answer.text
        assert "<b>winter" not in answer.text
        for address in re.findall(r'(?:href|src|action|data-[a-z]+)="([^"]*)"', answer.text):
            assert not address.startswith(("http:", "https:", "//")), address
        document = await reader.json(twin_of(path))
        assert document
        assert await reader.json(path, accept="application/json") == document

    ask(street, test)


def test_every_local_link_leads_somewhere(street: Street) -> None:
    """Follow links from the front page until nothing new comes."""

    async def test(reader: Reader) -> None:
        waiting, seen = ["/"], {"/"}
        while waiting:
            answer = await reader.client.get(waiting.pop())
            assert answer.status_code == 200, answer.url
            if not answer.headers["content-type"].startswith("text/html"):
                continue
            for link in re.findall(r'(?:href|src|data-source)="([^"#]+)"', answer.text):
                found = html.unescape(link)
                if found not in seen and not found.endswith(("/stderr", "/replay.json")):
                    seen.add(found)
                    waiting.append(found)
        assert f"/leagues/autumn/bots/{quote(HOSTILE, safe='')}" in seen
        assert f"/leagues/autumn/bots/{quote(ODD, safe='')}" in seen
        assert "/static/replay-page.js" in seen
        assert any(link.endswith("/record?plain=1") for link in seen)
        assert len(seen) > 60

    ask(street, test, rate=Rate(1000, 10000))


def test_front_page_shows_leagues_and_latest_results(street: Street) -> None:
    async def test(reader: Reader) -> None:
        document = await reader.json("/index.json")
        assert document == await reader.json("/.json")
        assert [league["id"] for league in document["leagues"]] == [LEAGUE, TWICE]
        latest = [match["id"] for match in document["latest"]]
        assert latest[0] == street.matches["forfeited"].id
        assert street.matches["annulled"].id not in latest
        assert street.matches["unreleased"].id not in latest
        leaders = document["leagues"][0]["leaders"]
        assert len(leaders) == 3
        page = (await reader.get("/")).text
        assert "Autumn &amp; &lt;b&gt;winter&lt;/b&gt;" in page
        assert "No match can be watched" in page

    ask(street, test)


# Standings --------------------------------------------------------------------------------------


def test_standings_are_those_of_the_results(street: Street) -> None:
    results = street.store.results(LEAGUE)

    async def test(reader: Reader) -> None:
        document = await reader.json("/leagues/autumn.json")
        lines = document["table"]["standings"]
        assert document["table"]["matches"] == len(results) == 9
        assert {line["rated"] for line in lines} == {
            name for result in results for name in result.entrants
        }
        assert [line["rank"] for line in lines] == sorted(line["rank"] for line in lines)
        assert document["matches"]["annulled"] == 1
        kinds = [entry["kind"] for entry in document["journal"]]
        assert kinds[0] == "annulled"
        assert kinds[-1] == "created"
        assert {"benched", "entered"} <= set(kinds)
        page = (await reader.get("/leagues/autumn")).text
        assert page.count('class="interval"') == len(lines)
        assert page.count('<path class="path ') == len(document["history"]) == len(lines)
        assert "Entered, but not seen yet" in page
        assert "1 forfeit in a row: &lt;b&gt;boom" in page

    ask(street, test)


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ("game=glastonbury", 7),
        ("game=gargon", 1),
        ("seats=3", 2),
        ("game=glastonbury&seats=3", 1),
        ("variant=recipes", 1),
        ("game=glastonbury&variant=plain", 6),
        ("seats=2&variant=plain", 7),
        ("game=glastonbury&seats=2&variant=plain", 6),
        ("game=glastonbury&seats=3&variant=recipes", 1),
    ],
)
def test_standings_of_a_part(street: Street, query: str, matches: int) -> None:
    async def test(reader: Reader) -> None:
        document = await reader.json(f"/leagues/autumn.json?{query}")
        assert document["table"]["matches"] == matches
        page = (await reader.get(f"/leagues/autumn?{query}")).text
        chosen = re.findall(r'href="([^"]+)" aria-current="true"', page)
        # Of a game that has one size and one variant, there is nothing more to choose.
        assert len(chosen) == (1 if "gargon" in query else 3)
        assert f"/leagues/autumn?{query}" in [f"{html.unescape(link)}" for link in chosen]
        # The ratings that are drawn are those of the part, from its first match to its last.
        rated = {line["rated"]: line for line in document["table"]["standings"] if line["matches"]}
        assert document["history"].keys() == rated.keys()
        assert max(path[-1][1] for path in document["history"].values()) == matches
        for name, path in document["history"].items():
            assert path[-1][0] == rated[name]["matches"]
            assert path[-1][2:] == [rated[name]["mu"], rated[name]["sigma"]]
        assert page.count('<path class="path ') == len(rated)

    ask(street, test)


def test_standings_of_a_part_without_a_match(street: Street) -> None:
    async def test(reader: Reader) -> None:
        path = "/leagues/autumn?game=glastonbury&seats=2&variant=recipes"
        document = await reader.json(twin_of(path))
        assert (document["table"], document["history"]) == (None, {})
        page = (await reader.get(path)).text
        assert "No match of this kind" in page
        assert 'id="history"' not in page

    ask(street, test)


def test_filters_offer_what_is_played(file_street: Street) -> None:
    """Choosing a variant keeps the size, unless no game has both."""

    async def test(reader: Reader) -> None:
        page = (await reader.get("/leagues/autumn?seats=3&variant=recipes")).text
        offered = set(map(html.unescape, re.findall(r'<li><a href="([^"]+)"', page)))
        for query in ("seats=2&variant=recipes", "seats=3&variant=plain", "seats=3"):
            assert f"/leagues/autumn?{query}" in offered
        for link in offered:
            await reader.get(link)

    ask(file_street, test)


def test_intervals_lie_where_the_numbers_say(file_street: Street) -> None:
    """Read mu off the plot: two dots and their numbers give the axis, all others must be on it."""

    async def test(reader: Reader) -> None:
        lines = (await reader.json("/leagues/autumn.json"))["table"]["standings"]
        page = (await reader.get("/leagues/autumn")).text
        mids = [float(at) for at in re.findall(r'class="mid" cx="([\d.]+)%"', page)]
        low, high = min(lines, key=_mu), max(lines, key=_mu)
        left, right = mids[lines.index(low)], mids[lines.index(high)]
        assert left < right
        for line, at in zip(lines, mids, strict=True):
            read = low["mu"] + (at - left) / (right - left) * (high["mu"] - low["mu"])
            assert read == pytest.approx(line["mu"], abs=0.02)

    ask(file_street, test)


def _mu(line: dict[str, Any]) -> float:
    return float(line["mu"])


# Bots -------------------------------------------------------------------------------------------


def test_bot_shows_versions_matches_and_whom_it_met(street: Street) -> None:
    async def test(reader: Reader) -> None:
        document = await reader.json("/leagues/autumn/bots/ann.json")
        assert [version["version"] for version in document["versions"]] == ["1", "2"]
        assert [version["current"] for version in document["versions"]] == [False, True]
        assert document["versions"][0]["line"]["matches"] == 1
        met = document["head_to_head"]["ann@1"]
        assert sum(met["bob@"]) == 1
        assert all(
            "ann" in [seat["entrant"] for seat in match["seats"]] for match in document["matches"]
        )
        assert len(document["matches"]) == 9
        page = (await reader.get("/leagues/autumn/bots/ann")).text
        assert "not connected" in page
        assert page.count('class="band') == 2

    ask(street, test)


def test_bot_shows_why_it_is_benched_and_its_faults(street: Street) -> None:
    async def test(reader: Reader) -> None:
        document = await reader.json("/leagues/autumn/bots/clumsy.json")
        assert document["entrant"]["state"] == "benched"
        assert document["entrant"]["reason"] == "1 forfeit in a row: <b>boom</b>"
        assert [(note["fault"], note["cause"]) for note in document["faults"]] == [("crash", "bot")]
        page = (await reader.get("/leagues/autumn/bots/clumsy")).text
        assert "1 forfeit in a row: &lt;b&gt;boom&lt;/b&gt;" in page
        assert "highstreet league unbench" in page
        assert "RuntimeError" in page

    ask(street, test)


def test_name_that_ends_like_a_twin_has_a_page_and_a_twin(street: Street) -> None:
    async def test(reader: Reader) -> None:
        path = f"/leagues/autumn/bots/{quote(ODD, safe='')}"
        assert html.escape(ODD) in (await reader.get(path)).text
        assert (await reader.json(f"{path}.json"))["entrant"]["name"] == ODD

    ask(street, test)


def test_hostile_name_is_shown_as_it_is_written(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        own = f"/leagues/autumn/bots/{quote(HOSTILE, safe='')}"
        for path in ("/leagues/autumn", "/", own):
            text = (await reader.get(path)).text
            assert HOSTILE not in text
            assert html.escape(HOSTILE) in text
        assert html.escape(HOSTILE_AUTHOR) in (await reader.get(own)).text

    ask(file_street, test)


# Matches ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("", 11),
        ("game=gargon", 1),
        ("seats=3", 2),
        ("variant=recipes", 1),
        ("state=annulled", 1),
        ("entrant=clumsy", 1),
        ("entrant=ann&state=scheduled", 1),
        ("entrant=ann&game=kupferkessel&seats=3", 0),
    ],
)
def test_matches_can_be_filtered(street: Street, query: str, number: int) -> None:
    async def test(reader: Reader) -> None:
        document = await reader.json(f"/leagues/autumn/matches.json?{query}")
        assert len(document["matches"]) == number
        page = (await reader.get(f"/leagues/autumn/matches?{query}")).text
        assert page.count('class="result-row"') == number

    ask(street, test)


def test_pages_of_matches_have_each_match_once(street: Street) -> None:
    async def test(reader: Reader) -> None:
        found, path = [], "/leagues/autumn/matches?size=4&state=played"
        while path:
            document = await reader.json(twin_of(path))
            found += [match["position"] for match in document["matches"]]
            links = re.findall(r'rel="next" href="([^"]+)"', (await reader.get(path)).text)
            path = html.unescape(links[0]) + "&size=4" if links else ""
            assert bool(links) == bool(document["next"])
        assert found == [9, 8, 7, 6, 5, 4, 3, 2, 1]

    ask(street, test)


def test_match_says_when_its_replay_appears(street: Street) -> None:
    async def test(reader: Reader) -> None:
        path = f"/matches/{street.matches['unreleased'].id}"
        page = (await reader.get(path)).text
        assert "is played 2 times" in page
        assert "1 is still to be played" in page
        assert 'id="replay"' not in page
        assert (await reader.json(f"{path}.json"))["record"] is None
        for private in ("/record", "/record?plain=1", "/replay.json"):
            answer = await reader.get(path + private, 404)
            assert "appears when all matches with its deal" in answer.text
        annulled = (await reader.get(f"/matches/{street.matches['annulled'].id}")).text
        assert "the &lt;hall&gt; burned" in annulled

    ask(street, test)


def test_record_appears_with_the_last_match_of_its_set(own_url: str) -> None:
    street = filled(own_url)
    first, second = street.matches["unreleased"], street.matches["to come"]

    async def before(reader: Reader) -> None:
        await reader.get(f"/matches/{first.id}/record", 404)
        assert _names(await reader.get("/leagues/twice/records.zip")) == []

    async def after(reader: Reader) -> None:
        await reader.get(f"/matches/{first.id}/record")
        assert _names(await reader.get("/leagues/twice/records.zip")) == [first.id, second.id]

    ask(street, before)
    street.play(second)
    ask(street, after)
    street.store.close()


# Records ----------------------------------------------------------------------------------------


def test_record_has_the_hash_that_is_told(street: Street) -> None:
    async def test(reader: Reader) -> None:
        match = street.matches["gargon"]
        packed = await reader.get(f"/matches/{match.id}/record")
        plain = await reader.get(f"/matches/{match.id}/record?plain=1")
        assert plain.content == street.records[match.id]
        assert zstandard.ZstdDecompressor().decompress(packed.content) == plain.content
        verify_record(plain.content)
        for answer in (packed, plain):
            digest = hashlib.sha256(answer.content)
            assert answer.headers["etag"] == f'"{digest.hexdigest()}"'
            again = {"if-none-match": answer.headers["etag"]}
            assert not (await reader.get(str(answer.url), 304, **again)).content
        document = await reader.json(f"/matches/{match.id}.json")
        assert document["record"]["sha256"] == hashlib.sha256(packed.content).hexdigest()
        assert packed.headers["content-disposition"].endswith(f'"{match.id}.jsonl.zst"')

    ask(street, test)


@pytest.mark.parametrize(
    ("query", "number"),
    [("", 10), ("?game=glastonbury&variant=recipes", 1), ("?entrant=clumsy", 1), ("?seats=9", 0)],
)
def test_zip_has_the_records_of_a_selection(street: Street, query: str, number: int) -> None:
    async def test(reader: Reader) -> None:
        answer = await reader.get(f"/leagues/autumn/records.zip{query}")
        assert answer.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert archive.testzip() is None
            *names, sums = archive.namelist()
            assert sums == "SHA256SUMS"
            told = [line.split("  ") for line in archive.read(sums).decode().splitlines()]
            lines = {name: digest for digest, name in told}
            assert set(names) == set(lines)
            for name in names:
                assert hashlib.sha256(archive.read(name)).hexdigest() == lines[name]
            assert names.pop() == "league.json"
            about = json.loads(archive.read("league.json"))
            assert about == {
                "league": "autumn",
                "commitment": street.store.league("autumn").commitment,
                "secret": None,
                "annulled": {street.matches["annulled"].id: "the <hall> burned"},
            }
            assert len(names) == number
            for name in names:
                packed = archive.read(name)
                plain = zstandard.ZstdDecompressor().decompress(packed)
                assert plain == street.records[name.removesuffix(".jsonl.zst")]

    ask(street, test)


def _names(answer: Any) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return [name.removesuffix(".jsonl.zst") for name in archive.namelist()[:-2]]


def test_replay_is_that_of_the_record(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        match = file_street.matches["recipes"]
        first, second = await asyncio.gather(
            reader.json(f"/matches/{match.id}/replay.json"),
            reader.json(f"/matches/{match.id}/replay.json"),
        )
        assert first == second == replay_document(file_street.records[match.id])
        page = (await reader.get(f"/matches/{match.id}")).text
        assert f'data-source="/matches/{match.id}/replay.json"' in page

    ask(file_street, test)


# What is not there ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/leagues/none", 404),
        ("/leagues/none/matches", 404),
        ("/leagues/none/live", 404),
        ("/leagues/none/live/events", 404),
        ("/leagues/none/records.zip", 404),
        ("/leagues/none/bots/ann", 404),
        ("/leagues/autumn/bots/nobody", 404),
        ("/leagues/autumn/bots/eve", 404),
        ("/leagues/autumn/bots/%00", 404),
        ("/leagues/autumn/bots/..%2F..%2Fetc%2Fpasswd", 404),
        ("/leagues/autumn?game=chess", 404),
        ("/leagues/autumn?seats=5", 404),
        ("/leagues/autumn?variant=%3Cscript%3E", 404),
        ("/leagues/autumn?game=gargon&seats=3&variant=recipes", 404),
        ("/leagues/autumn?seats=two", 400),
        ("/leagues/autumn/matches?page=nonsense", 400),
        ("/leagues/autumn/matches?state=odd", 400),
        ("/leagues/autumn/matches?size=501", 400),
        ("/leagues/autumn/matches?entrant=nobody", 404),
        ("/leagues/autumn/records.zip?entrant=nobody", 404),
        ("/matches/none", 404),
        ("/matches/none/live", 404),
        ("/matches/none/record", 404),
        ("/matches/none/replay.json", 404),
        ("/static/none.css", 404),
        ("/static/../app.py", 404),
        ("/static/%2e%2e/app.py", 404),
        ("/leagues/autumn/", 404),
        (f"/leagues/autumn?game={'x' * 300}", 400),
        (f"/?{'x' * 5000}", 414),
    ],
)
def test_what_is_wrong_is_said_as_page_and_as_json(street: Street, path: str, status: int) -> None:
    async def test(reader: Reader) -> None:
        answer = await reader.get(path, status, accept="text/html")
        assert set(answer.headers) >= SAFE
        if not path.partition("?")[0].endswith(".json"):
            assert answer.headers["content-type"].startswith("text/html")
            assert not INLINE.search(answer.text)
        document = await reader.json(path, status, accept="application/json")
        assert document["status"] == status
        assert document["error"]

    ask(street, test)


def test_nothing_can_be_written(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        for path in ("/", "/leagues/autumn", "/leagues/autumn/bots/ann/stderr", "/metrics"):
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                answer = await reader.client.request(method, path)
                assert answer.status_code == 405
                assert set(answer.headers) >= SAFE
        large = await reader.client.request("GET", "/", content=b"x" * 20_000)
        assert large.status_code == 413

    ask(file_street, test)


def test_fault_of_ours_is_a_page_with_a_reference(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        reader.host.present = None  # type: ignore[method-assign, assignment]  # a fault of ours
        answer = await reader.get("/leagues/autumn", 500)
        assert re.search(r"reference [0-9a-f]{8}", answer.text)
        assert "NoneType" not in answer.text
        assert set(answer.headers) >= SAFE

    ask(file_street, test)


def test_whoever_asks_too_much_is_refused(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        statuses = [(await reader.client.get("/healthz")).status_code for _ in range(6)]
        assert statuses == [200] * 4 + [429] * 2
        refused = await reader.client.get("/index.json")
        assert refused.headers["retry-after"]
        assert refused.json()["status"] == 429

    ask(file_street, test, rate=Rate(0.001, 4, patience=0))


def test_readers_behind_a_proxy_are_counted_one_by_one(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        for reader_address in ("192.0.2.1", "192.0.2.2", "2001:db8::1"):
            headers = {"x-forwarded-for": f"10.9.9.9, {reader_address}"}
            for status in (200, 200, 429):
                await reader.get("/healthz", status, **headers)
        # Two addresses of one house.
        await reader.get("/healthz", 429, **{"x-forwarded-for": "2001:db8::2"})

    ask(file_street, test, rate=Rate(0.001, 2, patience=0), proxies={"127.0.0.1"})


def test_header_of_somebody_who_is_no_proxy_changes_nothing(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        for number, status in enumerate((200, 200, 429)):
            headers = {"x-forwarded-for": f"192.0.2.{number}"}
            await reader.get("/healthz", status, **headers)

    ask(file_street, test, rate=Rate(0.001, 2, patience=0), proxies={"127.0.0.2", "10.0.0.0/8"})


# Static files, operations -----------------------------------------------------------------------


KINDS = {
    "css": {"text/css; charset=utf-8"},
    # Before Python 3.12 the older of the two names, unless the system has a table of its own.
    "js": {"text/javascript; charset=utf-8", "application/javascript"},
    "svg": {"image/svg+xml"},
}


def test_style_sheets_and_scripts_are_served(file_street: Street) -> None:
    async def test(reader: Reader) -> None:
        folder = Path(str(files("tournaments.web"))) / "static"
        found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
        assert {"site.css", "pages.css", "replay-page.js", "games/gargon.js"} <= found
        for name in found:
            answer = await reader.get(f"/static/{name}")
            assert answer.content == (folder / name).read_bytes()
            assert answer.headers["content-type"] in KINDS[name.rpartition(".")[2]]
            assert answer.headers["cache-control"] == "no-cache"
            tag = answer.headers["etag"]
            known = await reader.get(f"/static/{name}", 304, **{"if-none-match": tag})
            assert (known.headers["etag"], known.content) == (tag, b"")
            assert known.headers["cache-control"] == "no-cache"

    ask(file_street, test)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "games",
        "games/",
        "../pages.py",
        "..%2fpages.py",
        "%2e%2e/pages.py",
        "games/../../pages.py",
        "..%5cpages.py",
        "%2fetc%2fpasswd",
        "/etc/passwd",
        "site.css%00",
        "site.css%00.js",
        "x" * 3000,
        "x/" * 1000,
    ],
)
def test_no_address_leads_out_of_the_folder(file_street: Street, path: str) -> None:
    async def test(reader: Reader) -> None:
        answer = await reader.client.get(f"http://street/static/{path}")
        assert answer.status_code == 404
        assert "There is nothing at this address." in answer.text

    ask(file_street, test)


async def _is_missing(street: Street, *secrets: str) -> None:
    """Look whether a server says that its database is gone, and nothing more about it."""
    async with asyncio.timeout(PATIENCE), reading(street) as reader:
        await reader.get("/healthz", 503)
        answer = await reader.get("/leagues/autumn", 503)
        assert "database does not answer" in answer.text
        assert not any(secret in answer.text for secret in secrets)


def test_server_without_its_file_says_so(tmp_path: Path) -> None:
    street = filled(in_folder(tmp_path))
    for file in tmp_path.glob("league.db*"):
        file.unlink()
    street.store.close()
    asyncio.run(_is_missing(street, str(tmp_path)))


@pytest.mark.slow
def test_server_without_its_postgresql_says_so(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    street = filled(url)
    postgres.drop_database(url)
    host = str(make_url(url).query["host"])
    asyncio.run(_is_missing(street, host, "psycopg", "SELECT"))
    street.store.close()
