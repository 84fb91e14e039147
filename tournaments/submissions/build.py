"""The build of a package: once, in the sandbox, without a network.

The sandbox shows the package read-only. A copy of it in the sandbox's own /tmp is built, and comes
out as an archive over the standard output, which is read with the checks of every archive. So a
build writes nothing to the machine, and what it makes is at most as large as /tmp.
"""

from __future__ import annotations

import asyncio
import io
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.model import BotCommand, Mount, Runtime, SandboxKind, SandboxLimits, SandboxSettings
from referee.sandbox import BotStartError, Usage, start_bot
from tournaments.submissions.archive import PackageError, PackageLimits, unpack_tar

BUILD_LIMITS: Final = SandboxLimits(
    memory_bytes=4 * 2**30, processes=512, temporary_bytes=2 * 2**30, temporary_files=100_000,
    open_files=4096,
)  # fmt: skip
BUILD_SECONDS: Final = 300.0
PACKAGE: Final = Path("/package")
"""Where the sandbox shows a package: to the build and to the bot."""
BUILT: Final = PackageLimits(unpacked=512 * 2**20, entries=50_000, path=1000)
"""What a built package may have at most."""
_SCRIPT: Final = (
    'cp -R "$0" /tmp/build && cd /tmp/build && chmod -R u+w . && "$@" >&2 </dev/null && '
    "exec tar --format=pax --hard-dereference -cf - ."
)


class BuildError(PackageError):
    """A build that failed; its log says why."""


@dataclass
class _Output:
    """Collects the standard output of a build, up to a limit."""

    limit: int
    data: bytearray

    def on_output(self, data: bytes) -> None:
        """Keep output; what is beyond the limit is dropped, and refused later."""
        if len(self.data) <= self.limit:
            self.data += data

    def on_output_closed(self) -> None:
        """Do nothing: the end of the process is what counts."""


async def build(
    package: Path, command: Sequence[str], runtime: Runtime, target: Path, log: Path
) -> Usage | None:
    """Build an unpacked package into a new folder; without a command copy it.

    Returns what the build used. The output of the command is appended to the log. Raises BuildError
    for a build that fails, takes too long, or makes too much.
    """
    if not command:
        shutil.copytree(package, target, symlinks=True)
        return None
    settings = SandboxSettings(
        SandboxKind.BUBBLEWRAP, runtime, (Mount(package, PACKAGE),), BUILD_LIMITS
    )
    words = ("/bin/sh", "-c", _SCRIPT, str(PACKAGE), *command)
    output = _Output(BUILT.unpacked, bytearray())
    try:
        started = await start_bot(BotCommand(words, Path("/"), sandbox=settings), output, log)
    except BotStartError as error:
        raise BuildError(str(error)) from None
    try:
        await asyncio.wait_for(started.wait(), BUILD_SECONDS)
    except TimeoutError:
        raise BuildError(f"the build took more than {BUILD_SECONDS:.0f} seconds.") from None
    finally:
        usage = started.usage()
        note = started.exit_note()
        await started.end(grace=0)
    if not output.data:
        raise BuildError(f"the build failed: {note}.")
    unpack_tar(io.BytesIO(output.data), target, BUILT)
    return usage
