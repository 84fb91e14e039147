"""Our own chance: the same seed gives the same order on every machine and Python version.

``docs/reference/record-format.md`` specifies it for other languages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from struct import unpack
from typing import NewType, TypeVar

from engine.errors import SeedError

Seed = NewType("Seed", bytes)
"""32 bytes from which everything that is left to chance follows."""

SEED_BYTES = 32
SEEDS = 2 ** (8 * SEED_BYTES)
"""How many seeds there are."""
WORD_RANGE = 2**32

_DIGITS = frozenset("0123456789")
_HEX_DIGITS = _DIGITS | frozenset("abcdefABCDEF")
_MOST_DIGITS = len(str(SEEDS))

T = TypeVar("T")


class Chance:
    """A stream of numbers that a seed and a purpose determine."""

    def __init__(self, seed: Seed, purpose: str) -> None:
        self._words = _words(seed + purpose.encode("ascii") + b"\0")

    def below(self, bound: int) -> int:
        """Return the next number of the stream, uniform over 0 … bound - 1."""
        limit = WORD_RANGE - WORD_RANGE % bound
        word = next(self._words)
        while word >= limit:
            word = next(self._words)
        return word % bound


def shuffled(items: Sequence[T], seed: Seed, purpose: str) -> tuple[T, ...]:
    """Return the items in the order that the seed gives for this purpose."""
    chance = Chance(seed, purpose)
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        j = chance.below(i + 1)
        result[i], result[j] = result[j], result[i]
    return tuple(result)


def seed_from_text(text: str) -> Seed:
    """Read 64 hexadecimal digits, or a whole number that stands for the seed of that value."""
    if len(text) == 2 * SEED_BYTES and _HEX_DIGITS.issuperset(text):
        return Seed(bytes.fromhex(text))
    if 0 < len(text) <= _MOST_DIGITS and _DIGITS.issuperset(text) and int(text) < SEEDS:
        return Seed(int(text).to_bytes(SEED_BYTES, "big"))
    raise SeedError(
        f'cannot read the seed "{text}": give a whole number from 0 such as 7, '
        f"or {2 * SEED_BYTES} hexadecimal digits, without blanks."
    )


def _words(key: bytes) -> Iterator[int]:
    counter = 0
    while True:
        yield from unpack(">8I", hashlib.sha256(key + counter.to_bytes(8, "big")).digest())
        counter += 1
