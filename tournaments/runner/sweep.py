"""Ending processes that nobody looks after any more."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def sweep(variable: str, mark: str) -> int:
    """End every process that has a mark in its environment; return how many there were.

    A bot that outlives its worker cannot be ended through the worker; but whatever it started
    itself, and wherever that went, has inherited the mark. Where there is no /proc, nothing is
    found.
    """
    wanted = f"{variable}={mark}".encode()
    found = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if _has(entry, wanted):
                os.kill(int(entry.name), signal.SIGKILL)
                found += 1
    return found


def _has(process: Path, wanted: bytes) -> bool:
    variables = (process / "environ").read_bytes().split(b"\0")
    return any(each == wanted or each.startswith(wanted + b".") for each in variables)
