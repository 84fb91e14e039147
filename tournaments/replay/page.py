"""A replay as one self-contained HTML page.

    Path("m1.html").write_text(replay_html(replay_document(read_record(path))), "utf-8")

Style sheets, scripts and the match are inside, and the page's content security policy lets it load
nothing.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import orjson

_STYLES: Final = ("site.css", "replay.css")
_IMPORT: Final = re.compile(r'^import \{[^}]*\} from "(?:\.\.?/)+([^"]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=const|function|class)", re.MULTILINE)
_UNSAFE: Final = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})
"""What could end a script element, or a line of one."""
_START: Final = """
const match = JSON.parse(document.getElementById("match").textContent);
start(document.getElementById("replay"), match, game);
"""
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="replay"><noscript>This page draws a match, and needs JavaScript.</noscript></main>
<script type="application/json" id="match">{match}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def replay_html(document: Mapping[str, Any]) -> str:
    """Return the page of a document of ``replay_document``."""
    style = "\n".join(map(_asset, _STYLES))
    script = _script(document["game"] if document["drawn"] else None)
    title = f"{document['title']}: {', '.join(document['entrants'])}"
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    return _PAGE.format(
        policy=policy,
        title=html.escape(title),
        style=style,
        match=orjson.dumps(document).decode().translate(_UNSAFE),
        script=script,
    )


def _script(game: str | None) -> str:
    """Return the modules as one script, each after those that it imports."""
    names = dict.fromkeys([*(_needed(f"games/{game}.js") if game else ()), *_needed("replay.js")])
    given = "const game = { draw, colours: typeof colours === 'undefined' ? null : colours };"
    return "\n".join([*map(_plain, names), given if game else "const game = null;", _START])


def _needed(name: str) -> Iterator[str]:
    """Yield a module after those that it imports; all of these lie directly under static/."""
    for other in _IMPORT.findall(_asset(name)):
        yield from _needed(other)
    yield name


def _plain(name: str) -> str:
    """Return a module without its imports and exports."""
    return _EXPORT.sub("", _IMPORT.sub("", _asset(name)))


@cache
def _asset(name: str) -> str:
    """Return the text of a file under static/, such as ``games/glastonbury.js``."""
    return files("tournaments").joinpath("web", "static", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
