"""Everything between a bot and the referee; you can write a bot without reading it."""

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Match:
    """A match under way."""

    def __init__(self, bot: Any) -> None:
        self.bot = bot
        self.decision_id = 0
        self.move: Any = None  # the last answer, to repeat it if the same decision comes again
        self.first: Any = None  # the first legal move, the answer if a move is rejected


def run(new_bot: Callable[[], Any]) -> None:
    """Play over standard input and output until the referee says goodbye or ends the input.

    Each match has a bot of its own. On SIGINT or SIGTERM the bot leaves: it asks for no more
    matches, and plays those under way to their end. A second signal ends it at once.
    """
    out, sys.stdout = sys.stdout, sys.stderr  # so that a bot may print what it thinks
    _on_stop_signal(out.fileno())
    matches: dict[str, Match] = {}
    for line in sys.stdin:
        message = json.loads(line)
        if "goodbye" in message:
            break
        if (request := _answer(message, matches, new_bot)) is not None:
            print(json.dumps(request), file=out, flush=True)


def _answer(
    message: dict[str, Any], matches: dict[str, Match], new_bot: Callable[[], Any]
) -> dict[str, Any] | None:
    """Let the bot of the match learn a message, and return its answer to a decision."""
    if started := message.get("match_started"):
        match = matches[started["match"]] = Match(new_bot())
        match.bot.match_started(started)
    elif decision := message.get("decision"):
        match = matches[decision["match"]]
        if match.decision_id != decision["decision_id"]:
            match.decision_id, match.first = decision["decision_id"], decision["legal_moves"][0]
            match.move = match.bot.choose(decision)
        return _submit(decision, match.move)
    elif rejected := message.get("move_rejected"):
        print("rejected:", rejected["message"])
        return _submit(rejected, matches[rejected["match"]].first)
    elif ended := message.get("match_ended"):
        matches.pop(ended["match"]).bot.match_ended(ended)
    return None


def _submit(asked: dict[str, Any], move: Any) -> dict[str, Any]:
    """Return the answer to a decision."""
    answer = {"match": asked["match"], "decision_id": asked["decision_id"], "move": move}
    return {"submit_move": answer}


def _on_stop_signal(out: int) -> None:
    """Leave on the first SIGINT or SIGTERM; a second one ends the program at once."""

    def leave(_number: int, _frame: object) -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.write(out, b'{"leave": {}}\n')

    for number in STOP_SIGNALS:
        signal.signal(number, leave)
