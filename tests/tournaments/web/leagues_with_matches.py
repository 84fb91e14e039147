"""Leagues with matches that were really played, and a client that asks for pages."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import httpx2
from starlette.applications import Starlette

from engine.shuffle import Seed
from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import MatchPlan, Question
from referee.match.result import MatchResult
from referee.transports.grpc_server import RefereeServer
from referee.transports.in_process import InProcessPlayer
from tests.tournaments.leagues import add_set
from tournaments.model import (
    GameSettings,
    Job,
    LeagueSettings,
    Result,
    ScheduledMatch,
)
from tournaments.ratings.computation import StandingsRequest, compute_standings
from tournaments.ratings.documents import as_sections
from tournaments.runner.league_manager import LeagueManager
from tournaments.store import Store
from tournaments.web.app import create_app
from tournaments.worker import played_match

LEAGUE = "autumn"
TWICE = "twice"
HOSTILE = "<script>alert(1)"
"""The name of a bot; a slash would be refused, but its author may have one."""
HOSTILE_AUTHOR = "<script>alert(1)</script>"
ODD = "a?b#c%2F.json"
"""A name that an address must quote, and that ends like a twin."""
SERVER = "test"
PATIENCE = 300.0
"""Seconds that a loaded machine may take for what takes one."""
ALL_GAMES = LeagueSettings(
    "Autumn & <b>winter</b>",
    (
        GameSettings("glastonbury", (2, 3), ("plain", "recipes")),
        GameSettings("kupferkessel", (2,), ("plain",)),
        GameSettings("gargon", (3,), ("plain",)),
    ),
)
DUPLICATE = LeagueSettings("Twice", (GameSettings("glastonbury", (2,)),), deals="duplicate")

FINAL = json.dumps(
    {
        "title": "The <final>",
        "format": "round_robin",
        "matches": 1,
        "rounds": None,
        "standings": [{"rank": 1, "entrant": HOSTILE, "rating": 9.5, "matches": 1, "wins": 1}],
        "secrets": [],
    }
)

Chooser = Callable[[Question], Any]


@dataclass
class Street:
    """A filled store, and the tokens that were given out."""

    url: str
    store: Store
    organiser: str
    tokens: dict[str, str] = field(default_factory=dict)
    records: dict[str, bytes] = field(default_factory=dict)
    """The plain record of every match that was played."""
    matches: dict[str, ScheduledMatch] = field(default_factory=dict)
    """The matches that tests ask for, by what they are."""

    def enter(self, league: str, name: str, *versions: str) -> None:
        """Enter a bot, and let it be seen in some versions."""
        author = HOSTILE_AUTHOR if name == HOSTILE else f"{name}'s author"
        _, self.tokens[name] = self.store.enter(league, name, author)
        for version in versions:
            self.store.see_version(league, name, version)

    def seat(
        self, game: str, variant: str, *table: tuple[str, str], league: str = LEAGUE
    ) -> tuple[ScheduledMatch, ...]:
        """Add a set."""
        return add_set(self.store, league, game, variant, table, why="they <i>should</i> meet")

    def play(self, match: ScheduledMatch, crashing: str = "") -> ScheduledMatch:
        """Play a match for real, in this process, and commit it."""
        claim = self.store.claim(SERVER, match.id, 60.0)
        assert claim is not None
        result = asyncio.run(_played(self.store, claim, crashing))
        self.records[match.id] = result.record
        rated = tuple(seat.rated for seat in match.seats)
        played = played_match(claim, rated, result, 0.0)
        assert self.store.commit(SERVER, [played])
        return self.store.match(match.id)

    def count(self, league: str = LEAGUE) -> None:
        """Bring the standings up to date."""
        self.save(self.store.results(league), league)

    def save(self, results: Sequence[Result], league: str = LEAGUE) -> None:
        """Store the standings after some results."""
        settings = self.store.league(league).settings
        request = StandingsRequest.of_league(settings, (), {})
        found = compute_standings(results, replace(request, replicates=60))
        sections = {name: json.dumps(section) for name, section in as_sections(found).items()}
        self.store.save_standings(league, len(results), sections)


def seed_of(text: str) -> Seed:
    """Return a seed that is the same in every run."""
    return Seed(hashlib.sha256(text.encode()).digest())


def plan_of(store: Store, claim: Job) -> MatchPlan:
    """Return the plan of a match as the host makes it, but for the deal.

    A league has a secret of its own; here the deal is that of the place in the schedule, so that
    every run plays the same matches.
    """
    match, settings = claim.match, store.league(claim.match.competition).settings
    rules = settings.game(match.game)
    return MatchPlan(
        match.id,
        rules.rules,
        rules.options_of(match.variant, len(match.seats)),
        seed_of(f"{match.competition} {match.position}"),
        claim.salt,
        tuple(seat.rated for seat in match.seats),
        settings.time_control,
        settings.policy,
        reveal_seed=not claim.duplicate,
    )


async def _played(store: Store, claim: Job, crashing: str) -> MatchResult:
    chance = Random(claim.match.position)  # noqa: S311  no secret depends on it

    def choose(question: Question) -> Any:
        if claim.match.seats[question.seat].entrant == crashing:
            raise RuntimeError("<b>boom</b>")
        return chance.choice(question.legal)

    lag = LagMeter()
    players = [InProcessPlayer(choose) for _ in claim.match.seats]
    try:
        return await Match(plan_of(store, claim), players, lag).play()
    finally:
        lag.stop()


def in_folder(folder: Path) -> str:
    """Return the address of a database that is a file."""
    return f"sqlite:///{folder / 'league.db'}"


def filled(url: str) -> Street:
    """Make two leagues in an empty database, with everything that pages show."""
    store = Store.open(url)
    street = Street(url, store, store.first_organiser() or "")
    store.create_league(LEAGUE, ALL_GAMES)
    store.create_league(TWICE, DUPLICATE)
    store.publish_final(LEAGUE, "ab", FINAL, [("1-1", b"record")], text="It is published.")
    street.enter(LEAGUE, "ann", "1", "2")
    street.enter(LEAGUE, "bob", "")
    street.enter(LEAGUE, HOSTILE, "<v>")
    street.enter(LEAGUE, ODD, "1")
    street.enter(LEAGUE, "late")
    street.enter(LEAGUE, "clumsy", "1")
    street.enter(TWICE, "eve", "1")
    street.enter(TWICE, "fay", "1")
    ann, bob, hostile, odd = ("ann", "2"), ("bob", ""), (HOSTILE, "<v>"), (ODD, "1")
    for table in [(("ann", "1"), bob), (ann, bob), (ann, hostile), (hostile, odd), (odd, ann)]:
        for match in street.seat("glastonbury", "plain", *table):
            street.matches["glastonbury"] = street.play(match)
    for match in street.seat("glastonbury", "recipes", bob, hostile, ann):
        street.matches["recipes"] = street.play(match)
    for match in street.seat("kupferkessel", "plain", ann, bob):
        street.matches["kupferkessel"] = street.play(match)
    for match in street.seat("gargon", "plain", ann, bob, hostile):
        street.matches["gargon"] = street.play(match)
    for match in street.seat("glastonbury", "plain", bob, ("clumsy", "1")):
        street.matches["forfeited"] = street.play(match, crashing="clumsy")
    store.bench(LEAGUE, "clumsy", "1 forfeit in a row: <b>boom</b>")
    for match in street.seat("glastonbury", "plain", bob, ann):
        street.play(match)
        street.matches["annulled"] = store.annul(match.id, "the <hall> burned")
    for match in street.seat("glastonbury", "plain", ann, bob):
        street.matches["scheduled"] = match
    first, second = street.seat("glastonbury", "plain", ("eve", "1"), ("fay", "1"), league=TWICE)
    street.matches["unreleased"], street.matches["to come"] = street.play(first), second
    street.count()
    street.count(TWICE)
    return street


# Asking -----------------------------------------------------------------------------------------


@dataclass
class Reader:
    """A client that asks for pages."""

    client: httpx2.AsyncClient
    host: LeagueManager
    application: Starlette

    async def get(self, path: str, status: int = 200, **headers: str) -> httpx2.Response:
        """Ask for something, and look at the status."""
        answer = await self.client.get(path, headers=headers)
        assert answer.status_code == status, answer.text
        return answer

    async def json(self, path: str, status: int = 200, **headers: str) -> Any:
        """Ask for a document."""
        answer = await self.get(path, status, **headers)
        assert answer.headers["content-type"] == "application/json"
        return answer.json()


@asynccontextmanager
async def reading(street: Street, **options: Any) -> AsyncIterator[Reader]:
    """Serve a street, without a socket."""
    host = LeagueManager(street.store, street.url, RefereeServer())
    application = create_app(street.store, host, **options)
    transport = httpx2.ASGITransport(application, raise_app_exceptions=False)
    try:
        async with httpx2.AsyncClient(transport=transport, base_url="http://street") as client:
            yield Reader(client, host, application)
    finally:
        application.state.resources.close()
        host._context.lag.stop()


def ask(street: Street, test: Callable[[Reader], Awaitable[None]], **options: Any) -> None:
    """Let a client ask, on a loop of our own."""

    async def asked() -> None:
        async with asyncio.timeout(PATIENCE), reading(street, **options) as reader:
            await test(reader)

    asyncio.run(asked())


def bearer(token: str) -> Mapping[str, str]:
    """Return the header that says who asks."""
    return {"Authorization": f"Bearer {token}"} if token else {}
