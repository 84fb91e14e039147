"""Runtimes of a machine, as an organiser wants them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import UsageError
from referee.model import SYSTEM, Runtime
from sample_bots.languages import templates
from tournaments.model import RUNTIMES, RuntimeSettings, RuntimesSettings
from tournaments.submissions import find_runtime, installed_runtimes, refuse_visible


def program(path: Path) -> Path:
    """Write a program that does nothing."""
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def listed(name: str = "lua", *, only_listed: bool = False, **keys: object) -> RuntimesSettings:
    """Return settings with one runtime."""
    return RuntimesSettings({name: RuntimeSettings(**keys)}, only_listed)  # type: ignore[arg-type]


def test_bots_see_the_folder_of_a_program_and_further_paths(tmp_path: Path) -> None:
    lua, data = program(tmp_path / "lua-5" / "bin" / "lua"), tmp_path / "data"
    data.mkdir()
    settings = listed(program=lua, paths=(data, Path("/usr/share")), environment={"X": "y"})
    found = find_runtime("lua", settings)
    assert found.paths == (*SYSTEM.paths, tmp_path / "lua-5", data)
    assert found.environment == {"PATH": f"{lua.parent}:/usr/bin:/bin", "X": "y"}


def test_a_server_keeps_nothing_where_bots_can_read(tmp_path: Path) -> None:
    """Neither below the folders of the system, nor below those of a runtime, nor over a link."""
    lua, shown = program(tmp_path / "lua" / "bin" / "lua"), tmp_path / "shown"
    (shown / "league").mkdir(parents=True)
    (tmp_path / "link").symlink_to(shown)
    settings = listed(program=lua, paths=(shown,))
    hidden = tmp_path / "league"
    refuse_visible(hidden, settings)
    for folder in (shown / "league", tmp_path / "link" / "new", tmp_path / "lua", Path("/usr/x")):
        with pytest.raises(UsageError, match=f"^{folder} is below "):
            refuse_visible(folder, settings)
    config = tmp_path / "server.toml"
    config.write_text(f'[runtimes.lua]\nprogram = "{lua}"\npaths = ["{shown}"]\n')
    for more in (("--init",), ()):
        data = shown / "data"
        done = highstreet("serve", "--data", str(data), "--config", str(config), *more)
        assert done.returncode == 2
        assert f"{data} is below {shown}, which bots with the runtime lua can read" in done.stderr
        assert not data.exists()


def test_bots_see_no_more_than_the_folder_of_a_program_that_is_in_no_bin(tmp_path: Path) -> None:
    lua = program(tmp_path / "lua" / "lua")
    found = find_runtime("lua", listed(program=lua))
    assert found.paths == (*SYSTEM.paths, lua.parent)
    assert found.environment["PATH"] == f"{lua.parent}:/usr/bin:/bin"


def test_a_program_in_the_bin_of_the_home_folder_does_not_show_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    lua = program(tmp_path / "bin" / "lua")
    assert find_runtime("lua", listed(program=lua)).paths == (*SYSTEM.paths, lua.parent)


def test_a_python_of_the_organiser_comes_first(tmp_path: Path) -> None:
    chosen = tmp_path / "bin" / "python3"
    chosen.parent.mkdir()
    chosen.write_text(f"#!/bin/sh\necho {tmp_path}\n")
    chosen.chmod(0o755)
    found = find_runtime("python", listed("python", program=chosen))
    assert found.environment["PATH"].startswith(f"{chosen.parent}:")
    assert tmp_path in found.paths


@pytest.mark.parametrize(
    ("settings", "name", "reason"),
    [
        (listed("bash", enabled=False), "bash", 'the runtime "bash" is switched off here.'),
        (listed("bash", only_listed=True), "perl", 'the runtime "perl" is switched off here.'),
        (RuntimesSettings(), "pyhton", 'there is no runtime "pyhton". Did you mean "python"?'),
        (listed(program=Path("/no/lua")), "lua", "not installed here: there is no program /no/lua"),
        (listed("bash", paths=(Path("/no/data"),)), "bash", "the path /no/data, which does not"),
    ],
)
def test_a_runtime_that_bots_cannot_have_is_refused(
    settings: RuntimesSettings, name: str, reason: str
) -> None:
    with pytest.raises(UsageError) as refusal:
        find_runtime(name, settings)
    assert reason in str(refusal.value)


def test_what_is_installed_is_there_unless_it_must_be_listed() -> None:
    assert isinstance(installed_runtimes()["bash"], Runtime)
    found = installed_runtimes(listed("bash", only_listed=True))
    assert [name for name, runtime in found.items() if isinstance(runtime, Runtime)] == ["bash"]
    assert list(found) == sorted(RUNTIMES)


def test_every_runtime_but_executable_has_a_template() -> None:
    assert {own.runtime for own in templates().values()} == {*RUNTIMES} - {"executable"}


def highstreet(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from tournaments.cli import main; main()", *arguments]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def test_the_command_lists_what_the_file_says(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text(
        f'[runtimes]\nonly_listed = true\n[runtimes.bash]\npaths = ["{tmp_path}"]\n'
        '[runtimes.lua]\nprogram = "/no/lua"\n'
    )
    ran = highstreet("runtimes", "--config", str(file))
    assert ran.returncode == 0, ran.stderr
    assert f"bash        {tmp_path}\n" in ran.stdout
    assert 'lua         the runtime "lua" is not installed here' in ran.stdout
    assert 'rust        the runtime "rust" is switched off here.' in ran.stdout


def test_the_command_refuses_a_file_with_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("[runtimes.bahs]\n")
    ran = highstreet("runtimes", "--config", str(file))
    assert ran.returncode == 2
    assert f'{file}:1: there is no runtime "bahs". Did you mean "bash"?' in ran.stderr


@pytest.mark.slow
@pytest.mark.skipif(
    os.environ.get("HIGHSTREET_SANDBOX") != "required" and shutil.which("bwrap") is None,
    reason="bwrap is missing: apt install bubblewrap",
)
def test_the_command_tests_each_runtime_and_ends_with_1_if_one_fails(tmp_path: Path) -> None:
    """A Perl that cannot run fails, beside a shell that can."""
    perl = program(tmp_path / "perl" / "bin" / "perl")
    file = tmp_path / "server.toml"
    file.write_text(
        "[runtimes]\nonly_listed = true\n[runtimes.executable]\n[runtimes.bash]\n"
        f'[runtimes.perl]\nprogram = "{perl}"\n'
    )
    ran = highstreet("runtimes", "--config", str(file), "--test")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    lines = {line.split()[0]: line for line in ran.stdout.splitlines()}
    assert "the system: passed in " in lines["bash"]
    assert "FAILED, the check of glastonbury failed: " in lines["perl"]
    assert "not tested, it has no template" in lines["executable"]
