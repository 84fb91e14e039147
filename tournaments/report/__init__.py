"""The report of a tournament as one self-contained HTML page, and the plots of all pages."""

from __future__ import annotations

from tournaments.report.page import report_html
from tournaments.report.plots import rating_history, rating_intervals
from tournaments.report.templates import TemplateEnvironment
from tournaments.report.wording import NOTHING, number

__all__ = [
    "NOTHING",
    "TemplateEnvironment",
    "number",
    "rating_history",
    "rating_intervals",
    "report_html",
]
