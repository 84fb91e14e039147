"""Nothing that an attacker tries in the sandbox gets through, and its opponent's match is whole.

Each attack is a bot that plays a match, as a command and as a package, and the build command of a
package; as root and as an ordinary user. Where that is harmless the same program runs without the
sandbox too, to show that it works there.
"""

from __future__ import annotations

import platform

import pytest

from tests.sandbox.arena import OPPONENT_THINKS
from tests.sandbox.conftest import Arena

pytestmark = pytest.mark.slow

FUTILE = (
    "read_files",
    "read_environment",
    "other_processes",
    "network",
    "fork_bomb",
    "memory_in_one_process",
    "memory_in_files",
    "memory_in_memfd",
    "open_files",
    "write_anywhere",
    "standard_error",
    "daemon",
    "harmless_calls",
    "harmful_calls",
    "signals",
    "wake",
)
"""The attacks that get nothing; the bot plays on."""
FATAL = {
    "memory_in_processes": "more than 256 MiB of memory",
    "memory_unmapped": "more than 256 MiB of memory",
    "inodes": "more than 256 files in /tmp",
    "end_itself": "SIGKILL",
    "end_all": "",
}
"""The attacks that cost the bot the match, with what the author is told."""
FATAL_IN_BUILD = {
    **FATAL,
    "stop_itself": "took more than 3 seconds",
    "standard_output": "more than 128 MiB unpacked",
}
"""The attacks that fail a build, with what the author is told."""
THINKING = ("think", "think+ponder")
ALIKE = (*FUTILE, "foreign_calls", "stop_itself", "standard_output", *FATAL)
"""The attacks of bots and builds alike: a build has no opponent, so that it is never frozen."""
SANDBOXED = (*ALIKE, *THINKING, "none")
PACKAGED = (*ALIKE, "think")
ATTACKS = {"bubblewrap": SANDBOXED, "package": PACKAGED, "build": ALIKE}
IN_MATCHES = [(place, attack) for place in ("bubblewrap", "package") for attack in ATTACKS[place]]
HARMLESS = {
    "read_files": {"secret", "tokens", "league.db", "package", "folder", "passwd"},
    "read_environment": set(),
    "other_processes": {"signal", "descriptors", "command_line"},
    "network": {"loopback", "unix", "abstract", "families"},
    "fork_bomb": {"children"},
    "memory_in_one_process": {"megabytes"},
    "memory_in_files": {"tmp"},
    "memory_in_memfd": {"memfd", "sysv"},
    "write_anywhere": set(),
    "standard_error": {"bytes"},
    "memory_in_processes": {"megabytes"},
    "memory_unmapped": {"megabytes"},
    "inodes": {"files"},
    "harmless_calls": {"calls"},
    "wake": {"calls"},
}
"""What the attacks get, at least, without the sandbox."""
REFEREE_BYTES = 64 << 20
"""The most memory that all attacks together may cost the referee."""
DISK_BYTES = 4 << 20
"""The most disk that all attacks together may cost the referee, with the packages it has built."""
OUTSIDE = (*HARMLESS, "daemon", "end_itself", "stop_itself", "think", "foreign_calls")


PLACES = pytest.mark.parametrize("place", ["bubblewrap", "package"])


@pytest.mark.parametrize(("place", "attack"), IN_MATCHES)
def test_the_other_seat_is_whole_and_nothing_is_left(
    user: str, arena: Arena, place: str, attack: str
) -> None:
    outcome = arena(user, place, ATTACKS[place])[attack]
    assert outcome["ending"] != "stopped", outcome["causes"]
    assert 1 not in outcome["forfeits"]
    assert outcome["decisions"] > 20
    assert outcome["left"] == 0
    assert outcome["victim_lives"]
    assert not outcome["killed"]
    assert outcome["memory_bytes"] < REFEREE_BYTES
    assert outcome["disk_bytes"] < DISK_BYTES


@PLACES
@pytest.mark.parametrize("attack", FUTILE)
def test_an_attack_gets_nothing(user: str, arena: Arena, place: str, attack: str) -> None:
    outcome = arena(user, place, ATTACKS[place])[attack]
    assert outcome["reports"] in ([{}], []), outcome["reports"]
    if attack != "standard_error":  # whose report is not kept either
        assert outcome["reports"] == [{}]
    assert outcome["forfeits"] == []


@PLACES
@pytest.mark.parametrize("attack", FATAL)
def test_an_attack_costs_the_match_and_the_author_is_told(
    user: str, arena: Arena, place: str, attack: str
) -> None:
    outcome = arena(user, place, ATTACKS[place])[attack]
    assert outcome["forfeits"] == [0]
    (cause,) = outcome["causes"]
    assert cause["cause"] == "bot"
    assert cause["fault"] == "crash"
    assert FATAL[attack] in cause["detail"]
    assert outcome["reports"] == []


@pytest.mark.parametrize("attack", FUTILE)
def test_an_attack_of_a_build_gets_nothing(user: str, arena: Arena, attack: str) -> None:
    """The build goes on, and the package is there."""
    outcome = arena(user, "build", ALIKE)[attack]
    assert outcome["reports"] in ([{}], []), outcome["reports"]
    if attack == "standard_error":
        assert outcome["log_bytes"] <= 64 << 10
    else:
        assert outcome["reports"] == [{}]
        assert (outcome["failure"], outcome["made"]) == ("", True)


@pytest.mark.parametrize("attack", FATAL_IN_BUILD)
def test_an_attack_costs_the_build_and_the_author_is_told(
    user: str, arena: Arena, attack: str
) -> None:
    outcome = arena(user, "build", ALIKE)[attack]
    assert FATAL_IN_BUILD[attack] in outcome["failure"]
    assert outcome["failure"]
    assert not outcome["made"]
    assert outcome["reports"] == []


@pytest.mark.parametrize("attack", ALIKE)
def test_nothing_is_left_of_a_build(user: str, arena: Arena, attack: str) -> None:
    outcome = arena(user, "build", ALIKE)[attack]
    assert outcome["left"] == 0
    assert outcome["victim_lives"]
    assert outcome["memory_bytes"] < REFEREE_BYTES
    assert outcome["disk_bytes"] < DISK_BYTES


@pytest.mark.parametrize("attack", HARMLESS)
def test_the_same_attack_works_without_the_sandbox(user: str, arena: Arena, attack: str) -> None:
    (report,) = arena(user, "none", OUTSIDE)[attack]["reports"]
    assert set(report) >= HARMLESS[attack]
    assert report


def test_calls_that_the_sandbox_refuses_work_without_it(user: str, arena: Arena) -> None:
    (report,) = arena(user, "none", OUTSIDE)["harmless_calls"]["reports"]
    assert set(report["calls"]) >= {"keyctl", "ptrace", "kcmp", "clone3"}


def test_a_daemon_outlives_its_bot_without_the_sandbox(user: str, arena: Arena) -> None:
    assert arena(user, "none", OUTSIDE)["daemon"]["left"] == 1


def test_a_bot_that_ends_itself_looks_killed_without_the_sandbox(user: str, arena: Arena) -> None:
    assert arena(user, "none", OUTSIDE)["end_itself"]["killed"]


def test_a_bot_that_stops_itself_has_lost_the_time(user: str, arena: Arena) -> None:
    """It goes on with its next decision; the match is not void, as it is without the sandbox."""
    for place in ("bubblewrap", "package"):
        outcome = arena(user, place, ATTACKS[place])["stop_itself"]
        assert outcome["strikes"] == {"time_out": 1}
    assert arena(user, "none", OUTSIDE)["stop_itself"]["ending"] == "stopped"


def test_the_log_is_bounded(user: str, arena: Arena) -> None:
    assert arena(user, "bubblewrap", SANDBOXED)["standard_error"]["log_bytes"] <= 64 << 10
    assert arena(user, "none", OUTSIDE)["standard_error"]["log_bytes"] > 1_000_000


def test_a_bot_cannot_think_while_the_opponent_decides(user: str, arena: Arena) -> None:
    def share(place: str, attacks: tuple[str, ...], name: str) -> float:
        """Return how much of its speed the bot has on the opponent's time, at the median."""
        reports = arena(user, place, attacks)[name]["reports"][: OPPONENT_THINKS // 2]
        assert len(reports) == OPPONENT_THINKS // 2
        found: float = sorted(report["share"] for report in reports)[len(reports) // 2]
        return found

    frozen = [share(place, ATTACKS[place], "think") for place in ("bubblewrap", "package")]
    # On a crowded machine a bot that may think gets less, in the sandbox and outside alike.
    pondering = share("bubblewrap", SANDBOXED, "think+ponder")
    for control in (pondering, share("none", OUTSIDE, "think")):
        assert control > 0.1
        assert max(frozen) < control / 4


@pytest.mark.skipif(platform.machine() != "x86_64", reason="32-bit calls of x86")
def test_the_system_calls_of_32_bit_programs_are_refused(user: str, arena: Arena) -> None:
    outside = arena(user, "none", OUTSIDE)["foreign_calls"]["reports"]
    if outside != [{"getpid": True}]:
        pytest.skip("this kernel runs no 32-bit programs, or there is no gcc")
    for place, attacks in ATTACKS.items():
        assert arena(user, place, attacks)["foreign_calls"]["reports"] == [{}]


def test_the_record_states_the_sandbox_and_its_limits(user: str, arena: Arena) -> None:
    head = arena(user, "bubblewrap", SANDBOXED)["none"]["head"]
    assert head["kind"] == "bubblewrap"
    assert head["enforced_by"] in ("cgroup", "watcher")
    assert head["memory_bytes"] == 256 << 20
    assert head["processes"] == 32
    assert arena(user, "none", OUTSIDE)["read_files"]["head"] is None
