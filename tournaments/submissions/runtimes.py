"""Runtimes: what of this machine a bot needs to see, by the name that its manifest gives."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine import UsageError, did_you_mean
from referee.model import SYSTEM, Runtime

RUNTIMES: Final[Mapping[str, str]] = {
    "bash": "bash",
    "c": "cc",
    "c++": "c++",
    "executable": "sh",
    "go": "go",
    "java": "java",
    "node": "node",
    "perl": "perl",
    "python": "python3",
    "rust": "cargo",
}
"""The program that a machine with a runtime has; "executable" needs nothing but the system."""
_ENVIRONMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "go": {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "CGO_ENABLED": "0"},
    "rust": {"CARGO_NET_OFFLINE": "true"},
}
_WHERE: Final[Mapping[str, Sequence[str]]] = {
    "python": ("python3", "-c", "import sys; print(sys.base_prefix)"),
    "rust": ("rustc", "--print", "sysroot"),
}
"""Commands that print the folder of a toolchain, where the program itself does not lie in it."""
_LONGEST: Final = 20.0
"""Seconds for the question where a toolchain is."""


def find_runtime(name: str) -> Runtime:
    """Return a runtime of this machine; raises UsageError if it is unknown or not installed."""
    if name not in RUNTIMES:
        known = ", ".join(RUNTIMES)
        hint = did_you_mean(name, RUNTIMES)
        raise UsageError(f'there is no runtime "{name}".{hint} The runtimes are {known}.')
    found = shutil.which(RUNTIMES[name])
    if found is None:
        raise UsageError(
            f'the runtime "{name}" is not installed here: there is no program {RUNTIMES[name]}.'
        )
    folders = [folder for folder in _folders(name, Path(found)) if not _is_visible(folder)]
    programs = [folder / "bin" for folder in folders] or [Path(found).parent]
    path = ":".join(dict.fromkeys(map(str, [*programs, "/usr/bin", "/bin"])))
    environment = {**_ENVIRONMENTS.get(name, {}), "PATH": path}
    return replace(SYSTEM, name=name, paths=(*SYSTEM.paths, *folders), environment=environment)


def installed_runtimes() -> dict[str, Runtime]:
    """Return the runtimes of this machine by name."""
    return {name: find_runtime(name) for name, program in RUNTIMES.items() if shutil.which(program)}


def _folders(name: str, program: Path) -> list[Path]:
    """Return the folders in which a toolchain is installed."""
    if name in _WHERE:  # its program may only choose one of several toolchains
        done = subprocess.run(  # noqa: S603  a program of the organiser
            _WHERE[name], capture_output=True, text=True, check=False, timeout=_LONGEST
        )
        if done.returncode == 0:
            return [Path(done.stdout.strip())]
    return [Path(os.path.realpath(program)).parent.parent]


def _is_visible(path: Path) -> bool:
    """Return whether the system's own folders hold a path."""
    return any(path.is_relative_to(folder) for folder in SYSTEM.paths)
