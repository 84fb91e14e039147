"""The sample bots over gRPC in the sandbox: they dial a unix socket, and live with being frozen."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from referee.match import LagMeter, Match, MatchResult, Question
from referee.model import (
    BotCommand,
    BotSpec,
    Mount,
    SandboxKind,
    SandboxLimits,
    SandboxSettings,
    Transport,
)
from referee.runtime import run_async
from referee.transports import BotLauncher, InProcessPlayer
from sample_bots.languages import Language
from tests.languages.built import LANGUAGES, here, lacks, skip_unless_wanted
from tests.referee.dialling import plan
from tests.sandbox.arena import GENEROUS
from tests.sandbox.grpc_arena import LONG_THINKING
from tournaments.submissions import find_runtime

skip_unless_wanted()

pytestmark = pytest.mark.slow
RUNTIMES = {"cpp": "c++", "go": "go", "java": "java", "rust": "executable", "typescript": "node"}
"""What each language over gRPC needs to see of the machine, besides its own folder."""
LONG_THOUGHT = 3
"""The decision of the opponent during which the bot is frozen for long."""


@pytest.fixture(params=RUNTIMES)
def language(request: pytest.FixtureRequest) -> Language:
    """Return a language whose bots have been built."""
    if shutil.which("bwrap") is None:
        lacks("bwrap is missing: apt install bubblewrap")
    return here(LANGUAGES[request.param])


def test_every_language_over_grpc_is_tested_here() -> None:
    assert {key for key, own in LANGUAGES.items() if own.transport is Transport.GRPC} == set(
        RUNTIMES
    )


async def play(language: Language, logs: Path) -> MatchResult:
    """Play a match of the greedy bot of a language against one that thinks for long, once."""
    folder = language.folder
    settings = SandboxSettings(
        SandboxKind.BUBBLEWRAP,
        find_runtime(RUNTIMES[language.key]),
        (Mount(folder, folder),),
        SandboxLimits(),
    )
    command = BotCommand((*language.run, "greedy"), folder, sandbox=settings)
    own = 0

    async def think(question: Question) -> Any:
        nonlocal own
        own += 1
        if own == LONG_THOUGHT:
            await asyncio.sleep(LONG_THINKING)
        return question.legal[-1]

    lag = LagMeter()
    bot = await BotLauncher(None, logs).launch(BotSpec(language.key, Transport.GRPC, command))
    try:
        players = [bot.player(), InProcessPlayer(think)]
        return await Match(plan("greedy", "slow", control=GENEROUS), players, lag).play()
    finally:
        await bot.close()
        lag.stop()


def test_a_sample_over_grpc_plays_in_the_sandbox_and_is_not_cut_off(
    language: Language, tmp_path: Path
) -> None:
    result = run_async(play(language, tmp_path))
    log = "".join(path.read_text(encoding="utf-8") for path in tmp_path.iterdir())
    assert (result.forfeits, dict(result.strikes)) == ((), {}), (result.causes, log)
    assert result.ending == "line_emptied"
