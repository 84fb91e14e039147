"""Authors who hand in bots, and what they hand in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

LONGEST_CODE: Final = 100
VERSION_DIGITS: Final = 12
"""How many hexadecimal digits of a package's hash are the version of the bot."""


class Enrolment(StrEnum):
    """How an author gets an account in a league."""

    OPEN = "open"
    """By signing up."""
    CODE = "code"
    """By signing up with the code of the league."""
    APPROVAL = "approval"
    """By signing up; an organiser approves the account before it can be used."""
    CLOSED = "closed"
    """Only an organiser makes accounts."""


class AccountState(StrEnum):
    """Whether an author may submit bots."""

    ACTIVE = "active"
    PENDING = "pending"
    """An organiser has to approve it."""
    BLOCKED = "blocked"
    """By an organiser."""


@dataclass(frozen=True, slots=True)
class Account:
    """An author in a league."""

    league: str
    name: str
    state: AccountState
    created_at: datetime
    reason: str = ""
    """Why it is blocked."""


class Stage(StrEnum):
    """What happens to a package before it plays, in this order."""

    RECEIVED = "received"
    UNPACKED = "unpacked"
    BUILT = "built"
    CHECKED = "checked"
    """The bot keeps the protocol."""
    TRIED = "tried"
    """It has played a match of every game that it claims and that the league plays."""

    @property
    def next(self) -> Stage | None:
        """The stage after this one; None after the last."""
        stages = list(Stage)
        return None if self is stages[-1] else stages[stages.index(self) + 1]


class SubmissionState(StrEnum):
    """What became of a submission."""

    PROCESSING = "processing"
    """It goes through the stages."""
    ACTIVE = "active"
    """It is the version of its bot that plays."""
    RETIRED = "retired"
    """It passed all stages, and another version plays, or none."""
    FAILED = "failed"
    """It failed at the stage after the last one that it passed."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A version of a bot that an author handed in."""

    id: int
    league: str
    author: str
    bot: str
    """The name of the entrant."""
    package: str
    """The SHA-256 of the package."""
    label: str
    """The version that the manifest states, for people."""
    games: tuple[str, ...]
    public: bool
    """Whether its author publishes the package."""
    size: int
    """Bytes of the package."""
    state: SubmissionState
    stage: Stage
    """The last stage that it passed."""
    reason: str
    """Why it failed."""
    submitted_at: datetime
    changed_at: datetime

    @property
    def version(self) -> str:
        """Its version as an entrant of the league."""
        return package_version(self.package)

    @property
    def published(self) -> bool:
        """Whether anyone may download the package: if it is public and has passed all stages."""
        return self.public and self.state in (SubmissionState.ACTIVE, SubmissionState.RETIRED)

    @property
    def failed_at(self) -> Stage | None:
        """The stage at which it failed."""
        return self.stage.next if self.state is SubmissionState.FAILED else None


@dataclass(frozen=True, slots=True)
class StageReport:
    """How a submission did at a stage; for its author only."""

    stage: Stage
    passed: bool
    sentence: str
    log: str
    seconds: float
    cpu_seconds: float
    memory_bytes: int
    at: datetime | None = None
    """When it ended; the store sets it."""


def package_version(package: str) -> str:
    """Return the version of a bot whose package has this hash."""
    return package[:VERSION_DIGITS]
