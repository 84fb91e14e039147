"""The smallest bot: over a pipe, with nothing but the standard library."""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "goodbye" in message:
        break
    if decision := message.get("decision"):
        answer = {
            "match": decision["match"],
            "decision_id": decision["decision_id"],
            "move": random.choice(decision["legal_moves"]),
        }
        print(json.dumps({"submit_move": answer}), flush=True)
