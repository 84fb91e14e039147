"""The shared corpus is what the Python greedy bot plays today: the others are compared with it."""

from __future__ import annotations

import asyncio

import pytest

from engine.game import Seat
from engine.registry import GAMES
from referee.devkit.rerun import Recording, rerun_decisions
from referee.model.bot import BotSpec, Transport
from referee.record.reader import read_record
from referee.transports.bot import BotLauncher
from tests.languages.corpus import records
from tournaments.bot_commands import sample_command


@pytest.mark.parametrize("game", GAMES)
def test_python_greedy_chooses_what_the_corpus_has(game: str) -> None:
    """One record for each kind of table; `make test-bots` asks the others about all of them."""

    async def ask() -> tuple[int, list[str]]:
        spec = BotSpec("greedy", Transport.PIPE, sample_command("greedy"))
        bot = await BotLauncher(None).launch(spec)
        decisions, different = 0, []
        for path in records(game):
            if not path.name.endswith("-1.jsonl.zst"):
                continue
            recording = Recording.read(read_record(path))
            for seat in range(recording.plan.options.seats):
                async for fed in rerun_decisions(recording, Seat(seat), bot.player()):
                    decisions += 1
                    if not fed.same:
                        played = fed.asked.played
                        different.append(f"{path.name} {played.n}: {played.move}, {fed.answered}")
        await bot.close()
        return decisions, different

    decisions, different = asyncio.run(ask())
    assert different == []
    assert decisions >= 100
