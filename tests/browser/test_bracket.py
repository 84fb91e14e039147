"""Brackets and Swiss tables in a real browser: seen at every width, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.browser.needs import needs_browser
from tests.browser.pages import Visitor, fits, serving
from tests.browser.screenshots import keep
from tests.tournaments.by_rounds import played, publish_final
from tests.tournaments.pairing import test_knock_out as knock_out
from tests.tournaments.pairing import test_swiss as swiss
from tests.tournaments.synthetic import standings
from tests.tournaments.web.leagues_with_matches import LEAGUE, Street
from tests.tournaments.web.test_season_pages import with_seasons
from tournaments.model import Format
from tournaments.report import report_html, rounds_view

needs_browser()

WIDTHS = {"wide": 1440, "narrow": 360}
REQUESTS = {
    "knock-out-8": knock_out.request(8, third_place=True, best_of=3),
    "knock-out-11": knock_out.request(11),
    "double-8": knock_out.request(8, Format.DOUBLE_KNOCK_OUT),
    "swiss-11": swiss.request(11),
}


def write_report(folder: Path, name: str) -> Path:
    """Write the report of a tournament."""
    asked = REQUESTS[name]
    results = played(asked)
    flat = [result for each in results.values() for result in each]
    names = [entry.name for entry in asked.entries]
    table = standings(flat, "Cup", names, replicates=20)
    view = rounds_view(asked, results)
    path = folder / f"{name}.html"
    path.write_text(report_html(table, flat, generated_at="today", rounds=view), "utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", REQUESTS)
def test_rounds_are_seen_and_nothing_sticks_out(
    browser: Any, tmp_path: Path, name: str, width: str, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": WIDTHS[width], "height": 900}, color_scheme=scheme
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.goto(write_report(tmp_path, name).as_uri())
    section = page.locator("#swiss" if name.startswith("swiss") else "#bracket")
    page.evaluate("section => section.scrollIntoView()", section.element_handle())
    keep(page, f"rounds-{name}-{width}-{scheme}", whole=False)
    assert section.locator("h2").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if name.startswith("swiss"):
        assert section.locator("tbody tr").count() == 11
    else:
        check_bracket(section, {"knock-out-8": 8, "knock-out-11": 15}.get(name))
    context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a league with two seasons, two divisions, and a final of each season."""

    def made() -> Street:
        street = with_seasons(tmp_path_factory.mktemp("seasons"))
        publish_final(street.store, LEAGUE, "cup", REQUESTS["knock-out-8"], season=1)
        publish_final(street.store, LEAGUE, "league", REQUESTS["swiss-11"], season=2)
        return street

    with ThreadPoolExecutor(1) as beside:  # the browser's driver has a loop in this thread
        street = beside.submit(made).result()
    with serving(street) as found:
        yield found
    street.store.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [*WIDTHS, "phone"])
def test_the_page_of_a_league_has_divisions_and_the_bracket_of_its_final(
    browser: Any, address: str, width: str, scheme: str
) -> None:
    visitor = Visitor(browser, address)
    size = {"width": WIDTHS.get(width, 390), "height": 900}
    for season, section in ((1, "#final-1"), (2, "#final-2")):
        path = f"/leagues/{LEAGUE}?season={season}"
        page = visitor.open(path, viewport=size, color_scheme=scheme)
        keep(page, f"season-{season}-{width}-{scheme}")
        assert fits(page)
        assert page.locator(section).is_visible()
        if season == 1:
            assert page.locator("table.standings").count() == 2
            assert page.locator(".badge", has_text="promoted").is_visible()
            check_bracket(page.locator("section:has(#final-1)"), 8)
    visitor.close()


def check_bracket(section: Any, series: int | None) -> None:
    """Each series lies between the two of the round before, and all are there."""
    boxes = section.locator(".bracket").first.locator(".box")
    assert series is None or section.locator(".box").count() == series
    places = boxes.evaluate_all(
        "boxes => boxes.map(box => {const r = box.getBoundingClientRect();"
        "return [r.left, (r.top + r.bottom) / 2]})"
    )
    columns: dict[float, list[float]] = {}
    for left, middle in places:
        columns.setdefault(round(left), []).append(middle)
    rounds = [columns[left] for left in sorted(columns)]
    for before, after in pairwise(rounds):
        assert len(before) == 2 * len(after)
        for number, middle in enumerate(after):
            mean = (before[2 * number] + before[2 * number + 1]) / 2
            assert middle == pytest.approx(mean, abs=6)
