"""A league that takes packages, with authors and what they have submitted."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.tournaments.leagues import FRESH, LEAGUE
from tests.tournaments.web.leagues_with_matches import Reader, Street, reading
from tests.waiting import PATIENCE
from tournaments.model import Enrolment, Role, Stage, StageReport, Submission
from tournaments.store import Store
from tournaments.submissions import PackageCache, SubmissionQueue, pack, receive_package

OTHER = "elsewhere"
"""Another league of the same server."""
SERVER = "here"


def package(name: str, *, public: bool = False, extra: str = "") -> bytes:
    """Return a package whose bot is never started."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bot.toml").write_text(
            f'[bot]\nname = "{name}"\ngames = ["glastonbury"]\npublic = {str(public).lower()}\n'
            f'[run]\ncommand = ["python3", "bot.py"]\nruntime = "python"\n{extra}'
        )
        (Path(folder) / "bot.py").write_text(f"# {name}\n")
        return pack(Path(folder))


@dataclass
class Workshop(Street):
    """A store with a league that takes packages, and the tokens of its authors."""

    submissions: dict[str, Submission] = field(default_factory=dict)
    """By the name of the bot."""

    def sign_up(self, name: str, *, league: str = LEAGUE, by: Role = Role.ORGANISER) -> None:
        """Make an account; that of an organiser is active at once."""
        _, self.tokens[name] = self.store.sign_up(league, name, by=by)

    def submit(self, author: str, bot: str, *, public: bool = False) -> Submission:
        """Receive a package."""
        packed = package(bot, public=public)
        self.submissions[bot] = receive_package(self.store, LEAGUE, author, packed)
        return self.submissions[bot]

    def pass_stage(self, stage: Stage, log: str = "") -> None:
        """Let the submission that waits pass a stage, as a server reports it."""
        report = StageReport(stage, True, f"{stage} was passed", log, 1.5, 0.5, 2**20)
        self._report(report)

    def fail(self, stage: Stage, sentence: str, log: str) -> None:
        """Let the submission that waits fail at a stage."""
        self._report(StageReport(stage, False, sentence, log, 1.5, 0.5, 0))

    def _report(self, report: StageReport) -> None:
        self.store.release_submissions(SERVER)
        claimed = self.store.claim_submission(SERVER, 60.0)
        assert claimed is not None
        assert self.store.report_stage(SERVER, claimed.id, report) is not None

    def activate(self, author: str, bot: str, *, public: bool = False) -> Submission:
        """Submit a bot that passes everything, and let it play."""
        made = self.submit(author, bot, public=public)
        for stage in list(Stage)[1:]:
            self.pass_stage(stage)
        self.submissions[bot] = self.store.activate(made.id)
        return self.submissions[bot]


def workshop(url: str, enrolment: Enrolment = Enrolment.APPROVAL, **settings: Any) -> Workshop:
    """Make the leagues in an empty database, without authors."""
    store = Store.open(url)
    made = Workshop(url, store, store.first_organiser() or "")
    store.create_league(LEAGUE, replace(FRESH, enrolment=enrolment, **settings))
    store.create_league(OTHER, replace(FRESH, enrolment=Enrolment.OPEN))
    return made


def ask_with_queue(
    made: Workshop,
    cache: Path,
    test: Callable[[Reader, SubmissionQueue], Awaitable[None]],
    **options: Any,
) -> None:
    """Ask a server that receives packages; no task takes them further."""

    async def asked() -> None:
        queue = SubmissionQueue(made.store, PackageCache(cache))
        async with asyncio.timeout(PATIENCE), reading(made, queue=queue, **options) as reader:
            await test(reader, queue)

    asyncio.run(asked())
