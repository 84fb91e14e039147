"""Packages in a tournament: built once in the sandbox, cached by hash, named in the records."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.record import decompressed, verify_record
from referee.runtime import run_async
from tests.sandbox.conftest import ORDINARY, interpreter
from tournaments.submissions import PackageCache, PackageError, pack, package_hash

pytestmark = pytest.mark.slow
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
MANIFEST = """\
[bot]
name = "tiny"
games = ["glastonbury", "gargon"]
[build]
command = ["sh", "-c", "echo a line of the build; touch built"]
[run]
command = ["sh", "-c", "test -e built && exec python3 tiny_bot.py"]
runtime = "python"
"""
CUP = """\
name = "cup"
table_sizes = [2]
[time_control]
clock = "cpu"
[[entrants]]
package = "tiny"
[[entrants]]
name = "other"
package = "tiny.tar.gz"
"""


class Cup:
    """A tournament of packages, which a user runs."""

    def __init__(self, folder: Path, user: str) -> None:
        self.folder = folder
        self._user = user
        self.cache = folder / "cache" / "highstreet" / "packages"
        package = folder / "tiny"
        package.mkdir()
        for name in ("tiny_bot.py", "plumbing.py"):
            shutil.copy(SAMPLES / name, package)
        (package / "bot.toml").write_text(MANIFEST)
        (folder / "tiny.tar.gz").write_bytes(pack(package))
        (folder / "cup.toml").write_text(CUP)
        folder.chmod(0o755)
        self.give_away()

    def give_away(self) -> None:
        """Let the user own all files."""
        if self._user == "ordinary" and os.geteuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, ORDINARY, ORDINARY)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of a tournament in its folder."""
        program = "from tournaments.cli import main; main()"
        command = [*interpreter(self._user), "-c", program, "tournament"]
        first, *rest = arguments
        return subprocess.run(
            [*command, first, str(self.folder / "cup.toml"), *rest],
            env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )

    def records(self) -> list[bytes]:
        """Return the records of the tournament."""
        return [
            decompressed(path.read_bytes()) for path in (self.folder / "cup" / "records").iterdir()
        ]


@pytest.fixture
def cup(user: str) -> Iterator[Cup]:
    """Return a tournament in a folder of its own, as root and as an ordinary user."""
    folder = Path(tempfile.mkdtemp(prefix="packages-"))
    yield Cup(folder, user)
    shutil.rmtree(folder)


def test_a_package_is_built_once_and_plays_and_the_records_name_it(cup: Cup) -> None:
    own = package_hash(pack(cup.folder / "tiny"))
    played = cup.run("run")
    assert played.returncode == 0, played.stderr
    assert "building the package of tiny" in played.stdout + played.stderr
    assert "building the package of other" not in played.stdout + played.stderr
    assert [path.name for path in cup.cache.iterdir()] == [own]
    assert (cup.folder / "cup" / "logs" / "tiny.build.log").read_text() == "a line of the build\n"
    records = cup.records()
    assert len(records) == 2
    for record in records:
        assert not verify_record(record).forfeits
        head = json.loads(record.splitlines()[0])
        assert [seat["package"] for seat in head["seats"]] == [own, own]
        assert {seat["sandbox"]["kind"] for seat in head["seats"]} == {"bubblewrap"}


def test_packages_have_the_runtimes_of_a_server_file(cup: Cup) -> None:
    server = cup.folder / "server.toml"
    server.write_text("[runtimes.python]\nenabled = false\n")
    for command in ("plan", "run"):
        refused = cup.run(command, "--config", str(server))
        assert refused.returncode == 2
        assert 'cup.toml:6: package "tiny": the runtime "python" is switched off' in refused.stderr
    server.write_text('[runtimes.python]\nenvironment = { HALL = "own" }\n')
    manifest = cup.folder / "tiny" / "bot.toml"
    manifest.write_text(MANIFEST.replace("test -e built", "test $HALL = own && test -e built"))
    (cup.folder / "cup.toml").write_text(CUP.replace("tiny.tar.gz", "tiny"))
    played = cup.run("run", "--config", str(server))
    assert played.returncode == 0, played.stderr
    assert not any(verify_record(record).forfeits for record in cup.records())


def test_a_changed_package_is_refused_on_resume(cup: Cup) -> None:
    assert cup.run("run").returncode == 0
    with (cup.folder / "tiny" / "tiny_bot.py").open("a") as file:
        file.write("# another version\n")
    again = cup.run("run")
    assert again.returncode == 2
    assert 'package of the entrant "tiny" changed: a new version of a bot is a new' in again.stderr
    assert '"other"' not in again.stderr
    assert len(list(cup.cache.iterdir())) == 1  # it was not built


def test_a_plan_builds_nothing(cup: Cup) -> None:
    assert cup.run("plan").returncode == 0
    assert not cup.cache.exists()


def test_a_build_that_fails_is_shown_with_the_line_of_the_entrant(cup: Cup) -> None:
    manifest = cup.folder / "tiny" / "bot.toml"
    manifest.write_text(MANIFEST.replace("touch built", "exit 3"))
    failed = cup.run("run")
    assert failed.returncode == 2
    expected = 'cup.toml:6: package "tiny": the build failed: the process ended with exit code 3'
    assert expected in failed.stderr
    assert "a line of the build" in failed.stderr
    assert list(cup.cache.iterdir()) == []


def test_a_cache_that_others_can_write_to_is_not_used(cup: Cup) -> None:
    assert cup.run("run").returncode == 0
    cup.cache.chmod(0o777)
    refused = cup.run("run", "--out", str(cup.folder / "second"))
    assert refused.returncode == 2
    assert f"{cup.cache} can be written to by other users" in refused.stderr


BUILD = "mkdir -p deep; echo x > deep/file; ln -s deep/file link"


def build_into(cache: PackageCache, folder: Path) -> Path:
    """Build a package into a cache, and return its folder there."""
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(
        f'[bot]\nname = "x"\ngames = ["glastonbury"]\n[build]\ncommand = ["sh", "-c", "{BUILD}"]\n'
        '[run]\ncommand = ["sh"]\nruntime = "executable"\n'
    )

    async def story() -> Path:
        async with cache.unpacked(pack(folder)) as package:
            await package.build(folder.parent / "log")
            return package.built

    return run_async(story())


def test_a_built_package_is_complete_and_read_only(tmp_path: Path) -> None:
    cache = PackageCache(tmp_path / "cache")
    built = build_into(cache, tmp_path / "bot")
    assert build_into(cache, tmp_path / "bot") == built
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [built.name]
    assert (built / "link").read_text() == "x\n"
    for path in (built, *built.rglob("*")):
        assert path.is_symlink() or not path.stat().st_mode & 0o222


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")
def test_a_package_of_another_user_is_not_used(tmp_path: Path) -> None:
    cache = PackageCache(tmp_path / "cache")
    built = build_into(cache, tmp_path / "bot")
    os.chown(built, ORDINARY, ORDINARY)
    with pytest.raises(PackageError, match="belongs to another user"):
        cache.find(built.name)
