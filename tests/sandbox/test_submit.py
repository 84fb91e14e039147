"""A bot on its way from a folder to the tables of a league server, by commands alone."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from tests.tournaments.packages import bot_folder
from tests.tournaments.serving import LEAGUE, Place, highstreet

FILE = 'title = "Spring"\ngame = "glastonbury"\ntable_sizes = [2]\nenrolment = "open"\n'


def test_a_folder_becomes_an_active_bot_and_a_broken_version_does_not(tmp_path: Path) -> None:
    league, token = tmp_path / "spring.toml", tmp_path / "ann.token"
    league.write_text(FILE, encoding="utf-8")
    folder = bot_folder(tmp_path / "bot", "crow", runtime="python")
    with contextlib.ExitStack() as stack:
        place = Place(tmp_path / "place", f"sqlite:///{tmp_path / 'league.db'}", stack)
        place.start("--league", f"{LEAGUE}={league}")
        where = {"HIGHSTREET_SERVER": place.address}
        enrolled = highstreet("enrol", LEAGUE, "ann", "--token-out", str(token), **where)
        assert enrolled.returncode == 0, enrolled.stderr
        own = ("--token-file", str(token))

        done = highstreet("submit", str(folder), "--league", LEAGUE, *own, **where)
        assert done.returncode == 0, done.stdout + done.stderr
        words = [line.split()[0] for line in done.stdout.splitlines()]
        assert words == ["received", "unpacked", "built", "checked", "tried", "active"]

        (folder / "tiny_bot.py").write_text("raise SystemExit('no idea')\n", encoding="utf-8")
        broken = highstreet("submit", str(folder), "--league", LEAGUE, *own, **where)
        assert broken.returncode == 1, broken.stderr
        assert "not checked" in broken.stdout
        assert "no idea" in broken.stdout

        listed = highstreet("bot", "list", LEAGUE, "--json", *own, **where)
        states = [each["state"] for each in json.loads(listed.stdout)]
        assert states == ["failed", "active"], "the version before it plays on"
