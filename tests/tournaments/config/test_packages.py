"""Entrants that are packages: what the tournament file takes from the manifest, and refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.model import SandboxKind, Transport
from tests.tournaments.tournament_files import SMALL
from tournaments.config.toml_reader import SettingsFileError
from tournaments.config.tournament_file import parse_tournament
from tournaments.model import Package, TournamentSettings, changes
from tournaments.submissions import pack, package_hash, read_package

MANIFEST = """\
[bot]
name = "theirs"
games = ["glastonbury", "gargon"]
[run]
command = ["sh", "bot.sh"]
runtime = "executable"
transport = "grpc"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a package called theirs."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "bot.toml").write_text(MANIFEST)
    (tmp_path / "theirs" / "bot.sh").write_text("true")
    return tmp_path


def read(text: str, folder: Path) -> TournamentSettings:
    """Read a file with that text from line 8."""
    return parse_tournament(f"{SMALL}{text}", "cup.toml", folder, read_package)


def refusal(text: str, folder: Path) -> str:
    """Return why a file with that text from line 8 is refused."""
    with pytest.raises(SettingsFileError) as caught:
        read(text, folder)
    return str(caught.value)


@pytest.mark.usefixtures("bwrap")
def test_name_games_and_transport_are_those_of_the_manifest(folder: Path) -> None:
    *_, entrant = read("[[entrants]]\npackage = 'theirs'\n", folder).entrants
    own = package_hash(pack(folder / "theirs"))
    assert (entrant.name, entrant.games) == ("theirs", ("glastonbury", "gargon"))
    assert entrant.transport is Transport.GRPC
    assert entrant.command is not None
    assert entrant.command.arguments == ("sh", "bot.sh")
    assert entrant.command.sandbox.kind is SandboxKind.BUBBLEWRAP
    assert entrant.identity()["package"] == own
    assert "command" not in entrant.identity()


@pytest.mark.usefixtures("bwrap")
def test_a_file_is_the_same_package_as_its_folder(folder: Path) -> None:
    (folder / "theirs.tar.gz").write_bytes(pack(folder / "theirs"))
    text = "[[entrants]]\npackage = 'theirs'\n[[entrants]]\nname = 'z'\npackage = 'theirs.tar.gz'\n"
    *_, first, second = read(text, folder).entrants
    assert first.package is not None
    assert second.package is not None
    assert first.package.hash == second.package.hash
    assert (first.name, second.name) == ("theirs", "z")


@pytest.mark.usefixtures("bwrap")
def test_name_games_and_environment_may_be_given(folder: Path) -> None:
    keys = "name = 'n'\ngames = ['glastonbury']\nenvironment = { A = 'b' }\nsandbox = 'bubblewrap'"
    *_, entrant = read(f"[[entrants]]\npackage = 'theirs'\n{keys}", folder).entrants
    assert (entrant.name, entrant.games) == ("n", ("glastonbury",))
    assert entrant.command is not None
    assert entrant.command.environment == {"A": "b"}


@pytest.mark.usefixtures("bwrap")
def test_a_changed_package_is_another_entrant(folder: Path) -> None:
    text = "[[entrants]]\npackage = 'theirs'\n"
    before = read(text, folder).identity()
    (folder / "theirs" / "bot.sh").write_text("false")
    (sentence,) = changes(before, read(text, folder))
    assert 'package of the entrant "theirs" changed: a new version of a bot is a new' in sentence


@pytest.mark.usefixtures("bwrap")
def test_a_store_knows_the_package_where_its_files_are_not(folder: Path) -> None:
    text = "[[entrants]]\npackage = 'theirs'\n"
    *_, there = read(text, folder).entrants
    assert there.package is not None
    known = there.package.as_dict()

    def stored(path: str, _base: Path | None) -> Package:
        return Package.from_dict(path, known)

    *_, here = parse_tournament(f"{SMALL}{text}", "cup.toml", None, stored).entrants
    assert (here.name, here.games, here.transport) == (there.name, there.games, there.transport)
    assert here.package is not None
    assert here.package.hash == there.package.hash


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("package = 'none'", 'cup.toml:9: package "none": '),
        ("package = 'theirs'\nfolder = 'x'", "cup.toml:10: the manifest of a package decides on"),
        ("package = 'theirs'\ntransport = 'pipe'", "cup.toml:10: the manifest of a package"),
        ("package = 'theirs'\nsandbox = 'none'", "cup.toml:10: a package always runs in the sand"),
        ("package = 'theirs'\nbot = 'random'", "cup.toml:9: an entrant has exactly one of"),
        ("package = 'theirs'\nremote = true", "cup.toml:10: an entrant has exactly one of"),
        ("package = 'theirs'\ngames = ['festo']", "cup.toml:10: this package does not play festo"),
        ("package = 'theirs'\nname = 'a'", 'cup.toml:10: the name "a" is taken by the entrant'),
        ("package = 3", "cup.toml:9: package is 3, but must be"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_line(folder: Path, keys: str, expected: str) -> None:
    assert expected in refusal(f"[[entrants]]\n{keys}\n", folder)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("name = ", "nmae = ", 'bot.toml:2: there is no key "nmae"'),
        ('"executable"', '"pyhton"', 'there is no runtime "pyhton". Did you mean "python"?'),
        ('["glastonbury", "gargon"]', '["gargon"]', '"theirs" plays gargon, but the tournament'),
    ],
)
def test_a_manifest_that_does_not_do_is_refused_with_the_line_of_the_entrant(
    folder: Path, old: str, new: str, expected: str
) -> None:
    (folder / "theirs" / "bot.toml").write_text(MANIFEST.replace(old, new))
    said = refusal("[[entrants]]\npackage = 'theirs'\n", folder)
    assert any(line.startswith("cup.toml:9: ") and expected in line for line in said.splitlines())


def test_a_runtime_that_is_not_installed_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    said = refusal("[[entrants]]\npackage = 'theirs'\n", folder)
    assert 'cup.toml:9: package "theirs": the runtime "executable" is not installed here' in said
