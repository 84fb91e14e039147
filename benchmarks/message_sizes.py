"""Measure how long the decisions of Festo! are in binary, and what the longest one consists of.

    python -m benchmarks.message_sizes             2,048 games, some minutes
    python -m benchmarks.message_sizes 128         fewer

Every number of seats is played with every value of every option, half of the games by the greedy
sample bot and half by random moves.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from highstreet.v1.play_pb2 import PlayResponse

from benchmarks.questions import plan
from engine import Options, OptionValue, Seat, find_game, seed_from_text
from referee.match import Question
from referee.model import Clock, EventLog
from referee.wire import messages

GAME = find_game("festo")
KILOBYTE = 1024
CHOICES: Mapping[str, tuple[OptionValue, ...]] = {
    "magic_dishes": (False, True),
    "events": ("none", "reconstructed"),
    "market_limit": (True, False),
    "action_order": ("players", "steps"),
}


def main() -> None:
    """Print the mean, some quantiles and the share of long messages, and the longest one."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
    kinds = [
        GAME.spec.options(seats, dict(zip(CHOICES, values, strict=True)))
        for seats in GAME.spec.seats
        for values in product(*CHOICES.values())
    ]
    sizes: list[int] = []
    longest: tuple[int, str] = (0, "")
    for number in range(games):
        greedy = number // len(kinds) % 2 == 0
        for question in _questions(kinds[number % len(kinds)], number, greedy=greedy):
            sizes.append(len(messages.decision_message(question)))
            longest = max(longest, (sizes[-1], _parts(question)))
    sizes.sort()
    share = sum(size >= KILOBYTE for size in sizes) / len(sizes)
    print(f"{len(sizes)} decisions of {games} games: mean {sum(sizes) / len(sizes):.0f} bytes,")
    print(f"median {sizes[len(sizes) // 2]}, 99 % within {sizes[len(sizes) * 99 // 100]};")
    print(f"{100 * share:.2f} % have a kilobyte or more; the longest: {longest[0]}, {longest[1]}")


def _questions(options: Options, number: int, *, greedy: bool) -> Iterator[Question]:
    """Play a game and yield every decision that a bot is asked for."""
    planned = plan(number, GAME, options)
    bots = [_greedy(planned, seat) for seat in range(options.seats)] if greedy else []
    chance = random.Random(number)
    transition = GAME.deal(options, seed_from_text(str(number)))
    log, sent = EventLog(), [0] * options.seats
    log.add(transition.events)
    asked = 0
    while seats := GAME.to_act(transition.state):
        (seat,) = seats
        legal = GAME.legal_moves(transition.state, seat)
        move = legal[0]
        if len(legal) > 1:
            asked += 1
            view, new = GAME.view(transition.state, seat), log.since(sent[seat], seat)
            sent[seat] = len(log)
            clock = Clock.initial(planned.time_control)
            question = Question(planned, seat, asked, view, new, legal, clock)
            yield question
            move = legal[_chosen(bots[seat], question)] if bots else chance.choice(legal)
        transition = GAME.apply(transition.state, {seat: move})
        log.add(transition.events)


def _greedy(planned: Any, seat: int) -> Any:
    folder = str(Path(__file__).parents[1] / "sample_bots" / "python")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    bot = importlib.import_module("greedy_festo").GreedyFesto()
    started = messages.started_message(planned, Seat(seat), "")
    bot.match_started(PlayResponse.FromString(started).match_started)
    return bot


def _chosen(bot: Any, question: Question) -> int:
    """Return the index of the move that a bot chooses."""
    asked = PlayResponse.FromString(messages.decision_message(question)).decision
    return list(asked.legal_moves).index(bot.choose(asked))


def _parts(question: Question) -> str:
    """Return how many bytes of a decision are events, legal moves and the rest."""
    whole = len(messages.decision_message(question))
    moves = whole - len(messages.decision_message(question._replace(legal=())))
    events = whole - len(messages.decision_message(question._replace(event_batches=())))
    count = f"{moves} for {len(question.legal)} legal moves"
    rest = whole - moves - events
    kind = GAME.decision_kind(question.view, question.legal)
    return f"{kind}: {count}, {events} for events, {rest} for view, clock and ids"


if __name__ == "__main__":
    main()
