"""Answers with a move that can be read but is illegal, also when that was rejected.

The cell a1 is a corner and never has a card.
"""

import json
import sys

from _lines import submit

for line in sys.stdin:
    message = json.loads(line)
    if question := message.get("decision") or message.get("move_rejected"):
        submit(question, {"glastonbury": {"take": 0}})
