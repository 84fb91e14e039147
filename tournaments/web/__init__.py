"""The web pages of a league server."""

from __future__ import annotations

from tournaments.web.app import create_app
from tournaments.web.middleware import read_proxies
from tournaments.web.server import web_server

__all__ = [
    "create_app",
    "read_proxies",
    "web_server",
]
