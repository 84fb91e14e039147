"""The Python sample bots play whole games, and play them as they promise."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from highstreet.v1 import play_pb2

from engine.game import Options, Seat
from engine.glastonbury.moves import DISCARD, KEEP, Move
from engine.glastonbury.state import Phase, State
from engine.shuffle import seed_from_text
from tests.sample_bots import games, messages
from tests.waiting import PATIENCE

KINDS = list(messages.GAME.spec.kinds())
Maker = Callable[[], Any]


def kind_name(options: Options) -> str:
    return f"{options.seats} seats{' with recipes' if options['recipes'] else ''}"


def random_bot() -> Any:
    return games.load("random_bot").RandomBot()


def greedy_bot() -> Any:
    return games.load("greedy_bot").GreedyBot()


def search_bot() -> Any:
    return games.load("search_bot").SearchBot()


@pytest.fixture(autouse=True)
def fixed_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the bots' chance repeatable, and the search short.

    The clock is one that every look puts on: how loaded the machine is decides nothing.
    """
    ticks = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: next(ticks) / 1000)
    monkeypatch.setattr(games.load("searching"), "time", clock)
    monkeypatch.setenv("BOT_SEED", "7")
    monkeypatch.setenv("BOT_SECONDS", "0.002")


@pytest.mark.parametrize("options", KINDS, ids=kind_name)
def test_every_answer_of_greedy_and_random_is_legal(options: Options) -> None:
    """In 30 games of every kind; ``play`` fails on an answer that is not legal."""
    for seed in range(30):
        bots = [(greedy_bot, random_bot)[(seed + seat) % 2]() for seat in range(options.seats)]
        games.play(bots, options, seed_from_text(str(seed)))


@pytest.mark.parametrize("options", KINDS, ids=kind_name)
def test_every_answer_of_search_is_legal(options: Options) -> None:
    for seed in range(4):
        bots = [search_bot() for _ in range(options.seats)]
        games.play(bots, options, seed_from_text(str(seed)))


@pytest.mark.parametrize("options", KINDS, ids=kind_name)
def test_greedy_remembers_every_cauldron_exactly(options: Options) -> None:
    def compare(state: State, _seat: Seat, bot: Any, _move: Move) -> None:
        assert tuple(map(tuple, bot.player.cauldrons)) == state.cauldrons
        seen.add(state.phase)

    seen: set[Phase] = set()
    for seed in range(20):
        bots = [greedy_bot() for _ in range(options.seats)]
        games.play(bots, options, seed_from_text(str(seed)), watch=compare)
    assert {Phase.TAKE, Phase.CORNER, Phase.KEEP} <= seen


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_greedy_keeps_the_last_card_unless_it_costs_points(seats: int) -> None:
    """Without recipes, where the engine can tell; a tie is kept."""

    def compare(state: State, seat: Seat, _bot: Any, move: Move) -> None:
        if state.phase is Phase.KEEP:
            ends = [messages.GAME.apply(state, {seat: m}).state for m in (KEEP, DISCARD)]
            kept, discarded = (messages.GAME.outcome(end) for end in ends)
            assert kept is not None
            assert discarded is not None
            better = kept.scores[seat] >= discarded.scores[seat]
            assert move == (KEEP if better else DISCARD)
            seen.append(move)

    seen: list[Move] = []
    for seed in range(30):
        bots = [greedy_bot() for _ in range(seats)]
        options = messages.GAME.spec.options(seats)
        games.play(bots, options, seed_from_text(str(seed)), watch=compare)
    assert {KEEP, DISCARD} <= set(seen)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_greedy_assigns_immuto_as_the_default_move_does(seats: int) -> None:
    """glastonbury#12.2 reckons as the bot does: own sets and own A recipe, first among equals."""

    def compare(state: State, seat: Seat, _bot: Any, move: Move) -> None:
        if state.phase is Phase.IMMUTO:
            assert move == messages.GAME.default_move(state, seat)
            seen.append(move)

    seen: list[Move] = []
    for seed in range(20):
        bots = [greedy_bot() for _ in range(seats)]
        options = messages.GAME.spec.options(seats, {"recipes": True})
        games.play(bots, options, seed_from_text(str(seed)), watch=compare)
    assert len(seen) >= 20


@pytest.mark.parametrize("options", KINDS, ids=kind_name)
def test_search_knows_every_card_but_their_order(options: Options) -> None:
    """Its positions have the true cards in the pile, and the true order of what went under it."""

    def compare(state: State, seat: Seat, bot: Any, _move: Move) -> None:
        if state.phase not in (Phase.TAKE, Phase.CORNER, Phase.TAKE_AFTER_DECLINATIO):
            return
        player = bot.player
        guess = player.dealt(*player.known())
        assert sorted(guess.pile) == sorted(state.pile)
        under = len(player.under_pile)
        assert guess.pile[len(guess.pile) - under :] == state.pile[len(state.pile) - under :]
        recipes = guess.setup.recipes
        if recipes is not None:
            assert state.setup.recipes is not None
            assert recipes[seat] == state.setup.recipes[seat]
        assert guess._replace(pile=state.pile, setup=state.setup) == state
        assert guess.setup._replace(recipes=state.setup.recipes) == state.setup

    for seed in range(2):
        bots = [search_bot() for _ in range(options.seats)]
        games.play(bots, options, seed_from_text(str(seed)), watch=compare)


@pytest.mark.parametrize("options", KINDS, ids=kind_name)
def test_greedy_beats_random(options: Options) -> None:
    """It wins at least 9 of 10 games, where chance would give it one of two, three or four."""
    won = 0
    for seed in range(20):
        bots = [random_bot() for _ in range(options.seats)]
        seat = seed % options.seats
        bots[seat] = greedy_bot()
        won += games.play(bots, options, seed_from_text(str(seed))).places[seat] == 1
    assert won >= 18


def test_two_greedy_bots_reach_what_is_expected_of_greedy_play() -> None:
    """A public figure for greedy play is 77.8 points."""
    scores: list[int] = []
    for seed in range(40):
        bots = [greedy_bot(), greedy_bot()]
        scores += games.play(bots, KINDS[0], seed_from_text(str(seed))).scores
    assert 70 <= sum(scores) / len(scores) <= 95


def test_search_beats_greedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """It wins at least 6 of 8 games with 20 looks at the clock a decision."""
    monkeypatch.setenv("BOT_SECONDS", "0.02")
    won = 0
    for seed in range(8):
        bots = [greedy_bot(), greedy_bot()]
        bots[seed % 2] = search_bot()
        won += games.play(bots, KINDS[0], seed_from_text(str(seed))).places[seed % 2] == 1
    assert won >= 6


@pytest.mark.parametrize("make", [random_bot, greedy_bot], ids=["random", "greedy"])
def test_the_same_game_is_played_twice_alike(make: Maker) -> None:
    seed = seed_from_text("11")
    first, second = (games.play([make() for _ in range(4)], KINDS[-1], seed) for _ in range(2))
    assert first == second


def test_search_keeps_to_its_clock() -> None:
    """Of free time it uses a third, of a bank one part in sixty, and never more than it wants."""
    module = games.load("searching")
    clock = play_pb2.Clock()
    assert module.time_to_think(clock, 0.2) == 0
    clock.remaining.FromMilliseconds(300)
    assert module.time_to_think(clock, 0.2) == pytest.approx(0.1)
    clock.bank.FromMilliseconds(300)
    assert module.time_to_think(clock, 0.2) == pytest.approx(0.005)
    clock.remaining.FromSeconds(60)
    assert module.time_to_think(clock, 0.2) == pytest.approx(0.2)


def test_a_decision_that_comes_again_gets_the_same_answer() -> None:
    """After a cut connection the bot must not take in the same events twice."""
    plumbing = games.load("plumbing")
    bots = defaultdict[str, Any](greedy_bot)
    options, seat = KINDS[0], Seat(0)
    deal = messages.GAME.deal(options, seed_from_text("3"))
    asked = messages.decision("m", 1, deal.state, seat, deal.events)
    plumbing.answer(play_pb2.PlayResponse(match_started=messages.started("m", options, 0)), bots)
    first = plumbing.answer(play_pb2.PlayResponse(decision=asked), bots)
    calls: list[int] = []
    bots["m"].choose = lambda decision: calls.append(decision.decision_id)
    again = plumbing.answer(play_pb2.PlayResponse(decision=asked), bots)
    assert again == first
    assert calls == []


def test_a_match_whose_start_comes_again_begins_anew() -> None:
    """Then its first decision comes again as well, with everything that has happened so far."""
    plumbing = games.load("plumbing")
    bots = defaultdict[str, Any](greedy_bot)
    started = play_pb2.PlayResponse(match_started=messages.started("m", KINDS[0], 0))
    deal = messages.GAME.deal(KINDS[0], seed_from_text("3"))
    asked = messages.decision("m", 1, deal.state, Seat(0), deal.events)
    plumbing.answer(started, bots)
    first = plumbing.answer(play_pb2.PlayResponse(decision=asked), bots)
    before = bots["m"]
    plumbing.answer(started, bots)
    assert bots["m"] is not before
    assert plumbing.answer(play_pb2.PlayResponse(decision=asked), bots) == first


@pytest.mark.parametrize("script", ["tiny_bot", "random_bot", "greedy_bot", "search_bot"])
def test_a_bot_plays_a_game_as_a_process_over_pipes(script: str) -> None:
    """Two matches in one process; goodbye ends it with exit code 0 and a silent standard error."""
    command = [sys.executable, str(games.PYTHON_BOTS / f"{script}.py")]
    environment = {k: v for k, v in os.environ.items() if k != "HIGHSTREET_TARGET"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment
    ) as process:
        for match in ("first", "second"):
            games.play([Piped(process, match), random_bot()], KINDS[1], seed_from_text("4"))
        out, err = process.communicate('{"goodbye":{"reason":"done"}}\n', timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "", "")


class Piped:
    """Asks a process, as the referee would."""

    def __init__(self, process: subprocess.Popen[str], match: str) -> None:
        self.process = process
        self.match = match

    def say(self, **message: Any) -> None:
        """Write a message as a line of JSON, default values and all."""
        ((_, body),) = message.items()
        body.match = self.match
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
        assert (answer["match"], answer["decision_id"]) == (self.match, decision.decision_id)
        return play_pb2.Move(glastonbury=_move(answer["move"]["glastonbury"]))


def _move(given: dict[str, Any]) -> Any:
    move = messages.Proto.Move()
    ((action, what),) = given.items()
    if action == "take":
        move.take = what
    elif action == "immuto":
        names = [messages.Proto.Ingredient.Value(name) for name in what["ingredients"]]
        move.immuto.ingredients.extend(names)
    else:
        getattr(move, action).SetInParent()
    return move


@pytest.mark.parametrize(
    ("script", "limit"), [("plumbing", 130), ("grpc_plumbing", 90), ("tiny_bot", 25)]
)
def test_what_a_newcomer_reads_is_short(script: str, limit: int) -> None:
    lines = (games.PYTHON_BOTS / f"{script}.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) < limit
