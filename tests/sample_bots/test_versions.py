"""A bot tells its version when it joins: the one that it is given, or a hash of its program."""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from pathlib import Path

from tests.sample_bots.games import PYTHON_BOTS
from tests.sample_bots.welcoming import version_of
from tests.tournaments.serving import HIGHSTREET

HASH = re.compile(r"[0-9a-f]{12}")


def python_bot(folder: Path) -> list[str]:
    """Return the command of a copy of the Python sample bots."""
    shutil.copytree(PYTHON_BOTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return [sys.executable, str(folder / "greedy_bot.py")]


def test_a_python_bot_tells_the_version_that_it_is_given(tmp_path: Path) -> None:
    bot = [sys.executable, str(PYTHON_BOTS / "random_bot.py")]
    assert version_of(bot, tmp_path, HIGHSTREET_BOT_VERSION="2.1 beta") == "2.1 beta"


def test_the_hash_of_a_python_bot_changes_with_its_own_files_only(tmp_path: Path) -> None:
    """Wherever the folder is, and whatever other bots are in it."""
    one, other = python_bot(tmp_path / "one"), python_bot(tmp_path / "other")
    first = version_of(one, tmp_path)
    assert HASH.fullmatch(first)
    assert version_of(other, tmp_path) == first
    for name, changes in (("search_bot.py", False), ("greedy_gargon.py", True)):
        with (tmp_path / "other" / name).open("a") as file:
            file.write("# another thought\n")
        assert (version_of(other, tmp_path) != first) is changes


def test_a_bridge_hashes_the_program_and_the_files_of_its_command(tmp_path: Path) -> None:
    script = str(shutil.copy(PYTHON_BOTS / "tiny_bot.py", tmp_path))
    bridge = [*HIGHSTREET, "bridge", "--", sys.executable, script]
    digests = [
        hashlib.sha256(Path(name).read_bytes()).digest() for name in (sys.executable, script)
    ]
    expected = hashlib.sha256(b"".join(digests)).hexdigest()[:12]
    assert version_of(bridge, tmp_path) == expected
    assert f"bot_version {expected} is a hash of" in (tmp_path / "log").read_text()
    assert version_of(bridge, tmp_path, HIGHSTREET_BOT_VERSION="7") == "7"


def test_a_python_bot_warns_of_a_version_that_it_cannot_know(tmp_path: Path) -> None:
    """One that is no file has no hash."""
    start = f"import sys; sys.path.insert(0, {str(PYTHON_BOTS)!r}); import plumbing; "
    bot = [sys.executable, "-c", f"{start} plumbing.run(plumbing.Bot)"]
    assert version_of(bot, tmp_path) == ""
    assert "set HIGHSTREET_BOT_VERSION" in (tmp_path / "log").read_text()
