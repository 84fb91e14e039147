"""League servers to test with: on a loop of our own, and as a process; and bots that dial in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from highstreet.v1 import play_pb2 as pb

from referee.model.clock import TimeControl
from referee.record.reader import read_record
from referee.record.verify import verify_record
from tests.referee.dialling import Dialler
from tournaments.model import GameSettings, LeagueSettings, ScheduledMatch
from tournaments.server.league_server import LeagueServer
from tournaments.server.submission_client import SubmissionClient
from tournaments.server.submission_service import PackageIntake
from tournaments.store import Store
from tournaments.submissions import PackageCache, SubmissionQueue, Uploads

HIGHSTREET = [sys.executable, "-c", "from tournaments.cli import main; main()"]
BOTS = Path(__file__).parents[2] / "sample_bots" / "python"
PATIENCE = 120.0
"""How long a loaded machine may take for what takes a second or two."""
LEAGUE = "spring"
TWO = LeagueSettings("Spring league", (GameSettings("glastonbury", (2,)),))
BRIEF = TimeControl(
    per_move=timedelta(seconds=2), start_up=timedelta(seconds=1), latency=timedelta(0)
)
"""For bots that go away: nobody waits for long. An answer of ours takes a hundredth of it."""


async def until(
    condition: Callable[[], Awaitable[Any]], what: str, seconds: float = PATIENCE
) -> Any:
    """Wait until something is the case, and return it."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not (found := await condition()):
        assert loop.time() < end, f"never happened: {what}"
        await asyncio.sleep(0.05)
    return found


# On a loop of our own ---------------------------------------------------------------------------


@dataclass
class Running:
    """A server, its store, and the token of its organiser."""

    server: LeagueServer
    store: Store
    organiser: str
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where it listens."""
        return self.server.referee.address

    def begin(self, *names: str, settings: LeagueSettings = TWO) -> None:
        """Make the league, with entrants."""
        self.store.create_league(LEAGUE, settings)
        for name in names:
            _, self.tokens[name] = self.store.enter(LEAGUE, name, f"{name}'s author")

    async def open(self) -> None:
        """Let the server know of the league."""
        await self.server.manager.opened(LEAGUE)

    async def ask(
        self, method: str, *arguments: Any, token: str | None = None, **fields: Any
    ) -> Any:
        """Ask the service for something, over the wire."""

        def call() -> Any:
            with SubmissionClient(self.address, token) as client:
                said = getattr(client, method)(*arguments, **fields)
                plain = said is None or isinstance(said, dict | tuple | bytes)
                return said if plain else list(said)

        return await asyncio.to_thread(call)

    async def manage(self, method: str, *arguments: Any, **fields: Any) -> Any:
        """Ask for something that only an organiser may."""
        return await self.ask(method, *arguments, token=self.organiser, **fields)

    async def join(self, name: str, **fields: Any) -> Dialler:
        """Return a bot that has joined."""
        bot = Dialler(self.address)
        first = await bot.join(self.tokens[name], **fields)
        assert first.welcome.entrant == name
        return bot

    def played(self) -> tuple[ScheduledMatch, ...]:
        """Return what has been played, the newest first."""
        return self.store.matches(LEAGUE, state="played", page_size=1000).items

    async def until_played(self, number: int) -> tuple[ScheduledMatch, ...]:
        """Wait until a number of matches have been played."""

        async def enough() -> tuple[ScheduledMatch, ...] | None:
            found = self.played()
            return found if len(found) >= number else None

        found: tuple[ScheduledMatch, ...] = await until(enough, f"{number} matches")
        return found


@contextlib.asynccontextmanager
async def league_server(
    url: str,
    name: str = "one",
    opened: type[Store] = Store,
    packages: Path | None = None,
    host: str = "127.0.0.1",
    **settings: Any,
) -> AsyncIterator[Running]:
    """Run a server on this loop; with a folder it takes packages of bots."""
    with opened.open(url) as store:
        organiser = store.first_organiser() or store.issue_organiser("again")
        if packages is not None:
            queue = SubmissionQueue(store, PackageCache(packages / "packages"))
            settings["intake"] = PackageIntake(queue, Uploads(packages / "uploads"))
        server = LeagueServer(store, url, **settings)
        await server.start(host, 0, None, lambda _port: name)
        try:
            yield Running(server, store, organiser)
        finally:
            await server.stop(grace=0)


@contextlib.asynccontextmanager
async def playing(*bots: Dialler) -> AsyncIterator[None]:
    """Let bots answer every decision with its first legal move for a while."""
    tasks = [asyncio.create_task(_play(bot)) for bot in bots]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for bot in bots:
            await bot.cut()


async def _play(bot: Dialler) -> None:
    """Answer for as long as it takes: between two matches there may be a long silence."""
    while (data := await bot.call.read()) is not grpc.aio.EOF:
        said = pb.PlayResponse.FromString(data)
        if said.HasField("decision"):
            await bot.submit(said.decision)


def run(test: Callable[[], Awaitable[None]], seconds: float = 3 * PATIENCE) -> None:
    """Run a test on a loop of its own, and end it if it takes for ever."""

    async def guarded() -> None:
        async with asyncio.timeout(seconds):
            await test()

    asyncio.run(guarded())


def reason_of(error: grpc.RpcError) -> str:
    """Return the reason in the ErrorInfo of a status."""
    call: Any = error
    status = rpc_status.from_call(call)
    for detail in status.details if status else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            assert info.domain == "highstreet"
            return str(info.reason)
    return ""


# As a process -----------------------------------------------------------------------------------


_tried = count(os.getpid() * 101)


def free_port() -> int:
    """Return a port on which nobody listens, and which the system gives to nobody by itself.

    A server that is started again must find it as it was.
    """
    while True:
        port = 12_000 + next(_tried) % 20_000  # below those for everybody, which begin at 32768
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def highstreet(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [*HIGHSTREET, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=5 * PATIENCE,
        env={**os.environ, **environment},
    )


@contextlib.contextmanager
def process(arguments: list[str], log: Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program beside us, and end it with everything that it has started."""
    with log.open("a") as errors:
        running = subprocess.Popen(
            arguments,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
            env={**os.environ, **environment},
        )
    try:
        yield running
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        if running.stdout is not None:
            running.stdout.close()


class Place:
    """A league server as a process, with its folder, its port and everything that runs there."""

    def __init__(self, folder: Path, url: str, stack: contextlib.ExitStack) -> None:
        """Make the database, unless it is there."""
        folder.mkdir(exist_ok=True)
        self.log = folder / "log"
        self._stack = stack
        self.where = ["--data", str(folder / "data"), "--database", url]
        self._name = folder / "data" / "server"
        self._port = str(free_port())
        self.address = f"127.0.0.1:{self._port}"
        made = highstreet("serve", *self.where, "--init")
        assert made.returncode == 0, made.stderr
        self.organiser = made.stdout.splitlines()[-1]

    @property
    def name(self) -> str:
        """Under which it claims matches."""
        return self._name.read_text(encoding="utf-8").strip()

    def start(self, *options: str) -> subprocess.Popen[str]:
        """Start the server, and wait until it listens."""
        command = [*HIGHSTREET, "serve", *self.where, "--port", self._port, *options]
        running = self._stack.enter_context(process(command, self.log))
        assert wait_for_line(running, "listening on ", self.log) == self.address
        return running

    def client(self, token: str | None = None) -> SubmissionClient:
        """Return a client of the server."""
        return self._stack.enter_context(SubmissionClient(self.address, token))

    def bot(self, name: str, token: str) -> subprocess.Popen[str]:
        """Start a sample bot, which dials in; the tiny one over a bridge."""
        command = [sys.executable, str(BOTS / f"{name}_bot.py")]
        if name == "tiny":
            command = [*HIGHSTREET, "bridge", "--", *command]
        told = {"HIGHSTREET_TARGET": self.address, "HIGHSTREET_TOKEN": token}
        return self._stack.enter_context(process(command, self.log, **told))


def kill(server: subprocess.Popen[str]) -> None:
    """End a server without a word, as a power cut would."""
    os.kill(server.pid, signal.SIGKILL)
    server.wait()


def stop(server: subprocess.Popen[str]) -> None:
    """Stop a server in good order."""
    server.send_signal(signal.SIGTERM)
    assert server.wait(PATIENCE) == 0


def all_matches(store: Store, state: str | None = None) -> list[ScheduledMatch]:
    """Return every match of the league, the newest first."""
    found: list[ScheduledMatch] = []
    token = ""
    while True:
        page = store.matches(LEAGUE, state=state, page_size=1000, page_token=token)
        found += page.items
        token = page.next
        if not token:
            return found


def check_everything_once(store: Store, folder: Path) -> None:
    """Every match that was played counts once, has its record, and that verifies."""
    everything = all_matches(store)
    positions = [match.position for match in everything]
    assert sorted(positions) == list(range(1, len(positions) + 1)), "nothing is missing"
    assert len({match.id for match in everything}) == len(positions)
    played = {match.id: match for match in everything if match.state == "played"}
    assert not store.running(LEAGUE)
    results = Counter(result.match for result in store.results(LEAGUE))
    assert results == Counter(played.keys())
    records = list(store.records(LEAGUE))
    assert Counter(match for match, _ in records) == results
    for name, record in records:
        path = folder / f"{name}.jsonl.zst"
        path.write_bytes(record)
        summary = verify_record(read_record(path))
        assert len(summary.entrants) == len(played[name].seats)
        assert summary.places == tuple(seat.place for seat in played[name].seats)


def wait_for_line(running: subprocess.Popen[str], start: str, log: Path) -> str:
    """Wait until a program says something that begins like this, and return the rest."""
    assert running.stdout is not None
    for line in running.stdout:
        if line.startswith(start):
            return line.removeprefix(start).strip()
    raise AssertionError(f"it never said {start!r}: {log.read_text(encoding='utf-8')}")


def wait_until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Wait until something is the case, and return it."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"never happened: {what}"
        time.sleep(0.1)
    return found
