"""A pipe bot that ends or stops a process when it has lost, or is about to lose.

python killer.py MODE LOG: for every process that it ends or stops it writes a line to LOG first.

told      ends its worker when it is told that it has lost
worker    ends its worker in the middle of about half of its matches, and of their repetitions
itself    ends itself in the middle of as many matches
stall     stops its worker in the middle of as many matches, and lets it go on after STALL seconds
"""

import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path

STALL = 1.8
mode, log = sys.argv[1:]


def note(match: str) -> None:
    with Path(log).open("a", encoding="utf-8") as file:
        file.write(f"{match}\n")


def kill(pid: int, match: str) -> None:
    note(match)
    os.kill(pid, signal.SIGKILL)


def stall(pid: int, match: str) -> None:
    note(match)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(STALL)
    os.kill(pid, signal.SIGCONT)


seat = 0
stalled = set()
for line in sys.stdin:
    said = json.loads(line)
    if started := said.get("match_started"):
        seat = started["seat"]
    if asked := said.get("decision"):
        match = asked["match"]
        losing = hashlib.sha256(match.encode()).digest()[0] % 2
        if losing and asked["decision_id"] >= 6 and mode in ("worker", "itself"):
            kill(os.getppid() if mode == "worker" else os.getpid(), match)
        if losing and asked["decision_id"] >= 6 and mode == "stall" and match not in stalled:
            stalled.add(match)
            stall(os.getppid(), match)
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
