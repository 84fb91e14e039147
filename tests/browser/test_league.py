"""The pages of a league in a real browser: standings, replays, records, and tables as they move."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.browser.needs import needs_browser
from tests.browser.pages import (
    HIGHSTREET,
    PATH,
    PYTHON,
    ROOT,
    Visitor,
    fits,
    program,
    serving,
    told,
)
from tests.browser.parade import parade
from tests.browser.screenshots import keep
from tests.tournaments.web.leagues_with_matches import HOSTILE, LEAGUE, Street, filled, in_folder
from tournaments.model import GameSettings, LeagueSettings
from tournaments.store import Store

needs_browser()

SIZES = {"wide": (1280, 900), "phone": (360, 740)}
AREAS = (
    "all => all.map(one => { const b = one.getBoundingClientRect(); return b.width * b.height; })"
)


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Street]:
    """Return leagues with matches that were really played."""
    # In a thread: the browser's driver has a loop in this one.
    with ThreadPoolExecutor(1) as beside:
        made = beside.submit(filled, in_folder(tmp_path_factory.mktemp("street"))).result()
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def address(street: Street) -> Iterator[str]:
    """Serve them."""
    with serving(street) as found:
        yield found


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visitor]:
    """Visit the pages; afterwards none may have complained."""
    visitor = Visitor(browser, address)
    yield visitor
    visitor.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_page_fits_and_is_light_or_dark(
    visit: Visitor, street: Street, size: str, scheme: str
) -> None:
    width, height = SIZES[size]
    paths = {
        "front": "/",
        "standings": "/leagues/autumn",
        "bot": "/leagues/autumn/bots/ann",
        "benched": "/leagues/autumn/bots/clumsy",
        "matches": "/leagues/autumn/matches",
        "live": "/leagues/twice/live",
        "unreleased": f"/matches/{street.matches['unreleased'].id}",
        "missing": "/leagues/autumn/bots/clumsy/stderr/none",
    }
    for name, path in paths.items():
        options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
        page = visit.open(path, **options)
        assert page.locator("h1").is_visible()
        assert fits(page), name
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, paper[4:-1].split(","))) > 384) == (scheme == "light")
    # The browser notes itself that one of them was missing.
    assert [line for line in visit.wrong if "404" in line] == visit.wrong
    visit.wrong.clear()


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Street]:
    """Return a league in which much has happened."""
    with ThreadPoolExecutor(1) as beside:
        made = beside.submit(parade, tmp_path_factory.mktemp("parade")).result()
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def busy_address(busy: Street) -> Iterator[str]:
    """Serve it."""
    with serving(busy) as found:
        yield found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_full_pages_fit(
    browser: Any, busy: Street, busy_address: str, size: str, scheme: str
) -> None:
    visitor = Visitor(browser, busy_address)
    width, height = SIZES[size]
    options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
    paths = {
        "front": "/",
        "standings": "/leagues/winter",
        "standings-of-a-part": "/leagues/winter?game=glastonbury&seats=2&variant=recipes",
        "standings-of-festo": "/leagues/winter?game=festo&variant=magic_dishes",
        "bot": "/leagues/winter/bots/Copper",
        "matches": "/leagues/winter/matches",
    }
    for name, path in paths.items():
        page = visitor.open(path, **options)
        assert fits(page), name
        keep(page, f"{name}-{size}-{scheme}")
    for game, match in busy.matches.items():
        page = visitor.open(f"/matches/{match.id}#{match.decisions // 2}", **options)
        page.get_by_label("Move number").wait_for()
        assert page.locator("svg.drawing .panel").count() == len(match.seats)
        assert fits(page), game
        keep(page, f"match-{game}-{size}-{scheme}", whole=size != "phone")
    visitor.close()


def test_standings_are_drawn_and_filtered_without_scripts(visit: Visitor) -> None:
    page = visit.open("/leagues/autumn", java_script_enabled=False)
    rows = page.locator(".standings tbody tr")
    assert rows.count() == 6
    for link, query in (
        ("Gargon", "?game=gargon"),
        ("Glastonbury", "?game=glastonbury"),
        ("recipes", "?game=glastonbury&variant=recipes"),
    ):
        page.get_by_role("link", name=link, exact=True).click()
        page.wait_for_url(f"**{query}")
    assert rows.count() == 3
    # Both at once: the size keeps the variant, and the history is that of the part.
    page.get_by_role("link", name="3", exact=True).click()
    page.wait_for_url("**?game=glastonbury&seats=3&variant=recipes")
    assert rows.count() == 3
    assert page.locator(".history .path").count() == 3
    page.get_by_role("link", name="plain", exact=True).click()
    page.wait_for_url("**?game=glastonbury&seats=3&variant=plain")
    assert page.get_by_text("No match of this kind").is_visible()
    page.get_by_role("navigation", name="League").get_by_role("link", name="Matches").click()
    page.wait_for_url("**/matches")
    assert page.locator(".result-row").count() == 11


def test_plots_have_an_area(visit: Visitor) -> None:
    page = visit.open("/leagues/autumn")
    for drawn, number in ((".interval .mid", 6), (".interval .bar", 6), (".history .path", 6)):
        boxes = page.locator(drawn)
        assert boxes.count() == number
        widths = boxes.evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
        assert all(each > 0 for each in widths)


def test_hostile_name_is_a_name(visit: Visitor) -> None:
    page = visit.open("/leagues/autumn")
    page.locator(".standings").get_by_role("link", name=HOSTILE, exact=True).click()
    page.wait_for_url("**/bots/*")
    assert unquote(page.url).endswith(f"/bots/{HOSTILE}")
    assert page.locator("h1").inner_text() == HOSTILE


def test_matches_are_filtered_by_keyboard(visit: Visitor) -> None:
    page = visit.open("/leagues/autumn/matches")
    page.get_by_label("Bot").focus()
    page.keyboard.type("clumsy")
    page.keyboard.press("Enter")
    page.wait_for_url("**entrant=clumsy**")
    assert page.locator(".result-row").count() == 1
    assert page.get_by_label("Bot").input_value() == "clumsy"


@pytest.mark.parametrize("kind", ["recipes", "kupferkessel", "gargon"])
def test_replay_by_mouse_and_keyboard(visit: Visitor, street: Street, kind: str) -> None:
    match = street.matches[kind]
    page = visit.open(f"/matches/{match.id}#7")
    number = page.get_by_label("Move number")
    number.wait_for()
    assert number.input_value() == "7"
    assert all(page.locator("svg.drawing rect:visible").evaluate_all(AREAS))
    page.get_by_role("button", name="Forwards").click()
    assert number.input_value() == "8"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert number.input_value() == "6"
    page.wait_for_url("**#6")
    page.keyboard.press("End")
    assert number.input_value() == str(match.decisions)
    page.keyboard.press("Home")
    assert number.input_value() == "0"
    page.go_back()
    page.wait_for_url("**#*")
    page.get_by_label("Viewpoint").select_option("spectator")


def test_record_has_the_hash_on_its_page(visit: Visitor, street: Street) -> None:
    page = visit.open(f"/matches/{street.matches['gargon'].id}")
    page.get_by_label("Move number").wait_for()
    with page.expect_download() as download:
        page.locator("#record").click()
    content = Path(download.value.path()).read_bytes()
    assert hashlib.sha256(content).hexdigest() == page.locator("#sha256").inner_text()
    assert download.value.suggested_filename.endswith(".jsonl.zst")


# With a server of its own, and bots that dial in ------------------------------------------------


@contextlib.contextmanager
def league_in_play(
    folder: Path, log: Path, rules: GameSettings, *houses: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Run a server with bots of its own house and one that dials in, which thinks for a while."""
    with Store.open(f"sqlite:///{folder / 'league.db'}") as store:
        store.first_organiser()
        store.create_league(LEAGUE, LeagueSettings("Live league", (rules,), max_tables=1))
        tokens = {name: store.enter(LEAGUE, name, name)[1] for name in ("slow", *houses)}
    bots = ROOT / "sample_bots" / "python"
    # A bot of the house gets an environment of its own.
    command = f"/usr/bin/env PYTHONPATH={PATH} {PYTHON} {bots / 'greedy_bot.py'}"
    started = [word for name in houses for word in ("--house", f"{LEAGUE}/{name}={command}")]
    serve = ("serve", "--data", str(folder), "--port", "0", "--web-port", "0", *started)
    with program(log, *HIGHSTREET, *serve) as server:
        target = told(server, "listening on ", log)
        pages = told(server, "pages on ", log)
        environment = {
            "HIGHSTREET_TARGET": target,
            "HIGHSTREET_TOKEN": tokens["slow"],
            "BOT_SECONDS": "0.2",
        }
        with program(log, PYTHON, str(bots / "search_bot.py"), **environment):
            yield pages, tokens


def test_tables_move_and_results_appear_by_themselves(browser: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    rules = GameSettings("glastonbury", (2,), ("plain", "recipes"))
    with league_in_play(tmp_path, log, rules, "house") as (base, tokens):
        visitor = Visitor(browser, base)
        page = visitor.open(f"/leagues/{LEAGUE}/live")
        page.locator(".table-card svg.drawing").wait_for()
        page.wait_for_function(
            "() => Number(document.querySelector('.table-card .decisions')?.textContent) > 3",
        )
        keep(page, "live-in-play")
        # A match ends, and is in the list without anybody having loaded the page again.
        page.locator("#refreshed .result-row").first.wait_for()
        standings = visitor.open(f"/leagues/{LEAGUE}")
        standings.locator(".standings tbody tr").first.wait_for()
        before = standings.locator("#standings ~ p").first.inner_text()
        standings.wait_for_function(
            "before => document.querySelector('#standings ~ p').innerText !== before",
            arg=before,
        )
        author = visitor.open(f"/leagues/{LEAGUE}/bots/house")
        author.get_by_label("Token").fill(tokens["house"])
        author.get_by_role("button", name="Read it").click()
        author.get_by_text("It has written nothing.").or_(
            author.get_by_text("The last that it wrote:")
        ).wait_for()
        author.reload()
        assert author.get_by_label("Token").input_value() == tokens["house"]
        assert author.context.cookies() == []
        visitor.close()


def test_a_league_of_festo_is_watched_replayed_and_counted(browser: Any, tmp_path: Path) -> None:
    """Two to five seats, with and without magic dishes, on a server as organisers run it."""
    log = tmp_path / "log"
    rules = GameSettings("festo", (2, 3, 4, 5), ("plain", "magic_dishes"))
    houses = ("troll", "pixie", "orc", "elf")
    with league_in_play(tmp_path, log, rules, *houses) as (base, _):
        visitor = Visitor(browser, base)
        live = visitor.open(f"/leagues/{LEAGUE}/live")
        live.locator(".table-card svg.drawing").wait_for()
        live.wait_for_function(
            "() => Number(document.querySelector('.table-card .decisions')?.textContent) > 20",
        )
        keep(live, "festo-live")
        live.locator("#refreshed .result-row").first.wait_for()
        for scheme, size in product(("light", "dark"), SIZES):
            width, height = SIZES[size]
            look = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
            standings = visitor.open(f"/leagues/{LEAGUE}", **look)
            standings.locator(".standings tbody tr").first.wait_for()
            assert fits(standings)
            keep(standings, f"festo-league-{size}-{scheme}")
            watched = visitor.open(f"/leagues/{LEAGUE}/live", **look)
            watched.locator("svg.drawing .panel").first.wait_for()
            assert fits(watched)
            keep(watched, f"festo-live-{size}-{scheme}", whole=size != "phone")
            page = visitor.open(f"/leagues/{LEAGUE}/matches", **look)
            page.locator(".result-row a[href*='/matches/']").last.click()
            number = page.get_by_label("Move number")
            number.wait_for()
            page.keyboard.press("End")
            decisions = int(number.input_value())
            assert decisions > 40
            page.keyboard.press("ArrowLeft")
            assert number.input_value() == str(decisions - 1)
            page.get_by_role("button", name="Forwards").click()
            assert number.input_value() == str(decisions)
            assert fits(page)
            keep(page, f"festo-replay-{size}-{scheme}", whole=size != "phone")
        visitor.close()
