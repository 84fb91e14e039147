"""Play the engine and the naive implementation side by side, and look at the games.

    python -m tests.engine.gargon.compare [--games 10000] [--seats 3] [--mixed] [--literal]
        [--no-111]

compares that number of games of every kind, and writes their figures. Moves are chosen at random,
all with the same chance; with --mixed a seat that follows passes every third time, and then draws
three cards. --literal and --no-111 set zero_clash=literal and allow_111=false.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from engine.game import Options, Outcome, Seat
from engine.gargon.cards import CARD_NAMES, Cards, letters
from engine.gargon.moves import Pass, Play, Stop
from engine.gargon.state import State, View
from engine.shuffle import Chance, seed_from_text
from referee.devkit.random_play import chooser
from tests.engine.gargon.positions import GAME
from tests.naive.gargon import NaiveGargon

VIEWS_EVERY = 7
"""How often views are compared, each time that of another viewer; 7 has no factor in common with
the number of viewers, so that all of them have their turn in every phase."""

Choose = Callable[[Sequence[Any]], Any]


class Compared(NamedTuple):
    """A game on which both implementations agree."""

    outcome: Outcome
    rounds: int
    choices: Sequence[int]
    """How many legal moves each decision had."""
    largest_hand: int
    rare: Sequence[str]
    """What happened that rarely does."""


def everything(state: State) -> dict[str, object]:
    """Write a state as the naive implementation does."""
    return {
        "asked": [*map(int, GAME.to_act(state))],
        "for": str(state.phase),
        "hands": [sorted(_names(hand)) for hand in state.hands],
        "piles": [_names(pile) for pile in state.piles],
        "laid": [_names(own) for own in state.laid],
        "captured": [_names(own) for own in state.captured],
        "discarded": _names(state.discards),
        "leader": int(state.leader),
        "round": state.round,
    }


def naive_everything(naive: NaiveGargon) -> dict[str, object]:
    """Return the same of the naive implementation."""
    return {
        "asked": naive.to_act(),
        "for": naive.question[1] if naive.question else "over",
        "hands": [sorted(hand) for hand in naive.hands],
        "piles": [*naive.piles.values()],
        "laid": naive.laid,
        "captured": naive.captured,
        "discarded": naive.discarded,
        "leader": naive.leader,
        "round": naive.rounds,
    }


def knowledge(view: View) -> dict[str, object]:
    """Write a view as the naive implementation does."""
    seats = range(view.setup.seats)
    return {
        "hand": _names(view.hand),
        "colours": [list(view.counts[6 * seat : 6 * seat + 6]) for seat in seats],
        "piles": [_names(pile) for pile in view.piles],
        "laid": [_names(own) for own in view.laid],
        "pattern": letters(view.pattern),
        "picked": _names(view.picked),
        "discarded": _names(view.discards),
        "captured counts": list(view.captured_counts),
        "captured": [_names(own) for own in view.captured],
        "hands": [_names(own) for own in view.hands],
    }


def _names(cards: Cards) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def naive_deal(options: Options, number: int) -> NaiveGargon:
    """Deal by the naive implementation."""
    return NaiveGargon(
        options.seats,
        seed_from_text(str(number)),
        zero_clash=str(options["zero_clash"]),
        allow_111=bool(options["allow_111"]),
    )


def deals(first: int, count: int) -> Iterator[tuple[Options, int]]:
    """Return kinds of games and seeds, with the switches of the rulings in turn."""
    for number in range(first, first + count):
        for kind in GAME.spec.kinds():
            given: dict[str, Any] = {
                "open_captures": kind["open_captures"],
                "zero_clash": "literal" if number % 2 else "rank",
                "allow_111": number % 4 < 2,
            }
            yield GAME.spec.options(kind.seats, given), number


def compare(options: Options, number: int, choose: Choose) -> Compared:
    """Play one game in both implementations, and assert that they agree at every step."""
    state = GAME.deal(options, seed_from_text(str(number))).state
    naive = naive_deal(options, number)
    choices: list[int] = []
    largest_hand = 0
    while seats := GAME.to_act(state):
        assert everything(state) == naive_everything(naive)
        (seat,) = seats
        if len(choices) % VIEWS_EVERY == 0:
            _compare_knowledge(state, naive, viewer=len(choices) % (options.seats + 1))
        legal = GAME.legal_moves(state, seat)
        assert [GAME.format_move(move) for move in legal] == naive.legal(seat)
        assert GAME.format_move(GAME.default_move(state, seat)) == naive.default(seat)
        choices.append(len(legal))
        largest_hand = max(largest_hand, *map(len, state.hands))
        move = choose(legal)
        state = GAME.apply(state, {seat: move}).state
        naive.play({int(seat): GAME.format_move(move)})
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert everything(state) == naive_everything(naive)
    for viewer in range(options.seats + 1):
        _compare_knowledge(state, naive, viewer)
    assert list(outcome.scores) == naive.scores
    assert list(outcome.places) == naive.places
    return Compared(outcome, naive.rounds, choices, largest_hand, naive.rare)


def _compare_knowledge(state: State, naive: NaiveGargon, viewer: int) -> None:
    """Compare what a seat may know, or a spectator, who comes after the last seat."""
    seat = None if viewer == naive.seats else Seat(viewer)
    known = knowledge(GAME.view(state, seat))
    assert known == naive.knows(seat, open_captures=state.setup.open_captures)


def mixed(number: int) -> Choose:
    """Make a player who passes every third time, and then draws as much as possible."""
    chance = Chance(seed_from_text(str(number)), "mixed-play")

    def choose(legal: Sequence[Any]) -> Any:
        wanted = [move for move in legal if not isinstance(move, Stop)]
        plays = [move for move in wanted if isinstance(move, Play)]
        passes = [move for move in wanted if isinstance(move, Pass)]
        if plays and passes:
            wanted = plays if chance.below(3) else passes
        return wanted[chance.below(len(wanted))]

    return choose


def figures(games: Sequence[Compared]) -> str:
    """Summarise games of one kind in one line."""
    decisions = [len(game.choices) for game in games]
    open_choices = [[n for n in game.choices if n > 1] for game in games]
    scores = [score for game in games for score in game.outcome.scores]
    wins = [0.0] * len(games[0].outcome.scores)
    for game in games:
        for seat, place in enumerate(game.outcome.places):
            wins[seat] += (place == 1) / game.outcome.places.count(1) / len(games)
    rare = sorted({what for game in games for what in game.rare})
    parts = {
        "decisions": spread(decisions),
        "not forced": f"{fmean(map(len, open_choices)):.1f}",
        "rounds": spread([game.rounds for game in games]),
        "choices": f"{fmean(n for own in open_choices for n in own):.1f}"
        f" to {max(n for own in open_choices for n in own)}",
        "score": f"{spread(scores)} sd {pstdev(scores):.1f}",
        "winner": f"{fmean(max(game.outcome.scores) for game in games):.1f}",
        "ties": f"{fmean(game.outcome.places.count(1) > 1 for game in games):.2%}",
        "wins": " ".join(f"{share:.3f}" for share in wins),
        "largest hand": str(max(game.largest_hand for game in games)),
        **{what: f"{fmean(game.rare.count(what) for game in games):.3f}" for what in rare},
    }
    return ", ".join(f"{name} {text}" for name, text in parts.items())


def spread(values: Sequence[int]) -> str:
    """Write mean and range."""
    return f"{fmean(values):.1f} [{min(values)}..{max(values)}]"


def main() -> None:
    """Compare, and write a line for each kind of game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seats", type=int, choices=GAME.spec.seats)
    parser.add_argument("--mixed", action="store_true")
    parser.add_argument("--literal", action="store_true")
    parser.add_argument("--no-111", action="store_true")
    asked = parser.parse_args()
    switches = {
        "zero_clash": "literal" if asked.literal else "rank",
        "allow_111": not asked.no_111,
    }
    for first, kind in enumerate(GAME.spec.kinds()):
        if asked.seats not in (None, kind.seats):
            continue
        given = {"open_captures": kind["open_captures"], **switches}
        options = GAME.spec.options(kind.seats, given)
        games = []
        for number in range(first * asked.games, (first + 1) * asked.games):
            choose = mixed(number) if asked.mixed else chooser(seed_from_text(str(number)))
            games.append(compare(options, number, choose))
        sys.stdout.write(f"{dict(options)}, {len(games)} games: {figures(games)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
