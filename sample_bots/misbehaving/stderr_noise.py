"""Plays properly, and writes 200 KB to standard error at its first decision."""

import sys

from _lines import decisions, submit

for number, decision in enumerate(decisions()):
    if number == 0:
        for _ in range(2000):
            print("thinking aloud ".ljust(99, "."), file=sys.stderr)
    submit(decision)
