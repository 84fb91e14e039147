"""A bot that ends or stops processes when it loses gains nothing; its opponents lose nothing."""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest

from tests.tournaments.runner.torture import (
    BENCHED,
    BOT,
    no_bot_is_left,
    played,
    played_rows,
    run_to_end,
    standings,
    store_of,
)
from tests.waiting import PATIENCE
from tournaments.model import (
    MOST_OWN_DEATHS,
    Death,
    DeathKind,
    always_there,
    presence,
)

pytestmark = pytest.mark.slow

KILLER = Path(__file__).parent / "bots" / "killer.py"
Record = Callable[[str, object], None]


def write_file(
    folder: Path,
    mode: str,
    *,
    sets: int,
    steady: int = 4,
    more: str = "",
    per_move: float = PATIENCE,
) -> Path:
    """Write a tournament at tables of two of a bot that ends processes, and of honest ones."""
    commands = {
        "killer": [sys.executable, str(KILLER), mode, str(folder / "kills")],
        **{f"steady-{n}": [sys.executable, str(BOT), str(n)] for n in range(steady)},
    }
    entrants = "".join(
        f'[[entrants]]\nname = "{name}"\ncommand = {json.dumps(words)}\n'
        for name, words in commands.items()
    )
    file = folder / "cup.toml"
    file.write_text(
        f'name = "Cup"\nsecret = "{"5ec2e7" * 8}"\ntable_sizes = [2]\nsets_per_table = {sets}\n'
        f"{more}[run]\ntables = 4\nworkers = 2\n[time_control]\nper_move = {per_move}\n{entrants}",
        encoding="utf-8",
    )
    return file


def rows(out: Path, query: str) -> list[sqlite3.Row]:
    with store_of(out) as database:
        return database.execute(query).fetchall()


def kills(folder: Path) -> int:
    path = folder / "kills"
    return len(path.read_text().splitlines()) if path.exists() else 0


def forfeits(out: Path) -> dict[str, int]:
    return {line["entrant"]: line["forfeits"] for line in standings(out)["standings"]}


def check_the_rest(out: Path, matches: int, record_property: Record) -> None:
    """Every match counts once, and what the others lost is little.

    No neighbour has forfeited, of the matches between honest bots at most a tenth had to be played
    again, no bot was charged more time than its match took, and nothing is left behind.
    """
    assert len(played(out)) == len(set(played(out))) == matches
    found = played_rows(out)
    honest = {row.id for row in found if "killer" not in row.entrants}
    again = sum(row[0] in honest for row in rows(out, "select match from voids"))
    record_property("matches of others", len(honest))
    record_property("matches of others played again", again)
    record_property("most seconds charged in a match", max(sum(r.used) for r in found))
    assert again <= len(honest) / 10
    assert all(sum(row.used) <= row.seconds for row in found)
    counted = forfeits(out)
    del counted["killer"]
    assert not any(counted.values()), counted
    no_bot_is_left(out)


def test_a_bot_that_ends_its_worker_when_it_is_told_of_its_loss_has_lost(
    tmp_path: Path, record_property: Record
) -> None:
    """The loss is committed before it is told: of its own matches not one is void for that."""
    ran = run_to_end(write_file(tmp_path, "told", sets=6), tmp_path / "cup")
    out = tmp_path / "cup"
    benched = rows(out, BENCHED)
    record_property("workers ended", kills(tmp_path))
    record_property("suspended", str(benched))
    assert kills(tmp_path) > 0, "it has lost at least once"
    lost = {
        row.id
        for row in played_rows(out)
        if "killer" in row.entrants
        if row.places[row.entrants.index("killer")] != 1
    }
    told = {line.partition("-a")[0] for line in (tmp_path / "kills").read_text().splitlines()}
    assert told <= lost, "every loss that it was told of counts"
    assert ran.returncode == 1, ran.stderr
    assert [row[:2] for row in benched] == [("killer", "")], ran.stderr
    check_the_rest(out, 120, record_property)


@pytest.mark.parametrize("deals", ["duplicate", "fresh"])
def test_a_bot_that_ends_its_worker_during_matches_is_suspended_and_nobody_else(
    tmp_path: Path, record_property: Record, deals: str
) -> None:
    file = write_file(tmp_path, "worker", sets=6, more=f'deals = "{deals}"\n')
    ran = run_to_end(file, tmp_path / "cup")
    out = tmp_path / "cup"
    benched = rows(out, BENCHED)
    record_property("workers ended", kills(tmp_path))
    record_property("suspended", str(benched))
    assert ran.returncode == 1, ran.stderr
    assert [row[:2] for row in benched] == [("killer", "")]
    assert "failures of worker processes" in benched[0][2]
    assert "killer is suspended" in ran.stdout
    assert "killer is suspended" in (out / "report.html").read_text()
    # Each of its void matches was put behind all others, and so became a forfeit.
    void = [row[0] for row in rows(out, "select distinct match from voids")]
    forfeited = {
        row.id
        for row in played_rows(out)
        if [row.entrants[seat] for seat in row.forfeits] == ["killer"]
    }
    own = [row.id for row in played_rows(out) if row.id in void and "killer" in row.entrants]
    assert own
    assert set(own) <= forfeited
    check_the_rest(out, 120, record_property)


def test_a_bot_that_ends_itself_has_five_void_matches_however_often_the_run_is_resumed(
    tmp_path: Path, record_property: Record
) -> None:
    out = tmp_path / "cup"
    write_file(tmp_path, "itself", sets=1)
    run_to_end(tmp_path / "cup.toml", out)
    first = kills(tmp_path)
    for sets in (2, 4):  # each time with more matches, as an organiser adds them
        run_to_end(write_file(tmp_path, "itself", sets=sets), out)
    void = rows(out, "select match from voids")
    record_property("processes ended", kills(tmp_path))
    record_property("void", len(void))
    assert first > 0
    assert len(void) == MOST_OWN_DEATHS
    benched = rows(out, BENCHED)
    assert [row[:2] for row in benched] == [("killer", "")]
    assert benched[0][2] == "its process was ended by SIGKILL in 5 matches, which were void"
    check_the_rest(out, 80, record_property)


def test_a_bot_that_stops_its_worker_for_a_while_is_suspended_also_over_two_runs(
    tmp_path: Path, record_property: Record
) -> None:
    """Time-outs of honest bots on a busy machine are strikes here; only a suspension forfeits."""
    out = tmp_path / "cup"
    write = partial(write_file, tmp_path, "stall", more="[policy]\nstrikes = 1000\n", per_move=0.3)
    run_to_end(write(sets=1), out)
    first = kills(tmp_path)
    assert not rows(out, BENCHED), "there is too little evidence"
    ran = run_to_end(write(sets=4), out)
    record_property("workers stopped in each run", (first, kills(tmp_path) - first))
    assert ran.returncode == 1, ran.stderr
    benched = rows(out, BENCHED)
    assert [row[:2] for row in benched] == [("killer", "")]
    assert "failures of worker processes" in benched[0][2]
    deaths = rows(out, "select entrants from deaths where kind = 'referee'")
    record_property("void matches charged", len(deaths))
    assert sum("killer" in row[0] for row in deaths) > first > 0, "those of the first run count"
    assert len(played(out)) == len(set(played(out))) == 80
    void = {row[0] for row in rows(out, "select match from voids")}
    again = [row for row in played_rows(out) if row.id in void]
    assert any([row.entrants[seat] for seat in row.forfeits] == ["killer"] for row in again)
    counted = forfeits(out)
    assert counted.pop("killer") > 0
    assert not any(counted.values()), counted
    no_bot_is_left(out)


def test_where_every_entrant_is_always_there_the_run_ends_and_says_who_was_there(
    tmp_path: Path,
) -> None:
    """With two entrants nobody can say which one ends the workers, but it gains no ranking."""
    ran = run_to_end(write_file(tmp_path, "worker", sets=50, steady=1), tmp_path / "cup")
    assert ran.returncode == 2
    assert "worker processes die again and again" in ran.stderr
    assert "killer (" in ran.stderr
    assert "steady-0 (" in ran.stderr
    assert not rows(tmp_path / "cup", "select entrant from benchings")


# The rule alone, with many tournaments ------------------------------------------------------------


def simulated(
    chance: random.Random, entrants: int, seats: int, tables: int, guilty: float
) -> tuple[str | None, int]:
    """Play until an entrant is suspended; return it, and after how many deaths.

    With every match a worker may die: by chance, or because "0" is there and is about to lose.
    Thirty deaths by chance are more than a run survives.
    """
    possible = list(combinations(map(str, range(entrants)), seats))
    recent: list[tuple[str, ...]] = []
    deaths: list[Death] = []
    while len(deaths) < 30:
        playing = [chance.choice(possible) for _ in range(tables)]
        recent = [*recent, *playing][-100:]
        there = {name for match in playing for name in match}
        if chance.random() < ((guilty if "0" in there else 0) or 0.02):
            expected = presence(recent, tables)
            deaths.append(Death(DeathKind.WORKER, tuple(sorted(there)), expected))
            if found := always_there(deaths):
                return found[0], len(deaths)
    return None, len(deaths)


FIELDS = [(3, 2, 1), (5, 2, 1), (6, 2, 2), (6, 3, 1), (8, 4, 1), (12, 2, 4)]


@pytest.mark.parametrize(("entrants", "seats", "tables"), FIELDS)
def test_innocent_entrants_are_not_suspended_when_workers_die_by_chance(
    entrants: int, seats: int, tables: int
) -> None:
    chance = random.Random(entrants * 100 + seats)  # noqa: S311  no secret depends on it
    found = [simulated(chance, entrants, seats, tables, 0.0)[0] for _ in range(200)]
    assert sum(name is not None for name in found) <= 2, "at most one in a hundred tournaments"


@pytest.mark.parametrize(("entrants", "seats", "tables"), FIELDS)
def test_the_entrant_that_ends_workers_is_found_and_its_neighbours_are_not(
    entrants: int, seats: int, tables: int, record_property: Record
) -> None:
    chance = random.Random(entrants)  # noqa: S311  no secret depends on it
    found = [simulated(chance, entrants, seats, tables, 0.5) for _ in range(100)]
    names = Counter(name for name, _ in found)
    needed = sorted(deaths for name, deaths in found if name == "0")
    record_property("deaths until suspended, median", needed[len(needed) // 2] if needed else None)
    assert set(names) <= {"0", None}
    if (entrants, seats, tables) in ((5, 2, 1), (6, 2, 2), (12, 2, 4)):
        assert names["0"] >= 95
        assert needed[len(needed) // 2] <= 20
