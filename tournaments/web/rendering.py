"""HTML from templates, and the addresses that templates link to."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import sha256
from threading import Lock
from typing import Any, Final
from urllib.parse import quote

import orjson
from markupsafe import Markup

from tournaments.model import split_rated_name
from tournaments.ratings import read_effects, read_heterogeneity
from tournaments.report import (
    TemplateEnvironment,
    effects_wording,
    rating_history,
    rating_intervals,
    wording,
)
from tournaments.web.query import is_played, link

MAX_FRAGMENTS: Final = 32
"""Parts of pages; that of a league with hundreds of bots has 200 KB."""


def render(template: str, document: Mapping[str, Any], json_address: str) -> bytes:
    """Return a page; ``json_address`` is the address of the same document as JSON."""
    page = ENVIRONMENT.get_template(f"{template}.html.jinja")
    return page.render(page=document, json_address=json_address).encode()


def league_path(league: str) -> str:
    """Return the address of a league."""
    return f"/leagues/{quote(league, safe='')}"


def bot_path(league: str, name: str) -> str:
    """Return the address of an entrant."""
    return f"{league_path(league)}/bots/{quote(name, safe='')}"


def match_path(match: str) -> str:
    """Return the address of a match."""
    return f"/matches/{quote(match, safe='')}"


class FragmentCache:
    """Keeps rendered parts of pages that are long and seldom change.

    In a template: ``{% call cached(every, value, used) %}…{% endcall %}``.
    """

    def __init__(self, size: int = MAX_FRAGMENTS) -> None:
        self._size = size
        self._fragments: OrderedDict[bytes, Markup] = OrderedDict()
        self._lock = Lock()

    def __call__(self, *values: Any, caller: Callable[[], Markup]) -> Markup:
        """Return the fragment that was rendered from the same values, or render it."""
        key = sha256(orjson.dumps(values)).digest()
        with self._lock:
            found = self._fragments.pop(key, None)
        if found is None:
            found = caller()
        with self._lock:
            self._fragments[key] = found
            if len(self._fragments) > self._size:
                self._fragments.popitem(last=False)
        return found


def _figure(value: float | None, decimals: int = 1) -> str:
    return wording.number(value, decimals)


def _effect_rows(table: Mapping[str, Any]) -> list[effects_wording.EffectRow]:
    """Return the rows on seats and neighbours; none in a table of an earlier version."""
    return effects_wording.effect_rows([read_effects(each) for each in table.get("effects", ())])


def _table_notes(table: Mapping[str, Any]) -> list[str]:
    """Return the sentences that a table needs; none in a table of an earlier version."""
    found = [read_heterogeneity(each) for each in table.get("heterogeneity", ())]
    cycles = effects_wording.cycles(table.get("cycles", ()))
    return list(filter(None, [*effects_wording.dependence(found), cycles]))


ENVIRONMENT: Final = TemplateEnvironment("tournaments.web", "templates")
ENVIRONMENT.filters.update(
    figure=_figure, game=wording.title, held=wording.held, percent=wording.percent
)
ENVIRONMENT.globals.update(
    league_path=league_path,
    bot_path=bot_path,
    match_path=match_path,
    link=link,
    is_played=is_played,
    rating_history=rating_history,
    rating_intervals=rating_intervals,
    split_rated_name=split_rated_name,
    cached=FragmentCache(),
    effect_rows=_effect_rows,
    table_notes=_table_notes,
)
