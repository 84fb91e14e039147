"""A trivial UCI engine for fastchess; the standard library only, to start fast.

It knows no chess. A knight goes out and comes back, and after each such pair a pawn of its own
takes a step, so that no position comes a third time before the 79th ply. All of these moves are
legal whatever the other side does, if the other side is this program too.
"""

from __future__ import annotations

import sys

KNIGHTS = (("g1", "f3"), ("g8", "f6"))
FILES = "abcdeh"
"""The pawns that move: those of the other files would be in the knight's way."""
PAWN_STEPS = 2 * len(FILES)


def move(plies: int) -> str:
    """Return what to play after ``plies`` plies."""
    own, side = divmod(plies, 2)
    turn, what = divmod(own, 3)
    home, out = KNIGHTS[side]
    if turn >= PAWN_STEPS:  # only until the third repetition
        return home + out if (own - 3 * PAWN_STEPS) % 2 == 0 else out + home
    if what < 2:
        return home + out if what == 0 else out + home
    file, rank = FILES[turn % len(FILES)], 2 + turn // len(FILES)
    return f"{file}{rank}{file}{rank + 1}" if side == 0 else f"{file}{9 - rank}{file}{8 - rank}"


def main() -> None:
    """Speak UCI on the standard streams."""
    out = sys.stdout
    plies = 0
    for line in sys.stdin:
        command, *rest = line.split() or [""]
        if command == "position":
            plies = len(rest) - 2 if "moves" in rest else 0
        elif command == "go":
            out.write(f"bestmove {move(plies)}\n")
        elif command == "isready":
            out.write("readyok\n")
        elif command == "uci":
            out.write("id name knights\nid author highstreet\nuciok\n")
        elif command == "quit":
            return
        out.flush()


if __name__ == "__main__":
    main()
