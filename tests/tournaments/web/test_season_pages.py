"""The page of a league with seasons: selectors, divisions, and seasons that are archived."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from tests.tournaments.by_rounds import publish_final
from tests.tournaments.pairing import test_knock_out as knock_out
from tests.tournaments.pairing import test_swiss as swiss
from tests.tournaments.web.leagues_with_matches import LEAGUE, Reader, Street, ask, in_folder
from tournaments.model import GameSettings, LeagueSettings, Result
from tournaments.store import Store

NAMES = ("ann", "bob", "cy", "dee")
SETTINGS = LeagueSettings("Spring", (GameSettings("glastonbury", (2,)),), division_sizes=(2,))


def result(n: int, one: str, other: str) -> Result:
    """Return a match that the first one won."""
    table, used = (f"{one}@1", f"{other}@1"), (0.1, 0.1)
    return Result(f"{n}-1", f"{n}", "glastonbury", "plain", table, (1, 2), (9, 3), (), used, 70)


def with_seasons(folder: Path) -> Street:
    """Return a league whose first season is archived, and whose second one is open."""
    store = Store.open(in_folder(folder))
    street = Street(in_folder(folder), store, store.first_organiser() or "")
    store.create_league(LEAGUE, SETTINGS)
    for name in NAMES:
        street.enter(LEAGUE, name)
    store.start_season(LEAGUE)
    store.end_season(LEAGUE, another=True)
    street.save([result(1, "ann", "bob"), result(2, "cy", "dee")])
    _, sections = store.stored_standings(LEAGUE)
    store.archive_season(LEAGUE, 0, ("ann", "cy", "bob", "dee"), sections)
    return street


def test_an_archived_season_stays_readable_by_division(tmp_path: Path) -> None:
    street, path = with_seasons(tmp_path), f"/leagues/{LEAGUE}"

    async def test(reader: Reader) -> None:
        first = await reader.json(f"{path}.json?season=1&division=1")
        assert [line["entrant"] for line in first["table"]["standings"]] == ["ann", "bob"]
        assert [line["rank"] for line in first["table"]["standings"]] == [1, 2]
        assert first["season"]["state"] == "archived"
        assert first["seasons"] == [2, 1]
        moves = {each["name"]: each["move"] for each in first["season"]["entrants"]}
        assert moves == {"ann": "", "bob": "relegated", "cy": "promoted", "dee": ""}
        page = (await reader.get(f"{path}?season=1&division=2")).text
        assert f'href="{path}?season=1&amp;division=1"' in page
        assert "promoted" in page
        now = await reader.json(f"{path}.json")
        assert (now["season"]["number"], now["season"]["state"]) == (2, "open")
        await reader.get(f"{path}?season=3", 404)
        await reader.get(f"{path}?division=3", 404)
        await reader.get(f"{path}?season=x", 400)

    ask(street, test)


def test_without_a_choice_each_division_has_its_table(tmp_path: Path) -> None:
    street, path = with_seasons(tmp_path), f"/leagues/{LEAGUE}"

    async def test(reader: Reader) -> None:
        found = await reader.json(f"{path}.json?season=1")
        tables = {
            each["division"]: [
                (line["rank"], line["entrant"]) for line in each["table"]["standings"]
            ]
            for each in found["divisions"]
        }
        assert tables == {1: [(1, "ann"), (2, "bob")], 2: [(1, "cy"), (2, "dee")]}
        page = (await reader.get(f"{path}?season=1")).text
        assert page.count('<table class="standings">') == 2
        first, second = (
            page.split(f'id="division-{number}"')[1].split("</table>")[0] for number in (1, 2)
        )
        assert ("/bots/ann" in first, "/bots/cy" in first) == (True, False)
        assert ("/bots/ann" in second, "/bots/cy" in second) == (False, True)
        one = await reader.json(f"{path}.json?season=1&division=2")
        assert one["divisions"] == []

    ask(street, test)


def test_a_final_is_on_the_page_of_its_season_with_its_records(tmp_path: Path) -> None:
    street, path = with_seasons(tmp_path), f"/leagues/{LEAGUE}"
    publish_final(street.store, LEAGUE, "cup", knock_out.request(5), season=1)
    publish_final(street.store, LEAGUE, "swiss", swiss.request(5), season=2)

    async def test(reader: Reader) -> None:
        (final,) = (await reader.json(f"{path}.json?season=1"))["finals"]
        assert (final["number"], final["season"], final["title"]) == (1, 1, "The cup")
        page = (await reader.get(f"{path}?season=1")).text
        assert f"<b><bdi>{final['rounds']['winner']}</bdi></b> has won." in page
        assert page.count('<ol class="box"') == 7, "a bracket of eight with three byes"
        assert f'href="{path}/finals/1/records.zip"' in page
        newest = (await reader.get(path)).text
        assert "After 3 of 3 rounds" in newest
        assert '<ol class="box"' not in newest
        answer = await reader.get(f"{path}/finals/1/records.zip")
        with ZipFile(BytesIO(answer.content)) as archive:
            assert archive.read("1-1.jsonl.zst") == b"record"
            assert json.loads(archive.read("final.json"))["title"] == "The cup"
        await reader.get(f"{path}/finals/3/records.zip", 404)
        await reader.get("/leagues/none/finals/1/records.zip", 404)
        await reader.get(f"{path}/finals/x/records.zip", 404)

    ask(street, test)
