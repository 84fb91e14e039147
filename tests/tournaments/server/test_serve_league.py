"""A league server as people run it: real processes, killed, stopped and started again."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from engine.errors import UsageError
from tests.tournaments.serving import (
    LEAGUE,
    Place,
    all_matches,
    check_everything_once,
    highstreet,
    kill,
    stop,
    wait_until,
)
from tournaments.cli.connection import Connection, read_connection
from tournaments.config.league_file import parse_league
from tournaments.server.managed_bots import read_managed_bot
from tournaments.server.service_client import LeagueClientError
from tournaments.store import Store

LEAGUE_FILE = """
title = "Spring league"
max_tables = 4
game = "glastonbury"
table_sizes = [2, 3]
[time_control]
per_move = 30
"""
NAMES = ("random", "greedy", "tiny")


@pytest.mark.slow
def test_a_server_that_is_killed_in_the_middle_loses_and_doubles_nothing(
    url: str, tmp_path: Path
) -> None:
    """Sample bots dial in, play, come back by themselves, and play on; then it stops cleanly."""
    with ExitStack() as stack:
        place = Place(tmp_path, url, stack)
        server = place.start()
        client = place.client(place.organiser)
        client.create(LEAGUE, parse_league(LEAGUE_FILE, "file"))
        bots = {name: place.bot(name, client.enter(LEAGUE, name, "")[1]) for name in NAMES}
        store = stack.enter_context(Store.open(url, migrate=False))

        def busy() -> bool:
            played = all_matches(store, "played")
            seen = {seat.entrant for match in played for seat in match.seats}
            return len(played) >= 5 and seen == set(NAMES) and len(store.running(LEAGUE)) >= 2

        wait_until(busy, "all bots play at several tables")
        kill(server)
        left = store.running(LEAGUE)
        before = {match.id for match in all_matches(store, "played")}

        server = place.start()

        def all_back() -> bool:
            return all(entrant["connections"] for entrant in place.client().entrants(LEAGUE))

        wait_until(all_back, "all bots are back by themselves")
        assert all(bot.poll() is None for bot in bots.values())

        def played_again() -> bool:
            return all(store.match(match.id).state == "played" for match in left)

        wait_until(played_again, "what was interrupted is played")
        assert all(store.match(match.id).attempt > 1 for match in left)

        def counted() -> Any:
            rows, matches = client.standings(LEAGUE)
            return matches > len(before) and len(rows) == len(NAMES) and rows

        rows = wait_until(counted, "the standings count what was played since")
        assert {row["name"] for row in rows} == set(NAMES)

        stop(server)
        assert before < {match.id for match in all_matches(store, "played")}
        check_everything_once(store, tmp_path)


@pytest.mark.slow
def test_the_command_line_runs_a_league_with_house_bots(tmp_path: Path) -> None:
    """From an empty folder to standings, downloads, a backup and a restored copy."""
    with ExitStack() as stack:
        place = Place(tmp_path, f"sqlite:///{tmp_path / 'league.db'}", stack)
        house = [f"--house={LEAGUE}/{name}={bot}" for name, bot in HOUSE.items()]
        server = place.start(*house)
        calm = LEAGUE_FILE.replace("max_tables = 4", "max_tables = 1")
        (tmp_path / "league.toml").write_text(calm, encoding="utf-8")
        token = {"HIGHSTREET_TOKEN": place.organiser, "HIGHSTREET_SERVER": place.address}

        made = highstreet("league", "create", LEAGUE, str(tmp_path / "league.toml"), **token)
        assert made.returncode == 0, made.stderr
        again = highstreet("league", "create", LEAGUE, str(tmp_path / "league.toml"), **token)
        assert again.returncode == 2
        assert "already" in again.stderr
        watched = highstreet("league", "watch", LEAGUE, "--matches", "4", **token)
        assert watched.returncode == 0, watched.stderr
        assert len(watched.stdout.splitlines()) == 4
        found = json.loads(highstreet("league", "entrants", LEAGUE, "--json", **token).stdout)
        assert {each["name"] for each in found} == HOUSE.keys()

        fetched = highstreet(
            *("records", "download", "--server", place.address, "--out", str(tmp_path / "records"))
        )
        assert fetched.returncode == 0, fetched.stderr
        files = sorted((tmp_path / "records").glob("*.jsonl.zst"))
        assert len(files) >= 4
        verified = highstreet("verify", *map(str, files[:3]))
        assert verified.returncode == 0, verified.stdout + verified.stderr

        backup = highstreet("league", "backup", str(tmp_path / "b.zip"), *place.where[2:])
        assert backup.returncode == 0, backup.stderr
        stop(server)
        copy = ["--data", str(tmp_path / "copy")]
        restored = highstreet("league", "restore", str(tmp_path / "b.zip"), *copy)
        assert restored.returncode == 0, restored.stderr
        with Store.open(f"sqlite:///{tmp_path / 'copy' / 'league.db'}") as store:
            assert store.identify(place.organiser).role == "organiser"
            assert len(store.results(LEAGUE)) >= 4


HOUSE = {"one": "random", "two": "greedy"}


@pytest.mark.slow
def test_house_bots_play_where_the_server_speaks_tls(tmp_path: Path) -> None:
    """No certificate is good for the name by which they dial, so they come by another way."""
    made = highstreet("make-cert", str(tmp_path), "--host", "league.example")
    assert made.returncode == 0, made.stderr
    (tmp_path / "league.toml").write_text(LEAGUE_FILE, encoding="utf-8")
    with ExitStack() as stack:
        place = Place(tmp_path / "server", f"sqlite:///{tmp_path / 'league.db'}", stack)
        server = place.start(
            *("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")),
            *("--league", f"{LEAGUE}={tmp_path / 'league.toml'}"),
            *(f"--house={LEAGUE}/{name}={bot}" for name, bot in HOUSE.items()),
        )
        store = stack.enter_context(Store.open(place.where[-1], migrate=False))
        wait_until(lambda: len(all_matches(store, "played")) >= 2, "house bots play")
        with pytest.raises(LeagueClientError, match="does it use TLS"):
            place.client().standings(LEAGUE)  # the port itself speaks nothing but TLS
        stop(server)
        seats = [seat for match in all_matches(store, "played") for seat in match.seats]
        assert {seat.entrant for seat in seats} == HOUSE.keys()
        assert not any(seat.forfeit for seat in seats)


@pytest.mark.slow
def test_a_server_without_a_database_says_what_to_do(tmp_path: Path) -> None:
    refused = highstreet("serve", "--data", str(tmp_path))
    assert refused.returncode == 2
    assert "--init" in refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--data", "leagues", "--entrant", "a"), "--entrant describes the default league"),
        (("--data", "leagues", "--seats", "3"), "--seats describes the default league"),
        (("--data", "leagues", "--per-move", "3"), "--per-move describes the default league"),
        (("--init", "--recipes"), "--recipes describes the default league"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(arguments: tuple[str, ...], named: str) -> None:
    refused = highstreet("serve", *arguments)
    assert refused.returncode == 2
    assert named in refused.stderr


def test_house_bots_are_read_or_refused() -> None:
    bot = read_managed_bot("spring/my bot=python my_bot.py --fast=1")
    assert (bot.league, bot.name) == ("spring", "my bot")
    assert bot.command.arguments == ("python", "my_bot.py", "--fast=1")
    assert read_managed_bot("spring/x=greedy").command.arguments[-1].endswith("greedy_bot.py")
    assert "/" not in read_managed_bot("spring/ä b=greedy").log_name.replace("spring.", "")
    for wrong in ("spring", "spring/x", "spring/x=", "/x=greedy", "spring/../x=greedy"):
        with pytest.raises(UsageError):
            read_managed_bot(wrong)


def test_a_token_never_goes_to_another_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes from a file, the environment or the configuration, which is for one server."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("HIGHSTREET_TOKEN", raising=False)
    config = tmp_path / "highstreet" / "config.toml"
    config.parent.mkdir()
    config.write_text('server = "a:1"\n[servers."a:1"]\ntoken = "secret"\n', encoding="utf-8")
    config.chmod(0o600)
    assert read_connection(None, None, None) == Connection("a:1", "secret", None)
    assert read_connection("b:2", None, None) == Connection("b:2", None, None)
    monkeypatch.setenv("HIGHSTREET_TOKEN", "other")
    assert read_connection("b:2", None, None) == Connection("b:2", "other", None)
    (tmp_path / "file").write_text("third\n", encoding="utf-8")
    assert read_connection("b:2", tmp_path / "file", None) == Connection("b:2", "third", None)
    config.chmod(0o644)
    with pytest.raises(UsageError, match="others can read it"):
        read_connection(None, None, None)
