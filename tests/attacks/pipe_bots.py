"""Bots that attack over pipes; the standard library only.

python pipe_bots.py NAME [SECONDS]    attack, and answer every decision after these seconds

A write of at most 4,096 bytes to a pipe is never mixed with another one, so a thread can flood
while the bot goes on to answer properly.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

ATOMIC = 4096


def decisions() -> Iterator[dict[str, Any]]:
    """Return the decisions that come in."""
    for line in sys.stdin:
        if '"decision":' in line:
            yield json.loads(line)["decision"]


def answer(decision: dict[str, Any], number: int = 0, move: Any = None) -> bytes:
    """Write an answer to a decision, or to an earlier one."""
    said = {
        "match": decision["match"],
        "decision_id": decision["decision_id"] + number,
        "move": move or decision["legal_moves"][0],
    }
    return json.dumps({"submit_move": said}).encode() + b"\n"


def flood(chunk: bytes) -> None:
    """Write that for ever; the thread ends with the process."""

    def write() -> None:
        with contextlib.suppress(OSError):
            while True:
                os.write(1, chunk)

    threading.Thread(target=write, daemon=True).start()


def long_move(length: int) -> dict[str, Any]:
    """Return a move that makes an answer about as long as that."""
    return {"glastonbury": {"immuto": {"ingredients": [1] * (length // 3)}}}


def polite(_decision: dict[str, Any]) -> None:
    """Do nothing besides."""


def stale_long(decision: dict[str, Any]) -> None:
    """Send 64 KB answers with the right match and a wrong decision; each of them another one."""
    for number in range(20):
        sys.stdout.buffer.write(answer(decision, -1 - number, long_move(65_000 + 3 * number)))


def stale_short(decision: dict[str, Any]) -> None:
    """Send as many stale answers as are no fault, as long as a line may be."""
    for number in range(16):
        sys.stdout.buffer.write(answer(decision, 1 + number, long_move(3_900)))


def endless(_decision: dict[str, Any]) -> None:
    """Write 4 MB without a line feed, and then one."""
    sys.stdout.buffer.write(b"x" * 4_000_000 + b"\n")


FLOODS: dict[str, bytes] = {
    "blank": b"\n" * ATOMIC,
    "leave": b'{"leave":{}}\n' * (ATOMIC // 13),
}
"""What is written all the time."""
EACH: dict[str, Callable[[dict[str, Any]], None]] = {
    "stale-long": stale_long,
    "stale-short": stale_short,
    "endless": endless,
}
"""What is done before each answer."""


def main() -> None:
    """Attack, and play."""
    name, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    begun = False
    for decision in decisions():
        if name in FLOODS and not begun:
            flood(FLOODS[name])
            begun = True
        EACH.get(name, polite)(decision)
        time.sleep(seconds)
        sys.stdout.buffer.write(answer(decision))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
