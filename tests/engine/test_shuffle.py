"""The shuffle: specified in docs/reference/record-format.md, repeated here by hand."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from engine.errors import SeedError
from engine.registry import GAMES
from engine.shuffle import Chance, Seed, seed_from_text, shuffled
from tests.naive.glastonbury import shuffled as naive_shuffled

VECTORS = Path(__file__).parent.parent / "data" / "shuffle.json"
SEED = seed_from_text("7")


def test_the_stream_is_sha_256_in_counter_mode() -> None:
    chance = Chance(SEED, "purpose")
    block = hashlib.sha256(bytes(31) + b"\x07" + b"purpose" + b"\x00" + bytes(8)).hexdigest()
    words = [int(block[i : i + 8], 16) for i in range(0, 64, 8)]
    assert [chance.below(2**32) for _ in words] == words
    second = hashlib.sha256(bytes(31) + b"\x07purpose\x00" + bytes(7) + b"\x01").hexdigest()
    assert chance.below(2**32) == int(second[:8], 16)


def test_words_above_the_last_multiple_are_dropped() -> None:
    """With a bound just above half of the range about half of the words must be dropped."""
    bound = 2**31 + 1
    words = Chance(SEED, "rejection")
    kept = [word for word in (words.below(2**32) for _ in range(64)) if word < bound]
    assert 10 < len(kept) < 54
    chance = Chance(SEED, "rejection")
    assert [chance.below(bound) for _ in kept] == kept


def test_every_order_of_three_is_equally_likely() -> None:
    orders = Counter(shuffled("abc", seed_from_text(str(n)), "orders") for n in range(6000))
    assert len(orders) == 6
    # Six cells of 1000 expected: 5 standard deviations are about 144.
    assert all(abs(count - 1000) < 145 for count in orders.values())


def test_purposes_are_independent() -> None:
    assert shuffled(range(50), SEED, "one") != shuffled(range(50), SEED, "two")


def test_vectors_for_other_languages_hold(update: bool) -> None:
    """The file is written by the naive shuffle, and the engine deals the same."""
    game = GAMES["glastonbury"]
    if update:
        rows = []
        for text in ("0", "1", "7", "ff" * 32):
            seed = seed_from_text(text)
            plain = [str(n) for n in range(20)]
            kind = game.spec.options(4, {"recipes": True})
            names = game.describe_deal(kind, seed)["cards"]
            assert isinstance(names, list)
            deck = [f"{c}{k}{v}" for c in "YGRBOPWNS" for k in "ab" for v in "1234"]
            for spell, copies in (
                ("Immuto", 2),
                ("Accio", 2),
                ("Declinatio", 2),
                ("Perluceo", 2),
                ("Vanesco", 4),
            ):
                deck += [spell] * copies
            rows += [
                {
                    "seed": seed.hex(),
                    "purpose": "test",
                    "items": plain,
                    "shuffled": naive_shuffled(seed, "test", plain),
                },
                {
                    "seed": seed.hex(),
                    "purpose": "glastonbury/deck",
                    "items": deck,
                    "shuffled": naive_shuffled(seed, "glastonbury/deck", deck),
                },
            ]
        lines = ",\n".join(json.dumps(row) for row in rows)
        VECTORS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert len(vectors) == 8
    for row in vectors:
        seed = Seed(bytes.fromhex(row["seed"]))
        assert list(shuffled(row["items"], seed, row["purpose"])) == row["shuffled"]
        if row["purpose"] == "glastonbury/deck":
            dealt = game.describe_deal(game.spec.options(4, {}), seed)
            assert dealt["cards"] == row["shuffled"]


@pytest.mark.parametrize(
    ("text", "seed"),
    [
        ("0", bytes(32)),
        ("258", bytes(30) + b"\x01\x02"),
        ("ab" * 32, b"\xab" * 32),
        ("AB" * 32, b"\xab" * 32),
        (str(2**256 - 1), b"\xff" * 32),
        ("007", bytes(31) + b"\x07"),
    ],
)
def test_seeds_are_numbers_or_64_hex_digits(text: str, seed: bytes) -> None:
    assert seed_from_text(text) == seed


BLANKS = [" ", " 7", "7 ", "7\n", "1_000", "\u00a07", "ab " * 21 + "a", " " * 64, f"{'ab' * 31} a"]
OTHER_DIGITS = ["+7", "\u0663", "\u00b2", "7.0", "1e3", "ab" * 31, "\uff11" * 64]


@pytest.mark.parametrize(
    "text",
    ["", "-1", "seven", "0x7", "g" * 64, str(2**256), "9" * 10_000, *BLANKS, *OTHER_DIGITS],
)
def test_other_text_is_no_seed(text: str) -> None:
    with pytest.raises(SeedError, match="give a whole number from 0 such as 7, or 64 hex"):
        seed_from_text(text)
