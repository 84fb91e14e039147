"""The process of ``highstreet serve``: database, referee, services, pages, managed bots."""

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
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import click

from engine import AnyGame, UsageError
from referee.model import SandboxKind
from referee.runtime import raise_open_files, read_text, run_async, tuned_process, write_whole
from referee.sandbox import SANDBOXES, SandboxUnavailableError
from referee.transports import listening_socket
from tournaments.cli.files import file_errors, make_folder
from tournaments.cli.options import (
    DATABASE,
    Listen,
    MatchRules,
    cluster_module,
    database_url,
    read_options,
)
from tournaments.config import parse_league
from tournaments.model import (
    UNLIMITED,
    GameSettings,
    LeagueSettings,
    NotFoundError,
    Role,
    RuntimesSettings,
)
from tournaments.runner import LeagueManager, MatchCluster, Slots
from tournaments.server import (
    HOSTED_LIMITS,
    HostedBots,
    LeagueServer,
    ManagedBot,
    ManagedBots,
    PackageIntake,
    RecordCopies,
    log_to_stderr,
    read_managed_bot,
)
from tournaments.store import Store
from tournaments.submissions import (
    CacheLimits,
    PackageCache,
    SubmissionQueue,
    Uploads,
    refuse_visible,
)

log = logging.getLogger(__name__)

DEFAULT: Final = "default"
"""The id of the league of a server without a database."""
SWITCH: Final = 0.001
"""The switch interval of threads, in seconds. With many matches in play the event loop is never
idle, and a thread that queries the database must run again after each of its statements."""
EVERYWHERE: Final = ("0.0.0.0", "::", "[::]")  # noqa: S104  named, not listened on
"""Hosts that mean all addresses of the machine, and are no address for bots."""
POLL: Final = 0.2
"""The interval at which the number of played matches is read, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """The options of the command line."""

    data: Path | None
    """Where the database and the logs are; a temporary folder if neither it nor a URL is given."""
    database: str | None
    listen: Listen
    unix: Path | None
    web_host: str
    web_port: int | None
    web_address: str | None
    """Where people find the pages; None for the address on which they are served."""
    submissions: bool
    """Whether packages of bots are taken, if there is a folder for them and a sandbox."""
    grace: float
    matches: int | None
    """The number of matches after which the server stops; None for no limit."""
    leagues: Sequence[tuple[str, LeagueSettings]]
    """Leagues to create unless they exist."""
    default: LeagueSettings | None
    """The league of a server that is given neither a database nor a league file."""
    entrants: Sequence[str]
    """The bots that are entered in the default league, and whose tokens are printed."""
    house: Sequence[ManagedBot]
    runtimes: RuntimesSettings
    """What packages of bots may use of this machine."""
    slots: int | None
    """How many matches with submitted bots are played at once; None for one for each core."""
    package_cache: float
    """How many GiB of packages stay built."""
    cluster: str | None
    """The address of a Dask scheduler, on whose workers submitted bots play."""
    without_worker: Sequence[str]
    """Workers of the cluster that are left out."""
    open_entry: bool
    out: Path | None
    """A folder for copies of the records."""
    proxies: Sequence[str]
    """Reverse proxies before the pages, whose X-Forwarded-For is believed."""
    log_json: bool

    @property
    def url(self) -> str:
        """The database URL."""
        return database_url(self.data, self.database)


# Options ----------------------------------------------------------------------------------------


def read_server_options(given: dict[str, Any], default_league: dict[str, Any]) -> ServerOptions:
    """Read the options of ``highstreet serve``; those of the default league if it has one."""
    leagues = tuple(map(_read_league_file, given.pop("leagues")))
    house = tuple(map(read_managed_bot, given.pop("house")))
    if given["proxies"]:
        from tournaments.web import read_proxies  # noqa: PLC0415  slow to load

        read_proxies(given["proxies"])  # an invalid address is refused before the server starts
    _check_cluster(given)
    _check_ports(given)
    default, entrants = None, default_league.pop("entrants", ())
    if default_league:
        default = _default_league(**default_league)
        if not entrants:
            given["open_entry"] = True
        elif not given["open_entry"]:
            _refuse_too_few(default, len(entrants) + sum(bot.league == DEFAULT for bot in house))
    if given["out"] is not None:
        with file_errors("write into", given["out"]):
            tempfile.TemporaryFile(dir=make_folder(given["out"])).close()
    return ServerOptions(**given, leagues=leagues, house=house, default=default, entrants=entrants)


def _check_ports(given: dict[str, Any]) -> None:
    """Refuse one port for bots and pages."""
    listen: Listen = given["listen"]
    pages = given["web_host"], given["web_port"]
    if listen.port and (listen.host, listen.port) == pages:
        raise UsageError(
            f"--port and --web-port are both {listen.port}: bots and pages need one each."
        )


def _check_cluster(given: dict[str, Any]) -> None:
    """Refuse a cluster that cannot be used, before the server starts."""
    if given["cluster"] is None:
        if given["without_worker"]:
            raise UsageError("--without-worker is for a server with --cluster.")
        return
    if given["data"] is None:
        raise UsageError("--cluster is for submitted bots, which are taken with --data FOLDER.")
    cluster_module("league_cluster")


def _default_league(
    game: AnyGame, options: tuple[str, ...], seats: int | None, tables: int, rules: MatchRules
) -> LeagueSettings:
    chosen = read_options(game, min(game.spec.seats) if seats is None else seats, options)
    return LeagueSettings(
        "Default league",
        (GameSettings.of(game, (chosen.seats,), [chosen]),),
        time_control=rules.time_control,
        policy=rules.policy,
        max_tables=tables,
        bench_after=0,
        separate_authors=False,
        separate_addresses=False,
        pace=UNLIMITED,
    )


def _refuse_too_few(league: LeagueSettings, bots: int) -> None:
    (seats,) = league.games[0].table_sizes
    if bots < seats:
        raise UsageError(
            f"{seats} seats need as many entrants: name them with --entrant, or leave it out."
        )


def _read_league_file(text: str) -> tuple[str, LeagueSettings]:
    """Read LEAGUE=FILE, and the file."""
    league, equals, name = text.partition("=")
    if not (league and equals and name):
        raise UsageError(f'cannot read --league "{text}": write it as LEAGUE=FILE.')
    return league, parse_league(read_text(Path(name)), name)


# Database ---------------------------------------------------------------------------------------


def initialise(folder: Path | None, database: str | None, runtimes: RuntimesSettings) -> None:
    """Create the database, and print the first token of an organiser, once."""
    if folder is not None:
        refuse_visible(folder, runtimes)
        make_folder(folder).chmod(0o700)
    with Store.open(database_url(folder, database)) as store:
        token = store.first_organiser()
    if token is None:
        click.echo("the database is ready; it has an organiser already, whose token stays good")
        return
    click.echo("the database is ready; this is the token of its organiser, shown this once:")
    click.echo(token)


def serve(options: ServerOptions) -> None:
    """Run a league server until it is stopped."""
    log_to_stderr(as_json=options.log_json)
    raise_open_files()
    if options.data is not None:
        refuse_visible(options.data, options.runtimes)
    with contextlib.ExitStack() as stack:
        tokens: list[tuple[str, str]] = []
        if options.data is None and options.database is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="highstreet-"))
            options = replace(options, data=Path(folder), submissions=False)
            tokens = _fill(options)
        stack.enter_context(_locked(options.data))
        store = stack.enter_context(_opened(options))
        stack.enter_context(tuned_process())
        sys.setswitchinterval(SWITCH)
        run_async(_Server(options, store, tokens).run())


def _fill(options: ServerOptions) -> list[tuple[str, str]]:
    """Create the database of a temporary server; return the tokens to print, with their holders."""
    with Store.open(options.url) as store:
        tokens = [("the organiser", store.first_organiser() or "")]
        if options.default is not None:
            store.create_league(DEFAULT, options.default)
            tokens += [(name, store.enter(DEFAULT, name, "")[1]) for name in options.entrants]
    return tokens


@contextlib.contextmanager
def _locked(folder: Path | None) -> Iterator[None]:
    """Lock a folder against a second server."""
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
def _opened(options: ServerOptions) -> Iterator[Store]:
    hint = "make it with `highstreet serve --init` and the same --data or --database."
    if options.database is None and not (options.data or Path()).joinpath(DATABASE).exists():
        raise UsageError(f"there is no database in {options.data}: {hint}")
    with Store.open(options.url) as store:
        if all(each.role != Role.ORGANISER for each in store.holders().values()):
            raise UsageError(f"the database has no organiser: {hint}")
        for league, settings in options.leagues:
            try:
                store.league(league)
            except NotFoundError:
                store.create_league(league, settings)
        yield store


# Server -----------------------------------------------------------------------------------------


class _Server:
    """Everything that runs in one process, on one event loop."""

    def __init__(
        self, options: ServerOptions, store: Store, tokens: Sequence[tuple[str, str]]
    ) -> None:
        self._options = options
        self._store = store
        self._tokens = tokens
        """The tokens of a temporary server, with their holders."""
        self._copies = None if options.out is None else RecordCopies(store, options.out)
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Start everything, wait, and stop everything."""
        options, listen = self._options, self._options.listen
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._stopped.set)
        with contextlib.ExitStack() as stack:
            web = self._web_socket(stack)
            packages = self._packages()
            hosting = self._hosting(packages)
            server = LeagueServer(
                self._store,
                options.url,
                tls=listen.tls,
                open_entry=options.open_entry,
                intake=self._intake(packages, hosting),
                hosting=hosting,
                pages=self._web_address(web),
            )
            unix = options.unix
            if unix is None and options.house and listen.tls:
                # House bots connect over it: the certificate need not name this machine.
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="highstreet-"))
                unix = Path(folder) / "house.sock"
            await server.start(listen.host, listen.port, unix, self._name)
            address, port = server.referee.address, server.referee.port
            self._print(f"listening on {address}", address=address)
            self._print_tokens()
            self._print_sandbox(packages)
            target = f"unix:{unix}" if listen.tls and unix else f"127.0.0.1:{port}"
            logs = None if options.data is None else make_folder(options.data / "logs")
            managed = ManagedBots(server.authenticator, self._store, target, logs)
            managed.start(options.house)
            counting = asyncio.create_task(self._count(server.manager))
            try:
                async with self._pages(web, server, managed):
                    await self._stopped.wait()
                    log.info("stopping; matches have %g seconds to finish", options.grace)
                    await server.stop(options.grace)
            except BaseException:
                await server.stop(0)
                raise
            finally:
                counting.cancel()
                await managed.stop()
        if self._copies is not None:
            await asyncio.to_thread(self._copies.update, everything=True)
        log.info("stopped")
        self._print(f"{server.manager.figures.matches} matches played")

    def _packages(self) -> PackageCache | None:
        """Return the built packages; None without a folder for them."""
        folder = self._options.data
        if folder is None:
            return None
        limits = CacheLimits(int(self._options.package_cache * 2**30))
        return PackageCache(folder / "packages", self._options.runtimes, limits)

    def _hosting(self, packages: PackageCache | None) -> HostedBots | None:
        """Return the submitted bots that this server runs; None without a folder for packages."""
        folder = self._options.data
        if folder is None or packages is None:
            return None
        slots = Slots.of_machine(HOSTED_LIMITS.memory_bytes, self._options.slots)
        return HostedBots(self._store, packages, folder / "hosted", slots, self._cluster(folder))

    def _cluster(self, folder: Path) -> MatchCluster | None:
        """Return the cluster on which submitted bots play, if there is one."""
        address = self._options.cluster
        if address is None:
            return None
        module = cluster_module("league_cluster")
        cluster: MatchCluster = module.LeagueCluster(
            self._store, folder / "cluster-run", self._print, address, self._options.without_worker
        )
        return cluster

    def _print_tokens(self) -> None:
        """Print the tokens of a temporary server, which no other command can print."""
        for holder, token in self._tokens:
            click.echo(f"token of {holder}: {token}")
        if self._tokens and self._options.out is None:
            click.echo(
                "results and records are removed when the server stops: --out FOLDER keeps the "
                "records, --data FOLDER everything"
            )

    def _print_sandbox(self, packages: PackageCache | None) -> None:
        """Print what limits submitted bots, if they run on this machine."""
        if packages is not None and self._options.cluster is None:
            with contextlib.suppress(SandboxUnavailableError):  # no package is taken
                sandbox = SANDBOXES[SandboxKind.BUBBLEWRAP]
                sandbox.check()
                self._print(f"sandbox: {sandbox.describe()}")

    async def _count(self, manager: LeagueManager) -> None:
        """Copy the records of new matches, and stop the server after the last one."""
        copied, most = 0, self._options.matches
        while True:
            played = manager.figures.matches
            if self._copies is not None and played != copied:
                await asyncio.to_thread(self._copies.update)
                copied = played
            if most is not None and played >= most:
                self._stopped.set()
            await asyncio.sleep(POLL)

    def _web_socket(self, stack: contextlib.ExitStack) -> socket.socket | None:
        """Return the socket of the pages, if they are served: before anything is started."""
        host, port = self._options.web_host, self._options.web_port
        if port is None:
            return None
        try:
            return stack.enter_context(listening_socket(host, port))
        except OSError as error:
            raise UsageError(
                f"cannot serve pages on {host}:{port} (--web-port): {error.strerror}"
            ) from None

    def _web_address(self, listening: socket.socket | None) -> str:
        """Return where people find the pages; nothing if there are none, or on all addresses."""
        if self._options.web_address is not None or listening is None:
            return self._options.web_address or ""
        host, port = listening.getsockname()[:2]
        address = ip_address(host)
        if address.is_unspecified:
            return ""
        return f"http://[{host}]:{port}" if address.version == 6 else f"http://{host}:{port}"

    def _intake(
        self, packages: PackageCache | None, hosting: HostedBots | None
    ) -> PackageIntake | None:
        """Return what takes packages; where there is no sandbox None, and a line says why."""
        folder = self._options.data
        if folder is None or packages is None or hosting is None or not self._options.submissions:
            return None
        try:
            SANDBOXES[SandboxKind.BUBBLEWRAP].check()
        except SandboxUnavailableError as error:
            self._print(f"packages of bots are not taken: {error}")
            return None
        queue = SubmissionQueue(self._store, packages, hosting.room)
        return PackageIntake(queue, Uploads(folder / "uploads"))

    def _print(self, sentence: str, **extra: Any) -> None:
        """Print a sentence, or log it if the log is JSON for a program."""
        if self._options.log_json:
            log.info(sentence, extra=extra)
        else:
            click.echo(sentence)

    def _name(self, port: int) -> str:
        """Return the name under which this process claims matches: the same after a restart.

        It is unique: a folder has one server, and so has a port of a machine.
        """
        folder = self._options.data
        if folder is not None:
            path = folder / "server"
            if not path.exists():
                write_whole(path, f"{socket.gethostname()}-{secrets.token_hex(4)}\n".encode())
            return path.read_text(encoding="utf-8").strip()
        chosen = self._options.listen.port != 0
        return f"{socket.gethostname()}:{port if chosen else secrets.token_hex(4)}"

    @contextlib.asynccontextmanager
    async def _pages(
        self, listening: socket.socket | None, league_server: LeagueServer, managed: ManagedBots
    ) -> AsyncIterator[None]:
        """Serve the pages, if there is a socket for them, until the context ends."""
        if listening is None:
            yield
            return
        from tournaments.web import create_app, web_server  # noqa: PLC0415  slow to load

        proxies, everywhere = self._options.proxies, self._options.listen.host in EVERYWHERE
        application = create_app(
            self._store,
            league_server.manager,
            managed.log_of,
            proxies=proxies,
            queue=league_server.queue,
            address="" if everywhere else league_server.referee.address,
        )
        server = web_server(application, proxies)
        running = asyncio.create_task(server.serve(sockets=[listening]))
        running.add_done_callback(lambda _: self._stopped.set())  # it must not run without pages
        address = "{}:{}".format(*listening.getsockname()[:2])
        self._print(f"pages on http://{address}", pages=address)
        try:
            yield
        finally:
            server.should_exit = True
            await asyncio.gather(running, return_exceptions=True)
