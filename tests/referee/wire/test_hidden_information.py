"""Nothing that is sent to a seat depends on what the seat cannot see.

Real games over a real socket: every byte that each seat is sent is kept. Afterwards each position
is dealt anew as far as the seat cannot see it, and must give the same bytes.
"""

from __future__ import annotations

import asyncio
import itertools
from contextlib import suppress

import pytest
from highstreet.v1 import play_pb2

from engine.game import Seat
from engine.registry import GAMES, AnyGame
from engine.shuffle import Chance, seed_from_text
from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import MatchPlan
from referee.model.clock import TimeControl
from referee.model.policy import Policy
from referee.record.verify import Position, replay_record
from referee.transports.grpc_session import GrpcPlayer
from referee.wire.codec import find_codec, view_fields
from tests.engine.kits import KITS
from tests.referee.converters import find_converter
from tests.referee.dialling import Dialler, referee, run

MATCHES = {"glastonbury": 200}
"""How many matches of a game; 60 unless it is named here."""
PER_TEST = 10
BATCHES = [
    pytest.param(game, first, id=f"{name}-{first}")
    for name, game in GAMES.items()
    for first in range(0, MATCHES.get(name, 60), PER_TEST)
]


async def listen(bot: Dialler, log: list[play_pb2.PlayResponse], chance: Chance) -> None:
    """Answer at random and keep everything that comes."""
    with suppress(EOFError):
        while True:
            said = await bot.hear()
            log.append(said)
            if said.HasField("decision"):
                await bot.submit(said.decision, chance.below(len(said.decision.legal_moves)))


def check_decision(
    game: AnyGame, said: play_pb2.Decision, seat: Seat, positions: list[Position], seed: int
) -> None:
    name = game.spec.name
    state = positions[said.decision_id - 1].state
    codec, situation = find_codec(name), getattr(said, name)
    for again in range(2):
        other = KITS[name].redealt(state, seat, seed_from_text(str(seed * 2 + again)))
        fields = view_fields(codec, game.view(other, seat))
        assert situation.view == type(situation.view)(**fields)
        assert len(game.legal_moves(other, seat)) == len(said.legal_moves)
    find_converter(name).assert_hides(situation, seat)


def check_events(
    game: AnyGame, log: list[play_pb2.PlayResponse], seat: Seat, positions: list[Position]
) -> None:
    """Every event that the seat may see is told once and in order, and nothing else."""
    name = game.spec.name
    told = [
        event.kind
        for said in log
        for message in [said.decision if said.HasField("decision") else said.match_ended]
        for event in getattr(message, name).events
    ]
    codec, converter = find_codec(name), find_converter(name)
    happened = [
        fields["kind"]
        for position in positions
        for event in position.events
        if converter.may_see(event, seat)
        for fields in codec.event_fields(event)
    ]
    assert told == happened


@pytest.mark.slow
@pytest.mark.parametrize(("game", "first"), BATCHES)
def test_no_seat_is_sent_anything_that_it_may_not_know(game: AnyGame, first: int) -> None:
    kinds = list(game.spec.kinds())

    async def test() -> None:
        numbers = itertools.count(first)
        async with referee() as server:
            lag = LagMeter()
            for number in itertools.islice(numbers, PER_TEST):
                options = kinds[number % len(kinds)]
                names = tuple(f"bot-{seat}" for seat in range(options.seats))
                bots, players = [], []
                for name in names:
                    bot = Dialler(server.address)
                    await bot.join(server.tokens.issue(name))
                    bots.append(bot)
                    players.append(GrpcPlayer(await server.wait_for_bot(name)))
                logs: list[list[play_pb2.PlayResponse]] = [[] for _ in names]
                seed = seed_from_text(str(number))
                listening = [
                    asyncio.create_task(listen(bot, log, Chance(seed, name)))
                    for bot, log, name in zip(bots, logs, names, strict=True)
                ]
                plan = MatchPlan(
                    f"match-{number}", game, options, seed, b"", names, TimeControl(), Policy()
                )
                result = await Match(plan, players, lag).play()
                for bot, log in zip(bots, logs, strict=True):
                    while not any(said.HasField("match_ended") for said in log):
                        await asyncio.sleep(0.001)
                    await bot.cut()
                await asyncio.gather(*listening, return_exceptions=True)
                positions = list(replay_record(result.record).positions)
                for seat, log in enumerate(logs):
                    for said in log:
                        if said.HasField("decision"):
                            check_decision(game, said.decision, Seat(seat), positions, number)
                    check_events(game, log, Seat(seat), positions)
            lag.stop()

    run(test)
