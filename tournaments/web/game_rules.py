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
    return FileResponse(_folder() / f"{name}.md", media_type="text/plain")


def _folder() -> Path:
    """Return the folder of the rules: in a wheel beside this file, else in the sources."""
    home = Path(__file__).parent
    return (
        next(each for each in (home / "docs", home.parents[1] / "docs") if each.exists()) / "rules"
    )
