"""Bots over gRPC in the sandbox: they play, are frozen, and reach nothing but their own session."""

from __future__ import annotations

import pytest

from tests.sandbox.conftest import Arena, Outcomes
from tests.sandbox.grpc_arena import LONG_THINKING

pytestmark = pytest.mark.slow
STORIES = ("samples", "services", "memory", "come_back", "spin", "pinged")


@pytest.fixture
def outcomes(user: str, grpc_arena: Arena) -> Outcomes:
    """Return what became of every match."""
    return grpc_arena(user, "bubblewrap", STORIES)


def test_sample_bots_play_with_the_cpu_clock_and_the_record_is_correct(outcomes: Outcomes) -> None:
    played = outcomes["samples"]
    assert (played["forfeits"], played["strikes"]) == ([], {})
    assert played["decisions"] > 30
    assert [seat["sandbox"]["kind"] for seat in played["head"]] == ["bubblewrap"] * 2


def test_a_frozen_bot_is_not_cut_off_while_the_opponent_thinks(outcomes: Outcomes) -> None:
    assert LONG_THINKING > 4
    assert outcomes["spin"]["forfeits"] == []
    assert outcomes["spin"]["strikes"] == {}


def test_pings_would_cut_off_a_frozen_bot(outcomes: Outcomes) -> None:
    """So the test before this one can fail."""
    assert outcomes["pinged"]["forfeits"] == [0]


def test_a_frozen_bot_does_not_compute(outcomes: Outcomes) -> None:
    assert outcomes["spin"]["used"] < 0.05


def test_a_socket_is_good_for_the_own_session_only(outcomes: Outcomes) -> None:
    (found,) = outcomes["services"]["reports"]
    assert set(found["codes"].values()) == {"UNIMPLEMENTED"}
    assert found["others_token"] == "UNAUTHENTICATED"  # noqa: S105  a status
    assert found["sockets"] == ["referee.sock"]


def test_calls_and_connections_are_limited(outcomes: Outcomes) -> None:
    (found,) = outcomes["services"]["reports"]
    assert found["refused"] > 0
    assert found["connections"] < 8


def test_a_bot_that_floods_its_socket_does_not_harm_another(outcomes: Outcomes) -> None:
    assert outcomes["services"]["ending"] == "line_emptied"
    assert outcomes["services"]["strikes"] == {}


def test_too_much_memory_is_named(outcomes: Outcomes) -> None:
    (cause,) = outcomes["memory"]["causes"]
    assert "the sandbox ended it because it used more than 400 MiB of memory" in cause["detail"]
    assert not outcomes["memory"]["killed"]


def test_a_bot_that_disconnects_loses_its_time(outcomes: Outcomes) -> None:
    (cause,) = outcomes["come_back"]["causes"]
    assert cause["fault"] == "disconnect"


def test_nothing_is_left(outcomes: Outcomes) -> None:
    assert {played["left"] for played in outcomes.values()} == {0}
