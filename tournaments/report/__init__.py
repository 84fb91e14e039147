"""The report of a tournament as one self-contained HTML page, and the plots of all pages."""

from __future__ import annotations

from tournaments.report.page import report_html
from tournaments.report.plots import rating_history, rating_intervals
from tournaments.report.rounds import (
    RoundsView,
    as_values,
    rounds_view,
    winner_sentence,
)
from tournaments.report.stopping import difference_words, stop_sentence
from tournaments.report.templates import TemplateEnvironment
from tournaments.report.wording import NOTHING, number

__all__ = [
    "NOTHING",
    "RoundsView",
    "TemplateEnvironment",
    "as_values",
    "difference_words",
    "number",
    "rating_history",
    "rating_intervals",
    "report_html",
    "rounds_view",
    "stop_sentence",
    "winner_sentence",
]
