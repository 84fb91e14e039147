"""Where CMake and protobuf are, and the C++ library of gRPC is not, C++ is skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.languages.built import LANGUAGES, here, skip_unless_wanted

skip_unless_wanted()

ROOT = Path(__file__).parents[2]


@pytest.fixture
def without_grpc(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which CMake does not find gRPC."""
    here(LANGUAGES["cpp"])
    real = shutil.which("cmake")
    cmake = tmp_path / "cmake"
    hidden = "-DCMAKE_DISABLE_FIND_PACKAGE_gRPC=ON"
    cmake.write_text(
        f'#!/bin/sh\ncase $1 in -S) exec {real} "$@" {hidden};; esac\nexec {real} "$@"\n'
    )
    cmake.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HIGHSTREET_LANGUAGES": "here",
    }


def test_make_bots_skips_it_in_one_line(without_grpc: dict[str, str]) -> None:
    ran = subprocess.run(
        [sys.executable, "sample_bots/build.py", "cpp"],
        cwd=ROOT,
        env=without_grpc,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0
    (line,) = ran.stdout.splitlines()
    assert line.startswith("C++: skipped, needs the C++ libraries of gRPC 1.51")
    assert "libgrpc++-dev" in line


def test_its_tests_are_skipped(without_grpc: dict[str, str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/languages/test_languages.py", "-k", "cpp"],
        cwd=ROOT,
        env=without_grpc,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert "failed" not in ran.stdout
    assert "C++ needs the C++ libraries of gRPC 1.51" in ran.stdout
