"""JSON that is read where somebody looks: it is what it would be if all of it were read."""

from __future__ import annotations

import pickle
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.league.unread import Unread, cut, with_unread

plain = st.none() | st.booleans() | st.integers(-(2**31), 2**31) | st.text()
values = st.recursive(
    plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30
)
objects = st.dictionaries(st.text(), values)


def read(value: Any) -> Any:
    """Read everything."""
    return {key: read(value[key]) for key in value} if isinstance(value, Unread) else value


@given(objects, st.integers(0, 100))
def test_nothing_is_lost_however_it_is_cut(value: dict[str, Any], longest: int) -> None:
    unread = Unread(cut(value, longest))
    assert read(unread) == value
    assert orjson.loads(unread.as_json()) == value
    assert list(unread) == list(value)
    assert bool(unread) == bool(value)
    written = orjson.dumps({"a": [unread, 1]}, default=with_unread)
    assert orjson.loads(written) == {"a": [value, 1]}
    kept = pickle.loads(pickle.dumps(cut(value, longest)))  # noqa: S301  made here
    assert read(Unread(kept)) == value


def test_only_long_objects_are_cut() -> None:
    unread = Unread(cut({"short": {"a": 1}, "long": {"b": "x" * 50}, "list": ["y" * 50]}, 40))
    assert unread["short"] == {"a": 1}
    assert isinstance(unread["long"], Unread)
    assert unread["long"]["b"] == "x" * 50
    assert unread["list"] == ["y" * 50]


def test_it_can_be_asked_for_what_there_is_not() -> None:
    unread = Unread(cut({"a": {"b": 1}}, 0))
    assert "b" in unread["a"]
    assert "a" not in unread["a"]
    assert unread.get("c", 7) == 7
    with pytest.raises(KeyError):
        unread["c"]


def test_whatever_else_cannot_be_written_is_refused() -> None:
    with pytest.raises(TypeError):
        orjson.dumps({"a": object()}, default=with_unread)
