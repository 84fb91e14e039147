"""Settings for all tests."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

# Machines are noisy: a slow example is no failure, a wrong one is.
settings.register_profile("highstreet", deadline=None, print_blob=True)
settings.load_profile("highstreet")


# A job in the background of a script ignores Ctrl-C, and so would every program that we start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag that regenerates recordings."""
    parser.addoption(
        "--update",
        action="store_true",
        help="write the recorded playthroughs and perft tables anew instead of comparing",
    )


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Tell whether recordings are to be written anew."""
    return bool(request.config.getoption("--update"))
