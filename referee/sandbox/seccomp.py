"""The seccomp filter: system calls that are refused in a sandbox, as a program of the kernel."""

from __future__ import annotations

import errno
import mmap
import os
import signal
import socket
import tempfile
from functools import lru_cache
from typing import Any, Final

from referee.sandbox.errors import SandboxUnavailableError
from referee.sandbox.usage import LARGEST_SHARED

REFUSED: Final = (
    # Other processes.
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd"),
    # Leaving the process group, by which a bot is frozen.
    *("setsid", "setpgid"),
    # Namespaces and mounts.
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig"),
    *("fsmount", "fspick", "open_tree", "move_mount", "mount_setattr", "open_by_handle_at"),
    # Interfaces of the kernel with a history of holes, which no bot needs.
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd"),
    *("perf_event_open", "keyctl", "add_key", "request_key", "fanotify_init", "lookup_dcookie"),
    *("modify_ldt", "vmsplice", "quotactl", "quotactl_fd", "acct", "syslog", "swapon", "swapoff"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot"),
    *("iopl", "ioperm", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime"),
    *("sethostname", "setdomainname", "vhangup", "personality"),
    # Memory that belongs to no process, so that a watcher of processes does not see it.
    *("memfd_create", "memfd_secret", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "semget"),
    *("mq_open",),
    # SIGCONT from a timer, which would wake a frozen bot; its other clocks and timers work.
    *("timer_create", "mq_notify"),
)
"""The system calls that fail with EPERM; ``memfd_create`` and others have a usual substitute."""
FAMILIES: Final = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
"""The families of sockets. The network namespace has no interface but its own loopback; vsock,
netlink and packet sockets are not covered by one."""
LAST_FAMILY: Final = 255
NAMESPACES: Final = 0x7E020000
"""The flags of ``clone`` for new namespaces: mount, cgroup, UTS, IPC, user, PID, network."""
TERMINAL: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: typing into a terminal."""
INT: Final = 0xFFFFFFFF
"""The bits of an argument that the kernel reads as an integer; it ignores the others."""
SIGNALLING: Final = {
    **dict.fromkeys(("kill", "tkill", "rt_sigqueueinfo", "pidfd_send_signal"), 1),
    **dict.fromkeys(("tgkill", "rt_tgsigqueueinfo"), 2),
}
"""The system calls that send a signal, with the index of its number.

None may send SIGCONT, which undoes the SIGSTOP that freezes a bot: a process that sends it all the
time to its group wins that race.
"""
EXIT_SIGNAL: Final = 0xFF
"""The bits of the flags of ``clone`` for the signal that the end of the child sends."""
F_SETSIG: Final = 10
"""The command of ``fcntl`` for the signal that input, a lease or a changed folder sends."""
MAP_TYPE: Final = 0x0F
"""The bits of the flags of ``mmap`` that say whether a mapping is shared."""
PR_SET_PDEATHSIG: Final = 1
"""The option of ``prctl`` for the signal that the end of the parent sends."""


@lru_cache(maxsize=1)
def program() -> bytes:
    """Return the filter as BPF; raises SandboxUnavailableError. The first call takes 0.1 s."""
    try:
        import pyseccomp as seccomp  # noqa: PLC0415  loads a library that not every machine has
    except (ImportError, RuntimeError, OSError):
        raise SandboxUnavailableError(
            "the sandbox needs the package pyseccomp and the library libseccomp: install them "
            "with `pip install pyseccomp` and `apt install libseccomp2`."
        ) from None
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    refuse = seccomp.ERRNO(errno.EPERM)
    for name in REFUSED:
        try:
            number = seccomp.resolve_syscall(seccomp.Arch.NATIVE, name)
        except ValueError:
            number = -1
        if number >= 0:  # an older library does not know every call
            rules.add_rule(refuse, number)
    allowed = sorted(FAMILIES)
    for low, high in zip([-1, *allowed], [*allowed, LAST_FAMILY], strict=True):
        for family in range(low + 1, high):
            rules.add_rule(refuse, "socket", seccomp.Arg(0, seccomp.EQ, family))
    rules.add_rule(refuse, "socket", seccomp.Arg(0, seccomp.GE, LAST_FAMILY))
    rules.add_rule(refuse, "socketpair", seccomp.Arg(0, seccomp.NE, socket.AF_UNIX))
    for bit in (1 << number for number in range(32) if NAMESPACES >> number & 1):
        rules.add_rule(refuse, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, bit, bit))
    # Its flags are in memory, where a filter cannot read them; libraries fall back to clone.
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    for request in TERMINAL:
        rules.add_rule(refuse, "ioctl", seccomp.Arg(1, seccomp.MASKED_EQ, INT, request))
    shared = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    rules.add_rule(
        seccomp.ERRNO(errno.ENOMEM),
        "mmap",
        seccomp.Arg(1, seccomp.GT, LARGEST_SHARED),
        seccomp.Arg(3, seccomp.MASKED_EQ, MAP_TYPE | mmap.MAP_ANONYMOUS, shared),
    )
    _refuse_sigcont(seccomp, rules, refuse)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        return os.read(file.fileno(), 1 << 20)


def _refuse_sigcont(seccomp: Any, rules: Any, refuse: Any) -> None:
    """Refuse every way to have SIGCONT sent: only the referee continues what it has stopped."""

    def same(index: int, value: int, mask: int = INT) -> Any:
        return seccomp.Arg(index, seccomp.MASKED_EQ, mask, value)

    for name, index in SIGNALLING.items():
        rules.add_rule(refuse, name, same(index, signal.SIGCONT))
    rules.add_rule(refuse, "clone", same(0, signal.SIGCONT, EXIT_SIGNAL))
    rules.add_rule(refuse, "fcntl", same(1, F_SETSIG))
    rules.add_rule(refuse, "prctl", same(0, PR_SET_PDEATHSIG), same(1, signal.SIGCONT))
