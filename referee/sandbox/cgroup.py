"""Control groups of version 2: limits, CPU time and the end of all processes of a sandbox.

The CPU time of a group needs no controller, so it is exact wherever a group can be made. Limits of
memory and processes need the controllers ``memory`` and ``pids`` to be delegated: as root, or in
``systemd-run --user --scope -p Delegate=yes``.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from functools import lru_cache
from pathlib import Path
from typing import Final

from referee.model import SandboxLimits

NAME: Final = "highstreet"
"""The group of root whose children are the groups of sandboxes."""
OWN: Final = "highstreet-referee"
"""The group into which the referee moves: a group with controllers has no processes of its own."""
CONTROLLERS: Final = ("memory", "pids")
_LONGEST_STAT: Final = 4096


class Cgroup:
    """The control group of one sandbox."""

    def __init__(self, path: Path, limits: SandboxLimits | None) -> None:
        """Make the group, with limits if its parent has the controllers."""
        self._path = path
        path.mkdir()
        self.limited = limits is not None
        """Whether the kernel enforces the limits of memory and processes."""
        if limits is not None:
            (path / "memory.max").write_text(str(limits.memory_bytes))
            with contextlib.suppress(OSError):  # a kernel without swap accounting
                (path / "memory.swap.max").write_text("0")
            (path / "memory.oom.group").write_text("1")
            # One more, for the init process of the sandbox.
            (path / "pids.max").write_text(str(limits.processes + 1))
        self._cpu = os.open(path / "cpu.stat", os.O_RDONLY | os.O_CLOEXEC)

    def add(self, pid: int) -> None:
        """Move a process here; its children follow."""
        (self._path / "cgroup.procs").write_text(str(pid))

    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes so far, also of those that have ended."""
        stat = os.pread(self._cpu, _LONGEST_STAT, 0)
        return int(stat[len(b"usage_usec ") : stat.index(b"\n")]) / 1e6

    def memory_bytes(self) -> int:
        """Return the memory in use."""
        return int((self._path / "memory.current").read_text())

    def out_of_memory(self) -> bool:
        """Return whether the kernel has ended a process because of the limit."""
        with contextlib.suppress(OSError):
            events = dict(
                line.split() for line in (self._path / "memory.events").read_text().splitlines()
            )
            return int(events.get("oom_kill", "0")) > 0
        return False

    def remove(self) -> None:
        """Remove the group after its last process; one that is not empty yet is removed later."""
        os.close(self._cpu)
        if not _removed(self._path):
            threading.Timer(1.0, _removed, [self._path]).start()


def _removed(path: Path) -> bool:
    try:
        path.rmdir()
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True


def has_limits() -> bool:
    """Return whether groups on this machine limit memory and processes."""
    found = _parent()
    return found is not None and found[1]


def make_cgroup(limits: SandboxLimits) -> Cgroup | None:
    """Make a group for a sandbox; None if this machine lets us make none."""
    found = _parent()
    if found is None:
        return None
    parent, limited = found
    try:
        name = f"bot-{os.getpid()}-{secrets.token_hex(8)}"
        return Cgroup(parent / name, limits if limited else None)
    except OSError:
        return None


@lru_cache(maxsize=1)
def _parent() -> tuple[Path, bool] | None:
    """Return the group in which groups can be made, and whether limits can be set there."""
    with contextlib.suppress(OSError, ValueError, StopIteration):
        mount = _mount_point()
        if os.geteuid() == 0:
            parent = mount / NAME
            parent.mkdir(exist_ok=True)
            _enable(mount)
        else:
            own = next(
                line.removeprefix("0::")
                for line in Path("/proc/self/cgroup").read_text().splitlines()
                if line.startswith("0::")
            )
            parent = mount / own.strip("/")
            if parent.name == OWN:  # a process of a referee that has moved
                parent = parent.parent
            # Only the owner of a delegated group can make groups and move processes in it.
            if not os.access(parent, os.W_OK) or not os.access(parent / "cgroup.procs", os.W_OK):
                return None
            _move_processes(parent)
        for left in parent.glob("bot-*"):
            if not _has_referee(left):
                _removed(left)
        return parent, _enable(parent)
    return None


def _move_processes(group: Path) -> None:
    """Move the processes of a delegated group into the group of the referee.

    They are this one and those that it has started.
    """
    (group / OWN).mkdir(exist_ok=True)
    for pid in (group / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):  # it has ended
            (group / OWN / "cgroup.procs").write_text(pid)


def _has_referee(group: Path) -> bool:
    """Return whether the process that made a group runs; one that was killed left it behind."""
    return Path(f"/proc/{group.name.split('-')[1]}").exists()


def _mount_point() -> Path:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, source = line.partition(" - ")
        if source.split()[0] == "cgroup2":
            return Path(fields.split()[4])
    raise FileNotFoundError("cgroup2 is not mounted")


def _enable(group: Path) -> bool:
    """Delegate the controllers to the children of a group, and return whether they have them."""
    with contextlib.suppress(OSError):
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{each}" for each in CONTROLLERS))
    return set(CONTROLLERS) <= set((group / "cgroup.subtree_control").read_text().split())
