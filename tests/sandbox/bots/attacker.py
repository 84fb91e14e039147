"""A bot that attacks at its first decision, reports on standard error, and plays on.

``python3 attacker.py ATTACK JSON MARK`` uses nothing but the standard library. The report is a line
of JSON: what the attack got, by name; nothing means that it failed. With a further argument it is a
build: it attacks at once and ends.
"""

import contextlib
import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

Report = dict[str, Any]

ATTACK = sys.argv[1]
KNOWN = json.loads(sys.argv[2])
"""What an attacker may know of the machine: paths, process ids, ports."""
LIBC = ctypes.CDLL(None, use_errno=True)
TEMPORARY = Path(os.environ["TMPDIR"])
ITSELF = Path(__file__).resolve()
IS_BUILD = len(sys.argv) > 4
CALLS = {  # system calls of x86-64
    "add_key": 248, "bpf": 321, "clone3": 435, "fanotify_init": 300, "fsopen": 430,
    "io_uring_setup": 425, "kcmp": 312, "keyctl": 250, "kexec_load": 246, "memfd_create": 319,
    "mount": 165, "msgget": 68, "open_by_handle_at": 304, "open_tree": 428,
    "perf_event_open": 298, "pidfd_getfd": 438, "pivot_root": 155, "process_vm_readv": 310,
    "ptrace": 101, "setns": 308, "shmget": 29, "swapon": 167, "umount2": 166, "unshare": 272,
    "userfaultfd": 323, "chroot": 161, "clone": 56, "timer_create": 222, "prctl": 157, "tkill": 200,
    "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "fcntl": 72,
}  # fmt: skip
REFUSED = (errno.EPERM, errno.ENOSYS, errno.EACCES)


def call(name: str, *arguments: Any) -> int:
    """Return the error number of a system call, 0 if it succeeded."""
    ctypes.set_errno(0)
    result = LIBC.syscall(CALLS[name], *arguments)
    return ctypes.get_errno() if result == -1 else 0


def in_child(function: Callable[[], object]) -> bool:
    """Return what a child process returns: whether a call succeeded there."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if function() else 1)
        except Exception:  # noqa: BLE001  the child must not play on
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def tried(**attempts: Callable[[], Any]) -> Report:
    """Return the results of the attempts that raise no error."""
    got = {}
    for name, attempt in attempts.items():
        with contextlib.suppress(OSError, MemoryError, ValueError):
            found = attempt()
            if found not in (None, False, 0, b"", "", [], {}):
                got[name] = found
    return got


def names(folder: Path | str) -> list[str]:
    return [path.name for path in Path(folder).iterdir()]


def numbers() -> list[int]:
    return [int(name) for name in names("/proc") if name.isdecimal()]


def only_in_a_sandbox() -> None:
    """End at once where the attack would harm the machine."""
    if b"bwrap" not in Path("/proc/1/cmdline").read_bytes():
        sys.exit("this attack is for the sandbox only")


# What it must not read ----------------------------------------------------------------------------


def read_files() -> Report:
    return tried(
        **{name: Path(path).read_text for name, path in KNOWN["files"].items()},
        folder=lambda: names(KNOWN["folder"]),
        passwd=lambda: Path("/etc/passwd").read_text()[:10],
        by_root=lambda: Path(f"/proc/1/root{KNOWN['files']['secret']}").read_text(),
        by_cwd=lambda: Path(f"/proc/{os.getppid()}/cwd/secret").read_text(),
    )


def read_environment() -> Report:
    def visible(pid: int) -> bool:
        return KNOWN["mark"] in Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")

    return tried(**{f"pid {pid}": lambda pid=pid: visible(pid) for pid in numbers()},
                 own=lambda: KNOWN["mark"] in str(os.environ))  # fmt: skip


def other_processes() -> Report:
    victim = KNOWN["victim"]

    def read_memory() -> bool:
        buffer = ctypes.create_string_buffer(8)
        vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
        number = call("process_vm_readv", victim, vector, 1, vector, 1, 0)
        return number not in (*REFUSED, errno.ESRCH)

    def signalled(pid: int) -> bool:
        os.kill(pid, 0)
        return True

    def descriptors(pid: int | str) -> list[str]:
        return names(f"/proc/{pid}/fd")

    def foreign() -> list[int]:
        """Return the processes that are neither the sandbox nor started with our mark."""
        lines = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in numbers()}
        known = (b"bwrap", KNOWN["name"].encode())
        return [pid for pid, line in lines.items() if not any(word in line for word in known)]

    return tried(
        signal=lambda: signalled(victim),
        descriptors=lambda: descriptors(victim),
        memory=lambda: Path(f"/proc/{victim}/mem").open("rb").fileno(),
        read_memory=read_memory,
        command_line=lambda: Path(f"/proc/{victim}/cmdline").read_text(),
        inherited=lambda: [n for n in descriptors("self") if int(n) > 2 and os.fstat(int(n))],
        foreign=foreign,
    )


def network() -> Report:
    def connect(family: int, address: Any) -> bool:
        with socket.socket(family, socket.SOCK_STREAM) as own:
            own.settimeout(2)
            own.connect(address)
            return True

    def opened(family: int) -> bool:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            with contextlib.suppress(OSError), socket.socket(family, kind):
                return True
        return False

    def send() -> int:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            return own.sendto(b"x", ("192.0.2.1", 53))

    got = tried(
        loopback=lambda: connect(socket.AF_INET, ("127.0.0.1", KNOWN["port"])),
        unix=lambda: connect(socket.AF_UNIX, KNOWN["socket"]),
        abstract=lambda: connect(socket.AF_UNIX, "\0" + KNOWN["mark"]),
        datagram=send,
    )
    plain = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
    families = [number for number in range(1, 46) if number not in plain and opened(number)]
    return got | ({"families": families} if families else {})


# What it must not use up --------------------------------------------------------------------------


def fork_bomb() -> Report:
    children = 0
    with contextlib.suppress(OSError):
        while children < 200:
            if os.fork() == 0:
                time.sleep(600)
            children += 1
    return {"children": children} if children >= 200 else {}


def memory_in_processes() -> Report:
    """Take 320 MiB in eight processes, and stay alive."""
    for _ in range(8):
        if os.fork() == 0:
            block = bytearray(os.urandom(4096) * (40 * 256))
            time.sleep(600)
            del block
    time.sleep(5)
    return {"megabytes": 320}


def memory_unmapped() -> Report:
    """Take 320 MiB that no process maps at the end, and stay alive."""
    kept = []
    for _ in range(32):
        kept.append(mmap.mmap(-1, 10 << 20))
        kept[-1].write(bytes(10 << 20))
        kept[-1].madvise(mmap.MADV_DONTNEED)
    time.sleep(3)
    return {"megabytes": 320}


def memory_in_one_process() -> Report:
    return tried(megabytes=lambda: len(bytearray(320 << 20)) >> 20)


def memory_in_files() -> Report:
    """Write 40 MiB to a file system in memory: /tmp and /dev/shm."""

    def fill(folder: Path | str) -> bool:
        path = Path(folder) / KNOWN["name"]
        try:
            with path.open("wb") as file:
                for _ in range(40):
                    file.write(bytes(1 << 20))
            return bool(path.stat().st_size >= 40 << 20)
        finally:
            path.unlink(missing_ok=True)

    with contextlib.suppress(AttributeError):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    return tried(tmp=lambda: fill(TEMPORARY), shm=lambda: fill("/dev/shm"))  # noqa: S108


def memory_in_memfd() -> Report:
    def memfd() -> int:
        file = os.memfd_create("x")
        return os.write(file, bytes(1 << 20))

    def shared() -> bool:
        segment = LIBC.shmget(0, 1 << 20, 0o1600)
        return bool(segment >= 0 and LIBC.shmctl(segment, 0, None) == 0)  # removed at once

    return tried(memfd=memfd, sysv=shared)


def open_files() -> Report:
    """Ask for a higher limit, and open files and sockets until that is refused."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 14, 1 << 14))
    opened: list[int] = []
    with contextlib.suppress(OSError):
        while len(opened) < 4096:
            opened += os.open("/dev/null", os.O_RDONLY), socket.socket(socket.AF_UNIX).detach()
    for each in opened:
        os.close(each)
    return {"files": len(opened)} if len(opened) > 256 else {}


def inodes() -> Report:
    folder = TEMPORARY / KNOWN["name"]
    folder.mkdir()
    for number in range(3000):
        (folder / str(number)).touch()
    time.sleep(1)
    count = len(names(folder))
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    return {"files": count}


def write_anywhere() -> Report:
    got = {}
    for folder in ("/", "/usr", "/bin", "/etc", "/dev", "/proc", "/var", "/root", "/home",
                   "/package", KNOWN["folder"], str(Path.cwd()), str(ITSELF.parent)):  # fmt: skip
        path = Path(folder) / KNOWN["name"]
        if path.is_relative_to(TEMPORARY):
            continue  # its own
        with contextlib.suppress(OSError):
            path.touch()
            path.unlink()
            got[folder] = True
    if not ITSELF.is_relative_to(TEMPORARY):  # as the copy that a build makes
        with contextlib.suppress(OSError), ITSELF.open("r+b"):
            got["itself"] = True
    return got


def standard_error() -> Report:
    with contextlib.suppress(OSError):
        for _ in range(200):
            os.write(2, b"x" * 9999 + b"\n")
        return {"bytes": 2_000_000}
    return {}


def standard_output() -> None:
    """Write 180 MiB to the standard output, as far as it is read; a build makes files of holes."""
    if IS_BUILD:
        for number in range(12):
            with Path(f"hole-{number}").open("wb") as file:
                file.truncate(15 << 20)
        return
    os.set_blocking(1, False)
    left, patience = 180 << 20, 20
    while left > 0 and patience:
        try:
            left -= os.write(1, b"x" * 65536)
        except BlockingIOError:
            patience -= 1
            time.sleep(0.05)
    os.set_blocking(1, True)


# What it must not leave behind, or do to others ---------------------------------------------------


def daemon() -> Report:
    if os.fork() == 0:
        with contextlib.suppress(OSError):
            os.setsid()
        if os.fork():
            os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    os.wait()
    return {}


def passed(attempts: Mapping[str, Callable[[], object]]) -> Report:
    """Return the system calls that are not refused, each tried in a child process."""

    def refused(attempt: Callable[[], object]) -> bool:
        try:
            return attempt() in REFUSED
        except OSError as error:
            return error.errno in REFUSED

    got = [name for name, attempt in attempts.items() if in_child(lambda a=attempt: not refused(a))]  # type: ignore[misc]
    return {"calls": got} if got else {}


def harmless_calls() -> Report:
    """Try calls that change nothing outside the process."""
    buffer = ctypes.create_string_buffer(256)
    return passed(
        {
            "keyctl": lambda: call("keyctl", 0, -3, 0),
            "io_uring_setup": lambda: call("io_uring_setup", 1, buffer),
            "perf_event_open": lambda: call("perf_event_open", buffer, 0, -1, -1, 0),
            "userfaultfd": lambda: call("userfaultfd", 1),
            "ptrace": lambda: call("ptrace", 0, 0, 0, 0),
            "kcmp": lambda: call("kcmp", os.getpid(), os.getpid(), 0, 0, 0),
            "clone3": lambda: call("clone3", buffer, 8),
            "pidfd_getfd": lambda: call("pidfd_getfd", os.pidfd_open(os.getppid()), 1, 0),
        }
    )


def harmful_calls() -> Report:
    """Try calls that would change the machine: never run this without a sandbox."""
    only_in_a_sandbox()
    buffer = ctypes.create_string_buffer(256)
    attempts: dict[str, Callable[[], int]] = {
        "add_key": lambda: call("add_key", b"user", b"x", b"y", 1, -2),
        "bpf": lambda: call("bpf", 0, buffer, 64),
        "ptrace init": lambda: call("ptrace", 0x4206, 1, 0, 0),
        "mount": lambda: call("mount", b"x", b"/tmp", b"tmpfs", 0, 0),
        "remount": lambda: call("mount", b"x", b"/", b"", 32, 0),
        "pivot_root": lambda: call("pivot_root", b"/tmp", b"/tmp"),
        "chroot": lambda: call("chroot", b"/tmp"),
        "fsopen": lambda: call("fsopen", b"tmpfs", 0),
        "open_tree": lambda: call("open_tree", -100, b"/", 1),
        "fanotify_init": lambda: call("fanotify_init", 0, 0),
        "setns": lambda: call("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0),
        "clone": lambda: call("clone", 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0),
        "terminal": lambda: len(fcntl.ioctl(0, 0x5412, b"x")) * 0,
    }
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x40000000):
        attempts[f"unshare {flag:#x}"] = partial(call, "unshare", flag)
    return passed(attempts)


def foreign_calls() -> Report:
    """Use the system calls of 32-bit programs, which have other numbers."""
    return {"getpid": True} if in_child(lambda: os.execv(KNOWN["foreign"], ["x"])) else {}  # noqa: S606


def signals() -> Report:
    """Send signals to process 1 and to the parent, which the bot needs to live on."""
    only_in_a_sandbox()
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(OSError):
            os.kill(1, number)
    return tried(group=lambda: os.getpgid(0) != os.getpgid(1) and in_child(os.setsid))


def end_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def end_all() -> None:
    only_in_a_sandbox()
    os.kill(-1, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def stop_itself() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


# Thinking on the others' time ---------------------------------------------------------------------

COUNTER = mmap.mmap(-1, 8)
HIGH = 1 << 40
"""A bit above those of an integer, which the kernel ignores in an argument."""


def wake() -> Report:
    """Ask for SIGCONT, which wakes a frozen process, in every way."""
    itself, cont = os.getpid(), int(signal.SIGCONT)
    event = (ctypes.c_int * 16)(0, 0, cont, 0)
    timer, info = ctypes.c_int(), (ctypes.c_int * 32)(cont, 0, -1)
    read, _ = os.pipe()
    return passed(
        {
            "timer_create": lambda: call("timer_create", 1, event, ctypes.byref(timer)),
            "prctl": lambda: call("prctl", ctypes.c_ulong(1 | HIGH), cont, 0, 0, 0),
            "fcntl": lambda: call("fcntl", read, ctypes.c_ulong(10 | HIGH), cont),
            "clone": lambda: call("clone", cont, 0, 0, 0, 0),
            "kill": lambda: os.kill(itself, cont),
            "group": lambda: os.killpg(0, cont),
            "descriptor": lambda: signal.pidfd_send_signal(os.pidfd_open(itself), cont),
            "tkill": lambda: call("tkill", os.getpid(), ctypes.c_ulong(cont | HIGH)),
            "tgkill": lambda: call("tgkill", os.getpid(), os.getpid(), cont),
            "rt_sigqueueinfo": lambda: call("rt_sigqueueinfo", os.getpid(), cont, info),
            "rt_tgsigqueueinfo": lambda: call(
                "rt_tgsigqueueinfo", os.getpid(), os.getpid(), cont, info
            ),
        }
    )


def counted() -> int:
    return int.from_bytes(COUNTER[:8], "little")


def think() -> int:
    """Count in another process for ever, and return how far it comes in 0.2 seconds."""
    if os.fork() == 0:
        with contextlib.suppress(OSError):
            os.setsid()
        number = 0
        while True:
            number += 1
            COUNTER[:8] = number.to_bytes(8, "little")
    time.sleep(0.1)
    before = counted()
    time.sleep(0.2)
    return counted() - before


def tell(report: Report | None) -> None:
    """Print a report, if there is one."""
    if report is not None:
        with contextlib.suppress(OSError):
            print(json.dumps({"report": report}), file=sys.stderr, flush=True)


def main() -> None:
    """Play; attack at the first decision."""
    first, rate, before = True, 0, 0
    for line in sys.stdin:
        at_once = counted()
        message = json.loads(line)
        if "decision" not in message:
            continue
        decision = message["decision"]
        report = None
        if ATTACK == "think":
            if first:
                rate = think()
            else:
                report = {"share": (at_once - before) / max(rate, 1)}
        elif first and ATTACK != "none":
            report = globals()[ATTACK]()
        first = False
        tell(report)
        answer = {key: decision[key] for key in ("match", "decision_id")}
        answer["move"] = decision["legal_moves"][0]
        before = counted()
        with contextlib.suppress(OSError):
            print(json.dumps({"submit_move": answer}), flush=True)


if IS_BUILD:
    tell(globals()[ATTACK]())
else:
    main()
