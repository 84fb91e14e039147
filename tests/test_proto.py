"""The generated messages are those of the .proto files, and agree with the engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from highstreet.v1 import glastonbury_pb2 as pb

from engine.glastonbury.cards import CARD_NAMES, INGREDIENT_NAMES

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


def test_cards_and_ingredients_have_the_engines_numbers() -> None:
    cards = {value.number: value.name for value in pb.GlastonburyCard.DESCRIPTOR.values}
    assert cards.pop(0) == "GLASTONBURY_CARD_UNSPECIFIED"
    assert cards == {
        number: f"GLASTONBURY_CARD_{name.upper()}"
        for number, name in enumerate(CARD_NAMES)
        if number
    }
    kinds = {value.number: value.name for value in pb.GlastonburyIngredient.DESCRIPTOR.values}
    assert kinds.pop(0) == "GLASTONBURY_INGREDIENT_UNSPECIFIED"
    assert kinds == {
        number + 1: f"GLASTONBURY_INGREDIENT_{name.upper()}"
        for number, name in enumerate(INGREDIENT_NAMES)
    }
