"""``highstreet verify`` of leagues: their folder, their database, and what it finds."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.model import ClockKind
from referee.record import decompressed, verify_whole
from referee.record.terms import Terms
from tests.tournaments.serving import LEAGUE, highstreet
from tournaments.cli import main
from tournaments.ratings import StandingsRequest, as_sections, compute_standings
from tournaments.runner import standings_worker
from tournaments.store import Store
from tournaments.verification.league import NAMED, league_of_store

FILE = """
title = "Spring league"
game = "glastonbury"
table_sizes = [2]
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a league of two house bots for a few matches."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "spring.toml").write_text(FILE, encoding="utf-8")
    assert highstreet("serve", "--data", str(folder), "--init").returncode == 0
    house = [f"--house={LEAGUE}/{name}={bot}" for name, bot in (("a", "greedy"), ("b", "random"))]
    league = ("--league", f"{LEAGUE}={folder / 'spring.toml'}")
    done = highstreet("serve", "--data", str(folder), *league, *house, "--matches", "3")
    assert done.returncode == 0, done.stderr
    return folder


def verify(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'league.db'}"


def copied(data: Path, tmp_path: Path) -> Path:
    with (
        closing(sqlite3.connect(data / "league.db")) as source,
        closing(sqlite3.connect(tmp_path / "league.db")) as target,
    ):
        source.backup(target)
    return tmp_path


@pytest.mark.slow
def test_a_league_that_goes_on_is_verified_but_for_its_deals(data: Path) -> None:
    for where in ([data], ["--database", url(data)], [data, "--league", LEAGUE]):
        done = verify(*where)
        assert done.exit_code == 0, done.output
        first, second = done.output.splitlines()
        assert first.endswith(" correct, 0 wrong")
        assert second.startswith(f"league {LEAGUE}: ")
        assert "the deals can be checked when the league is closed" in second


def test_a_closed_league_has_its_deals_checked(data: Path, tmp_path: Path) -> None:
    folder = copied(data, tmp_path)
    with Store.open(url(folder)) as store:
        assert store.close_league(LEAGUE).secret
    assert "every deal follows from the secret" in verify(folder).output
    with closing(sqlite3.connect(folder / "league.db")) as database, database:
        database.execute("update secrets set secret = ?", (bytes(32),))
    done = verify(folder)
    assert done.exit_code == 1
    assert "line 2: the seed does not follow from the secret." in done.output


CHANGES = {
    "a score": ("update match_seats set score = score + 1", "scores is "),
    "a place": ("update match_seats set place = 3 - place", "places is "),
    "a game": ("update matches set variant = 'recipes'", "variant is recipes in the league"),
    "the settings": (
        (
            "update competitions set settings = "
            "replace(settings, '\"per_move\": 2.0', '\"per_move\": 3.0')"
        ),
        "time control and policy are not those of the league.",
    ),
    "a record": ("delete from records where rowid = 1", "the record is missing."),
}


@pytest.mark.parametrize(("statement", "sentence"), CHANGES.values(), ids=CHANGES)
def test_what_was_changed_in_the_database_is_found(
    data: Path, tmp_path: Path, statement: str, sentence: str
) -> None:
    folder = copied(data, tmp_path)
    with closing(sqlite3.connect(folder / "league.db")) as database, database:
        assert database.execute(statement).rowcount
    done = verify(folder)
    assert done.exit_code == 1, done.output
    assert sentence in done.output


SUBMITTED = "ab" * 32
OTHERS = {
    "submitted bots, CPU clock": ((SUBMITTED, SUBMITTED), "cpu", True),
    "submitted bots, wall clock": ((SUBMITTED, SUBMITTED), "wall", False),
    "a remote bot, CPU clock": ((SUBMITTED, ""), "cpu", False),
    "a remote bot, wall clock": ((SUBMITTED, ""), "wall", True),
    "remote bots, CPU clock": (("", ""), "cpu", False),
}


@pytest.mark.parametrize(("packages", "clock", "right"), OTHERS.values(), ids=OTHERS)
def test_the_clock_of_a_match_is_that_of_its_bots(
    data: Path, packages: tuple[str, str], clock: str, *, right: bool
) -> None:
    with Store.open(url(data)) as store:
        league = league_of_store(store, LEAGUE)
        where, record = next(iter(league.tasks()))
    assert isinstance(record, bytes)
    verified = verify_whole(decompressed(record))
    control, policy = verified.terms
    terms = Terms(replace(control, clock=ClockKind(clock)), policy)
    found = list(league.problems(where, verified._replace(packages=packages, terms=terms)))
    assert ("time control and policy are not those of the league." not in found) is right


def test_a_package_is_that_of_the_version(data: Path) -> None:
    with Store.open(url(data)) as store:
        league = league_of_store(store, LEAGUE)
        where, record = next(iter(league.tasks()))
    assert isinstance(record, bytes)
    verified = verify_whole(decompressed(record))
    assert not list(league.problems(where, verified))
    first = verified.summary.entrants[0]
    found = list(league.problems(where, verified._replace(packages=(SUBMITTED, ""))))
    assert found == [f"the package of {first} is {SUBMITTED}, which is that of another version."]


@pytest.fixture(scope="module")
def counted(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the league, and store the standings of all its results."""
    folder = copied(data, tmp_path_factory.mktemp("counted"))
    sections, position, _ = standings_worker._compute(url(folder), LEAGUE)
    with Store.open(url(folder)) as store:
        assert store.save_standings(LEAGUE, position, sections)
    return folder


def test_stored_standings_are_compared_with_the_results(counted: Path) -> None:
    done = verify(counted)
    assert done.exit_code == 0, done.output
    assert "the stored standings are what the results give." in done.output


ALTERED = {
    "a rank": ("*/*/*", "replace(document, '\"rank\":1', '\"rank\":2')"),
    "a rating": ("entrant/a", "replace(document, '\"mu\":', '\"mu\":1')"),
    "a leader": ("head", "replace(document, '\"leaders\":[{', '\"leaders\":[{},{')"),
    "a version": ("entrant/b", "replace(document, '\"versions\":[', '\"versions\":[null,')"),
}


@pytest.mark.parametrize(("section", "document"), ALTERED.values(), ids=ALTERED)
def test_standings_that_were_altered_are_found(
    counted: Path, tmp_path: Path, section: str, document: str
) -> None:
    folder = copied(counted, tmp_path)
    with closing(sqlite3.connect(folder / "league.db")) as database, database:
        before = "select document from standings_sections where section = ?"
        stored = database.execute(before, (section,)).fetchone()
        update = f"update standings_sections set document = {document} where section = ?"  # noqa: S608  of this test
        assert database.execute(update, (section,)).rowcount == 1
        assert database.execute(before, (section,)).fetchone() != stored
    done = verify(folder)
    assert done.exit_code == 1, done.output
    assert "the stored section is not what the results give" in done.output


def test_a_version_that_no_entrant_has_is_found_in_stored_standings(
    counted: Path, tmp_path: Path
) -> None:
    """The stored sections are those of a league with one entrant more."""
    folder = copied(counted, tmp_path)
    with Store.open(url(folder)) as store:
        settings, results = store.league(LEAGUE).settings, store.results(LEAGUE)
        entered = ("a@", "b@", "zed@1")
        request = StandingsRequest.of_league(settings, entered, {"zed": "1"})
        made = as_sections(compute_standings(results, request))
        sections = {name: json.dumps(each) for name, each in made.items()}
        store.save_standings(LEAGUE, store.stored_standings(LEAGUE)[0], sections)
    done = verify(folder)
    assert done.exit_code == 1, done.output
    assert "standings entrant/zed" in done.output


def test_standings_that_lack_results_are_not_compared(counted: Path, tmp_path: Path) -> None:
    folder = copied(counted, tmp_path)
    with closing(sqlite3.connect(folder / "league.db")) as database, database:
        assert database.execute("update standings set position = position - 1").rowcount == 1
    done = verify(folder)
    assert done.exit_code == 0, done.output
    assert "the stored standings lack the last results, and were not compared." in done.output


def test_what_is_no_league_is_refused(data: Path, tmp_path: Path) -> None:
    for arguments, sentence in (
        (["--database", url(tmp_path)], "there is no database"),
        ([data, "--league", "autumn"], "autumn"),
        (["--server", "nowhere"], "is no address"),
    ):
        done = verify(*arguments)
        assert done.exit_code == 2
        assert sentence in done.output


def test_records_that_were_thinned_out_are_counted_and_named(data: Path, tmp_path: Path) -> None:
    """Pruned by the command: first what it would remove, then what it removes."""
    folder = tmp_path / "copy"
    shutil.copytree(data, folder)
    with closing(sqlite3.connect(folder / "league.db")) as database:
        database.execute("UPDATE matches SET ended_at = '2020-01-01 00:00:00.000000'")
        database.commit()
        matches = [row[0] for row in database.execute("SELECT match FROM records ORDER BY 1")]
    where = ("--data", str(folder))
    assert CliRunner().invoke(main, ["league", "keep", matches[0], *where]).exit_code == 0
    rule = ["--keep-days", "30", "--every", "0"]
    planned = CliRunner().invoke(main, ["league", "prune", LEAGUE, *rule, "--dry-run", *where])
    gone = len(matches) - 1
    assert f"{gone} records would be removed" in planned.output, planned.output
    done = CliRunner().invoke(main, ["league", "prune", LEAGUE, *rule, *where])
    assert f"{gone} records removed" in done.output, done.output
    found = CliRunner().invoke(main, ["verify", str(folder)])
    assert found.exit_code == 0, found.output
    assert "1 record: 1 correct, 0 wrong" in found.output
    noun = "record was" if gone == 1 else "records were"
    assert f"{gone} {noun} thinned out" in found.output
    assert sum(match in found.output for match in matches[1:]) == min(gone, NAMED)
    refused = CliRunner().invoke(main, ["league", "keep", matches[-1], *where])
    assert refused.exit_code != 0
    assert "was thinned out on" in refused.output
    unruly = CliRunner().invoke(main, ["league", "prune", LEAGUE, *where])
    assert unruly.exit_code != 0
    assert "--keep-days" in unruly.output
