"""What building a sample bot takes is looked for, and what is missing is said in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sample_bots import languages as toolchains

BUILD = Path(toolchains.HOME) / "build.py"
HIGHSTREET = [sys.executable, "-c", "from tournaments.cli import main; main()"]
LANGUAGE = """
name = "Klingon"
needs = {needs}
debian = ["qo-nos-dev"]
build = []
run = ["bot"]
transport = "pipe"
games = []
"""
PROBE = """
[probe]
needs = "a library"
command = ["test", {wanted}]
"""


def missing(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> list[str]:
    """Return what a language lacks whose file has this text."""
    (folder / "klingon").mkdir()
    (folder / "klingon" / "language.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(toolchains, "HOME", folder)
    return toolchains.find_language("klingon").missing()


@pytest.mark.parametrize(
    ("need", "there"),
    [
        ("sh", True),
        ("no-such-command", False),
        ("bash >= 3.0", True),
        ("bash >= 99", False),
        ("no-such-command >= 1", False),
    ],
)
def test_a_command_is_looked_for_with_its_version(
    need: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = LANGUAGE.format(needs=f'["{need}"]')
    assert missing(tmp_path, monkeypatch, text) == ([] if there else [need])


@pytest.mark.parametrize(
    ("version", "there"),
    [
        ("This is perl 5, version 36, subversion 0 (v5.36.0)", True),
        ("This is perl 5, version 8, subversion 9 (v5.8.9)", False),
        ("\x1b[1mApache Maven 5.36\x1b[m", True),
        ("javac 17", True),
        ("it cannot be said", False),
    ],
)
def test_versions_are_read_as_commands_print_them(
    version: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "thing"
    command.write_text(f"#!/bin/sh\nprintf '%s' '{version}'\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    toolchains._is_there.cache_clear()
    text = LANGUAGE.format(needs='["thing >= 5.36"]')
    assert (missing(tmp_path, monkeypatch, text) == []) is there


@pytest.mark.parametrize(("wanted", "there"), [('"-d", "{scratch}"', True), ('"-z", "x"', False)])
def test_a_probe_finds_out_what_no_command_tells(
    wanted: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = LANGUAGE.format(needs="[]") + PROBE.replace("{wanted}", wanted)
    assert missing(tmp_path, monkeypatch, text) == ([] if there else ["a library"])


def test_where_no_toolchain_is_every_language_is_skipped_in_one_line(tmp_path: Path) -> None:
    """It is no failure, unless all are wanted."""
    keys = [key for key, own in toolchains.languages().items() if own.needs]
    for options, code in (((), 0), (("--all",), 1)):
        ran = subprocess.run(
            [sys.executable, str(BUILD), *keys, *options],
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": str(tmp_path)},
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        lines = ran.stdout.splitlines()
        assert len(lines) == len(keys)
        assert all(": skipped, needs " in line for line in lines)
        assert "C++: skipped, needs cmake >= 3.25 and make and c++" in ran.stdout
        assert "apt install cmake" in ran.stdout


def test_a_new_bot_says_what_is_missing_before_anything_is_downloaded(tmp_path: Path) -> None:
    ran = subprocess.run(
        [*HIGHSTREET, "new-bot", "go", str(tmp_path / "bot"), "--transport", "grpc"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(tmp_path)},
    )
    assert ran.returncode == 0, ran.stderr
    assert "Needed to build it, and not installed: go >= 1.21" in ran.stderr
    assert (tmp_path / "bot" / "gen" / "highstreetv1" / "play.pb.go").exists()
    assert "protoc" not in ran.stdout + ran.stderr
