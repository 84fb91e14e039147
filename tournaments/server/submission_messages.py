"""Accounts and submissions as messages."""

from __future__ import annotations

from urllib.parse import quote

from highstreet.v1 import submission_pb2 as pb

from tournaments.model import Account, StageReport, Submission
from tournaments.server.messages import written


def account_message(account: Account) -> pb.Account:
    """Write an account."""
    return written(pb.Account, account, create_time=account.created_at)


def submission_message(submission: Submission, pages: str) -> pb.Submission:
    """Write a submission; ``pages`` is the address of the server's pages, or nothing."""
    path = f"/leagues/{submission.league}/bots/{quote(submission.bot, safe='')}"
    return written(
        pb.Submission,
        submission,
        submit_time=submission.submitted_at,
        change_time=submission.changed_at,
        page=f"{pages.rstrip('/')}{path}" if pages else "",
    )


def report_message(report: StageReport) -> pb.StageReport:
    """Write how a submission did at a stage."""
    return written(pb.StageReport, report, end_time=report.at)
