"""Submitted bots that a league server runs itself, in the real sandbox."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.sandbox.arena import processes_with, programs_with
from tests.sandbox.hosted_league import (
    ENDS,
    HOSTED,
    KILLS_ITSELF,
    TAKES_MEMORY,
    WITH_GRPC,
    HostedLeague,
    grpc_package,
    hosted_league,
    package,
    submit,
)
from tests.tournaments.serving import (
    LEAGUE,
    Place,
    kill,
    playing,
    run,
    stop,
    wait_for_line,
    wait_until,
)
from tests.waiting import until
from tournaments.cli import main
from tournaments.model import EntrantState, Stage, SubmissionState
from tournaments.runner import Slots
from tournaments.store import Store
from tournaments.submissions import receive_package

pytestmark = pytest.mark.slow


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that other users can enter."""
    path = Path(tempfile.mkdtemp(prefix="hosting-"))
    path.chmod(0o755)
    yield path

    def is_removed() -> bool:
        for parent, _, _ in os.walk(path):
            Path(parent).chmod(0o700)  # built packages are read-only
        shutil.rmtree(path, ignore_errors=True)
        return not path.exists()

    wait_until(is_removed, "a folder in which no thread that ends writes")


@pytest.fixture
def file(folder: Path) -> str:
    """Return the address of a database that is not there yet."""
    return f"sqlite:///{folder / 'league.db'}"


def verified(file: str) -> str:
    """Verify the league, and return what is printed."""
    done = CliRunner().invoke(main, ["verify", "--database", file])
    assert done.exit_code == 0, done.output
    return done.output


def is_benched(league: HostedLeague, name: str) -> bool:
    """Return whether an entrant is benched."""
    return league.store.entrant(LEAGUE, name).state == EntrantState.BENCHED


def test_two_submitted_bots_play_rated_matches(file: str, folder: Path) -> None:
    """They go through all stages; records have packages, sandboxes and the CPU clock."""

    async def test() -> None:
        async with hosted_league(file, folder, stages=True) as league:
            packages = {}
            for name in ("ann", "bob"):
                league.store.sign_up(LEAGUE, name)
                packed = package(folder / name, name)
                found = receive_package(league.store, LEAGUE, name, packed)
                packages[name, found.version] = found.package
            played = await league.running.until_played(3)
            for match in played:
                assert {(seat.entrant, seat.version) for seat in match.seats} == packages.keys()
            for head in league.heads():
                assert head["time_control"]["clock"] == "cpu"
                for seat in head["seats"]:
                    name, version = seat["entrant"].split("@")
                    assert seat["package"] == packages[name, version]
                    assert seat["sandbox"]["kind"] == "bubblewrap"
            await until(
                lambda: (
                    {match.id for match in played}
                    <= dict(league.store.match_logs(LEAGUE, "ann")).keys()
                )
            )
            logs = dict(league.store.match_logs(LEAGUE, "ann"))
            for match in played:
                written = {line for line in logs[match.id].splitlines() if line != "started"}
                assert written == {f"decides in {match.id}"}, "of this match only"
        assert not list((folder / "hosted").iterdir()), "logs are removed with their processes"
        assert not processes_with(str(folder))

    run(test)
    assert "every record was played again" in verified(file)


def test_a_bot_over_grpc_is_submitted_and_plays(file: str, folder: Path) -> None:
    """It goes through all stages beside one over a pipe; both have the CPU clock."""

    async def test() -> None:
        async with hosted_league(file, folder, stages=True, runtimes=WITH_GRPC) as league:
            makers = {"ann": grpc_package, "bob": package}
            for name, make in makers.items():
                league.store.sign_up(LEAGUE, name)
                receive_package(league.store, LEAGUE, name, make(folder / name, name))
            played = await league.running.until_played(3)
            assert not any(seat.forfeit for match in played for seat in match.seats)
            for head in league.heads():
                assert head["time_control"]["clock"] == "cpu"
                kinds = {seat["sandbox"]["kind"] for seat in head["seats"]}
                assert kinds == {"bubblewrap"}
        assert not processes_with(str(folder))

    run(test)
    assert "every record was played again" in verified(file)


def test_a_new_version_takes_the_place_of_the_old_one(file: str, folder: Path) -> None:
    async def test() -> None:
        async with hosted_league(file, folder) as league:
            await league.submit("ann")
            await league.submit("bob")
            await league.running.until_played(1)
            second = await league.submit("ann", label="second")

            def plays() -> bool:
                seats = [seat for match in league.running.played() for seat in match.seats]
                return any(seat.version == second.version for seat in seats)

            await until(plays)
            await until(lambda: not processes_with(str(folder / "ann")))
            assert processes_with(str(folder / "second"))

    run(test)


def test_the_processes_of_a_bot_that_was_retired_end(file: str, folder: Path) -> None:
    async def test() -> None:
        async with hosted_league(file, folder) as league:
            await league.submit("ann")
            await league.submit("bob")
            await league.running.until_played(1)
            league.store.retire(LEAGUE, "ann")
            await league.running.server.manager.refresh(LEAGUE)
            await until(lambda: not processes_with(str(folder / "ann")))
            await until(lambda: not league.store.running(LEAGUE))
            assert league.running.server.manager.present(LEAGUE) == {"bob": 1}

    run(test)


@pytest.mark.parametrize(
    ("before", "detail"),
    [
        pytest.param(ENDS, "exit code 1", id="ends"),
        pytest.param(KILLS_ITSELF, "SIGKILL", id="kills itself"),
        pytest.param(TAKES_MEMORY, "", id="takes memory"),
    ],
)
def test_a_bot_that_ends_in_a_match_forfeits_and_is_benched(
    before: str, detail: str, file: str, folder: Path
) -> None:
    """No match is void, and the author finds what the bot wrote."""

    async def test() -> None:
        settings = replace(HOSTED, bench_after=2, max_tables=1)
        async with hosted_league(file, folder, settings) as league:
            await league.submit("ann", before)
            await league.submit("bob")
            await until(lambda: is_benched(league, "ann"))
            await until(lambda: league.hosting.processes == 1)  # that of bob; the logs are kept
            assert not processes_with(str(folder / "ann"))
            assert not league.store.voids()
            logs = dict(league.store.match_logs(LEAGUE, "ann"))
            for match in league.running.played():
                forfeits = {seat.entrant: seat.forfeit for seat in match.seats}
                assert forfeits == {"ann": True, "bob": False}
                assert logs[match.id].startswith("started\ndecides in ")
                assert ("I give up" in logs[match.id]) is (before == ENDS)
            faults = league.store.faults(LEAGUE, "ann")
            assert [each.fault for each in faults] == ["crash", "crash"]
            assert all(detail in each.detail for each in faults)
            await until(lambda: league.running.server.manager.present(LEAGUE) == {"bob": 1})

    run(test)
    verified(file)


def test_a_match_with_a_connected_bot_has_the_wall_clock(file: str, folder: Path) -> None:
    async def test() -> None:
        async with hosted_league(file, folder) as league:
            await league.submit("ann")
            _, league.running.tokens["eve"] = league.store.enter(LEAGUE, "eve", "eve")
            async with playing(await league.running.join("eve")):
                await league.running.until_played(2)
            for head in league.heads():
                assert "clock" not in head["time_control"]
                assert ["package" in seat for seat in head["seats"]].count(True) == 1

    run(test)
    verified(file)


def test_hosted_bots_may_play_by_the_wall_clock(file: str, folder: Path) -> None:
    async def test() -> None:
        async with hosted_league(file, folder, replace(HOSTED, hosted_clock="wall")) as league:
            await league.submit("ann")
            await league.submit("bob")
            await league.running.until_played(1)
            assert all("clock" not in head["time_control"] for head in league.heads())

    run(test)
    verified(file)


def test_a_package_that_the_cache_lacks_is_built_again(file: str, folder: Path) -> None:
    async def test() -> None:
        async with hosted_league(file, folder) as league:
            ann = await league.submit("ann")
            await league.submit("bob")
            await league.running.until_played(1)
            league.store.retire(LEAGUE, "ann")
            await league.running.server.manager.refresh(LEAGUE)
            await until(lambda: not processes_with(str(folder / "ann")))
            await until(lambda: not league.store.running(LEAGUE))
            league.cache.path(ann.package).rename(folder / "packages" / "away")
            league.store.activate(ann.id)
            await league.running.server.manager.refresh(LEAGUE)
            await league.running.until_played(len(league.running.played()) + 1)
            assert league.cache.find(ann.package)

    run(test)


def test_never_more_processes_run_than_there_are_slots_for(file: str, folder: Path) -> None:
    """Four bots that play in pairs share two processes: idle ones of others end first."""
    most = 0

    async def test() -> None:
        nonlocal most
        async with hosted_league(file, folder, HOSTED, Slots(4, 2)) as league:
            for name in ("ann", "bob", "cid", "dan"):
                await league.submit(name)

            def all_played() -> bool:
                nonlocal most
                most = max(most, league.hosting.processes)
                seats = {seat.entrant for each in league.running.played() for seat in each.seats}
                return len(seats) == 4

            await until(all_played)

    run(test)
    assert most == 2


def test_a_machine_that_cannot_start_a_bot_voids_the_match_and_benches_no_bot(
    file: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the program bwrap no bot is to blame, and with it the league goes on.

    With one process for the bots of a match, each match has to start one.
    """

    async def test() -> None:
        async with hosted_league(file, folder, HOSTED, Slots(1, 1)) as league:
            await league.submit("ann")
            await league.submit("bob")
            await league.running.until_played(1)
            with monkeypatch.context() as patched:
                patched.setattr(shutil, "which", lambda *_, **__: None)
                await until(lambda: any(bot.failures for bot in league.hosting.bots(LEAGUE)))
                before = len(league.running.played())
            await league.running.until_played(before + 1)
            assert league.store.voids()
            assert not league.store.deaths()
            assert not is_benched(league, "ann")
            assert not is_benched(league, "bob")
            assert not league.store.faults(LEAGUE, "ann")

    run(test)


def test_a_server_that_is_killed_leaves_no_process_and_its_league_goes_on(folder: Path) -> None:
    url = f"sqlite:///{folder / 'place' / 'data' / 'league.db'}"
    with contextlib.ExitStack() as stack:
        place = Place(folder / "place", url, stack)
        with Store.open(url) as store:
            store.create_league(LEAGUE, HOSTED)
            for name in ("ann", "bob"):
                submit(store, name, package(folder / name, name))

            def played() -> int:
                return len(store.matches(LEAGUE, state="played", page_size=1000).items)

            server = place.start("--slots", "1")
            limiter = wait_for_line(server, "sandbox: bubblewrap; ", place.log)
            assert limiter.startswith("memory and processes are limited by")
            wait_until(lambda: played() >= 2, "two matches")
            kill(server)
            wait_until(lambda: not programs_with(str(folder / "ann")), "no process of ann")
            wait_until(lambda: not programs_with(str(folder / "bob")), "no process of bob")
            before = played()
            server = place.start("--slots", "1")
            wait_until(lambda: played() >= before + 2, "two more matches")
            stop(server)
            assert not programs_with(str(folder / "ann"))
            assert not store.running(LEAGUE)
    verified(url)


def test_submissions_go_on_after_the_server_was_killed_during_a_build(folder: Path) -> None:
    """Nothing of the build is left; one package was being built, and the other one waited."""
    url = f"sqlite:///{folder / 'place' / 'data' / 'league.db'}"
    build = f'[build]\ncommand = ["sh", "-c", "sleep 3", "{folder}/build"]\n'
    with contextlib.ExitStack() as stack:
        place = Place(folder / "place", url, stack)
        with Store.open(url) as store:
            store.create_league(LEAGUE, HOSTED)
            made = []
            for name in ("ann", "bob"):
                store.sign_up(LEAGUE, name)
                packed = package(folder / name, name, more=build)
                made.append(receive_package(store, LEAGUE, name, packed).id)
            server = place.start("--slots", "1")
            wait_until(lambda: programs_with(f"{folder}/build"), "a build")
            kill(server)
            wait_until(lambda: not programs_with(f"{folder}/build"), "no process of the build")
            stages = [store.submission(each).stage for each in made]
            assert stages == [Stage.UNPACKED, Stage.RECEIVED]
            server = place.start("--slots", "1")

            def all_are_active() -> bool:
                found = {store.submission(each).state for each in made}
                return found == {SubmissionState.ACTIVE}

            wait_until(all_are_active, "two active bots")
            stop(server)
            for each in made:
                reports = store.stage_reports(each)
                assert [report.stage for report in reports] == list(Stage)[1:]
