"""The table of one division, as a part of the table of a season."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any


def division_table(table: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the document of a table with the lines of some entrants only, ranked anew.

    The best plausible rank counts those that are surely better, and the worst one leaves out those
    that are surely worse. What compares neighbours of the whole table is left out.
    """
    lines = [line for line in table["standings"] if line["entrant"] in names]
    played = [line for line in lines if line["matches"]]
    rated = {line["rated"] for line in lines}

    def ranked(line: Mapping[str, Any]) -> dict[str, Any]:
        if not line["matches"]:
            return {**line, "above_next": None}
        better = sum(other["rank"] < line["rank"] for other in played)
        surely_better = sum(other["rank_high"] < line["rank_low"] for other in played)
        surely_worse = sum(other["rank_low"] > line["rank_high"] for other in played)
        among = [other for other in played if other["current"]]
        return {
            **line,
            "rank": 1 + better,
            "rank_low": 1 + surely_better,
            "rank_high": len(played) - surely_worse,
            "rank_among_current": 1 + sum(other["rank"] < line["rank"] for other in among)
            if line["current"]
            else None,
            "above_next": None,
        }

    groups = {
        letter: kept
        for letter, members in table["groups"].items()
        if (kept := [name for name in members if name in rated])
    }
    return {**table, "standings": [ranked(line) for line in lines], "groups": groups, "above": None}
