"""Records in files, and their deals against a secret that was published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from engine import UsageError
from referee.record import RecordError, Verified
from tournaments.model import attempt_of, commitment_to_secret, match_salt, possible_seeds
from tournaments.verification.checks import Problem, Task


def read_secret(text: str) -> bytes:
    """Read a secret as it is published, in hexadecimal digits; raises UsageError."""
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if not secret or text != secret.hex():
        raise UsageError(
            "the secret must be hexadecimal digits in lower case, as the tournament or the league "
            "published it."
        )
    return secret


def check_deal(verified: Verified, secret: bytes) -> None:
    """Check that seed and salt of a record follow from a secret; raises RecordError."""
    origin = verified.origin
    if origin is None or origin.match is None or origin.set_id is None:
        raise RecordError("the record does not say which match of which set it is.", 1)
    match, wire_id = origin.match, verified.summary.match
    attempt = attempt_of(wire_id, match)
    if attempt is None:
        raise RecordError(f"match is {wire_id}, but must begin with {match}.", 1)
    if bytes.fromhex(verified.seed) not in possible_seeds(secret, origin.set_id, match, attempt):
        raise RecordError("the seed does not follow from the secret.", 2)
    if verified.salt != match_salt(secret, match, attempt).hex():
        raise RecordError("the salt does not follow from the secret.", 2)


class RecordFiles:
    """Records in files, about which nothing is stated but perhaps a secret."""

    def __init__(self, paths: Sequence[Path], secret: bytes | None = None) -> None:
        self._paths = paths
        self._secret = secret

    def __len__(self) -> int:
        return len(self._paths)

    def tasks(self) -> Iterator[Task]:
        """Return the records."""
        return ((click.format_filename(path), path) for path in self._paths)

    def problems(self, where: str, verified: Verified) -> Iterator[str]:  # noqa: ARG002
        """Check the deal, if there is a secret."""
        try:
            if self._secret is not None:
                check_deal(verified, self._secret)
        except RecordError as error:
            yield str(error)

    def conclude(self) -> Iterable[Problem]:
        """Nothing is stated beside the records."""
        return ()

    @property
    def summary(self) -> str:
        """The commitment to the secret, which must be the one that was published."""
        if self._secret is None:
            return ""
        return f"SHA-256 of the secret: {commitment_to_secret(self._secret)}"
