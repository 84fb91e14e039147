"""What the tests of tournament files need of the machine."""

from __future__ import annotations

import os
import shutil

import pytest


@pytest.fixture
def bwrap() -> None:
    """Skip a test where the sandbox is missing, without which a package is refused."""
    if os.environ.get("HIGHSTREET_SANDBOX") != "required" and shutil.which("bwrap") is None:
        pytest.skip("bwrap is missing: apt install bubblewrap")
