"""The style sheets and scripts that come with the package."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """Return the text of a file under static/, such as ``games/glastonbury.js``."""
    return files("tournaments.web").joinpath("static", name).read_text(encoding="utf-8")


@cache
def drawn_games() -> frozenset[str]:
    """Return the names of the games that have a drawing."""
    folder = files("tournaments.web").joinpath("static", "games")
    names = [file.name for file in folder.iterdir()]
    return frozenset(name.removesuffix(".js") for name in names if name.endswith(".js"))
