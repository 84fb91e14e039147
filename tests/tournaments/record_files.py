"""Records for tests: real ones, large ones, and lines that are sealed by hand."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.game import Seat
from engine.registry import AnyGame, find_game
from engine.shuffle import seed_from_text
from referee.devkit.random_play import random_game
from referee.record.writer import Recorder

GAME = find_game("glastonbury")
HIGHSTREET = str(Path(sys.executable).parent / "highstreet")

_LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
os.execv(sys.argv[2], sys.argv[2:])
"""


def with_small_files(most: int) -> list[str]:
    """Return a command that runs ours where no file can have more bytes than that."""
    return [sys.executable, "-c", _LIMITED, str(most), HIGHSTREET]


def record(
    match: str,
    *entrants: str,
    game: AnyGame = GAME,
    options: Mapping[str, Any] | None = None,
    verdicts: int = 0,
    **about: Any,
) -> bytes:
    """Return the record of a random match; each unforced decision has a number of verdicts."""
    kind = game.spec.options(len(entrants), options)
    played = random_game(game, kind, seed_from_text("7"))
    seats = [{"entrant": name} for name in entrants]
    policy = {"rejections": verdicts}
    recorder = Recorder(game, kind, played.seed, b"salt", match, seats, {}, policy, about)
    verdict = {"fault": "malformed", "reaction": "reject", "said": "x" * 900, "detail": "", "ms": 1}
    for n, (seat, legal, move) in enumerate(played.decisions, 1):
        ms, said = (0, 0) if legal == 1 else (1.25 + n, verdicts)
        recorder.decision(n, seat, game.format_move(move), ms, legal, [verdict] * said)
    outcome = played.outcome
    recorder.end(str(outcome.ending), outcome.scores, outcome.places, tiebreaks=outcome.tiebreaks)
    return recorder.data()


def void_record(match: str) -> bytes:
    """Return the record of a match that was stopped after its first decision."""
    kind = GAME.spec.options(2)
    seats = [{"entrant": "ann"}, {"entrant": "bob"}]
    recorder = Recorder(GAME, kind, seed_from_text("0"), b"", match, seats, {}, {})
    recorder.decision(1, Seat(0), "take c2", 1, 6)
    stop = {"seat": None, "fault": "stopped", "cause": "machine", "n": None, "detail": "a test"}
    recorder.end("stopped", causes=[stop])
    return recorder.data()


def lines_of(data: bytes) -> list[dict[str, Any]]:
    """Return the lines of a record without their hashes."""
    lines = [json.loads(line) for line in data.splitlines()]
    for fields in lines:
        del fields["hash"]
    return lines


def sealed(lines: Sequence[Mapping[str, Any]]) -> bytes:
    """Write lines with their hashes, as docs/reference/record-format.md says."""
    written, before = [], ""
    for fields in lines:
        body = json.dumps(fields, separators=(",", ":"))
        digest = hashlib.sha256((before + body).encode()).hexdigest()
        before = digest if fields.get("kind") == "end" else digest[:16]
        written.append(f'{body[:-1]},"hash":"{before}"}}\n')
    return "".join(written).encode()
