"""Long standings are shown page by page, and of a bot with many versions the newest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tournaments.web.leagues_with_matches import LEAGUE, Reader, Street, ask, in_folder
from tournaments.model import SHOWN_VERSIONS, GameSettings, LeagueSettings, Result
from tournaments.store import Store
from tournaments.web.documents import ROWS

VERSIONS = 1000
LARGEST = 400_000
"""How many bytes a page has at most; with all versions it had 3.5 MB."""


def result(n: int, one: str, other: str) -> Result:
    return Result(
        f"{n}-1", f"{n}", "glastonbury", "plain", (one, other), (1, 2), (9, 3), (), (0.1, 0.1), 70
    )


def crowded(folder: Path) -> Street:
    """Return a league in which one bot has played once in each of many versions."""
    store = Store.open(in_folder(folder))
    street = Street(in_folder(folder), store, store.first_organiser() or "")
    store.create_league(LEAGUE, LeagueSettings("Crowd", (GameSettings("glastonbury", (2,)),)))
    for name in ("ann", "bob", "cid"):
        street.enter(LEAGUE, name)
    street.save([result(n, "ann@1", f"bob@{n}") for n in range(VERSIONS)])
    return street


@pytest.mark.slow
def test_pages_of_the_standings_have_each_version_once(tmp_path: Path) -> None:
    street = crowded(tmp_path)
    path = f"/leagues/{LEAGUE}"

    async def test(reader: Reader) -> None:
        seen: list[str] = []
        page = ""
        while True:
            query = f"?page={page}" if page else ""
            document = await reader.json(f"{path}.json{query}")
            rows = document["table"]["standings"]
            assert len(rows) <= ROWS
            assert set(document["history"]) == {row["rated"] for row in rows}
            assert (document["rows"], document["entered"]) == (VERSIONS + 1, 3)
            seen += [row["rated"] for row in rows]
            shown = await reader.get(f"{path}{query}")
            assert len(shown.content) < LARGEST
            assert "each pair looked at alone (unadjusted)" in shown.text
            assert "this page may be read at any moment" in shown.text
            page = document["next"]
            if not page:
                break
            assert f"{path}?page={page}" in shown.text
        assert len(seen) == len(set(seen)) == VERSIONS + 1
        await reader.get(f"{path}?page=x", 400)

    ask(street, test)
    street.store.close()


def test_the_page_of_a_bot_has_its_newest_versions(tmp_path: Path) -> None:
    street = crowded(tmp_path)

    async def test(reader: Reader) -> None:
        path = f"/leagues/{LEAGUE}/bots/bob"
        document = await reader.json(f"{path}.json")
        newest = [f"bob@{n}" for n in range(VERSIONS - SHOWN_VERSIONS, VERSIONS)]
        assert [version["rated"] for version in document["versions"]] == newest
        assert document["older_versions"] == VERSIONS - SHOWN_VERSIONS
        shown = await reader.get(path)
        assert len(shown.content) < LARGEST
        assert f"{VERSIONS - SHOWN_VERSIONS} older versions" in shown.text

    ask(street, test)
    street.store.close()
