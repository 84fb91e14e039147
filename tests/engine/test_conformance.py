"""What every registered game promises, over random games of every kind."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.festo.cards as festo
import engine.gargon.cards as gargon
import engine.glastonbury.cards as glastonbury
import engine.kupferkessel.cards as kupferkessel
from engine.errors import IllegalMoveError, UsageError
from engine.game import Event, Options, Seat, Transition
from engine.registry import GAMES, AnyGame
from engine.shuffle import Seed, seed_from_text
from referee.devkit.midgame import midgame_positions
from referee.devkit.random_play import random_game, random_steps
from tests.engine.kits import KITS

KINDS = [
    pytest.param(game, kind, id=f"{game.spec.name}-{'-'.join(map(str, kind.values()))}")
    for game in GAMES.values()
    for kind in game.spec.kinds()
]
every_kind = pytest.mark.parametrize(("game", "kind"), KINDS)
some_games = settings(max_examples=8)
seeds = st.binary(min_size=32, max_size=32).map(Seed)


class Position(NamedTuple):
    """A state on the way, and what was played there."""

    state: Any
    moves: dict[Seat, Any]
    after: Transition[Any]


def positions(game: AnyGame, kind: Options, seed: Seed) -> Iterator[Position]:
    """Play a random game and return every position on the way."""
    state = game.deal(kind, seed).state
    for step in random_steps(game, state, seed):
        yield Position(state, {d.seat: d.move for d in step.decisions}, step.transition)
        state = step.transition.state


def some_positions(game: AnyGame, kind: Options, seed: Seed) -> list[Position]:
    """Return every position of a short game, and a fair part of those of a long one."""
    found = list(positions(game, kind, seed))
    stride = max(1, len(found) // 40)
    return found[seed[0] % stride :: stride]


def viewers(kind: Options) -> list[Seat | None]:
    return [None, *map(Seat, range(kind.seats))]


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_every_kind_of_decision_comes_up_and_is_named(game: AnyGame) -> None:
    found = midgame_positions(game)
    assert set(found) == set(game.spec.decision_kinds)


def test_every_registered_game_has_a_kit() -> None:
    assert set(KITS) == set(GAMES)


@every_kind
@given(seed=seeds)
@settings(max_examples=4)
def test_legal_moves_pass_check_and_all_others_fail(
    game: AnyGame, kind: Options, seed: Seed
) -> None:
    every_move = KITS[game.spec.name].every_move
    # A seat that is not asked may play nothing; some moves of every sort are enough to see that.
    some_moves = [*{type(move): move for move in every_move}.values(), *every_move[::10]]
    for position in some_positions(game, kind, seed):
        to_act = game.to_act(position.state)
        for seat in map(Seat, range(kind.seats)):
            legal = game.legal_moves(position.state, seat)
            assert bool(legal) == (seat in to_act)
            different = set(legal)
            assert len(different) == len(legal) <= 400
            for move in every_move if legal else some_moves:
                violation = game.check(position.state, seat, move)
                assert (violation is None) == (move in different)
                if violation:
                    assert violation.rule.startswith(f"{game.spec.name}#")
                    assert violation.message.endswith(".")


CARDS = {
    "glastonbury": glastonbury.CARD_NAMES[1:73],  # the names of spells are words of the rules too
    "kupferkessel": kupferkessel.CARD_NAMES[1:],
    "gargon": [gargon.CARD_NAMES[card] for card in gargon.FACES],
    "festo": [*festo.DISH_NAMES[1:], *(f"E{number:02}" for number in range(1, 15))],
}


@every_kind
@given(seed=seeds)
@settings(max_examples=2)
def test_a_violation_names_no_card_that_a_spectator_does_not_see(
    game: AnyGame, kind: Options, seed: Seed
) -> None:
    """Whatever a bot tries, the detail of its fault can be shown to everybody.

    In Festo! no seat knows of a dish what the others do not: there a quoted move reveals nothing.
    """
    quoted = re.compile('"[^"]*"' if game.spec.name == "festo" else "$^")
    card = re.compile(rf"\b({'|'.join(CARDS[game.spec.name])})\b")
    every_move = KITS[game.spec.name].every_move[seed[1] % 3 :: 3]
    for position in some_positions(game, kind, seed):
        state = position.state
        shown = set(card.findall(game.render(game.view(state, None))))
        for seat in game.to_act(state):
            for move in every_move:
                violation = game.check(state, seat, move)
                if violation:
                    said = quoted.sub("", violation.message)
                    assert set(card.findall(said)) <= shown, violation


@every_kind
@given(seed=seeds)
@some_games
def test_whether_a_seat_is_asked_tells_the_others_nothing(
    game: AnyGame, kind: Options, seed: Seed
) -> None:
    """It is the same in every position that looks the same to another seat, or to a spectator."""

    def asked(state: Any, seat: Seat) -> bool:
        return len(game.legal_moves(state, seat)) > 1 or game.secretly_forced(state, seat)

    for position in some_positions(game, kind, seed):
        state = position.state
        for seat, viewer in product(game.to_act(state), viewers(kind)):
            other = KITS[game.spec.name].redealt(state, viewer, seed)
            if game.spec.name == "gargon":  # everybody sees the pattern as soon as it is laid
                other = other._replace(pattern=state.pattern, picked=state.picked)
            if viewer != seat:
                assert asked(other, seat) == asked(state, seat)
            forced = game.secretly_forced(state, seat)
            assert not forced or len(game.legal_moves(state, seat)) == 1


@every_kind
@given(seed=seeds)
@some_games
def test_apply_refuses_what_check_refuses(game: AnyGame, kind: Options, seed: Seed) -> None:
    for position in positions(game, kind, seed):
        state, (seat, *others) = position.state, game.to_act(position.state)
        legal = game.legal_moves(state, seat)
        illegal = next(m for m in KITS[game.spec.name].every_move if m not in legal)
        for bad in (
            {**position.moves, seat: illegal},
            {**position.moves, Seat(kind.seats): legal[0]},
            {other: position.moves[other] for other in others},
        ):
            with pytest.raises(IllegalMoveError):
                game.apply(state, bad)


@every_kind
@given(seed=seeds)
@some_games
def test_apply_leaves_its_argument_alone(game: AnyGame, kind: Options, seed: Seed) -> None:
    for position in positions(game, kind, seed):
        before = copy.deepcopy(position.state)
        for seat in game.to_act(position.state):
            game.legal_moves(position.state, seat)
            game.default_move(position.state, seat)
            game.view(position.state, seat)
        game.apply(position.state, position.moves)
        assert position.state == before
        assert hash(position.state) == hash(before)


@every_kind
@given(seed=seeds)
@some_games
def test_equal_seeds_and_moves_give_equal_games(game: AnyGame, kind: Options, seed: Seed) -> None:
    assert game.deal(kind, seed) == game.deal(kind, seed)
    for position in positions(game, kind, seed):
        again = game.apply(copy.deepcopy(position.state), position.moves)
        assert again == position.after


def test_every_process_plays_the_same_game() -> None:
    """The order of sets and dicts of a process has no influence on a game."""
    script = (
        "import json; from engine import GAMES, seed_from_text\n"
        "from referee.devkit.random_play import random_game\n"
        "print(json.dumps([[game.format_move(d.move) for d in played.decisions]"
        " + [str(played.outcome)] for game in GAMES.values() for kind in game.spec.kinds()"
        " for n in range(5) for played in [random_game(game, kind, seed_from_text(str(n)))]]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
    assert len(json.loads(outputs.pop())) == 5 * len(KINDS)


@every_kind
@given(seed=seeds)
@some_games
def test_notation_says_everything(game: AnyGame, kind: Options, seed: Seed) -> None:
    for position in positions(game, kind, seed):
        for seat in game.to_act(position.state):
            for move in game.legal_moves(position.state, seat):
                assert game.parse_move(game.format_move(move)) == move


@pytest.mark.parametrize("name", KITS)
def test_every_move_that_can_be_written_can_be_read(name: str) -> None:
    game = GAMES[name]
    texts = [game.format_move(move) for move in KITS[name].every_move]
    assert [game.parse_move(text) for text in texts] == KITS[name].every_move
    assert len(set(texts)) == len(texts)


@every_kind
@given(seed=seeds)
@some_games
def test_every_game_ends_within_its_bound(game: AnyGame, kind: Options, seed: Seed) -> None:
    played = random_game(game, kind, seed)
    assert 0 < len(played.decisions) <= game.spec.most_decisions
    assert played.outcome.ending in game.spec.endings
    assert len(played.outcome.scores) == len(played.outcome.places) == kind.seats
    assert 1 in played.outcome.places


@every_kind
@given(seed=seeds)
@some_games
def test_a_game_has_an_outcome_when_nobody_is_to_act(
    game: AnyGame, kind: Options, seed: Seed
) -> None:
    for position in positions(game, kind, seed):
        assert game.outcome(position.state) is None
        assert (game.outcome(position.after.state) is None) == bool(
            game.to_act(position.after.state)
        )


@every_kind
@given(seed=seeds)
@some_games
def test_default_moves_are_legal_and_end_the_game(game: AnyGame, kind: Options, seed: Seed) -> None:
    state = game.deal(kind, seed).state
    decisions = 0
    while seats := game.to_act(state):
        moves = {seat: game.default_move(state, seat) for seat in seats}
        for seat, move in moves.items():
            assert move in game.legal_moves(state, seat)
        state = game.apply(state, moves).state
        decisions += len(seats)
    assert decisions <= game.spec.most_decisions


@every_kind
@given(seed=seeds)
@some_games
def test_every_card_is_in_exactly_one_place(game: AnyGame, kind: Options, seed: Seed) -> None:
    kit = KITS[game.spec.name]
    full = kit.deck(kind)
    assert kit.cards(game.deal(kind, seed).state) == full
    for position in positions(game, kind, seed):
        assert kit.cards(position.after.state) == full


@every_kind
@given(seed=seeds, other=seeds)
@some_games
def test_a_view_depends_on_nothing_hidden(
    game: AnyGame, kind: Options, seed: Seed, other: Seed
) -> None:
    """Deal anew what a seat cannot see: it sees the same, and is offered the same."""
    redealt = KITS[game.spec.name].redealt
    changed = 0
    for position in some_positions(game, kind, seed):
        for viewer in viewers(kind):
            twin = redealt(position.state, viewer, other)
            changed += twin != position.state
            assert game.view(twin, viewer) == game.view(position.state, viewer)
            assert game.render(game.view(twin, viewer)) == game.render(
                game.view(position.state, viewer)
            )
            if viewer is not None:
                assert game.legal_moves(twin, viewer) == game.legal_moves(position.state, viewer)
    assert changed, "the test must have had something to hide"


@every_kind
@given(seed=seeds)
@some_games
def test_spectators_see_no_more_than_any_seat(game: AnyGame, kind: Options, seed: Seed) -> None:
    for position in positions(game, kind, seed):
        for event in position.after.events:
            assert isinstance(event, Event)
            if event.visible_to(None):
                assert all(event.visible_to(viewer) for viewer in viewers(kind))


@every_kind
def test_a_deal_can_be_described_in_json(game: AnyGame, kind: Options) -> None:
    seed = Seed(bytes(range(32)))
    described = game.describe_deal(kind, seed)
    assert json.loads(json.dumps(described)) == described
    assert described == game.describe_deal(kind, seed)
    assert described != game.describe_deal(kind, Seed(bytes(32)))


# What is no seat and no move of the game ---------------------------------------------------------


def foreign_moves(game: AnyGame) -> list[object]:
    """Return moves of the other games, and values that are no moves at all."""
    found: dict[type, object] = {}
    for other in GAMES.values():
        if other is not game:
            kind = next(iter(other.spec.kinds()))
            for _, _, move in random_game(other, kind, seed_from_text("3")).decisions:
                found[type(move)] = move
    return [*found.values(), None, "take c2", 7, (3,), []]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_viewer_is_a_seat_of_the_table_or_a_spectator(game: AnyGame) -> None:
    for kind in game.spec.kinds():
        state = game.deal(kind, seed_from_text("3")).state
        assert game.view(state, None).viewer is None
        for viewer in (-1, -kind.seats, kind.seats, 10**9):
            with pytest.raises(UsageError, match=f"a seat from 0 to {kind.seats - 1}, or None"):
                game.view(state, Seat(viewer))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_what_is_no_move_of_the_game_is_refused_in_every_phase(game: AnyGame) -> None:
    kind = next(iter(game.spec.kinds()))
    state = game.deal(kind, seed_from_text("3")).state
    foreign = foreign_moves(game)
    assert len(foreign) > 8
    while to_act := game.to_act(state):
        for move in foreign:
            with pytest.raises(UsageError, match=f"is not a move of {game.spec.title}"):
                game.check(state, to_act[0], move)
        state = game.apply(state, {s: game.legal_moves(state, s)[0] for s in to_act}).state
    with pytest.raises(UsageError, match="is not a move of"):
        game.check(state, Seat(0), foreign[0])
