"""Rate limits: a burst is answered, then a number of calls a second, and a flood is refused."""

from __future__ import annotations

import json
import logging

import pytest

from referee.transports.rate_limit import (
    MOST_KEYS,
    Rate,
    RateLimitError,
    TokenBuckets,
    address_of,
    public_network,
)
from tournaments.server.logs import JsonFormatter


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def test_a_burst_is_answered_at_once_and_the_next_one_waits() -> None:
    clock = Clock()
    buckets = TokenBuckets(Rate(per_second=2, burst=3, patience=1.0), clock)
    assert [buckets.take("ann") for _ in range(5)] == [0, 0, 0, 0.5, 1.0]
    with pytest.raises(RateLimitError, match="too many requests"):
        buckets.take("ann")
    assert buckets.take("bob") == 0, "everybody has a bucket"
    clock.now += 1.5  # three drops: two for those who waited, one to spare
    assert buckets.take("ann") == 0
    clock.now += 1000
    assert [buckets.take("ann") for _ in range(4)] == [0, 0, 0, 0.5], "it is never fuller"


def test_whoever_is_refused_is_answered_when_time_has_passed() -> None:
    clock = Clock()
    buckets = TokenBuckets(Rate(per_second=1, burst=1, patience=0), clock)
    assert buckets.take("ann") == 0
    for _ in range(10):
        with pytest.raises(RateLimitError):
            buckets.take("ann")
    clock.now += 1.0
    assert buckets.take("ann") == 0, "asking in vain costs nothing"


def test_a_million_strangers_take_no_memory() -> None:
    buckets = TokenBuckets(Rate(per_second=1, burst=1))
    for number in range(MOST_KEYS + 100):
        buckets.take(str(number))
    assert len(buckets._levels) == MOST_KEYS


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:127.0.0.1:5000", "127.0.0.1"),
        ("ipv6:%5B2001:db8:1:2::1%5D:5000", "2001:db8:1:2::/64"),
        ("ipv6:%5B2001:db8:1:2:ffff::9%5D:61000", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:3::1]:5000", "2001:db8:1:3::/64"),
        ("ipv6:%5Bfe80::1%25eth0%5D:5000", "fe80::/64"),
        ("ipv6:%5B::ffff:10.1.2.3%5D:5000", "10.1.2.3"),
        ("unix:", "unix:"),
    ],
)
def test_a_client_is_counted_by_its_address_and_in_ipv6_by_its_network(
    peer: str, address: str
) -> None:
    assert address_of(peer) == address


def test_a_request_may_count_as_many() -> None:
    clock = Clock()
    buckets = TokenBuckets(Rate(per_second=10, burst=20, patience=1.0), clock)
    assert [buckets.take("a", 15), buckets.take("a", 15)] == [0.0, 1.0]
    with pytest.raises(RateLimitError, match="try again in 2 seconds"):
        buckets.take("a", 15)
    assert buckets.take("b", 15) == 0.0


def test_a_log_line_is_one_object_with_everything_in_it() -> None:
    with pytest.raises(ValueError, match="Expecting") as trouble:
        json.loads("two\nlines")
    raised = (trouble.type, trouble.value, trouble.tb)
    record = logging.LogRecord("x.y", logging.ERROR, "f", 1, "match %s", ("m-1",), raised)
    record.league = "spring"
    line = JsonFormatter().format(record)
    assert "\n" not in line
    said = json.loads(line)
    assert (said["level"], said["logger"], said["message"]) == ("error", "x.y", "match m-1")
    assert said["league"] == "spring"
    assert "JSONDecodeError" in said["exception"]


@pytest.mark.parametrize(
    ("peer", "network"),
    [
        ("ipv4:93.184.216.34:5000", "93.184.216.34"),
        ("ipv6:[2606:2800:220:1::7]:5000", "2606:2800:220:1::/64"),
        ("ipv6:[::ffff:93.184.216.34]:5000", "93.184.216.34"),
        ("ipv4:127.0.0.1:5000", ""),
        ("ipv4:192.168.1.7:5000", ""),
        ("ipv4:10.0.0.1:5000", ""),
        ("ipv6:[::1]:5000", ""),
        ("ipv6:[fd00::1]:5000", ""),
        ("unix:", ""),
    ],
)
def test_only_a_public_address_says_who_it_is(peer: str, network: str) -> None:
    assert public_network(peer) == network
