"""A pipe bot that plays the first legal move, and notes every deal that its process sees.

The first argument is the folder for its notes: a file for each process, a line for each match with
the board of its first decision.
"""

import json
import os
import sys
from pathlib import Path

notes = Path(sys.argv[1]) / str(os.getpid())
seen = set()
for line in sys.stdin:
    asked = json.loads(line).get("decision")
    if asked:
        if asked["match"] not in seen:
            seen.add(asked["match"])
            board = " ".join(asked["glastonbury"]["view"]["board"])
            with notes.open("a", encoding="utf-8") as file:
                file.write(f"{asked['match']} {board}\n")
        answer = {
            "match": asked["match"],
            "decision_id": asked["decision_id"],
            "move": asked["legal_moves"][0],
        }
        print(json.dumps({"submit_move": answer}), flush=True)
