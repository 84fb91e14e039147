"""Answers its first decision with 50 MB without a line feed, and then plays on properly."""

import sys

from _lines import decisions, submit

for number, decision in enumerate(decisions()):
    if number == 0:
        for _ in range(50):
            sys.stdout.write("x" * 1_000_000)
        print(flush=True)
    submit(decision)
