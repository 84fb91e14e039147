"""From an empty folder to a rated bot, in every language, on a real league server."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sample_bots.languages import Language, templates
from tests.languages.built import installed, lacks, skip_unless_wanted
from tests.tournaments.serving import LEAGUE, Place, highstreet, wait_until

skip_unless_wanted()

pytestmark = pytest.mark.slow
TEMPLATES = templates()
FILE = (
    'title = "Spring"\ngame = "glastonbury"\ntable_sizes = [2]\nenrolment = "open"\n'
    "bots_per_author = 20\n"
)


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Start a server, and return the environment of an author who has a bot there."""
    if shutil.which("bwrap") is None:
        lacks("bwrap is missing: apt install bubblewrap")
    folder = tmp_path_factory.mktemp("league")
    (folder / "spring.toml").write_text(FILE, encoding="utf-8")
    with contextlib.ExitStack() as stack:
        place = Place(folder / "place", f"sqlite:///{folder / 'league.db'}", stack)
        place.start("--league", f"{LEAGUE}={folder / 'spring.toml'}")
        where = {"HIGHSTREET_SERVER": place.address}
        token = folder / "token"
        assert (
            highstreet("enrol", LEAGUE, "ann", "--token-out", str(token), **where).returncode == 0
        )
        own = {**where, "HIGHSTREET_TOKEN": token.read_text(encoding="utf-8").strip()}
        submit("python", folder / "opponent", own)
        yield own


def submit(language: str, folder: Path, author: dict[str, str]) -> None:
    """Write a bot, and submit it as it stands."""
    made = highstreet("new-bot", language, str(folder))
    assert made.returncode == 0, made.stderr
    done = highstreet("submit", str(folder), "--league", LEAGUE, **author)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("key", TEMPLATES)
def test_a_new_bot_is_submitted_and_rated(key: str, tmp_path: Path, author: dict[str, str]) -> None:
    language: Language = installed(TEMPLATES[key])
    folder = tmp_path / f"{language.key}-bot"
    submit(language.key, folder, author)

    def rated() -> bool:
        listed = highstreet("bot", "list", LEAGUE, "--json", **author)
        found = {each["bot"]: each for each in json.loads(listed.stdout)}[folder.name]
        assert not found["forfeits"], found
        return bool(found["matches"])

    wait_until(rated, f"{folder.name} has played")
