"""A pipe bot that always plays the same in the same situation, after the standard library only.

The first argument, a number, is its style.
"""

import json
import sys

style = int(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line).get("decision")
    if asked:
        moves = asked["legal_moves"]
        answer = {
            "match": asked["match"],
            "decision_id": asked["decision_id"],
            "move": moves[(asked["decision_id"] * style + style) % len(moves)],
        }
        print(json.dumps({"submit_move": answer}), flush=True)
