"""A guest of qemu with a kernel of Debian, in which control groups of version 2 can be delegated.

Its root file system is in memory: this Python, what a sandboxed match needs, and this project.
Nothing is installed; ``MISSING`` says what has to be. The processor is emulated, so that a machine
without hardware for guests can run it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
MISSING: Final = (
    "a guest needs qemu, a kernel and cpio: "
    "apt install qemu-system-x86 linux-image-cloud-amd64 cpio bubblewrap libseccomp2"
)
KERNELS: Final = "vmlinuz-*-cloud-amd64"
LONGEST: Final = 600.0
"""Seconds after which a guest that does not end is ended."""
PREFIX: Final = "guest: "
"""Starts each line of the serial console that is an outcome, as JSON."""
TOOLS: Final = ("sh", "mount", "mkdir", "chmod", "chown", "chroot", "env", "sleep", "true")
SANDBOX_TOOLS: Final = ("bwrap", "setpriv", "prlimit")
LDCONFIG: Final = Path("/usr/sbin/ldconfig")
"""Lists the libraries, among which Python finds that of seccomp."""
PACKAGES: Final = (
    *("click", "cryptography", "_cffi_backend*", "google", "grpc", "grpc_health"),
    *("grpc_reflection", "grpc_status", "orjson", "pygments", "pyseccomp*", "rich"),
    *("typing_extensions*", "uvloop", "zstandard"),
)
"""The packages of this environment that a match over pipes in the sandbox imports."""
PROJECT: Final = ("engine", "referee", "tournaments", "sample_bots", "tests")
UNUSED: Final = shutil.ignore_patterns(
    "site-packages", "dist-packages", "test", "idlelib", "config-*", "*.a",
    "node_modules", "target", "goldens",
)  # fmt: skip
INIT: Final = """#!/bin/sh
# bwrap changes its root, which the first file system of a kernel does not allow; a bind mount does.
mount --bind / /mnt
cd /mnt
mount --move . /
exec chroot . /main
"""
MAIN: Final = """#!/bin/sh
export PATH=/usr/local/bin:/usr/bin PYTHONDONTWRITEBYTECODE=1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
cd /highstreet
python3 -m tests.sandbox.in_cgroup root
# What systemd does for a unit with User= and Delegate=yes.
group=/sys/fs/cgroup/delegated
mkdir $group
echo '+memory +pids' > /sys/fs/cgroup/cgroup.subtree_control
chown 65534 $group $group/cgroup.procs $group/cgroup.subtree_control $group/cgroup.threads
sh -c "echo \\$\\$ > $group/cgroup.procs; exec setpriv --reuid=65534 --regid=65534 \\
  --clear-groups python3 -m tests.sandbox.in_cgroup ordinary"
echo b > /proc/sysrq-trigger
"""


def kernel() -> Path | None:
    """Return the newest kernel for guests on this machine; None without one, qemu or cpio."""
    found = sorted(Path("/boot").glob(KERNELS))
    needed = ("qemu-system-x86_64", "cpio", *SANDBOX_TOOLS)
    return found[-1] if found and all(map(shutil.which, needed)) else None


def outcomes(folder: Path, booted: Path) -> dict[str, Any]:
    """Run ``tests.sandbox.in_cgroup`` in a guest, as root and as an ordinary user."""
    initrd = folder / "initrd"
    _write_files(folder / "root")
    names = "\0".join(
        str(path.relative_to(folder / "root")) for path in (folder / "root").rglob("*")
    )
    pack = ["cpio", "--create", "--null", "--format=newc", "--quiet", "--owner=0:0"]
    with initrd.open("wb") as file:
        subprocess.run(pack, cwd=folder / "root", input=names.encode(), stdout=file, check=True)
    boot = [
        *("qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", "1536"),
        *("-nodefaults", "-nographic", "-no-reboot", "-serial", "stdio"),
        *("-kernel", str(booted), "-initrd", str(initrd)),
        *("-append", "console=ttyS0 quiet panic=-1 rdinit=/init"),
    ]
    said = subprocess.run(
        boot,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LONGEST,
        check=False,
    )
    found: dict[str, Any] = {}
    for line in said.stdout.splitlines():
        if line.startswith(PREFIX):
            found |= json.loads(line.removeprefix(PREFIX))
    if set(found) != {"root", "ordinary"}:
        raise RuntimeError(f"the guest did not come to its end:\n{said.stdout}{said.stderr}")
    return found


def _write_files(root: Path) -> None:
    """Write the files of the guest."""
    for name in ("proc", "sys", "dev", "tmp", "mnt", "etc", "usr/bin", "usr/sbin"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    for name in (*TOOLS, *SANDBOX_TOOLS):
        _copy(Path(shutil.which(name) or name).resolve(), root / "usr/bin" / name)
    _copy(LDCONFIG, root / "usr/sbin/ldconfig")
    _copy(Path(sys.executable).resolve(), root / "usr/local/bin/python3")
    (root / "usr/bin/python3").symlink_to("../local/bin/python3")
    library = Path(sysconfig.get_path("stdlib"))
    _copy(library, root / "usr/local/lib" / library.name)
    packages = root / "usr/local/lib" / library.name / "site-packages"
    (packages.parent / "dist-packages").symlink_to(packages.name)  # as Debian's Python calls it
    for pattern in PACKAGES:
        for path in Path(sysconfig.get_path("purelib")).glob(pattern):
            _copy(path, packages / path.name)
    _copy(ROOT / "proto/gen/python/highstreet", packages / "highstreet")
    for name in PROJECT:
        _copy(ROOT / name, root / "highstreet" / name)
    _copy_libraries(root)
    for name, text in (("init", INIT), ("main", MAIN)):
        (root / name).write_text(text)
        (root / name).chmod(0o755)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=UNUSED)
    else:
        shutil.copy2(source, target)


def _copy_libraries(root: Path) -> None:
    """Copy the shared libraries of the programs and modules of the guest."""
    programs = [each for each in (root / "usr/bin").iterdir() if not each.is_symlink()]
    modules = [*root.rglob("*.so"), root / "usr/local/bin/python3", *_loaded_by_name()]
    command = ["ldd", *map(str, programs + modules)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    needed = {Path(each) for each in re.findall(r"(/\S+\.so\S*) \(0x", listed.stdout)}
    for path in needed | set(_loaded_by_name()):
        loader = path.name.startswith("ld-linux")
        _copy(path.resolve(), root / ("usr/lib64" if loader else "usr/lib") / path.name)
    subprocess.run([LDCONFIG, "-r", root], check=True)


def _loaded_by_name() -> list[Path]:
    """Return the libraries that are opened while a program runs."""
    return [next(Path("/usr/lib").glob("*/libseccomp.so.2"))]
