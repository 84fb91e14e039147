"""A league server for browsers, and pages that must not complain."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any, Final

import uvicorn

from referee.transports.grpc_server import RefereeServer
from referee.transports.rate_limit import Rate
from tests.tournaments.web.leagues_with_matches import Street
from tournaments.runner.league_manager import LeagueManager
from tournaments.submissions import PackageCache, SubmissionQueue
from tournaments.web.app import create_app

ROOT: Final = Path(__file__).parents[2]
PYTHON: Final = sys.executable
PATH: Final = os.pathsep.join([str(ROOT), str(ROOT / "proto" / "gen" / "python")])
"""Where programs find the project, which need not be installed."""
HIGHSTREET: Final = (PYTHON, "-c", "from tournaments.cli import main; main()")


class Visitor:
    """Opens pages of a server; none may complain, or ask another host for anything."""

    def __init__(self, browser: Any, base: str) -> None:
        self.base = base
        self.wrong: list[str] = []
        self._browser = browser
        self._contexts: list[Any] = []

    def open(self, path: str, **options: Any) -> Any:
        """Open a page in a browser that knows nothing."""
        chosen = {"viewport": {"width": 1280, "height": 900}, **options}
        context = self._browser.new_context(**chosen)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self.wrong.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.wrong.append(f"dialog: {dialog.message}"))
        page.on("request", self._check)
        page.goto(f"{self.base}{path}")
        return page

    def _check(self, request: Any) -> None:
        if not request.url.startswith(f"{self.base}/"):
            self.wrong.append(f"asked {request.url}")

    def close(self) -> None:
        """Close everything; nothing may have gone wrong."""
        for context in self._contexts:
            context.close()
        assert self.wrong == []


def fits(page: Any) -> bool:
    """Tell whether nothing sticks out at the side."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@contextlib.contextmanager
def serving(street: Street, cache: Path | None = None) -> Iterator[str]:
    """Serve a street from a thread, and return its address.

    With a folder for built packages, packages are taken through all stages.
    """
    listening = socket.create_server(("127.0.0.1", 0))
    servers: list[uvicorn.Server] = []

    async def serve() -> None:
        host = LeagueManager(street.store, street.url, RefereeServer())
        queue = None if cache is None else SubmissionQueue(street.store, PackageCache(cache))
        application = create_app(
            street.store,
            host,
            rate=Rate(per_second=1000, burst=10_000),
            queue=queue,
            address="127.0.0.1:50051",
        )
        servers.append(uvicorn.Server(uvicorn.Config(application, log_config=None, lifespan="off")))
        if queue is not None:
            await queue.start("browser")
        await servers[0].serve(sockets=[listening])
        if queue is not None:
            await queue.stop()
        application.state.resources.close()
        host._context.lag.stop()

    thread = Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        servers[0].should_exit = True
        servers[0].force_exit = True
        thread.join()
        listening.close()


@contextlib.contextmanager
def program(log: Path, *command: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program of the project beside us, and end it with all that it has started."""
    with log.open("a") as errors:
        running = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": PATH, **environment},
        )
    try:
        yield running
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        if running.stdout is not None:
            running.stdout.close()


def told(running: subprocess.Popen[str], start: str, log: Path) -> str:
    """Wait until a program says something that begins like this, and return the rest."""
    for line in running.stdout or ():
        if line.startswith(start):
            return line.removeprefix(start).strip()
    raise AssertionError(f"it never said {start!r}: {log.read_text(encoding='utf-8')}")
