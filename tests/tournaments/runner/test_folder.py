"""The folder of a tournament: made, moved, copied, left half written, and looked at meanwhile."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.errors import UsageError
from referee.record.repository import FolderRepository
from referee.record.writer import write_record
from tests.tournaments.record_files import record
from tests.tournaments.tournament_files import SECRET, SMALL, TWO
from tests.waiting import PATIENCE
from tournaments.cli import main
from tournaments.cli.tournament.progress_display import MANY_TROUBLES, PlainDisplay
from tournaments.model import commitment_to_secret
from tournaments.runner.batch import BatchRunner
from tournaments.runner.local_processes import LocalProcesses
from tournaments.runner.tournament_folder import TournamentFolder, begun, file_of, opened

OWN = """\
name = "x"
[[entrants]]
name = "a"
command = ["./bot"]
folder = "bots"
[[entrants]]
name = "b"
bot = "random"
"""


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Begin a tournament with a bot beside its file; return the folder of both."""
    home = tmp_path / "home"
    (home / "bots").mkdir(parents=True)
    (home / "bots" / "bot").touch(mode=0o755)
    (home / "cup.toml").write_text(OWN)
    with begun(home / "cup", home / "cup.toml"):
        pass
    return home


def test_a_folder_can_be_read_wherever_it_lies(league: Path, tmp_path: Path) -> None:
    (league / "cup").rename(tmp_path / "cup")
    shutil.rmtree(league)
    with opened(tmp_path / "cup") as folder:
        assert folder.progress().matches == 2


def test_a_tournament_goes_on_where_it_was_moved_to(league: Path, tmp_path: Path) -> None:
    moved = league.rename(tmp_path / "elsewhere")
    assert file_of(moved / "cup") == moved / "cup.toml"
    with begun(moved / "cup", file_of(moved / "cup")) as folder:
        assert folder.tournament.entrants[0].command is not None
        assert folder.tournament.entrants[0].command.folder == moved / "bots"


def test_without_its_file_it_says_how_to_go_on(league: Path, tmp_path: Path) -> None:
    (league / "cup").rename(tmp_path / "cup")
    (league / "cup.toml").unlink()
    with pytest.raises(UsageError, match=r"cup\.toml is not there any more") as why:
        file_of(tmp_path / "cup")
    assert f"--out {tmp_path / 'cup'}" in str(why.value)
    assert (tmp_path / "cup" / "tournament.toml").read_text() == OWN


def test_what_was_left_half_written_is_removed(league: Path) -> None:
    cup = league / "cup"
    left = [
        cup / "records" / ".m-1.jsonl.zst.0123456789abcdef",
        cup / ".standings.json.0123456789abcdef",
    ]
    kept = [cup / "records" / ".hidden", cup / "notes.0123abcd"]
    for path in [*left, *kept]:
        path.touch()
    with begun(cup, league / "cup.toml"):
        pass
    assert [path.exists() for path in left] == [False, False]
    assert [path.exists() for path in kept] == [True, True]


def test_only_the_owner_can_read_the_copy_of_the_file(league: Path) -> None:
    mode = (league / "cup" / "tournament.toml").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600, "it may hold the secret of the deals"


def test_the_secret_is_committed_to_before_the_first_match(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(f'name = "x"\nsecret = "{SECRET}"\n{TWO}')
    with begun(tmp_path / "cup", file) as folder:
        assert folder.commitments() == [commitment_to_secret(bytes.fromhex(SECRET))]
        folder.store.publish_secrets()
    with begun(tmp_path / "cup", file) as folder:
        assert folder.commitments() == [], "there is nothing more to deal"
        assert len(folder.store.secrets()) == 1


def test_who_plays_keeps_verify_away_but_not_tokens(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(f'{SMALL}[[entrants]]\nname = "guest"\nremote = true\n')
    with begun(tmp_path / "cup", file) as folder:
        told = CliRunner().invoke(main, ["tournament", "tokens", str(file)])
        assert told.output == f"guest: {folder.tokens()['guest']}\n"
        verified = CliRunner().invoke(main, ["tournament", "verify", str(tmp_path / "cup")])
        assert verified.exit_code == 2
        assert "is being played" in verified.output


@pytest.fixture
def frozen(league: Path, tmp_path: Path) -> Iterator[Path]:
    """Put the folder on a disk that cannot be written to."""
    disk = tmp_path / "a disk%20"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a disk")
    shutil.copytree(league / "cup", disk / "cup")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)  # noqa: S607
    yield disk / "cup"
    subprocess.run(["umount", "-l", str(disk)], check=True)  # noqa: S607


def test_a_disk_that_cannot_be_written_to_can_be_read(frozen: Path) -> None:
    with opened(frozen) as folder:
        assert folder.progress().matches == 2


def end_last_run(folder: TournamentFolder) -> None:
    runner = BatchRunner(folder, PlainDisplay(print), workers=1, tables=1)
    LocalProcesses(folder, runner, workers=1, tables=1)._end_last_run()


def test_a_copied_folder_leaves_the_run_of_the_first_one_alone(league: Path) -> None:
    with begun(league / "cup", league / "cup.toml") as folder:
        end_last_run(folder)
        mark = folder.store.setting("run")
    bots = [
        subprocess.Popen(["sleep", "3600"], env={**os.environ, "HIGHSTREET_RUN": f"{mark}.1"})  # noqa: S607
    ]
    try:
        shutil.copytree(league / "cup", league / "copy")
        for name, alive in (("copy", True), ("cup", False)):
            with begun(league / name, league / "cup.toml") as folder:
                end_last_run(folder)
            if alive:
                assert bots[0].poll() is None
            else:
                assert bots[0].wait(timeout=PATIENCE) == -9
    finally:
        bots[0].kill()


def test_who_is_benched_is_told_however_much_trouble_there_was() -> None:
    said: list[str] = []
    display = PlainDisplay(said.append)
    for number in range(2 * MANY_TROUBLES):
        display.trouble("bot", f"trouble {number}")
    display.benched("a is benched")
    assert said[-1] == "a is benched"
    assert f"trouble {MANY_TROUBLES}" not in said


def test_a_record_that_comes_within_one_tick_of_the_clock_is_found(tmp_path: Path) -> None:
    shelf = FolderRepository(tmp_path)
    write_record(tmp_path, "s1-1", record("s1-1", "ann", "bob"), compress=True)
    assert shelf.get("s1-1") is not None
    before = tmp_path.stat()
    write_record(tmp_path, "s1-2", record("s1-2", "ann", "bob"), compress=True)
    os.utime(tmp_path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert shelf.get("s1-2") is not None
