"""The greedy bot in the games besides Glastonbury: one bot for all of them, far above chance."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from highstreet.v1 import play_pb2

from engine.game import Options, Seat
from engine.gargon.cards import COLOUR_OF, VALUE_OF
from engine.gargon.state import Phase as GargonPhase
from engine.kupferkessel.moves import SKIP, USE
from engine.kupferkessel.state import Phase as KupferkesselPhase
from engine.registry import find_game
from engine.shuffle import seed_from_text
from tests.sample_bots import games
from tests.sample_bots.wire import Wire
from tests.waiting import PATIENCE

NEW = ("kupferkessel", "gargon", "festo")
GAMES_PLAYED = {"kupferkessel": 60, "gargon": 60, "festo": 10}
LEAST_WON = {
    ("kupferkessel", 2): 54,
    ("kupferkessel", 3): 51,
    ("gargon", 3): 42,
    ("gargon", 4): 36,
    ("gargon", 5): 32,
    ("festo", 2): 9,
    ("festo", 3): 9,
    ("festo", 4): 9,
    ("festo", 5): 9,
}
"""Chance alone would give one of 2, 3, 4 and 5 seats 30, 20, 15 and 12 of 60 games."""


def _kinds() -> Iterator[Any]:
    for game in NEW:
        spec = find_game(game).spec
        variants = [option.name for option in spec.options_offered if option.variant]
        for options in spec.kinds():
            on = [name for name in variants if options[name]]
            name = "-".join([game, str(options.seats), *on])
            yield pytest.param(game, options, id=name)


KINDS = list(_kinds())


def random_bot() -> Any:
    return games.load("random_bot").RandomBot()


def greedy_bot() -> Any:
    return games.load("greedy_bot").GreedyBot()


@pytest.fixture(autouse=True)
def fixed_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the random bot repeatable."""
    monkeypatch.setenv("BOT_SEED", "7")


@pytest.mark.parametrize(("game", "options"), KINDS)
def test_every_answer_is_legal(game: str, options: Options) -> None:
    """In some games of every kind; ``play`` fails on an answer that is not legal."""
    for seed in range(GAMES_PLAYED[game] // 3):
        bots = [(greedy_bot, random_bot)[(seed + seat) % 2]() for seat in range(options.seats)]
        games.play(bots, options, seed_from_text(str(seed)), spoken=Wire(game))


@pytest.mark.parametrize(
    "values",
    [
        ("kupferkessel", 2, {"symbols": "all2"}),
        ("kupferkessel", 3, {"third_colour": "S", "recipes": True}),
        ("gargon", 4, {"zero_clash": "literal"}),
        ("gargon", 3, {"allow_111": False}),
        ("festo", 2, {"events": "reconstructed", "market_limit": False}),
        ("festo", 3, {"action_order": "steps"}),
    ],
    ids=["all2", "third_colour", "zero_clash", "allow_111", "events", "steps"],
)
def test_every_answer_is_legal_with_other_options(values: tuple[str, int, dict[str, Any]]) -> None:
    game, seats, chosen = values
    options = find_game(game).spec.options(seats, chosen)
    for seed in range(GAMES_PLAYED[game] // 6):
        bots = [greedy_bot() for _ in range(seats)]
        games.play(bots, options, seed_from_text(str(seed)), spoken=Wire(game))


@pytest.mark.parametrize(("game", "options"), [k for k in KINDS if "open" not in str(k.id)])
def test_greedy_beats_random(game: str, options: Options) -> None:
    """One greedy bot among random ones, in every seat in turn; to share the first place counts."""
    won = 0
    for seed in range(GAMES_PLAYED[game]):
        bots = [random_bot() for _ in range(options.seats)]
        seat = seed % options.seats
        bots[seat] = greedy_bot()
        result = games.play(bots, options, seed_from_text(str(seed)), spoken=Wire(game))
        won += result.places[seat] == 1
    assert won >= LEAST_WON[game, options.seats]


@pytest.mark.parametrize("game", NEW)
def test_the_same_game_is_played_twice_alike(game: str) -> None:
    options, seed = find_game(game).spec.options(3), seed_from_text("11")
    first, second = (
        games.play([greedy_bot() for _ in range(3)], options, seed, spoken=Wire(game))
        for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("seats", [2, 3])
def test_greedy_remembers_every_cauldron_exactly(seats: int) -> None:
    """Start cards, explosions and a last card that is not yet kept included."""

    def compare(state: Any, _seat: Seat, bot: Any, _move: Any) -> None:
        assert tuple(map(tuple, bot.player.cauldrons)) == state.cauldrons
        seen.add(state.phase)

    seen: set[KupferkesselPhase] = set()
    options = find_game("kupferkessel").spec.options(seats)
    for seed in range(20):
        bots = [greedy_bot() for _ in range(seats)]
        games.play(
            bots, options, seed_from_text(str(seed)), watch=compare, spoken=Wire("kupferkessel")
        )
    assert seen == set(KupferkesselPhase) - {KupferkesselPhase.OVER}


def test_greedy_uses_symbols_and_skips_them() -> None:
    def note(state: Any, _seat: Seat, _bot: Any, move: Any) -> None:
        if move in (USE, SKIP):
            seen.add((state.phase, move))

    seen: set[tuple[KupferkesselPhase, Any]] = set()
    options = find_game("kupferkessel").spec.options(2)
    for seed in range(30):
        bots = [greedy_bot(), random_bot()]
        games.play(
            bots, options, seed_from_text(str(seed)), watch=note, spoken=Wire("kupferkessel")
        )
    symbols = (KupferkesselPhase.EXPLOSION, KupferkesselPhase.WAND)
    assert seen == {(phase, move) for phase in symbols for move in (USE, SKIP)}


def test_a_set_of_kupferkessel_is_worth_what_the_specification_says() -> None:
    """Step 3, by hand: counts, sums and cards left, in half points."""
    set_worth = games.load("greedy_kupferkessel").set_worth
    assert set_worth(0, 0, 4) == 0
    assert [set_worth(1, 3, left) for left in (3, 2, 1, 0)] == [-3, -3, -6, -6]
    assert [set_worth(2, 5, left) for left in (2, 1, 0)] == [5, 5, 0]
    assert set_worth(3, 7, 1) == 14
    assert set_worth(4, 10, 0) == 30


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_greedy_knows_every_capture_and_what_it_has_not_seen(seats: int) -> None:
    """What is unseen is in the piles, in other hands, or face down on the table."""

    def compare(state: Any, seat: Seat, bot: Any, _move: Any) -> None:
        assert tuple(map(tuple, bot.player.captured)) == state.captured
        if state.phase in (GargonPhase.LEAD, GargonPhase.FOLLOW, GargonPhase.PICK):
            others = [hand for other, hand in enumerate(state.hands) if other != seat]
            hidden = Counter(
                card for cards in (*state.piles, *others, *state.laid) for card in cards
            )
            unseen = [[0] * 16 for _ in range(6)]
            for card, number in hidden.items():
                unseen[COLOUR_OF[card]][VALUE_OF[card]] += number
            assert bot.player.unseen == unseen
            seen.add(state.phase)

    seen: set[GargonPhase] = set()
    options = find_game("gargon").spec.options(seats)
    for seed in range(10):
        bots = [greedy_bot() for _ in range(seats)]
        games.play(bots, options, seed_from_text(str(seed)), watch=compare, spoken=Wire("gargon"))
    assert len(seen) == 3


def test_the_chance_of_a_card_is_what_the_specification_says() -> None:
    """Step 4, by hand: seat 2 leads and has laid a red card; seat 0, to play, has R14 and R3.

    Of the 15 red cards that are unseen 14 are lower than the 14, and 4 are lower than the 3. Seat 1
    is yet to lay and has two red cards.
    """
    module = games.load("greedy_gargon")
    red, high, low = 4, 1 + 16 * 4 + 14, 1 + 16 * 4 + 3
    bot = module.GreedyGargon()
    bot.match_started(play_pb2.MatchStarted(seat=0, seats=[play_pb2.SeatInfo()] * 3))
    bot.view = module.Gargon.View(
        leader=2,
        hand=[low, high],
        hand_counts=[0, 0, 0, 0, 2, 0] * 3,
        laid_cards=[module.BACKS + red],
        laid_owners=[2],
        pile_a=[1] * 9,
        pile_b=[1] * 9,
    )
    bot.count()
    assert bot.chance(high, 1) == 89, "29 of 30 leave 96, and 14 of 15 of these"
    assert bot.chance(low, 1) == 16, "19 of 30 leave 63, and 4 of 15 of these"
    assert bot.chance(low, 2) == 90, "109 of 120; seat 2 has laid no second card"


def kitchen(**changes: Any) -> Any:
    """Return the kitchen of a seat without dishes: a drink of meat in each column, and a roast."""
    module = games.load("greedy_festo")
    offers = [(1, module.forms(0, column, reserved=False)) for column in range(3)]
    made = module.Kitchen([*offers, (module.ROAST, [])], [0] * 6, [0] * 6)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def test_the_price_of_a_dish_is_what_the_specification_says() -> None:
    """Step 2, by hand: the hand has 2 meat, 3 spice and a salt."""
    hand = [2, 0, 3, 0, 0, 0, 1]
    first, _, third, roast = (kitchen().price(offer, hand) for offer in kitchen().offers)
    assert first == (0, 3, [2, 0, 1, 0, 0, 0])
    assert third == (0, 5, [2, 0, 3, 0, 0, 0]), "the surcharge on the other colour"
    assert roast == (3, 6, [0, 0, 6, 0, 0, 0])
    magic = kitchen(saved=[1, 0, 0, 0, 0, 0])
    assert magic.price(magic.offers[2], hand) == (0, 4, [1, 0, 3, 0, 0, 0])
    assert games.load("greedy_festo").forms(0, 2, reserved=True) == [(3, 1), (4, 0), (1, 3), (2, 2)]


def test_the_plan_of_a_hand_is_what_the_specification_says() -> None:
    """Step 5, by hand: a drink gains 70 for 3 cubes, and 3 of the 6 cubes of a roast are left."""
    hand = [2, 0, 4, 0, 0, 0, 0]
    plan = kitchen(offers=[kitchen().offers[0], kitchen().offers[3]])
    assert plan.gain(1, plan.counts) == 70
    assert plan.gain(25, [1, 0, 0, 0, 0, 0]) == 170
    assert plan.plan(hand) == 70 + 45 + (170 - 90) * 9 // 36 // 2
    plan = kitchen(offers=plan.offers, last_round=True)
    assert plan.plan(hand) == 70 + 30 + (170 - 60) * 9 // 36 // 2


def test_a_process_plays_matches_of_all_games_over_pipes_and_goodbye_ends_it() -> None:
    """Exit code 0, and a silent standard error."""
    with start("greedy_bot") as process:
        for game, seats in (("kupferkessel", 2), ("gargon", 3), ("festo", 2), ("kupferkessel", 3)):
            options = find_game(game).spec.options(seats)
            bots = [Piped(process), *(random_bot() for _ in range(seats - 1))]
            games.play(bots, options, seed_from_text("4"), spoken=Wire(game))
        out, err = process.communicate('{"goodbye":{"reason":"done"}}\n', timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize("script", ["tiny_bot", "random_bot"])
@pytest.mark.parametrize(("game", "seats"), [("kupferkessel", 2), ("gargon", 3), ("festo", 2)])
def test_a_bot_that_knows_no_game_plays_any_over_pipes(script: str, game: str, seats: int) -> None:
    with start(script) as process:
        options = find_game(game).spec.options(seats)
        bots = [Piped(process), *(random_bot() for _ in range(seats - 1))]
        games.play(bots, options, seed_from_text("4"), spoken=Wire(game))
        out, err = process.communicate('{"goodbye":{"reason":"done"}}\n', timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize(
    ("script", "game", "plays"),
    [
        (
            "search_bot",
            "chess",
            "search plays glastonbury, kupferkessel, gargon, festo, but not chess",
        ),
        (
            "greedy_bot",
            "chess",
            "greedy plays glastonbury, kupferkessel, gargon, festo, but not chess",
        ),
    ],
)
def test_a_bot_says_that_it_does_not_play_a_game(script: str, game: str, plays: str) -> None:
    with start(script) as process:
        started = json.dumps({"match_started": {"match": "m", "game": game, "seat": 0}})
        out, err = process.communicate(f"{started}\n", timeout=PATIENCE)
    assert (process.returncode, out, err) == (1, "", f"{plays}\n")


def start(script: str) -> subprocess.Popen[str]:
    """Start a Python bot that speaks over pipes."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, str(games.PYTHON_BOTS / f"{script}.py")],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "HIGHSTREET_TARGET"},
    )


class Piped:
    """Asks a process, as the referee would."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def say(self, **message: Any) -> None:
        """Write a message as a line of JSON, default values and all."""
        text = MessageToDict(
            play_pb2.PlayResponse(**message),
            preserving_proto_field_name=True,
            always_print_fields_with_no_presence=True,
        )
        assert self.process.stdin
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()

    def match_started(self, message: play_pb2.MatchStarted) -> None:
        """Pass it on."""
        self.say(match_started=message)

    def match_ended(self, message: play_pb2.MatchEnded) -> None:
        """Pass it on."""
        self.say(match_ended=message)

    def choose(self, decision: play_pb2.Decision) -> play_pb2.Move:
        """Pass it on, and read the answer."""
        self.say(decision=decision)
        assert self.process.stdout
        (answer,) = json.loads(self.process.stdout.readline()).values()
        assert answer["decision_id"] == decision.decision_id
        return ParseDict(answer["move"], play_pb2.Move())
