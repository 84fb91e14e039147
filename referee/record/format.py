"""What writers, readers and checkers of records share: limits, errors, commitments, places."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final

from engine import HighstreetError, Seat, Seed

FORMAT: Final = 1
STOPPED: Final = "stopped"
LARGEST_RECORD: Final = 64 * 2**20
"""No record has more bytes than this, however small its compressed form is."""
LONGEST_LINE: Final = 2**20
LONGEST_TEXT: Final = 200
"""No name and no move has more characters than this."""
FILE_NAME: Final = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9._-]{{0,{LONGEST_TEXT - 1}}}")
"""The id of a match is the name of its file."""
LONGEST_QUOTE: Final = 1000
"""No text in a verdict or a cause is written with more characters than this."""

LONGEST_TIME: Final = 10**12
"""No decision takes more milliseconds than this: 31 years, longer than any clock."""

SHORT_HASH: Final = 16
"""How many digits of its hash a line shows."""
FULL_HASH: Final = 64
"""How many digits the last line shows."""


class RecordError(HighstreetError):
    """A record that is wrong, with the first line that is."""

    def __init__(self, message: str, line: int | None = None) -> None:
        said = printable(message)
        super().__init__(said if line is None else f"line {line}: {said}")
        self.line = line


class RecordWriteError(HighstreetError):
    """A record that could not be written."""


def printable(text: str, most: int = 400) -> str:
    """Return untrusted text as one line without control codes, for a terminal."""
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in short)


def commitment(seed: Seed, salt: bytes) -> str:
    """Return what is published of a deal before it is played."""
    return hashlib.sha256(seed + salt).hexdigest()


def places_with_forfeits(
    scores: Sequence[int],
    forfeits: Sequence[Seat],
    tiebreaks: Sequence[Sequence[int]] = (),
) -> list[int]:
    """Return competition ranks; seats that forfeited come after all others, the last one first.

    Equal scores are compared by their tie-breaks, if the game has any.
    """
    keys = [
        (score, *tiebreaks[seat]) if tiebreaks else (score,) for seat, score in enumerate(scores)
    ]
    kept = [key for seat, key in enumerate(keys) if seat not in forfeits]
    places = [1 + sum(other > key for other in kept) for key in keys]
    for later, seat in enumerate(reversed(forfeits)):
        places[seat] = len(kept) + 1 + later
    return places
