"""Settings for all tests."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

import referee  # noqa: F401  before gRPC is loaded, which it has something to say about

# Machines are noisy: a slow example is no failure, a wrong one is.
settings.register_profile(
    "explore", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# The same examples in every run: whoever looks for new ones does so on purpose.
settings.register_profile("repeat", settings.get_profile("explore"), derandomize=True)
PROFILE = os.environ.get("HIGHSTREET_HYPOTHESIS", "repeat")
settings.load_profile(PROFILE)

if PROFILE == "repeat":
    # Examples have constants of our modules among them, of all that are imported by then. Which
    # these are depends on the tests that ran before in the same process, so none of them counts.
    providers._get_local_constants = lambda: providers._local_constants


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
