"""The rules of the games, as the documentation has them."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from engine import GAMES
from tournaments.model import NotFoundError


async def rules(request: Request) -> Response:
    """Send the rules of a game as text; raises NotFoundError."""
    name = request.path_params["game"]
    if name not in GAMES:
        raise NotFoundError(f"there is no such game: the games are {', '.join(GAMES)}.")
    return FileResponse(rules_path(name), media_type="text/plain")


def rules_path(game: str) -> Path:
    """Return the file with the rules: in a wheel beside this one, else in the sources."""
    home, file = Path(__file__).parent, Path("docs") / "rules" / f"{game}.md"
    beside = home / file
    return beside if beside.exists() else home.parents[1] / file
