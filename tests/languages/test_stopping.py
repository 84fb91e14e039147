"""A signal stops a sample bot of any language without a forfeit."""

from __future__ import annotations

import hashlib
import signal
from pathlib import Path

import pytest

from referee.model.bot import Transport
from sample_bots.languages import Language
from tests.languages.built import LANGUAGES, here, skip_unless_wanted
from tests.sample_bots import stopping, welcoming
from tests.tournaments.serving import HIGHSTREET, run

skip_unless_wanted()

pytestmark = pytest.mark.slow
ALL = list(LANGUAGES)
PIPED = [key for key, own in LANGUAGES.items() if own.transport is Transport.PIPE]
DIALLING = [key for key, own in LANGUAGES.items() if own.transport is Transport.GRPC]


def command(own: Language) -> list[str]:
    """Return how the greedy bot of a language dials in: a pipe bot through a bridge."""
    bridge = [] if own.transport is Transport.GRPC else [*HIGHSTREET, "bridge", "--"]
    return [*bridge, *own.command("greedy")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
@pytest.mark.parametrize("key", ALL)
def test_a_bot_leaves(key: str, number: signal.Signals, tmp_path: Path) -> None:
    own = here(LANGUAGES[key])
    tables = 2 if own.transport is Transport.GRPC else 1
    run(lambda: stopping.check_that_it_leaves(command(own), tmp_path, number, tables))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
@pytest.mark.parametrize("key", PIPED)
def test_a_pipe_bot_itself_leaves(key: str, number: signal.Signals, tmp_path: Path) -> None:
    """It says so in a line, and the bridge does the same."""
    words = command(here(LANGUAGES[key]))
    run(lambda: stopping.check_that_it_leaves(words, tmp_path, number, 1, stopping.bridged))


@pytest.mark.parametrize("key", ALL)
def test_a_second_signal_ends_a_bot_at_once(key: str, tmp_path: Path) -> None:
    own = here(LANGUAGES[key])
    whom = {"signalled": stopping.bridged} if key in PIPED else {}
    run(lambda: stopping.check_that_a_second_signal_ends_it(command(own), tmp_path, **whom))


@pytest.mark.parametrize("key", DIALLING)
def test_a_signal_ends_a_bot_that_looks_for_a_referee(key: str, tmp_path: Path) -> None:
    stopping.check_that_it_ends_where_no_referee_is(command(here(LANGUAGES[key])), tmp_path)


@pytest.mark.parametrize("key", ALL)
def test_a_bot_looks_for_its_referee_as_long_as_it_is_told(key: str, tmp_path: Path) -> None:
    welcoming.check_how_long_it_looks(command(here(LANGUAGES[key])), tmp_path)


@pytest.mark.parametrize("key", ALL)
def test_a_bot_tells_the_version_that_it_is_given(key: str, tmp_path: Path) -> None:
    words = command(here(LANGUAGES[key]))
    assert welcoming.version_of(words, tmp_path, HIGHSTREET_BOT_VERSION="2.1 beta") == "2.1 beta"


@pytest.mark.parametrize("key", DIALLING)
def test_a_bot_without_a_version_tells_the_hash_of_its_program(key: str, tmp_path: Path) -> None:
    own = here(LANGUAGES[key])
    program = own.folder / next(word for word in own.run if (own.folder / word).is_file())
    version = welcoming.version_of(command(own), tmp_path)
    if program.suffix == ".js":
        files = sorted(program.parent.rglob("*.js"), key=lambda each: _name(each, program.parent))
        data = b"".join(
            _name(each, program.parent).encode() + b"\0" + each.read_bytes() for each in files
        )
    else:
        data = program.read_bytes()
    assert version == hashlib.sha256(data).hexdigest()[:12]


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix()
