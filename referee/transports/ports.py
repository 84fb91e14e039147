"""Listening sockets, with error messages that name the cause."""

from __future__ import annotations

import errno
import socket
from typing import Final

_REASONS: Final = {
    errno.EADDRINUSE: "another program listens there. End it, or choose another port.",
    errno.EADDRNOTAVAIL: "this machine does not have that address. Choose one that it has.",
    errno.EACCES: "ports below 1024 are for root. Choose a higher one.",
}


def listening_socket(host: str, port: int, backlog: int = 512) -> socket.socket:
    """Return a listening socket; raises OSError whose ``strerror`` names the cause."""
    host = host.removeprefix("[").removesuffix("]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=backlog)
    except socket.gaierror:
        reason = "there is no machine of that name."
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, f"{error.strerror or error}.")
    raise OSError(0, reason)


def check_port(host: str, port: int) -> None:
    """Open and close a listening socket; raises OSError as ``listening_socket`` does."""
    if port:
        listening_socket(host, port).close()
