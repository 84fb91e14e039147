"""The report: one page of HTML that says everything about a tournament and needs nothing else."""

from tournaments.report.page import report_html

__all__ = ["report_html"]
