"""The server that a command asks, and the token and certificates to connect with.

They come from options, from the environment, or from the configuration file.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from engine import UsageError
from referee.record import printable
from referee.runtime import read_text
from tournaments.cli.files import read_file
from tournaments.cli.options import EXISTING_FILE, Decorator, combined

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient

_ADDRESS: Final = re.compile(r"unix:.+|(?:\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):([0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Connection:
    """The address of a server, and the token and certificates to connect with."""

    server: str
    token: str | None = None
    ca: bytes | None = None

    def client(self) -> SubmissionClient:
        """Return a client of the server."""
        from tournaments.server import SubmissionClient  # noqa: PLC0415  slow to load

        return SubmissionClient(self.server, self.token, self.ca)


def server_option(summary: str, metavar: str = "HOST:PORT") -> Decorator[Any]:
    """Add --server."""
    return click.option("--server", envvar="HIGHSTREET_SERVER", metavar=metavar, help=summary)


def tls_ca_option(summary: str) -> Decorator[Any]:
    """Add --tls-ca."""
    return click.option("--tls-ca", envvar="HIGHSTREET_CA", type=EXISTING_FILE, help=summary)


def _token_file_option(summary: str) -> Decorator[Any]:
    return click.option("--token-file", type=EXISTING_FILE, help=summary)


# Servers ----------------------------------------------------------------------------------------


def read_connection(server: str | None, token_file: Path | None, tls_ca: Path | None) -> Connection:
    """Return the connection that options, environment and configuration file describe."""
    config = _config(config_path())
    server = server or config.get("server")
    if not isinstance(server, str) or not server:
        raise UsageError(
            "say which server: --server HOST:PORT, HIGHSTREET_SERVER, or `server` in "
            f"{config_path()}."
        )
    own: dict[str, Any] = config.get("servers", {}).get(server, {})
    token = os.environ.get("HIGHSTREET_TOKEN") or own.get("token")
    if token_file is not None:
        token = read_file(token_file).decode(errors="replace")
    if tls_ca is None and "tls_ca" in own:
        tls_ca = Path(own["tls_ca"]).expanduser()
    return connection_to(server, tls_ca, None if token is None else _checked(token))


def connection_to(server: str, tls_ca: Path | None, token: str | None = None) -> Connection:
    """Return a connection; refuse what is no address and what are no certificates."""
    found = _ADDRESS.fullmatch(server)
    if not found or int(found[1] or 0) > 65535:
        raise UsageError(
            f'"{printable(server)}" is no address: write HOST:PORT, such as localhost:7000, '
            "or unix:PATH."
        )
    if tls_ca is None:
        return Connection(server, token)
    if server.startswith("unix:"):
        raise UsageError("a referee uses no TLS on a unix socket: leave --tls-ca out.")
    from cryptography import x509  # noqa: PLC0415  slow to load, and rarely needed

    certificates = read_file(tls_ca)
    try:
        x509.load_pem_x509_certificates(certificates)
    except ValueError:
        raise UsageError(f"{tls_ca} holds no certificate in PEM format.") from None
    return Connection(server, token, certificates)


def _connect(
    server: str | None, token_file: Path | None, tls_ca: Path | None
) -> Callable[[], Connection]:
    return partial(read_connection, server, token_file, tls_ca)


_CONNECTION: Final = (
    server_option("The league server; or HIGHSTREET_SERVER, or the configuration file."),
    _token_file_option("A file with the token; or HIGHSTREET_TOKEN, or the configuration file."),
    tls_ca_option("Use TLS, and trust the certificates in this file (PEM); or HIGHSTREET_CA."),
)
connection_options = combined("connection", read_connection, *_CONNECTION)
"""Adds --server, --token-file and --tls-ca; the command gets them as ``connection``."""
late_connection_options = combined("connect", _connect, *_CONNECTION)
"""Adds the same; the command gets a function that reads them, if it needs a server."""


def config_path() -> Path:
    """Return where the configuration file is."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "highstreet" / "config.toml"


def _config(path: Path) -> dict[str, Any]:
    """Read the configuration file, if there is one."""
    if not path.exists():
        return {}
    try:
        config = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
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


# Tokens of bots ---------------------------------------------------------------------------------


def _token(token: str | None, token_file: Path | None) -> str:
    """Return the token that was given, or prompt for it; raises UsageError."""
    source = click.get_current_context().get_parameter_source("token")
    if source is ParameterSource.COMMANDLINE:
        click.echo(
            "--token can be read by every user of this machine: set HIGHSTREET_TOKEN, or name a "
            "file with --token-file.",
            err=True,
        )
    if token_file is not None:
        token = read_file(token_file).decode(errors="replace")
    elif not token and sys.stdin.isatty():
        token = click.prompt("Token of the bot", hide_input=True, err=True)
    if not token:
        raise UsageError(
            "there is no token: set HIGHSTREET_TOKEN to the one that the organiser gave you, or "
            "name a file that holds it with --token-file."
        )
    return _checked(token)


def _checked(token: str) -> str:
    token = token.strip()
    if not (token.isascii() and token.isprintable() and token and " " not in token):
        raise UsageError("what was given as a token is none: it is one word.")
    return token


token_options = combined(
    "token",
    _token,
    click.option("--token", envvar="HIGHSTREET_TOKEN", hidden=True),
    _token_file_option(
        "A file with the token of the bot; or HIGHSTREET_TOKEN. Without either a terminal is "
        "asked for it."
    ),
)
"""Adds --token-file; the command gets the token as ``token``."""
