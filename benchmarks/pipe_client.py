"""The other side of benchmarks/referee.py over pipes; the standard library only, to start fast.

python benchmarks/pipe_client.py echo    answer every line with a line as long as an answer
python benchmarks/pipe_client.py bot     play the first legal move
python benchmarks/pipe_client.py bot N   the same, after N milliseconds of CPU time
"""

from __future__ import annotations

import sys
import time

DECISION = b'{"decision":{'
MOVES = b'"legal_moves":['
SEAT = b'],"seat"'


def echo() -> None:
    """Answer every line with a line as long as a usual answer."""
    answer = b"y" * 110 + b"\n"
    out = sys.stdout.buffer
    for _ in sys.stdin.buffer:
        out.write(answer)
        out.flush()


def bot(milliseconds: str = "0") -> None:
    """Play the first legal move, without reading more of the line than that takes."""
    out, seconds = sys.stdout.buffer, float(milliseconds) / 1000
    for line in sys.stdin.buffer:
        if line.startswith(DECISION):
            end = time.process_time() + seconds if seconds else 0
            while end and time.process_time() < end:
                pass
            key = line[len(DECISION) : line.index(b',"clock"')]
            start = line.index(MOVES) + len(MOVES)
            move = line[start : line.index(SEAT, start)].partition(b',{"glastonbury"')[0]
            out.write(b'{"submit_move":{%b,"move":%b}}\n' % (key, move))
            out.flush()


if __name__ == "__main__":
    {"echo": echo, "bot": bot}[sys.argv[1]](*sys.argv[2:])
