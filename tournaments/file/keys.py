"""Which keys a tournament file has, and where."""

from __future__ import annotations

from dataclasses import fields

from referee import Policy, TimeControl
from tournaments.file.toml_reader import Table, either, quoted, unknown_key

TOP = "at the top"
GAMES = "in [[games]]"
TIME_CONTROL = "in [time_control]"
POLICY = "in [policy]"
RUN = "in [run]"
ENTRANTS = "in [[entrants]]"

KEYS: dict[str, tuple[str, ...]] = {
    TOP: (
        "name",
        "game",
        "table_sizes",
        "sets_per_table",
        "max_matches",
        "format",
        "challenger",
        "seatings",
        "separate_authors",
        "deals",
        "rating",
        "secret",
        "variants",
        "options",
        "games",
        "time_control",
        "policy",
        "run",
        "entrants",
    ),
    GAMES: ("game", "table_sizes", "sets_per_table", "variants", "options"),
    TIME_CONTROL: tuple(field.name for field in fields(TimeControl)),
    POLICY: (*(field.name for field in fields(Policy)), "bench_after"),
    RUN: ("tables", "workers", "listen", "tls_cert", "tls_key", "remote_seconds"),
    ENTRANTS: (
        "name",
        "bot",
        "command",
        "remote",
        "transport",
        "author",
        "folder",
        "environment",
    ),
}
"""The keys of each table; those of variants and options are the game's."""


def refuse_unknown(table: Table, place: str) -> None:
    """Complain of each key that a table does not have, and say where it belongs."""
    for key in table:
        if key in KEYS[place]:
            continue
        homes = [home for home, keys in KEYS.items() if key in keys]
        if not homes:
            table.complain(unknown_key(key, KEYS[place], place), key)
            continue
        hint = " What is at the top stands before the first [table]." if TOP in homes else ""
        table.complain(f"{quoted(key)} belongs {either(homes)}, not {place}.{hint}", key)
