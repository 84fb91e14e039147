"""Every language's bots keep the protocol, play whole matches, and choose what the Python bot does.

`make test-bots` builds them and runs this; without it, one line says that it was not run.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.game import Seat
from engine.registry import find_game
from engine.shuffle import seed_from_text, shuffled
from referee.devkit.rerun import Recording, rerun_decisions
from referee.model.bot import BotCommand, BotSpec, Transport
from referee.record.reader import read_record
from referee.transports.bot import Bot, BotLauncher
from referee.transports.grpc_server import RefereeServer
from sample_bots.languages import Language, lint
from tests.languages.built import LANGUAGES, WANTED, here, skip_unless_wanted
from tests.languages.corpus import records

ROOT = Path(__file__).parents[2]
skip_unless_wanted()

TIMEOUT = 600
MATCHES = 20
OF_A_NEW_GAME = 3
"""How many matches for each number of seats of the games that came later."""
DECK = "glastonbury/deck"
UNHURRIED = ("--per-move", "10")
"""A clock that a bot keeps on a machine that builds and tests other ones at the same time."""

pytestmark = pytest.mark.slow


PLAYED = [(key, game) for key, own in LANGUAGES.items() for game in own.games]
"""Every language with every game that its greedy bot plays."""
LATER = [(key, game) for key, game in PLAYED if game != "glastonbury"]


@pytest.fixture(params=LANGUAGES.values(), ids=list(LANGUAGES))
def language(request: pytest.FixtureRequest) -> Language:
    """Return a language whose bots have been built."""
    own: Language = request.param
    return here(own)


def ids(pairs: list[tuple[str, str]]) -> list[str]:
    return [f"{key}-{game}" for key, game in pairs]


def highstreet(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    start = [sys.executable, "-c", "from tournaments.cli import main; main()"]
    return subprocess.run(
        [*start, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )


def test_the_tools_of_the_language_have_nothing_to_say(language: Language) -> None:
    """Compilers speak during the build, and `make bots LANGUAGES=--all` fails if one warns."""
    lint(language)


@pytest.mark.parametrize("bot", ["random", "greedy"])
def test_the_bot_keeps_the_protocol(language: Language, bot: str) -> None:
    """Every step of check-bot passes: a rejected move, a cut connection, a clean end and all."""
    transport = language.transport.value
    ran = highstreet(
        "check-bot", *UNHURRIED, "--transport", transport, "--", *language.command(bot)
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "steps passed" in ran.stdout


@pytest.mark.parametrize("recipes", [False, True], ids=["plain", "recipes"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_bot_plays_whole_matches(
    language: Language, seats: int, recipes: bool, tmp_path: Path
) -> None:
    own = " ".join(language.command("greedy"))
    others = ["random", "greedy", "random"][: seats - 1]
    ran = highstreet(
        *("play", *UNHURRIED, "--seats", str(seats), "--matches", str(MATCHES), "--out", tmp_path),
        *("--transport", language.transport.value),
        *(["--recipes"] if recipes else []),
        *(own, *others),
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    records = list(tmp_path.glob("*.jsonl"))
    assert len(records) == MATCHES
    for path in records:
        end = json.loads(path.read_text().splitlines()[-1])
        assert end["forfeits"] == [], path
    verified = highstreet("verify", tmp_path)
    assert verified.returncode == 0, verified.stdout


@pytest.mark.parametrize(("key", "game"), LATER, ids=ids(LATER))
def test_greedy_keeps_the_protocol_in_every_game_that_it_plays(key: str, game: str) -> None:
    language = here(LANGUAGES[key])
    ran = highstreet(
        *("check-bot", *UNHURRIED, "--game", game, "--transport", language.transport.value),
        *("--", *language.command("greedy")),
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "steps passed" in ran.stdout


@pytest.mark.parametrize(("key", "game"), LATER, ids=ids(LATER))
def test_greedy_plays_whole_matches_of_every_game_that_it_plays(
    key: str, game: str, tmp_path: Path
) -> None:
    """A few matches for each number of seats, with the random bot of the same language."""
    language = here(LANGUAGES[key])
    own, random = (" ".join(language.command(bot)) for bot in ("greedy", "random"))
    for seats in find_game(game).spec.seats:
        out = tmp_path / str(seats)
        ran = highstreet(
            *("play", *UNHURRIED, "--game", game, "--matches", str(OF_A_NEW_GAME), "--out", out),
            *("--seats", str(seats), "--transport", language.transport.value),
            *(own, random, "greedy", "random", "random")[:seats],
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        ends = [json.loads(path.read_text().splitlines()[-1]) for path in out.glob("*.jsonl")]
        assert [end["forfeits"] for end in ends] == [[]] * OF_A_NEW_GAME
        verified = highstreet("verify", out)
        assert verified.returncode == 0, verified.stdout


@pytest.mark.parametrize("game", ["kupferkessel", "gargon"])
def test_random_plays_whole_matches_of_a_game_that_it_does_not_know(
    language: Language, game: str, tmp_path: Path
) -> None:
    own = " ".join(language.command("random"))
    ran = highstreet(
        *("play", *UNHURRIED, "--game", game, "--seats", "3", "--out", tmp_path),
        *("--transport", language.transport.value, own, own, "random"),
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (record,) = tmp_path.glob("*.jsonl")
    assert json.loads(record.read_text().splitlines()[-1])["forfeits"] == []


@pytest.mark.parametrize(
    "key", [key for key, own in LANGUAGES.items() if own.games == ("glastonbury",)]
)
def test_greedy_says_that_it_does_not_play_another_game(key: str) -> None:
    """Over gRPC when it joins, over a pipe by a line on its standard error."""
    language = here(LANGUAGES[key])
    ran = highstreet(
        *("check-bot", "--game", "kupferkessel", "--transport", language.transport.value),
        *("--", *language.command("greedy")),
    )
    assert ran.returncode == 1
    assert "glastonbury" in ran.stdout + ran.stderr


@pytest.mark.parametrize(("key", "game"), PLAYED, ids=ids(PLAYED))
def test_greedy_chooses_what_the_python_bot_chooses(key: str, game: str) -> None:
    """The same move in every position of the corpus, asked of one process after the other."""
    language = here(LANGUAGES[key])

    async def ask_all(bot: Bot) -> tuple[int, list[str]]:
        decisions, different = 0, []
        for path in records(game):
            recording = Recording.read(read_record(path))
            for seat in range(recording.plan.options.seats):
                async for fed in rerun_decisions(recording, Seat(seat), bot.player()):
                    decisions += 1
                    if not fed.same:
                        played = fed.asked.played
                        different.append(f"{path.name} {played.n}: {played.move}, {fed.answered}")
        return decisions, different

    decisions, different = asyncio.run(_with_bot(language, "greedy", ask_all))
    assert different == []
    assert decisions >= (2000 if game == "glastonbury" else 1000)


async def _with_bot(language: Language, name: str, use: Callable[[Bot], Any]) -> Any:
    server = RefereeServer()
    await server.start()
    try:
        spec = BotSpec(name, language.transport, BotCommand(language.command(name)))
        bot = await BotLauncher(server, connect_seconds=30).launch(spec)
        try:
            return await use(bot)
        finally:
            await bot.close()
    finally:
        # A server that is not stopped on its own loop blocks the garbage collector for ever: gRPC
        # waits there for a thread, which waits for the server.
        await server.stop(grace=0)


@pytest.mark.parametrize("size", [0, 1, 2, 32, 77, 200])
def test_the_shuffle_gives_the_same_order(language: Language, size: int) -> None:
    for seed in (seed_from_text("0"), seed_from_text("7"), seed_from_text("ab" * 32)):
        words = language.command("shuffle", seed.hex(), str(size))
        ran = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
        assert tuple(map(int, ran.stdout.split())) == shuffled(range(size), seed, DECK)


@pytest.mark.parametrize(
    "key", [key for key, own in LANGUAGES.items() if own.transport is Transport.GRPC]
)
def test_the_commands_of_the_guide_make_a_project_that_plays(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New project, build, match and check, as docs/guides/write-a-bot.md has them."""
    language = here(LANGUAGES[key])
    guide = (ROOT / "docs" / "guides" / "write-a-bot.md").read_text(encoding="utf-8")
    (commands,) = re.findall(
        rf"```sh\n(highstreet new-bot {key} my-bot --transport grpc\n.*?)```", guide, re.DOTALL
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "highstreet").symlink_to(Path(sys.executable).parent / "highstreet")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    first, _, rest = commands.partition("\n")
    _bash(first, tmp_path)
    if (language.folder / "target").exists():
        # What cargo has compiled for others need not be compiled again.
        shutil.copytree(language.folder / "target", tmp_path / "my-bot" / "target")
    ran = _bash(rest, tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "forfeit" not in ran.stdout
    assert "1 correct, 0 wrong" in ran.stdout
    assert "steps passed" in ran.stdout


def _bash(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],  # noqa: S607
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )


def test_one_bot_of_each_language_plays_in_one_tournament(tmp_path: Path) -> None:
    missing = [own.name for own in LANGUAGES.values() if own.missing() or not own.built]
    if missing and WANTED != "all":
        pytest.skip(f"{', '.join(missing)} cannot be built here")
    file = ROOT / "tournaments" / "examples" / "polyglot.toml"
    ran = highstreet("tournament", "run", file, "--out", tmp_path / "polyglot")
    assert ran.returncode == 0, ran.stderr
    table = json.loads((tmp_path / "polyglot" / "standings.json").read_text())["standings"]
    assert len(table) == len(LANGUAGES) + 1, "and Python"
    assert [line["forfeits"] for line in table] == [0] * len(table)
    verified = highstreet("tournament", "verify", tmp_path / "polyglot")
    assert verified.returncode == 0, verified.stderr
