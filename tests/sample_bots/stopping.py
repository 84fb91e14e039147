"""Stop a sample bot by a signal in a real league, and look at what it costs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import grpc
from highstreet.v1 import play_pb2 as pb

from referee.model.clock import TimeControl
from tests.referee.dialling import Dialler
from tests.tournaments.serving import LEAGUE, TWO, Running, league_server
from tests.waiting import PATIENCE, until, wait_until
from tournaments.model import EntrantState, ScheduledMatch, split_rated_name

TESTED = "tested"
OPPONENTS = ("ann", "bob")
PATIENT = TimeControl(
    per_move=timedelta(seconds=PATIENCE), start_up=timedelta(seconds=PATIENCE), latency=timedelta(0)
)


class Opponent:
    """Plays with everyone, but makes the bot under test wait until it is released.

    It begins to wait when that bot has answered a decision, so that its start is over: the runtimes
    of some languages handle signals before the bot does.
    """

    def __init__(self, bot: Dialler, released: asyncio.Event) -> None:
        self._bot = bot
        self._released = released
        self._answered: dict[str, int] = {}
        """How many decisions it has answered, for each match with the bot under test."""
        self.holds = False
        """Whether it has a decision of a match with the bot under test, and does not answer."""

    async def play(self) -> None:
        """Answer every decision with its first legal move."""
        while (data := await self._bot.call.read()) is not grpc.aio.EOF:
            said = pb.PlayResponse.FromString(data)
            if said.HasField("match_started"):
                names = [split_rated_name(each.entrant)[0] for each in said.match_started.seats]
                self._answered |= {said.match_started.match: 0} if TESTED in names else {}
            elif said.HasField("decision"):
                await self._hold(said.decision)
                await self._bot.submit(said.decision)

    async def _hold(self, decision: pb.Decision) -> None:
        """Wait if it is a match with the bot under test, in which that bot has answered."""
        if decision.match not in self._answered:
            return
        self._answered[decision.match] += 1
        if decision.decision_id > self._answered[decision.match]:
            self.holds = True
            await self._released.wait()


@dataclass
class Stopped:
    """A league with a bot under test."""

    running: Running
    tables: int
    """At how many tables the bot under test can play at once."""
    released: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def played(self) -> list[ScheduledMatch]:
        """What the bot under test has played."""
        found = self.running.played()
        return [each for each in found if TESTED in [seat.entrant for seat in each.seats]]

    @property
    def forfeits(self) -> int:
        """How many matches the bot under test has forfeited."""
        seats = [seat for match in self.played for seat in match.seats]
        return sum(seat.forfeit for seat in seats if seat.entrant == TESTED)

    @property
    def leaving(self) -> bool:
        """Whether the server knows that the bot under test leaves."""
        return any(each.leaving for each in self.running.server.referee.sessions)

    @contextlib.asynccontextmanager
    async def playing(self, process: subprocess.Popen[str]) -> AsyncIterator[None]:
        """Let the bot play until an opponent makes it wait at each of its tables."""
        sessions = self.running.server.referee.sessions
        await until(lambda: process.poll() is not None or sessions)
        assert process.poll() is None, "the bot has joined"
        names = OPPONENTS[: self.tables]
        bots = [await self.running.join(name, max_matches=1) for name in names]
        opponents = [Opponent(bot, self.released) for bot in bots]
        await self.running.open()
        tasks = [asyncio.create_task(each.play()) for each in opponents]
        try:
            await until(lambda: all(each.holds for each in opponents))
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for bot in bots:
                await bot.cut()


@contextlib.asynccontextmanager
async def league(folder: Path, tables: int) -> AsyncIterator[Stopped]:
    """Run a league with a bot under test and its opponents."""
    async with league_server(f"sqlite:///{folder / 'league.db'}") as running:
        running.begin(TESTED, *OPPONENTS, settings=replace(TWO, time_control=PATIENT))
        yield Stopped(running, tables)


@contextlib.contextmanager
def started(
    command: Sequence[str], log: Path, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """Start a bot that dials in."""
    with log.open("w") as errors:
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            text=True,
            start_new_session=True,
            env={**os.environ, **environment},
        )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def bridged(bridge: subprocess.Popen[str]) -> int:
    """Return the process id of the bot that a bridge has started, once it handles SIGTERM.

    The bridge has joined by itself: the bot may still be starting, though a match is under way.
    """
    (child,) = Path(f"/proc/{bridge.pid}/task/{bridge.pid}/children").read_text().split()
    wait_until(lambda: _handles(int(child), signal.SIGTERM))
    return int(child)


def _handles(pid: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    (caught,) = re.findall(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return bool(int(caught, 16) >> (number - 1) & 1)


async def check_that_it_leaves(
    command: Sequence[str],
    folder: Path,
    number: int,
    tables: int = len(OPPONENTS),
    signalled: Callable[[subprocess.Popen[str]], int] = lambda process: process.pid,
) -> None:
    """Check that a signal ends a bot with exit code 0 after its matches, without a forfeit."""
    log = folder / "log"
    async with league(folder, tables) as place:
        with started(command, log, **dialling(place.running)) as process:
            async with place.playing(process):
                os.kill(signalled(process), number)
                await until(lambda: place.leaving or process.poll() is not None)
                assert process.poll() is None, "it plays on"
                place.released.set()
                code = await asyncio.to_thread(process.wait, PATIENCE)
        assert code == 0, log.read_text()
        await until(lambda: len(place.played) >= tables)
        assert len(place.played) == tables, "no new match after the signal"
        assert place.forfeits == 0
        assert place.running.store.entrant(LEAGUE, TESTED).state == EntrantState.ACTIVE


async def check_that_a_second_signal_ends_it(
    command: Sequence[str],
    folder: Path,
    signalled: Callable[[subprocess.Popen[str]], int] = lambda process: process.pid,
) -> None:
    """Check that a second signal ends a bot at once, whatever it plays."""
    log = folder / "log"
    async with league(folder, 1) as place:
        with started(command, log, **dialling(place.running)) as process:
            async with place.playing(process):
                bot = signalled(process)
                os.kill(bot, signal.SIGINT)
                await until(lambda: place.leaving or process.poll() is not None)
                os.kill(bot, signal.SIGTERM)
                code = await asyncio.to_thread(process.wait, PATIENCE)
                assert code != 0
                text = log.read_text()
                if signalled is bridged:
                    assert re.search(r"was ended by SIGTERM|exit code 143", text), text
                else:
                    assert code in (-signal.SIGTERM, 128 + signal.SIGTERM, 130), text


def dialling(running: Running) -> dict[str, str]:
    """Return the environment of a bot that dials in."""
    return {"HIGHSTREET_TARGET": running.address, "HIGHSTREET_TOKEN": running.tokens[TESTED]}


def check_that_it_ends_where_no_referee_is(command: Sequence[str], folder: Path) -> None:
    """Check that a signal ends a bot that looks for a referee at once, with exit code 0."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        deaf.settimeout(PATIENCE)
        target = f"127.0.0.1:{deaf.getsockname()[1]}"
        with started(
            command, folder / "log", HIGHSTREET_TARGET=target, HIGHSTREET_TOKEN="t"
        ) as process:
            deaf.accept()[0].close()  # it has dialled, and is cut off
            process.send_signal(signal.SIGTERM)
            wait_until(lambda: process.poll() is not None)
            assert process.returncode == 0, (folder / "log").read_text()
