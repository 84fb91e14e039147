"""A recorded match as a document and as one self-contained HTML page."""

from __future__ import annotations

from tournaments.replay.document import (
    find_presentation,
    replay_document,
    replay_json,
    view_document,
)
from tournaments.replay.page import replay_html

__all__ = [
    "find_presentation",
    "replay_document",
    "replay_html",
    "replay_json",
    "view_document",
]
