"""Every route and method for authors against every role."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.leagues import LEAGUE
from tests.tournaments.web.leagues_with_matches import Reader, bearer
from tests.tournaments.web.workshop import OTHER, Workshop, ask_with_queue, package, workshop
from tournaments.model import Role
from tournaments.submissions import SubmissionQueue

ROLES: Final = (
    "anonymous",
    "wrong token",
    "entrant",
    "other author",
    "author elsewhere",
    "pending",
    "blocked",
    "author",
    "organiser",
)
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH")


def statuses(*numbers: int) -> dict[str, int]:
    """Return the status of each role."""
    return dict(zip(ROLES, numbers, strict=True))


EVERYONE: Final = statuses(*[200] * 9)
OWN: Final = statuses(401, 401, 403, 403, 403, 403, 403, 200, 200)
HIDDEN: Final = statuses(*[404] * 7, 200, 200)
"""As if it were not there."""
ACCOUNT: Final = statuses(401, 401, 403, 200, 403, 200, 200, 200, 403)
UPLOAD: Final = statuses(401, 401, 403, 202, 403, 403, 403, 202, 403)
SIGN_UP: Final = statuses(201, 401, *[201] * 7)


@dataclass(frozen=True)
class ForAuthors:
    """A route with a method, and the status of each role."""

    path: str
    expected: dict[str, int]
    method: str = "GET"


PACKAGE: Final = "/packages/{hash}.tar.gz"
FOR_AUTHORS: Final = (
    ForAuthors("/leagues/{league}/take-part", EVERYONE),
    ForAuthors("/leagues/{league}/take-part.json", EVERYONE),
    ForAuthors("/leagues/{league}/accounts", SIGN_UP, "POST"),
    ForAuthors("/leagues/{league}/account.json", ACCOUNT),
    ForAuthors("/leagues/{league}/packages/", UPLOAD, "PUT"),
    ForAuthors("/leagues/{league}/packages/", UPLOAD, "POST"),
    ForAuthors("/leagues/{league}/packages/{file}", UPLOAD, "PUT"),
    ForAuthors("/leagues/{league}/packages/{file}", UPLOAD, "POST"),
    ForAuthors("/leagues/{league}/bots/{name}/stderr", OWN),
    ForAuthors("/submissions/{number}.json", OWN),
    ForAuthors("/submissions/{number}/events", OWN),
    ForAuthors("/submissions/{number}/log", OWN),
    ForAuthors("/submissions/{number}/activate", OWN, "POST"),
    ForAuthors("/leagues/{league}/bots/{name}/retire", OWN, "POST"),
    ForAuthors(PACKAGE, HIDDEN),
)


@pytest.fixture
def made(own_url: str) -> Iterator[Workshop]:
    """Return a league in which every role exists."""
    made = workshop(own_url)
    for name in ("ann", "bob", "bea"):
        made.sign_up(name)
    made.sign_up("pat", by=Role.ANYONE)
    made.sign_up("eve", league=OTHER)
    made.activate("ann", "crow")
    made.activate("bea", "hawk")
    made.activate("ann", "wren", public=True)
    made.store.block_account(LEAGUE, "bea", "two bots that play for each other")
    made.enter(LEAGUE, "remote")
    yield made
    made.store.close()


def token_of(made: Workshop, role: str) -> str:
    """Return the token with which a role asks."""
    names = {
        "entrant": "remote",
        "other author": "bob",
        "author elsewhere": "eve",
        "pending": "pat",
        "blocked": "bea",
        "author": "ann",
    }
    if role in names:
        return made.tokens[names[role]]
    return {"anonymous": "", "wrong token": "not-a-token", "organiser": made.organiser}[role]


def filled_in(made: Workshop, path: str, role: str) -> str:
    """Return an address about the bot crow of ann; for the blocked author about her own."""
    bot = "hawk" if role == "blocked" else "crow"
    about = {"league": LEAGUE, "name": bot, "number": str(made.submissions[bot].id)}
    return path.format(**about, file="my-bot.tar.gz", hash=made.submissions[bot].package)


@pytest.mark.parametrize("role", ROLES)
def test_every_route_and_method_against_every_role(
    made: Workshop, tmp_path: Path, role: str
) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        headers = bearer(token_of(made, role))
        for number, route in enumerate(FOR_AUTHORS):
            path = filled_in(made, route.path, role)
            content, kind = b"", {}
            if route.expected is UPLOAD:
                content = package(f"{role.replace(' ', '-')}-bot", extra=f"# {number}\n")
            elif route.expected is SIGN_UP:
                content, kind = b'{"name": "zoe"}', {"content-type": "application/json"}
            answer = await reader.client.request(
                route.method, path, content=content, headers={**headers, **kind}
            )
            assert answer.status_code == route.expected[role], (route, answer.text)
            assert "set-cookie" not in answer.headers
            if answer.status_code == 401:
                assert answer.headers["www-authenticate"] == "Bearer"
        wren = PACKAGE.format(hash=made.submissions["wren"].package)
        await reader.get(wren, 200, **headers)

    ask_with_queue(made, tmp_path, test)


@pytest.mark.parametrize("role", ["anonymous", "author", "organiser"])
def test_other_methods_are_refused(made: Workshop, tmp_path: Path, role: str) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        for path in dict.fromkeys(route.path for route in FOR_AUTHORS):
            taken = {route.method for route in FOR_AUTHORS if route.path == path}
            taken |= {"HEAD"} if "GET" in taken else set()
            for method in set(METHODS) - taken:
                address = filled_in(made, path, role)
                answer = await reader.client.request(
                    method, address, headers=bearer(token_of(made, role))
                )
                assert answer.status_code == 405, (method, path)

    ask_with_queue(made, tmp_path, test)


def test_blocked_author_is_told_why(made: Workshop, tmp_path: Path) -> None:
    async def test(reader: Reader, _: SubmissionQueue) -> None:
        headers = {**bearer(made.tokens["bea"]), "accept": "application/json"}
        refused = await reader.json(
            filled_in(made, "/submissions/{number}/log", "blocked"), 403, **headers
        )
        assert "two bots that play for each other" in refused["error"]
        found = await reader.json(f"/leagues/{LEAGUE}/account.json", 200, **headers)
        assert found["account"]["reason"] == "two bots that play for each other"

    ask_with_queue(made, tmp_path, test)
