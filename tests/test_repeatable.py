"""What is tested today is tested tomorrow: no example of a property test comes by chance."""

from __future__ import annotations

import importlib
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import PROFILE


def examples() -> list[tuple[int, str, bytes]]:
    """Return the examples that a property test is given."""
    seen: list[tuple[int, str, bytes]] = []

    @settings(max_examples=200)
    @given(st.integers(), st.text(), st.binary())
    def note(number: int, text: str, data: bytes) -> None:
        seen.append((number, text, data))

    note()
    return seen


@pytest.mark.skipif(PROFILE != "repeat", reason="exploring wants other examples")
def test_examples_depend_neither_on_chance_nor_on_what_was_imported_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = examples()
    random.seed()
    constants = [f"name_{number} = {number}, 'text {number}'" for number in range(3000, 3500)]
    (tmp_path / "imported_meanwhile.py").write_text("\n".join(constants), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("imported_meanwhile")
    assert examples() == first
    assert len(set(first)) > 100
