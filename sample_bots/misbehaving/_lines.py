"""What most of these bots share: decisions from standard input, answers to standard output."""

import json
import sys
from collections.abc import Iterator
from typing import Any


def decisions() -> Iterator[dict[str, Any]]:
    """Return every decision that is put to this bot."""
    for line in sys.stdin:
        message = json.loads(line)
        if "decision" in message:
            yield message["decision"]


def submit(decision: dict[str, Any], move: Any = None) -> None:
    """Answer a decision, with its first legal move unless told otherwise."""
    answer = {
        "match": decision["match"],
        "decision_id": decision["decision_id"],
        "move": decision["legal_moves"][0] if move is None else move,
    }
    print(json.dumps({"submit_move": answer}), flush=True)
