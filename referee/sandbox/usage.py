"""What the processes of a sandbox use, read from the kernel."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import re
import signal
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

LARGEST_SHARED: Final = 16 << 20
"""The most bytes of an anonymous mapping that processes share, which is what each counts for."""
_LIBRARY: Final = ctypes.CDLL(None)
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """What a bot uses, all its parts together."""

    cpu_seconds: float
    """The CPU time since it was started."""
    memory_bytes: int
    temporary_files: int
    peak_memory_bytes: int = 0
    """The most memory that was seen; 0 where it is not watched."""


def combined(usages: Iterable[Usage]) -> Usage:
    """Return what bots used that ran one after the other: all CPU time, and the most memory."""
    found = list(usages)
    return Usage(
        sum(each.cpu_seconds for each in found),
        max((each.memory_bytes for each in found), default=0),
        max((each.temporary_files for each in found), default=0),
        max((each.peak_memory_bytes for each in found), default=0),
    )


def descendants(pid: int) -> list[int]:
    """Return all descendants of a process.

    The init process of a sandbox adopts every process whose parent has ended, so the tree below it
    is complete.
    """
    found: list[int] = []
    queue = [pid]
    while queue:
        parent = queue.pop()
        with contextlib.suppress(OSError):
            for thread in threads(parent):
                children = _read(f"/proc/{parent}/task/{thread}/children").split()
                queue += map(int, children)
                found += map(int, children)
    return found


def process_cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process with all its threads, and of children that it waited for.

    The kernel states the latter in ticks of a hundredth of a second.
    """
    try:
        own = time.clock_gettime((~pid << 3) | 2)
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except (OSError, ValueError):
        return 0.0
    return own + (int(fields[13]) + int(fields[14])) / _TICKS


def threads(pid: int) -> list[int]:
    """Return the threads of a process; raises OSError if it does not exist."""
    return [int(name) for name in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208  faster


def process_state(pid: int) -> str:
    """Return the state of a process, which is T if it is stopped; raises OSError."""
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[0].decode()


def stop_thread(pid: int, thread: int) -> None:
    """Send SIGSTOP to a thread of a process; it stops the process as soon as it runs."""
    _LIBRARY.tgkill(pid, thread, signal.SIGSTOP)


def parent(pid: int) -> int:
    """Return the parent of a process; raises ProcessLookupError if the process does not exist."""
    try:
        return int(_read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        raise ProcessLookupError(f"there is no process {pid}") from None


def memory_bytes(pid: int) -> int:
    """Return the memory of a process: shared pages count in proportion, and page tables count."""
    for place in _places(pid):
        with contextlib.suppress(OSError):
            pages = _kibibytes(f"{place}/smaps_rollup", b"Pss:")
            return (pages + _kibibytes(f"{place}/status", b"VmPTE:")) * 1024
    return 0


def shared_mappings(pid: int) -> set[bytes]:
    """Return the numbers of the anonymous memory that a process shares, or could share.

    The kernel does not tell an ordinary user how much that is: pages that no process maps at the
    moment are in no count, and a mapping of one page keeps all that was once mapped.
    """
    for place in _places(pid):
        with contextlib.suppress(OSError):
            return set(re.findall(_shared_pattern(), _read_all(f"{place}/maps"), re.MULTILINE))
    return set()


def _places(pid: int) -> Iterator[str]:
    """Yield where to read the memory of a process: that of a thread, if the first one has ended."""
    yield f"/proc/{pid}"
    with contextlib.suppress(OSError):
        for thread in threads(pid):
            yield f"/proc/{pid}/task/{thread}"


def _kibibytes(path: str, name: bytes) -> int:
    """Return a number of a file in /proc; raises OSError, also if the process has ended."""
    for line in _read(path).splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    raise ProcessLookupError(f"{path} states no {name.decode()}")


@lru_cache(maxsize=1)
def _shared_pattern() -> bytes:
    """Return a pattern for the shared anonymous memory in a file ``maps``.

    It has a device of its own, which a mapping of this process shows. Its name can be changed.
    """
    with mmap.mmap(-1, 1):
        own = _read_all("/proc/self/maps")
    found = re.search(rb"^\S+ \S+ \S+ (\S+) \d+ +/dev/zero \(deleted\)$", own, re.MULTILINE)
    device = found[1] if found else b"00:01"
    return rb"^\S+ \S+ \S+ " + re.escape(device) + rb" (\d+) "


def folder_usage(path: Path) -> tuple[int, int]:
    """Return the bytes and the files of a file system."""
    try:
        stat = os.statvfs(path)
    except OSError:
        return 0, 0
    return (stat.f_blocks - stat.f_bfree) * stat.f_frsize, stat.f_files - stat.f_ffree


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # fewer system calls than open()
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)


def _read_all(path: str) -> bytes:
    """Return all of a file of which one call returns a part only."""
    with open(path, "rb", buffering=1 << 16) as file:  # noqa: PTH123  faster
        return file.read()
