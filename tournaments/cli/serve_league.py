"""``highstreet serve`` with a database: leagues that go on, and pages that show them."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import secrets
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from engine import UsageError
from referee import Tls
from referee.files import write_whole
from referee.loop import run_async
from referee.tuning import refereeing
from tournaments.cli.match_options import make_folder
from tournaments.league.file import parse_league
from tournaments.league.host import LeagueHost
from tournaments.league.house import House, HouseBot
from tournaments.league.logs import log_to_stderr
from tournaments.league.model import LeagueSettings, NotFoundError, Role
from tournaments.league.server import LeagueServer
from tournaments.league.store import LeagueStore

if TYPE_CHECKING:
    from starlette.applications import Starlette

log = logging.getLogger(__name__)

DATABASE: Final = "league.db"
SWITCH: Final = 0.001
"""After so many seconds the loop lets a thread run that wants to. With many tables in play it is
never idle, and a thread that asks the database wants to run again after each of its statements."""
WEB_GRACE: Final = 2
"""How long pages that are being sent may take when the server stops, in seconds."""


@dataclass(frozen=True, slots=True)
class LeagueOrder:
    """What the command line asks for."""

    folder: Path | None
    database: str | None
    host: str
    port: int
    unix: Path | None
    tls: Tls | None
    web_host: str
    web_port: int | None
    grace: float
    matches: int | None
    """After how many matches the server stops; nothing means never."""
    leagues: Sequence[tuple[str, LeagueSettings]]
    """To be made unless they are there."""
    house: Sequence[HouseBot]
    open_entry: bool
    proxies: Sequence[str]
    """Reverse proxies before the pages, whose X-Forwarded-For is believed."""
    as_json: bool

    @property
    def url(self) -> str:
        """Where the leagues are kept."""
        return database_url(self.folder, self.database)


def database_url(folder: Path | None, database: str | None) -> str:
    """Return the database that --data and --database mean."""
    if database is not None:
        return database
    if folder is None:
        raise UsageError("say where the leagues are kept: --data FOLDER or --database URL.")
    return f"sqlite:///{folder.resolve() / DATABASE}"


def read_league_file(text: str) -> tuple[str, LeagueSettings]:
    """Read LEAGUE=FILE, and the file."""
    league, equals, name = text.partition("=")
    if not (league and equals and name):
        raise UsageError(f'cannot read --league "{text}": write it as LEAGUE=FILE.')
    try:
        return league, parse_league(Path(name).read_text(encoding="utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {name}: {error}.") from None


def initialise(folder: Path | None, database: str | None) -> None:
    """Make the database, and print the first token of an organiser, once."""
    if folder is not None:
        make_folder(folder).chmod(0o700)
    with LeagueStore.open(database_url(folder, database)) as store:
        token = store.first_organiser()
    if token is None:
        click.echo("the database is ready; it has an organiser already, whose token stays good")
        return
    click.echo("the database is ready; this is the token of its organiser, shown this once:")
    click.echo(token)


def serve(order: LeagueOrder) -> None:
    """Run a league server until it is told to stop."""
    log_to_stderr(as_json=order.as_json)
    with _folder_of_ours(order.folder), _opened(order) as store, refereeing():
        sys.setswitchinterval(SWITCH)
        run_async(_Server(order, store).run())


@contextlib.contextmanager
def _folder_of_ours(folder: Path | None) -> Iterator[None]:
    """Keep a second server out of a folder."""
    if folder is None:
        yield
        return
    try:
        lock = (folder / "lock").open("w")
    except OSError as error:
        raise UsageError(f"cannot use {folder}: {error.strerror}. Make it with --init.") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"another server uses {folder}: stop it first.") from None
        yield


@contextlib.contextmanager
def _opened(order: LeagueOrder) -> Iterator[LeagueStore]:
    hint = "make it with `highstreet serve --init` and the same --data or --database."
    if order.database is None and not (order.folder or Path()).joinpath(DATABASE).exists():
        raise UsageError(f"there is no database in {order.folder}: {hint}")
    with LeagueStore.open(order.url) as store:
        if all(each.role != Role.ORGANISER for each in store.holders().values()):
            raise UsageError(f"the database has no organiser: {hint}")
        for league, settings in order.leagues:
            try:
                store.league(league)
            except NotFoundError:
                store.create_league(league, settings)
        yield store


class _Server:
    """Everything that runs in one process, on one loop."""

    def __init__(self, order: LeagueOrder, store: LeagueStore) -> None:
        self._order = order
        self._store = store

    async def run(self) -> None:
        """Start everything, wait, and stop everything."""
        order, loop, stopped = self._order, asyncio.get_running_loop(), asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopped.set)
        server = LeagueServer(self._store, order.url, tls=order.tls, open_entry=order.open_entry)
        with self._socket() as unix:
            await server.start(order.host, order.port, unix, self._name)
            address, port = server.referee.address, server.referee.port
            self._say(f"listening on {address}", address=address)
            target = f"unix:{unix}" if order.tls and unix else f"127.0.0.1:{port}"
            house = House(server.door, self._store, target, self._logs())
            house.start(order.house)
            counting = asyncio.create_task(self._stop_after_enough(server.host, stopped))
            try:
                async with self._pages(server.host, house, stopped):
                    await stopped.wait()
                    log.info("stopping; matches have %g seconds to finish", order.grace)
                    await server.stop(order.grace)
            finally:
                counting.cancel()
                await house.stop()
        log.info("stopped")
        if order.matches is not None:
            self._say(f"{server.host.figures.matches} matches played")

    async def _stop_after_enough(self, host: LeagueHost, stopped: asyncio.Event) -> None:
        if self._order.matches is None:
            return
        while host.figures.matches < self._order.matches:  # noqa: ASYNC110  nobody is in a hurry
            await asyncio.sleep(0.2)
        stopped.set()

    @contextlib.contextmanager
    def _socket(self) -> Iterator[Path | None]:
        """Return the socket to listen on, if there is to be one.

        No certificate is good for the name by which house bots would dial this machine.
        """
        order = self._order
        if order.unix is not None or not order.house or order.tls is None:
            yield order.unix
            return
        with tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
            yield Path(folder) / "house.sock"

    def _say(self, sentence: str, **extra: Any) -> None:
        """Tell whoever started us; in the log alone if a program reads it."""
        if self._order.as_json:
            log.info(sentence, extra=extra)
        else:
            click.echo(sentence)

    def _name(self, port: int) -> str:
        """Return under which name this process claims matches: the same after a restart.

        Nobody else may have it: a folder has one server, and so has a port of a machine.
        """
        folder = self._order.folder
        if folder is not None:
            path = folder / "server"
            if not path.exists():
                write_whole(path, f"{socket.gethostname()}-{secrets.token_hex(4)}\n".encode())
            return path.read_text(encoding="utf-8").strip()
        chosen = self._order.port != 0
        return f"{socket.gethostname()}:{port if chosen else secrets.token_hex(4)}"

    def _logs(self) -> Path | None:
        if self._order.folder is None:
            return None
        return make_folder(self._order.folder / "logs")

    # Pages --------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _pages(
        self, host: LeagueHost, house: House, stopped: asyncio.Event
    ) -> AsyncIterator[None]:
        """Serve the pages, if they are asked for, until we leave."""
        wanted = self._order.web_port is not None
        application = self._application(host, house) if wanted else None
        if application is None:
            yield
            return
        server = _web_server(application)
        listening = _bound(self._order.web_host, self._order.web_port or 0)
        running = asyncio.create_task(server.serve(sockets=[listening]))
        running.add_done_callback(lambda _: stopped.set())  # without pages we are not whole
        address = "{}:{}".format(*listening.getsockname()[:2])
        self._say(f"pages on http://{address}", pages=address)
        try:
            yield
        finally:
            server.should_exit = True
            await asyncio.gather(running, return_exceptions=True)
            listening.close()

    def _application(self, host: LeagueHost, house: House) -> Starlette | None:
        try:
            web = import_module("tournaments.web.app")  # slow to load, and not always wanted
        except ModuleNotFoundError as error:
            if error.name is None or not error.name.startswith("tournaments.web"):
                raise
            log.warning("this installation has no pages: going on without them")
            return None
        application: Starlette = web.app(
            self._store, host, house.log_of, proxies=self._order.proxies
        )
        return application


def _web_server(application: Starlette) -> Any:
    import uvicorn  # noqa: PLC0415  only where pages are asked for

    class Guest(uvicorn.Server):
        """A web server in a loop that is not its own: signals are not its business."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Leave signals to whoever runs the loop."""
            yield

    config = uvicorn.Config(
        application,
        log_config=None,
        lifespan="off",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=WEB_GRACE,
        proxy_headers=False,
        h11_max_incomplete_event_size=16 * 1024,
    )
    return Guest(config)


def _bound(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=512
        )
    except OSError as error:
        raise UsageError(f"cannot listen on {host}:{port}: {error.strerror}.") from None
