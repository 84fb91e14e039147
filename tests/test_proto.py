"""The generated messages are those of the .proto files, and agree with the engine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from highstreet.v1 import error_pb2
from highstreet.v1.festo_pb2 import Festo as festo  # noqa: N813  a namespace
from highstreet.v1.gargon_pb2 import Gargon as gargon  # noqa: N813  a namespace
from highstreet.v1.glastonbury_pb2 import Glastonbury as game  # noqa: N813  a namespace
from highstreet.v1.kupferkessel_pb2 import Kupferkessel as kupferkessel  # noqa: N813  likewise

from engine.festo import cards as festo_cards
from engine.gargon import cards as gargon_cards
from engine.glastonbury.cards import CARD_NAMES, INGREDIENT_NAMES
from engine.kupferkessel import cards as kupferkessel_cards

ROOT = Path(__file__).parent.parent
COMMITTED = ROOT / "proto" / "gen" / "python"


def test_the_generated_code_is_not_stale(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "proto" / "generate.py", tmp_path], check=True)
    fresh = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*.py*")}
    committed = {
        p.relative_to(COMMITTED): p.read_bytes()
        for p in COMMITTED.rglob("*.py*")
        if "__pycache__" not in p.parts
    }
    assert fresh == committed, "run make proto"


def test_the_reference_pages_are_not_stale(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "proto" / "document.py", tmp_path], check=True)
    for page in tmp_path.iterdir():
        committed = ROOT / "docs" / "reference" / page.name
        assert committed.read_text(encoding="utf-8") == page.read_text(encoding="utf-8"), (
            "run make proto"
        )


def test_every_element_of_the_protocol_is_explained() -> None:
    text = (ROOT / "docs" / "reference" / "protocol.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) > 150
    assert not [row for row in rows if row.rstrip().endswith("|  |")]


def test_cards_and_ingredients_have_the_engines_numbers() -> None:
    cards = {value.number: value.name for value in game.Card.DESCRIPTOR.values}
    assert cards.pop(0) == "CARD_UNSPECIFIED"
    assert cards == {n: f"CARD_{name.upper()}" for n, name in enumerate(CARD_NAMES) if n}
    kinds = {value.number: value.name for value in game.Ingredient.DESCRIPTOR.values}
    assert kinds.pop(0) == "INGREDIENT_UNSPECIFIED"
    assert kinds == {n: f"INGREDIENT_{name.upper()}" for n, name in enumerate(INGREDIENT_NAMES, 1)}


def test_cards_and_recipes_of_kupferkessel_have_the_engines_numbers() -> None:
    cards = {value.number: value.name for value in kupferkessel.Card.DESCRIPTOR.values}
    assert cards.pop(0) == "CARD_UNSPECIFIED"
    names = kupferkessel_cards.CARD_NAMES
    assert cards == {n: f"CARD_{name.upper()}" for n, name in enumerate(names) if n}
    recipes = {value.number: value.name for value in kupferkessel.Recipe.DESCRIPTOR.values}
    assert recipes.pop(0) == "RECIPE_UNSPECIFIED"
    words = [name.split(":") for name in kupferkessel_cards.RECIPE_NAMES]
    colours = kupferkessel_cards.COLOUR_NAMES
    written = [
        "_".join(["RECIPE", word, *[colours[letter] for letter in of]]) for word, *of in words
    ]
    assert recipes == {n: name.upper() for n, name in enumerate(written) if n}


def test_cards_and_colours_of_gargon_have_the_engines_numbers() -> None:
    cards = {value.number: value.name for value in gargon.Card.DESCRIPTOR.values}
    assert cards.pop(0) == "CARD_UNSPECIFIED"
    names = [name.replace("?", "_BACK") for name in gargon_cards.CARD_NAMES]
    assert cards == {n: f"CARD_{name}" for n, name in enumerate(names) if n}
    colours = {value.number: value.name for value in gargon.Colour.DESCRIPTOR.values}
    assert colours.pop(0) == "COLOUR_UNSPECIFIED"
    words = gargon_cards.COLOUR_NAMES
    assert colours == {n: f"COLOUR_{word.upper()}" for n, word in enumerate(words, 1)}


def test_cubes_spots_and_dishes_of_festo_have_the_engines_numbers() -> None:
    for enum, prefix, names in (
        (festo.Cube, "CUBE", festo_cards.CUBE_NAMES),
        (festo.Spot, "SPOT", festo_cards.SPOT_NAMES),
        (festo.Dish, "DISH", festo_cards.DISH_NAMES[1:]),
        (festo.Category, "CATEGORY", festo_cards.CATEGORY_NAMES),
        (festo.Token, "TOKEN", festo_cards.TOKEN_NAMES),
        (festo.EventCard, "EVENT_CARD", festo_cards.EVENT_NAMES[1:]),
    ):
        values = {value.number: value.name for value in enum.DESCRIPTOR.values}
        assert values.pop(0) == f"{prefix}_UNSPECIFIED"
        words = [name.upper().replace("-", "_") for name in names]
        assert values == {n: f"{prefix}_{word}" for n, word in enumerate(words, 1)}


def test_every_error_that_the_server_sends_is_in_the_contract() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "referee").rglob("*.py")]
    used = {name for text in sources for name in re.findall(r"ERROR_REASON_[A-Z_]+", text)}
    used.discard("ERROR_REASON_")
    assert len(used) > 8
    assert used <= set(error_pb2.ErrorReason.keys())
