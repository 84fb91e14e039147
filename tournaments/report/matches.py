"""The matches as compact JSON, from which the page builds its list a hundred at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from tournaments.report import wording
from tournaments.results import Result

_LINK = re.compile(r"[\w%.,~+=@-]+(?:/[\w%.,~+=@-]+)*")

_UNSAFE = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&'\u2028\u2029"})
"""What could end a script element, or a line of one."""


def matches_json(
    results: Sequence[Result], names: Sequence[str], records: Mapping[str, str]
) -> str:
    """Return the matches as JSON that is safe inside HTML; raises ValueError for a bad link.

    A match is a list: its id, the numbers of its game and its variant, then by seat the numbers of
    the entrants, the places and the scores, then the seats that forfeited, how many decisions there
    were, and the link to the record or 0.
    """
    games = sorted({result.game for result in results})
    variants = sorted({result.variant for result in results})
    places = {name: n for n, name in enumerate(names)}
    rows = [
        [
            result.match,
            games.index(result.game),
            variants.index(result.variant),
            [places[name] for name in result.entrants],
            result.places,
            result.scores,
            result.forfeits,
            result.decisions,
            _checked(result.match, records[result.match]) if result.match in records else 0,
        ]
        for result in results
    ]
    titles = [wording.title(game) for game in games]
    data = {"names": list(names), "games": titles, "variants": variants, "matches": rows}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE)


def _checked(match: str, link: str) -> str:
    if not _LINK.fullmatch(link):
        raise ValueError(
            f'the link to the record of {match} is "{link}", but must be a relative path of '
            "letters, digits and % . , ~ + = @ - _ without a scheme: quote anything else."
        )
    return link
