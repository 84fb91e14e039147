"""A network namespace of its own, connected by a pair of virtual interfaces; needs root."""

from __future__ import annotations

import secrets
import subprocess
from typing import Self


class NetworkNamespace:
    """A namespace whose connection can be cut."""

    def __init__(self) -> None:
        self.name = f"hs{secrets.token_hex(3)}"
        net = f"10.{secrets.randbelow(250) + 1}.{secrets.randbelow(250) + 1}"
        self.outside, self.inside = f"{net}.1", f"{net}.2"

    def __enter__(self) -> Self:
        name = self.name
        self._ip("netns", "add", name)
        self._ip("link", "add", f"{name}o", "type", "veth", "peer", "name", f"{name}i")
        self._ip("link", "set", f"{name}i", "netns", name)
        self._ip("addr", "add", f"{self.outside}/24", "dev", f"{name}o")
        self._ip("link", "set", f"{name}o", "up")
        for arguments in (
            ("addr", "add", f"{self.inside}/24", "dev", f"{name}i"),
            ("link", "set", f"{name}i", "up"),
            ("link", "set", "lo", "up"),
        ):
            self._ip("-n", name, *arguments)
        return self

    def __exit__(self, *_error: object) -> None:
        self._ip("netns", "del", self.name)

    @property
    def prefix(self) -> list[str]:
        """The words that start a command inside."""
        return ["ip", "netns", "exec", self.name]

    def cut(self) -> None:
        """Cut the connection; what is sent is lost."""
        self._ip("link", "set", f"{self.name}o", "down")

    def join(self) -> None:
        """Let it work again."""
        self._ip("link", "set", f"{self.name}o", "up")

    def _ip(self, *arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True)  # noqa: S607  as the tests find it
