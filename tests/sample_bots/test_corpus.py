"""The shared corpus is what the Python greedy bot plays today: the others are compared with it."""

from __future__ import annotations

import asyncio

import pytest

from engine import GAMES, Seat
from referee import BotSpec, Stage, Transport, read_record
from tests.languages.corpus import records
from tournaments.bot_names import sample_command
from tournaments.feed import Recording, feed


@pytest.mark.parametrize("game", GAMES)
def test_python_greedy_chooses_what_the_corpus_has(game: str) -> None:
    """One record for each kind of table; `make test-bots` asks the others about all of them."""

    async def ask() -> tuple[int, list[str]]:
        spec = BotSpec("greedy", Transport.PIPE, sample_command("greedy"))
        bot = await Stage(None).bring(spec)
        decisions, different = 0, []
        for path in records(game):
            if not path.name.endswith("-1.jsonl.zst"):
                continue
            recording = Recording.read(read_record(path))
            for seat in range(recording.plan.options.seats):
                async for fed in feed(recording, Seat(seat), bot.player()):
                    decisions += 1
                    if not fed.same:
                        played = fed.asked.played
                        different.append(f"{path.name} {played.n}: {played.move}, {fed.answered}")
        await bot.close()
        return decisions, different

    decisions, different = asyncio.run(ask())
    assert different == []
    assert decisions >= 100
