"""Settings for all tests."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from referee.runtime.environment import prepare_environment

prepare_environment()  # before gRPC is loaded

# Machines are noisy: a slow example is no failure, a wrong one is.
settings.register_profile(
    "explore", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# The same examples in every run: to look for new ones is a choice.
settings.register_profile("repeat", settings.get_profile("explore"), derandomize=True)
PROFILE = os.environ.get("HIGHSTREET_HYPOTHESIS", "repeat")
settings.load_profile(PROFILE)

if PROFILE == "repeat":
    # Examples have constants of our modules among them, of all that are imported by then. Which
    # these are depends on the tests that ran before in the same process, so none of them counts.
    providers._get_local_constants = lambda: providers._local_constants


# A job in the background of a script ignores Ctrl-C, and so would every program that we start.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Time limit ---------------------------------------------------------------------------------------
#
# The timer of faulthandler is started for the imports, and anew with each test and with each step
# of the end of the run. It needs neither the interpreter nor its lock to print the stacks of all
# threads and to end the process. pytest's own faulthandler_timeout does not see what hangs between
# or after the tests.

TIME_LIMIT = float(os.environ.get("HIGHSTREET_TEST_SECONDS", "1200"))
"""Seconds for one test. The slowest takes a minute; a loaded machine may need twenty."""
_STDERR = pytest.StashKey[int]()


def _start_timer(config: pytest.Config) -> None:
    faulthandler.dump_traceback_later(TIME_LIMIT, exit=True, file=config.stash[_STDERR])


def pytest_configure(config: pytest.Config) -> None:
    """Keep the standard error, which is captured while a test runs, and start the timer.

    What is imported and collected may hang too. A process that distributes tests to others collects
    none itself.
    """
    config.stash[_STDERR] = os.dup(2)
    if not config.getoption("numprocesses", None):
        _start_timer(config)


def pytest_collection_finish() -> None:
    """Stop the timer: this process may wait for others before its first test."""
    faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Start the timer for a test; it goes on when the test is over."""
    _start_timer(item.config)
    return (yield)


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Start the timer again: pytest has just stopped it for a debugger."""
    _start_timer(node.config)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Start the timer for the end of the run."""
    _start_timer(session.config)


# --------------------------------------------------------------------------------------------------


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
