"""Attacks on the pages of a real league server, while honest readers read and bots play.

Each test holds its load on a server that was started with few descriptors, and notes what was held,
what memory that took, and what became of the decisions at the tables. Attackers come from addresses
of their own: on loopback every address of 127.0.0.0/8 is one.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa

from tests.attacks.harness import Cost
from tests.tournaments.serving import process, wait_for_line, wait_until
from tournaments.model import UNLIMITED, GameSettings, LeagueSettings, PlannedSet, Version
from tournaments.store import Store, schema
from tournaments.web.middleware import REFUSED_AFTER
from tournaments.web.pages import MOST_ZIPS_PER_CLIENT
from tournaments.web.server import MOST_PER_CLIENT, READ_WITHIN, REQUEST_WITHIN
from tournaments.web.stream import MOST_PER_CLIENT as MOST_STREAMS_PER_CLIENT

pytestmark = pytest.mark.slow

LEAGUE: Final = "live"
ARCHIVE: Final = "archive"
DESCRIPTORS: Final = 256
"""The soft limit that the server is started with."""
RECORDS: Final = 160
RECORD: Final = 100_000
"""Bytes of each: a zip of all of them is larger than what the kernel keeps for a reader."""
HONEST: Final = "127.0.0.2"
MOST_MEMORY: Final = 64 * 1024
"""The KiB by which an attack may grow the server at most."""
LEAST_SHARE: Final = 0.9
"""Of the decisions for each second of the server's own processor time, without the attack."""
Note = Callable[[str, object], None]


@dataclass
class Server:
    """A league server with two leagues: one that is played, and one with many records."""

    running: subprocess.Popen[str]
    port: int

    def get(self, path: str, source: str = HONEST) -> bytes:
        """Read a page from an address, whole; raises for anything but 200."""
        with self.dial(source) as dialled:
            dialled.settimeout(120)
            dialled.sendall(request(path))
            said = bytearray()
            while piece := dialled.recv(65536):
                said += piece
        head, _, body = bytes(said).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        return body

    def dial(self, source: str, buffer: int = 0) -> socket.socket:
        """Connect from an address."""
        dialled = socket.socket()
        if buffer:
            dialled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        dialled.bind((source, 0))
        dialled.connect(("127.0.0.1", self.port))
        return dialled

    @property
    def memory(self) -> int:
        """How many KiB it has in memory."""
        found = re.search(r"VmRSS:\s+(\d+)", self._proc("status"))
        assert found is not None
        return int(found[1])

    @property
    def cpu(self) -> float:
        """Seconds of processor time that it has used itself."""
        fields = self._proc("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def descriptors(self) -> int:
        """How many it has open."""
        return len(os.listdir(f"/proc/{self.running.pid}/fd"))  # noqa: PTH208  the fastest way

    @property
    def decisions(self) -> float:
        """How many decisions were made at its tables."""
        return self.figure("decisions")

    def figure(self, name: str) -> float:
        """Return a counter of its metrics."""
        found = re.search(rf"(?m)^highstreet_{name}_total (\S+)", self.get("/metrics").decode())
        assert found is not None
        return float(found[1])

    def _proc(self, name: str) -> str:
        return Path(f"/proc/{self.running.pid}/{name}").read_text()

    def rate(self, seconds: float = 3.0) -> float:
        """Return how many decisions it makes for each second of its processor time."""
        decisions, cpu = self.decisions, self.cpu
        time.sleep(seconds)  # what is measured is how much happens meanwhile
        return (self.decisions - decisions) / (self.cpu - cpu)


def request(path: str, method: str = "GET") -> bytes:
    """Return a request after whose answer the connection ends."""
    return f"{method} {path} HTTP/1.1\r\nHost: pages\r\nConnection: close\r\n\r\n".encode()


def fill(store: Store) -> None:
    """Make a league with many records, and one for the bots of the house."""
    rules = (GameSettings("glastonbury", (2,)),)
    store.create_league(ARCHIVE, LeagueSettings("Archive", rules))
    store.create_league(LEAGUE, LeagueSettings("Live", rules, pace=UNLIMITED))
    table = (Version("ann", "1"), Version("bob", "1"))
    for name, version in table:
        store.enter(ARCHIVE, name, "")
        store.see_version(ARCHIVE, name, version)
    planned = [PlannedSet("glastonbury", "plain", table, "they are here")] * RECORDS
    ids = [match.id for added in store.add_sets(ARCHIVE, planned) for match in added]
    with store._database.write() as connection:
        connection.execute(sa.update(schema.matches).values(state="played", ending="x"))
        rows = [{"match": match, "record": os.urandom(RECORD)} for match in ids]
        connection.execute(sa.insert(schema.records), rows)
    store.close_league(ARCHIVE)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server with few descriptors, pages, and four bots that play."""
    folder = tmp_path_factory.mktemp("server")
    with Store.open(f"sqlite:///{folder / 'league.db'}") as store:
        store.first_organiser()
        fill(store)
    code = (
        "import resource; hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; "
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({DESCRIPTORS}, hard)); "
        "from tournaments.cli import main; main()"
    )
    house = [f"--house={LEAGUE}/bot {number}=random" for number in range(4)]
    command = [sys.executable, "-c", code, "serve", "--data", str(folder), "--port", "0", *house]
    with process([*command, "--web-port", "0"], folder / "log") as running:
        address = wait_for_line(running, "pages on http://", folder / "log")
        found = Server(running, int(address.rpartition(":")[2]))
        wait_until(lambda: found.decisions > 500, "the bots play")
        yield found


@pytest.fixture(autouse=True)
def many_descriptors() -> Iterator[None]:
    """Let this process hold the connections of many attackers."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 8192 if limits[1] == resource.RLIM_INFINITY else min(8192, limits[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limits[0], most), limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def is_open(connection: socket.socket) -> bool:
    """Tell whether the other side has not closed a connection; reads what has come."""
    try:
        while connection.recv(65536, socket.MSG_DONTWAIT):
            pass
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def status(connection: socket.socket) -> int:
    """Wait for the first line of an answer, and return its status."""
    connection.settimeout(120)
    return int(connection.recv(4096).split()[1])


def read_all(connection: socket.socket) -> bytes:
    """Read until the other side ends the connection, however it does."""
    said = bytearray()
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65536):
            said += piece
    return bytes(said)


def check_tables(
    server: Server, attack: Callable[[], AbstractContextManager[Any]], note: Note
) -> None:
    """Compare decisions with and without an attack, by turns, for each second of processor time."""
    cost = Cost([server.rate()])
    while cost.is_unclear:
        with attack():
            cost.with_it.append(server.rate())
        cost.without.append(server.rate())
    note("share of the decisions per second of processor time", round(cost.kept, 3))
    assert cost.kept >= LEAST_SHARE, cost


# Idle connections -------------------------------------------------------------------------------


def test_idle_connections_end_and_keep_nobody_out(server: Server, record_property: Note) -> None:
    """More than the server had descriptors for, from 20 addresses: silent, and with half a word."""
    before, addresses = server.memory, [f"127.1.0.{number}" for number in range(1, 21)]
    with ExitStack() as stack:
        idle = [stack.enter_context(server.dial(each)) for each in addresses for _ in range(60)]
        trickling = idle[::2]
        for connection in trickling:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: p")
        server.get("/")
        held = sum(map(is_open, idle))
        record_property("connections held", held)
        record_property("KiB for each", round((server.memory - before) / len(idle), 1))
        assert held > DESCRIPTORS
        began = time.monotonic()

        def are_gone() -> bool:
            server.get(f"/leagues/{LEAGUE}")  # readers go on being served
            for connection in trickling:
                with contextlib.suppress(OSError):
                    connection.send(b"a")
            return not any(map(is_open, idle))

        wait_until(are_gone, "idle connections are closed")
        record_property("seconds until all were closed", round(time.monotonic() - began, 1))
        assert server.memory - before < MOST_MEMORY
    wait_until(lambda: server.descriptors < DESCRIPTORS, "their descriptors are free")


def test_connections_of_one_address_are_limited(server: Server, record_property: Note) -> None:
    with ExitStack() as stack:
        made = [stack.enter_context(server.dial("127.1.1.1")) for _ in range(3 * MOST_PER_CLIENT)]
        wait_until(lambda: sum(map(is_open, made)) <= MOST_PER_CLIENT, "too many are closed")
        server.get("/")
        record_property("connections held of one address", sum(map(is_open, made)))
        refused = stack.enter_context(server.dial("127.1.1.1"))
        refused.settimeout(120)
        assert refused.recv(4096).startswith(b"HTTP/1.1 429")


@pytest.mark.alone
def test_idle_connections_take_no_decisions_from_the_tables(
    server: Server, record_property: Note
) -> None:
    @contextlib.contextmanager
    def attack() -> Iterator[None]:
        with ExitStack() as stack:
            for number in range(600):
                stack.enter_context(server.dial(f"127.1.2.{1 + number % 10}"))
            yield

    check_tables(server, attack, record_property)


# Zips that are not read -------------------------------------------------------------------------


def test_unread_zips_keep_no_zip_from_others_and_end(server: Server, record_property: Note) -> None:
    path, before = f"/leagues/{ARCHIVE}/records.zip", server.memory
    with ExitStack() as stack:
        greedy = [stack.enter_context(server.dial("127.2.0.1", 4096)) for _ in range(20)]
        for connection in greedy:
            connection.sendall(request(path))
        answers = [status(connection) for connection in greedy]
        assert answers.count(200) == MOST_ZIPS_PER_CLIENT
        assert answers.count(429) == len(greedy) - MOST_ZIPS_PER_CLIENT
        zipped = server.get(path)
        assert len(zipped) > RECORDS * RECORD
        record_property("zips held unread", answers.count(200))
        record_property("KiB more in memory", server.memory - before)
        assert server.memory - before < MOST_MEMORY
        began = time.monotonic()
        held = [each for each, answer in zip(greedy, answers, strict=True) if answer == 200]

        def may_read_again() -> bool:
            """Ask from the same address: a slot is free when an unread zip was cut off."""
            with server.dial("127.2.0.1") as another:
                another.sendall(request(path, "HEAD"))
                return status(another) == 200

        wait_until(may_read_again, "unread zips are cut off", 4 * READ_WITHIN + 60)
        record_property("seconds until they were cut off", round(time.monotonic() - began, 1))
        for connection in held:
            connection.settimeout(120)
            assert len(read_all(connection)) < len(zipped), "the rest was never sent"


@pytest.mark.alone
def test_zips_take_at_most_a_tenth_of_their_decisions_from_the_tables(
    server: Server, record_property: Note
) -> None:
    """Sixteen clients, the most at a time, download without a pause, and begin again."""
    path, made = f"/leagues/{ARCHIVE}/records.zip", server.figure("download_cpu_seconds")

    def read(number: int, stopped: threading.Event) -> None:
        while not stopped.is_set():
            with server.dial(f"127.2.2.{number}") as connection:
                connection.settimeout(0.2)
                connection.sendall(request(path))
                while not stopped.is_set():
                    with contextlib.suppress(TimeoutError):
                        if not connection.recv(65536):
                            break

    @contextlib.contextmanager
    def attack() -> Iterator[None]:
        stopped = threading.Event()
        with ThreadPoolExecutor(16) as readers:
            reading = [readers.submit(read, number, stopped) for number in range(1, 17)]
            yield
            stopped.set()
        for each in reading:
            each.result()

    check_tables(server, attack, record_property)
    made = server.figure("download_cpu_seconds") - made
    record_property("seconds of processor time for zips", round(made, 2))
    assert made > 0


# Requests ---------------------------------------------------------------------------------------


def test_refused_requests_are_few(server: Server, record_property: Note) -> None:
    """A reader on 20 connections asks again as soon as an answer has come."""
    gone, refused, seconds = threading.Event(), Counter[int](), 5.0

    def read() -> None:
        with server.dial("127.6.0.1") as connection:
            while not gone.is_set():
                connection.sendall(b"GET /static/none HTTP/1.1\r\nHost: pages\r\n\r\n")
                said = b""
                while b"\r\n\r\n" not in said:
                    said += connection.recv(65536)
                head, _, body = said.partition(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: (\d+)", head)
                while length is not None and len(body) < int(length[1]):
                    body += connection.recv(65536)
                refused[int(head.split()[1])] += 1

    with ThreadPoolExecutor(20) as readers:
        reading = [readers.submit(read) for _ in range(20)]
        try:
            wait_until(lambda: refused[429] >= 20, "the reader is refused")
            before, began = refused[429], time.monotonic()
            time.sleep(seconds)  # what is measured is how much happens meanwhile
            rate = (refused[429] - before) / (time.monotonic() - began)
        finally:
            gone.set()
        for each in reading:
            each.result()
    record_property("refusals a second, on 20 connections", round(rate, 1))
    assert rate <= 20 * 1.1 / REFUSED_AFTER


# Streams of events ------------------------------------------------------------------------------


def test_a_storm_of_streams_gets_exactly_what_one_reader_may_have(
    server: Server, record_property: Note
) -> None:
    """All are asked for before any has begun."""
    path, before = f"/leagues/{LEAGUE}/live/events", server.memory
    with ExitStack() as stack:
        storm = [stack.enter_context(server.dial("127.3.0.1")) for _ in range(100)]
        for connection in storm:
            connection.sendall(request(path))
        answers = [status(connection) for connection in storm]
        assert answers.count(200) == MOST_STREAMS_PER_CLIENT
        assert answers.count(429) == len(storm) - MOST_STREAMS_PER_CLIENT
        record_property("streams held of 100", answers.count(200))
        record_property("KiB more in memory", server.memory - before)
        other = stack.enter_context(server.dial(HONEST))
        other.sendall(request(path))
        assert status(other) == 200
        assert server.memory - before < MOST_MEMORY


# Odd bytes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /%00%ff?path=x&%zz=1 HTTP/1.1\r\nHost: p\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: p\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"GET / HTTP/1.1\r\nHost: p\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: p\r\nContent-Length: 10\r\nConnection: close\r\n\r\n",
        b"GET " + b"/" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET http://[::1/ HTTP/1.1\r\nHost: p\r\nConnection: close\r\n\r\n",
    ],
)
def test_odd_bytes_are_no_failure_of_the_server(server: Server, said: bytes) -> None:
    with server.dial("127.4.0.1") as connection:
        connection.settimeout(60 + REQUEST_WITHIN)
        with contextlib.suppress(ConnectionError):
            connection.sendall(said)
        answer = read_all(connection)
        assert not re.match(rb"HTTP/1.1 5", answer), answer[:200]
    assert server.get("/")
