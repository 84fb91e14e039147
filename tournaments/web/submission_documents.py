"""The documents of submissions, accounts, and of the page on which authors take part."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache, partial
from typing import Final

from engine import find_game
from referee.model import SandboxLimits
from tournaments.model import (
    RUNTIMES,
    Account,
    Competition,
    Enrolment,
    Stage,
    StageReport,
    Submission,
    all_items,
)
from tournaments.store import Store
from tournaments.submissions import PackageLimits
from tournaments.web.documents import Document, league_document

MEBIBYTE: Final = 2**20
STAGES: Final = {
    Stage.RECEIVED: "Received",
    Stage.UNPACKED: "Unpacked",
    Stage.BUILT: "Built in the sandbox",
    Stage.CHECKED: "Checked against the protocol",
    Stage.TRIED: "Tried in a match of each game",
}
"""What has happened after each stage, for people."""
ENROLMENTS: Final = {
    Enrolment.OPEN: "Anyone can sign up, and submit a bot at once.",
    Enrolment.CODE: "You need the code of the league to sign up: ask its organiser.",
    Enrolment.APPROVAL: "Anyone can sign up; an organiser approves the account before it is used.",
    Enrolment.CLOSED: "Only an organiser makes accounts: ask for one.",
}


def take_part_document(league: Competition, *, takes_packages: bool, address: str) -> Document:
    """Return what an author needs to know before a bot is submitted."""
    enrolment = Enrolment(league.settings.enrolment)
    return {
        "league": league_document(league),
        "takes_packages": takes_packages,
        "address": address,
        "enrolment": {"kind": enrolment, "sentence": ENROLMENTS[enrolment]},
        "titles": {each.game: find_game(each.game).spec.title for each in league.settings.games},
        "package_limits": asdict(PackageLimits()),
        "sandbox_limits": SandboxLimits().as_dict(),
        "runtimes": _runtimes(),
        "stages": {stage.value: text for stage, text in STAGES.items()},
    }


@cache
def _runtimes() -> list[str]:
    """Return the names of the runtimes of this machine, as they were at the first request."""
    return sorted(name for name, program in RUNTIMES.items() if shutil.which(program))


def public_submission(submission: Submission) -> Document:
    """Return what everyone may know of a version that plays."""
    return {
        "author": submission.author,
        "version": submission.version,
        "label": submission.label,
        "package": submission.package,
        "public": submission.public,
        "size": submission.size,
        "submitted_at": submission.submitted_at,
    }


def submission_document(submission: Submission, reports: Sequence[StageReport] = ()) -> Document:
    """Return a submission as its author may see it, without the logs."""
    return {
        "id": submission.id,
        "league": submission.league,
        "bot": submission.bot,
        **public_submission(submission),
        "games": list(submission.games),
        "state": submission.state,
        "stage": submission.stage,
        "failed_at": submission.failed_at,
        "reason": submission.reason,
        "changed_at": submission.changed_at,
        "reports": list(map(_report, reports)),
    }


def _report(report: StageReport) -> Document:
    return {
        "stage": report.stage,
        "passed": report.passed,
        "sentence": report.sentence,
        "seconds": report.seconds,
        "cpu_seconds": report.cpu_seconds,
        "memory_bytes": report.memory_bytes,
        "at": report.at,
    }


def log_text(submission: Submission, reports: Sequence[StageReport]) -> str:
    """Return the log of a submission: every stage with what it used, said and wrote."""
    title = f"{submission.bot}, version {submission.version}: {submission.state}"
    return "\n".join([title, *map(_report_text, reports)]) + "\n"


def _report_text(report: StageReport) -> str:
    state = "passed" if report.passed else "failed"
    used = f"{report.seconds:.1f} s, {report.cpu_seconds:.1f} s of CPU time"
    memory = f", {report.memory_bytes / MEBIBYTE:.0f} MiB of memory" * bool(report.memory_bytes)
    lines = [f"\n== {report.stage}: {state} ({used}{memory})", report.sentence, report.log.rstrip()]
    return "\n".join(line for line in lines if line)


def account_document(store: Store, account: Account) -> Document:
    """Return an account and the bots of its author, each with its submissions."""
    pages = partial(store.submissions, account.league, author=account.name)
    bots: dict[str, list[Document]] = {}
    for submission in all_items(lambda token: pages(page_token=token)):
        bots.setdefault(submission.bot, []).append(submission_document(submission))
    return {
        "account": {
            "league": account.league,
            "name": account.name,
            "state": account.state,
            "reason": account.reason,
            "created_at": account.created_at,
        },
        "bots": [_bot(store, account.league, name, own) for name, own in bots.items()],
    }


def _bot(store: Store, league: str, name: str, submissions: list[Document]) -> Document:
    entrant = store.entrant(league, name)
    return {
        "name": name,
        "state": entrant.state,
        "reason": entrant.reason,
        "submissions": submissions,
    }
