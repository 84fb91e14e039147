"""The limit of open files and connections of this process."""

from __future__ import annotations

import contextlib
import resource
from typing import Final

WANTED: Final = 65_536


def raise_open_files(wanted: int = WANTED) -> int:
    """Raise the soft limit of open files as far as the hard limit allows, and return it.

    Every connection takes one file descriptor, and the usual soft limit is 1024.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            return most
    return soft
