"""What a bot in a sandbox sees of the files of the machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from referee.model import BotCommand, Mount, SandboxKind, SandboxSettings


def sandboxed(command: BotCommand, kind: SandboxKind, *, folder: bool = False) -> BotCommand:
    """Return a command that runs in a sandbox.

    The bot sees its runtime and the files that its command names; with ``folder`` all of its
    working folder. A Python of a virtual environment is seen with that environment.
    """
    base = command.folder or Path.cwd()
    if folder:
        files = [
            base,
            *(each for name in command.arguments[:1] for each in _environment_of(base / name)),
        ]
    else:
        named = (base / word for word in command.arguments)
        files = [each for path in named if _exists(path) for each in _needed(path)]
    mounts = tuple(Mount(path, path) for path in dict.fromkeys(files))
    settings = replace(command.sandbox, kind=kind, mounts=command.sandbox.mounts + mounts)
    return replace(command, folder=base, sandbox=settings)


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _needed(path: Path) -> Iterator[Path]:
    environment = list(_environment_of(path))
    yield from environment or [path]


def _environment_of(program: Path) -> Iterator[Path]:
    """Yield the folders of a program in a virtual environment of Python."""
    folder = program.parent.parent
    if (folder / "pyvenv.cfg").is_file():
        yield folder
        yield program.resolve().parent.parent


def mounts_of(settings: SandboxSettings) -> Sequence[Mount]:
    """Return everything that a bot sees, folders before what is in them."""
    runtime = [Mount(path, path) for path in settings.runtime.paths if path.exists()]
    mounts = {mount.target: mount for mount in (*runtime, *settings.mounts)}
    return [
        mount
        for target, mount in sorted(mounts.items())
        if mount.writable or not _covered(mount, mounts)
    ]


def _covered(mount: Mount, mounts: dict[Path, Mount]) -> bool:
    """Return whether another mount shows the same file at the same place."""
    return any(
        parent in mounts and mounts[parent].source == parent and mount.source == mount.target
        for parent in mount.target.parents
    )


def staging(mounts: Sequence[Mount]) -> Iterator[str]:
    """Yield a ``bwrap`` command under which other users can reach all sources of mounts.

    Root may give a bot files of a folder that only root can enter, such as /root. The command hides
    that folder, but for these files.

    A shell stays between this ``bwrap``, which has given up its capabilities, and the one of the
    sandbox, which runs as another user: only a process with CAP_KILL can end that one by its death.
    """
    hidden: dict[Path, list[Path]] = {}
    for mount in mounts:
        if (closed := _closed_folder(mount.source)) is not None:
            hidden.setdefault(closed, []).append(mount.source)
    if not hidden:
        return
    yield from ("bwrap", "--die-with-parent", "--dev-bind", "/", "/")
    for folder, sources in hidden.items():
        yield from ("--perms", "0755", "--tmpfs", str(folder))
        for source in sources:
            for parent in reversed(source.parents):
                if folder in parent.parents:
                    yield from ("--perms", "0755", "--dir", str(parent))
            yield from ("--dev-bind", str(source), str(source))
    yield from ("--", "/bin/sh", "-c", '"$@"; exit "$?"', "sh")
    yield from ("env", "-i")  # bwrap and the shell add their working folder to the environment


def _closed_folder(path: Path) -> Path | None:
    """Return the first folder on the way to a file that other users cannot enter."""
    for folder in reversed(path.parents):
        if not os.stat(folder).st_mode & stat.S_IXOTH:  # noqa: PTH116  also of what is no file
            return folder
    return None
