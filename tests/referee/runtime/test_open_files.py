"""The soft limit of open files: as high as the hard one allows."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import resource
from referee.runtime.file_limits import raise_open_files
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
print(raise_open_files({wanted}), resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "expected"),
    [
        (100, 300, 200, "200 (200, 300)"),
        (100, 300, 65536, "300 (300, 300)"),
        (250, 300, 200, "250 (250, 300)"),
    ],
)
def test_soft_limit_is_raised(soft: int, hard: int, wanted: int, expected: str) -> None:
    """In a process of its own: a hard limit that was lowered cannot be raised again."""
    code = CODE.format(soft=soft, hard=hard, wanted=wanted)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
