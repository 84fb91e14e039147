"""The options that make ``highstreet serve`` a league server, and those that say where one is."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from engine import UsageError
from referee import Tls

if TYPE_CHECKING:
    from tournaments.league.client import LeagueClient

F = TypeVar("F", bound=Callable[..., Any])

_FOLDER: Final = click.Path(file_okay=False, path_type=Path)
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class LeagueChoice:
    """What the command line says about leagues."""

    data: Path | None
    database: str | None
    init: bool
    web_host: str
    web_port: int | None
    open_entry: bool
    leagues: Sequence[str]
    house: Sequence[str]
    proxies: Sequence[str]
    log_json: bool

    @property
    def asked_for(self) -> bool:
        """Whether it is to be a league server."""
        return self.init or self.data is not None or self.database is not None

    def run(
        self,
        host: str,
        port: int,
        unix: Path | None,
        tls: Tls | None,
        grace: float,
        matches: int | None,
    ) -> None:
        """Make the database, or run the server."""
        # Slow to load, and only needed here.
        from tournaments.cli.serve_league import (  # noqa: PLC0415
            LeagueOrder,
            initialise,
            read_league_file,
            serve,
        )
        from tournaments.league.house import read_house_bot  # noqa: PLC0415
        from tournaments.web.readers import Readers  # noqa: PLC0415  as above

        if self.init:
            initialise(self.data, self.database)
            return
        Readers(self.proxies)  # what is no address is refused before anything starts
        serve(
            LeagueOrder(
                self.data,
                self.database,
                host,
                port,
                unix,
                tls,
                self.web_host,
                self.web_port,
                grace,
                matches,
                tuple(map(read_league_file, self.leagues)),
                tuple(map(read_house_bot, self.house)),
                self.open_entry,
                self.proxies,
                self.log_json,
            )
        )


def database_options(command: F) -> F:
    """Add --data and --database."""
    command = click.option(
        "--database",
        envvar="HIGHSTREET_DATABASE",
        metavar="URL",
        help=(
            "Leagues: keep them there, sqlite:///PATH or postgresql+psycopg://USER@HOST/NAME; or "
            "HIGHSTREET_DATABASE, which keeps a password out of the list of processes."
        ),
    )(command)
    return click.option(
        "--data",
        type=_FOLDER,
        help="Leagues: the folder of the server, for its database and the logs of house bots.",
    )(command)


def league_options(command: F) -> F:
    """Add the options of a league server; the command gets them as ``league``."""

    @wraps(command)
    def with_league(**rest: Any) -> Any:
        chosen = {name: rest.pop(name) for name in LeagueChoice.__dataclass_fields__}
        return command(league=LeagueChoice(**chosen), **rest)

    decorated: Any = with_league
    for option in (
        click.option("--log-json", is_flag=True, help="Leagues: log one JSON object a line."),
        click.option(
            "--house",
            multiple=True,
            metavar="LEAGUE/NAME=COMMAND",
            help="Leagues: run a bot on this machine, again whenever it ends. Repeatable.",
        ),
        click.option(
            "leagues",
            "--league",
            multiple=True,
            metavar="LEAGUE=FILE",
            help="Leagues: make this one as FILE says, unless it is there. Repeatable.",
        ),
        click.option(
            "--open-entry",
            is_flag=True,
            help="Leagues: everybody may enter a bot; default: organisers alone.",
        ),
        click.option(
            "proxies",
            "--proxy",
            multiple=True,
            metavar="ADDRESS",
            help=(
                "Leagues: believe the X-Forwarded-For of the reverse proxy at this address, or in "
                "this network, about who reads the pages. Repeatable."
            ),
        ),
        click.option(
            "--web-port",
            type=click.IntRange(0, 65535),
            help="Leagues: serve web pages on this port; 0 is any free one.",
        ),
        click.option(
            "--web-host", default="127.0.0.1", show_default=True, help="Leagues: for the pages."
        ),
        click.option(
            "--init",
            is_flag=True,
            help="Leagues: make the database, print the token of its organiser once, and end.",
        ),
    ):
        decorated = option(decorated)
    result: F = database_options(decorated)
    return result


# Where a server is ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Connection:
    """Which server to ask, and with which token."""

    server: str
    token: str | None
    ca: bytes | None

    def client(self) -> LeagueClient:
        """Return somebody who asks it."""
        from tournaments.league.client import LeagueClient  # noqa: PLC0415  slow to load

        return LeagueClient(self.server, self.token, self.ca)


def server_connection(command: F) -> F:
    """Add --server, --token-file and --tls-ca; the command gets them as ``connection``."""

    @wraps(command)
    def with_connection(
        *, server: str | None, token_file: Path | None, tls_ca: Path | None, **rest: Any
    ) -> Any:
        return command(connection=_connection(server, token_file, tls_ca), **rest)

    decorated: Any = with_connection
    for option in (
        click.option(
            "--tls-ca",
            envvar="HIGHSTREET_CA",
            type=_FILE,
            help="Speak TLS, and trust the certificates in this file (PEM); or HIGHSTREET_CA.",
        ),
        click.option(
            "--token-file",
            type=_FILE,
            help="A file with the token; or HIGHSTREET_TOKEN, or the configuration file.",
        ),
        click.option(
            "--server",
            envvar="HIGHSTREET_SERVER",
            metavar="HOST:PORT",
            help="The league server; or HIGHSTREET_SERVER, or the configuration file.",
        ),
    ):
        decorated = option(decorated)
    result: F = decorated
    return result


def config_path() -> Path:
    """Return where the configuration file is."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "highstreet" / "config.toml"


def _connection(server: str | None, token_file: Path | None, tls_ca: Path | None) -> Connection:
    config = _config(config_path())
    server = server or config.get("server")
    if not isinstance(server, str) or not server:
        raise UsageError(
            "say which server: --server HOST:PORT, HIGHSTREET_SERVER, or `server` in "
            f"{config_path()}."
        )
    own = config.get("servers", {}).get(server, {})
    ca = tls_ca or (Path(own["tls_ca"]).expanduser() if "tls_ca" in own else None)
    if token_file is not None:
        token: str | None = _read(token_file).decode(errors="replace").strip()
    else:
        token = os.environ.get("HIGHSTREET_TOKEN") or own.get("token")
    if token is not None and not (token.isascii() and token.isprintable() and token):
        raise UsageError("what was given as a token is none: it is one word.")
    return Connection(server, token, _read(ca) if ca is not None else None)


def _config(path: Path) -> dict[str, Any]:
    """Read the configuration file, if there is one."""
    try:
        config = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}.") from None
    servers = config.get("servers", {})
    if not isinstance(servers, dict) or not all(isinstance(own, dict) for own in servers.values()):
        raise UsageError(f'{path}: write [servers."HOST:PORT"], and token and tls_ca below it.')
    for name, own in servers.items():
        if not all(isinstance(own.get(key, ""), str) for key in ("token", "tls_ca")):
            raise UsageError(f'{path}: token and tls_ca of "{name}" must be texts.')
        if "token" in own and path.stat().st_mode & 0o077:
            raise UsageError(f"{path} holds a token and others can read it: chmod 600 it.")
    return config


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}.") from None
