"""A test that hangs, or leaves something that hangs, ends the run and shows all stacks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[1]
HANGS = {
    "when it is imported": "stuck()\n",
    "in a test": "def test_it():\n    stuck()\n",
    "in its report": "class Bad:\n    def __repr__(self):\n        stuck()\n\n"
    "def test_it():\n    bad = Bad()\n    assert not bad\n",
    "in a fixture": "import pytest\n\n@pytest.fixture\ndef it():\n    yield\n    stuck()\n\n"
    "def test_it(it):\n    pass\n",
    "after the last test": "import atexit\n\ndef test_it():\n    atexit.register(stuck)\n"
    "    assert 0\n",
}
STUCK = """
import threading

def stuck():
    threading.Event().wait()

def test_other():
    pass

"""


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["0", "2"])
@pytest.mark.parametrize("where", HANGS)
def test_what_hangs_ends_the_run_and_is_shown(where: str, processes: str, tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(STUCK + HANGS[where])
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "tests.conftest", "-n", processes),
            *("-c", ROOT / "pyproject.toml", "--rootdir", tmp_path, tmp_path),
        ],
        cwd=ROOT,
        env={**os.environ, "HIGHSTREET_TEST_SECONDS": "5"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert ran.returncode != 0
    assert "Timeout" in ran.stderr
    assert "in stuck" in ran.stderr, ran.stderr
