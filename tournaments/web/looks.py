"""Templates, and the words and addresses that they use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256
from threading import Lock
from typing import Any, Final
from urllib.parse import quote

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from engine import GAMES
from tournaments.league.model import split_rated_name
from tournaments.report.wording import number
from tournaments.web.choices import is_played, link
from tournaments.web.plots import history, intervals

MOST_KEPT: Final = 32
"""Parts of pages; of a league with hundreds of bots one has 200 KB."""
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


class Kept:
    """Parts of pages that are long and change seldom, kept as they were written.

    In a template: ``{% call kept(what, it, depends, on) %}…{% endcall %}``.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._parts: OrderedDict[bytes, Markup] = OrderedDict()
        self._lock = Lock()

    def __call__(self, *depends: Any, caller: Callable[[], Markup]) -> Markup:
        """Return a part that was written before from the same, or write it."""
        key = sha256(orjson.dumps(depends)).digest()
        with self._lock:
            found = self._parts.pop(key, None)
        if found is None:
            found = caller()
        with self._lock:
            self._parts[key] = found
            if len(self._parts) > self._most:
                self._parts.popitem(last=False)
        return found


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


class _Environment(Environment):
    """Templates that read dicts at once: nearly all that pages show is in dicts.

    What a word means is the same: a method of dicts comes first, so that a bot may be called "get".
    But asking every dict for an attribute that it cannot have took a fifth of the time of a page.
    """

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return what ``obj.attribute`` means in a template."""
        if type(obj) is dict and attribute in obj and attribute not in _METHODS:
            return obj[attribute]
        return super().getattr(obj, attribute)


_METHODS: Final = frozenset(dir(dict))


_ENVIRONMENT: Final = _Environment(
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
    is_played=is_played,
    intervals=intervals,
    history=history,
    split_rated_name=split_rated_name,
    kept=Kept(),
)
