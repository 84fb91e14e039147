"""The programs of docs/reference/standings.md, each of which defines ``rate``."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "standings.md"

Rate = Callable[..., dict[str, tuple[float, float]]]
"""Returns mu and sigma by entrant from results and draw probabilities."""

WHOLE_HISTORY, TOURNAMENT_BY_MATCH, LEAGUE_BY_MATCH = range(3)
"""The programs in the order of the page."""


def rate_of_page(program: int) -> Rate:
    """Return the function ``rate`` of a program of the page."""
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[program], names)  # noqa: S102  it is ours
    rate: Rate = names["rate"]
    return rate
