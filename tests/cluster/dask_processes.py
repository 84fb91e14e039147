"""A Dask cluster of this machine, each part a process that can be killed and is started again."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Self

from tests.cluster.network_namespace import NetworkNamespace
from tests.tournaments.runner.torture import command

HOST = "127.0.0.1"


def free_port() -> int:
    """Return a port that is free now, so that a scheduler can come back to it."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


class Part:
    """A process that is started again when it ends, as a supervisor does."""

    def __init__(self, arguments: Sequence[str], log: Path, environment: Mapping[str, str]) -> None:
        self._arguments = arguments
        self._environment = environment
        self._log = log
        self.process = self._started()
        self.starts = 1

    def _started(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                self._arguments, stdout=log, stderr=log, start_new_session=True,
                env={
                    **os.environ, "XDG_CACHE_HOME": str(self._log.parent / "cache"),
                    **self._environment,
                },
            )  # fmt: skip

    def start_again(self) -> None:
        """Start the process again if it has ended."""
        if self.process.poll() is not None:
            self.process = self._started()
            self.starts += 1

    def kill_all(self) -> None:
        """Kill the process and its children; the worker of a nanny is in its group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class DaskProcesses:
    """A scheduler and workers without nannies, so that a process is a worker."""

    def __init__(
        self,
        folder: Path,
        workers: int = 2,
        namespace: NetworkNamespace | None = None,
        port: int | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Take the folder for logs, and a free port.

        The namespace and the environment are those of the first worker.
        """
        folder.mkdir(parents=True)
        self._folder = folder
        self._namespace = namespace
        self._environment = environment
        host, number = namespace.outside if namespace else HOST, str(port or free_port())
        self.address = f"tcp://{host}:{number}"
        self.scheduler = self._part(
            "scheduler", ["scheduler", "--host", host, "--port", number, "--no-dashboard"]
        )
        self.workers = [self._worker(n, host) for n in range(workers)]
        self._stopping = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise)

    def _worker(self, number: int, host: str) -> Part:
        inside = self._namespace if number == 0 else None
        arguments = [
            "worker", self.address, "--name", f"w{number}", "--nthreads", "1", "--no-nanny",
            "--no-dashboard", "--host", inside.inside if inside else host,
            "--local-directory", str(self._folder),
        ]  # fmt: skip
        prefix = inside.prefix if inside else ()
        environment = {} if number else self._environment
        return self._part(f"worker-{number}", arguments, prefix, environment)

    def _part(
        self,
        log: str,
        arguments: Sequence[str],
        prefix: Sequence[str] = (),
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Part:
        dask = [*prefix, sys.executable, "-m", "dask", *arguments]
        return Part(dask, self._folder / f"{log}.log", environment)

    def _supervise(self) -> None:
        while not self._stopping.wait(0.5):
            for part in (self.scheduler, *self.workers):
                part.start_again()

    def __enter__(self) -> Self:
        self._supervisor.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stopping.set()
        self._supervisor.join()
        for part in (*self.workers, self.scheduler):
            part.kill_all()

    def run_command(self, file: Path, out: Path, *more: str) -> list[str]:
        """Return the command that plays a tournament here."""
        return command("tournament", "run", file, "--out", out, "--cluster", self.address, *more)
