"""A league that plays within its budgets, rests when its question is settled, and wakes."""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournaments.serving import (
    BRIEF,
    LEAGUE,
    TWO,
    Running,
    league_server,
    playing,
    run,
    until,
)
from tournaments.model import Pace

QUICK = Pace(
    matches_per_hour=0,
    bot_matches_per_hour=0,
    newcomer_matches=4,
    settle="order",
    settle_width=0,
    settle_meetings=5,
)
"""Equal bots are never told apart, so the meetings of neighbours settle the question."""

SETTLING_SECONDS = 300.0
"""How long a busy machine may take to settle a league: the process of the standings has a low
priority."""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the address of a database that is not there yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"


def counts(running: Running) -> Counter[str]:
    return Counter(seat.entrant for match in running.played() for seat in match.seats)


async def state_of(running: Running) -> dict[str, str]:
    activity: dict[str, str] = (await running.ask("league", LEAGUE))["activity"]
    return activity


async def until_state(running: Running, state: str) -> dict[str, str]:
    async def reached() -> dict[str, str] | None:
        found = await state_of(running)
        return found if found["state"] == state else None

    found: dict[str, str] = await until(reached, f"the league is {state}", SETTLING_SECONDS)
    return found


async def until_why(running: Running, text: str) -> dict[str, str]:
    async def said() -> dict[str, str] | None:
        found = await state_of(running)
        return found if text in found["why"] else None

    found: dict[str, str] = await until(said, f"the league says that {text}")
    return found


async def joined(running: Running, stack: AsyncExitStack, *names: str) -> None:
    for name in names:
        bot = await running.join(name, max_matches=1)
        await stack.enter_async_context(playing(bot))


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["ladder", "rounds"])
def test_a_settled_league_rests_over_a_restart_and_a_newcomer_wakes_it(
    file: str, scheduler: str
) -> None:
    tokens: dict[str, str] = {}

    async def settle() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            settings = replace(TWO, time_control=BRIEF, pace=QUICK, scheduler=scheduler)
            running.begin("ann", "bob", "cid", "dan", settings=settings)
            await running.open()
            await joined(running, stack, "ann", "bob", "cid")
            found = await until_state(running, "resting")
            assert found["why"].startswith("The order of the 3 bots that are here is settled")
            assert "new bot" in found["wakes"]
            tokens.update(running.tokens)

    async def wake() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            running.tokens.update(tokens)
            before = len(running.played())
            await joined(running, stack, "ann", "bob", "cid")
            found = await until_state(running, "resting")
            assert len(running.played()) == before, "it rests after a restart too"
            last = max(match.ended_at for match in running.played() if match.ended_at)
            assert found["since_time"][:19] == last.isoformat()[:19]

            await joined(running, stack, "dan")
            await until_state(running, "playing")
            await until_state(running, "resting")
            assert counts(running)["dan"] >= QUICK.newcomer_matches
            shown = {each["name"] for each in (await running.ask("standings", LEAGUE))[0]}
            assert "dan" in shown

    run(settle, 2 * SETTLING_SECONDS)
    run(wake, 3 * SETTLING_SECONDS)


def test_a_new_version_and_an_annulled_match_wake_a_league(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            pace = replace(QUICK, newcomer_matches=8)
            settings = replace(TWO, time_control=BRIEF, pace=pace)
            running.begin("ann", "bob", settings=settings)
            await running.open()
            await joined(running, stack, "ann", "bob")
            await until_state(running, "resting")
            for match in running.played()[2:]:
                await running.manage("annul", match.id, "a test")

            async def enough() -> bool:
                return len(running.played()) >= pace.newcomer_matches

            await until(enough, "the league plays again what was annulled")
            await until_state(running, "resting")

            bob = await running.join("bob", bot_version="2", max_matches=1)
            async with playing(bob):
                await until_state(running, "playing")
                await until_state(running, "resting")
                seats = [seat for match in running.played() for seat in match.seats]
                assert sum(seat.version == "2" for seat in seats) >= pace.newcomer_matches

    run(test)


def test_budgets_hold_and_newcomers_do_not_wait_for_them(file: str) -> None:
    """Twelve matches an hour in all: of the first two, then ten more of newcomers at once."""

    async def test() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            pace = Pace(12, 0, newcomer_matches=4, settle="never")
            settings = replace(TWO, time_control=BRIEF, pace=pace, max_tables=1)
            running.begin("ann", "bob", "cid", settings=settings)
            await running.open()
            await joined(running, stack, "ann", "bob")
            found = await until_why(running, "12 matches began within 60 minutes")
            assert found["state"] == "waiting"
            assert "goes on from" in found["wakes"]
            assert len(running.played()) == 12

            await joined(running, stack, "cid")

            async def four() -> bool:
                return counts(running)["cid"] == pace.newcomer_matches

            await until(four, "cid has had its first matches")
            await until_why(running, "16 matches began within 60 minutes")
            assert len(running.played()) == 12 + pace.newcomer_matches

    run(test)


def test_the_budget_of_each_bot_is_counted_in_the_store(file: str) -> None:
    tokens: dict[str, str] = {}
    pace = Pace(0, 6, newcomer_matches=0, settle="never")

    async def first() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            settings = replace(TWO, time_control=BRIEF, pace=pace)
            running.begin("ann", "bob", "cid", settings=settings)
            await running.open()
            tokens.update(running.tokens)
            await joined(running, stack, "ann", "bob", "cid")
            await until_why(running, "6 matches within 60 minutes")
            assert max(counts(running).values()) == 6

    async def again() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            running.tokens.update(tokens)
            before = counts(running)
            await joined(running, stack, "ann", "bob", "cid")
            await until_why(running, "6 matches within 60 minutes")
            assert counts(running) == before, "a restart gives no bot a new budget"

    run(first)
    run(again)


def test_bots_of_one_author_wait_and_the_league_says_why(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            running.store.create_league(LEAGUE, replace(TWO, time_control=BRIEF))
            for name, author in (("ann", "Ann"), ("bob", "ann "), ("cid", "Cid")):
                _, running.tokens[name] = running.store.enter(LEAGUE, name, author.strip())
            await running.open()
            await joined(running, stack, "ann", "bob")
            await until_why(running, "one author or one network")
            assert not running.played()
            await joined(running, stack, "cid")
            for match in await running.until_played(4):
                assert {"cid"} < {seat.entrant for seat in match.seats}

    run(test)


def test_divisions_settle_apart_and_a_league_between_two_seasons_says_so(file: str) -> None:
    """Bots of two divisions never meet, so the order across them is no question."""

    async def test() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            settings = replace(TWO, time_control=BRIEF, pace=QUICK, division_sizes=(2,))
            running.begin("ann", "bob", "cid", "dan", settings=settings)
            await running.open()
            await running.manage("start_season", LEAGUE)
            await joined(running, stack, "ann", "cid")
            await until_why(running, "No division has 2 bots that are here")
            await joined(running, stack, "bob", "dan")
            found = await until_state(running, "resting")
            assert found["why"].startswith("In 2 divisions the order of the 2 bots")
            tables = {frozenset(seat.entrant for seat in match.seats) for match in running.played()}
            assert tables == {frozenset({"ann", "bob"}), frozenset({"cid", "dan"})}
            await running.manage("end_season", LEAGUE)
            found = await until_why(running, "Season 1 is archived, and none is open")
            assert (found["state"], found["wakes"]) == ("waiting", "The next season wakes it.")
            await running.manage("start_season", LEAGUE)
            await until_state(running, "playing")

    run(test)
