"""Every route against every role: pages are the same for all, one thing is for the author alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tournaments.web.leagues_with_matches import Reader, Street, ask, bearer
from tests.tournaments.web.test_author_roles import FOR_AUTHORS
from tournaments.server.managed_bots import read_managed_bot
from tournaments.web.app import create_app

ROLES = ("nobody", "wrong", "foreign", "neighbour", "entrant", "organiser")
PUBLIC = dict.fromkeys(ROLES, 200)
MISSING = dict.fromkeys(ROLES, 404)
FOR_ITS_AUTHOR = {
    "nobody": 401,
    "wrong": 401,
    "foreign": 403,
    "neighbour": 403,
    "entrant": 200,
    "organiser": 200,
}
ROUTES = {
    "/": PUBLIC,
    "/.json": PUBLIC,
    "/index.json": PUBLIC,
    "/leagues/{league}": PUBLIC,
    "/leagues/{league}.json": PUBLIC,
    "/leagues/{league}/matches": PUBLIC,
    "/leagues/{league}/matches.json": PUBLIC,
    "/leagues/{league}/live": PUBLIC,
    "/leagues/{league}/live.json": PUBLIC,
    "/leagues/{league}/records.zip": PUBLIC,
    "/leagues/{league}/finals/{number:int}/records.zip": PUBLIC,
    "/leagues/{league}/bots/{name}": PUBLIC,
    "/leagues/{league}/bots/{name}/stderr": FOR_ITS_AUTHOR,
    "/matches/{match}": PUBLIC,
    "/matches/{match}.json": PUBLIC,
    "/matches/{match}/live": PUBLIC,
    "/matches/{match}/live.json": PUBLIC,
    "/matches/{match}/record": PUBLIC,
    "/matches/{match}/replay.json": PUBLIC,
    "/rules/{game}": PUBLIC,
    "/metrics": PUBLIC,
    "/healthz": PUBLIC,
    "/static": PUBLIC,
}
STREAMS = {"/leagues/{league}/live/events", "/matches/{match}/live/events"}
"""Tested by themselves: they never end."""
UNRELEASED = {"/matches/{match}/record": MISSING, "/matches/{match}/replay.json": MISSING}


def token_of(street: Street, role: str) -> str:
    """Return the token with which a caller comes; it is about the bot ann."""
    return {
        "nobody": "",
        "wrong": "not-a-token",
        "foreign": street.tokens["eve"],
        "neighbour": street.tokens["bob"],
        "entrant": street.tokens["ann"],
        "organiser": street.organiser,
    }[role]


def filled_in(route: str, match: str) -> str:
    """Return an address of a route."""
    path = route.replace("{league}", "autumn").replace("{match}", match)
    path = path.replace("{game}", "gargon").replace("{number:int}", "1")
    return path.replace("/static", "/static/site.css").replace("{name}", "ann")


def test_table_has_every_route(street: Street) -> None:
    async def test(reader: Reader) -> None:
        routes = {route.path for route in reader.application.routes}  # type: ignore[attr-defined]
        assert routes == set(ROUTES) | STREAMS | {each.path for each in FOR_AUTHORS}

    ask(street, test)


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_every_route_against_every_role(street: Street, role: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("the last words of ann\n")

    async def test(reader: Reader) -> None:
        headers = bearer(token_of(street, role))
        bodies = {}
        for route, expected in ROUTES.items():
            path = filled_in(route, street.matches["glastonbury"].id)
            answer = await reader.get(path, expected[role], **headers)
            assert ("the last words" in answer.text) == (
                expected is FOR_ITS_AUTHOR and expected[role] == 200
            )
            if expected is PUBLIC and route != "/metrics":
                bodies[path] = answer.content
        # A token changes nothing about what everybody may see.
        for path, body in bodies.items():
            assert (await reader.get(path)).content == body
        for route, expected in UNRELEASED.items():
            path = filled_in(route, street.matches["unreleased"].id)
            await reader.get(path, expected[role], **headers)

    ask(street, test, error_log=lambda league, name: log if (league, name) == ANN else None)


ANN = ("autumn", "ann")


def test_bot_that_runs_elsewhere_has_no_standard_error_here(street: Street) -> None:
    async def test(reader: Reader) -> None:
        path = "/leagues/autumn/bots/ann/stderr"
        headers = {"accept": "application/json", **bearer(street.tokens["ann"])}
        answer = await reader.json(path, 404, **headers)
        assert "does not run on the server's machine" in answer["error"]
        refused = await reader.get(path, 401)
        assert refused.headers["www-authenticate"] == "Bearer"
        await reader.get("/leagues/autumn/bots/none/stderr", 404, **bearer(street.organiser))

    ask(street, test)


def test_only_the_end_of_a_long_log_is_sent(street: Street, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"first\n" + b"\xff" * 100_000 + b"\nlast\n")

    async def test(reader: Reader) -> None:
        path = "/leagues/autumn/bots/ann/stderr"
        said = (await reader.json(path, 200, **bearer(street.tokens["ann"])))["stderr"]
        assert said.endswith("\nlast\n")
        assert "first" not in said
        assert len(said) == 32 * 1024

    ask(street, test, error_log=lambda *_: log)


def test_application_is_made_with_a_store_and_a_host_alone(street: Street) -> None:
    async def test(reader: Reader) -> None:
        made = create_app(street.store, reader.host)
        assert made.routes
        made.state.resources.close()

    ask(street, test)


def test_no_two_bots_of_the_house_share_a_log() -> None:
    """Names that a file cannot have look alike in its name; their authors must not meet there."""
    names = ["a_b", "a b", "a?b", "ä", "ö"]
    logs = {read_managed_bot(f"spring/{name}=greedy").log_name for name in names}
    assert len(logs) == len(names)
    assert "spring.a_b.log" in logs
