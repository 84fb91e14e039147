"""Programs of docs/reference/standings.md give the ratings of a real league, by both systems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.tournaments.serving import BRIEF, LEAGUE, Running, league_server, playing, run, until
from tests.tournaments.standings_programs import LEAGUE_BY_MATCH, WHOLE_HISTORY, rate_of_page
from tournaments.model import GameSettings, LeagueSettings
from tournaments.ratings import recompute_sections
from tournaments.ratings.rating_fold import PROBATION

RULES = GameSettings("glastonbury", (2, 3), draw_probability=0.25)
SETTINGS = LeagueSettings("Programs", (RULES,), time_control=BRIEF)


def results_of(running: Running) -> list[tuple[str, str, list[str], list[int]]]:
    """Read game, set, entrants and places from the records, in the order of the schedule."""
    unpack = zstandard.ZstdDecompressor().decompress
    found: list[Any] = []
    for _, record in running.store.records(LEAGUE):
        lines = unpack(record, max_output_size=2**24).splitlines()
        found.append((json.loads(lines[0]), json.loads(lines[-1])))
    found.sort(key=lambda each: each[0]["league"]["position"])
    return [
        (
            head["game"],
            head["league"]["set"],
            [seat["entrant"] for seat in head["seats"]],
            end["places"],
        )
        for head, end in found
    ]


def ratings_in(table: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    return {line["rated"]: (line["mu"], line["sigma"]) for line in table["standings"]}


def approximately(ratings: Mapping[str, Iterable[float]]) -> dict[str, Any]:
    return {name: pytest.approx(tuple(rating), abs=1e-5) for name, rating in ratings.items()}


@pytest.mark.slow
def test_the_programs_of_the_page_give_the_ratings_of_a_league(tmp_path: Path) -> None:
    async def test() -> None:
        async with league_server(f"sqlite:///{tmp_path / 'league.db'}") as running:
            running.begin("ann", "bob", "cid", settings=replace(SETTINGS, max_tables=1))
            await running.open()
            bob = await running.join("bob", bot_version="1")
            cid = await running.join("cid", bot_version="1")
            async with playing(bob, cid):
                for version, enough in (("1", 3), ("2", PROBATION + 2)):
                    async with playing(await running.join("ann", bot_version=version)):

                        async def met(wanted: str = version, times: int = enough) -> bool:
                            seats = [seat for match in running.played() for seat in match.seats]
                            found = [(seat.entrant, seat.version) for seat in seats]
                            return found.count(("ann", wanted)) >= times

                        await until(met, f"ann@{version} has played")

            async def still() -> bool:
                return not running.server.manager.tables and not running.store.running(LEAGUE)

            await until(still, "all matches are over")
            results = results_of(running)

            async def computed() -> dict[str, Any] | None:
                text = running.store.load_standings(LEAGUE, "*/*/*")
                table: dict[str, Any] = json.loads(text or "{}")
                return table if table.get("matches") == len(results) else None

            table = await until(computed, "the standings have all matches")
            head = json.loads(running.store.load_standings(LEAGUE, "head") or "{}")
            assert head["draw_probability"] == {"glastonbury": 0.25}
            expected = rate_of_page(WHOLE_HISTORY)(results, head["draw_probability"])
            assert expected.keys() == {"ann@1", "ann@2", "bob@1", "cid@1"}
            assert ratings_in(table) == approximately(expected)

            # The same matches, rated match by match.
            store = running.store
            sections = {
                name: json.loads(text) for name, text in store.stored_standings(LEAGUE)[1].items()
            }
            settings = replace(SETTINGS, rating="trueskill-sequential")
            by_match = recompute_sections(sections, settings, store.results(LEAGUE))
            plain = [(game, names, places) for game, _, names, places in results]
            expected = rate_of_page(LEAGUE_BY_MATCH)(plain, head["draw_probability"])
            assert ratings_in(by_match["*/*/*"]) == approximately(expected)

    run(test)
