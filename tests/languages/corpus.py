"""The shared corpus: matches of the Python greedy bot, for every kind of table.

    python -m tests.languages.corpus      plays them anew into tests/data/greedy/

The bots of the other languages must choose the same move in every position of these records.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine import find_game, seed_from_text
from referee import BotSpec, LagMeter, MatchPlan, Policy, Stage, Table, TimeControl, Transport
from referee.record import write_record
from tournaments.bot_names import sample_command

FOLDER = Path(__file__).parents[1] / "data" / "greedy"
MATCHES = 6
"""For each kind of table."""


async def make() -> None:
    """Play every match, one after the other."""
    game, lag = find_game("glastonbury"), LagMeter()
    spec = BotSpec("greedy", Transport.PIPE, sample_command("greedy"))
    bots = [await Stage(None).bring(spec) for _ in range(4)]
    for seats in (2, 3, 4):
        for recipes in (False, True):
            for number in range(1, MATCHES + 1):
                name = f"greedy-{seats}-{'recipes' if recipes else 'plain'}-{number}"
                plan = MatchPlan(
                    name,
                    game,
                    game.spec.options(seats, {"recipes": recipes}),
                    seed_from_text(str(1000 * seats + 100 * recipes + number)),
                    b"the same salt",
                    tuple(f"greedy-{seat}" for seat in range(seats)),
                    TimeControl(),
                    Policy(),
                )
                players = [bot.player() for bot in bots[:seats]]
                result = await Table(plan, players, lag).play()
                assert not result.causes
                write_record(FOLDER, name, result.record, compress=True)
    lag.stop()
    for bot in bots:
        await bot.close()


if __name__ == "__main__":
    asyncio.run(make())
