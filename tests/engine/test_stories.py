"""The stories of all games: every event has words, and nothing hidden is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from engine.board import CELLS_BY_NAME, Stop
from engine.game import Event, Options, Seat
from engine.gargon.moves import parse_move as gargon_move
from engine.glastonbury.cards import CARDS_BY_NAME
from engine.glastonbury.moves import parse_move as glastonbury_move
from engine.glastonbury.state import Ended as GlastonburyEnded
from engine.glastonbury.state import Ending, Looked, Lost, Moved, Took
from engine.kupferkessel import state as kupferkessel
from engine.kupferkessel.cards import CARDS_BY_NAME as COPPER
from engine.registry import GAMES, AnyGame
from engine.shuffle import seed_from_text
from referee.devkit.random_play import random_steps
from tests.engine.kits import KITS
from tournaments.replay.document import find_presentation

TOLD = [game for game in GAMES.values() if find_presentation(game.spec.name)]
KINDS = [
    pytest.param(game, kind, id=f"{game.spec.name}-{'-'.join(map(str, kind.values()))}")
    for game in TOLD
    for kind in game.spec.kinds()
]
every_kind = pytest.mark.parametrize(("game", "kind"), KINDS)


def states(game: AnyGame, kind: Options, seed: str) -> Iterator[Any]:
    start = game.deal(kind, seed_from_text(seed)).state
    yield start
    for step in random_steps(game, start, seed_from_text(seed)):
        yield step.transition.state


def story_of(game: AnyGame) -> Any:
    story = find_presentation(game.spec.name)
    assert story is not None
    return story


def test_every_game_here_has_a_story_and_another_need_not() -> None:
    assert list(GAMES.values()) == TOLD
    assert find_presentation("patience") is None


@pytest.mark.parametrize("game", TOLD, ids=[game.spec.name for game in TOLD])
def test_every_event_has_words(game: AnyGame) -> None:
    module = import_module(f"engine.{game.spec.name}.state")
    kinds = [k for k in vars(module).values() if isinstance(k, type) and issubclass(k, Event)]
    words = import_module(f"engine.{game.spec.name}.presentation")._SENTENCES
    assert set(words) == set(kinds) - {Event}


@every_kind
def test_positions_have_one_form_whoever_looks(game: AnyGame, kind: Options) -> None:
    story = story_of(game)
    viewers = [None, *map(Seat, range(kind.seats))]
    forms = set()
    for state in states(game, kind, "3"):
        told = [story.everything(state), *(story.view(game.view(state, v)) for v in viewers)]
        for position in told:
            forms.add(tuple(position))
            assert json.loads(json.dumps(position)) == position
            # An object would be mistaken for the changed items of a list.
            assert not any(isinstance(value, dict) for value in position.values())
    assert len(forms) == 1


@every_kind
def test_everything_is_what_somebody_sees_or_nobody_does(game: AnyGame, kind: Options) -> None:
    """Whatever a viewer is told of a position, and is no back of a card, is so in all of it."""
    story = story_of(game)
    for state in states(game, kind, "4"):
        everything = story.everything(state)
        for viewer in [None, *map(Seat, range(kind.seats))]:
            for name, value in story.view(game.view(state, viewer)).items():
                assert fits(value, everything[name]), name


def fits(seen: Any, real: Any) -> bool:
    """Tell whether what is seen is real as far as it goes; an order of backs is not known."""
    if seen in (None, "", []):
        return True
    if isinstance(seen, list) and isinstance(real, list):
        if all(isinstance(item, str) and item.endswith("?") for item in seen):
            return sorted(item[0] for item in seen) == sorted(item[0] for item in real)
        return len(seen) == len(real) and all(map(fits, seen, real))
    return bool(seen == real)


@every_kind
def test_what_is_hidden_from_a_viewer_is_not_told(game: AnyGame, kind: Options) -> None:
    """Deal everything anew that a viewer cannot see: it is told the same."""
    story, kit = story_of(game), KITS[game.spec.name]
    differ = 0
    for number, state in enumerate(states(game, kind, "5")):
        for viewer in [None, *map(Seat, range(kind.seats))]:
            other = kit.redealt(state, viewer, seed_from_text(str(number)))
            assert story.view(game.view(other, viewer)) == story.view(game.view(state, viewer))
            differ += story.everything(other) != story.everything(state)
    assert differ


@every_kind
def test_scores_at_the_end_are_those_of_the_game(game: AnyGame, kind: Options) -> None:
    story = story_of(game)
    for seed in "678":
        *before, last = states(game, kind, seed)
        outcome = game.outcome(last)
        assert outcome is not None
        assert tuple(story.scores(last)) == outcome.scores
        assert all(len(story.scores(state)) == kind.seats for state in before)


@every_kind
def test_events_are_told_of_seats_at_the_table(game: AnyGame, kind: Options) -> None:
    story = story_of(game)
    transition = game.deal(kind, seed_from_text("9"))
    told = list(map(story.sentence, transition.events))
    for step in random_steps(game, transition.state, seed_from_text("9")):
        told += map(story.sentence, step.transition.events)
    assert all(text and not text.endswith(".") for text in told)
    assert any(text.startswith("seat 1 ") for text in told)
    assert not any(f"seat {kind.seats}" in text for text in told)


YA1, YA2, ACCIO = (CARDS_BY_NAME[name] for name in ("Ya1", "Ya2", "Accio"))
C2 = CELLS_BY_NAME["c2"]
GLASTONBURY = {
    "seat 0 walks 1 step to column b": Moved(Seat(0), 1, Stop(1)),
    "seat 2 walks 3 steps to a corner": Moved(Seat(2), 3, Stop(5)),
    "seat 2 stays at row 2": Moved(Seat(2), 0, Stop(6)),
    "seat 1 takes Ya1 from c2": Took(Seat(1), C2, YA1, used_accio=False),
    "seat 1 takes Accio from c2 with Accio": Took(Seat(1), C2, ACCIO, used_accio=True),
    "seat 3 loses Ya2 to Vanesco, under the draw pile": Lost(Seat(3), YA2, under_pile=True),
    "seat 3 loses Ya2 to Vanesco, out of the game": Lost(Seat(3), YA2, under_pile=False),
    "seat 0 looks into its cauldron: Ya1 Ya2": Looked(Seat(0), (YA1, YA2)),
    "the game ends: line emptied, by seat 1": GlastonburyEnded(Ending.LINE_EMPTIED, Seat(1)),
    "the game ends: dead end": GlastonburyEnded(Ending.DEAD_END, None),
}
"""What is said, word for word."""


@pytest.mark.parametrize(("text", "event"), GLASTONBURY.items(), ids=GLASTONBURY)
def test_words_of_glastonbury(text: str, event: Event) -> None:
    assert story_of(GAMES["glastonbury"]).sentence(event) == text


def test_words_of_kupferkessel() -> None:
    tell = story_of(GAMES["kupferkessel"]).sentence
    drew = kupferkessel.DrewStartCard
    assert tell(drew(Seat(0), COPPER["Wa1"], kept=True)) == "seat 0 starts with Wa1"
    under = "seat 1 starts with Wa2, which goes under the draw pile"
    assert tell(drew(Seat(1), COPPER["Wa2"], kept=False)) == under


def test_secret_moves_look_covered_to_the_others() -> None:
    glastonbury, gargon = story_of(GAMES["glastonbury"]), story_of(GAMES["gargon"])
    assert glastonbury.covered(glastonbury_move("immuto Oa")) == "immuto"
    assert glastonbury.covered(glastonbury_move("take c2")) is None
    assert gargon.covered(gargon_move("play RRY")) == "play"
    assert gargon.covered(gargon_move("pick R9 R0")) == "pick"
    assert gargon.covered(gargon_move("battle R")) is None
    kupferkessel = GAMES["kupferkessel"]
    assert story_of(kupferkessel).covered(kupferkessel.parse_move("take c2")) is None
