"""Answers each decision twice, and then the decision before it once more."""

import random

from _lines import decisions, submit

before = None
for decision in decisions():
    move = random.choice(decision["legal_moves"])
    submit(decision, move)
    submit(decision, move)
    if before:
        submit(before)
    before = decision
