"""Plays five decisions, and raises an exception at the sixth."""

from _lines import decisions, submit

for number, decision in enumerate(decisions()):
    if number == 5:
        raise RuntimeError("I crash on purpose.")
    submit(decision)
