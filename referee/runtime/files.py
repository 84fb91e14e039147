"""Files: atomic writes, and texts."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import Final

from engine import UsageError

TEMPORARY: Final = re.compile(r"\..+\.[0-9a-f]{16}")
"""The names of temporary files; one that is left over after a crash can be deleted."""


def write_whole(path: Path, data: bytes, *, durable: bool = True, private: bool = False) -> None:
    """Write a file under a temporary name and rename it when it is complete; raises OSError.

    ``durable`` calls fsync, so that the file survives a power cut; ``private`` sets mode 0600.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(temporary, new, 0o600 if private else 0o666), "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8; raises UsageError."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason}.") from None
