"""Templates, and the words and addresses that they use."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from engine import GAMES
from tournaments.league.model import split_rated_name
from tournaments.report.wording import number
from tournaments.web.choices import link
from tournaments.web.plots import history, intervals

WEB_MINUS: Final = "\N{MINUS SIGN}"


def render(template: str, document: Mapping[str, Any], twin: str) -> bytes:
    """Return a page; ``twin`` is the address of the same as JSON."""
    page = _ENVIRONMENT.get_template(f"{template}.html.jinja")
    return page.render(page=document, twin=twin).encode()


def league_path(league: str) -> str:
    """Return the address of a league."""
    return f"/leagues/{quote(league, safe='')}"


def bot_path(league: str, name: str) -> str:
    """Return the address of an entrant."""
    return f"{league_path(league)}/bots/{quote(name, safe='')}"


def match_path(match: str) -> str:
    """Return the address of a match."""
    return f"/matches/{quote(match, safe='')}"


def _moment(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M:%S}"


def _words(text: str) -> str:
    return text.replace("_", " ")


def _game(name: str) -> str:
    return GAMES[name].spec.title if name in GAMES else name


def _figure(value: float | None, decimals: int = 1) -> str:
    return number(value, decimals)


def _whole(value: int | None) -> str:
    return "" if value is None else str(value).replace("-", WEB_MINUS)


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"


_ENVIRONMENT: Final = Environment(
    loader=PackageLoader("tournaments.web", "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters.update(
    moment=_moment, words=_words, game=_game, figure=_figure, whole=_whole, share=_share
)
_ENVIRONMENT.globals.update(
    league_path=league_path,
    bot_path=bot_path,
    match_path=match_path,
    link=link,
    intervals=intervals,
    history=history,
    split_rated_name=split_rated_name,
)
