"""A pipe bot that ends a process by SIGKILL when it has lost, or is about to lose.

python killer.py MODE LOG: for every process that it ends it writes a line to LOG first.

told      ends its worker when it is told that it has lost
worker    ends its worker in the middle of about half of its matches, and of their repetitions
itself    ends itself in the middle of as many matches
"""

import hashlib
import json
import os
import signal
import sys
from pathlib import Path

mode, log = sys.argv[1:]


def kill(pid: int, match: str) -> None:
    with Path(log).open("a", encoding="utf-8") as file:
        file.write(f"{match}\n")
    os.kill(pid, signal.SIGKILL)


seat = 0
for line in sys.stdin:
    said = json.loads(line)
    if started := said.get("match_started"):
        seat = started["seat"]
    if asked := said.get("decision"):
        match = asked["match"]
        losing = hashlib.sha256(match.encode()).digest()[0] % 2
        if losing and asked["decision_id"] >= 6 and mode in ("worker", "itself"):
            kill(os.getppid() if mode == "worker" else os.getpid(), match)
        answer = {
            "match": match,
            "decision_id": asked["decision_id"],
            "move": asked["legal_moves"][0],
        }
        print(json.dumps({"submit_move": answer}), flush=True)
    if (ended := said.get("match_ended")) and mode == "told":
        places = ended["places"]
        if places and places[seat] != 1:
            kill(os.getppid(), ended["match"])
