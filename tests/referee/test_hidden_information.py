"""Nothing that is sent to a seat depends on what the seat cannot see.

Real games over a real socket: every byte that each seat is sent is kept. Afterwards each position
is dealt anew as far as the seat cannot see it, and must give the same bytes.
"""

from __future__ import annotations

import asyncio
import itertools
from contextlib import suppress
from typing import Any

import pytest
from highstreet.v1 import glastonbury_pb2, play_pb2

from engine import Chance, Seat, seed_from_text
from referee import LagMeter, Table
from referee.record import Position, replay_record
from referee.server import GrpcPlayer
from referee.wire import find_codec
from referee.wire.codec import view_fields
from tests.engine.kits import KITS
from tests.referee.dialling import GAME, Dialler, plan, referee, run

GAMES = 200
PER_TEST = 20
KIND = glastonbury_pb2.Glastonbury.EventKind
PHASE = glastonbury_pb2.Glastonbury.Phase


async def listen(bot: Dialler, log: list[play_pb2.PlayResponse], chance: Chance) -> None:
    """Answer at random and keep everything that comes."""
    with suppress(EOFError):
        while True:
            said = await bot.hear()
            log.append(said)
            if said.HasField("decision"):
                await bot.submit(said.decision, chance.below(len(said.decision.legal_moves)))


def visible(event: Any, seat: int) -> bool:
    """Say independently of the engine who may see an event: all but Perluceo's look."""
    return type(event).__name__ != "Looked" or event.seat == seat


def check_decision(
    said: play_pb2.Decision, seat: Seat, positions: list[Position], seed: int
) -> None:
    state = positions[said.decision_id - 1].state
    codec = find_codec("glastonbury")
    for again in range(2):
        other = KITS["glastonbury"].redealt(state, seat, seed_from_text(str(seed * 2 + again)))
        view = glastonbury_pb2.Glastonbury.View(**view_fields(codec, GAME.view(other, seat)))
        assert said.glastonbury.view == view
        legal = [GAME.format_move(move) for move in GAME.legal_moves(other, seat)]
        assert len(legal) == len(said.legal_moves)
    for event in said.glastonbury.events:
        assert event.kind != KIND.EVENT_KIND_LOOKED or event.seat == seat
        assert event.kind != KIND.EVENT_KIND_RECIPES_OPENED
    view = said.glastonbury.view
    hidden = [s for s in range(len(view.recipe_tasks)) if s != seat]
    assert not any(view.recipe_tasks[s] or view.recipe_colours[s] for s in hidden)
    assert view.phase == PHASE.PHASE_IMMUTO or not view.cauldron_cards


def check_events(log: list[play_pb2.PlayResponse], seat: int, positions: list[Position]) -> None:
    """Every event that the seat may see is told once and in order, and nothing else."""
    told = [
        event.kind
        for said in log
        for message in [said.decision if said.HasField("decision") else said.match_ended]
        for event in message.glastonbury.events
    ]
    codec = find_codec("glastonbury")
    happened = [
        fields["kind"]
        for position in positions
        for event in position.events
        if visible(event, seat)
        for fields in codec.event_fields(event)
    ]
    assert told == happened


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, GAMES, PER_TEST))
def test_no_seat_is_sent_anything_that_it_may_not_know(first: int) -> None:
    async def test() -> None:
        numbers = itertools.count(first)
        async with referee() as server:
            lag = LagMeter()
            for number in itertools.islice(numbers, PER_TEST):
                seats, recipes = 2 + number % 3, number % 2 == 0
                names = tuple(f"bot-{seat}" for seat in range(seats))
                bots, players = [], []
                for name in names:
                    bot = Dialler(server.address)
                    await bot.join(server.tokens.issue(name))
                    bots.append(bot)
                    players.append(GrpcPlayer(await server.arrival(name)))
                logs: list[list[play_pb2.PlayResponse]] = [[] for _ in names]
                seed = seed_from_text(str(number))
                listening = [
                    asyncio.create_task(listen(bot, log, Chance(seed, name)))
                    for bot, log, name in zip(bots, logs, names, strict=True)
                ]
                made = plan(*names, seed=seed, recipes=recipes, match=f"match-{number}")
                result = await Table(made, players, lag).play()
                for bot, log in zip(bots, logs, strict=True):
                    while not any(said.HasField("match_ended") for said in log):
                        await asyncio.sleep(0.001)
                    await bot.cut()
                await asyncio.gather(*listening, return_exceptions=True)
                positions = list(replay_record(result.record).positions)
                for seat, log in enumerate(logs):
                    for said in log:
                        if said.HasField("decision"):
                            check_decision(said.decision, Seat(seat), positions, number)
                    check_events(log, seat, positions)
            lag.stop()

    run(test)
