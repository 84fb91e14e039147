"""A tournament folder and league databases of version 0.1 open, are migrated, and go on."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import zstandard

from referee.record.verify import verify_record
from tests.tournaments.runner.torture import command
from tests.tournaments.serving import LEAGUE, league_server, playing, run
from tests.waiting import PATIENCE
from tournaments.store import Store

STORES = Path(__file__).parent.parent / "data" / "goldens" / "stores"


def decompressed(data: bytes) -> bytes:
    """Decompress a golden file, or a record as the store has it."""
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=1 << 26)


def unpacked(name: str) -> bytes:
    """Return the content of a compressed golden file."""
    return decompressed((STORES / f"{name}.zst").read_bytes())


# Tournaments ------------------------------------------------------------------------------------


def rows(folder: Path) -> dict[str, dict[str, str]]:
    """Return the rows of matches.csv by match."""
    with (folder / "matches.csv").open(encoding="utf-8", newline="") as file:
        return {row["match"]: row for row in csv.DictReader(file)}


@pytest.mark.slow
def test_an_interrupted_tournament_of_version_0_1_is_played_to_its_end(tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(unpacked("tournament.tar"))) as tar:
        tar.extractall(tmp_path, filter="data")
    folder = tmp_path / "cup"
    before = rows(folder)
    records = {path.name: path.read_bytes() for path in (folder / "records").iterdir()}
    assert len(before) == 14
    for subcommand in ("resume", "verify"):
        done = subprocess.run(
            command("tournament", subcommand, folder),
            capture_output=True,
            text=True,
            check=False,
            timeout=5 * PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    after = rows(folder)
    assert len(after) == 24
    for match, row in before.items():
        assert {key: after[match][key] for key in row} == row
    for name, data in records.items():
        assert (folder / "records" / name).read_bytes() == data
    assert len(list((folder / "records").iterdir())) == 24


# Leagues ----------------------------------------------------------------------------------------


def fill(url: str) -> dict[str, Any]:
    """Write the old league into an empty database; return its tokens."""
    made = sa.make_url(url)
    if made.drivername == "sqlite":
        assert made.database is not None
        Path(made.database).write_bytes(unpacked("league.db"))
        return dict(json.loads((STORES / "league.db.tokens.json").read_text(encoding="utf-8")))
    # What begins with a backslash is for psql; so is an empty search path.
    dump = unpacked("league.sql").decode()
    statements = [line for line in dump.splitlines() if not line.startswith(("\\", "SELECT pg_"))]
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("\n".join(statements).replace("%", "%%"))
    return dict(json.loads((STORES / "league.sql.tokens.json").read_text(encoding="utf-8")))


def states(store: Store) -> Counter[str]:
    """Count the matches of the old league by state."""
    found: Counter[str] = Counter()
    token = ""
    while True:
        page = store.matches(LEAGUE, page_size=1000, page_token=token)
        found.update(match.state for match in page.items)
        token = page.next
        if not token:
            return found


def check_content(store: Store) -> None:
    """Check that everything of the old league is there."""
    counted = states(store)
    assert counted["annulled"] == 1
    assert counted["played"] >= 12
    assert len(store.results(LEAGUE)) == counted["played"]
    entrants = {each.name: each.state for each in store.entrants(LEAGUE).items}
    assert entrants == {"ann": "active", "bob": "active", "cy": "active", "dee": "disqualified"}
    assert store.league("closed").state == "closed"
    for _, record in store.records(LEAGUE):
        verify_record(decompressed(record))


def test_a_league_of_version_0_1_is_migrated_and_complete(url: str) -> None:
    tokens = fill(url)
    with Store.open(url) as store:
        check_content(store)
        assert store.identify(tokens["organiser"]).role == "organiser"
        assert store.identify(tokens["ann"]).entrant == "ann"


@pytest.mark.slow
def test_a_league_of_version_0_1_goes_on(url: str) -> None:
    tokens = fill(url)

    async def story() -> None:
        async with league_server(url) as running:
            before = len(running.played())
            running.tokens.update(tokens)
            bots = [await running.join(name, bot_version="1") for name in ("ann", "bob", "cy")]
            async with playing(*bots):
                await running.until_played(before + 4)

    run(story)
    with Store.open(url) as store:
        check_content(store)


def test_a_backup_of_version_0_1_is_restored(url: str) -> None:
    Store.restore(STORES / "league-backup.zip", url)
    with Store.open(url) as store:
        check_content(store)
