"""Structured logs: one JSON object a line, with the standard library alone."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final

_PLAIN: Final = logging.makeLogRecord({}).__dict__.keys() | {
    "message",
    "asctime",
    "taskName",
    "color_message",
}
"""The fields of every log record; others were given with ``extra``."""


class JsonFormatter(logging.Formatter):
    """Writes a log record as one line of JSON: time, level, logger, message, extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Write it."""
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        said |= {key: value for key, value in record.__dict__.items() if key not in _PLAIN}
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        return json.dumps(said, default=str, ensure_ascii=False)


class _TextFormatter(logging.Formatter):
    """Writes a record for a person."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%d %H:%M:%S")


def log_to_stderr(*, as_json: bool) -> None:
    """Send the logs of this process to its standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if as_json else _TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)  # the proxy keeps such a log
    logging.getLogger("alembic").setLevel(logging.WARNING)
