"""JSON that is read where somebody looks.

The standings of a league with hundreds of bots are megabytes, and a page shows a small part of
them. As Python values they would take ten times the memory, and nothing else of Python runs while
they are made, not even the clocks of the tables. So they stay JSON, in pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

import orjson

LONGEST: Final = 16 * 1024
"""An object that takes more bytes than this is cut into its members."""

Pieces: TypeAlias = "dict[str, bytes | Pieces]"
"""An object: each member as JSON, or cut up in its turn."""


def cut(value: Mapping[str, Any], longest: int = LONGEST) -> Pieces:
    """Return an object in pieces, which can be pickled."""
    found: Pieces = {}
    for key, member in value.items():
        whole = orjson.dumps(member)
        is_long = isinstance(member, dict) and len(whole) > longest
        found[key] = cut(member, longest) if is_long else whole
    return found


class Unread(Mapping[str, Any]):
    """An object whose members are made whenever somebody asks for one."""

    __slots__ = ("_pieces",)

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces

    def __getitem__(self, key: str) -> Any:
        piece = self._pieces[key]
        return Unread(piece) if isinstance(piece, dict) else orjson.loads(piece)

    def __contains__(self, key: object) -> bool:
        return key in self._pieces

    def __iter__(self) -> Iterator[str]:
        return iter(self._pieces)

    def __len__(self) -> int:
        return len(self._pieces)

    def as_json(self) -> bytes:
        """Return all of it as JSON, without reading it."""
        return _joined(self._pieces)


def with_unread(value: object) -> orjson.Fragment:
    """Write what orjson does not know: its argument ``default``."""
    if isinstance(value, Unread):
        return orjson.Fragment(value.as_json())
    raise TypeError


def _joined(pieces: Pieces) -> bytes:
    members = (
        orjson.dumps(key) + b":" + (_joined(piece) if isinstance(piece, dict) else piece)
        for key, piece in pieces.items()
    )
    return b"{" + b",".join(members) + b"}"
