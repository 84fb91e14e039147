"""Two seasons with two divisions on a real server: played, ended, killed, archived, and read."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments.serving import (
    LEAGUE,
    Place,
    all_matches,
    check_everything_once,
    highstreet,
    kill,
    run,
    stop,
    until,
)
from tests.tournaments.swarm import Swarm, league_file
from tournaments.model import ScheduledMatch, Season
from tournaments.store import Store

BOTS = 6
SEASONS = "division_sizes = [3]\npromote = 1\nrelegate = 1\n"
RESULTS = 12
"""How many results a season has at least."""


def seasons(place: Place, *arguments: str) -> Any:
    """Run a subcommand of `highstreet league season` as an organiser; return what it prints."""
    told = {"HIGHSTREET_SERVER": place.address, "HIGHSTREET_TOKEN": place.organiser}
    ran = highstreet("league", "season", *arguments, "--json", **told)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def check_divisions(season: Season, matches: list[ScheduledMatch]) -> None:
    """Every match of a season is between entrants of one division; both divisions have played."""
    own = [match for match in matches if match.season == season.number]
    played_in = set()
    for match in own:
        (division,) = {season.division_of(name) for name in match.entrants}
        played_in.add(division)
    assert played_in == {1, 2}


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["ladder", "rounds"])
def test_two_seasons_are_played_through_and_a_killed_end_goes_on(
    url: str, tmp_path: Path, scheduler: str
) -> None:
    async def test() -> None:
        text = league_file(4, scheduler).replace("bench_after", f"{SEASONS}bench_after")
        (tmp_path / "league.toml").write_text(text, encoding="utf-8")
        place = Place(tmp_path / "server", url, stack)
        options = ("--league", f"{LEAGUE}={tmp_path / 'league.toml'}", "--grace", "0")
        server = await asyncio.to_thread(place.start, *options)
        store = stack.enter_context(Store.open(url, migrate=False))
        names = [f"bot {number}" for number in range(BOTS)]
        tokens = [store.enter(LEAGUE, name, "")[1] for name in names]
        started = await asyncio.to_thread(seasons, place, "start", LEAGUE)
        assert [each["division"] for each in started["entrants"]] == [1, 1, 1, 2, 2, 2]
        swarm = Swarm()
        swarm.send(place.address, tokens)

        async def results(number: int) -> None:
            async def enough() -> bool:
                return len(await asyncio.to_thread(store.results, LEAGUE, number)) >= RESULTS

            await until(enough, f"{RESULTS} results of season {number}")

        async def archived(number: int) -> bool:
            return (await asyncio.to_thread(store.season, LEAGUE, number)).state == "archived"

        try:
            await results(1)
            first = store.season(LEAGUE)
            ended = await asyncio.to_thread(seasons, place, "end", LEAGUE, "--another", "--no-wait")
            kill(server)
            assert ended["state"] in ("final", "archived")
            server = await asyncio.to_thread(place.start, *options)
            await until(lambda: archived(1), "season 1 is archived")
            check_divisions(first, all_matches(store))
            moved = store.season(LEAGUE, 1)
            moves = {each.move.value for each in moved.entrants if each.move}
            assert moves == {"promoted", "relegated"}
            expected = {each.name: each.next_division for each in moved.entrants}
            second = store.season(LEAGUE)
            assert (second.number, second.state) == (2, "open")
            assert {each.name: each.division for each in second.entrants} == expected

            await results(2)
            ended = await asyncio.to_thread(seasons, place, "end", LEAGUE)
            assert (ended["number"], ended["state"]) == (2, "archived")
            check_divisions(second, all_matches(store))
            listed = await asyncio.to_thread(seasons, place, "list", LEAGUE)
            assert [each["number"] for each in listed] == [2, 1]
            shown = await asyncio.to_thread(seasons, place, "show", LEAGUE, "--number", "1")
            check_table(place, shown, division=1)
            check_table(place, shown, division=2)
            assert not store.running(LEAGUE), "between seasons nothing is played"
        finally:
            await swarm.recall_all()
        stop(server)
        check_everything_once(store, tmp_path)

    with ExitStack() as stack:
        run(test)


def check_table(place: Place, season: dict[str, Any], division: int) -> None:
    """Compare the table of a division in an archived season with its ranks."""
    found, _ = place.client().standings(LEAGUE, season=season["number"], division=division)
    own = [each["name"] for each in season["entrants"] if each["division"] == division]
    assert [re.sub("@.*", "", line["name"]) for line in found] == own
    ratings = [line["rating"] for line in found]
    assert [line["rank"] for line in found] == [  # bots with the same rating share a rank
        1 + sum(other > own for other in ratings) for own in ratings
    ]
    assert all(1 <= line["rank_low"] <= line["rank"] <= line["rank_high"] <= 3 for line in found)
