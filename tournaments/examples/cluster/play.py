"""Play a tournament on a cluster: what the examples in this folder share."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence


def play(file: str, address: str, more: Sequence[str] = ()) -> int:
    """Run the command, and return its exit code; Ctrl-C goes to it."""
    command = ["highstreet", "tournament", "run", file, "--cluster", address, *more]
    print(shlex.join(command), flush=True)
    code = [sys.executable, "-c", "from tournaments.cli import main; main()", *command[1:]]
    with subprocess.Popen(code) as run:  # noqa: S603  our own program
        while True:
            try:
                return run.wait()
            except KeyboardInterrupt:
                continue  # it stops cleanly, and says so
