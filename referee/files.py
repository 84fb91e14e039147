"""Files that are there completely or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import Final

TEMPORARY: Final = re.compile(r"\..+\.[0-9a-f]{16}")
"""The name of a file that is being written; one that is left over belongs to nobody."""


def write_whole(path: Path, data: bytes, *, durable: bool = True, private: bool = False) -> None:
    """Write a file under another name and rename it when it is complete; raises OSError.

    It is durable once it will survive a power cut, and private if only its owner can read it.
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
