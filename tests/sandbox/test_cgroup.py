"""The kernel enforces the limits of control groups, in a guest of qemu: ``make test-cgroup``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.guest import MISSING, kernel, outcomes
from tests.sandbox.in_cgroup import LIMITS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        "HIGHSTREET_CGROUP" not in os.environ, reason="boots a guest: make test-cgroup"
    ),
]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Boot the guest once; return what came of it for each user."""
    booted = kernel()
    if booted is None:
        pytest.fail(MISSING)
    folder: Path = tmp_path_factory.mktemp("guest")
    return outcomes(folder, booted)


@pytest.fixture(params=["root", "ordinary"])
def found(request: pytest.FixtureRequest, both: Any) -> Any:
    """Return what came of it for one user; the group of the ordinary one was delegated."""
    return both[request.param]


def test_the_sandbox_says_that_a_control_group_limits_bots(found: Any) -> None:
    limited = "bubblewrap; memory and processes are limited by a control group"
    assert found["has_limits"]
    assert found["describe"] == limited
    assert limited in found["match"]["said"]


def test_a_process_that_the_referee_had_started_before_can_make_groups_too(found: Any) -> None:
    assert found["worker"] == "True"


def test_the_kernel_ends_all_processes_that_together_exceed_the_memory(found: Any) -> None:
    """Each of them uses less than the limit, and no watcher runs.

    The guest goes on when the group is empty: also the processes that only sleep have ended.
    """
    assert found["memory"]["ended_by"] == 9
    assert found["memory"]["oom_kill"] >= 1
    assert found["memory"]["peak"] <= LIMITS.memory_bytes
    assert found["memory"]["out_of_memory"]


def test_the_kernel_refuses_one_process_more_than_allowed(found: Any) -> None:
    """The limit leaves room for the init process of a sandbox, which is the parent here."""
    assert found["processes"]["rlimit"] > 100
    assert found["processes"]["children"] == LIMITS.processes
    assert found["processes"]["refused"] == 1


def test_the_time_of_processes_that_nobody_waited_for_is_charged(found: Any) -> None:
    assert found["cpu"]["seconds"] >= 0.4
    assert found["cpu"]["removed"]


def test_a_frozen_bot_uses_no_cpu_time_at_all(found: Any) -> None:
    assert found["frozen"]["while_frozen"] == 0.0


def test_a_bot_that_the_kernel_ended_is_told_why(found: Any) -> None:
    expected = "the sandbox ended it because it used more than 64 MiB of memory"
    assert found["bot"] == {"note": expected, "enforced_by": "cgroup"}


def test_no_group_is_left_of_bots_that_have_ended(found: Any) -> None:
    assert found["left"] == []


def test_the_record_states_that_a_control_group_enforced_the_limits(found: Any) -> None:
    assert found["match"]["code"] == 0, found["match"]["said"]
    assert found["match"]["enforced_by"] == ["cgroup", "cgroup"]
