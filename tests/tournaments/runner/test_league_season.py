"""Seasons and retention on a running server: ratings, ends by date, and records that are old."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

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
from tournaments.model import UNLIMITED, Retention, Season
from tournaments.ratings import StandingsRequest, compute_standings
from tournaments.store import Store

pytestmark = pytest.mark.slow

SETTINGS = replace(TWO, time_control=BRIEF, pace=UNLIMITED)
NAMES = ("ann", "bob", "cid")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the address of a database that is not there yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"


async def join_all(running: Running, stack: AsyncExitStack) -> None:
    """Let three bots play."""
    for name in NAMES:
        bot = await running.join(name, bot_version="1", max_matches=1)
        await stack.enter_async_context(playing(bot))


async def until_results(running: Running, season: int, number: int) -> None:
    async def enough() -> bool:
        return len(running.store.results(LEAGUE, season)) >= number

    await until(enough, f"{number} results of season {season}")


async def until_archived(running: Running, number: int) -> Season:
    async def archived() -> Season | None:
        season = running.store.season(LEAGUE, number)
        return season if season.state == "archived" else None

    found: Season = await until(archived, f"season {number} is archived")
    return found


def expected_lines(running: Running, season: int | None) -> dict[str, tuple[int, Any]]:
    """Return matches and mu of each entrant from the results of a season, or of all."""
    settings = running.store.league(LEAGUE).settings
    rated = [f"{name}@1" for name in NAMES]
    request = StandingsRequest.of_league(settings, rated, dict.fromkeys(NAMES, "1"))
    table = compute_standings(running.store.results(LEAGUE, season), request).overall
    return {
        line.entrant: (line.figures.matches, pytest.approx(line.rating.mu))
        for line in table.standings
    }


@pytest.mark.parametrize("carry_over", [False, True])
def test_ratings_start_anew_or_carry_over(file: str, *, carry_over: bool) -> None:
    async def test() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            running.begin(*NAMES, settings=replace(SETTINGS, carry_over=carry_over))
            await running.open()
            await running.manage("start_season", LEAGUE)
            await join_all(running, stack)
            await until_results(running, 1, 6)
            await running.manage("end_season", LEAGUE, another=True)
            await until_archived(running, 1)
            await until_results(running, 2, 6)
            await running.manage("end_season", LEAGUE)
            await until_archived(running, 2)
            lines = (await running.ask("standings", LEAGUE, season=2))[0]
            found = {line["entrant"]: (line["matches"], line["mu"]) for line in lines}
            assert found == expected_lines(running, None if carry_over else 2)
            assert found != expected_lines(running, 2 if carry_over else None)
            lines = (await running.ask("standings", LEAGUE, season=1))[0]
            first = {line["entrant"]: (line["matches"], line["mu"]) for line in lines}
            assert first == expected_lines(running, 1), "an archived season stays as it was"

    run(test)


def test_a_season_ends_at_its_date_while_bots_play(file: str) -> None:
    """With season_days the next season starts, and has an end of its own."""

    async def test() -> None:
        async with league_server(file) as running, AsyncExitStack() as stack:
            running.begin(*NAMES, settings=replace(SETTINGS, season_days=30))
            await running.open()
            await join_all(running, stack)
            ends = datetime.now(UTC) + timedelta(seconds=2)
            season = await running.manage("start_season", LEAGUE, ends)
            assert season["ends_at"][:19] == ends.isoformat()[:19]
            archived = await until_archived(running, 1)
            assert archived.ended_at is not None
            assert archived.ended_at >= ends
            assert running.store.results(LEAGUE, 1), "bots have played"
            assert [each.rank for each in archived.entrants] == [1, 2, 3]
            newest = running.store.season(LEAGUE)
            assert (newest.number, newest.state) == (2, "open")
            assert newest.ends_at is not None
            length = newest.ends_at - newest.started_at
            assert length == pytest.approx(timedelta(days=30), abs=timedelta(seconds=1))
            await until_results(running, 2, 1)

    run(test)


def test_a_season_whose_date_passed_while_the_server_was_away_ends_when_it_starts(
    file: str,
) -> None:
    before = datetime.now(UTC) - timedelta(days=40)
    with Store.open(file, now=lambda: before) as store:
        store.create_league(LEAGUE, SETTINGS)
        for name in NAMES:
            store.enter(LEAGUE, name, "")
        store.start_season(LEAGUE, (), before + timedelta(days=1))

    async def test() -> None:
        async with league_server(file) as running:
            await until_archived(running, 1)
            assert running.store.season(LEAGUE).number == 1, "without season_days none follows"

    run(test)


class Calendar(Store):
    """A store whose clock can be turned on by whole days."""

    ahead = timedelta()

    @classmethod
    def open(cls, url: str, *_arguments: Any, **_more: Any) -> Self:
        """Open it with that clock."""
        return super().open(url, now=lambda: datetime.now(UTC) + cls.ahead)


def test_a_running_server_removes_records_that_have_become_old(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of sets older than ten days those with an even number stay, and all that are marked."""

    async def test() -> None:
        pace = replace(UNLIMITED, matches_per_hour=6)
        settings = replace(SETTINGS, pace=pace, retention=Retention(keep_days=10, keep_every=2))
        async with (
            league_server(file, opened=Calendar, pruning=0.1) as running,
            AsyncExitStack() as stack,
        ):
            running.begin(*NAMES, settings=settings)
            await running.open()
            await join_all(running, stack)
            played = {match.id: match.position for match in await running.until_played(6)}
            records = set(dict(running.store.records(LEAGUE)))
            assert records == set(played), "none is old"
            odd = {match for match, number in played.items() if number % 2}
            await stack.aclose()
            marked = min(odd)
            running.store.keep_record(marked)
            monkeypatch.setattr(Calendar, "ahead", timedelta(days=11))

            async def thinned() -> bool:
                return set(dict(running.store.records(LEAGUE))) == records - odd | {marked}

            await until(thinned, "the server has removed the records of odd sets")
            assert len(running.store.results(LEAGUE)) == len(records), "results stay"
            for match in odd - {marked}:
                assert running.store.thinned_record(match) is not None

    run(test)
