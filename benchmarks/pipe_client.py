"""The other side of benchmarks/referee.py over pipes; the standard library only, to start fast.

python benchmarks/pipe_client.py echo    answer every line with a line as long as an answer
python benchmarks/pipe_client.py bot     play the first legal move
"""

from __future__ import annotations

import json
import sys


def echo() -> None:
    """Answer every line with a line as long as a usual answer."""
    answer = b"y" * 110 + b"\n"
    out = sys.stdout.buffer
    for _ in sys.stdin.buffer:
        out.write(answer)
        out.flush()


def bot() -> None:
    """Play the first legal move."""
    out = sys.stdout
    for line in sys.stdin:
        if line.startswith('{"decision"'):
            asked = json.loads(line)["decision"]
            answer = {
                "match": asked["match"],
                "decision_id": asked["decision_id"],
                "move": asked["legal_moves"][0],
            }
            out.write(json.dumps({"submit_move": answer}) + "\n")
            out.flush()


if __name__ == "__main__":
    {"echo": echo, "bot": bot}[sys.argv[1]]()
