"""The shared corpus: matches of the Python greedy bot, for every kind of table of every game.

    python -m tests.languages.corpus [GAME...]      plays them anew into tests/data/greedy/

Festo! is played with and without event cards.

The bots of the other languages must choose the same move in every position of these records.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.game import Options
from engine.registry import find_game
from engine.shuffle import seed_from_text
from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import MatchPlan
from referee.model.bot import BotSpec, Transport
from referee.model.clock import TimeControl
from referee.model.policy import Policy
from referee.record.writer import write_record
from referee.transports.bot import BotLauncher
from tournaments.bot_commands import sample_command

FOLDER = Path(__file__).parents[1] / "data" / "greedy"
PREFIXES = {
    "glastonbury": "greedy",
    "kupferkessel": "kupferkessel",
    "gargon": "gargon",
    "festo": "festo",
}
"""How the names of the records of a game begin."""
MATCHES = {"glastonbury": 6, "kupferkessel": 8, "gargon": 2, "festo": 2}
"""For each kind of table."""


def records(game: str) -> list[Path]:
    """Return the records of a game."""
    return sorted(FOLDER.glob(f"{PREFIXES[game]}-*"))


def kinds(game: str) -> Iterator[tuple[str, Options, int]]:
    """Return every kind of table: a name, the options, and where its seeds begin."""
    spec = find_game(game).spec
    switches = [option.name for option in spec.options_offered if option.variant]
    for options in spec.kinds():
        on = [name for name in switches if options[name]]
        name = f"{PREFIXES[game]}-{options.seats}-{'-'.join(on) or 'plain'}"
        yield name, options, 1000 * options.seats + 100 * len(on)
        if game == "festo":  # with event cards, which are an option and no variant
            given = {"events": "reconstructed", **{switch: options[switch] for switch in switches}}
            with_events = spec.options(options.seats, given)
            yield f"{name}-events", with_events, 1000 * options.seats + 100 * len(on) + 50


async def make(game: str) -> None:
    """Play every match of a game, one after the other."""
    lag = LagMeter()
    spec = BotSpec("greedy", Transport.PIPE, sample_command("greedy"))
    bots = [await BotLauncher(None).launch(spec) for _ in range(max(find_game(game).spec.seats))]
    for kind, options, first_seed in kinds(game):
        for number in range(1, MATCHES[game] + 1):
            name = f"{kind}-{number}"
            plan = MatchPlan(
                name,
                find_game(game),
                options,
                seed_from_text(str(first_seed + number)),
                b"the same salt",
                tuple(f"greedy-{seat}" for seat in range(options.seats)),
                TimeControl(),
                Policy(),
            )
            players = [bot.player() for bot in bots[: options.seats]]
            result = await Match(plan, players, lag).play()
            assert not result.causes
            write_record(FOLDER, name, result.record, compress=True)
    lag.stop()
    for bot in bots:
        await bot.close()


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PREFIXES:
        asyncio.run(make(wanted))
