"""The policy is data: it can be written down, and nonsense is refused."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import UsageError
from referee.model.policy import Fault, Policy, Reaction

LAST = (Fault.TIME_OUT, Fault.DISCONNECT, Fault.CRASH)
NO_ANSWER = " cannot lead to reject: there is no answer to reject; use strike or forfeit."


def test_the_usual_policy_is_written_as_records_have_it() -> None:
    assert Policy().as_dict() == {
        "illegal_move": "reject",
        "malformed": "reject",
        "time_out": "strike",
        "disconnect": "forfeit",
        "crash": "forfeit",
        "strikes": 3,
        "rejections": 3,
        "reconnect": 10,
    }


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("reaction", [Reaction.STRIKE, Reaction.FORFEIT])
def test_every_fault_can_lead_to_a_strike_or_a_forfeit(fault: Fault, reaction: Reaction) -> None:
    chosen: dict[str, Any] = {fault.value: reaction}
    policy = Policy(**chosen)
    assert policy.reaction(fault) is reaction
    assert policy.as_dict() == {**Policy().as_dict(), fault.value: reaction.value}
    others = set(Fault) - {fault}
    assert all(policy.reaction(other) is Policy().reaction(other) for other in others)


@pytest.mark.parametrize("fault", [Fault.ILLEGAL_MOVE, Fault.MALFORMED])
def test_an_answer_can_be_rejected(fault: Fault) -> None:
    chosen: dict[str, Any] = {fault.value: Reaction.REJECT}
    assert Policy(**chosen).reaction(fault) is Reaction.REJECT


@pytest.mark.parametrize("numbers", [{"strikes": 0}, {"rejections": 0}, {"strikes": 1000}])
def test_any_number_of_faults_can_be_tolerated(numbers: dict[str, Any]) -> None:
    assert Policy(**numbers).as_dict() == {**Policy().as_dict(), **numbers}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        *(({fault: Reaction.REJECT}, f"{fault}{NO_ANSWER}") for fault in LAST),
        ({"strikes": -1}, "strikes is negative; it is a number of tolerated faults."),
        ({"rejections": -1}, "rejections is negative; it is a number of tolerated faults."),
    ],
)
def test_an_impossible_policy_is_refused_with_a_sentence(
    wrong: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        Policy(**wrong)
    assert str(refused.value) == sentence
