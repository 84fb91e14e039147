"""Rate limits by client address and by token: token buckets.

A request slightly above the rate is delayed; one far above it is refused.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import unquote

from engine import HighstreetError

MOST_KEYS: Final = 10_000
"""The most keys with a bucket; the one unused for longest is dropped first."""
_NETWORK: Final = 64
"""The prefix length of IPv6: a client with one address usually has the whole /64 network."""


class RateLimitError(HighstreetError):
    """A request above the rate limit."""


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate limit of a client."""

    per_second: float
    burst: int
    """The size of the bucket: requests without a delay."""
    patience: float = 2.0
    """The longest delay in seconds; a request that would wait longer is refused."""


JOINS: Final = Rate(per_second=1, burst=40, patience=0)
"""Joins with one token."""
OF_ADDRESS: Final = Rate(per_second=100, burst=500)
OF_TOKEN: Final = Rate(per_second=50, burst=200)


class TokenBuckets:
    """One token bucket per key."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """The level of each bucket, and the time of that level."""

    def take(self, key: str, cost: int = 1) -> float:
        """Return the delay of a request in seconds; raises RateLimitError if it is too long.

        A request of cost n counts as n requests.
        """
        rate, now = self._rate, self._clock()
        level, then = self._levels.pop(key, (float(rate.burst), now))
        level = min(rate.burst, level + (now - then) * rate.per_second)
        wait = max(0.0, (cost - level) / rate.per_second)
        if wait > rate.patience:
            self._keep(key, level, now)
            raise RateLimitError(
                f"too many requests: {rate.burst} at once and {rate.per_second:g} a second are "
                f"answered; try again in {wait:.0f} seconds."
            )
        self._keep(key, level - cost, now)
        return wait

    def _keep(self, key: str, level: float, now: float) -> None:
        self._levels[key] = (level, now)
        if len(self._levels) > MOST_KEYS:
            self._levels.popitem(last=False)


def address_of(peer: str) -> str:
    """Return the key of a gRPC peer such as "ipv4:127.0.0.1:5000" for rate limits."""
    host = _host_of(peer)
    return peer if host is None else client_network(host) or host


def _host_of(peer: str) -> str | None:
    """Return the IP address of a gRPC peer as text; None for a unix socket."""
    if not peer.startswith(("ipv4:", "ipv6:")):
        return None
    return unquote(peer.partition(":")[2].rpartition(":")[0]).strip("[]").partition("%")[0]


def client_network(host: str) -> str | None:
    """Return the key of a client at an IP address for rate limits; None for any other text.

    It is the address; for IPv6 it is the /64 network. An IPv4 address that an IPv6 socket reports
    is an IPv4 address.
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Network((address, _NETWORK), strict=False))


def public_network(peer: str) -> str:
    """Return the network of a gRPC peer with a public address, as ``client_network`` does; or "".

    Loopback and private addresses are those of proxies, containers and whole offices as well: they
    do not say who it is.
    """
    host = _host_of(peer)
    try:
        address = ip_address(host or "")
    except ValueError:
        return ""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return client_network(str(address)) or "" if (mapped or address).is_global else ""
