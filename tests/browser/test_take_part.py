"""Authors in a real browser: sign up, upload a package, watch it, read why it failed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.browser.needs import needs_browser
from tests.browser.pages import Visitor, fits, serving
from tests.browser.screenshots import keep
from tests.tournaments.leagues import LEAGUE
from tests.tournaments.web.leagues_with_matches import in_folder
from tests.tournaments.web.workshop import Workshop, workshop
from tournaments.model import Enrolment
from tournaments.submissions import pack

needs_browser()

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
SIZES = {"wide": (1280, 900), "phone": (360, 740)}
PAGE = f"/leagues/{LEAGUE}/take-part"
CODE = "open sesame"
needs_sandbox = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bwrap is missing: apt install bubblewrap"
)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Workshop]:
    """Return a league that needs a code."""
    made = workshop(in_folder(tmp_path), Enrolment.CODE, enrolment_code=CODE)
    yield made
    made.store.close()


@pytest.fixture
def visit(browser: Any, made: Workshop, tmp_path: Path) -> Iterator[Visitor]:
    """Visit its pages; packages go through the real stages."""
    with serving(made, tmp_path / "cache") as address:
        visitor = Visitor(browser, address)
        yield visitor
        visitor.close()


def packed(folder: Path, name: str, build: str = "true") -> Path:
    """Write a package of the smallest sample bot."""
    source = folder / name
    source.mkdir()
    shutil.copy(SAMPLES / "tiny_bot.py", source)
    (source / "bot.toml").write_text(
        f'[bot]\nname = "{name}"\ngames = ["glastonbury"]\nversion = "1.0"\npublic = true\n'
        f'[build]\ncommand = ["sh", "-c", "{build}"]\n'
        '[run]\ncommand = ["python3", "tiny_bot.py"]\nruntime = "python"\n'
    )
    target = folder / f"{name}.tar.gz"
    target.write_bytes(pack(source))
    return target


def sign_up(page: Any, name: str) -> str:
    """Sign up by keyboard, and return the token."""
    page.get_by_label("Your name").focus()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type(CODE)
    page.keyboard.press("Enter")
    token = page.locator("#new-token-text")
    token.wait_for()
    return str(token.inner_text())


def submit(page: Any, package: Path) -> None:
    """Upload a package."""
    page.get_by_label("Package, a .tar.gz").set_input_files(str(package))
    page.get_by_role("button", name="Submit").press("Enter")


@needs_sandbox
def test_author_signs_up_uploads_and_sees_the_bot_play(visit: Visitor, tmp_path: Path) -> None:
    page = visit.open(f"/leagues/{LEAGUE}")
    page.get_by_role("link", name="Take part").click()
    page.wait_for_url(f"**{PAGE}")
    token = sign_up(page, "Ada")
    keep(page, "take-part-signed-up")
    page.get_by_text("Signed in as Ada.").wait_for()
    page.get_by_text("You have submitted no bot yet.").wait_for()
    submit(page, packed(tmp_path, "crow", "sleep 2"))
    page.locator(".stages .now").wait_for()
    keep(page, "take-part-under-way")
    page.get_by_text("It plays in the league.").wait_for()
    assert page.locator(".stages .done").count() == 5
    page.get_by_role("button", name="Retire crow").wait_for()
    keep(page, "take-part-active")
    page.get_by_role("button", name="Standard error of crow").press("Enter")
    page.get_by_text("It has written nothing.").wait_for()
    page.get_by_role("button", name="Retire crow").press("Enter")
    page.get_by_role("button", name="Activate crow").press("Enter")
    page.get_by_role("button", name="Retire crow").wait_for()
    # The token was in the page alone: nothing of it is left.
    assert page.context.cookies() == []
    page.reload()
    assert page.get_by_label("Token of your account").input_value() == ""
    assert page.evaluate("window.localStorage.length + window.sessionStorage.length") == 0
    page.get_by_label("Token of your account").fill(token)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="crow").click()
    page.wait_for_url("**/bots/crow")
    assert page.get_by_text("by Ada").is_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="the package").click()
    content = Path(download.value.path()).read_bytes()
    assert content == (tmp_path / "crow.tar.gz").read_bytes()
    keep(page, "take-part-bot")


@needs_sandbox
@pytest.mark.parametrize(("scheme", "size"), list(product(("light", "dark"), SIZES)))
def test_failure_is_shown_with_its_reason_and_its_log(
    visit: Visitor, tmp_path: Path, scheme: str, size: str
) -> None:
    width, height = SIZES[size]
    look = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
    page = visit.open(PAGE, **look)
    assert fits(page)
    keep(page, f"take-part-{size}-{scheme}")
    sign_up(page, "Ada")
    page.get_by_text("Signed in as Ada.").wait_for()
    submit(page, packed(tmp_path, "crow", "echo there is no compiler; exit 3"))
    page.locator("#log").get_by_text("there is no compiler").wait_for()
    assert "exit code 3" in page.locator("#outcome").inner_text()
    assert page.locator(".stages .failed").inner_text().strip().startswith("Built")
    page.get_by_role("button", name="Log of crow").press("Enter")
    page.locator("#bots pre").get_by_text("there is no compiler").wait_for()
    assert fits(page)
    keep(page, f"take-part-failed-{size}-{scheme}")


def test_what_is_wrong_is_said(visit: Visitor, made: Workshop, tmp_path: Path) -> None:
    made.sign_up("Bob")
    page = visit.open(PAGE)
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Code of the league").fill("wrong")
    page.get_by_role("button", name="Sign up").click()
    page.get_by_text("The code is wrong").wait_for()
    page.get_by_label("Token of your account").fill("wrong")
    page.get_by_role("button", name="Show my bots").click()
    page.get_by_text("This token is not known here.").wait_for()
    page.get_by_label("Token of your account").fill(made.tokens["Bob"])
    page.get_by_role("button", name="Show my bots").click()
    page.get_by_text("Signed in as Bob.").wait_for()
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"x" * 3_000_000)
    submit(page, broken)
    page.get_by_text("no .tar.gz that can be read").wait_for()
    large = tmp_path / "large.tar.gz"
    with large.open("wb") as file:
        file.truncate(33 * 2**20)
    submit(page, large)
    page.get_by_text("The package has more than 32 MiB.").wait_for()
    page.get_by_role("button", name="Forget the token").click()
    assert page.get_by_label("Token of your account").input_value() == ""
    assert not page.get_by_label("Package, a .tar.gz").is_visible()
    # The browser notes itself what the server refused.
    assert len(visit.wrong) == 3
    visit.wrong.clear()


def test_token_is_copied(visit: Visitor) -> None:
    page = visit.open(PAGE, permissions=["clipboard-read", "clipboard-write"])
    token = sign_up(page, "Ada")
    page.get_by_role("button", name="Copy").press("Enter")
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == token


def test_page_without_scripts_says_what_to_do(visit: Visitor) -> None:
    page = visit.open(PAGE, java_script_enabled=False)
    assert page.locator("noscript p").is_visible()
    assert page.get_by_text("highstreet bot check my-bot").is_visible()
    assert not page.get_by_label("Your name").is_visible()
