"""Answers with lines that are no JSON, no message or no text, also when they were rejected."""

import json
import sys

LINES = (
    b"Hello, referee!",
    b"{",
    b"[1, 2, 3]",
    b'"take c2"',
    b'{"submit_move": 7}',
    b'{"submit_moves": {}}',
    b'{"submit_move": {"decision_id": 1e999}}',
    b"[" * 5000,
    b"\xff\xfe\x00\x80",
)

written = 0
for line in sys.stdin:
    message = json.loads(line)
    if "decision" in message or "move_rejected" in message:
        sys.stdout.buffer.write(LINES[written % len(LINES)] + b"\n")
        sys.stdout.buffer.flush()
        written += 1
