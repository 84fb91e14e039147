"""LeagueService over a real socket: who may do what, what is done once, what is refused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from highstreet.v1 import league_pb2 as pb

from referee.transports.tokens import new_token
from tests.referee.dialling import Dialler
from tests.tournaments.server.calling import NO, OK, WHO, Caller
from tests.tournaments.serving import (
    LEAGUE,
    TWO,
    Running,
    highstreet,
    league_server,
    run,
)
from tournaments.model import GameSettings, LeagueSettings, Result, TrueSkillSettings
from tournaments.ratings.computation import StandingsRequest, compute_standings
from tournaments.ratings.documents import as_sections
from tournaments.server import league_messages
from tournaments.server.league_client import LeagueClient
from tournaments.server.store_service import ENTRIES
from tournaments.store.entrants import MOST_OWN_UNBENCHINGS

EVERYBODY = (OK, OK, OK, OK)
ORGANISERS = (WHO, NO, NO, OK)
AND_ITSELF = (WHO, NO, OK, OK)
ROLES = ("nobody", "foreign", "own", "organiser")
"""A caller without a token, an entrant of another league, the entrant itself, an organiser."""

REQUESTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "CreateLeague": (
        pb.CreateLeagueRequest(
            league="new",
            settings=league_messages.settings_message(TWO),
            request_id="the same each time",
        ),
        ORGANISERS,
    ),
    "GetLeague": (pb.GetLeagueRequest(league=LEAGUE), EVERYBODY),
    "ListLeagues": (pb.ListLeaguesRequest(), EVERYBODY),
    "EnterBot": (pb.EnterBotRequest(league=LEAGUE, name="new", request_id="once"), ORGANISERS),
    "ListEntrants": (pb.ListEntrantsRequest(league=LEAGUE), EVERYBODY),
    "GetStandings": (pb.GetStandingsRequest(league=LEAGUE), EVERYBODY),
    "ListMatches": (pb.LeagueServiceListMatchesRequest(league=LEAGUE), EVERYBODY),
    "UnbenchBot": (pb.UnbenchBotRequest(league=LEAGUE, name="ann"), AND_ITSELF),
    "AnnulMatch": (pb.AnnulMatchRequest(match="nothing-1", reason="why"), ORGANISERS),
    "WithdrawBot": (pb.WithdrawBotRequest(league=LEAGUE, name="ann"), AND_ITSELF),
    "DisqualifyBot": (
        pb.DisqualifyBotRequest(league=LEAGUE, name="bob", reason="why"),
        ORGANISERS,
    ),
    "StartSeason": (pb.StartSeasonRequest(league=LEAGUE), ORGANISERS),
    "GetSeason": (pb.GetSeasonRequest(league=LEAGUE), EVERYBODY),
    "ListResiduals": (pb.ListResidualsRequest(league=LEAGUE), EVERYBODY),
    "ListSeasons": (pb.ListSeasonsRequest(league=LEAGUE), EVERYBODY),
    "EndSeason": (pb.EndSeasonRequest(league=LEAGUE), ORGANISERS),
    "CloseLeague": (pb.CloseLeagueRequest(league=LEAGUE), ORGANISERS),
    # The last one: the token of the bot is good no more.
    "ReissueToken": (pb.ReissueTokenRequest(league=LEAGUE, name="ann"), AND_ITSELF),
}
"""Every method with a request, and what it comes to for each role; in an order that works."""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the address of a database that is not there yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"


METHODS = pb.DESCRIPTOR.services_by_name["LeagueService"].methods


@asynccontextmanager
async def asked(file: str, **settings: Any) -> AsyncIterator[tuple[Running, Caller]]:
    """Run a server with a league, and a client that asks it."""
    async with league_server(file, **settings) as running:
        running.begin("ann", "bob")
        running.store.create_league("other", TWO)
        _, running.tokens["foreign"] = running.store.enter("other", "ann", "")
        async with grpc.aio.insecure_channel(running.address) as channel:
            yield running, Caller(channel, pb, "LeagueService")


def test_a_lost_token_is_reissued_and_the_old_one_is_good_no_more(file: str) -> None:
    async def test() -> None:
        async with asked(file) as (running, _):
            first = running.tokens["ann"]
            second = await asyncio.to_thread(
                LeagueClient(running.address, running.organiser).reissue_token, LEAGUE, "ann"
            )
            assert running.store.identify(second).entrant == "ann"
            assert running.store.identify(first).role == "anyone"
            # Its author, who has that one, gets another one.
            third = await asyncio.to_thread(
                LeagueClient(running.address, second).reissue_token, LEAGUE, "ann"
            )
            assert running.store.identify(third).entrant == "ann"
            assert running.store.identify(running.tokens["foreign"]).entrant

    run(test)


def test_the_journal_says_who_withdrew_a_bot(file: str) -> None:
    async def test() -> None:
        async with asked(file) as (running, call):
            for name, token in (("ann", running.tokens["ann"]), ("bob", running.organiser)):
                request = pb.WithdrawBotRequest(league=LEAGUE, name=name)
                await call.refused("WithdrawBot", request, token)
                assert running.store.entrant(LEAGUE, name).state == "withdrawn"
            entries = [entry.text for entry in running.store.journal(LEAGUE, 2)]
            assert entries == [
                "bob was withdrawn by an organiser.",
                "ann was withdrawn by its author.",
            ]

    run(test)


def test_a_bot_takes_itself_from_the_bench_only_so_often(file: str) -> None:
    async def test() -> None:
        async with asked(file) as (running, call):
            request = pb.UnbenchBotRequest(league=LEAGUE, name="ann")
            codes = []
            for _ in range(MOST_OWN_UNBENCHINGS + 1):
                running.store.bench(LEAGUE, "ann", "it forfeited")
                codes.append(await call.refused("UnbenchBot", request, running.tokens["ann"]))
            assert [code for code, _ in codes[:-1]] == [OK] * MOST_OWN_UNBENCHINGS
            assert codes[-1] == ("FAILED_PRECONDITION", "WRONG_STATE")
            assert running.store.entrant(LEAGUE, "ann").state == "benched"
            await call.refused("UnbenchBot", request, running.organiser)
            assert running.store.entrant(LEAGUE, "ann").state == "active"

    run(test)


def test_open_entry_has_a_limit_for_each_address(file: str) -> None:
    """Of 40 bots from one address ten are entered; an organiser may enter more."""

    async def test() -> None:
        async with league_server(file, open_entry=True) as running:
            running.begin()
            async with grpc.aio.insecure_channel(running.address) as channel:
                call = Caller(channel, pb, "LeagueService")
                requests = [pb.EnterBotRequest(league=LEAGUE, name=f"bot{n}") for n in range(40)]
                codes = [await call.refused("EnterBot", each, None) for each in requests]
                assert codes[: ENTRIES.burst] == [(OK, "")] * ENTRIES.burst
                assert codes[-1] == ("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS")
                assert len(running.store.entrants(LEAGUE).items) < ENTRIES.burst + 3
                by_organiser = await call.refused("EnterBot", requests[-1], running.organiser)
                assert by_organiser == (OK, "")

    run(test)


def test_a_league_has_room_for_so_many_entrants(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann", "bob", settings=replace(TWO, max_entrants=2))
            async with grpc.aio.insecure_channel(running.address) as channel:
                call = Caller(channel, pb, "LeagueService")
                request = pb.EnterBotRequest(league=LEAGUE, name="cid")
                full = await call.refused("EnterBot", request, running.organiser)
                assert full == ("RESOURCE_EXHAUSTED", "WRONG_STATE")
                running.store.withdraw(LEAGUE, "ann")
                assert await call.refused("EnterBot", request, running.organiser) == (OK, "")

    run(test)


def test_the_table_has_every_method() -> None:
    assert REQUESTS.keys() == {method.name for method in METHODS}


def test_every_method_against_every_role(file: str) -> None:
    async def test() -> None:
        async with asked(file) as (running, call):
            tokens = {
                "nobody": None,
                "foreign": running.tokens["foreign"],
                "own": running.tokens["ann"],
                "organiser": running.organiser,
            }
            found = {}
            for method, (request, _) in REQUESTS.items():
                codes = [await call.refused(method, request, tokens[role]) for role in ROLES]
                # An organiser may ask for a match that there is not, or for a bench that is empty.
                found[method] = tuple(
                    OK if code in ("NOT_FOUND", "FAILED_PRECONDITION") else code
                    for code, _ in codes
                )
                stranger = await call.refused(method, request, new_token())
                assert stranger == (WHO, "BAD_TOKEN"), method
            assert found == {method: expected for method, (_, expected) in REQUESTS.items()}

    run(test)


def test_an_organiser_is_no_bot(file: str) -> None:
    async def test() -> None:
        async with asked(file) as (running, _):
            bot = Dialler(running.address)
            with pytest.raises(grpc.aio.AioRpcError):
                await bot.join(running.organiser)
            assert await bot.end_status() == (grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN")
            await bot.cut()

    run(test)


def test_what_is_asked_for_twice_with_one_request_id_is_done_once(file: str) -> None:
    async def test() -> None:
        async with asked(file) as (running, call):
            create, _ = REQUESTS["CreateLeague"]
            answers = [await call("CreateLeague", create, running.organiser) for _ in range(2)]
            assert answers[0] == answers[1]
            create = pb.CreateLeagueRequest(league="new", settings=create.settings)
            again = await call.refused("CreateLeague", create, running.organiser)
            assert again == ("ALREADY_EXISTS", "ALREADY_EXISTS")

            enter = pb.EnterBotRequest(league=LEAGUE, name="cid", author="C", request_id="7")
            first, second = [await call("EnterBot", enter, running.organiser) for _ in range(2)]
            assert first.entrant == second.entrant
            assert first.token
            assert not second.token, "a token is shown once"
            assert running.store.identify(first.token).entrant == "cid"
            enter.name = "dan"
            other = await call.refused("EnterBot", enter, running.organiser)
            assert other[0] == "ALREADY_EXISTS", "that request id belongs to another request"

    run(test)


@pytest.mark.parametrize(
    ("method", "request_", "expected"),
    [
        (
            "GetLeague",
            pb.GetLeagueRequest(league="none"),
            ("NOT_FOUND", "NO_SUCH_LEAGUE"),
        ),
        (
            "ListEntrants",
            pb.ListEntrantsRequest(league=LEAGUE, page_size=-1),
            ("INVALID_ARGUMENT", "BAD_REQUEST"),
        ),
        (
            "ListEntrants",
            pb.ListEntrantsRequest(league=LEAGUE, page_token="?"),
            ("INVALID_ARGUMENT", "BAD_REQUEST"),
        ),
        (
            "WithdrawBot",
            pb.WithdrawBotRequest(league=LEAGUE, name="zoe"),
            ("NOT_FOUND", "NO_SUCH_ENTRANT"),
        ),
        (
            "DisqualifyBot",
            pb.DisqualifyBotRequest(league=LEAGUE, name="ann"),
            ("INVALID_ARGUMENT", "BAD_REQUEST"),
        ),
        (
            "AnnulMatch",
            pb.AnnulMatchRequest(match="x", reason="why"),
            ("NOT_FOUND", "NO_SUCH_MATCH"),
        ),
        (
            "CreateLeague",
            pb.CreateLeagueRequest(
                league="Big Letters", settings=league_messages.settings_message(TWO)
            ),
            ("INVALID_ARGUMENT", "BAD_REQUEST"),
        ),
        (
            "CreateLeague",
            pb.CreateLeagueRequest(league="x", settings=pb.LeagueSettings(title="x")),
            ("INVALID_ARGUMENT", "BAD_REQUEST"),
        ),
        (
            "EnterBot",
            pb.EnterBotRequest(league=LEAGUE, name="a" * 70_000),
            ("RESOURCE_EXHAUSTED", ""),
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(
    method: str, request_: Any, expected: tuple[str, str], file: str
) -> None:
    async def test() -> None:
        async with asked(file) as (running, call):
            assert await call.refused(method, request_, running.organiser) == expected

    run(test)


def test_pages_have_everybody_once(file: str) -> None:
    async def test() -> None:
        async with asked(file) as (running, call):
            names = ["ann", "bob"] + [f"bot {number}" for number in range(9)]
            for name in names[2:]:
                running.store.enter(LEAGUE, name, "")
            found, token = [], ""
            while True:
                request = pb.ListEntrantsRequest(league=LEAGUE, page_size=3, page_token=token)
                page = await call("ListEntrants", request)
                assert len(page.entrants) <= 3
                found += [entrant.name for entrant in page.entrants]
                token = page.next_page_token
                if not token:
                    break
            assert found == names

    run(test)


PARTS = LeagueSettings("Parts", (GameSettings("glastonbury", (2, 3), ("plain", "recipes")),))
KINDS = [(2, "plain")] * 4 + [(3, "plain")] * 3 + [(3, "recipes")] * 2 + [(2, "recipes")]
"""Ten matches, of each kind another number."""


def counted() -> dict[str, str]:
    """Return the standings after matches of every kind, which ann wins and bob loses."""
    results = [
        Result(
            f"s{n}-1",
            f"s{n}",
            "glastonbury",
            variant,
            ("ann@1", "bob@1") if seats == 2 else ("ann@1", "cid@1", "bob@1"),
            tuple(range(1, seats + 1)),
            tuple(range(seats, 0, -1)),
            (),
            (1.0,) * seats,
            40,
        )
        for n, (seats, variant) in enumerate(KINDS)
    ]
    found = compute_standings(results, StandingsRequest(replicates=60, all_pairs=False))
    return {name: json.dumps(section) for name, section in as_sections(found).items()}


@pytest.mark.slow
def test_standings_can_be_asked_for_by_size_and_variant(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann", "bob", "cid", settings=PARTS)
            running.store.save_standings(LEAGUE, len(KINDS), counted())
            async with grpc.aio.insecure_channel(running.address) as channel:
                call = Caller(channel, pb, "LeagueService")
                for asked_for, matches, bots in (
                    ({}, 10, 3),
                    ({"seats": 2}, 5, 2),
                    ({"variant": "recipes"}, 3, 3),
                    ({"seats": 3, "variant": "recipes"}, 2, 3),
                    ({"seats": 2, "variant": "recipes", "game": "glastonbury"}, 1, 2),
                ):
                    request = pb.GetStandingsRequest(league=LEAGUE, **asked_for)
                    answer = await call("GetStandings", request)
                    names = [row.name for row in answer.standings]
                    assert (answer.matches, len(names)) == (matches, bots), asked_for
                    assert (names[0], names[-1]) == ("ann", "bob")
                    assert all(row.matches <= matches for row in answer.standings)
                for wrong in ({"seats": 4}, {"seats": -1}, {"variant": "fog"}, {"game": "gargon"}):
                    request = pb.GetStandingsRequest(league=LEAGUE, **wrong)
                    refused = await call.refused("GetStandings", request)
                    assert refused == ("INVALID_ARGUMENT", "BAD_REQUEST"), wrong
            words = ("standings", LEAGUE, "--seats", "3", "--variant", "recipes", "--json")
            said = await asyncio.to_thread(
                highstreet, "league", *words, HIGHSTREET_SERVER=running.address
            )
            table = json.loads(said.stdout)
            assert table["matches"] == 2
            assert [row["entrant"] for row in table["standings"]] == ["ann", "cid", "bob"]

    run(test)


def test_everybody_may_enter_where_the_server_says_so(file: str) -> None:
    async def test() -> None:
        async with asked(file, open_entry=True) as (_, call):
            request = pb.EnterBotRequest(league=LEAGUE, name="<script>alert(1)")
            assert (await call("EnterBot", request)).token

    run(test)


@pytest.mark.slow
def test_a_flood_of_requests_is_refused_and_the_server_goes_on(file: str) -> None:
    async def test() -> None:
        async with asked(file) as (running, call):
            request = pb.GetLeagueRequest(league=LEAGUE)
            token = running.tokens["ann"]
            codes: list[str] = []
            while "RESOURCE_EXHAUSTED" not in codes:  # a slow machine needs more of them
                flood = [call.refused("GetLeague", request, token) for _ in range(450)]
                codes += [code for code, _ in await asyncio.gather(*flood)]
            assert codes.count(OK) >= 200, "a burst is answered"
            assert (await call.refused("GetLeague", request, running.organiser))[0] == OK

    run(test)


def test_settings_survive_the_wire() -> None:
    text = TWO.as_json().replace('"options": {}', '"options": {"dead_end_counts_as_end": true}')
    for settings in (TWO, LeagueSettings.from_json(text)):
        assert league_messages.read_settings(league_messages.settings_message(settings)) == settings
    never = LeagueSettings("x", TWO.games, bench_after=0, scheduler="rounds", deals="duplicate")
    assert league_messages.read_settings(league_messages.settings_message(never)) == never
    scale = TrueSkillSettings(0.0, 100.0, 50.0, 1.0)
    scaled = LeagueSettings("x", TWO.games, rating="trueskill-sequential", trueskill=scale)
    assert league_messages.read_settings(league_messages.settings_message(scaled)) == scaled
    assert LeagueSettings.from_json(scaled.as_json()) == scaled
