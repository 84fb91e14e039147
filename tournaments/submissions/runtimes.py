"""Runtimes: what of this machine a bot needs to see, by the name that its manifest gives."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine import UsageError, did_you_mean
from referee.model import SYSTEM, Runtime
from tournaments.model import RUNTIMES, RuntimesSettings

AS_INSTALLED: Final = RuntimesSettings()
"""Every runtime that is installed, as it is found on the PATH."""
_ENVIRONMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "go": {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "CGO_ENABLED": "0"},
    "rust": {"CARGO_NET_OFFLINE": "true"},
}
_WHERE: Final[Mapping[str, tuple[str, ...]]] = {
    "python": ("python3", "-c", "import sys; print(sys.base_prefix)"),
    "rust": ("rustc", "--print", "sysroot"),
}
"""Commands that print the folder of a toolchain, where the program itself does not lie in it."""
_CONFIGURATIONS: Final = {"java": "conf/logging.properties"}
"""A file of a toolchain's folder that may be a link into the folder of its configuration."""
_LONGEST: Final = 20.0
"""Seconds for the question where a toolchain is."""


def find_runtime(name: str, settings: RuntimesSettings = AS_INSTALLED) -> Runtime:
    """Return a runtime of this machine; raises UsageError if it is unknown, off or not installed.

    ``settings`` are those of the organiser.
    """
    names = settings.names()
    if name not in names:
        hint = did_you_mean(name, names)
        raise UsageError(
            f'there is no runtime "{name}".{hint} The runtimes are {", ".join(names)}.'
        )
    own = settings.of(name)
    if not own.enabled:
        raise UsageError(f'the runtime "{name}" is switched off here.')
    program = shutil.which(own.program or RUNTIMES[name])
    if program is None:
        raise UsageError(
            f'the runtime "{name}" is not installed here: there is no program '
            f"{own.program or RUNTIMES[name]}."
        )
    for path in own.paths:
        if not path.exists():
            raise UsageError(f'the runtime "{name}" has the path {path}, which does not exist.')
    return _runtime(name, settings, Path(program))


def _runtime(name: str, settings: RuntimesSettings, program: Path) -> Runtime:
    own = settings.of(name)
    folder = _folder(name, program)
    folders = [folder]
    if name in _CONFIGURATIONS:
        folders.append((folder / _CONFIGURATIONS[name]).resolve().parent)
    if _is_visible(folder):
        programs = program.parent
    else:
        programs = folder / "bin" if (folder / "bin").is_dir() else folder
    path = ":".join(dict.fromkeys(map(str, [programs, "/usr/bin", "/bin"])))
    environment = {**_ENVIRONMENTS.get(name, {}), "PATH": path, **own.environment}
    hidden = [path for path in [*folders, *own.paths] if not _is_visible(path)]
    paths = tuple(dict.fromkeys([*SYSTEM.paths, *hidden]))
    return replace(SYSTEM, name=name, paths=paths, environment=environment)


def installed_runtimes(settings: RuntimesSettings = AS_INSTALLED) -> dict[str, Runtime | str]:
    """Return the runtimes of this machine by name, or why a bot cannot have one of them."""
    found: dict[str, Runtime | str] = {}
    for name in settings.names():
        try:
            found[name] = find_runtime(name, settings)
        except UsageError as error:
            found[name] = str(error)
    return found


def refuse_visible(folder: Path, settings: RuntimesSettings = AS_INSTALLED) -> None:
    """Raise UsageError for a folder of a server that bots in the sandbox could read."""
    runtimes = [each for each in installed_runtimes(settings).values() if isinstance(each, Runtime)]
    real = folder.resolve()
    for runtime in (SYSTEM, *runtimes):
        for path in runtime.paths:
            if real.is_relative_to(path.resolve()):
                raise UsageError(
                    f"{folder} is below {path}, which bots with the runtime {runtime.name} can "
                    "read in the sandbox: keep the data of a server elsewhere, such as in /srv."
                )


def _folder(name: str, program: Path) -> Path:
    """Return the folder in which a toolchain is installed."""
    if name in _WHERE:  # its program may only choose one of several toolchains
        first, *rest = _WHERE[name]
        asked = program if first == RUNTIMES[name] else program.with_name(first)
        if asked.exists():
            done = subprocess.run(  # noqa: S603  a program of the organiser
                [asked, *rest], capture_output=True, text=True, check=False, timeout=_LONGEST
            )
            if done.returncode == 0:
                return Path(done.stdout.strip())
    programs = Path(os.path.realpath(program)).parent
    whole = programs.name == "bin" and programs.parent not in {Path("/"), Path.home()}
    return programs.parent if whole else programs


def _is_visible(path: Path) -> bool:
    """Return whether the system's own folders hold a path."""
    return any(path.is_relative_to(folder) for folder in SYSTEM.paths)
