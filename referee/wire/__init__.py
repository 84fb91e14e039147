"""The messages of the protocol: encoders and parsers, binary and JSON, with a codec per game."""

from __future__ import annotations

from referee.wire.codec import Codec, WireError, find_codec, view_fields
from referee.wire.messages import LONGEST_ANSWER

__all__ = [
    "LONGEST_ANSWER",
    "Codec",
    "WireError",
    "find_codec",
    "view_fields",
]
