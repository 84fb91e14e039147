"""When a tournament whose schedule grows has shown enough."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

LEADER: Final = "leader"
ALL: Final = "all"
DIFFERENCE: Final = "difference"
"""What a comparison of two entrants asks for; it is no value of ``stop_when``."""
_TOP: Final = re.compile(r"top ([1-9][0-9]{0,3})")


def is_question(text: str) -> bool:
    """Return whether ``stop_when`` can have this value."""
    return text in (LEADER, ALL) or bool(_TOP.fullmatch(text))


@dataclass(frozen=True, slots=True)
class StopRule:
    """The question that a tournament is to settle, and how far it may go for that."""

    question: str
    """"leader", "top N", "all", or "difference" in a comparison."""
    confidence: float = 0.95
    """That nothing is settled wrongly, at whichever moment it stops."""
    max_sets: int = 100
    """How many sets a table has at most."""
    margin: float | None = None
    """In a comparison: it also stops when the difference is known to be at most this."""

    @property
    def top(self) -> int | None:
        """How many entrants must be ahead of all others; None where that is not the question."""
        if self.question == LEADER:
            return 1
        found = _TOP.fullmatch(self.question)
        return int(found[1]) if found else None

    def identity(self) -> dict[str, Any]:
        """Return, as JSON values, what the identity of a tournament has of it."""
        return {
            "stop_when": self.question,
            "confidence": self.confidence,
            "margin": self.margin,
            "max_sets": self.max_sets,
        }
