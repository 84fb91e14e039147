"""The report in a real browser: it opens in peace, is seen, and its list of matches works."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from tests.browser.needs import needs_browser
from tests.browser.pages import HIGHSTREET, PATH
from tests.browser.screenshots import keep
from tests.tournaments.record_files import record
from tests.tournaments.synthetic import standings, synthetic_results
from tournaments.model import Result
from tournaments.report.page import report_html

needs_browser()

NAMES = [
    "ann",
    "<script>document.title = 'taken over'</script>",
    "<img src=https://example.org/x onerror=alert(1)>",
    "dee",
    "a name that its author thought was funny and that goes on for sixty",
]
RESULTS = synthetic_results(NAMES, 90)
"""30 sets of two, of three and of four: 270 matches."""
IN_TURN = ("glastonbury", "gargon", "kupferkessel", "gargon", "glastonbury")
FRIENDS = ["Copper", "Merlin", "Nettle", "Old Tom", "tea-and-scones"]
GAMES = synthetic_results(FRIENDS, 60, games=IN_TURN)
"""Each game in each variant at each size of table."""
RELEASED = {result.match: f"records/{result.match}.jsonl" for result in RESULTS[:200]}

WIDTHS = {"wide": 1440, "tablet": 768, "narrow": 360}

AREAS = """shapes => shapes.map(shape => {
  const box = shape.getBoundingClientRect();
  return box.width * box.height;
})"""

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report beside a record, as a tournament does."""
    folder = tmp_path_factory.mktemp("report")
    made = standings(RESULTS, "Browser league", [*NAMES, "late"], replicates=50)
    nothing = standings([], "Nothing yet", NAMES, replicates=50)
    page = report_html(made, RESULTS, generated_at="today", records=RELEASED, notes=["One note."])
    (folder / "report.html").write_text(page, encoding="utf-8")
    (folder / "nothing.html").write_text(report_html(nothing, (), generated_at="today"), "utf-8")
    (folder / "records").mkdir()
    (folder / "records" / "set0-1.jsonl").write_bytes(record("set0-1", "ann", "dee"))
    several = standings(GAMES, "Midwinter cup", FRIENDS, replicates=200)
    links = {result.match: f"records/{result.match}.jsonl.zst" for result in GAMES}
    cup = report_html(several, GAMES, generated_at="today", records=links, scheduled=len(GAMES))
    (folder / "games.html").write_text(cup, encoding="utf-8")
    return folder


@pytest.fixture
def open_page(browser: Any, folder: Path) -> Iterator[Open]:
    """Open pages; afterwards none may have complained or asked the network for anything."""
    wrong: list[str] = []
    contexts = []

    def opened(name: str = "report.html", base: str | None = None, **options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        address = f"{base or folder.as_uri()}/{name}"
        page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: wrong.append(request.url))
        page.goto(address)
        # The page itself, and nothing else.
        assert wrong == [address]
        wrong.clear()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def found(page: Any) -> list[str]:
    """Return the ids of the matches in the list."""
    return list(page.locator("#rows th").all_inner_texts())


def choose(page: Any, text: str) -> None:
    """Go down the list that has the focus; letters would have to come quickly."""
    chosen = "document.activeElement.selectedOptions[0].textContent"
    for _ in range(page.evaluate("document.activeElement.options.length")):
        if page.evaluate(chosen) == text:
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"there is no {text} to choose")


def ids(results: list[Result]) -> list[str]:
    return [result.match for result in results]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_everything_is_seen_and_nothing_sticks_out(
    open_page: Open, width: str, scheme: str
) -> None:
    page = open_page(viewport={"width": WIDTHS[width], "height": 900}, color_scheme=scheme)
    keep(page, f"report-{width}-{scheme}")
    assert page.title() == "Browser league: report"
    for name in ("standings", "skills", "above", "crosstable", "places", "scores", "convergence"):
        section = page.locator(f"#{name}")
        assert section.locator("h2").is_visible()
        assert section.locator("figure, table").first.is_visible()
    # Dots, bars, outlines and lines have an area: nothing is drawn at a place that is not a number.
    for drawn in ("#skills circle", "#places rect", "#scores path", "#convergence .path"):
        areas = page.locator(drawn).evaluate_all(AREAS)
        assert len(areas) >= len(NAMES)
        assert all(area > 0 for area in areas)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) > 384) == (scheme == "light")


def test_dots_lie_where_the_axis_says(open_page: Open) -> None:
    """Read the skills off the picture: pixels against the numbers beside them."""
    page = open_page(viewport={"width": 1440, "height": 900})
    marks = page.locator("#skills .axis text")
    axis = []
    for mark in marks.all():
        box = mark.bounding_box()
        axis.append((float(mark.text_content().replace("−", "-")), box["x"] + box["width"] / 2))  # noqa: RUF001
    (low, left), (high, right) = axis[0], axis[-1]
    for row in page.locator("#skills tbody tr").all():
        box = row.locator("circle").bounding_box()
        read = low + (box["x"] + box["width"] / 2 - left) / (right - left) * (high - low)
        told = float(row.locator("td").nth(1).inner_text().replace("−", "-"))  # noqa: RUF001
        assert read == pytest.approx(told, abs=0.01 * (high - low))


def test_matches_are_shown_a_hundred_at_a_time(open_page: Open) -> None:
    page = open_page()
    assert found(page) == ids(RESULTS[:100])
    assert page.locator("#shown").inner_text() == "1 to 100 of 270 matches"
    assert page.locator("#previous").is_disabled()
    page.locator("#next").click()
    page.locator("#next").click()
    assert found(page) == ids(RESULTS[200:])
    assert page.locator("#shown").inner_text() == "201 to 270 of 270 matches"
    assert page.locator("#next").is_disabled()
    page.locator("#previous").click()
    assert found(page) == ids(RESULTS[100:200])


def test_list_can_be_filtered_by_keyboard_alone(open_page: Open) -> None:
    page = open_page()
    page.get_by_label("Entrant").focus()
    choose(page, "dee")
    mine = [result for result in RESULTS if "dee" in result.entrants]
    assert 0 < len(mine) < len(RESULTS)
    assert found(page) == ids(mine)[:100]
    page.keyboard.press("Tab")
    choose(page, "ann")
    both = [result for result in mine if "ann" in result.entrants]
    assert found(page) == ids(both)[:100]
    page.keyboard.press("Tab")
    choose(page, "3")
    assert found(page) == ids([result for result in both if result.seats == 3])
    page.keyboard.press("Tab")
    choose(page, "recipes")
    few = [result for result in both if result.seats == 3 and result.variant == "recipes"]
    assert found(page) == ids(few)
    assert (
        page.locator("#shown").inner_text() == f"1 to {len(few)} of {len(few)} matches (270 in all)"
    )


def test_filter_for_forfeits_and_what_a_row_says(open_page: Open) -> None:
    page = open_page()
    page.get_by_label("with a forfeit only").check()
    forfeited = [result for result in RESULTS if result.forfeits]
    assert forfeited
    assert found(page) == ids(forfeited)
    assert page.locator("#rows .forfeit").count() == sum(len(r.forfeits) for r in forfeited)
    first = forfeited[0]
    seats = sorted(range(first.seats), key=lambda seat: (first.places[seat], seat))
    places = page.locator("#rows tr").first.locator(".seat .place").all_inner_texts()
    names = page.locator("#rows tr").first.locator(".seat .name").all_text_contents()
    scores = page.locator("#rows tr").first.locator(".seat .score").all_inner_texts()
    assert places == [str(first.places[seat]) for seat in seats]
    assert names == [first.entrants[seat] for seat in seats]
    assert [score.replace("−", "-") for score in scores] == [str(first.scores[s]) for s in seats]  # noqa: RUF001


def test_records_are_linked_when_they_are_released(open_page: Open, folder: Path) -> None:
    page = open_page()
    link = page.locator("#rows tr").first.locator("a")
    assert link.evaluate("link => link.href") == f"{folder.as_uri()}/records/set0-1.jsonl"
    page.locator("#next").click()
    page.locator("#next").click()
    assert page.locator("#rows a").count() == 0
    assert page.locator("#rows td:last-child").all_inner_texts() == ["not released"] * 70


def test_replay_of_a_match_is_made_by_the_command_that_is_shown(
    open_page: Open, browser: Any, folder: Path
) -> None:
    page = open_page()
    button = page.get_by_role("button", name="replay of set0-1", exact=True)
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    command = page.locator(".command code").inner_text()
    assert command == "highstreet replay records/set0-1.jsonl --html set0-1.html"
    page.locator(".command code").click()
    assert page.evaluate("getSelection().toString()") == command
    button.press("Enter")
    assert page.locator(".command").count() == 0
    assert page.locator("#rows tr").count() == 100
    environment = {**os.environ, "PYTHONPATH": PATH}
    subprocess.run(
        [*HIGHSTREET, *shlex.split(command)[1:]], cwd=folder, env=environment, check=True
    )
    context = browser.new_context()
    replay = context.new_page()
    replay.goto(f"{folder.as_uri()}/set0-1.html")
    replay.locator("svg.drawing .panel").first.wait_for()
    assert replay.locator(".result bdi").count() == 2
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_report_of_several_games_fits(open_page: Open, width: str, scheme: str) -> None:
    viewport = {"width": WIDTHS[width], "height": 900}
    page = open_page("games.html", viewport=viewport, color_scheme=scheme)
    assert page.locator("#games h3").all_inner_texts() == [
        "Gargon",
        "Glastonbury",
        "Kupferkessel Co.",
    ]
    page.locator("#rows button").first.click()
    assert page.locator(".command").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    keep(page, f"report-of-several-games-{width}-{scheme}")


def test_list_can_be_filtered_by_game(open_page: Open) -> None:
    page = open_page("games.html")
    choice = page.get_by_role("combobox", name="Game")
    offered = choice.locator("option").all_inner_texts()
    assert offered == ["any", "Gargon", "Glastonbury", "Kupferkessel Co."]
    for title, name in (("Gargon", "gargon"), ("Kupferkessel Co.", "kupferkessel")):
        choice.select_option(title)
        mine = [result for result in GAMES if result.game == name]
        assert 0 < len(mine) < len(GAMES)
        assert found(page) == ids(mine)[:100]
        column = page.locator("#rows td:nth-child(2)").all_inner_texts()
        assert set(column) == {title}
    page.get_by_role("combobox", name="Table of").select_option("3")
    page.get_by_role("combobox", name="Variant").select_option("recipes")
    all_games = [r for r in GAMES if (r.seats, r.variant) == (3, "recipes")]
    few = [result for result in all_games if result.game == "kupferkessel"]
    assert 0 < len(few) < len(all_games)
    assert found(page) == ids(few)
    choice.select_option("any")
    assert found(page) == ids(all_games)[:100]


def test_names_are_shown_as_they_are_written(open_page: Open) -> None:
    page = open_page()
    shown = page.locator("#standings tbody bdi").all_text_contents()
    assert sorted(shown) == sorted([*NAMES, "late"])
    assert page.locator("img").count() == 0


def test_parts_unfold(open_page: Open) -> None:
    page = open_page()
    part = page.locator("#parts details").first
    assert not part.locator("table").is_visible()
    part.locator("summary").press("Enter")
    assert part.locator("table").is_visible()


def test_tournament_without_a_match(open_page: Open) -> None:
    page = open_page("nothing.html")
    assert page.locator("#shown").inner_text() == "No matches"
    assert page.locator("#standings tbody tr").count() == len(NAMES)


def test_page_is_complete_without_scripts(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("#standings tbody tr").count() == len(NAMES) + 1
    assert page.locator("#matches noscript").is_visible()
    assert not page.locator("#filter").is_visible()


class _Noting(SimpleHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def log_message(self, *_: Any) -> None:
        """Note what was asked for instead of printing it."""
        self.asked.append(self.path)


def test_page_from_a_web_server_asks_for_nothing_more(open_page: Open, folder: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Noting, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = open_page(base=f"http://127.0.0.1:{server.server_port}")
        assert page.locator("#rows tr").count() == 100
        server.shutdown()
    assert _Noting.asked == ["/report.html"]


def test_page_can_be_printed(open_page: Open) -> None:
    page = open_page()
    page.emulate_media(media="print")
    assert page.locator("#parts table").first.is_visible()
    assert not page.locator("#filter").is_visible()
    assert page.pdf(prefer_css_page_size=True)[:5] == b"%PDF-"
