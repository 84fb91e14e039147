"""Style sheets and scripts, read once: no address ever becomes a path of the file system."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@cache
def statics() -> dict[str, tuple[bytes, str, str]]:
    """Return every file by its address under /static/: bytes, type, and a tag for its version."""
    found = {}
    for name, file in _files(files("tournaments.web").joinpath("static"), ""):
        kind = KINDS.get(name[name.rfind(".") :])
        if kind is not None:
            body = file.read_bytes()
            found[name] = body, kind, f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return found


def _files(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry


async def static(request: Request) -> Response:
    """Answer with a file, unless the browser has it already."""
    found = statics().get(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    body, kind, tag = found
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers={**headers, "Content-Type": kind})
