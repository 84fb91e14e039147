"""Who asks: the address that limits are counted by.

A reverse proxy asks on behalf of its readers, and names them in X-Forwarded-For. Anybody can write
that header, so it is believed only when it comes from a proxy that the operator has named; and of
its addresses only the last one that is not such a proxy, which is the one that a proxy saw itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Scope

from engine import UsageError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

READER: Final = "highstreet.reader"
"""Where a request carries who asks."""
_HOUSE: Final = 64
"""In IPv6 whoever has one address has all with the same first 64 bits."""


def read_proxy(text: str) -> Network:
    """Read the address of a proxy, or a network of them; raises UsageError."""
    try:
        return ip_network(text)
    except ValueError as error:
        raise UsageError(
            f'cannot read --proxy "{text}": {error}. Write an address such as 127.0.0.1, or a '
            "network such as 10.0.0.0/8."
        ) from None


class Readers:
    """Tells who asks, behind proxies that are trusted."""

    def __init__(self, proxies: Iterable[str] = ()) -> None:
        self._proxies = tuple(map(read_proxy, proxies))

    def of(self, scope: Scope) -> str:
        """Return who asks: an address, or in IPv6 the network of a house."""
        said = scope["client"][0] if scope.get("client") else ""
        address = _address(said)
        if address is None:
            return str(said)
        forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
        while forwarded and self._is_proxy(address):
            before = _address(forwarded.pop().strip())
            if before is None:
                break  # no proxy writes that: its own readers share a limit
            address = before
        return _reader(address)

    def _is_proxy(self, address: Address) -> bool:
        return any(address in network for network in self._proxies)


def _address(text: str) -> Address | None:
    """Read an address; that of an IPv4 host on a socket for IPv6 is its own."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _reader(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, _HOUSE), strict=False))
