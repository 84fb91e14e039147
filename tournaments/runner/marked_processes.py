"""The processes that a worker has started, found by a mark in their environment."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def kill_marked(variable: str, mark: str) -> int:
    """Kill every process with a mark in its environment; return how many there were.

    A bot that outlives its worker cannot be ended through the worker; but its own children have
    inherited the mark, whatever became of their parents. Without /proc no process is found.
    """
    wanted = f"{variable}={mark}".encode()
    found = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if _is_marked(entry, wanted):
                os.kill(int(entry.name), signal.SIGKILL)
                found += 1
    return found


def _is_marked(process: Path, wanted: bytes) -> bool:
    variables = (process / "environ").read_bytes().split(b"\0")
    return any(each == wanted or each.startswith(wanted + b".") for each in variables)
