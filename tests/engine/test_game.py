"""Specs, options, outcomes, the registry and the one door of the engine."""

from __future__ import annotations

import ast
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.errors import OptionsError, UnknownGameError, UsageError
from engine.game import Option, Options, Outcome
from engine.registry import GAMES, find_game

GLASTONBURY = find_game("glastonbury").spec


class End(StrEnum):
    """An ending for tests."""

    DONE = "done"


@pytest.mark.parametrize(
    ("scores", "places"),
    [
        ((31, 12, -4, 8), (1, 2, 4, 3)),
        ((5, 5, 3), (1, 1, 3)),
        ((0, 7, 7, 9), (4, 2, 2, 1)),
        ((1, 1), (1, 1)),
    ],
)
def test_places_are_competition_ranks(scores: tuple[int, ...], places: tuple[int, ...]) -> None:
    assert Outcome(End.DONE, scores).places == places


def test_options_are_filled_in_and_frozen() -> None:
    options = GLASTONBURY.options(3, {"recipes": True})
    assert dict(options) == {
        "seats": 3,
        "recipes": True,
        "colours": "YGRB",
        "dead_end_counts_as_end": True,
    }
    assert options == GLASTONBURY.options(3, {"recipes": True})
    assert hash(options) == hash(GLASTONBURY.options(3, {"recipes": True}))
    assert options != GLASTONBURY.options(3)
    assert len(options) == 4
    assert repr(options).startswith("Options(seats=3, recipes=True")
    with pytest.raises(AttributeError):
        options.seats = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"fog": False, "level": "1", "colours": "YG"}, "plain"),
        ({"fog": True, "level": "1", "colours": "GY"}, "fog"),
        ({"fog": False, "level": "3", "colours": "YG"}, "level=3"),
        ({"fog": True, "level": "3", "colours": "YG"}, "fog+level=3"),
    ],
)
def test_a_variant_is_named_by_what_is_not_at_its_default(
    values: dict[str, bool | str], name: str
) -> None:
    offered = (
        Option("fog", False, "", variant=True),
        Option("level", "1", "", variant=True),
        Option("colours", "YG", ""),
    )
    assert replace(GLASTONBURY, options_offered=offered).variant_name(values) == name


@pytest.mark.parametrize(
    ("seats", "given", "message"),
    [
        (5, {}, "Glastonbury is for 2, 3 or 4 seats, not for 5."),
        (1, {}, "Glastonbury is for 2, 3 or 4 seats, not for 1."),
        (True, {}, "Glastonbury is for 2, 3 or 4 seats, not for True."),
        (
            4,
            {"recipe": True},
            (
                'Glastonbury has no option "recipe". Did you mean "recipes"? '
                "Its options are recipes, colours, dead_end_counts_as_end."
            ),
        ),
        (
            4,
            {"speed": True},
            (
                'Glastonbury has no option "speed". '
                "Its options are recipes, colours, dead_end_counts_as_end."
            ),
        ),
        (4, {"recipes": 1}, "recipes is 1, but must be true or false."),
        (4, {"colours": 4}, "colours is 4, but must be text."),
        (
            2,
            {"colours": "YY"},
            (
                'colours is "YY", but must be 2 different letters of YGRB, '
                "one for each seat, such as YG."
            ),
        ),
        (
            3,
            {"colours": "YG"},
            (
                'colours is "YG", but must be 3 different letters of YGRB, '
                "one for each seat, such as YGR."
            ),
        ),
        (
            2,
            {"colours": "YO"},
            (
                'colours is "YO", but must be 2 different letters of YGRB, '
                "one for each seat, such as YG."
            ),
        ),
    ],
)
def test_bad_options_are_refused_with_what_would_be_right(
    seats: int, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionsError) as caught:
        GLASTONBURY.options(seats, given)
    assert str(caught.value) == message


def test_a_spec_for_one_number_of_seats_says_so() -> None:
    spec = engine.GameSpec("solo", "Solo", "1", (1,), (), End, ("choose",), 1)
    with pytest.raises(OptionsError, match="Solo is for 1 seats, not for 2"):
        spec.options(2)
    assert [dict(kind) for kind in spec.kinds()] == [{"seats": 1}]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("recipes", "true", True),
        ("recipes", "No", False),
        ("colours", "BR", "BR"),
    ],
)
def test_options_are_read_as_their_type(name: str, text: str, value: object) -> None:
    assert GLASTONBURY.option(name).read(text) == value


def test_a_switch_is_true_or_false() -> None:
    with pytest.raises(OptionsError, match='recipes is "perhaps", but must be true or false'):
        GLASTONBURY.option("recipes").read("perhaps")


def test_kinds_are_every_number_of_seats_with_every_variant() -> None:
    kinds = [(kind.seats, kind["recipes"]) for kind in GLASTONBURY.kinds()]
    assert kinds == [(2, False), (2, True), (3, False), (3, True), (4, False), (4, True)]


def test_an_unknown_game_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownGameError) as caught:
        find_game("glastonbry")
    assert 'no game called "glastonbry". Did you mean "glastonbury"?' in str(caught.value)
    assert isinstance(caught.value, UsageError)
    with pytest.raises(UnknownGameError, match=r'no game called "chess"\. The games are glast'):
        find_game("chess")


def test_games_are_registered_under_their_own_names() -> None:
    assert all(name == game.spec.name for name, game in GAMES.items())
    assert all(isinstance(kind, Options) for game in GAMES.values() for kind in game.spec.kinds())


def test_the_door_of_the_engine_is_what_it_exports() -> None:
    public = {name for name in vars(engine) if not name.startswith("_")} | {"__version__"}
    modules = {path.stem for path in Path(engine.__file__).parent.iterdir()}
    assert set(engine.__all__) == public - modules
    assert len(set(engine.__all__)) == len(engine.__all__)


ALLOWED = {
    "collections",
    "dataclasses",
    "difflib",
    "enum",
    "functools",
    "hashlib",
    "itertools",
    "operator",
    "struct",
    "types",
    "typing",
}


def test_the_engine_imports_only_what_is_pure() -> None:
    """import-linter forbids a list; this allows one, so that nothing new slips in."""
    imported = set()
    for path in Path(engine.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    assert imported - {"engine", "__future__"} <= ALLOWED
