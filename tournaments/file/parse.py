"""From the text of a tournament file to a tournament."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from engine import UsageError
from engine.errors import did_you_mean
from referee.policy import MOST
from tournaments.file.entrants import read_entrants
from tournaments.file.keys import POLICY, RUN, TIME_CONTROL, TOP, refuse_unknown
from tournaments.file.kinds import read_games
from tournaments.file.paths import read_path
from tournaments.file.terms import read_policy, read_time_control
from tournaments.file.toml_reader import Problem, Table, quoted, read_toml, shortened
from tournaments.schedule import Format, Seatings
from tournaments.tournament import (
    MOST_TABLES,
    MOST_WORKERS,
    RATINGS,
    Deals,
    RunSettings,
    Tournament,
)

MOST_PROBLEMS = 10
MOST_MATCHES = 5_000_000
LONGEST_TITLE = 100
LEAST_SECRET = 32
LONGEST_SECRET = 1024
LONGEST_WAIT = 7 * 24 * 3600

_LISTEN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")


class TournamentFileError(UsageError):
    """A tournament file that cannot be used, with everything that is wrong in it."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        lines = [f"{source}:{problem.line}: {problem.sentence}" for problem in self.problems]
        if len(lines) > MOST_PROBLEMS:
            lines[MOST_PROBLEMS:] = [f"{source}: and {len(lines) - MOST_PROBLEMS} more."]
        super().__init__("\n".join(lines))


def template() -> str:
    """Return a tournament file to begin with, which plays the sample bots as it is."""
    return files("tournaments").joinpath("template.toml").read_text(encoding="utf-8")


def parse_tournament(text: str, source: str, folder: Path | None) -> Tournament:
    """Read a tournament file; raises TournamentFileError.

    ``source`` is what messages call the file. The folders and programs in it are relative to
    ``folder``, and are looked up there; without a folder nothing is looked up, and nothing can be
    started.
    """
    root = read_toml(text)
    if root.problems:
        raise TournamentFileError(source, root.problems)
    tournament = _tournament(root, folder.absolute() if folder is not None else None)
    if root.problems:
        raise TournamentFileError(source, root.problems)
    return tournament


def _tournament(root: Table, folder: Path | None) -> Tournament:
    """Read everything; defaults stand in for what is wrong."""
    refuse_unknown(root, TOP)
    if "name" not in root:
        root.complain('the tournament has no name: write name = "…" at the top.')
    name = root.text("name", "", LONGEST_TITLE)
    entrants = read_entrants(root, folder)
    separate_authors = root.flag("separate_authors", default=False)
    format_ = root.choice("format", list(Format), Format.ROUND_ROBIN)
    times, policy = root.table("time_control"), root.table("policy")
    refuse_unknown(times, TIME_CONTROL)
    refuse_unknown(policy, POLICY)
    return Tournament(
        name=name,
        entrants=entrants,
        games=read_games(root, entrants, separate_authors),
        max_matches=root.whole("max_matches", None, 1, MOST_MATCHES),
        format=format_,
        challenger=_challenger(root, format_, [entrant.name for entrant in entrants]),
        seatings=root.choice("seatings", list(Seatings), Seatings.ROTATIONS),
        separate_authors=separate_authors,
        rating=root.choice("rating", RATINGS, RATINGS[0]),
        secret=_secret(root),
        deals=root.choice("deals", list(Deals), None),
        time_control=read_time_control(times),
        policy=read_policy(policy),
        bench_after=policy.whole("bench_after", 5, 0, MOST),
        run=_run(root.table("run"), folder),
    )


def _challenger(root: Table, format_: Format, names: Sequence[str]) -> str | None:
    challenger = root.text("challenger", None)
    if format_ is Format.GAUNTLET and "challenger" not in root:
        root.complain(
            'a gauntlet needs a challenger: write challenger = "…", the name of the entrant that '
            "meets all the others.",
            "format",
        )
    elif format_ is not Format.GAUNTLET and "challenger" in root:
        root.complain(
            'only a gauntlet has a challenger: write format = "gauntlet", or leave challenger out.',
            "challenger",
        )
    elif challenger is not None and challenger not in names:
        root.complain(
            f"the challenger {quoted(challenger)} is not among the entrants."
            f"{did_you_mean(shortened(challenger), names)}",
            "challenger",
        )
    return challenger


def _secret(root: Table) -> bytes | None:
    """Read the secret, and never repeat it."""
    if "secret" not in root:
        return None
    value = root["secret"]
    if not isinstance(value, str) or not re.fullmatch(r"(?:[0-9A-Fa-f]{2})*", value):
        problem = "secret must be an even number of hex digits in quotes."
    elif not LEAST_SECRET <= len(value) <= LONGEST_SECRET:
        needed = f"{LEAST_SECRET} to {LONGEST_SECRET}"
        problem = f"secret has {len(value)} hex digits, but must have {needed}."
    else:
        return bytes.fromhex(value)
    root.complain(f"{problem} Leave it out, and a good one is made and kept.", "secret")
    return None


def _run(table: Table, folder: Path | None) -> RunSettings:
    refuse_unknown(table, RUN)
    default = RunSettings()
    host, port = _listen(table, default)
    if ("tls_cert" in table) != ("tls_key" in table):
        given = "tls_cert" if "tls_cert" in table else "tls_key"
        table.complain("tls_cert and tls_key belong together: give both or none.", given)
    return RunSettings(
        tables=table.whole("tables", default.tables, 1, MOST_TABLES),
        workers=table.whole("workers", default.workers, 1, MOST_WORKERS),
        host=host,
        port=port,
        tls_cert=read_path(table, "tls_cert", folder),
        tls_key=read_path(table, "tls_key", folder),
        remote_seconds=table.seconds("remote_seconds", default.remote_seconds, 1, LONGEST_WAIT),
    )


def _listen(table: Table, default: RunSettings) -> tuple[str, int]:
    listen = table.text("listen", None)
    if listen is None:
        return default.host, default.port
    found = _LISTEN.fullmatch(listen)
    if found is None or int(found[2]) > 65535:
        table.must_be("listen", 'a host and a port, as in "127.0.0.1:0" or "[::1]:50051"')
        return default.host, default.port
    return found[1].strip("[]"), int(found[2])
