"""What a referee asks in random games: something to encode, and its usual size."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from functools import cache

from engine import AnyGame, Chance, Options, Seed, find_game, seed_from_text
from referee.match import MatchPlan, Question
from referee.model import Clock, EventLog, Policy, TimeControl
from referee.wire import messages, stdio

GAME = find_game("glastonbury")
OPTIONS = GAME.spec.options(2, {"recipes": True})


def plan(number: int, game: AnyGame = GAME, options: Options = OPTIONS) -> MatchPlan:
    """Plan a match."""
    return MatchPlan(
        f"{number:016x}",
        game,
        options,
        Seed(secrets.token_bytes(32)),
        b"salt" * 4,
        tuple("abcde"[: options.seats]),
        TimeControl(),
        Policy(),
    )


def questions(
    game: AnyGame = GAME, options: Options = OPTIONS, games: int = 5, first: int = 0
) -> Iterator[Question]:
    """Play games at random and yield every question of them, forced ones left out."""
    planned = plan(first, game, options)
    clock = Clock.initial(planned.time_control)
    number = 0
    for n in range(first, first + games):
        seed = seed_from_text(str(n))
        transition = game.deal(options, seed)
        happenings, told = EventLog(), [0] * options.seats
        happenings.add(transition.events)
        chance = Chance(seed, "bench")
        while seats := game.to_act(transition.state):
            moves = {}
            for seat in seats:
                legal = game.legal_moves(transition.state, seat)
                moves[seat] = legal[chance.below(len(legal))]
                if len(legal) > 1:
                    number += 1
                    news = happenings.since(told[seat], seat)
                    told[seat] = len(happenings)
                    view = game.view(transition.state, seat)
                    yield Question(planned, seat, number, view, news, legal, clock)
            transition = game.apply(transition.state, moves)
            happenings.add(transition.events)


@cache
def usual_sizes() -> tuple[int, int]:
    """Return how long a decision is on average: as a gRPC message and as a line of JSON."""
    found = list(questions())
    binary = sum(len(messages.decision_message(each)) for each in found)
    lines = sum(len(stdio.decision_line(each)) for each in found)
    return round(binary / len(found)), round(lines / len(found))
