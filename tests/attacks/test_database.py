"""A database under attack: servers that freeze or have a wrong clock, a full disk, a foreign lock.

Each test notes, as a property of its report, what the honest server did meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa

from tests.tournaments.postgres import PostgresServer, postgres_server
from tests.tournaments.serving import (
    LEAGUE,
    Place,
    all_matches,
    check_everything_once,
    process,
    run,
    stop,
    until,
    wait_for_line,
    wait_until,
)
from tests.tournaments.swarm import Swarm, everybody_heard, hold_at, league_file
from tournaments.model import ScheduledMatch
from tournaments.runner.league_manager import LEASE
from tournaments.store import Store, schema

BOTS: Final = 6
AHEAD: Final = 60
"""How many seconds a wrong clock is ahead."""
SHIFTED: Final = f"""
import datetime, time
real, wall = datetime.datetime, time.time
class Kind(type):
    def __instancecheck__(cls, value): return isinstance(value, real)
class Shifted(real, metaclass=Kind):
    @classmethod
    def now(cls, tz=None): return real.now(tz) + datetime.timedelta(seconds={AHEAD})
    @classmethod
    def utcnow(cls): return real.utcnow() + datetime.timedelta(seconds={AHEAD})
datetime.datetime = Shifted
time.time = lambda: wall() + {AHEAD}
from tournaments.cli import main
main()
"""
"""The command line of Highstreet on a machine whose clock is ahead."""


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server for these tests."""
    with postgres_server() as server:
        yield server


@contextlib.contextmanager
def frozen(server: subprocess.Popen[str]) -> Iterator[None]:
    """Stop a server and everything that it has started, as a hypervisor does."""
    os.killpg(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(server.pid, signal.SIGCONT)


# Two servers ------------------------------------------------------------------------------------


class TwoServers:
    """Two servers on one PostgreSQL, with all bots connected to both."""

    def __init__(self, url: str, folder: Path, stack: ExitStack) -> None:
        self.url = url
        self.folder = folder
        self._stack = stack
        self.file = folder / "league.toml"
        self.file.write_text(league_file(BOTS), encoding="utf-8")
        self.places = [Place(folder / name, url, stack) for name in ("one", "two")]
        self.swarm = Swarm()
        self.store: Store

    def start(self, place: Place, code: str = "") -> subprocess.Popen[str]:
        """Start a server, or a program in its place."""
        options = ("--league", f"{LEAGUE}={self.file}", "--grace", "0")
        if not code:
            return place.start(*options)
        command = [sys.executable, "-c", code, "serve", *place.where, "--port", place._port]
        running = self._stack.enter_context(process([*command, *options], place.log))
        assert wait_for_line(running, "listening on ", place.log) == place.address
        return running

    def send_bots(self) -> None:
        """Let all bots dial in at both."""
        self.store = self._stack.enter_context(Store.open(self.url, migrate=False))
        tokens = [self.store.enter(LEAGUE, f"bot {number}", "")[1] for number in range(BOTS)]
        for place in self.places:
            self.swarm.send(place.address, tokens)

    async def played_by(self, place: Place) -> int:
        """Return how many matches a server has played."""
        played = await asyncio.to_thread(all_matches, self.store, "played")
        return sum(match.server == place.name for match in played)

    async def until_played(self, place: Place, number: int) -> None:
        """Wait until a server has played a number of matches."""

        async def enough() -> bool:
            assert not self.swarm.refused, self.swarm.refused
            return await self.played_by(place) >= number

        try:
            await until(enough, f"{place.name} has played {number} matches")
        except AssertionError as error:
            for each in self.places:
                error.add_note(f"{each.name}: {each.log.read_text()[-4000:]}")
            raise

    def both_play(self, running: Sequence[ScheduledMatch]) -> bool:
        """Tell whether each server has a running match."""
        return {match.server for match in running} == {place.name for place in self.places}


def with_two(postgres: PostgresServer, folder: Path, test: Callable[[TwoServers], Any]) -> None:
    """Run a test with two servers and their database."""
    url = postgres.new_database()
    with ExitStack() as stack:
        stack.callback(postgres.drop_database, url)
        two = TwoServers(url, folder, stack)

        async def tested() -> None:
            try:
                await test(two)
            finally:
                await two.swarm.recall_all()

        run(tested)


def waiting_for_sets(connection: sa.Connection) -> list[int]:
    """Return the sessions that wait to write into the table of sets."""
    query = (
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
        "AND query LIKE 'INSERT INTO sets%' AND datname = current_database()"
    )
    return [row[0] for row in connection.exec_driver_sql(query.replace("%", "%%"))]


@pytest.mark.slow
def test_server_frozen_in_a_transaction_does_not_hold_up_the_other(
    postgres: PostgresServer, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """It holds the row of the league, which every server locks to schedule anything."""

    async def test(two: TwoServers) -> None:
        one, other = two.places
        first = await asyncio.to_thread(two.start, one)
        two.send_bots()
        await two.until_played(one, 3)
        engine = sa.create_engine(two.url)
        with contextlib.closing(engine.connect()) as holding, engine.connect() as looking:
            holding.exec_driver_sql("LOCK TABLE sets IN EXCLUSIVE MODE")

            async def is_waiting() -> list[int]:
                looking.rollback()
                return await asyncio.to_thread(waiting_for_sets, looking)

            (backend, *_) = await until(is_waiting, "the first server schedules")
            with frozen(first):
                holding.rollback()  # now its session has all its locks, and waits for a program

                async def is_idle() -> bool:
                    looking.rollback()
                    query = "SELECT state FROM pg_stat_activity WHERE pid = %(pid)s"
                    found = looking.exec_driver_sql(query, {"pid": backend}).scalar()
                    return bool(found == "idle in transaction")

                await until(is_idle, "the frozen server is inside its transaction")
                began = time.monotonic()
                second = await asyncio.to_thread(two.start, other)
                await two.until_played(other, 10)
                took = time.monotonic() - began
                record_property("seconds until the other server had played 10 matches", took)
        engine.dispose()
        await two.until_played(one, 4)
        await hold_at(two.swarm, two.store, bool)
        two.swarm.go_on()
        for server in (first, second):
            await asyncio.to_thread(stop, server)
        check_everything_once(two.store, tmp_path)

    with_two(postgres, tmp_path, test)


@pytest.mark.slow
def test_server_whose_clock_is_ahead_takes_nothing_from_the_other(
    postgres: PostgresServer, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Its clock is two leases ahead: by its own time, all that the other holds has expired."""
    assert AHEAD >= 2 * LEASE

    async def test(two: TwoServers) -> None:
        wrong, right = two.places
        servers = [
            await asyncio.to_thread(two.start, wrong, SHIFTED),
            await asyncio.to_thread(two.start, right),
        ]
        two.send_bots()
        for place in two.places:
            await two.until_played(place, 5)
        running = await hold_at(two.swarm, two.store, two.both_play)
        for place in two.places:
            await renewals(two.store, place.name, 3)
        still = two.store.running(LEAGUE)
        held = {(match.id, match.attempt, match.server) for match in running}
        assert held <= {(match.id, match.attempt, match.server) for match in still}
        two.swarm.go_on()
        for place in two.places:
            await two.until_played(place, await two.played_by(place) + 5)
        await hold_at(two.swarm, two.store, bool)
        await everybody_heard(two.swarm, two.store)
        everything = all_matches(two.store)
        again = [match.id for match in everything if match.attempt > 1]
        record_property("matches, and those that were begun again", (len(everything), len(again)))
        assert again == [], "no match was taken from the server that played it"
        two.swarm.go_on()
        for server in servers:
            await asyncio.to_thread(stop, server)
        check_everything_once(two.store, tmp_path)

    with_two(postgres, tmp_path, test)


def test_no_session_can_hold_up_a_server_beyond_the_lease(postgres: PostgresServer) -> None:
    """A frozen program and a lock end earlier, and a machine that is gone is noticed by then."""
    url = postgres.new_database()
    with Store.open(url) as store, store._database.read() as connection:

        def seconds(name: str) -> float:
            query = "SELECT setting::float, unit FROM pg_settings WHERE name = %(name)s"
            value, unit = connection.exec_driver_sql(query, {"name": name}).one()
            return float(value) / {"s": 1, "ms": 1000, None: 1}[unit]

        idle, lock = seconds("idle_in_transaction_session_timeout"), seconds("lock_timeout")
        assert 0 < idle < lock < LEASE
        local = connection.exec_driver_sql("SELECT inet_client_addr()").scalar() is None
        if not local:
            probes = seconds("tcp_keepalives_interval") * seconds("tcp_keepalives_count")
            assert 0 < seconds("tcp_keepalives_idle") + probes <= LEASE
    postgres.drop_database(url)


async def renewals(store: Store, server: str, number: int) -> None:
    """Wait until a server has renewed its leases a number of times."""
    seen: set[datetime] = set()
    query = sa.select(sa.func.max(schema.matches.c.lease_until)).where(
        schema.matches.c.server == server, schema.matches.c.state == "running"
    )

    def look() -> bool:
        with store._database.read() as connection:
            seen.add(connection.execute(query).scalar_one())
        return len(seen) > number

    await until(lambda: asyncio.to_thread(look), f"{server} renews its leases")


# The health of a server -------------------------------------------------------------------------


@contextlib.contextmanager
def league_with_pages(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server with pages on a file; return it and the address of its pages."""
    with ExitStack() as stack:
        place = Place(folder, f"sqlite:///{folder / 'data' / 'league.db'}", stack)
        command = [sys.executable, "-c", "from tournaments.cli import main; main()", "serve"]
        options = ["--data", str(folder / "data"), "--port", "0", "--web-port", "0"]
        running = stack.enter_context(process([*command, *options], place.log))
        yield running, wait_for_line(running, "pages on ", place.log)


def health(pages: str) -> tuple[int, str]:
    """Ask how a server is."""
    try:
        with urllib.request.urlopen(f"{pages}/healthz", timeout=60) as answer:  # noqa: S310  ours
            return answer.status, json.load(answer)["state"]
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)["state"]


@pytest.mark.slow
def test_health_says_that_the_database_is_locked_or_full(tmp_path: Path) -> None:
    """As a supervisor sees it: 503 with the reason while it lasts, and 200 again after it."""
    well = (200, "ok")
    with league_with_pages(tmp_path / "place") as (server, pages):
        assert health(pages) == well
        path = tmp_path / "place" / "data" / "league.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            locked = (503, "the database cannot be used: it is locked by another program")
            wait_until(lambda: health(pages) == locked, "it says that the database is locked")
            foreign.execute("ROLLBACK")
        wait_until(lambda: health(pages) == well, "it is well again")
        limits = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1, limits[1]))  # no write succeeds

        def is_full() -> bool:
            status, state = health(pages)
            return status == 503 and state.startswith("the database cannot be used: it")

        wait_until(is_full, "it says that nothing can be written")
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, limits)
        wait_until(lambda: health(pages) == well, "it is well again")


def test_health_of_a_server_that_may_only_read(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    with Store.open(url) as store:
        store.check_health(1.0)
        name = sa.make_url(url).database
        postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        with pytest.raises(Exception, match="read-only"):
            store.check_health(1.0)
    postgres.drop_database(url)
