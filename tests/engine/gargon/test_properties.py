"""What holds in every game of Gargon, beyond what holds in every game."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import Options, Seat
from engine.gargon.cards import BACKS, CARD_NAMES, COLOUR_OF, FACES, VALUE_OF
from engine.gargon.state import (
    Captured,
    Drew,
    HandsOpened,
    Laid,
    Lost,
    Phase,
    Revealed,
    RoundBegan,
    Saw,
    State,
)
from engine.shuffle import Seed, seed_from_text
from referee.devkit.random_play import random_steps
from tests.engine.gargon.positions import GAME, begin_round, play
from tests.naive.gargon import PATTERNS

every_kind = pytest.mark.parametrize("kind", list(GAME.spec.kinds()), ids=str)
seeds = st.binary(min_size=32, max_size=32).map(Seed)
some_games = settings(max_examples=6)


@every_kind
@given(seed=seeds)
@some_games
def test_no_event_shows_a_value_too_early(kind: Options, seed: Seed) -> None:
    """gargon#8.1 and 8.2: backs until the reveal, the value of a draw to the drawer alone."""
    state = GAME.deal(kind, seed).state
    viewers = (None, *map(Seat, range(kind.seats)))
    for step in random_steps(GAME, state, seed):
        for event in step.transition.events:
            if isinstance(event, Laid):
                assert set(event.cards) <= set(BACKS)
            elif isinstance(event, Drew):
                assert event.card in BACKS
            elif isinstance(event, Saw):
                assert event.card in FACES
                assert [v for v in viewers if event.visible_to(v)] == [event.seat]
            elif isinstance(event, Revealed):
                assert state.seat == (state.leader - 1) % kind.seats, "the last seat has decided"
            elif isinstance(event, HandsOpened):
                assert step.transition.state.phase is Phase.OVER
        state = step.transition.state


@every_kind
@given(seed=seeds)
@some_games
def test_every_round_draws_a_card_and_somebody_can_lead(kind: Options, seed: Seed) -> None:
    """gargon#10.1: what the proof of the bound stands on."""
    state = GAME.deal(kind, seed).state
    drawn = 0
    for step in random_steps(GAME, state, seed):
        for event in step.transition.events:
            drawn += isinstance(event, Drew)
            if isinstance(event, RoundBegan):
                assert drawn
                drawn = 0
                assert all(step.transition.state.piles)
                assert step.transition.state.hands[event.seat]
    assert drawn


@every_kind
@given(seed=seeds)
@some_games
def test_cards_that_were_laid_fight_once(kind: Options, seed: Seed) -> None:
    """gargon#5: whatever is turned up is captured by its owner or lost, once, in that round."""
    state = GAME.deal(kind, seed).state
    waiting: Counter[tuple[int, int]] = Counter()
    for step in random_steps(GAME, state, seed):
        for event in step.transition.events:
            if isinstance(event, Revealed):
                assert not waiting
                waiting.update((s, card) for s, own in enumerate(event.laid) for card in own)
            elif isinstance(event, Captured | Lost):
                waiting[event.seat, event.card] -= 1
                waiting += Counter()
            elif isinstance(event, RoundBegan):
                assert not waiting
    assert not waiting


@every_kind
@given(seed=seeds)
@some_games
def test_hands_are_in_order(kind: Options, seed: Seed) -> None:
    """Equal hands are equal values, however they came about."""
    state = GAME.deal(kind, seed).state
    for step in random_steps(GAME, state, seed):
        state = step.transition.state
        assert all(list(hand) == sorted(hand) for hand in state.hands)


@every_kind
@given(seed=seeds)
@some_games
def test_what_belongs_to_a_phase_is_there_in_that_phase_only(kind: Options, seed: Seed) -> None:
    """Nothing is left over from an earlier decision, and equal positions are equal values."""
    state = GAME.deal(kind, seed).state
    for step in random_steps(GAME, state, seed):
        state = step.transition.state
        assert bool(state.pattern) == (state.phase is Phase.PICK)
        assert len(state.picked) < max(1, len(state.pattern))
        assert (state.drawn in (1, 2)) == (state.phase is Phase.PASSDRAW)
        assert state.phase is Phase.PASSDRAW or state.drawn == 0
        assert (state.colour is not None) == (state.phase is Phase.CONSOLATION)
        assert state.losers[:1] == ((state.seat,) if state.phase is Phase.CONSOLATION else ())


def test_decision_kinds_are_named_by_what_is_asked() -> None:
    asked: dict[str, str] = {}
    begun = begin_round(hands={0: "R9 R3 Y1", 1: "R8 R4 Y2", 2: "R7 R2 B3 Y5"})
    moves = (
        "play RRY, pick R9 R3, pick Y1, pass A, stop, play RRY, pick R7 R2, pick Y5, "
        "battle R, draw A, draw B"
    )
    state: State = begun
    for move in moves.split(", "):
        view = GAME.view(state, state.seat)
        kind = GAME.decision_kind(view, GAME.legal_moves(state, state.seat))
        asked.setdefault(kind, move)
        state = play(state, move).state
    assert asked == {
        "lead": "play RRY",
        "pick two cards": "pick R9 R3",
        "pick one card": "pick Y1",
        "follow": "pass A",
        "draw after a pass": "stop",
        "follow as the last seat": "play RRY",
        "battle": "battle R",
        "consolation": "draw A",
    }
    assert set(asked) == set(GAME.spec.decision_kinds)


def test_two_zeros_in_hand_are_the_same_card() -> None:
    """Nobody can tell which of them was laid."""
    state = play(begin_round(hands={0: "R0 R0 R5"}), "play R, pick R0").state
    assert [CARD_NAMES[card] for card in state.hands[0]] == ["R0", "R5"]


def test_cards_have_names_of_their_own() -> None:
    assert len(CARD_NAMES) == len(set(CARD_NAMES)) == 1 + 96 + 6
    assert [CARD_NAMES[card] for card in FACES if not VALUE_OF[card]] == [
        *("W0", "B0", "V0", "Y0", "R0", "G0"),
    ]
    assert [CARD_NAMES[back] for back in BACKS] == ["W?", "B?", "V?", "Y?", "R?", "G?"]
    assert [COLOUR_OF[back] for back in BACKS] == [0, 1, 2, 3, 4, 5]


def test_every_pattern_can_be_led_and_read() -> None:
    hand = "W1 W2 B1 B2 V1 V2 Y1 Y2 R1 R2 G1 G2"
    begun = begin_round(hands={0: hand})
    for pattern in PATTERNS:
        assert GAME.check(begun, Seat(0), GAME.parse_move(f"play {pattern}")) is None


@pytest.mark.parametrize(
    ("viewer", "moves", "headline"),
    [
        (0, "", "round 1, seat 0 to lead"),
        (0, "play RRY", "round 1, seat 0 to pick two of red for RRY"),
        (0, "play RRY, pick R9 R3", "round 1, seat 0 to pick one of yellow for RRY beside R9 R3"),
        (1, "play RRY, pick R9 R3", "round 1, seat 0 to pick cards"),
        (1, "play R, pick R9", "round 1, seat 1 to follow 1 or to pass"),
        (1, "play R, pick R9, pass A", "seat 1 to draw a second card after passing, or to stop"),
        (1, "play R, pick R9, pass A, draw A", "seat 1 to draw a third card after passing"),
        (
            2,
            "play YR, pick Y1, pick R9, pass A, stop",
            "seat 2 to follow 1.1 in Y R or to pass, as the last seat",
        ),
        (0, "play R, pick R9, pass A, stop, pass A, stop", "seat 0 to choose a battle"),
        (
            1,
            "play R, pick R9, play R, pick R8, pass A, stop, battle R",
            "seat 1 to draw for a lost red card",
        ),
        (1, "play R, pick R9, pass B", "round 1, the last, seat 1 to draw a second card"),
        (None, "play R, pick R9, pass B, stop, pass A, stop, battle R", "the game is over"),
    ],
)
def test_a_drawing_says_what_is_to_be_decided(
    viewer: int | None, moves: str, headline: str
) -> None:
    begun = begin_round(hands={0: "R9 R3 Y1", 1: "R8", 2: "B3"}, pile_b="W1")
    drawn = GAME.render(
        GAME.view(play(begun, moves).state, None if viewer is None else Seat(viewer))
    )
    first, *_ = drawn.splitlines()
    assert first.startswith("Gargon, 3 seats, covered captures: ")
    assert headline in first


def test_a_drawing_shows_what_the_viewer_knows() -> None:
    begun = begin_round(
        hands={0: "R9 R3", 1: "R8", 2: "R5 G2"},
        pile_a="G1",
        pile_b="W1 B2",
        captured={1: "V3 B0"},
        discards="Y2",
        options={"open_captures": True},
    )
    state = play(begun, "play R, pick R9, play R, pick R8, play R, pick R5, battle R").state
    assert GAME.render(GAME.view(state, Seat(2))).splitlines() == [
        "Gargon, 3 seats, open captures: round 1, seat 1 to draw for a lost red card",
        "",
        "seat         W  B  V  Y  R  G  hand  laid  captured",
        "0     leads  .  .  .  .  1  .  1     -     1: R9",
        "1*           .  .  .  .  .  .  0     -     2: B0 V3",
        "2            .  .  .  .  .  1  1     -     0",
        "",
        "hand of seat 2: G2",
        "pile A, 1 card: G",
        "pile B, 2 cards: WB",
        "discarded, 3 cards: Y2 R5 R8",
        "to draw next: seat 2",
    ]


def test_deals_differ_by_seed_only() -> None:
    """Everybody at a table of three has the hand that it would have at a table of five."""
    seed = seed_from_text("5")
    three = GAME.deal(GAME.spec.options(3), seed).state
    five = GAME.deal(GAME.spec.options(5, {"open_captures": True}), seed).state
    assert three.hands == five.hands[:3]
    assert three.hands != GAME.deal(GAME.spec.options(3), seed_from_text("6")).state.hands
