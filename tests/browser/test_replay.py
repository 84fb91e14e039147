"""Replays in a real browser: each game is drawn, and can be stepped through in every way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from engine.registry import GAMES
from engine.shuffle import seed_from_text
from referee.devkit.random_play import random_game
from referee.record.writer import Recorder
from tests.browser.needs import needs_browser
from tests.browser.screenshots import keep
from tournaments.replay.document import replay_document
from tournaments.replay.page import replay_html

needs_browser()

NAMES = ["ann", "<img src=https://example.org/x onerror=alert(1)>", "a name that goes on and on"]
WIDTHS = {"wide": 1440, "tablet": 768, "narrow": 360}
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Replay</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/site.css"><link rel="stylesheet" href="/static/replay.css">
<link rel="icon" href="data:,"><script type="module" src="/static/replay-page.js"></script></head>
<body><main id="replay" data-source="/match.json"></main></body></html>"""
POLICY = "default-src 'self'; img-src 'self' data:"

CARDS = "all => all.map(one => one.querySelector('title')?.textContent.split(':')[0] ?? '')"

Open = Callable[..., Any]


def made(name: str, *, variants: bool = True) -> dict[str, Any]:
    """Return the document of a random match of a game, at a table of three, with its variants."""
    game = GAMES[name]
    switches = [o.name for o in game.spec.options_offered if o.variant] if variants else []
    kind = game.spec.options(3, dict.fromkeys(switches, True))
    played = random_game(game, kind, seed_from_text("7"))
    seats = [{"entrant": entrant} for entrant in NAMES]
    recorder = Recorder(game, kind, played.seed, b"salt", f"{name}-1", seats, {}, {})
    for n, (seat, legal, move) in enumerate(played.decisions, 1):
        ms = 0 if legal == 1 else 2.5
        recorder.decision(n, seat, game.format_move(move), ms, legal)
    outcome = played.outcome
    recorder.end(str(outcome.ending), outcome.scores, outcome.places, tiebreaks=outcome.tiebreaks)
    return replay_document(recorder.data())


DOCUMENTS = {name: made(name) for name in GAMES}
COVERED = made("gargon", variants=False)
SQUARE = [name for name in GAMES if "board" in DOCUMENTS[name]["frames"][0]["everything"]]
every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a page for each game, and one of a game that nobody has drawn yet."""
    folder = tmp_path_factory.mktemp("replay")
    text = {"texts": {"spectator": "as a spectator", "0": "as 0", "1": "as 1", "2": "as 2"}}
    frames: list[Any] = [{"n": 0, "seat": None, "move": None, "events": [], "scores": None, **text}]
    undrawn = {**DOCUMENTS["glastonbury"], "drawn": False, "frames": frames}
    for name, document in {**DOCUMENTS, "covered": COVERED, "undrawn": undrawn}.items():
        (folder / f"{name}.html").write_text(replay_html(document), encoding="utf-8")
    return folder


@pytest.fixture
def open_page(browser: Any, folder: Path) -> Iterator[Open]:
    """Open pages; afterwards none may have complained or asked the network for anything."""
    wrong: list[str] = []
    asked: list[str] = []
    homes: list[str] = []
    contexts = []

    def opened(address: str, at: str = "", base: str | None = None, **options: Any) -> Any:
        context = browser.new_context(**{"reduced_motion": "reduce", **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
        home = base or folder.as_uri()
        homes.append(home)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{home}/{address}{at}")
        page.locator(".moves [aria-current]").wait_for()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
    assert [url for url in asked if not url.startswith(tuple(homes))] == []


def number(page: Any) -> int:
    """Return the number of the move that is shown: list, slider and field agree on it."""
    shown = int(page.locator(".moves [aria-current]").get_attribute("data-n"))
    assert page.locator(".moves [aria-current]").count() == 1
    assert page.get_by_label("Move number").input_value() == str(shown)
    assert page.get_by_label("Move", exact=True).input_value() == str(shown)
    return shown


def until(page: Any, n: int) -> None:
    """Wait until a move is shown: the page hears of a step in the history a little later."""
    page.locator(f'.moves [aria-current][data-n="{n}"]').wait_for()
    assert number(page) == n


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@every_game
def test_everything_is_seen_and_nothing_sticks_out(
    open_page: Open, game: str, width: str, scheme: str
) -> None:
    last = len(DOCUMENTS[game]["frames"]) - 1
    viewport = {"width": WIDTHS[width], "height": 900}
    page = open_page(f"{game}.html", f"#{last // 2}", viewport=viewport, color_scheme=scheme)
    # On a phone the buttons stay at the lower edge of the window.
    keep(page, f"replay-{game}-{width}-{scheme}", whole=width != "narrow")
    for at in (last // 2, last):
        page.get_by_label("Move number").fill(str(at))
        page.get_by_label("Move number").press("Enter")
        assert number(page) == at
        assert page.locator("svg.drawing .panel").count() == 3
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert (
            page.evaluate(
                """() => {
              const edge = document.querySelector("svg.drawing").getBoundingClientRect();
              return [...document.querySelectorAll("svg.drawing .panel *, svg.drawing .cell *")]
                .map(part => part.getBoundingClientRect())
                .filter(box => box.width && (box.right > edge.right + 1 || box.left < edge.left - 1
                  || box.bottom > edge.bottom + 1)).length;
            }"""
            )
            == 0
        )
        bar = page.get_by_role("group", name="Player").bounding_box()
        assert bar["x"] >= 0
        assert bar["x"] + bar["width"] <= WIDTHS[width]
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) > 384) == (scheme == "light")


@every_game
def test_by_mouse(open_page: Open, game: str) -> None:
    page = open_page(f"{game}.html")
    frames = DOCUMENTS[game]["frames"]
    last = len(frames) - 1
    assert number(page) == 0
    assert page.get_by_role("button", name="Back", exact=True).is_disabled()
    assert page.get_by_role("button", name="First", exact=True).is_disabled()
    page.get_by_role("button", name="Forwards").click()
    page.get_by_role("button", name="Forwards").click()
    assert number(page) == 2
    page.get_by_role("button", name="Back", exact=True).click()
    assert number(page) == 1
    assert frames[1]["move"] in page.get_by_role("status").inner_text()
    page.get_by_role("button", name="Last", exact=True).click()
    assert number(page) == last
    assert page.get_by_role("button", name="Forwards").is_disabled()
    page.get_by_role("button", name="First", exact=True).click()
    assert number(page) == 0
    page.locator(".moves button").nth(7).click()
    assert number(page) == 7


@every_game
def test_by_keyboard_alone(open_page: Open, game: str) -> None:
    page = open_page(f"{game}.html")
    last = len(DOCUMENTS[game]["frames"]) - 1
    for key, at in (
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last),
        ("ArrowLeft", last - 1), ("Home", 0), ("ArrowLeft", 0),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert number(page) == at
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()
    assert number(page) == 0
    page.get_by_label("Move number").fill("12")
    page.keyboard.press("Enter")
    assert number(page) == 12


def test_number_that_is_none_changes_nothing(open_page: Open) -> None:
    page = open_page("glastonbury.html", "#5")
    field = page.get_by_label("Move number")
    field.fill("")
    field.press("Enter")
    assert number(page) == 5
    field.fill("100000")
    field.press("Enter")
    assert number(page) == len(DOCUMENTS["glastonbury"]["frames"]) - 1


def test_it_plays_by_itself_and_pauses(open_page: Open) -> None:
    """At 1x a move takes 1.3 seconds, and the first one half of that; the clock is ours."""
    page = open_page("glastonbury.html")
    last = len(DOCUMENTS["glastonbury"]["frames"]) - 1
    page.clock.install(time=datetime(2026, 1, 1, tzinfo=UTC))
    page.clock.pause_at(datetime(2026, 1, 2, tzinfo=UTC))
    page.get_by_label("Speed").select_option("8")
    page.locator("h1").click()
    page.keyboard.press(" ")
    page.clock.run_for(80)
    assert number(page) == 0
    page.clock.run_for(2 + 2 * 163)
    assert number(page) == 3
    assert page.get_by_role("status").get_attribute("aria-live") == "off"
    page.get_by_role("button", name="Pause").click()
    assert page.get_by_role("button", name="Play", exact=True).is_visible()
    assert page.get_by_role("status").get_attribute("aria-live") == "polite"
    page.clock.run_for(5000)
    assert number(page) == 3
    page.locator(".moves button").nth(last - 1).click()
    page.get_by_role("button", name="Play", exact=True).click()
    page.clock.run_for(100)
    assert number(page) == last
    # At the end it stops by itself, and starts anew when it is asked to.
    page.clock.run_for(200)
    assert page.get_by_role("button", name="Play", exact=True).is_visible()
    page.get_by_label("Speed").select_option("0.5")
    page.get_by_role("button", name="Play", exact=True).click()
    assert number(page) == 0
    page.clock.run_for(1400)
    assert number(page) == 1
    page.get_by_role("button", name="Pause").click()
    assert number(page) == 1


def test_link_to_a_move_and_the_way_back(open_page: Open) -> None:
    page = open_page("glastonbury.html", "#42")
    assert number(page) == 42
    page.locator(".moves button").nth(45).click()
    page.wait_for_url("**#45")
    # A step takes the place of where one was, and does not fill the history.
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**#46")
    page.keyboard.press("Home")
    page.wait_for_url("**#0")
    page.go_back()
    until(page, 46)
    page.go_back()
    until(page, 42)
    page.go_forward()
    until(page, 46)
    page.evaluate("window.location.hash = '#nonsense'")
    until(page, 0)


def test_far_link_leads_to_the_end(open_page: Open) -> None:
    page = open_page("glastonbury.html", "#99999")
    assert number(page) == len(DOCUMENTS["glastonbury"]["frames"]) - 1


def test_by_touch(open_page: Open) -> None:
    """A swipe to the left turns the page."""
    page = open_page("glastonbury.html", has_touch=True, viewport={"width": 360, "height": 800})
    swipe = """([from, to]) => {
      const stage = document.querySelector(".stage");
      const touch = (x) => new Touch({ identifier: 1, target: stage, clientX: x, clientY: 300 });
      stage.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(from)] }));
      stage.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(to)] }));
    }"""
    page.evaluate(swipe, [300, 100])
    page.evaluate(swipe, [300, 100])
    assert number(page) == 2
    page.evaluate(swipe, [100, 300])
    assert number(page) == 1
    page.evaluate(swipe, [100, 110])
    assert number(page) == 1
    page.get_by_role("button", name="Forwards").tap()
    assert number(page) == 2


@pytest.mark.parametrize("game", SQUARE)
def test_the_square_shows_every_viewpoint(open_page: Open, game: str) -> None:
    page = open_page(f"{game}.html", "#30")
    choice = page.get_by_label("Viewpoint")
    chips = page.locator(".panel .face").count()
    assert page.locator(".pile .face").count() > 0
    assert page.locator(".panel .score").count() == 3
    assert page.locator(".chart").is_visible()
    choice.select_option("spectator")
    # The tops of the three cauldrons, and nothing of the pile.
    assert page.locator(".panel .face").count() == 3 < chips
    assert page.locator(".pile .face").count() == 0
    assert page.locator(".panel .score").count() == 0
    assert not page.locator(".chart").is_visible()
    assert page.get_by_text("recipes hidden").count() == 3
    choice.select_option("1")
    assert page.get_by_text("recipes hidden").count() == 2
    assert number(page) == 30
    page.get_by_role("button", name="Last", exact=True).click()
    # When the game is over everybody sees everything.
    assert page.locator(".panel .score").count() == 3
    assert page.get_by_text("recipes hidden").count() == 0


@pytest.mark.parametrize("game", SQUARE)
def test_board_and_pawns_are_where_the_engine_has_them(open_page: Open, game: str) -> None:
    page = open_page(f"{game}.html", "#0")
    document = DOCUMENTS[game]
    board = list(document["frames"][0]["everything"]["board"])
    stops = list(document["frames"][0]["everything"]["stops"])
    for frame in document["frames"][:12]:
        changes = frame["everything"]
        if frame["n"]:
            page.keyboard.press("ArrowRight")
            for index, card in changes.get("board", {}).items():
                board[int(index)] = card
            for seat, stop in changes.get("stops", {}).items():
                stops[int(seat)] = stop
        drawn = page.locator(".cell").evaluate_all(CARDS)
        corners = (0, 5, 30, 35)
        expected = [card.rstrip("!~") for i, card in enumerate(board) if i not in corners]
        assert drawn == expected
        pawns = page.locator(".pawn").evaluate_all("all => all.map(pawn => pawn.dataset.stop)")
        assert pawns == list(map(str, stops))


def test_pawns_walk_unless_nothing_shall_move(open_page: Open) -> None:
    moving = "document.querySelector('svg.drawing').getAnimations({ subtree: true }).length"
    for motion, walks in (("no-preference", True), ("reduce", False)):
        page = open_page("glastonbury.html", reduced_motion=motion)
        page.keyboard.press("ArrowRight")
        assert (page.evaluate(moving) > 0) == walks


def test_gargon_covers_what_a_seat_cannot_see(open_page: Open) -> None:
    frames = COVERED["frames"]
    picked = next(f for f in frames if f["move"] and f["move"].startswith("pick"))
    other = (picked["seat"] + 1) % 3
    page = open_page("covered.html", f"#{picked['n']}")
    assert page.locator(".creature.back").count() == 0
    assert picked["move"] in page.get_by_role("status").inner_text()
    page.get_by_label("Viewpoint").select_option(str(other))
    assert picked["move"] not in page.locator("body").inner_text().replace("\n", " ")
    assert "pick (covered)" in page.get_by_role("status").inner_text()
    own = page.locator(f'.panel[data-seat="{other}"] .creature.back').count()
    theirs = page.locator(f'.panel[data-seat="{picked["seat"]}"] .creature.back').count()
    assert own == 0 < theirs


def test_names_are_shown_as_they_are_written(open_page: Open) -> None:
    page = open_page("glastonbury.html", "#1")
    assert sorted(page.locator(".result bdi").all_text_contents()) == sorted(NAMES)
    assert page.locator("img").count() == 0


def test_game_that_nobody_has_drawn_is_text(open_page: Open) -> None:
    page = open_page("undrawn.html")
    assert page.locator("pre.drawing").inner_text() == "as 0\n\nas 1\n\nas 2"
    page.get_by_label("Viewpoint").select_option("spectator")
    assert page.locator("pre.drawing").inner_text() == "as a spectator"


def test_every_button_has_a_name(open_page: Open) -> None:
    page = open_page("glastonbury.html")
    names = page.locator("button").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label') || one.textContent.trim())"
    )
    assert all(names)
    for control in page.locator("input, select").all():
        assert control.get_attribute("aria-label")


class _Served(SimpleHTTPRequestHandler):
    """The page as a server would give it: strict policy, style sheets and scripts as files."""

    document: ClassVar[bytes] = b""
    types: ClassVar = {"css": "text/css", "js": "text/javascript"}

    def do_GET(self) -> None:
        kind, body = "text/html", PAGE.encode()
        if self.path == "/match.json":
            kind, body = "application/json", self.document
        elif self.path.startswith("/static/"):
            kind = self.types[self.path.rpartition(".")[2]]
            body = files("tournaments.web").joinpath(self.path[1:]).read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@every_game
def test_page_of_a_server_with_a_strict_policy(open_page: Open, game: str) -> None:
    handler = type("Served", (_Served,), {"document": json.dumps(DOCUMENTS[game]).encode()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        page = open_page("", "#3", base=base, reduced_motion="no-preference")
        assert number(page) == 3
        page.keyboard.press("ArrowRight")
        assert number(page) == 4
        assert page.locator("svg.drawing .panel").count() == 3
        server.shutdown()
