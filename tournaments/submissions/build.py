"""The build of a package: once, in the sandbox, without a network.

The sandbox shows the package read-only. A copy of it in the sandbox's own /tmp is built, and comes
out as an archive over the standard output, which is read with the checks of every archive. So a
build writes nothing to the machine, and what it makes is at most as large as /tmp.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

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
NICENESS: Final = 10
"""The event loop, the bots of matches and the standings have priority."""
_SCRIPT: Final = (
    # Where every session has its own share of the CPU, the niceness of a process counts within it.
    # The kernel takes one such request in a tenth of a second, of all users together.
    "for _ in 1 2 3 4 5 6 7 8 9; do [ -e /proc/self/autogroup ] || break; "
    f"(echo {NICENESS} >/proc/self/autogroup) 2>/dev/null && break; sleep 0.1; done; "
    'cp -R "$0" /tmp/build && cd /tmp/build && chmod -R u+w . && "$@" >&2 </dev/null && '
    "exec tar --format=pax --hard-dereference -cf - ."
)


class BuildError(PackageError):
    """A build that failed; its log says why."""


@dataclass
class _Output:
    """Writes the standard output of a build to a file, up to a limit."""

    file: IO[bytes]
    limit: int

    def on_output(self, data: bytes) -> None:
        """Keep output; what is beyond the limit is dropped, and refused later."""
        if self.file.tell() <= self.limit:
            self.file.write(data)

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
        await asyncio.to_thread(shutil.copytree, package, target, symlinks=True)
        return None
    settings = SandboxSettings(
        SandboxKind.BUBBLEWRAP, runtime, (Mount(package, PACKAGE),), BUILD_LIMITS
    )
    words = ("nice", "-n", str(NICENESS), "/bin/sh", "-c", _SCRIPT, str(PACKAGE), *command)
    build = BotCommand(words, Path("/"), sandbox=settings)
    with tempfile.TemporaryFile(dir=target.parent) as output:
        usage, note = await _run(build, _Output(output, BUILT.unpacked), log)
        if not output.tell():
            raise BuildError(f"the build failed: {note}.")
        output.seek(0)
        await asyncio.to_thread(unpack_tar, output, target, BUILT)
    return usage


async def _run(build: BotCommand, output: _Output, log: Path) -> tuple[Usage, str]:
    """Run a build to its end; return what it used and how it ended."""
    try:
        started = await start_bot(build, output, log)
    except BotStartError as error:
        raise BuildError(str(error)) from None
    try:
        await asyncio.wait_for(started.wait(), BUILD_SECONDS)
    except TimeoutError:
        raise BuildError(f"the build took more than {BUILD_SECONDS:.0f} seconds.") from None
    finally:
        usage, note = started.usage(), started.exit_note()
        await started.end(grace=0)
    return usage, note
