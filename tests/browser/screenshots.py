"""Pictures of pages, for people to look at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

VARIABLE: Final = "HIGHSTREET_SCREENSHOTS"
"""Names the folder into which tests put what they see; without it nothing is kept."""


def keep(page: Any, name: str, *, whole: bool = True) -> None:
    """Keep a picture of a page, the whole or what fits the window, if pictures are wanted."""
    folder = os.environ.get(VARIABLE)
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=whole)
