"""From an empty folder to a rated bot, in every language, on one real league server."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine import GAMES
from sample_bots.languages import Language, templates
from tests.languages.built import installed, lacks, skip_unless_wanted
from tests.tournaments.serving import LEAGUE, Place, highstreet, wait_until
from tournaments.server.submission_client import SubmissionClient

skip_unless_wanted()

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("submission")]
TEMPLATES = templates()
FILE = (
    'title = "Spring"\ngame = "glastonbury"\ntable_sizes = [2]\nenrolment = "open"\n'
    "bots_per_author = 20\n"
)


@dataclass(frozen=True)
class Author:
    """An author of the league, on the command line and as a client."""

    environment: dict[str, str]
    client: SubmissionClient


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Author]:
    """Start a server with a bot of another author, and return an author."""
    if shutil.which("bwrap") is None:
        lacks("bwrap is missing: apt install bubblewrap")
    folder = tmp_path_factory.mktemp("league")
    (folder / "spring.toml").write_text(FILE, encoding="utf-8")
    with contextlib.ExitStack() as stack:
        place = Place(folder / "place", f"sqlite:///{folder / 'league.db'}", stack)
        place.start("--league", f"{LEAGUE}={folder / 'spring.toml'}")
        where = {"HIGHSTREET_SERVER": place.address}
        ann, bob = (signed_up(name, folder, where) for name in ("ann", "bob"))
        succeed("new-bot", "python", str(folder / "opponent"))
        succeed("submit", str(folder / "opponent"), "--league", LEAGUE, **bob)
        yield Author(ann, place.client(ann["HIGHSTREET_TOKEN"]))


def signed_up(name: str, folder: Path, where: dict[str, str]) -> dict[str, str]:
    """Sign an author up, and return the environment of the author's commands."""
    token = folder / f"{name}.token"
    succeed("enrol", LEAGUE, name, "--token-out", str(token), **where)
    return {**where, "HIGHSTREET_TOKEN": token.read_text(encoding="utf-8").strip()}


def succeed(*arguments: str, **environment: str) -> str:
    """Run a command that succeeds, and return what it prints."""
    done = highstreet(*arguments, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("key", TEMPLATES)
def test_a_new_bot_passes_every_check_and_is_rated(
    key: str, tmp_path: Path, author: Author
) -> None:
    """As it stands, without one warning: it answers again after a rejected move, and ends."""
    language: Language = installed(TEMPLATES[key])
    folder = tmp_path / f"{language.key}-bot"
    succeed("new-bot", language.key, str(folder))

    checked = succeed("bot", "check", str(folder))
    assert checked.count("answers again and plays on") == len(GAMES)
    assert "! " not in checked

    succeed("submit", str(folder), "--league", LEAGUE, **author.environment)

    def played() -> bool:
        table, _ = author.client.standings(LEAGUE)
        return any(row["matches"] for row in table if row["entrant"] == folder.name)

    wait_until(played, f"{folder.name} is rated")
    listed = succeed("bot", "list", LEAGUE, "--bot", folder.name, "--json", **author.environment)
    (found,) = json.loads(listed)
    assert found["standing"]["matches"] >= 1
    assert found["standing"]["forfeits"] == 0
    # So that the next language has the machine.
    succeed("bot", "retire", LEAGUE, folder.name, **author.environment)
