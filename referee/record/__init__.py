"""The record of a match: written while it is played, and checked by playing it again.

``docs/reference/record-format.md`` describes the lines, their keys and their hashes.

    recorder = Recorder(game, options, seed, salt, "m1", seats, time_control, policy)
    recorder.decision(1, seat, "take c2", 3.41, 6)
    …
    recorder.end("line_emptied", outcome.scores, outcome.places)
    write_record(folder, "m1", recorder.data())
    print(verify_record(read_record(folder / "m1.jsonl")))
"""

from __future__ import annotations

from referee.record.format import (
    FORMAT,
    LARGEST_RECORD,
    LONGEST_LINE,
    LONGEST_QUOTE,
    STOPPED,
    RecordError,
    RecordWriteError,
    commitment,
    places_with_forfeits,
    printable,
)
from referee.record.reader import (
    Line,
    Origin,
    Record,
    compressed,
    decompressed,
    final_hash,
    read_record,
)
from referee.record.repository import FolderRepository, MatchEntry, MatchRepository
from referee.record.terms import Terms, read_terms
from referee.record.verify import (
    Played,
    Position,
    Replay,
    Summary,
    Verified,
    replay_record,
    verify_record,
    verify_whole,
)
from referee.record.writer import Recorder, write_record

__all__ = [
    "FORMAT",
    "LARGEST_RECORD",
    "LONGEST_LINE",
    "LONGEST_QUOTE",
    "STOPPED",
    "FolderRepository",
    "Line",
    "MatchEntry",
    "MatchRepository",
    "Origin",
    "Played",
    "Position",
    "Record",
    "RecordError",
    "RecordWriteError",
    "Recorder",
    "Replay",
    "Summary",
    "Terms",
    "Verified",
    "commitment",
    "compressed",
    "decompressed",
    "final_hash",
    "places_with_forfeits",
    "printable",
    "read_record",
    "read_terms",
    "replay_record",
    "verify_record",
    "verify_whole",
    "write_record",
]
