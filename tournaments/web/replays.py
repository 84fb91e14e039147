"""Replays made in a process of their own; it imports no more than it needs, to be there soon."""

from __future__ import annotations

from typing import Final

import orjson
import zstandard

from tournaments.web.replay import replay_document

LONGEST_RECORD: Final = 64 * 1024 * 1024


def unpacked(record: bytes) -> bytes:
    """Return a record as it was before it was compressed."""
    with zstandard.ZstdDecompressor().stream_reader(record) as reader:
        return reader.read(LONGEST_RECORD)


def replay_json(record: bytes) -> bytes:
    """Return a compressed record as the player of replays wants it."""
    return orjson.dumps(replay_document(unpacked(record)))
