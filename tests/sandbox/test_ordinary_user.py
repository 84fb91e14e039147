"""The tests of hosting once more, as an ordinary user where root runs the others."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.sandbox.conftest import ROOT, interpreter

pytestmark = pytest.mark.slow


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs all tests here")
@pytest.mark.parametrize("file", ["test_hosting.py", "test_submission_queue.py", "test_submit.py"])
def test_an_ordinary_user_hosts_bots(file: str) -> None:
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [*interpreter("ordinary"), "-m", "pytest", "-n0", "-p", "no:cacheprovider", "--tb=short",
         str(ROOT / "tests" / "sandbox" / file)],
        env={**alone, "HOME": "/nonexistent", "HIGHSTREET_SANDBOX": "required"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert " skipped" not in done.stdout
