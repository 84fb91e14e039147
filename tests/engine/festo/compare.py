"""Play the engine and the naive implementation side by side, and look at the games.

    python -m tests.engine.festo.compare [--games 1000] [--first 0] [--seats 3] [--policy verbs]

compares that many games of every number of seats with and without magic dishes, and writes their
figures. The other options, and the policies that choose the moves, change from game to game.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from engine import AnyGame, Chance, Options, Seat, find_game, seed_from_text
from engine.festo import Festo
from engine.festo.cards import (
    CATEGORY_NAMES,
    CUBE_LETTERS,
    DISH_NAMES,
    EVENT_NAMES,
    SPOT_NAMES,
    TOKEN_NAMES,
    dish_names,
)
from engine.festo.state import Decision, Phase, State, View
from tests.naive.festo import CUBES, ROWS, SPOTS, NaiveFesto

VIEWS_EVERY = 7
"""How often views are compared, each time that of another viewer; 7 has no factor in common with
the number of viewers, so that each of them has its turn at every kind of decision."""

CHARACTERS = SPOT_NAMES[:-1]

Choose = Callable[[Sequence[str]], str]
"""Choose one of the legal moves, which are written in notation."""


def everything(state: State) -> dict[str, object]:
    """Write a state of the engine with the keys of ``NaiveFesto.everything``.

    This and ``knowledge`` are the only places that know what a state of the engine looks like.
    """
    shown = knowledge(Festo().view(state, None))
    piles = [dish_names(pile) for pile in state.ahead.piles]
    return shown | {
        "piles": dict(zip(CATEGORY_NAMES, piles, strict=False)),
        "placing": _placing(state.placing),
    }


def knowledge(view: View) -> dict[str, object]:
    """Write a view of the engine with the keys of ``NaiveFesto.knows``."""
    setup, over = view.setup, view.phase is Phase.OVER
    markets = dict(zip(CHARACTERS, view.markets, strict=True))
    locks = [view.locks[first : first + 6] for first in range(0, 42, 6)]
    return {
        "options": {
            "seats": setup.seats,
            "magic_dishes": setup.magic_dishes,
            "events": "reconstructed" if setup.events else "none",
            "market_limit": setup.market_limit,
            "action_order": "steps" if setup.steps else "players",
        },
        "round": view.round,
        "phase": str(view.phase),
        "asked": [] if over else [int(view.seat)],
        "kind": None if over else str(view.decision),
        "holder": int(view.first),
        "reserves": _by_cube(view.reserves),
        "markets": {spot: _by_cube(market) for spot, market in markets.items()},
        "shelves": _by_cube(view.shelves),
        "market_locks": dict(zip(CHARACTERS, map(_by_cube, locks[:-1]), strict=True)),
        "shelf_locks": _by_cube(locks[-1]),
        "cubes": [_by_cube(own) for own in view.cubes],
        "helpers_home": list(view.helpers),
        "discs_home": list(view.discs),
        "helpers": _by_spot(view.helpers_at),
        "discs": _by_spot(view.discs_at),
        "discs_laid": _by_spot(view.laid[:-1]),
        "rows": {
            name: [DISH_NAMES[dish] or None for dish in view.buffet[3 * row : 3 * row + 3]]
            for row, name in enumerate(CATEGORY_NAMES[:4])
        },
        "piles": dict(zip(CATEGORY_NAMES, view.piles, strict=False)),
        "stock": dict(zip(CATEGORY_NAMES[4:], view.stock, strict=True)),
        "reserved": {
            DISH_NAMES[dish]: [(token - 1) // 2, TOKEN_NAMES[(token - 1) % 2]]
            for dish, token in zip(view.buffet, view.tokens, strict=True)
            if token
        },
        "cooked": [dish_names(own) for own in view.dishes],
        "points": list(view.points),
        "dice": list(view.dice),
        "blocked": [SPOT_NAMES[spot] for spot in view.blocked],
        "events": [EVENT_NAMES[card] for card in view.events],
        "placing": _placing(view.placing),
        "spot": None if view.spot is None else SPOT_NAMES[view.spot],
        "order": list(map(int, view.order)),
        "waiting": list(map(int, view.waiting)),
        "taking": _taking(view),
        "starters_paid": dish_names(sorted(view.rewarded)),
        "paying": DISH_NAMES[view.paying] or None,
        "passed": [seat for seat, passed in enumerate(view.passed) if passed],
        "ending": view.ending and str(view.ending),
    }


def _taking(view: View) -> list[int]:
    """Return who is still to take, with steps; the engine counts a seat in from its decision on."""
    seats = [int(seat) for seat, _ in view.taking]
    if view.decision is Decision.ELF_TAKE:
        seats.pop()
    return seats if view.setup.steps else []


def _by_cube(numbers: Sequence[int]) -> dict[str, int]:
    return dict(zip(CUBE_LETTERS, numbers, strict=False))


def _by_spot(numbers: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    return {spot: list(own) for spot, own in zip(SPOT_NAMES, numbers, strict=False)}


def _placing(helpers: Sequence[int]) -> dict[str, int]:
    return {SPOT_NAMES[spot]: number for spot, number in enumerate(helpers) if number}


def assert_conserved(twin: NaiveFesto) -> None:
    """Check that nothing is lost and that no place holds too much (1.2, 1.3)."""
    for cube in CUBES:
        there = twin.reserves[cube] + sum(own[cube] for own in twin.cubes)
        if cube != "N":
            there += twin.shelves[cube] + sum(market[cube] for market in twin.markets.values())
        assert there == (twin.seats + 1 if cube == "N" else 14)
    for token, number in (("helper", 6), ("disc", 2)):
        for seat in range(twin.seats):
            there = twin.home[token][seat] + sum(twin.on[token][spot][seat] for spot in SPOTS)
            there += list(twin.reserved.values()).count((seat, token))
            if token == "disc":  # noqa: S105  it is no password
                there += sum(twin.laid[spot][seat] for spot in CHARACTERS)
            assert there == number
    dishes = [*twin.buffet(), *(dish for row in ROWS for dish in twin.piles[row])]
    dishes += [dish for own in twin.cooked for dish in own if dish not in ("roast", "main")]
    assert len(set(dishes)) == len(dishes) == 24
    assert max(twin.shelves.values()) <= 3
    if twin.market_limit:
        assert all(sum(market.values()) <= 5 for market in twin.markets.values())


class Compared(NamedTuple):
    """A game on which both implementations agree."""

    scores: Sequence[int]
    places: Sequence[int]
    choices: Sequence[tuple[str, int]]
    """The kind of each decision, and how many legal moves it had."""
    dishes: int


def festo() -> AnyGame:
    """Return the engine."""
    return find_game("festo")


def naive_deal(options: Options, number: int) -> NaiveFesto:
    """Deal by the naive implementation."""
    return NaiveFesto(
        options.seats,
        seed_from_text(str(number)),
        magic_dishes=bool(options["magic_dishes"]),
        events=str(options["events"]),
        market_limit=bool(options["market_limit"]),
        action_order=str(options["action_order"]),
    )


def deals(first: int, count: int, game: AnyGame) -> Iterator[tuple[Options, int]]:
    """Return kinds of games and seeds; eight games have all values of the other options."""
    for number in range(first, first + count):
        for kind in game.spec.kinds():
            given: dict[str, Any] = {
                "magic_dishes": kind["magic_dishes"],
                "events": "reconstructed" if number % 2 else "none",
                "market_limit": number % 4 < 2,
                "action_order": "steps" if number % 8 >= 4 else "players",
            }
            yield game.spec.options(kind.seats, given), number


def compare(game: AnyGame, options: Options, number: int, choose: Choose) -> Compared:
    """Play one game in both implementations, and assert that they agree at every step."""
    seed = seed_from_text(str(number))
    naive = naive_deal(options, number)
    state = game.deal(options, seed).state
    played: list[str] = []
    choices: list[tuple[str, int]] = []

    def same(what: str, engine_has: object, naive_has: object) -> None:
        if engine_has != naive_has:
            raise AssertionError(
                f"{what} of {options}, seed {number}, after {len(played)} moves\n"
                f"{difference(engine_has, naive_has)}moves: {', '.join(played)}"
            )

    def same_view(viewer: int) -> None:
        seat = None if viewer == options.seats else Seat(viewer)
        same(f"view of {seat}", knowledge(game.view(state, seat)), naive.knows(seat))

    same("deal", dict(game.describe_deal(options, seed)), naive.deal())
    while seats := game.to_act(state):
        same("state", everything(state), naive.everything())
        assert_conserved(naive)
        (seat,) = seats
        if len(choices) % VIEWS_EVERY == 0:
            same_view(len(choices) % (options.seats + 1))
        legal = game.legal_moves(state, seat)
        texts = [game.format_move(move) for move in legal]
        same("legal moves", texts, naive.legal(int(seat)))
        assert len(set(texts)) == len(texts)
        default = game.format_move(game.default_move(state, seat))
        same("default move", default, naive.default(int(seat)))
        kind = game.decision_kind(game.view(state, seat), legal)
        same("kind of decision", kind, naive.kind())
        choices.append((kind, len(texts)))
        text = choose(texts)
        state = game.apply(state, {seat: legal[texts.index(text)]}).state
        naive.play({int(seat): text})
        played.append(text)
    same("state", everything(state), naive.everything())
    assert_conserved(naive)
    for viewer in range(options.seats + 1):
        same_view(viewer)
    outcome: Any = game.outcome(state)
    same("ending", str(outcome.ending), naive.ending)
    same("scores", list(outcome.scores), naive.scores)
    same("tie-breaks", [list(own) for own in outcome.tiebreaks], naive.tiebreaks)
    same("places", list(outcome.places), naive.places)
    dishes = sum(len(own) for own in naive.cooked)
    return Compared(outcome.scores, outcome.places, choices, dishes)


def difference(engine_has: object, naive_has: object) -> str:
    """Write what differs, key by key where both are dictionaries."""
    if not isinstance(engine_has, dict) or not isinstance(naive_has, dict):
        return f"engine: {engine_has}\nnaive:  {naive_has}\n"
    lines = []
    for key in sorted({*engine_has, *naive_has}):
        one, other = (has.get(key, "has no such key") for has in (engine_has, naive_has))
        if one != other:
            lines.append(f"{key}\n  engine: {one}\n  naive:  {other}\n")
    return "".join(lines)


def uniform(number: int) -> Choose:
    """Make a player that takes any of the moves with the same chance."""
    chance = Chance(seed_from_text(str(number)), "random-play")
    return lambda legal: legal[chance.below(len(legal))]


def cooks(number: int) -> Choose:
    """Make a player that cooks whenever it can, never recalls, and else takes any move."""
    chance = Chance(seed_from_text(str(number)), "cooks-play")

    def choose(legal: Sequence[str]) -> str:
        wanted = [move for move in legal if move.startswith("cook ")]
        wanted = wanted or [move for move in legal if not move.startswith("recall ")]
        return wanted[chance.below(len(wanted))]

    return choose


def verbs(number: int) -> Choose:
    """Make a player that first chooses what to do, such as ``take all``, and then how."""
    chance = Chance(seed_from_text(str(number)), "verbs-play")

    def choose(legal: Sequence[str]) -> str:
        names = [move if move == "take all" else move.split()[0] for move in legal]
        different = list(dict.fromkeys(names))
        name = different[chance.below(len(different))]
        wanted = [move for move, own in zip(legal, names, strict=True) if own == name]
        return wanted[chance.below(len(wanted))]

    return choose


def hoards(number: int) -> Choose:
    """Make a player that never cooks or recalls, and takes all or trades: reserves run out."""
    chance = Chance(seed_from_text(str(number)), "hoards-play")

    def choose(legal: Sequence[str]) -> str:
        if legal[0] == "pass":
            return "pass"
        wanted = [move for move in legal if move == "take all" or move.startswith("trade ")]
        wanted = wanted or list(legal)
        return wanted[chance.below(len(wanted))]

    return choose


POLICIES: Mapping[str, Callable[[int], Choose]] = {
    "uniform": uniform,
    "cooks": cooks,
    "verbs": verbs,
    "hoards": hoards,
}


def policy(number: int) -> Choose:
    """Make the player of a game: eight games by each policy in turn."""
    return [*POLICIES.values()][number // 8 % len(POLICIES)](number)


def figures(games: Sequence[Compared]) -> str:
    """Summarise games of one kind in one line."""
    asked = [[number for _, number in game.choices if number > 1] for game in games]
    scores = [score for game in games for score in game.scores]
    longest: Counter[str] = Counter()
    for game in games:
        for kind, number in game.choices:
            longest[kind] = max(longest[kind], number)
    parts = {
        "decisions": spread([len(game.choices) for game in games]),
        "asked": f"{fmean(map(len, asked)):.1f}",
        "score": f"{spread(scores)} sd {pstdev(scores):.1f}",
        "winner": f"{fmean(max(game.scores) for game in games):.1f}",
        "dishes": f"{fmean(game.dishes / len(game.scores) for game in games):.1f}",
        "shared": f"{fmean(game.places.count(1) > 1 for game in games):.2%}",
        "longest lists": " ".join(f"{kind} {number}" for kind, number in longest.items()),
    }
    return ", ".join(f"{name} {text}" for name, text in parts.items())


def spread(values: Sequence[int]) -> str:
    """Write mean and range."""
    return f"{fmean(values):.1f} [{min(values)}..{max(values)}]"


def main() -> None:
    """Compare, and write a line for each kind of game."""
    game = festo()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seats", type=int, choices=game.spec.seats)
    parser.add_argument("--policy", choices=POLICIES)
    asked = parser.parse_args()
    games: dict[tuple[int, bool], list[Compared]] = {}
    for options, number in deals(asked.first, asked.games, game):
        if asked.seats in (None, options.seats):
            choose = POLICIES[asked.policy](number) if asked.policy else policy(number)
            kind = (options.seats, bool(options["magic_dishes"]))
            games.setdefault(kind, []).append(compare(game, options, number, choose))
    for (seats, magic), own in games.items():
        name = f"{seats} seats{' with magic dishes' if magic else ''}"
        sys.stdout.write(f"{name}, {len(own)} games: {figures(own)}\n")


if __name__ == "__main__":
    main()
